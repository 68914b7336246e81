"""Queries as values: which records or columns, from where, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, overload

from ._elsewhere import OF_SELECT, no_attribute
from ._model_info import ModelInfo
from ._native import abi
from ._native.expression import Node
from ._native.handle import ModelHandle
from ._operand import condition_node, encode_values, operand, term_nodes
from ._shape import RecordPart, TupleShape
from ._source import SourceName
from ._text_option import refuse_no_text, text_argument
from .alias import Alias, source_of
from .error import ProgrammingError
from .expression import Expression
from .relation import Path, Route, ToMany
from .statement import Query
from .subquery import CommonTable, Subquery, columns_of
from .value import PLAIN

if TYPE_CHECKING:
    from typing_extensions import Self

    from .model import Model

M = TypeVar("M", bound="Model")
R_co = TypeVar("R_co", covariant=True)
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")
G = TypeVar("G")
H = TypeVar("H")
K = TypeVar("K")
L = TypeVar("L")

# What select() takes: an expression, which gives its value, or a model, which gives its record.
Part: TypeAlias = "Expression[A] | type[A]"

# Nodes that begin with a model and its alias.
_OF_MODEL = (
    abi.CORM_NODE_COLUMN,
    abi.CORM_NODE_PATH,
    abi.CORM_NODE_RELATED,
    abi.CORM_NODE_IS_RELATED,
    abi.CORM_NODE_IS_RELATED_IN,
    abi.CORM_NODE_AGGREGATE,
)
# Nodes with a query of its own at the end, and with values there.
_CLOSED = (
    abi.CORM_NODE_SELECT,
    abi.CORM_NODE_EXISTS,
    abi.CORM_NODE_IN_SELECT,
    abi.CORM_NODE_IN,
    abi.CORM_NODE_RAW,
)


class Select(Query[R_co]):
    """A query, made by select(). It never changes: each method gives another one, and any of them can be kept."""

    _order: tuple[Expression[Any], ...] = ()
    # What to write instead of a query that stands where a model or a record is wanted.
    _if_no_model = "fetch_one(query) and fetch_all(query) read its rows, execute(delete(Model).where(...)) deletes them"

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise no_attribute(self, name, OF_SELECT)

        def __getitem__(self, place):
            # Not __iter__, which would make it an Iterable: a loop asks for items, too.
            raise TypeError(
                "a query holds no rows: fetch_all(query) of the database gives them, cursor(query) one by one; "
                "limit() and offset() say which"
            )

    def where(self, *conditions: Expression[bool | None]) -> Self:
        """Only rows that meet all conditions, and those given before."""
        return self._clause(abi.CORM_CLAUSE_WHERE, map(condition_node, conditions))

    def group_by(self, *terms: Expression[Any] | str) -> Self:
        """One row for each combination of the terms' values. A str is a label or a property, as in order_by()."""
        named = (self._term(term) if isinstance(term, str) else term for term in terms)
        return self._clause(abi.CORM_CLAUSE_GROUP_BY, term_nodes(named, "group_by()"))

    def having(self, *conditions: Expression[bool | None]) -> Self:
        """Only groups that meet all conditions."""
        return self._clause(abi.CORM_CLAUSE_HAVING, map(condition_node, conditions))

    def order_by(self, *terms: Expression[Any] | str) -> Self:
        """Sorted by the terms, and by those given before. A str is a label or a property; a leading "-" descends."""
        order = tuple(self._term(term) if isinstance(term, str) else term for term in terms)
        select = self._clause(abi.CORM_CLAUSE_ORDER_BY, term_nodes(order, "order_by()"))
        select._order = self._order + order
        return select

    def limit(self, count: int | Expression[int]) -> Self:
        """At most so many rows."""
        return self._clause(abi.CORM_CLAUSE_LIMIT, [_count(count)])

    def offset(self, count: int | Expression[int]) -> Self:
        """Without the first rows. Paging by after() stays right and fast where rows come and go."""
        return self._clause(abi.CORM_CLAUSE_OFFSET, [_count(count)])

    def after(self, last: Model | Sequence[Any]) -> Self:
        """The rows that follow a record, or the one with these values of the order terms.

        The order must make rows unique: add the key as its last term.
        """
        is_record = hasattr(type(last), "__model__")
        values: Any = [_value_of(last, term, self._alias) for term in self._order] if is_record else last
        if len(values) != len(self._order):
            raise ProgrammingError(
                f"{len(values)} values are given, but the order has {len(self._order)} terms",
                hint="say order_by() first, and give after() a value of each of its terms",
            )
        items = [encode_values(term, [value])[0] for term, value in zip(self._order, values)]
        return self._with((abi.CORM_PART_AFTER, items))

    def load(
        self,
        *relations: type[Model] | ToMany[Any] | Route[Any],
        where: Expression[bool | None] | None = None,
        order_by: Expression[Any] | str | Sequence[Expression[Any] | str] = (),
        limit: int | None = None,
    ) -> Self:
        """With related records of what is fetched, as Database.load() takes them: select(Artist).load(Artist.albums /
        Album.tracks), select(Artist).load(Artist.albums, order_by="-year", limit=1). fetch_all(), fetch_one() and one()
        read all of it from one snapshot.
        """
        if not isinstance(self._shape, ModelInfo):
            raise ProgrammingError(
                "load() is said of a query that gives no records of one model alone",
                hint="fetch the rows, and load() the relations of their records with the database",
            )
        if not relations:
            raise ProgrammingError("no relation to load", hint="give one, such as Artist.albums")
        terms = (order_by,) if isinstance(order_by, Expression | str) else tuple(order_by)
        if where is None and not terms and limit is None:
            # Those of several calls, of which levels in common are loaded once.
            plain = tuple(item for items, options in self._loads if not options for item in items)
            ordered = tuple(item for item in self._loads if item[1])
            return self._with(_loads=(((*plain, *relations), {}), *ordered))
        return self._with(_loads=(*self._loads, (relations, {"where": where, "order_by": terms, "limit": limit})))

    def distinct(self) -> Self:
        """Without rows that are there already."""
        return self._with((abi.CORM_PART_DISTINCT,))

    # --- Sources ---

    def subquery(self, name: str | None = None) -> Subquery[R_co]:
        """The query as a table of others, under this name, or one that each statement makes: t = query.subquery("t"),
        with columns t.c.total.
        """
        return Subquery(name, self._tree(), columns_of(self))

    def cte(self, name: str | None = None) -> CommonTable[R_co]:
        """The query as a common table expression: the statements that read from it have it in their WITH, once. Without
        a name each makes one.
        """
        return CommonTable(name, self._tree(), columns_of(self))

    def from_(self, source: type[Model] | Query[Any] | Subquery[Any] | str, *, as_: str | None = None) -> Self:
        """Reads from a model, a subquery, a query or, by its name, a common table expression. as_: what the query calls
        it.
        """
        node, info, alias = source_node(source, as_)
        return self._with((abi.CORM_PART_FROM, node), _info=info, _alias=alias)

    def join(
        self,
        target: type[Model] | ToMany[Any] | Query[Any] | Subquery[Any] | str,
        on: Expression[bool | None] | None = None,
        *,
        left: bool = False,
        right: bool = False,
        full: bool = False,
        as_: type[Model] | str | None = None,
    ) -> Self:
        """Joins a model, a subquery, a query or a common table by its name on a condition; without one the target of a
        relation, or a table function.

        left: keeps rows without a match; right: those of the target; full: both (SQLite has these from 3.39 on). as_:
        what the query calls the target, as a name or an alias of its model.
        """
        if left + right + full > 1:
            raise ProgrammingError("a join is of two kinds", hint="say one of left, right and full")
        kind = (
            abi.CORM_JOIN_LEFT
            if left
            else abi.CORM_JOIN_RIGHT
            if right
            else abi.CORM_JOIN_FULL
            if full
            else abi.CORM_JOIN_INNER
        )
        name = as_.__alias__[1] if isinstance(as_, Alias) else cast("str | None", as_)
        refuse_no_text("join()", "as_", name)
        if isinstance(target, Path | ToMany):
            if on is not None:
                raise ProgrammingError(f"{target!r} is joined on a condition", hint="join its model, or leave `on` out")
            relation = target._relation() if isinstance(target, Path) else target
            relation._target()
            owner = relation._alias or relation._owner.__model__.table
            return self._with((abi.CORM_PART_JOIN_RELATION, kind, owner, relation.name, name))
        condition = None if on is None else condition_node(on)
        return self._with((abi.CORM_PART_JOIN, kind, source_node(target, name)[0], condition))

    def cross_join(self, target: type[Model] | Query[Any] | Subquery[Any] | str, *, as_: str | None = None) -> Self:
        """Joins every row of a model, a query or a common table expression to every row."""
        return self._with((abi.CORM_PART_JOIN, abi.CORM_JOIN_CROSS, source_node(target, as_)[0], None))

    def with_(self, name: str, query: Query[Any], columns: Sequence[str] = ()) -> Self:
        """With a common table expression; it is recursive where it reads from its own name.

        columns: what it calls the query's columns; theirs otherwise.
        """
        return self._with(
            (
                abi.CORM_PART_WITH,
                text_argument("with_()", "the name of a common table", name),
                list(columns),
                query._tree(),
            )
        )

    # --- Combinations; order, limit and offset are those of the whole ---

    def union(self, other: Query[R_co]) -> Self:
        """These rows and those of the other query, each once."""
        return self._with((abi.CORM_PART_COMPOUND, abi.CORM_UNION, other._tree()))

    def union_all(self, other: Query[R_co]) -> Self:
        """These rows and those of the other query."""
        return self._with((abi.CORM_PART_COMPOUND, abi.CORM_UNION_ALL, other._tree()))

    def intersect(self, other: Query[Any]) -> Self:
        """The rows that the other query has too."""
        return self._with((abi.CORM_PART_COMPOUND, abi.CORM_INTERSECT, other._tree()))

    def except_(self, other: Query[Any]) -> Self:
        """The rows that the other query has not."""
        return self._with((abi.CORM_PART_COMPOUND, abi.CORM_EXCEPT, other._tree()))

    # --- Making parts ---

    def _clause(self, clause: int, nodes: Any) -> Self:
        return self._with(*[(abi.CORM_PART_CLAUSE, clause, node) for node in nodes])

    def _term(self, text: str) -> Expression[Any]:
        """An order term by its name."""
        name = text.removeprefix("-")
        info = self._info
        if info is None or (isinstance(self._shape, TupleShape) and name in self._shape.labels()):
            term: Expression[Any] = Expression((abi.CORM_NODE_NAME, None, name))
        else:
            column = next((item for item in info.columns if item.name == name), None)
            term = Expression((abi.CORM_NODE_COLUMN, info.handle, self._alias, name), column)
        return term.desc() if text.startswith("-") else term


