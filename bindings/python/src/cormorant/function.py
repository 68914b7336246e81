"""Expressions that do not begin with a column: function calls, parameters, raw SQL, CASE, subqueries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from ._arithmetic import Number, T_co
from ._native import abi
from ._native.expression import Node
from ._operand import (
    TRUTHS,
    beside,
    column_of,
    condition_node,
    decimals_of,
    durations_of,
    is_parameter,
    operand,
    term_nodes,
    value_node,
)
from ._parameter import ParameterName
from ._shape import TupleShape
from ._sql import bindings_of
from ._text_option import refuse_no_text, text_argument
from .column import Column
from .error import ProgrammingError
from .expression import Condition, Expression, Present, PresentCondition
from .value import plain_value, type_name

if TYPE_CHECKING:
    from .statement import Query

T = TypeVar("T")


class Call(Expression[T_co]):
    """A function call, as `func` makes it."""

    __slots__ = ()

    def distinct(self) -> Call[T_co]:
        """An aggregate over distinct values."""
        return self._changed(3, True)

    def filter(self, condition: Expression[bool | None]) -> Call[T_co]:
        """An aggregate over the rows that meet a condition."""
        return self._changed(4, condition_node(condition))

    def order_by(self, *terms: Expression[Any]) -> Call[T_co]:
        """An aggregate that takes its rows in this order: func.group_concat(Album.title, ", ").order_by(Album.year).

        SQLite has it from 3.44 on, and says that it has not before.
        """
        given = term_nodes(terms, "order_by()")
        nodes = [node if node[0] == abi.CORM_NODE_ORDER else Expression(node).asc()._node for node in given]
        return self._changed(2, [*self._node[2], *nodes])

    def over(
        self,
        *,
        partition_by: Expression[Any] | Sequence[Expression[Any]] = (),
        order_by: Expression[Any] | Sequence[Expression[Any]] = (),
        frame: str | None = None,
    ) -> Call[T_co]:
        """Over a window. frame: as SQL writes it, such as "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"."""
        refuse_no_text("over()", "frame", frame)
        partition = term_nodes(partition_by, "over(): partition_by")
        return self._changed(5, (partition, term_nodes(order_by, "over(): order_by"), frame))

    def _changed(self, position: int, item: Any) -> Call[T_co]:
        node = self._node
        return Call((*node[:position], item, *node[position + 1 :]), self._column)


# Functions whose value is one of their first argument's, so that it is decoded as that.
_OF_FIRST_ARGUMENT = frozenset(
    {"min", "max", "coalesce", "ifnull", "nullif", "first_value", "last_value", "nth_value", "lag", "lead"}
    | {"likely", "unlikely", "likelihood"}
)
# Those whose value is a decimal where one of their arguments is.
_OF_DECIMALS = _OF_FIRST_ARGUMENT | {"sum", "abs", "iif"}
# Those all of whose arguments are such values.
_OF_ALL = ("min", "max", "coalesce", "ifnull", "nullif")
# The first of the arguments that are such values.
_VALUES = dict.fromkeys(_OF_ALL, 0) | {"iif": 1, "lag": 2, "lead": 2}


def _call(function: str, *arguments: Any) -> Call[Any]:
    first = arguments[0] if arguments and function in _OF_FIRST_ARGUMENT else None
    column = first._column if isinstance(first, Expression) else None
    if function in _OF_DECIMALS and (column is None or column.type_name != "decimal"):
        decimals = decimals_of(*arguments)
        column = column if decimals is None else decimals
    if column is None and function in ("sum", "abs"):
        column = durations_of(*arguments)
    if column is None and (function == "iif" or function in _OF_ALL):
        column = column_of(*(arguments[1:] if function == "iif" else arguments))
    start = _VALUES.get(function, len(arguments))
    nodes = [operand(item) if position < start else value_node(item, column) for position, item in enumerate(arguments)]
    return Call((abi.CORM_NODE_CALL, function, nodes, False, None, None), column)


class _OfFirstArgument(Protocol):
    @overload
    def __call__(self, value: Expression[T], *others: Any) -> Call[T | None]: ...
    @overload
    def __call__(self, value: Any, *others: Any) -> Call[Any]: ...


class _First(Protocol):
    def __call__(self, value: Expression[T]) -> Call[T]: ...


class _Coalesce(Protocol):
    @overload
    def __call__(self, value: Expression[T | None], other: Expression[T]) -> Call[T]: ...
    @overload
    def __call__(self, value: Expression[T | None], other: T) -> Call[T]: ...
    @overload
    def __call__(self, value: Expression[T], *others: Any) -> Call[T]: ...
    @overload
    def __call__(self, value: Any, *others: Any) -> Call[Any]: ...


class _Sum(Protocol):
    @overload
    def __call__(self, value: Expression[bool | None]) -> Call[int | None]: ...
    @overload
    def __call__(self, value: Expression[T]) -> Call[T | None]: ...


class _Length(Protocol):
    @overload
    def __call__(self, value: Present) -> Call[int]: ...
    @overload
    def __call__(self, value: Expression[Any]) -> Call[int | None]: ...


class _Functions:
    """`func`: any function that SQLite has as an attribute, such as func.lower(Person.name).

    func.count() is count(*). Results are as SQL has them, apart from min, max, coalesce and their like, which give a
    value of their first argument. Sums of decimals are exact; avg and what else is not is refused of decimals.
    """

    def __getattr__(self, name: str) -> Callable[..., Call[Any]]:
        if name.startswith("_"):
            raise AttributeError(name)
        return partial(_call, name)

    if TYPE_CHECKING:

        def count(self, value: Expression[Any] = ...) -> Call[int]: ...
        def avg(self, value: Number) -> Call[float | None]: ...
        def total(self, value: Number) -> Call[float]: ...

        sum: _Sum
        length: _Length
        max: _OfFirstArgument
        min: _OfFirstArgument
        coalesce: _Coalesce
        ifnull: _Coalesce
        nullif: _OfFirstArgument
        first_value: _OfFirstArgument
        last_value: _OfFirstArgument
        nth_value: _OfFirstArgument
        lag: _OfFirstArgument
        likely: _First
        unlikely: _First
        lead: _OfFirstArgument

        def lower(self, text: Expression[T]) -> Call[T]: ...
        def upper(self, text: Expression[T]) -> Call[T]: ...
        def row_number(self) -> Call[int]: ...
        def rank(self) -> Call[int]: ...
        def dense_rank(self) -> Call[int]: ...
        def ntile(self, count: int) -> Call[int]: ...


func = _Functions()
"""Any function that SQLite has, as an attribute: `func.lower(Person.name)`; `func.count()` is count(*)."""


class ExcludedName(bytes):
    """`excluded` in a tree, where it is asked for a column; marshal writes its bytes."""

    column: Column[Any]


class _Excluded:
    """`excluded`: the row that an insert could not insert, by column or by the names of the table's columns."""

    def __getattr__(self, column: str) -> Expression[Any]:
        if column.startswith("__"):
            raise AttributeError(column)
        return name("excluded", column)

    def __getitem__(self, column: Column[T]) -> Expression[T]:
        if not isinstance(column, Column):
            raise ProgrammingError(
                f"excluded is asked by a {type_name(column)}",
                hint="give a column, excluded[Album.price], or its name, excluded.price",
            )
        source = ExcludedName(b"excluded")
        source.column = column
        return Expression((abi.CORM_NODE_NAME, source, column.column_name), column)


