"""The calls of the library on statements, expressions and relations.

A tree is what tree.h says, marshalled; a statement is an int; parameters are a marshalled dict or None.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

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

Sql = tuple[str, tuple[Any, ...]]


def make_statement(tree: bytes) -> int:
    return call_handle(library.corm_tree_statement, tree, len(tree))


def free_statement(statement: int) -> None:
    library.corm_statement_free(statement)


def statement_sql(statement: int) -> Sql:
    return _sql(library.corm_tree_statement_sql, statement)


def expression_sql(tree: bytes) -> Sql:
    expression = call_handle(library.corm_tree_expression, tree, len(tree))
    try:
        return _sql(library.corm_tree_expression_sql, expression)
    finally:
        library.corm_expr_free(expression)


def _sql(function: Callable[..., int], handle: int) -> Sql:
    scratch = take()
    status = function(handle, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    answer: Sql = scratch.read()
    give_back(scratch)
    return answer


def explain(database: int, statement: int) -> str:
    arena = library.corm_arena_create()
    tree = ctypes.c_char_p()
    try:
        call(library.corm_statement_explain, database, statement, arena, ctypes.byref(tree))
        return to_text(tree.value) or ""
    finally:
        library.corm_arena_free(arena)


def open_cursor(database: int, model: int | None, statement: int, parameters: bytes | None) -> int:
    """A cursor for _native.next_rows."""
    size = len(parameters) if parameters else 0
    return call_handle(library.corm_tree_open, database, model, statement, parameters, size)


def execute(database: int, statement: int, parameters: bytes | None) -> int:
    size = len(parameters) if parameters else 0
    return call_number(library.corm_tree_execute, database, statement, parameters, size)


def count(database: int, statement: int, parameters: bytes | None) -> int:
    size = len(parameters) if parameters else 0
    return call_number(library.corm_tree_count, database, statement, parameters, size)


def exists(database: int, statement: int, parameters: bytes | None) -> bool:
    size = len(parameters) if parameters else 0
    return call_number(library.corm_tree_exists, database, statement, parameters, size) != 0


def add_relation(model: int, definition: Mapping[str, Any]) -> None:
    """Adds a relation by the members of a corm_relation_def; arrays are lists."""
    keep: list[object] = []
    struct = make_struct("corm_relation_def", definition, keep)
    struct.struct_size = ctypes.sizeof(struct)
    call(library.corm_relation_add, model, ctypes.byref(struct))


def relation_columns(model: int, relation: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The properties that make up a relation: of the record, and of the related record."""
    scratch = take()
    status = library.corm_tree_relation_columns(model, utf8(relation), scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    answer: tuple[tuple[str, ...], tuple[str, ...]] = scratch.read()
    give_back(scratch)
    return answer


def load_related(
    database: int, model: int, relation: str, keys: bytes, options: bytes
) -> tuple[list[tuple[Any, ...]], tuple[int, ...]]:
    """Related rows, and pairs of the position of a key and that of a row that belongs to it, one after the other."""
    scratch = take()
    status = library.corm_tree_load(
        database, model, utf8(relation), keys, len(keys), options, len(options), scratch.block_ref, scratch.error_ref
    )
    if status < 0:
        raise failure(scratch, status)
    answer: tuple[list[tuple[Any, ...]], tuple[int, ...]] = scratch.read()
    give_back(scratch)
    return answer


def relate(database: int, model: int, relation: str, keys: bytes, removed: int) -> None:
    call(library.corm_tree_relate, database, model, utf8(relation), keys, len(keys), removed)
