"""What CPython calls as functions of its own."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

from .handle import DatabaseHandle, ModelHandle
from .library import library
from .struct import make_struct


def address_of(function: Any) -> int | None:
    """Where a function of C is."""
    return ctypes.cast(function, ctypes.c_void_p).value


# Whether the library's functions for CPython can be used; not in another interpreter.
is_loaded: bool = sys.implementation.name == "cpython" and library.corm_python_is_loaded()

# A key gives the row, None, or an error that is to be raised.
Find = Callable[[int], "tuple[Any, ...] | int | None"]

_METH_O = 8


class _MethodDef(ctypes.Structure):
    """Source: https://docs.python.org/3/c-api/structures.html#c.PyMethodDef."""

    _fields_ = (
        ("ml_name", ctypes.c_char_p),
        ("ml_meth", ctypes.c_void_p),
        ("ml_flags", ctypes.c_int),
        ("ml_doc", ctypes.c_char_p),
    )


def _make_finder() -> Callable[[DatabaseHandle, ModelHandle], tuple[Find, object]] | None:
    if not is_loaded:
        return None
    method = _MethodDef(b"find", address_of(library.corm_python_find), _METH_O, None)
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    new_function = prototype(("PyCFunction_NewEx", ctypes.pythonapi))

    def make(database: DatabaseHandle, model: ModelHandle) -> tuple[Find, object]:
        table = make_struct("corm_python_table", {"database": database, "model": model})
        return new_function(ctypes.addressof(method), ctypes.addressof(table), None), table

    return make


# (database, model) -> what finds by a key of one integer, and what must live as long as it is used. None in an
# interpreter other than CPython.
finder = _make_finder()
