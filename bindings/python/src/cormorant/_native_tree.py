"""The calls of the library on statements, expressions and relations.

A tree is what tree.h says; parameters are a marshalled dict or None.
"""

from __future__ import annotations

import ctypes
import marshal
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ._native_handle import CursorHandle, DatabaseHandle, ExpressionHandle, Handle, ModelHandle, StatementHandle
from ._native_library import (
    call,
    call_handle,
    call_number,
    failure,
    give_back,
    library,
    make_struct,
    take,
    to_text,
    utf8,
)
from .error import DataError, ProgrammingError

Sql = tuple[str, tuple[Any, ...]]
Node: TypeAlias = tuple[Any, ...]


def dump_tree(tree: Node) -> bytes:
    """A tree as the library takes it. Whoever hands that over holds the tree, and so the models in it."""
    try:
        return marshal.dumps(tree, 2)
    except ValueError as error:
        if "nested" not in str(error):
            raise DataError(f"a value cannot be bound: {error}", code="CORM_E_TYPE") from None
        raise ProgrammingError(
            "the expression is nested too deeply",
            hint="join many conditions with all_of(...) or any_of(...), and many values with in_(...)",
        ) from None


def make_statement(tree: Node) -> StatementHandle:
    data = dump_tree(tree)
    return call_handle(StatementHandle, library.corm_tree_statement, data, len(data))


def statement_sql(statement: StatementHandle) -> Sql:
    return _sql(library.corm_tree_statement_sql, statement)


def expression_sql(tree: Node) -> Sql:
    data = dump_tree(tree)
    expression = call_handle(ExpressionHandle, library.corm_tree_expression, data, len(data))
    return _sql(library.corm_tree_expression_sql, expression)


def _sql(function: Callable[..., int], handle: Handle) -> Sql:
    scratch = take()
    status = function(handle, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    answer: Sql = scratch.read()
    give_back(scratch)
    return answer


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


def execute(database: DatabaseHandle, statement: StatementHandle, parameters: bytes | None) -> int:
    size = len(parameters) if parameters else 0
    return call_number(library.corm_tree_execute, database, statement, parameters, size)


def count(database: DatabaseHandle, statement: StatementHandle, parameters: bytes | None) -> int:
    size = len(parameters) if parameters else 0
    return call_number(library.corm_tree_count, database, statement, parameters, size)


def exists(database: DatabaseHandle, statement: StatementHandle, parameters: bytes | None) -> bool:
    size = len(parameters) if parameters else 0
    return call_number(library.corm_tree_exists, database, statement, parameters, size) != 0


def add_relation(model: ModelHandle, definition: Mapping[str, Any]) -> None:
    """Adds a relation by the members of a corm_relation_def; arrays are lists."""
    struct = make_struct("corm_relation_def", definition)
    struct.struct_size = ctypes.sizeof(struct)
    call(library.corm_relation_add, model, ctypes.byref(struct))


def relation_columns(model: ModelHandle, relation: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The properties that make up a relation: of the record, and of the related record."""
    scratch = take()
    status = library.corm_tree_relation_columns(model, utf8(relation), scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    answer: tuple[tuple[str, ...], tuple[str, ...]] = scratch.read()
    give_back(scratch)
    return answer


def load_related(
    database: DatabaseHandle, model: ModelHandle, relation: str, keys: bytes, options: Node
) -> tuple[list[tuple[Any, ...]], tuple[int, ...]]:
    """Related rows, and pairs of the position of a key and that of a row that belongs to it, one after the other."""
    data = dump_tree(options)
    scratch = take()
    status = library.corm_tree_load(
        database, model, utf8(relation), keys, len(keys), data, len(data), scratch.block_ref, scratch.error_ref
    )
    if status < 0:
        raise failure(scratch, status)
    answer: tuple[list[tuple[Any, ...]], tuple[int, ...]] = scratch.read()
    give_back(scratch)
    return answer


def relate(database: DatabaseHandle, model: ModelHandle, relation: str, keys: bytes, removed: int) -> None:
    call(library.corm_tree_relate, database, model, utf8(relation), keys, len(keys), removed)
