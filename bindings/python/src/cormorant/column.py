"""Columns of a model: how a class declares them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, cast, overload

from ._native.abi import CORM_NODE_COLUMN
from ._native.expression import Node
from ._sharing import share
from ._text_option import refuse_no_text, refuse_no_texts
from .error import ProgrammingError
from .expression import Expression
from .value import Transform

if TYPE_CHECKING:
    from ._model_info import ModelInfo
    from .model import Model

    ModelClass: TypeAlias = type[Model]

T = TypeVar("T")
K = TypeVar("K", bound=int)

TypeName: TypeAlias = Literal[
    "int64",
    "int32",
    "bool",
    "double",
    "float",
    "text",
    "varchar",
    "blob",
    "datetime",
    "date",
    "time",
    "offset_datetime",
    "duration",
    "uuid",
    "decimal",
    "json",
]
Action: TypeAlias = Literal["none", "restrict", "set_null", "set_default", "cascade"]
"""What a foreign key does when the row that it refers to is deleted, or its key changes."""


Stamp: TypeAlias = Literal["created", "updated"]
"""Which time of its row a column holds."""


# What columns of other libraries call what is here.
_ELSEWHERE = {
    "startswith": "has_prefix()",
    "endswith": "has_suffix()",
    "icontains": "contains()",
    "ilike": "like(), which ignores the case of ASCII letters",
    "isin": "in_()",
    "notin_": "not_in()",
    "is_": "is_null(), and == None",
    "is_not": "is_not_null(), and != None",
    "op": "its operators by name, such as bit_and()",
}


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Any = _Missing()


class Key(NamedTuple):
    """A unique key or index with more to say than its properties; a leading "-" means descending."""

    columns: Sequence[str]
    name: str | None = None
    where: str | None = None


class Reference(NamedTuple):
    """A foreign key over several properties, to a table's columns (none given: its primary key)."""

    columns: Sequence[str]
    table: str | type[Model]
    table_columns: Sequence[str] = ()
    on_delete: Action = "none"
    on_update: Action = "none"


