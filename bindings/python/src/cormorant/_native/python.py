"""What CPython calls as functions of its own."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .call import failure, give_back, take
from .handle import DatabaseHandle, ModelHandle
from .library import library, name_list, utf8
from .struct import make_struct


def address_of(function: Any) -> int | None:
    """Where a function of C is."""
    return ctypes.cast(function, ctypes.c_void_p).value


# Whether the library's functions for CPython can be used; not in another interpreter.
is_loaded: bool = sys.implementation.name == "cpython" and library.corm_python_is_loaded()

# A key gives the row, None, or an error that is to be raised.
Find = Callable[[int], "tuple[Any, ...] | int | None"]

# The rows, the columns' names and declared types, rows changed or -1, the rowid of an insert, and a result that has the
# rows that are left, which the caller closes.
Ran = tuple[list[tuple[Any, ...]], tuple[str, ...], tuple["str | None", ...], int, "int | None", "int | None"]

# SQL, bindings, what begins a transaction, and how many rows at most give what it gave, an error that is to be raised,
# or None where it did nothing: the bindings are to be marshalled.
Run = Callable[[str, "tuple[Any, ...] | bytes | None", "bytes | None", int], "Ran | int | None"]

# The values of a record give True when it was written and nothing came back, False when it was not, the key that was
# made, the row as it is now, a list of an error that is to be raised, or None where nothing was done: the values are to
# be marshalled. One value is given as it is.
Write = Callable[[Any], "bool | int | tuple[Any, ...] | list[int] | None"]

_METH_O = 8
_METH_FASTCALL = 0x80


class _MethodDef(ctypes.Structure):
    """Source: https://docs.python.org/3/c-api/structures.html#c.PyMethodDef."""

    _fields_ = (
        ("ml_name", ctypes.c_char_p),
        ("ml_meth", ctypes.c_void_p),
        ("ml_flags", ctypes.c_int),
        ("ml_doc", ctypes.c_char_p),
    )


_new_function: Any = None
if is_loaded:
    _prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    _new_function = _prototype(("PyCFunction_NewEx", ctypes.pythonapi))


def _make_finder() -> Callable[[DatabaseHandle, ModelHandle], tuple[Find, object]] | None:
    if not is_loaded:
        return None
    method = _MethodDef(b"find", address_of(library.corm_python_find), _METH_O, None)

    def make(database: DatabaseHandle, model: ModelHandle) -> tuple[Find, object]:
        table = make_struct("corm_python_table", {"database": database, "model": model})
        return _new_function(ctypes.addressof(method), ctypes.addressof(table), None), table

    return make


# (database, model) -> what finds by a key of one integer, and what must live as long as it is used. None in an
# interpreter other than CPython.
finder = _make_finder()


def make_writer(
    database: DatabaseHandle,
    model: ModelHandle,
    operation: int,
    conflict: int,
    properties: Sequence[str],
    columns: Sequence[int],
) -> tuple[Write, object]:
    """What writes the values of these columns as a record, and what must live as long as it is used."""
    places = (ctypes.c_int32 * len(columns))(*columns)
    members = {"database": database, "model": model, "operation": operation, "conflict": conflict}
    table = make_struct("corm_python_writer", {**members, "columns": ctypes.addressof(places), "count": len(columns)})
    table.properties = name_list(properties)
    table.held.append(places)
    return _new_function(ctypes.addressof(_write_method), ctypes.addressof(table), None), table


_write_method = _MethodDef(b"write", address_of(library.corm_python_write) if is_loaded else None, _METH_O, None)


def _make_runner() -> Callable[[DatabaseHandle], Run]:
    if not is_loaded:
        return _ctypes_runner
    method = _MethodDef(b"run", address_of(library.corm_python_run), _METH_FASTCALL, None)
    return lambda database: _new_function(ctypes.addressof(method), database.value, None)


def _ctypes_runner(database: DatabaseHandle) -> Run:
    block_run = library.corm_block_run

    def run(sql: str, bindings: tuple[Any, ...] | bytes | None, begin: bytes | None, max_rows: int) -> Ran | int | None:
        if not isinstance(sql, str) or not isinstance(bindings, bytes | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            return None
        scratch = take()
        size = len(bindings) if bindings else 0
        status = block_run(database, utf8(sql), begin, bindings, size, max_rows, scratch.block_ref, scratch.error_ref)
        if status < 0:
            raise failure(scratch, status, database)
        ran: Ran = scratch.read()
        give_back(scratch)
        return ran

    return run


# What runs statements of SQL on a database.
runner = _make_runner()
