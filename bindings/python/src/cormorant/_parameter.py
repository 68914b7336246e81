"""Parameters of a tree: which columns they stand beside, so that their values are encoded as those of the columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ._native import abi
from ._native.expression import Node
from ._native.handle import ModelHandle
from .column import Column
from .error import ProgrammingError

Encoders = dict[str, Callable[[Any], Any]]

_COMPARISONS = range(abi.CORM_OP_EQUAL, abi.CORM_OP_IS_NOT + 1)
# Nodes that keep the type of what is in them.
_TRANSPARENT = (abi.CORM_NODE_COLLATE, abi.CORM_NODE_ORDER, abi.CORM_NODE_AS)


def parameter_encoders(statement: Node) -> Encoders:
    """What encodes the values of those parameters of a statement that stand beside a column with a transform."""
    found: dict[str, Column[Any]] = {}
    pending: list[Any] = [statement]
    while pending:
        item = pending.pop()
        for name, column in _pairs(item):
            known = found.setdefault(name, column)
            if known.transform != column.transform:
                raise ProgrammingError(
                    f"parameter {name!r} stands beside {known!r} and {column!r}, which encode their values differently",
                    hint="give them two parameters",
                )
        # The values of an IN are no nodes, and there may be very many.
        parts = item[:2] if item[0] == abi.CORM_NODE_IN else item
        pending += [part for part in parts if isinstance(part, tuple | list) and part]
    return {name: column._encode for name, column in found.items() if column._encode}


def _pairs(item: Any) -> Iterator[tuple[str, Column[Any]]]:
    """Parameters and the columns beside them, of one tuple of a tree."""
    if not isinstance(item, tuple):
        return
    match item:
        case (abi.CORM_NODE_BINARY, int() as operation, left, right) if operation in _COMPARISONS:
            yield from _beside(left, right)
            yield from _beside(right, left)
        case (abi.CORM_NODE_BETWEEN, tuple() as operand, low, high):
            yield from _beside(operand, low)
            yield from _beside(operand, high)
        case (abi.CORM_INSERT | abi.CORM_UPDATE, ModelHandle() as handle, None, list() as parts):
            for part in parts:
                if part[0] in (abi.CORM_PART_SET, abi.CORM_PART_UPSERT_SET):
                    yield from _beside((abi.CORM_NODE_COLUMN, handle, None, part[1]), part[2])


def _beside(operand: Node, value: Node) -> Iterator[tuple[str, Column[Any]]]:
    if value[0] == abi.CORM_NODE_PARAMETER and (column := _column(operand)) is not None:
        yield value[1], column


def _column(node: Node) -> Column[Any] | None:
    while node[0] in _TRANSPARENT:
        node = node[1]
    if node[0] not in (abi.CORM_NODE_COLUMN, abi.CORM_NODE_PATH):
        return None
    model = node[1].info._cls
    if node[0] == abi.CORM_NODE_PATH:
        for name in node[3]:
            model = model.__relations__[name]._target()
    column = model.__fields__.get(node[-1])
    return column if isinstance(column, Column) else None