class Column(Expression[T]):
    """A column: `name: Column[str]` in a Model. On the class it is this expression, on an instance the value.

    name: the property. column_name: its name in the table. type_name: "int64" and so on. nullable: may hold None.
    """

    # No __set__ at run time: a data descriptor would run Python code at every access, so records keep their values in
    # __dict__, where Python finds them by itself. __get__ serves the columns that hide a method of Model.
    name: str
    column_name: str
    type_name: str
    nullable: bool
    transform: Transform | None
    """What encodes and decodes values at the boundary: the type's own or the column's; None for plain values."""
    annotation: Any
    """What stands in the brackets of Column[...]."""

    _options: dict[str, Any]
    _encode: Callable[[Any], Any] | None
    # The values of its enum or Literal.
    _choices: tuple[Any, ...]

    if TYPE_CHECKING:

        def __init__(self, options: dict[str, Any]) -> None: ...

    else:

        def __init__(self, options=None, *others, **keywords):
            # As other libraries have it: Column(Integer, primary_key=True).
            if type(options) is not dict or others or keywords:
                raise ProgrammingError(
                    "a Column is made by hand",
                    code="CORM_E_MODEL",
                    hint="write id: Column[int] = key() and name: Column[str] = column(...)",
                )
            self._options = options
            share(self)

    def _bind(self, info: ModelInfo, column_name: str) -> None:
        """Makes it a column of a model that the library knows."""
        self.column_name = column_name
        self._node = (CORM_NODE_COLUMN, info.handle, None, self.name)
        self._column = self
        self._encode = partial(info.encode_plain, self.name) if self.transform else None

    def _at(self, node: Node) -> Column[T]:
        """This column of another source: under an alias, or at the end of a relation."""
        column = self._copy()
        column._node = node
        column._column = self
        return column

    def _copy(self) -> Column[T]:
        """The same column, of no model yet."""
        column: Column[T] = object.__new__(Column)
        column.__dict__.update(self.__dict__)
        return column

    @overload
    def __get__(self, instance: None, owner: type) -> Column[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Column[T] | T:
        if instance is None:
            return self
        raise AttributeError(f"{owner.__name__}.{self.name} has no value")

    if TYPE_CHECKING:

        def __set__(self, instance: object, value: T) -> None: ...

    @property
    def _is_new(self) -> bool:
        """Whether it was made by column(), and no annotation has said its type."""
        return "type_name" not in self.__dict__

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """What is asked of a column that is of no model yet."""
            if name in (
                "_node",
                "_column",
                "_encode",
                "_choices",
                "name",
                "column_name",
                "type_name",
                "nullable",
                "transform",
                "annotation",
            ):
                raise ProgrammingError(
                    "the column is of no model yet",
                    code="CORM_E_MODEL",
                    hint="take it from a model's class, such as Person.name, not from a mixin",
                )
            here = _ELSEWHERE.get(name)
            told = f"a Column has no attribute {name!r}{f'; it has {here}' if here else ''}"
            raise AttributeError(told, name=name, obj=self)

    def __repr__(self) -> str:
        if self._is_new:
            known: dict[str, Any] = column.__kwdefaults__ or {}
            given = [f"{name}={value!r}" for name, value in self._options.items() if value is not known.get(name)]
            return f"column({', '.join(given)})"
        return f"<Column {self.name}: {self.type_name}>"


def column(
    *,
    default: T = MISSING,
    default_factory: Callable[[], T] = MISSING,
    init: bool = True,
    kw_only: bool = False,
    name: str | None = None,
    type: TypeName | None = None,
    length: int = 0,
    scale: int | None = None,
    json: bool = False,
    json_key: str | None = None,
    primary_key: bool = False,
    auto_increment: bool = False,
    unique: bool = False,
    index: bool = False,
    unsigned: bool = False,
    default_sql: str | None = None,
    check: str | bool | None = None,
    computed: str | None = None,
    collate: str | None = None,
    references: str | ModelClass | None = None,
    on_delete: Action = "none",
    on_update: Action = "none",
    transform: Transform | None = None,
    version: bool = False,
    stamp: Stamp | None = None,
    validate: Callable[[Any], object] | None = None,
    renamed_from: str | None = None,
    convert_sql: str | None = None,
) -> Column[T]:
    """What a column has beyond its annotation.

    default, default_factory, init, kw_only: as in dataclasses. With init=False and no default it starts as None.
    name: in the table; the property in snake_case otherwise. type: where the annotation does not say enough, such as
    "int32" or "float", or "offset_datetime" of a datetime that keeps its offset from UTC. length: VARCHAR of so many
    characters. scale: of a Decimal, how many digits stand after the point of each value in the table; one with more is
    refused, not rounded.
    json: any JSON-like annotation is stored as JSON. json_key: in JSON (read_json, write_json); "" keeps the column out
    of it.
    unsigned: an integer that is never negative.
    default_sql: SQL expression for None at insert. check: SQL condition; True: that the column holds one of
    the values of its enum or Literal. computed: SQL expression; the column is never
    written. collate: BINARY, NOCASE, RTRIM, corm_nocase, corm_decimal, corm_offset_datetime. references: "table",
    "table.column" or a Model.
    transform: own conversion; `type` then says what is stored: of times, dates and durations integers (microseconds
    since 1970 in UTC or since midnight, days since 1970, microseconds), of decimals, UUIDs, JSON and offset datetimes
    (ISO 8601) texts.
    version: the row's version, for optimistic locking: `version: Column[int] = column(version=True, default=0)`. It is
    1 in a new row and counts each write of a record. To update, save or delete a record whose row has another version
    raises StaleRecordError; else the new version comes back into the record. Statements look at no version.
    stamp: the time of the row's creation or of its last write, which the database puts there in milliseconds:
    `created: Column[datetime] = column(stamp="created", init=False)`. Each write of a record sets "updated", and an
    insert "created" where that is None; batches and updates of some properties, too, and so do update() and insert()
    statements that do not set it; SQL does not. It comes back into the record. The table is the same without it.
    validate: called with the value of a record before it is written, unless that is None; its ValueError or
    AssertionError becomes a ValidationError that names the property.
    For migrations: renamed_from: the column's former name in the table; it is renamed instead of added. convert_sql:
    SQL expression over the table's columns before the migration, renamed ones by their new names, that gives the column
    its values when the migration adds it, changes its type or makes it NOT NULL.
    """
    options = dict(locals())
    refuse_no_texts("column()", options, *_TEXTS)
    if not isinstance(check, bool):
        refuse_no_text("column()", "check", check)
    return Column(options)


_TEXTS = ("name", "type", "json_key", "default_sql", "computed", "collate", "renamed_from", "convert_sql")


def key(*, name: str | None = None, auto_increment: bool = False, init: Literal[False] = False) -> Column[K]:
    """The primary key, an integer that the file makes: `id: Column[int] = key()`.

    It is no parameter of __init__, and None until the record is inserted or saved, though type checkers take it for
    present. A key that the program gives is a column(primary_key=True).
    name: in the table. auto_increment: a key that was in use once is never made again.
    """
    refuse_no_text("key()", "name", name)
    return Column({"primary_key": True, "made": True, "name": name, "auto_increment": auto_increment, "init": init})


def ignored(
    *, default: T = MISSING, default_factory: Callable[[], T] = MISSING, init: bool = True, kw_only: bool = False
) -> T:
    """A field of the class that is not in the table: `note: str = ignored(default="")`."""
    # The class body holds this only until the class is made; then it is what the annotation says.
    return cast("T", Ignored(dict(locals())))


class Ignored:
    """What ignored() leaves in a class body until the class is made."""

    annotation: Any

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
