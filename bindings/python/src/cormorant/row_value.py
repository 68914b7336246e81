"""Rows of values that are compared together, as SQL's row values: tuple_(Person.name, Person.age) < ("Bob", 30)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeAlias, TypeVar, overload

from ._native import abi
from ._native.expression import Node
from ._operand import TRUTHS, beside, beside_node, columns_of_query, encode_values, is_parameter
from ._parameter import parameter_node
from .error import ProgrammingError
from .expression import Expression, PresentValue
from .function import Parameter, all_of, any_of
from .statement import Query

if TYPE_CHECKING:
    from typing_extensions import Self

R_co = TypeVar("R_co", covariant=True)
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
# Without a part that may be NULL.
Present: TypeAlias = "RowValue[tuple[PresentValue, ...]]"


class RowValue(Generic[R_co]):
    """Several expressions that are compared as one, made by tuple_(); it never changes.

    == != < <= > >= compare with a tuple of values, another row or a query of as many columns, of which the first row
    counts. Rows sort by their first value, then by the next. Each value is encoded as the column's own that it stands
    beside. In == and !=, and among the rows of in_(), None asks for NULL.
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[Expression[Any], ...]) -> None:
        self._parts = parts

    @overload  # type: ignore[override]
    def __eq__(self: Present, other: R_co | RowValue[R_co]) -> Expression[bool]: ...
    @overload
    def __eq__(self, other: R_co | RowValue[R_co] | Query[R_co]) -> Expression[bool | None]: ...
    def __eq__(self, other: Any) -> Expression[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        if _has_none(other):
            return all_of(*(part == value for part, value in self._pairs(other)))
        return self._compare(abi.CORM_OP_EQUAL, other)

    @overload  # type: ignore[override]
    def __ne__(self: Present, other: R_co | RowValue[R_co]) -> Expression[bool]: ...
    @overload
    def __ne__(self, other: R_co | RowValue[R_co] | Query[R_co]) -> Expression[bool | None]: ...
    def __ne__(self, other: Any) -> Expression[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        if _has_none(other):
            return any_of(*(part != value for part, value in self._pairs(other)))
        return self._compare(abi.CORM_OP_NOT_EQUAL, other)

    __hash__ = object.__hash__

    @overload
    def __lt__(self: Present, other: R_co | RowValue[R_co]) -> Expression[bool]: ...
    @overload
    def __lt__(self, other: R_co | RowValue[R_co] | Query[R_co]) -> Expression[bool | None]: ...
    def __lt__(self, other: Any) -> Expression[Any]:
        return self._compare(abi.CORM_OP_LESS, other)

    @overload
    def __le__(self: Present, other: R_co | RowValue[R_co]) -> Expression[bool]: ...
    @overload
    def __le__(self, other: R_co | RowValue[R_co] | Query[R_co]) -> Expression[bool | None]: ...
    def __le__(self, other: Any) -> Expression[Any]:
        return self._compare(abi.CORM_OP_LESS_EQUAL, other)

    @overload
    def __gt__(self: Present, other: R_co | RowValue[R_co]) -> Expression[bool]: ...
    @overload
    def __gt__(self, other: R_co | RowValue[R_co] | Query[R_co]) -> Expression[bool | None]: ...
    def __gt__(self, other: Any) -> Expression[Any]:
        return self._compare(abi.CORM_OP_GREATER, other)

    @overload
    def __ge__(self: Present, other: R_co | RowValue[R_co]) -> Expression[bool]: ...
    @overload
    def __ge__(self, other: R_co | RowValue[R_co] | Query[R_co]) -> Expression[bool | None]: ...
    def __ge__(self, other: Any) -> Expression[Any]:
        return self._compare(abi.CORM_OP_GREATER_EQUAL, other)

    @overload
    def between(self: Present, low: R_co | RowValue[R_co], high: R_co | RowValue[R_co]) -> Expression[bool]: ...
    @overload
    def between(self, low: R_co | RowValue[R_co], high: R_co | RowValue[R_co]) -> Expression[bool | None]: ...
    def between(self, low: Any, high: Any) -> Expression[Any]:
        """From low to high, both included."""
        return Expression((abi.CORM_NODE_BETWEEN, self._node, self._beside(low), self._beside(high)), TRUTHS)

    @overload
    def in_(self: Present, rows: Iterable[R_co] | Query[R_co] | Parameter) -> Expression[bool]: ...
    @overload
    def in_(self, rows: Iterable[R_co] | Query[R_co] | Parameter) -> Expression[bool | None]: ...
    def in_(self, rows: Any) -> Expression[Any]:
        """One of the rows, of which there may be any number, or of those of a query; None in a row asks for NULL. A
        parameter is given the rows when the query runs, without None in them.
        """
        if tree := getattr(rows, "_tree", None):
            return Expression((abi.CORM_NODE_IN_SELECT, self._sought_in(rows), tree()), TRUTHS)
        if is_parameter(rows):
            given = parameter_node(rows._node, *map(beside, self._parts), is_list=True)
            return Expression((abi.CORM_NODE_BINARY, abi.CORM_OP_IN, self._node, given), TRUTHS)
        items = [tuple(value for _, value in self._pairs(row)) for row in _iterated(rows)]
        columns = [encode_values(part, column) for part, column in zip(self._parts, zip(*items))]
        return Expression((abi.CORM_NODE_IN, self._node, [value for row in zip(*columns) for value in row]), TRUTHS)

    @overload
    def not_in(self: Present, rows: Iterable[R_co] | Query[R_co] | Parameter) -> Expression[bool]: ...
    @overload
    def not_in(self, rows: Iterable[R_co] | Query[R_co] | Parameter) -> Expression[bool | None]: ...
    def not_in(self, rows: Any) -> Expression[Any]:
        """None of the rows."""
        return ~self.in_(rows)

    def __repr__(self) -> str:
        return f"tuple_({', '.join(map(repr, self._parts))})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a row of expressions cannot be pickled: it refers to models of this process")

    # It never changes, so its copy is itself.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    if not TYPE_CHECKING:

        def __bool__(self):
            raise ProgrammingError("a row of expressions is neither true nor false", hint="compare it with another")

    @property
    def _node(self) -> Node:
        return abi.CORM_NODE_ROW, [part._node for part in self._parts]

    def _compare(self, operation: int, other: Any) -> Expression[Any]:
        left = other._beside(self) if isinstance(other, RowValue) else self._sought_in(other)
        return Expression((abi.CORM_NODE_BINARY, operation, left, self._beside(other)), TRUTHS)

    def _sought_in(self, query: Any) -> Node:
        """The node beside a query or a row of values: a column's own transform encodes a parameter."""
        columns = columns_of_query(query)
        if len(columns) != len(self._parts):
            return self._node
        return abi.CORM_NODE_ROW, [
            beside_node(column, part)
            if is_parameter(part) and isinstance(column, Expression) and beside(column).is_own
            else part._node
            for part, column in zip(self._parts, columns)
        ]

    def _beside(self, other: Any) -> Node:
        """The node of what is compared with this."""
        if isinstance(other, RowValue):
            if len(other._parts) != len(self._parts):
                return other._node
            return abi.CORM_NODE_ROW, [part._beside(value) for part, value in zip(self._parts, other._parts)]
        if tree := getattr(other, "_tree", None):
            return abi.CORM_NODE_SELECT, tree()
        return abi.CORM_NODE_ROW, [part._beside(value) for part, value in self._pairs(other)]

    def _pairs(self, row: Any) -> list[tuple[Expression[Any], Any]]:
        """Its parts, each with the value of a row that stands beside it."""
        if not isinstance(row, tuple | list):
            raise ProgrammingError(f"a row is compared with one {type(row).__name__}", hint="give a tuple of values")
        if len(row) != len(self._parts):
            raise ProgrammingError(
                f"a row of {len(self._parts)} values is compared with one of {len(row)}",
                hint="give both as many values",
            )
        return list(zip(self._parts, row))


def _has_none(row: Any) -> bool:
    return isinstance(row, tuple | list) and any(value is None for value in row)


def _iterated(rows: Any) -> Iterable[Any]:
    if isinstance(rows, str | bytes | RowValue) or not isinstance(rows, Iterable):
        raise ProgrammingError(f"the rows of in_() are one {type(rows).__name__}", hint="give a list of tuples")
    return rows


@overload
def tuple_(a: Expression[A], b: Expression[B], /) -> RowValue[tuple[A, B]]: ...
@overload
def tuple_(a: Expression[A], b: Expression[B], c: Expression[C], /) -> RowValue[tuple[A, B, C]]: ...
@overload
def tuple_(
    a: Expression[A], b: Expression[B], c: Expression[C], d: Expression[D], /
) -> RowValue[tuple[A, B, C, D]]: ...
@overload
def tuple_(
    a: Expression[Any],
    b: Expression[Any],
    c: Expression[Any],
    d: Expression[Any],
    e: Expression[Any],
    /,
    *more: Expression[Any],
) -> RowValue[tuple[Any, ...]]: ...
def tuple_(*parts: Expression[Any]) -> RowValue[Any]:
    """Two to eight expressions that are compared as one row:

    Person.where(tuple_(Person.city, Person.age).in_([("Rome", 30), ("Oslo", None)]))
    Person.where(tuple_(Person.name, Person.id) > ("Bob", 17))
    """
    for part in parts:
        if not isinstance(part, Expression):
            raise ProgrammingError(
                f"a part of a row is a {type(part).__name__}", hint="give columns and other expressions; literal(value)"
            )
    return RowValue(parts)
