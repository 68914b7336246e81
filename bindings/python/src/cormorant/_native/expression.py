"""The calls of the library on expressions, which are trees: see tree.h."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import Any, TypeAlias

from ..error import DataError, ProgrammingError
from . import abi
from .call import call_handle, failure, give_back, take
from .handle import ExpressionHandle, Handle
from .library import library

Sql = tuple[str, tuple[Any, ...]]
Node: TypeAlias = tuple[Any, ...]


def dump_tree(tree: Node | list[Node | int | None]) -> bytes:
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


def expression_sql(tree: Node) -> Sql:
    data = dump_tree(tree)
    expression = call_handle(ExpressionHandle, library.corm_tree_expression, data, len(data))
    return read_sql(library.corm_tree_expression_sql, expression)


def read_sql(function: Callable[..., int], handle: Handle) -> Sql:
    scratch = take()
    status = function(handle, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    answer: Sql = scratch.read()
    give_back(scratch)
    return answer


def quoted(name: str) -> str:
    """The name of a table or column as it stands in SQL."""
    return expression_sql((abi.CORM_NODE_NAME, None, name))[0]
