"""The calls of the library on queries that are no statements: in SQL, or of what attributes equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import abi
from .call import call_handle, call_number, failure, give_back, take
from .handle import CursorHandle, DatabaseHandle, ModelHandle
from .library import int64, library, name_list, utf8


def count(database: DatabaseHandle, model: ModelHandle | None, sql: str | None, bindings: bytes | None) -> int:
    statement = None if sql is None else utf8(sql)
    return call_number(library.corm_block_count, database, model, statement, bindings, len(bindings) if bindings else 0)


def max_key(database: DatabaseHandle, model: ModelHandle) -> Any:
    scratch = take()
    status = library.corm_block_max_key(database, model, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status, database)
    key = scratch.read() if status == abi.CORM_OK else None
    give_back(scratch)
    return key


def open_cursor(
    database: DatabaseHandle,
    model: ModelHandle | None,
    sql: str | None,
    bindings: bytes | None,
    order_by: Sequence[str] = (),
    limit: int = 0,
    offset: int = 0,
) -> CursorHandle:
    statement = None if sql is None else utf8(sql)
    size = len(bindings) if bindings else 0
    return call_handle(
        CursorHandle,
        library.corm_block_open,
        database,
        model,
        statement,
        bindings,
        size,
        name_list(order_by),
        int64(limit, "limit"),
        int64(offset, "offset"),
    )
