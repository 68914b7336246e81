"""The calls of the library on transactions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from .call import call
from .handle import DatabaseHandle
from .kept import keep, kept, release
from .library import library

TaskFunction = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


def task_function(current: Callable[[], int]) -> Any:
    """What tells the library which task runs; it must live as long as it is used."""
    return TaskFunction(lambda _: current())


# Where the number of a transaction comes to lie, which is known there whatever is raised meanwhile.
Number = ctypes.c_int64


def open_transaction(database: DatabaseHandle, kind: int, task: Any, number: ctypes.c_int64) -> None:
    call(library.corm_transaction_open, database, kind, task, None, ctypes.byref(number))


def close_transaction(database: DatabaseHandle, transaction: int, commit: bool) -> None:
    call(library.corm_transaction_close, database, transaction, commit)


_undo_function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda number: kept[number or 0]())
_undo = ctypes.cast(_undo_function, ctypes.c_void_p).value


def on_rollback(database: DatabaseHandle, undo: Callable[[], None]) -> None:
    """Has a function called where this thread's innermost transaction is rolled back, by itself or with one around."""
    call(library.corm_block_on_rollback, database, _undo, keep(undo), release)


def depth(database: DatabaseHandle) -> int:
    return int(library.corm_transaction_depth(database))