@overload
def select(model: type[M], /) -> Select[M]: ...
@overload
def select(a: Expression[A], /) -> Select[tuple[A]]: ...
@overload
def select(a: Part[A], b: Part[B], /) -> Select[tuple[A, B]]: ...
@overload
def select(a: Part[A], b: Part[B], c: Part[C], /) -> Select[tuple[A, B, C]]: ...
@overload
def select(a: Part[A], b: Part[B], c: Part[C], d: Part[D], /) -> Select[tuple[A, B, C, D]]: ...
@overload
def select(a: Part[A], b: Part[B], c: Part[C], d: Part[D], e: Part[E], /) -> Select[tuple[A, B, C, D, E]]: ...
@overload
def select(
    a: Part[A], b: Part[B], c: Part[C], d: Part[D], e: Part[E], f: Part[F], /
) -> Select[tuple[A, B, C, D, E, F]]: ...
@overload
def select(
    a: Part[A], b: Part[B], c: Part[C], d: Part[D], e: Part[E], f: Part[F], g: Part[G], /
) -> Select[tuple[A, B, C, D, E, F, G]]: ...
@overload
def select(
    a: Part[A], b: Part[B], c: Part[C], d: Part[D], e: Part[E], f: Part[F], g: Part[G], h: Part[H], /
) -> Select[tuple[A, B, C, D, E, F, G, H]]: ...
@overload
def select(
    a: Part[A], b: Part[B], c: Part[C], d: Part[D], e: Part[E], f: Part[F], g: Part[G], h: Part[H], i: Part[K], /
) -> Select[tuple[A, B, C, D, E, F, G, H, K]]: ...
@overload
def select(
    a: Part[A],
    b: Part[B],
    c: Part[C],
    d: Part[D],
    e: Part[E],
    f: Part[F],
    g: Part[G],
    h: Part[H],
    i: Part[K],
    j: Part[L],
    /,
) -> Select[tuple[A, B, C, D, E, F, G, H, K, L]]: ...
@overload
def select(
    a: Part[Any],
    b: Part[Any],
    c: Part[Any],
    d: Part[Any],
    e: Part[Any],
    f: Part[Any],
    g: Part[Any],
    h: Part[Any],
    i: Part[Any],
    j: Part[Any],
    k: Part[Any],
    /,
    *more: Part[Any],
) -> Select[tuple[Any, ...]]: ...
@overload
def select() -> Select[tuple[Any, ...]]: ...
def select(*columns: Any) -> Select[Any]:
    """A query: select(Person) of whole records, select(Person.name, Person.age) of tuples, select(Order, Customer) and
    select(Customer, func.count()) of tuples with records in them; optional() where an outer join may find none.

    It reads from the model or subquery of its first column, unless from_() says otherwise; select() alone takes every
    column of what from_() names.
    """
    if len(columns) == 1 and not isinstance(columns[0], Expression | _Optional):
        info, alias = source_of(columns[0])
        return Select(abi.CORM_SELECT, info, alias, (), info)
    shown = [_part(column) for column in columns]
    nodes = [node for part in shown for node in (part.nodes if isinstance(part, RecordPart) else [operand(part)])]
    parts: tuple[Node, ...] = tuple((abi.CORM_PART_CLAUSE, abi.CORM_CLAUSE_COLUMN, node) for node in nodes)
    first, alias = next(filter(None, map(_first_source, nodes)), (None, None))
    if isinstance(first, SourceName):
        parts += ((abi.CORM_PART_FROM, first.source._source()),)
        return Select(abi.CORM_SELECT, None, None, parts, TupleShape(shown))
    return Select(abi.CORM_SELECT, first.info if first else None, alias, parts, TupleShape(shown))


