"""Parameters of a tree: which columns they stand beside, so that their values are encoded as those of the columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ._native import abi
from ._native.expression import Node
from ._native.handle import ModelHandle
from .column import Column
from .error import ProgrammingError
from .value import named_value, type_name

Encoder = Callable[[Any], Any]
Encoders = dict[str, Encoder]

_COMPARISONS = range(abi.CORM_OP_EQUAL, abi.CORM_OP_IS_NOT + 1)
_IN = (abi.CORM_NODE_BINARY, abi.CORM_OP_IN)
# Nodes that keep the type of what is in them.
_TRANSPARENT = (abi.CORM_NODE_COLLATE, abi.CORM_NODE_ORDER, abi.CORM_NODE_AS)


def parameter_encoders(statement: Node) -> Encoders:
    """What encodes the values of those parameters of a statement that stand beside a column with a transform, and of
    all that are given lists.
    """
    found: dict[str, Column[Any]] = {}
    lists: dict[str, Encoder] = {}
    pending: list[Any] = [statement]
    while pending:
        item = pending.pop()
        for name, column in _pairs(item):
            known = found.setdefault(name, column)
            if known.transform != column.transform:
                raise _differs(name, known, column)
        if isinstance(item, tuple) and item[:2] == _IN:
            name = item[3][1]
            columns = [_column(part) for part in (item[2][1] if item[2][0] == abi.CORM_NODE_ROW else [item[2]])]
            encoder = _ListEncoder(name, columns)
            known_list = lists.setdefault(name, encoder)
            if known_list != encoder:
                raise _differs(name, known_list, encoder)
        # The values of an IN are no nodes, and there may be very many.
        parts = item[:2] if item[0] == abi.CORM_NODE_IN else item
        pending += [part for part in parts if isinstance(part, tuple | list) and part]
    return {name: column._encode for name, column in found.items() if column._encode} | lists


def _differs(name: str, one: object, other: object) -> ProgrammingError:
    return ProgrammingError(
        f"parameter {name!r} stands beside {one!r} and {other!r}, which encode their values differently",
        hint="give them two parameters",
    )


class _ListEncoder:
    """Makes of the values of an IN, or of its rows, a list of values one after the other."""

    def __init__(self, name: str, columns: list[Column[Any] | None]) -> None:
        self._name = name
        self._columns = columns

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ListEncoder) and self._key() == other._key()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return ", ".join("an expression" if column is None else repr(column) for column in self._columns)

    def __call__(self, values: Any) -> list[Any]:
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise ProgrammingError(
                f"parameter {self._name!r} takes a list, and is given a {type_name(values)}",
                code="CORM_E_BINDING",
                hint="give the values of in_() as a list, of one where there is one",
            )
        encoders = [_encoder(self._name, column) for column in self._columns]
        if len(encoders) == 1:
            return list(map(encoders[0], values))
        encoded: list[Any] = []
        for row in values:
            if not isinstance(row, tuple | list) or len(row) != len(encoders):
                raise ProgrammingError(
                    f"parameter {self._name!r} takes rows of {len(encoders)} values, and is given {row!r}",
                    code="CORM_E_BINDING",
                    hint="give a list of tuples",
                )
            encoded += [encode(value) for encode, value in zip(encoders, row)]
        return encoded

    def _key(self) -> list[Any]:
        return [None if column is None else column.transform for column in self._columns]


def _encoder(name: str, column: Column[Any] | None) -> Encoder:
    if column is not None and column._encode is not None:
        return column._encode
    return lambda value: named_value(f"parameter {name!r}", value)


def _pairs(item: Any) -> Iterator[tuple[str, Column[Any]]]:
    """Parameters and the columns beside them, of one tuple of a tree."""
    if not isinstance(item, tuple):
        return
    match item:
        case (abi.CORM_NODE_BINARY, int() as operation, left, right) if operation in _COMPARISONS:
            rows = left[0] == right[0] == abi.CORM_NODE_ROW
            for one, other in zip(left[1], right[1]) if rows else ((left, right),):
                yield from _beside(one, other)
                yield from _beside(other, one)
        case (abi.CORM_NODE_BETWEEN, tuple() as operand, low, high):
            yield from _beside(operand, low)
            yield from _beside(operand, high)
        case (abi.CORM_INSERT | abi.CORM_UPDATE, ModelHandle() as handle, None, list() as parts):
            for part in parts:
                if part[0] in (abi.CORM_PART_SET, abi.CORM_PART_UPSERT_SET):
                    yield from _beside((abi.CORM_NODE_COLUMN, handle, None, part[1]), part[2])
                elif part[0] == abi.CORM_PART_VALUES:
                    for name, node in zip(part[1], part[2]):
                        yield from _beside((abi.CORM_NODE_COLUMN, handle, None, name), node)


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
