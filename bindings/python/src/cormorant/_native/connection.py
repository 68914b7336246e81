"""The calls of the library on one connection, which callbacks are given."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from . import abi
from .call import call, failed
from .handle import DatabaseHandle
from .library import library, utf8

_Callback = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def callback(name: str, function: Callable[[int], object]) -> Any:
    """A corm_connection_callback. What the function raises is the cause of the error that the library has of it."""

    def run(connection: int | None, _context: object, out_error: int | None) -> int:
        try:
            function(connection or 0)
            return abi.CORM_OK
        except BaseException as error:
            return failed(name, error, out_error)

    return _Callback(run)


def is_reader(connection: int) -> bool:
    return bool(library.corm_connection_is_reader(connection))


def execute_script(connection: int, sql: str) -> None:
    call(library.corm_connection_execute_script, connection, utf8(sql))


def sqlite3(connection: int) -> int | None:
    address: int | None = library.corm_connection_sqlite3(connection)
    return address


def use_connection(database: DatabaseHandle, function: Any) -> None:
    call(library.corm_database_use_connection, database, ctypes.cast(function, ctypes.c_void_p), None)
