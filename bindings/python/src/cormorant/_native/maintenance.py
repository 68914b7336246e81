"""The calls of the library that look after a file."""

from __future__ import annotations

import ctypes
from typing import Any, TypeAlias

from .call import Scratch, call, failure, give_back, take
from .callback import Listener, listening, progress_listener
from .cipher import Options, Told, ciphered, copying
from .handle import DatabaseHandle
from .library import TYPES, library, to_text, utf8
from .struct import make_struct

# A table: its name, rows, lost rows, lost pages, and what could not be made again.
RepairedTable: TypeAlias = "tuple[str, int, int, int, str | None]"

_RepairedTable = TYPES["corm_repaired_table"]


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


def repair(
    path: str, new_path: str, cipher: Options | None, schema: str | None, told: Told
) -> tuple[int, int, list[RepairedTable]]:
    """The pages that cannot be read, the rows without a table, and the tables."""
    tables: list[RepairedTable] = []

    def repaired(address: int) -> None:
        raw = _RepairedTable.from_address(address)
        tables.append((to_text(raw.name) or "", raw.rows, raw.lost_rows, raw.lost_pages, to_text(raw.problem)))

    progress, listener = progress_listener(told), Listener(repaired)
    options = make_struct("corm_repair_options", {"schema": None if schema is None else utf8(schema)})
    options.progress, options.repaired = progress.pointer, listener.pointer
    unreadable, found = ctypes.c_int64(), ctypes.c_int64()

    def run(given: Any) -> None:
        options.cipher = None if given is None else ctypes.cast(given, ctypes.c_void_p).value
        outs = ctypes.addressof(unreadable), ctypes.addressof(found)
        call(library.corm_database_repair, utf8(path), utf8(new_path), ctypes.byref(options), *outs)

    listening([progress, listener], lambda: ciphered(cipher, run))
    return unreadable.value, found.value, tables
