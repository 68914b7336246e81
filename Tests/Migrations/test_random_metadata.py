"""The metadata of random schemas is what SQLite's own PRAGMAs say, and what its JSON Schema describes."""

from __future__ import annotations

import importlib
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import make
from cormorant import Database, Schema, TableMetadata
from random_schemas import RandomSchema, quoted

SEEDS = int(os.environ.get("CORMORANT_SEEDS", "200"))
PER_TEST = 20
DESCRIPTION = Path(__file__).resolve().parents[2] / "docs" / "metadata.schema.json"
DOCUMENT = importlib.import_module("jsonschema").Draft202012Validator(json.loads(DESCRIPTION.read_text()))
ORIGINS = {"c": "index", "u": "unique", "pk": "primary_key"}


@pytest.mark.parametrize("first", range(0, SEEDS, PER_TEST))
def test_metadata_is_what_sqlite_says(tmp_path: Path, first: int) -> None:
    for seed in range(first, min(first + PER_TEST, SEEDS)):
        path = tmp_path / f"{seed}.db"
        schema = RandomSchema(seed)
        make(path, schema.sql)
        with Database(path) as db:
            metadata = db.metadata()
        DOCUMENT.validate(json.loads(metadata.json))
        assert Schema.parse(schema.sql).metadata().json == metadata.json, f"seed {seed}"
        connection = sqlite3.connect(path)
        for table in metadata.tables:
            assert told(table) == said(connection, table.name), f"seed {seed}"
        listed = {row[1]: row[2:] for row in connection.execute("PRAGMA main.table_list") if row[2] != "shadow"}
        assert {name for name in listed if not name.startswith("sqlite_")} == {one.name for one in metadata.tables}
        for table in metadata.tables:
            kind, _, without_rowid, strict = listed[table.name]
            options = (table.kind, table.is_without_rowid, table.is_strict)
            assert options == (kind, bool(without_rowid), bool(strict)), f"seed {seed}"
        connection.close()


def told(table: TableMetadata) -> dict[str, Any]:
    """The parts of a table that a PRAGMA knows, too."""
    hidden = {(False, False): 0, (True, False): 2, (True, True): 3}
    return {
        "columns": [
            (one.name, squeezed(one.declared_type), one.key_position,
             1 if one.is_hidden else hidden[one.is_generated, one.is_stored])
            for one in table.columns
        ],
        "keys": sorted(
            (key.table, list(zip(key.columns, key.table_columns, strict=True)), key.on_update, key.on_delete)
            for key in table.foreign_keys
        ),
        "indexes": sorted(
            ((one.name or "") if one.origin == "index" else "", one.origin, one.is_unique,
             one.condition_sql is not None, [(term.column, term.is_descending) for term in one.terms])
            for one in distinct(table)
        ),
    }  # fmt: skip


def distinct(table: TableMetadata) -> list[Any]:
    """Without the key of a table without row numbers, which is no index of its own to some versions of SQLite."""
    return [one for one in table.indexes if one.origin != "primary_key" or not table.is_without_rowid]


def said(connection: sqlite3.Connection, name: str) -> dict[str, Any]:
    columns = connection.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
    return {
        "columns": [
            (row[1], squeezed(row[2].replace("GENERATED ALWAYS", "").strip()), row[5], row[6]) for row in columns
        ],
        "keys": sorted(said_keys(connection, name)),
        "indexes": sorted(said_indexes(connection, name)),
    }


def squeezed(declared: str) -> str:
    return declared.replace(" ", "").upper()


def said_keys(connection: sqlite3.Connection, name: str) -> list[Any]:
    keys: dict[int, list[Any]] = {}
    for number, _, table, here, there, on_update, on_delete, _ in connection.execute(
        f"PRAGMA foreign_key_list({quoted(name)})"
    ):
        if there is None:
            there = connection.execute(
                f"SELECT name FROM pragma_table_info({sql_text(table)}) WHERE pk = 1"
            ).fetchone()[0]
        words = [word.lower().replace("no action", "none").replace(" ", "_") for word in (on_update, on_delete)]
        keys.setdefault(number, [table, [], *words])[1].append((here, there))
    return [tuple(key) for key in keys.values()]


def sql_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def said_indexes(connection: sqlite3.Connection, name: str) -> list[Any]:
    without_rowid = any(row[1] == name and row[4] for row in connection.execute("PRAGMA main.table_list").fetchall())
    found = []
    for _, index, unique, origin, partial in connection.execute(f"PRAGMA index_list({quoted(name)})").fetchall():
        if origin == "pk" and without_rowid:
            continue
        terms = [(row[2], bool(row[3])) for row in connection.execute(f"PRAGMA index_xinfo({quoted(index)})") if row[5]]
        found.append((index if origin == "c" else "", ORIGINS[origin], bool(unique), bool(partial), terms))
    return found
