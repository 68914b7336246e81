"""Metadata in the lines of conformance scenarios; Tests/Conformance/README.md says what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from conformance_model import Json

from cormorant import ColumnMetadata, IndexTermMetadata, Metadata, TableMetadata


def _joined(names: Iterable[str]) -> str:
    return f"({', '.join(names)})"


def _parts(*parts: str | None) -> str:
    return "; ".join(part for part in parts if part)


def _text(word: str, text: object) -> str:
    return f"{word} {text}" if text is not None else ""


def _flags(one: object, **words: str) -> str:
    return _parts(*(word for name, word in words.items() if getattr(one, name)))


def _options(table: TableMetadata) -> Iterator[str]:
    yield _parts(
        table.name,
        (table.primary_key and f"key {', '.join(table.primary_key)}") or "",
        _text("rowid", table.rowid_column),
        _flags(table, is_auto_increment="autoincrement", is_strict="strict", is_without_rowid="without rowid"),
        table.module and f"using {table.module}{_joined(table.module_arguments)}",
    )


def _column(table: TableMetadata, one: ColumnMetadata) -> str:
    length = f"({one.length})" if one.type == "varchar" else ""
    return _parts(
        f"{table.name}.{one.name}",
        one.affinity,
        one.type and f"type {one.type}{length}",
        (one.key_position and f"key {one.key_position}") or "",
        "" if one.is_nullable else "not null",
        _flags(one, is_unique="unique", is_foreign_key="foreign", is_hidden="hidden", is_simple_type="simple"),
        _text("default", one.default_sql),
        _text("collate", one.collation),
        _text("computed", one.generated_sql),
        _flags(one, is_stored="stored"),
    )


def _foreign_keys(table: TableMetadata) -> Iterator[str]:
    for key in table.foreign_keys:
        yield _parts(
            f"{table.name} {_joined(key.columns)} to {key.table} {_joined(key.table_columns)}",
            _text("named", key.name),
            "" if key.on_delete == "none" else f"on delete {key.on_delete}",
            "" if key.on_update == "none" else f"on update {key.on_update}",
            _flags(key, is_deferred="deferred"),
        )


def _term(term: IndexTermMetadata) -> str:
    sql = f"({term.sql})" if term.column is None else term.sql
    return sql + (f" collate {term.collation}" if term.collation else "") + (" desc" if term.is_descending else "")


def _indexes(table: TableMetadata) -> Iterator[str]:
    for one in table.indexes:
        yield _parts(
            f"{table.name} {one.name or 'none'}",
            one.origin,
            _flags(one, is_unique="unique"),
            *map(_term, one.terms),
            _text("where", one.condition_sql),
        )


def _relations(table: TableMetadata) -> Iterator[str]:
    for one in table.relations:
        yield f"{table.name} {one.kind} {one.table}" + (f" over {one.through}" if one.through else "")


def _ends(table: TableMetadata) -> Iterator[str]:
    for one in table.relations:
        over = f" over {_joined(one.through_columns)} {_joined(one.through_table_columns)}" if one.through else ""
        yield _parts(
            f"{table.name} {_joined(one.columns)} to {one.table} {_joined(one.table_columns)}{over}",
            _flags(one, is_self="self", is_unique="unique", is_optional="optional"),
        )


METADATA_LISTS: dict[str, Callable[[TableMetadata], Iterable[str]]] = {
    "tables": lambda table: [f"{table.name} {table.kind}"],
    "options": _options,
    "columns": lambda table: [
        f"{table.name}.{one.name} {one.declared_type}: {one.swift_type}, {one.c_type}, {one.python_type}"
        for one in table.columns
    ],
    "flags": lambda table: [_column(table, one) for one in table.columns],
    "foreignKeys": _foreign_keys,
    "indexes": _indexes,
    "checks": lambda table: [
        f"{table.name}.{check.column or 'none'} {check.name or 'none'}: {check.sql}" for check in table.checks
    ],
    "triggers": lambda table: [
        f"{table.name} {one.name}: {one.timing} {one.event} {_joined(one.columns)}" for one in table.triggers
    ],
    "relations": _relations,
    "ends": _ends,
}


def metadata_lines(metadata: Metadata) -> Json:
    found: dict[str, Any] = {
        name: [line for table in metadata.tables for line in lines(table)] for name, lines in METADATA_LISTS.items()
    }
    return {**found, "problems": [f"{one.type} {one.name}" for one in metadata.problems], "sql": metadata.json}