def optional(model: type[M]) -> Expression[M | None]:
    """A model's records beside others in select(), None where a left join found none.

    select(Customer, optional(Order)).join(Customer.orders, left=True)
    """
    source_of(model)
    return cast("Expression[M | None]", _Optional(model))


class _Optional:
    """What optional() gives; for type checkers it is an expression."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __repr__(self) -> str:
        return f"optional({self._model!r})"


def _part(column: Any) -> Any:
    """A part of the rows: an expression, or a record."""
    if isinstance(column, _Optional):
        return RecordPart(*source_of(column._model), True)
    if isinstance(column, Alias) or (isinstance(column, type) and hasattr(column, "__model__")):
        return RecordPart(*source_of(column), False)
    if type(column) in PLAIN:
        raise TypeError(f"select() is given {column!r}, not a column: write Person.name, or literal({column!r})")
    return column


def _first_source(node: Node) -> tuple[ModelHandle | SourceName, str | None] | None:
    """The model, with its alias, or the subquery of the first column in an expression."""
    pending: list[Any] = [node]
    while pending:
        item = pending.pop()
        # A list is of nodes, or of values that could be taken for what a node begins with.
        if isinstance(item, tuple) and item[0] in _OF_MODEL:
            return item[1], item[2]
        if isinstance(item, tuple) and item[0] == abi.CORM_NODE_NAME and isinstance(item[1], SourceName):
            return item[1], None
        inside = item[1:-1] if isinstance(item, tuple) and item[0] in _CLOSED else item
        pending += [part for part in reversed(inside) if isinstance(part, tuple | list) and part]
    return None


def source_node(source: Any, name: str | None) -> tuple[Node, Any, str | None]:
    """A source as tree.h has it; its model and what the query calls that."""
    refuse_no_text("the source", "as_", name)
    if isinstance(source, str):
        return (None, None, source, name), None, None
    if isinstance(source, Query):
        return (None, source._tree(), None, name), None, None
    if isinstance(source, Subquery):
        if name is not None:
            raise ProgrammingError(f"{source!r} has a name already", hint=f'read it twice as t.alias("{name}")')
        return source._source(), None, None
    info, alias = source_of(source)
    alias = alias or name
    return (info.handle, None, None, alias), info, alias


def _count(count: int | Expression[int]) -> Node:
    node = operand(count)
    if node[0] == abi.CORM_NODE_VALUE and (not isinstance(node[1], int) or node[1] < 0):
        found = "below 0" if isinstance(count, int) else repr(count)
        raise ProgrammingError(f"limit or offset is {found}", hint="give an int of 0 or more")
    return node


def _value_of(record: Any, term: Expression[Any], alias: str | None) -> Any:
    """A record's value of an order term. alias: what the query calls its model."""
    node = term._node
    while node[0] in (abi.CORM_NODE_ORDER, abi.CORM_NODE_COLLATE):
        node = node[1]
    if node[0] != abi.CORM_NODE_COLUMN or node[2] != alias or not _is_of(record, node[1].info):
        raise ProgrammingError(
            "the order has a term that is no property of the record", hint="give after() the values of the terms"
        )
    # A class of a table of several lacks what its rows have as NULL.
    return getattr(record, node[3]) if node[3] in type(record).__fields__ else None


def _is_of(record: Any, info: ModelInfo) -> bool:
    return isinstance(record, info._cls) and record.__model__.table == info.table
