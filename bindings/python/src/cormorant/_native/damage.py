"""What the library tells of damage."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from .call import status_name
from .library import TYPES, to_text

_Damage = TYPES["corm_damage"]
_Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


def callback(function: Callable[[str, int | None, str, str, str], object]) -> Any:
    """A corm_damage_callback."""

    def run(address: int, _context: object) -> None:
        raw = _Damage.from_address(address)
        function(
            to_text(raw.path) or "",
            raw.page or None,
            status_name(raw.status),
            to_text(raw.message) or "",
            to_text(raw.hint) or "",
        )

    return _Callback(run)
