"""The calls of the library that look after a file."""

from __future__ import annotations

import ctypes

from .call import Scratch, call, failure, give_back, take
from .cipher import Options, Told, ciphered, copying
from .handle import DatabaseHandle
from .library import library, utf8


def vacuum(database: DatabaseHandle) -> None:
    call(library.corm_database_vacuum, database)


def optimize(database: DatabaseHandle) -> None:
    call(library.corm_database_optimize, database)


def checkpoint(database: DatabaseHandle, mode: int) -> tuple[int, int]:
    """Pages in the log, and copied."""
    scratch: Scratch = take()
    copied = ctypes.c_int64()
    status = library.corm_database_checkpoint(
        database, mode, scratch.number_ref, ctypes.byref(copied), scratch.error_ref
    )
    if status < 0:
        raise failure(scratch, status)
    pages = scratch.number.value, copied.value
    give_back(scratch)
    return pages


def backup(database: DatabaseHandle, path: str, cipher: Options | None, told: Told) -> None:
    function = library.corm_database_backup
    copying(told, lambda told: ciphered(cipher, lambda given: call(function, database, utf8(path), given, told, None)))
