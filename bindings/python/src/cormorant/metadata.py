"""Metadata: everything that introspection knows about a file, for programs, templates and as JSON.

The attributes are the members of the JSON document, which docs/metadata.schema.json describes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ._native import metadata as native_metadata
from ._native.handle import DatabaseHandle, SchemaHandle

if TYPE_CHECKING:
    from typing_extensions import Self

ActionName = Literal["none", "restrict", "set_null", "set_default", "cascade"]


@dataclass(frozen=True)
class ColumnMetadata:
    """A column.

    declared_type: with one space between words and none elsewhere; empty for none.
    type: of a model's column that such a column holds, such as "int64"; None where nothing tells.
    length: the greatest number of characters, of a "varchar".
    is_nullable: whether NULL can be in it; a row number and what is NOT NULL cannot.
    key_position: the place in the primary key, from 1; 0 for none.
    is_unique: whether it alone is the primary key or unique.
    is_hidden: whether SELECT * leaves it out, as virtual tables can have it.
    generated_sql, is_stored: what computes it, of a generated column, and whether the file holds that.
    swift_type, c_type, python_type: of a property, field or attribute of a model.
    is_simple_type: whether its values are plain numbers or truth values.
    """

    name: str
    declared_type: str
    affinity: Literal["INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC"]
    type: str | None
    length: int | None
    is_nullable: bool
    default_sql: str | None
    collation: str | None
    key_position: int
    is_unique: bool
    is_foreign_key: bool
    is_hidden: bool
    generated_sql: str | None
    is_stored: bool
    swift_type: str
    c_type: str
    python_type: str
    is_key: bool
    is_generated: bool
    is_simple_type: bool
    is_integer: bool
    is_real: bool
    is_number: bool
    is_bool: bool
    is_text: bool
    is_blob: bool
    is_date: bool
    is_uuid: bool
    is_json: bool


@dataclass(frozen=True)
class ForeignKeyMetadata:
    """A foreign key.

    name: what CONSTRAINT calls it.
    table_columns: those of the other table's primary key where the statement names none; empty where that does not fit.
    is_deferred: whether it is checked at the end of the transaction only.
    """

    name: str | None
    columns: tuple[str, ...]
    table: str
    table_columns: tuple[str, ...]
    on_delete: ActionName
    on_update: ActionName
    is_deferred: bool


@dataclass(frozen=True)
class IndexTermMetadata:
    """What an index is over: a column, or (column is None) an expression. sql has no COLLATE and no direction."""

    column: str | None
    sql: str
    collation: str | None
    is_descending: bool


@dataclass(frozen=True)
class IndexMetadata:
    """An index. name: None for one that a constraint without name makes. condition_sql: of a partial index."""

    name: str | None
    origin: Literal["index", "unique", "primary_key"]
    is_unique: bool
    terms: tuple[IndexTermMetadata, ...]
    condition_sql: str | None


@dataclass(frozen=True)
class CheckMetadata:
    """A check. name: what CONSTRAINT calls it. column: the one that it is written at."""

    name: str | None
    sql: str
    column: str | None


@dataclass(frozen=True)
class TriggerMetadata:
    """A trigger. columns: of UPDATE OF. sql: the statement that made it, without comments."""

    name: str
    timing: Literal["before", "after", "instead_of"]
    event: Literal["insert", "update", "delete"]
    columns: tuple[str, ...]
    sql: str


@dataclass(frozen=True)
class RelationMetadata:
    """A way from a table's records to others, along a foreign key.

    table: the one at the end.
    columns: pairs with table_columns, or with through_columns of a many-to-many relation.
    through: the table between, of a many-to-many relation; its through_table_columns pair with table_columns.
    is_self: whether it leads to the table it comes from.
    is_unique: whether there is never more than one record at the end.
    is_optional: whether there may be none.
    """

    kind: Literal["to_one", "to_many", "many_to_many"]
    table: str
    columns: tuple[str, ...]
    table_columns: tuple[str, ...]
    through: str | None
    through_columns: tuple[str, ...]
    through_table_columns: tuple[str, ...]
    is_self: bool
    is_unique: bool
    is_optional: bool


@dataclass(frozen=True)
class TableMetadata:
    """A table, a virtual table or a view.

    sql: the statement that made it, without comments.
    module, module_arguments: of a virtual table.
    columns: empty where they cannot be had; Metadata.problems says why.
    primary_key: names of the key's columns, in the key's order.
    rowid_column: the key that the table makes: SQLite's row number, or of a server's sequence.
    indexes: those of CREATE INDEX, and before them those that a PRIMARY KEY or UNIQUE makes.
    relations: where foreign keys lead from here, and whose lead here.
    """

    name: str
    kind: Literal["table", "virtual", "view"]
    sql: str
    module: str | None
    module_arguments: tuple[str, ...]
    is_strict: bool
    is_without_rowid: bool
    is_auto_increment: bool
    columns: tuple[ColumnMetadata, ...]
    primary_key: tuple[str, ...]
    rowid_column: str | None
    foreign_keys: tuple[ForeignKeyMetadata, ...]
    indexes: tuple[IndexMetadata, ...]
    checks: tuple[CheckMetadata, ...]
    triggers: tuple[TriggerMetadata, ...]
    relations: tuple[RelationMetadata, ...]


@dataclass(frozen=True)
class MetadataProblem:
    """An object of the file that is known in part only; of a server also what no file and no model can say.

    type: "table", "index", "view" or "trigger"; of a server also such as "enum", "domain", "partition" or "policy".
    table: the table it belongs to; empty for none.
    message: what is wrong, or not told elsewhere, in one line.
    """

    type: str
    name: str
    table: str
    sql: str
    message: str


@dataclass(frozen=True)
class Metadata:
    """The tables of a file or server (Database.metadata) or a schema (Schema.metadata); what could not be understood.

    json: all of it as one JSON document.
    """

    tables: tuple[TableMetadata, ...]
    problems: tuple[MetadataProblem, ...]
    json: str = field(repr=False)

    @classmethod
    def _of_database(cls, database: DatabaseHandle) -> Self:
        return cls._parse(native_metadata.read_metadata(database))

    @classmethod
    def _of_schema(cls, schema: SchemaHandle) -> Self:
        return cls._parse(native_metadata.create_metadata(schema))

    @classmethod
    def _parse(cls, text: str) -> Self:
        document = json.loads(text)
        return cls(
            tables=tuple(_made(TableMetadata, table) for table in document["tables"]),
            problems=tuple(_made(MetadataProblem, problem) for problem in document["problems"]),
            json=text,
        )


_PARTS: dict[str, type] = {
    "columns": ColumnMetadata,
    "foreign_keys": ForeignKeyMetadata,
    "indexes": IndexMetadata,
    "terms": IndexTermMetadata,
    "checks": CheckMetadata,
    "triggers": TriggerMetadata,
    "relations": RelationMetadata,
}


def _made(cls: Any, members: dict[str, Any]) -> Any:
    return cls(**{name: _value(name, value) for name, value in members.items()})


def _value(name: str, value: Any) -> Any:
    if not isinstance(value, list):
        return value
    # A list of `columns` is one of names, except in a table.
    return tuple(_made(_PARTS[name], item) if isinstance(item, dict) else item for item in value)
