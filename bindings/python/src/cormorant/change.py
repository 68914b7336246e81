"""UPDATE, DELETE and INSERT by expressions, as values."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

from ._model_info import ModelInfo, info_of
from ._native import abi
from ._native.expression import Node
from ._operand import condition_node, operand, value_node
from ._parameter import made_parameter
from ._shape import TupleShape
from ._text_option import text_argument
from ._write import Conflict, Property, conflict_number, property_names
from .column import MISSING
from .error import ProgrammingError
from .expression import Expression
from .function import ExcludedName, Parameter
from .model import Model
from .relation import Path, ToOne
from .select import source_node
from .statement import Query, Statement
from .subquery import Subquery
from .value import type_name

if TYPE_CHECKING:
    from typing_extensions import Self

M = TypeVar("M", bound=Model)
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

Values: TypeAlias = Mapping[Any, Any]
"""Values or expressions by property: its column, which type checkers know, {Person.age: 3}, or its name. A relation to
one has a record, {Album.artist: pia}.
"""


class Change(Statement, Generic[M]):
    """A statement that writes: Database.execute() runs it, and fetch_all() where it is returning()."""

    _info: ModelInfo

    def with_(self, name: str, query: Query[Any], columns: Sequence[str] = ()) -> Self:
        """With a common table expression, as Select.with_."""
        return self._with(
            (
                abi.CORM_PART_WITH,
                text_argument("with_()", "the name of a common table", name),
                list(columns),
                query._tree(),
            )
        )

    @overload
    def returning(self) -> Query[M]: ...
    @overload
    def returning(self, a: Expression[A], /) -> Query[tuple[A]]: ...
    @overload
    def returning(self, a: Expression[A], b: Expression[B], /) -> Query[tuple[A, B]]: ...
    @overload
    def returning(self, a: Expression[A], b: Expression[B], c: Expression[C], /) -> Query[tuple[A, B, C]]: ...
    @overload
    def returning(
        self, a: Expression[A], b: Expression[B], c: Expression[C], d: Expression[D], /
    ) -> Query[tuple[A, B, C, D]]: ...
    @overload
    def returning(
        self,
        a: Expression[Any],
        b: Expression[Any],
        c: Expression[Any],
        d: Expression[Any],
        e: Expression[Any],
        /,
        *more: Expression[Any],
    ) -> Query[tuple[Any, ...]]: ...
    def returning(self, *columns: Expression[Any]) -> Query[Any]:
        """The rows that were written, as tuples of the columns or, without any, as records. Say it last."""
        shape = TupleShape(columns) if columns else self._info
        nodes = [operand(column) for column in columns or self._info.columns]
        parts = tuple((abi.CORM_PART_CLAUSE, abi.CORM_CLAUSE_RETURNING, node) for node in nodes)
        return Query(self._kind, self._info, None, (*self._tree()[3], *parts), shape)

    def _assignments(self, part: int, values: Values | None, named: dict[str, Any]) -> list[Node]:
        if values is None:
            values = named
        elif named:
            raise ProgrammingError("a dict of values and values beside it", hint="put all of them into the dict")
        elif not isinstance(values, Mapping):
            hint = f"give a dict by column, {{{self._info.name}.{self._info.columns[0].name}: value}}, or keywords"
            raise ProgrammingError(f"the values are a {type_name(values)}", hint=hint)
        return [(part, name, node) for name, node in _pairs(self._info, values)]

    def _where(self, conditions: tuple[Any, ...]) -> Self:
        nodes = map(condition_node, conditions)
        return self._with(*[(abi.CORM_PART_CLAUSE, abi.CORM_CLAUSE_WHERE, node) for node in nodes])

    def _or(self, policy: Conflict) -> Self:
        return self._with((abi.CORM_PART_CONFLICT, conflict_number(policy)))


class Update(Change[M]):
    """An UPDATE, made by update(). It never changes: each method gives another one."""

    def set(self, values: Values | None = None, /, **named: Any) -> Self:
        """Sets properties to values or expressions, by column as type checkers see: set({Person.age: Person.age + 1}),
        or by name: set(age=Person.age + 1). A relation to one is set to a record.
        """
        return self._with(*self._assignments(abi.CORM_PART_SET, values, named))

    def where(self, *conditions: Expression[bool | None]) -> Self:
        """Only rows that meet all conditions, and those given before."""
        return self._where(conditions)

    def from_(self, source: type[Model] | Query[Any] | Subquery[Any] | str, *, as_: str | None = None) -> Self:
        """Reads from another source besides: update(Person).from_(t).set(age=t.c.age).where(Person.id == t.c.id).

        The conditions say which rows belong together; where several do, one of them is taken. as_: what the statement
        calls the source.
        """
        return self._with((abi.CORM_PART_FROM, source_node(source, as_)[0]))

    def or_(self, policy: Conflict) -> Self:
        """What happens to a row that a constraint refuses: UPDATE OR IGNORE and so on."""
        return self._or(policy)


class Delete(Change[M]):
    """A DELETE, made by delete(). It never changes: each method gives another one."""

    def where(self, *conditions: Expression[bool | None]) -> Self:
        """Only rows that meet all conditions, and those given before."""
        return self._where(conditions)


class Insert(Change[M]):
    """An INSERT, made by insert(). It never changes: each method gives another one."""

    def values(self, rows: Values | Iterable[Values] | None = None, /, **named: Any) -> Self:
        """One row with these values or expressions; without any, one of defaults. Or rows, each a dict, in one
        statement: insert(Counter).values([{"word": "sea", "number": 2}, {"word": "sky", "number": 1}]). By column, as
        type checkers see, {Counter.word: "sea"}, or by name.

        Rows of several calls are added up. One that a row leaves out is its default, or what its default_factory gives
        each time that the statement runs. One with neither, or whose default is None, all rows set or none: left out,
        it is the table's default (default_sql), or NULL. The time of a row's last write is the library's. One
        statement takes as many values as its database does, of SQLite 32,766 as a rule, of PostgreSQL 7,498; more are
        an error, and nothing is inserted. insert_many() of records knows no limit.
        """
        if rows is None or isinstance(rows, Mapping):
            return self._with(*self._assignments(abi.CORM_PART_SET, rows, named))
        if named:
            raise ProgrammingError("rows of values and values beside them", hint="put all of them into the rows")
        if isinstance(rows, str | bytes) or not isinstance(rows, Iterable):
            raise ProgrammingError(f"the rows are one {type_name(rows)}", hint="give a list of dicts")
        parts = [_row(row, self._info, index) for index, row in enumerate(rows)]
        if not parts:
            raise ProgrammingError("there are no rows to insert", hint="give at least one, or run no statement")
        return self._with(*parts)

    def from_select(self, properties: Property | Sequence[Property], query: Query[Any]) -> Self:
        """The rows of a query, its columns for these properties in order; others are the table's default, else NULL,
        and the times of creation and of the last write the library's.
        """
        return self._with((abi.CORM_PART_SELECT, self._names(properties), query._tree()))

    def or_(self, policy: Conflict) -> Self:
        """What happens to a row that a constraint refuses: INSERT OR REPLACE and so on."""
        return self._or(policy)

    def on_conflict(self, properties: Property | Sequence[Property] = ()) -> OnConflict[M]:
        """When a row with the same values of these properties, a key or unique, is there already; none: any key.

        What then happens is said next, by do_nothing() or do_update().
        """
        return OnConflict(self, self._names(properties))

    def _names(self, properties: Property | Sequence[Property]) -> list[str]:
        return list(property_names(self._info._cls, properties))

    def _tree(self) -> Node:
        # Defaults are made of all that was said, and only those that are needed are encoded.
        kind, handle, alias, parts = super()._tree()
        return kind, handle, alias, _with_defaults(self._info, parts)


def _pairs(info: ModelInfo, values: Values) -> list[tuple[str, Node]]:
    """Properties, and the nodes of what they are set to; for a relation to one the properties of its foreign key."""
    columns: dict[str, Any] = {column.name: column for column in info.columns}
    pairs: list[tuple[str, Node]] = []
    for key, value in values.items():
        name = key if isinstance(key, str) else _name(info, key)
        if (column := columns.get(name)) is not None:
            pairs.append((name, column._beside(value)))
        elif (link := info.relations.get(name)) is None:
            pairs.append((name, operand(value)))
        elif isinstance(link, ToOne):
            pairs += [(key, columns[key]._beside(item)) for key, item in link._values(value).items()]
        else:
            raise ProgrammingError(
                f"{link!r} leads to many records, of which no column here says anything",
                hint="change those, or the rows of the junction",
            )
    return pairs


def _name(info: ModelInfo, key: Any) -> str:
    """The property that a column is, or a relation to one."""
    if isinstance(key, Path):
        link = key._steps[0]
        if len(key._steps) == 1 and link._alias is None and issubclass(info._cls, link._owner):
            return link.name
        raise ProgrammingError(
            f"{key!r} is no relation of {info.name} itself", hint="set its own columns and relations to one"
        )
    return property_names(info._cls, key)[0]


def _with_defaults(info: ModelInfo, parts: list[Node]) -> list[Node]:
    """The parts of an INSERT, and what its rows leave out."""
    kinds = {part[0] for part in parts}
    if not info.defaults or abi.CORM_PART_SELECT in kinds:
        return parts
    if abi.CORM_PART_VALUES not in kinds:
        given = {part[1] for part in parts if part[0] == abi.CORM_PART_SET}
        return parts + [(abi.CORM_PART_SET, *pair) for pair in _left_out(info, given, "")]
    rows = [part for part in parts if part[0] == abi.CORM_PART_VALUES]
    filled: list[Node] = []
    for number, (part, names, nodes) in enumerate(rows):
        pairs = list(_left_out(info, names, f" in row {number}"))
        filled.append((part, names + [name for name, _ in pairs], nodes + [node for _, node in pairs]))
    return [part for part in parts if part[0] != abi.CORM_PART_VALUES] + filled


def _left_out(info: ModelInfo, given: Container[str], where: str) -> Iterator[tuple[str, Node]]:
    """The properties that a row leaves out, and the nodes of their defaults; what a factory gives is a parameter.

    given: what the row sets. where: which row it is.
    """
    for column, default, factory in info.defaults:
        if column.name in given:
            continue
        if factory is MISSING:
            yield column.name, column._beside(default)
            continue
        made = Parameter(made_parameter(f"the default of {column.name}{where}", factory))
        default_sql = column._options.get("default_sql")
        if default_sql is None or not column.nullable:
            yield column.name, column._beside(made)
        else:
            # None of a record is that, too.
            nodes = [value_node(made, column), (abi.CORM_NODE_RAW, f"({default_sql})", [])]
            yield column.name, (abi.CORM_NODE_CALL, "coalesce", nodes, False, None, None)


def _row(row: Any, info: ModelInfo, index: int) -> Node:
    if not isinstance(row, Mapping):
        hint = "give a dict of its values by property"
        if hasattr(type(row), "__model__"):
            hint += "; records are inserted by Database.insert_many()"
        raise ProgrammingError(f"row {index} is a {type_name(row)}", hint=hint)
    pairs = _pairs(info, row)
    return abi.CORM_PART_VALUES, [name for name, _ in pairs], [node for _, node in pairs]


class OnConflict(Generic[M]):
    """What an insert does with a row that is there already: a statement once do_nothing() or do_update() is said."""

    def __init__(self, insert: Insert[M], properties: list[str]) -> None:
        self._insert = insert._with((abi.CORM_PART_UPSERT, properties))

    def do_nothing(self) -> Insert[M]:
        """Leaves it as it is."""
        return self._insert

    def do_update(self, values: Values | None = None, /, **named: Any) -> Insert[M]:
        """Sets its properties, as Update.set() does; excluded[Person.name] is what the new row has:
        do_update({Person.name: excluded[Person.name]}) or do_update(name=excluded.name).
        """
        parts = self._insert._assignments(abi.CORM_PART_UPSERT_SET, values, named)
        if not parts:
            raise ProgrammingError("do_update() sets nothing", hint="give it values, or say do_nothing()")
        pending: list[Any] = [node for _, _, node in parts]
        while pending:
            item = pending.pop()
            if isinstance(item, ExcludedName):
                property_names(self._insert._info._cls, item.column)
            elif isinstance(item, tuple | list):
                pending += item
        return self._insert._with(*parts)


def update(model: type[M]) -> Update[M]:
    """An UPDATE of a model's rows: update(Person).set({Person.age: Person.age + 1}).where(Person.name == "Ann")."""
    return Update(abi.CORM_UPDATE, info_of(model), None)


def delete(model: type[M]) -> Delete[M]:
    """A DELETE of a model's rows; without where(), of all."""
    return Delete(abi.CORM_DELETE, info_of(model), None)


def insert(model: type[M]) -> Insert[M]:
    """An INSERT into a model's table by expressions; Database.insert() takes records."""
    return Insert(abi.CORM_INSERT, info_of(model), None)
