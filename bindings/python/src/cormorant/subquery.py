"""Subqueries and common tables as objects, and table-valued functions: what a query reads from besides models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, cast, overload

from ._model_info import ModelInfo
from ._native import abi
from ._native.expression import Node
from ._operand import operand
from ._shape import RecordPart
from ._sharing import share
from ._source import SourceName, Unnamed, fold_name
from ._text_option import text_argument
from .column import Column
from .error import ProgrammingError
from .expression import Expression
from .value import type_name

if TYPE_CHECKING:
    from typing_extensions import Self

    from .statement import Query

T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)


class Subquery(Generic[R_co]):
    """A query as a table of other queries, made by Select.subquery(). It never changes.

    t = select(Order.customer_id, func.max(Order.date).label("date")).group_by(Order.customer_id).subquery("t")
    select(Customer.name, t.c.date).join(t, t.c.customer_id == Customer.id)
    """

    # What a WITH defines; None where it stands in FROM itself.
    _table: CommonTable[Any] | None = None

    def __init__(self, name: str | None, node: Node | None, columns: _Found | None) -> None:
        if name is None:
            name = Unnamed.make()
        if not isinstance(name, str) or not name:
            raise ProgrammingError(f"the name of a subquery is {name!r}", hint="give a str")
        self.name = name
        self._node = node
        self._found = columns
        self._mark = SourceName.of(self, name)
        self._columns = Columns(self)
        share(self)

    @property
    def c(self) -> Columns:
        """Its columns."""
        return self._columns

    def alias(self, name: str) -> Subquery[R_co]:
        """The same under another name, to read it twice in one query."""
        other: Subquery[R_co] = Subquery(name, self._node, self._found)
        other._table = self._table
        return other

    def _source(self) -> Node:
        """What it is in FROM, as tree.h has it."""
        if self._table is not None:
            return None, None, self._table._mark, self._mark
        return None, self._node, None, self._mark

    def _tree(self) -> Node:
        raise ProgrammingError(
            f"the subquery {self.name} stands where a query is wanted",
            hint="select of it, such as select(t.c.name)",
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a subquery cannot be pickled: it refers to models of this process")

    # It never changes, so its copy is itself.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


class CommonTable(Subquery[R_co]):
    """A query in the WITH of the statement that reads from it, made by Select.cte(). The statement gets the WITH by
    itself, once, wherever in it the table stands.

    It is recursive by union_all() of a query that reads from it:

    line = select(Employee.id, literal(0).label("level")).where(Employee.id == 1).cte("line")
    line = line.union_all(select(Employee.id, line.c.level + 1).join(line, Employee.boss_id == line.c.id))
    """

    def __init__(
        self, name: str | None, node: Node, columns: _Found | None, extends: CommonTable[Any] | None = None
    ) -> None:
        self._query = node
        self._extends = extends
        self._root: object = extends._root if extends else object()
        self._table = self
        super().__init__(name, node, columns)

    def union_all(self, query: Query[Any]) -> CommonTable[R_co]:
        """The table with the rows of another query; it is recursive where that reads from this one."""
        return self._combined(abi.CORM_UNION_ALL, query)

    def union(self, query: Query[Any]) -> CommonTable[R_co]:
        """The same with each row once, which ends where rows go in a circle."""
        return self._combined(abi.CORM_UNION, query)

    def _combined(self, operation: int, query: Query[Any]) -> CommonTable[R_co]:
        kind, model, alias, parts = self._query
        tree = (kind, model, alias, [*parts, (abi.CORM_PART_COMPOUND, operation, query._tree())])
        return CommonTable(self.name, tree, self._found, self)

    def _definition(self) -> Node:
        return abi.CORM_PART_WITH, self._mark, [], self._query

    def _goes_on_from(self, other: CommonTable[Any]) -> bool:
        """Whether it is the other with more rows."""
        table: CommonTable[Any] | None = self._extends
        while table is not None and table is not other:
            table = table._extends
        return table is not None


class Columns:
    """The columns of a subquery: `t.c.total` or `t.c["total"]` by name, and by what it selects, which has a type:
    `t.c[expression]`.
    """

    __slots__ = ("_source",)

    def __init__(self, source: Subquery[Any]) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Expression[Any]:
        if name.startswith("__"):
            raise AttributeError(f"the columns of a subquery have no attribute {name!r}", name=name, obj=self)
        try:
            return self[name]
        except ProgrammingError as error:
            raise AttributeError(str(error), name=name, obj=self) from None

    @overload
    def __getitem__(self, column: str) -> Expression[Any]: ...
    @overload
    def __getitem__(self, column: Expression[T]) -> Expression[T]: ...
    def __getitem__(self, column: str | Expression[Any]) -> Expression[Any]:
        source = self._source
        found = source._found
        if isinstance(column, Expression):
            return self._made(*_by_expression(source, found, column))
        if not isinstance(column, str):
            raise ProgrammingError(
                f"a column of {source.name} is asked by a {type_name(column)}",
                hint="give its name, or what is selected",
            )
        if found is None:
            return self._made(column, None)
        item = found.by_name.get(column)
        if item is None:
            raise _unknown(source, found, column)
        if item is _TWICE:
            raise ProgrammingError(
                f"{source.name} has two columns {column!r}", hint="name one of them with label() where it is selected"
            )
        return self._made(*item)

    def __iter__(self) -> Iterator[Expression[Any]]:
        found = self._source._found
        if found is None or None in found.names:
            raise ProgrammingError(
                f"not all columns of {self._source.name} are known by a name",
                hint="name each with label() where it is selected",
            )
        return iter([self[cast("str", name)] for name in found.names])

    def __dir__(self) -> list[str]:
        found = self._source._found
        return sorted(found.by_name) if found else []

    def __repr__(self) -> str:
        return f"<columns of {self._source.name}: {', '.join(dir(self))}>"

    def _made(self, name: str, column: Any) -> Expression[Any]:
        return Expression((abi.CORM_NODE_NAME, self._source._mark, name), column)


# Two columns of one name.
_TWICE: Any = ("", None)


class _Found:
    """The columns that a query selects: what each is called, and whose values it has."""

    def __init__(self) -> None:
        self.by_name: dict[str, tuple[str, Any]] = {}
        self.names: list[str | None] = []
        self.nodes: list[tuple[Expression[Any] | None, Node, str | None, Any]] = []
        self._same: dict[str, list[str]] = {}

    def add(
        self, name: str | None, sql_name: str | None, column: Any, part: Expression[Any] | None, node: Node
    ) -> None:
        self.names.append(name)
        self.nodes.append((part, node, sql_name, column))
        if name is not None and sql_name is not None:
            # SQLite would take the first of those that have one name.
            same = self._same.setdefault(fold_name(sql_name), [])
            same.append(name)
            self.by_name[name] = sql_name, column
            if len(same) > 1:
                for other in same:
                    self.by_name[other] = _TWICE

    def has_twice(self, sql_name: str) -> bool:
        return len(self._same[fold_name(sql_name)]) > 1


def columns_of(query: Query[Any]) -> _Found | None:
    """The columns of a query; None where what it reads from says them."""
    found = _Found()
    shape: Any = query._shape
    if isinstance(shape, ModelInfo):
        _add_record(found, shape, query._alias)
        return found
    if not shape.columns:
        return None
    for part in shape.columns:
        if isinstance(part, RecordPart):
            for item, node in zip(part.info.columns, part.nodes):
                found.add(item.name, item.column_name, item, None, node)
            continue
        node = part._node
        name: str | None = None
        if node[0] == abi.CORM_NODE_AS:
            name, node = node[2], node[1]
            found.add(name, name, part._column, part, node)
        elif node[0] in (abi.CORM_NODE_COLUMN, abi.CORM_NODE_PATH) and isinstance(part._column, Column):
            found.add(part._column.name, part._column.column_name, part._column, part, node)
        else:
            sql_name: str | None = None
            if node[0] == abi.CORM_NODE_NAME:
                name = sql_name = node[2]
                # A column of another subquery keeps the property's name.
                if isinstance(part._column, Column) and part._column.column_name == name:
                    name = part._column.name
            found.add(name, sql_name, part._column, part, node)
    return found


def _add_record(found: _Found, info: ModelInfo, alias: str | None) -> None:
    for item in info.columns:
        found.add(item.name, item.column_name, item, item, (abi.CORM_NODE_COLUMN, info.handle, alias, item.name))


def _by_expression(source: Subquery[Any], found: _Found | None, wanted: Expression[Any]) -> tuple[str, Any]:
    node = wanted._node
    if node[0] == abi.CORM_NODE_AS:
        node = node[1]
    known = found.nodes if found else []
    item = next((item for item in known if item[0] is wanted), None) or next(
        (item for item in known if item[1] == node), None
    )
    if item is None:
        raise ProgrammingError(
            f"{source.name} does not select {wanted!r}", hint="ask for what the query selects, or give a column's name"
        )
    name = item[2]
    if name is None:
        raise ProgrammingError(
            f"{wanted!r} has no name in {source.name}", hint="name it with label() where it is selected"
        )
    if found and found.has_twice(name):
        raise ProgrammingError(
            f"{source.name} has two columns {name!r}", hint="name one of them with label() where it is selected"
        )
    return name, item[3]


def _unknown(source: Subquery[Any], found: _Found, name: str) -> ProgrammingError:
    from difflib import get_close_matches

    near = get_close_matches(name, found.by_name, 3, 0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"it has {', '.join(found.by_name)}"
    if not found.by_name:
        hint = "name what it selects with label()"
    return ProgrammingError(f"the subquery {source.name} has no column {name!r}", hint=hint)


class TableFunction(Subquery[Any]):
    """What a table-valued function gives, as a table; made by table_function() and json_each()."""

    def __init__(self, function: str, arguments: Sequence[Any], columns: Sequence[str], name: str | None) -> None:
        self._function = function
        self._arguments = [operand(item) for item in arguments]
        found = _Found()
        for column in columns:
            found.add(column, column, None, None, ())
        super().__init__(function if name is None else name, None, found)

    def alias(self, name: str) -> Self:
        """The same under another name, to read it twice in one query."""
        other = object.__new__(type(self))
        other._function, other._arguments = self._function, self._arguments
        Subquery.__init__(other, name, None, self._found)
        return other

    def _source(self) -> Node:
        return None, None, self._function, self._mark, self._arguments


def table_function(function: str, *arguments: Any, columns: Sequence[str], name: str | None = None) -> TableFunction:
    """A table-valued function that SQLite has, with the names of the columns that are read from it.

    info = table_function("pragma_table_info", "album", columns=["name", "type"])
    select(info.c.name, info.c.type)

    arguments: values and expressions, which may be columns of the tables that stand before it in the query. name: what
    the query calls it; the function's name otherwise.
    """
    if isinstance(columns, str):
        raise ProgrammingError(f"the columns of {function} are a str", hint="give a list of their names")
    for column in columns:
        text_argument("table_function()", "the names of columns", column)
    return TableFunction(function, arguments, columns, name)


class JsonColumns(Columns):
    """The columns of json_each() and json_tree(): https://www.sqlite.org/json1.html#jeach"""

    if TYPE_CHECKING:
        key: Expression[int | str | None]
        """The index in a list, the name in an object; None of a single value."""
        value: Expression[Any]
        """The value as SQL has it; lists and objects as JSON."""
        type: Expression[str]
        """What JSON calls it: "null", "true", "integer", "text", "array", ..."""
        atom: Expression[Any]
        """The value; None of lists and objects."""
        id: Expression[int]
        parent: Expression[int | None]
        """The id of what holds it; json_each() gives None."""
        fullkey: Expression[str]
        """The path to it."""
        path: Expression[str]
        """The path to what holds it."""


_JSON_COLUMNS = ("key", "value", "type", "atom", "id", "parent", "fullkey", "path")


class JsonTable(TableFunction):
    """The elements of JSON as a table; made by json_each() and json_tree()."""

    def __init__(self, function: str, arguments: Sequence[Any], name: str | None) -> None:
        super().__init__(function, arguments, _JSON_COLUMNS, name)

    if TYPE_CHECKING:

        @property
        def c(self) -> JsonColumns: ...


def json_each(json: Expression[Any] | str, path: str | None = None, *, name: str | None = None) -> JsonTable:
    """A row for each element of a JSON list or object.

    tag = json_each(Book.tags, name="tag")
    select(Book.title, tag.c.value).join(tag)

    path: of the list or object in the JSON, such as "$.tags".
    """
    return JsonTable("json_each", (json,) if path is None else (json, path), name)


def json_tree(json: Expression[Any] | str, path: str | None = None, *, name: str | None = None) -> JsonTable:
    """A row for each element of JSON, and for each within it."""
    return JsonTable("json_tree", (json,) if path is None else (json, path), name)
