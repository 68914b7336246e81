"""Schemas: what a file's tables, indexes, views and triggers are, as a value to keep, compare and migrate to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._model_info import handles_of
from ._native import schema as native_schema
from ._native.handle import SchemaHandle
from .model import Model

if TYPE_CHECKING:
    from typing_extensions import Self

    from .metadata import Metadata


class Schema:
    """Everything that CREATE statements say: of a file (Database.schema), of a text (parse) or of models (of).

    sql: the statements, each ended by a semicolon, in an order that runs on an empty file.
    hash: 64 hexadecimal digits over what they mean; spaces, comments, needless quotes and the order of objects do not
    matter. Schemas of one hash are equal.
    """

    def __init__(self, handle: SchemaHandle) -> None:
        self._handle = handle
        self.sql = native_schema.schema_sql(handle)
        self.hash = native_schema.schema_hash(handle)

    @classmethod
    def parse(cls, sql: str) -> Self:
        """Reads CREATE statements, as `sql` and SQLite's shell (.schema) write them.

        ProgrammingError (CORM_E_SCHEMA) with the place of what cannot be read, and for any other statement.
        """
        return cls(native_schema.parse_schema(sql))

    @classmethod
    def of(cls, *models: type[Model]) -> Self:
        """The schema that models make in an empty file. ProgrammingError (CORM_E_MODEL) for two models of one table."""
        return cls(native_schema.create_schema(handles_of(models)))

    def metadata(self) -> Metadata:
        """Everything that introspection knows about it: tables, columns, keys, indexes, relations."""
        from .metadata import Metadata  # whose classes take long to make

        return Metadata._of_schema(self._handle)

    def __eq__(self, other: object) -> bool:
        return self.hash == other.hash if isinstance(other, Schema) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    def __repr__(self) -> str:
        return f"<Schema {self.hash[:12]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).parse, (self.sql,)
