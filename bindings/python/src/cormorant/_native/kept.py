"""What the library may still call or name, by the number that it knows it by, until it says that it is done with it."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

kept: dict[int, Any] = {}
_numbers = itertools.count(1)


def keep(item: object) -> int:
    """Its number, which the library gets as a context."""
    number = next(_numbers)
    kept[number] = item
    return number


def _forget(number: int | None, pop: Callable[..., object] = kept.pop) -> None:
    # Also while the interpreter ends, when the names of this module are gone.
    pop(number or 0, None)


_release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_forget)
# What the library calls with a number when it is done with it.
release = ctypes.cast(_release, ctypes.c_void_p).value
