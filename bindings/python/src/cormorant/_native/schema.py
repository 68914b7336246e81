"""The calls of the library on schemas."""

from __future__ import annotations

from collections.abc import Sequence

from .call import call_handle
from .handle import DatabaseHandle, ModelHandle, SchemaHandle, array_of
from .library import info_of, library, to_text, utf8


def read_schema(database: DatabaseHandle) -> SchemaHandle:
    return call_handle(SchemaHandle, library.corm_schema_read, database)


def parse_schema(sql: str) -> SchemaHandle:
    return call_handle(SchemaHandle, library.corm_schema_parse, utf8(sql))


def create_schema(models: Sequence[ModelHandle]) -> SchemaHandle:
    return call_handle(SchemaHandle, library.corm_schema_create, array_of(models), len(models))


def schema_sql(schema: SchemaHandle) -> str:
    return to_text(info_of("corm_schema", schema).sql) or ""


def schema_hash(schema: SchemaHandle) -> str:
    return to_text(info_of("corm_schema", schema).hash) or ""
