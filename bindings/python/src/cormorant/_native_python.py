"""The interpreter, as the library is told of it: python.h."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from ._native_library import TYPES, call, library


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
