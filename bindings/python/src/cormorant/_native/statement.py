"""The calls of the library on statements, which are trees: see tree.h. Parameters are a marshalled dict or None."""

from __future__ import annotations

import ctypes

from .call import call, call_handle, call_number
from .expression import Node, Sql, dump_tree, read_sql
from .handle import CursorHandle, DatabaseHandle, ModelHandle, StatementHandle
from .library import library, to_text


def make_statement(tree: Node) -> StatementHandle:
    data = dump_tree(tree)
    return call_handle(StatementHandle, library.corm_tree_statement, data, len(data))


def statement_sql(statement: StatementHandle) -> Sql:
    return read_sql(library.corm_tree_statement_sql, statement)


def explain(database: DatabaseHandle, statement: StatementHandle) -> str:
    arena = library.corm_arena_create()
    tree = ctypes.c_char_p()
    try:
        call(library.corm_statement_explain, database, statement, arena, ctypes.byref(tree))
        return to_text(tree.value) or ""
    finally:
        library.corm_arena_free(arena)


def open_cursor(
    database: DatabaseHandle, model: ModelHandle | None, statement: StatementHandle, parameters: bytes | None
) -> CursorHandle:
    """A cursor for _native.next_rows."""
    size = len(parameters) if parameters else 0
    return call_handle(CursorHandle, library.corm_tree_open, database, model, statement, parameters, size)


def open_parts(
    database: DatabaseHandle, parts: list[Node | int | None], statement: StatementHandle, parameters: bytes | None
) -> CursorHandle:
    """The same with rows in parts: None for a value as it comes, the number of a type for one of it;
    (model, is_optional) for a record, which is a row of its own.
    """
    data = dump_tree(parts)
    size = len(parameters) if parameters else 0
    return call_handle(
        CursorHandle, library.corm_tree_open_parts, database, data, len(data), statement, parameters, size
    )


def execute(database: DatabaseHandle, statement: StatementHandle, parameters: bytes | None) -> int:
    size = len(parameters) if parameters else 0
    return call_number(library.corm_tree_execute, database, statement, parameters, size)


def count(database: DatabaseHandle, statement: StatementHandle, parameters: bytes | None) -> int:
    size = len(parameters) if parameters else 0
    return call_number(library.corm_tree_count, database, statement, parameters, size)


def exists(database: DatabaseHandle, statement: StatementHandle, parameters: bytes | None) -> bool:
    size = len(parameters) if parameters else 0
    return call_number(library.corm_tree_exists, database, statement, parameters, size) != 0