excluded = _Excluded()
"""The row that an insert could not insert, in on_conflict(): `excluded[Album.price]`, or by the names of the table's
columns `excluded.price`, whose type is not known.
"""


def name(source: str | None, column: str) -> Expression[Any]:
    """A column that no model describes: of a subquery or common table expression, or, without source, of the result."""
    if source is not None:
        text_argument("name()", "the name of a source", source)
    return Expression((abi.CORM_NODE_NAME, source, text_argument("name()", "the name of a column", column)))


def literal(value: T) -> Expression[T]:
    """A value as an expression, bound as all are, where one begins with it: literal("Dr. ").concat(Person.name)."""
    return Expression(operand(value), column_of(value))


class Parameter(Expression[Any]):
    """What param() gives."""

    __slots__ = ()

    @property
    def _name(self) -> str:
        name: str | ParameterName = self._node[1]
        return name.name if isinstance(name, ParameterName) else name


def param(name: str) -> Parameter:
    """A value that is given by name when the query runs: db.fetch_all(query, name=value); in in_() a list of values.

    It is encoded as a value is that stands in its place, and so stands only where that is done in one way.
    """
    return Parameter((abi.CORM_NODE_PARAMETER, text_argument("param()", "the name of a parameter", name)))


def raw(sql: str, *values: Any) -> Expression[Any]:
    """SQL as it is, with the values of its `?` in order; whole in itself, without an open quote or parenthesis."""
    return Expression((abi.CORM_NODE_RAW, str(sql), [plain_value(value) for value in bindings_of(sql, values)]))


