"""The interpreter, as the library is told of it, and what CPython calls as functions of its own."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

from .call import call
from .handle import DatabaseHandle, ModelHandle
from .library import TYPES, library
from .struct import make_struct


def address_of(function: Any) -> int | None:
    """Where a function of C is."""
    return ctypes.cast(function, ctypes.c_void_p).value


def _tell() -> bool:
    if sys.implementation.name != "cpython":
        return False
    api = ctypes.pythonapi
    functions = {
        "inc_ref": api.Py_IncRef,
        "dec_ref": api.Py_DecRef,
        "err_occurred": api.PyErr_Occurred,
        "eval_save_thread": api.PyEval_SaveThread,
        "eval_restore_thread": api.PyEval_RestoreThread,
        "long_as_long_long_and_overflow": api.PyLong_AsLongLongAndOverflow,
        "long_from_long_long": api.PyLong_FromLongLong,
        "bool_from_long": api.PyBool_FromLong,
        "float_from_double": api.PyFloat_FromDouble,
        "unicode_from_string_and_size": api.PyUnicode_FromStringAndSize,
        "bytes_from_string_and_size": api.PyBytes_FromStringAndSize,
        "tuple_new": api.PyTuple_New,
        "tuple_set_item": api.PyTuple_SetItem,
        "capsule_get_pointer": api.PyCapsule_GetPointer,
        "mem_free": api.PyMem_Free,
    }
    addresses = {name: address_of(function) for name, function in functions.items()}
    python_type = TYPES["corm_python"]
    python = python_type(struct_size=ctypes.sizeof(python_type), none=id(None), **addresses)
    call(library.corm_python_use, ctypes.byref(python))
    return True


# Whether the library's functions for CPython can be used; not in another interpreter.
is_told = _tell()

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
    if not is_told:
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