@overload
def case(
    *cases: tuple[Any, Expression[T]], else_: Expression[T], base: Expression[Any] | None = None
) -> Expression[T]: ...
@overload
def case(
    *cases: tuple[Any, T | Expression[T]], else_: T | Expression[T], base: Expression[Any] | None = None
) -> Expression[T]: ...
@overload
def case(  # type: ignore[overload-cannot-match]  # the one before has it, but mypy finds no T there
    *cases: tuple[Any, T | Expression[T]], else_: Expression[T | None], base: Expression[Any] | None = None
) -> Expression[T | None]: ...
@overload
def case(
    *cases: tuple[Any, Expression[T]], else_: None = None, base: Expression[Any] | None = None
) -> Expression[T | None]: ...
@overload
def case(
    *cases: tuple[Any, T | Expression[T]], else_: None = None, base: Expression[Any] | None = None
) -> Expression[T | None]: ...
def case(*cases: tuple[Any, Any], else_: Any = None, base: Expression[Any] | None = None) -> Expression[Any]:
    """The value beside the first condition that holds, else else_ or NULL: case((Person.age < 18, "child"),
    else_="adult").

    base: what is compared with values in place of conditions: case((1, "one"), (2, "two"), base=Person.age).
    """
    for item in cases:
        if not isinstance(item, tuple) or len(item) != 2:
            raise ProgrammingError("a case is no pair", hint="write case((condition, value), ..., else_=value)")
    # Of a parameter that is compared the others say what it is.
    known = _known_beside(base, [item for item, _ in cases]) if is_parameter(base) else base
    when: Callable[[Any], Node] = condition_node if known is None else known._beside
    compared = None if base is None or known is None else base._node if known is base else known._beside(base)
    column = column_of(*(value for _, value in cases), else_)
    pairs = [(when(item), value_node(value, column)) for item, value in cases]
    otherwise = None if else_ is None else value_node(else_, column)
    return Expression((abi.CORM_NODE_CASE, compared, pairs, otherwise), column)


def _known_beside(base: Parameter, items: list[Any]) -> Expression[Any]:
    """What says how the value of a parameter is encoded that is compared with these; the parameter where none does."""
    known = [item for item in items if isinstance(item, Expression) and not is_parameter(item)]
    for item in known[1:]:
        if beside(known[0]).differs(beside(item)):
            raise ProgrammingError(
                f"parameter {base._name!r} is compared with {beside(known[0])!r} and {beside(item)!r}, which encode "
                "their values differently",
                hint="write conditions without a base, each with a parameter of its own",
            )
    return known[0] if known else base


@overload
def all_of(*conditions: PresentCondition) -> Expression[bool]: ...
@overload
def all_of(*conditions: Condition) -> Expression[bool | None]: ...
def all_of(*conditions: Expression[Any]) -> Expression[Any]:
    """All of the conditions; true without any."""
    return Expression((abi.CORM_NODE_ALL, [condition_node(item) for item in conditions]), TRUTHS)


@overload
def any_of(*conditions: PresentCondition) -> Expression[bool]: ...
@overload
def any_of(*conditions: Condition) -> Expression[bool | None]: ...
def any_of(*conditions: Expression[Any]) -> Expression[Any]:
    """Any of the conditions; false without any."""
    return Expression((abi.CORM_NODE_ANY, [condition_node(item) for item in conditions]), TRUTHS)


def exists(query: Query[Any]) -> Expression[bool]:
    """Whether the query has a row."""
    return Expression((abi.CORM_NODE_EXISTS, query._tree()), TRUTHS)


def scalar(query: Query[tuple[T]]) -> Expression[T | None]:
    """The value of a query with one column: its first row's, or NULL."""
    tree = query._tree()
    columns = query._shape.columns if isinstance(query._shape, TupleShape) else ()
    column = columns[0] if columns else None
    return Expression((abi.CORM_NODE_SELECT, tree), column._column if isinstance(column, Expression) else None)
