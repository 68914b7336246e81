"""Metadata: what introspection knows of files and schemas, and the document that says it."""

from __future__ import annotations

import importlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from test_hostile import NAMES

import cormorant
from cormorant import Database, Metadata, Schema, TableMetadata

ROOT = Path(__file__).parents[3]
CHINOOK = ROOT.parent / "shared" / "data" / "chinook.sqlite"
DESCRIPTION = json.loads((ROOT / "docs" / "metadata.schema.json").read_text())
DOCUMENT = importlib.import_module("jsonschema").Draft202012Validator(DESCRIPTION)

EVERYTHING = """
CREATE TABLE artist (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL /* of the band */ UNIQUE COLLATE NOCASE,
  CONSTRAINT named CHECK (length(name) > 0));
CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER NOT NULL REFERENCES artist ON DELETE CASCADE, title TEXT,
  price NUMERIC(10,2) DEFAULT (1 + 1), upper_title TEXT AS (upper(title)) STORED,
  released DATETIME CHECK (released > ''), parent INT REFERENCES album (id) DEFERRABLE INITIALLY DEFERRED,
  UNIQUE (artist_id, title));
CREATE TABLE tag (name TEXT PRIMARY KEY, anything) WITHOUT ROWID;
CREATE TABLE album_tag (album INTEGER REFERENCES album, tag TEXT REFERENCES tag, PRIMARY KEY (tag, album DESC));
CREATE TABLE plain (a INT PRIMARY KEY, b ANY, c BLOB, d INT) STRICT, WITHOUT ROWID;
CREATE INDEX album_title ON album (title COLLATE NOCASE DESC, lower(title)) WHERE price > 0;
CREATE UNIQUE INDEX plain_d ON plain (d);
CREATE VIEW titles AS SELECT title, price + 1 AS more FROM album;
CREATE TRIGGER no_x BEFORE UPDATE OF title, price ON album BEGIN SELECT raise(ABORT, 'x'); END;
CREATE TRIGGER titled INSTEAD OF DELETE ON titles BEGIN SELECT 1; END;
CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = 'porter ascii');
"""


def read(metadata: Metadata) -> Metadata:
    """The metadata, whose document is what its description says."""
    DOCUMENT.validate(json.loads(metadata.json))
    return metadata


def table(metadata: Metadata, name: str) -> TableMetadata:
    return next(table for table in metadata.tables if table.name == name)


@pytest.fixture
def everything(path: Path) -> Metadata:
    with Database(path) as db:
        db.execute_script(EVERYTHING)
        return read(db.metadata())


def test_a_schema_tells_what_its_file_tells(everything: Metadata) -> None:
    assert read(Schema.parse(EVERYTHING).metadata()) == everything


def test_tables_are_told_with_their_kinds_and_options(everything: Metadata) -> None:
    assert [(one.name, one.kind) for one in everything.tables] == [
        *((name, "table") for name in ("artist", "album", "tag", "album_tag", "plain")),
        ("texts", "virtual"),
        ("titles", "view"),
    ]
    assert everything.problems == ()
    artist, plain, texts = (table(everything, name) for name in ("artist", "plain", "texts"))
    assert (artist.is_auto_increment, artist.rowid_column, artist.primary_key) == (True, "id", ("id",))
    assert "band" not in artist.sql
    assert artist.sql.startswith("CREATE TABLE artist (id INTEGER")
    assert [(check.name, check.sql, check.column) for check in artist.checks] == [("named", "length(name) > 0", None)]
    assert (plain.is_strict, plain.is_without_rowid, plain.rowid_column) == (True, True, None)
    assert (texts.module, texts.module_arguments) == ("fts5", ("body", "tokenize = 'porter ascii'"))
    assert [(column.name, column.is_hidden) for column in texts.columns] == [
        ("body", False),
        ("texts", True),
        ("rank", True),
    ]


def test_columns_are_told_with_types_and_flags(everything: Metadata) -> None:
    columns = {column.name: column for column in table(everything, "album").columns}
    assert [columns[name].type for name in columns] == ["int64", "int64", "text", "double", "text", "datetime", "int64"]
    assert [columns[name].python_type for name in ("id", "title", "released")] == [
        "int",
        "str | None",
        "datetime | None",
    ]
    assert [columns[name].swift_type for name in ("id", "title", "parent")] == ["Int64", "String?", "Int64?"]
    assert [columns[name].c_type for name in ("id", "title", "price")] == [
        "int64_t",
        "const char *",
        "corm_optional_double",
    ]
    assert (columns["price"].declared_type, columns["price"].affinity) == ("NUMERIC(10,2)", "NUMERIC")
    assert columns["price"].default_sql == "1 + 1"
    assert (columns["upper_title"].generated_sql, columns["upper_title"].is_stored) == ("upper(title)", True)
    assert (columns["artist_id"].is_foreign_key, columns["artist_id"].is_nullable) == (True, False)
    assert (columns["id"].is_key, columns["id"].is_unique, columns["id"].is_simple_type) == (True, True, True)
    assert (columns["title"].is_text, columns["title"].is_simple_type, columns["released"].is_date) == (
        True,
        False,
        True,
    )
    anything = table(everything, "tag").columns[1]
    assert (anything.type, anything.declared_type, anything.affinity) == (None, "", "BLOB")
    name = table(everything, "artist").columns[1]
    assert (name.collation, name.is_unique, name.is_nullable) == ("NOCASE", True, False)
    assert [column.is_nullable for column in table(everything, "plain").columns] == [False, True, True, True]
    assert [column.key_position for column in table(everything, "album_tag").columns] == [2, 1]


def test_indexes_and_triggers_are_told_with_their_parts(everything: Metadata) -> None:
    unique, index = table(everything, "album").indexes
    assert (unique.name, unique.origin, [term.column for term in unique.terms]) == (
        None,
        "unique",
        ["artist_id", "title"],
    )
    assert (index.name, index.origin, index.is_unique, index.condition_sql) == (
        "album_title",
        "index",
        False,
        "price > 0",
    )
    assert [(term.column, term.sql, term.collation, term.is_descending) for term in index.terms] == [
        ("title", "title", "NOCASE", True),
        (None, "lower(title)", None, False),
    ]
    (key,) = table(everything, "album_tag").indexes
    assert (key.origin, [term.is_descending for term in key.terms]) == ("primary_key", [False, True])
    assert table(everything, "plain").columns[3].is_unique
    (trigger,) = table(everything, "album").triggers
    assert (trigger.name, trigger.timing, trigger.event, trigger.columns) == (
        "no_x",
        "before",
        "update",
        ("title", "price"),
    )
    assert [(one.timing, one.event) for one in table(everything, "titles").triggers] == [("instead_of", "delete")]


def test_foreign_keys_make_relations_of_every_kind(everything: Metadata) -> None:
    keys = table(everything, "album").foreign_keys
    assert [(key.table, key.table_columns, key.on_delete, key.is_deferred) for key in keys] == [
        ("artist", ("id",), "cascade", False),
        ("album", ("id",), "none", True),
    ]
    album = [(one.kind, one.table, one.is_self, one.is_optional) for one in table(everything, "album").relations]
    assert album == [
        ("to_one", "artist", False, False),
        ("to_one", "album", True, True),
        ("to_many", "album", True, True),
        ("to_many", "album_tag", False, True),
        ("many_to_many", "tag", False, True),
    ]
    over = table(everything, "tag").relations[-1]
    assert (over.through, over.columns, over.through_columns, over.through_table_columns, over.table_columns) == (
        "album_tag",
        ("name",),
        ("tag",),
        ("album",),
        ("id",),
    )


def test_keys_that_fit_nothing_make_no_relation() -> None:
    metadata = read(
        Schema.parse(
            "CREATE TABLE a (x REFERENCES missing, y REFERENCES b); CREATE TABLE b (p, q, PRIMARY KEY (p, q))"
        ).metadata()
    )
    assert [(key.table, key.table_columns) for key in metadata.tables[0].foreign_keys] == [("missing", ()), ("b", ())]
    assert [one.relations for one in metadata.tables] == [(), ()]


def test_chinook_is_told(tmp_path: Path) -> None:
    if not CHINOOK.exists():
        pytest.skip(f"{CHINOOK} is not there")
    with Database(CHINOOK, mode="read_only") as db:
        metadata = read(db.metadata())
    assert len(metadata.tables) == 11
    assert metadata.problems == ()
    playlist = table(metadata, "Playlist")
    assert [(one.kind, one.table) for one in playlist.relations] == [
        ("to_many", "PlaylistTrack"),
        ("many_to_many", "Track"),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_told(path: Path, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    with Database(path) as db:
        db.execute_script(
            f"CREATE TABLE {quoted} ({quoted} INTEGER PRIMARY KEY REFERENCES {quoted}, b {quoted} UNIQUE);"
            f'CREATE INDEX "i {quoted[1:]} ON {quoted} ({quoted} DESC)'
        )
        metadata = read(db.metadata())
    (one,) = metadata.tables
    assert (one.name, one.primary_key, one.indexes[1].terms[0].column) == (name, (name,), name)
    assert [relation.table for relation in one.relations] == [name, name]


def test_what_cannot_be_understood_is_a_problem_and_not_lost(path: Path) -> None:
    with Database(path) as db:
        db.execute_script(
            "CREATE TABLE good (id); CREATE TABLE odd (a INTEGER PRIMARY KEY, b TEXT);"
            "CREATE VIEW v AS SELECT * FROM w;"
            "PRAGMA writable_schema = ON;"
            "UPDATE sqlite_schema SET sql = 'CREATE TABLE odd (a ?!)' WHERE name = 'odd'"
        )
        metadata = read(db.metadata())
    assert [one.name for one in metadata.tables] == ["good", "v", "odd"]
    assert [(one.type, one.name) for one in metadata.problems] == [("table", "odd"), ("view", "v")]
    assert "no such table" in metadata.problems[1].message
    assert [(column.name, column.key_position) for column in table(metadata, "odd").columns] == [("a", 1), ("b", 0)]


def test_a_view_and_a_module_that_do_not_work_have_no_columns() -> None:
    metadata = read(
        Schema.parse("CREATE VIEW v AS SELECT * FROM w; CREATE VIRTUAL TABLE m USING no_module(a)").metadata()
    )
    assert [(one.name, one.columns) for one in metadata.tables] == [("m", ()), ("v", ())]
    assert {one.name for one in metadata.problems} == {"m", "v"}


def test_two_thousand_tables_are_told(path: Path) -> None:
    sql = "".join(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, r REFERENCES t{n // 2});" for n in range(2000))
    with Database(path) as db:
        db.execute_script(f"BEGIN; {sql} COMMIT")
        metadata = db.metadata()
    assert len(metadata.tables) == 2000
    assert sum(len(one.relations) for one in metadata.tables) == 4000


def test_random_columns_have_the_affinity_that_sqlite_says(path: Path) -> None:
    words = ["INT", "CHAR", "CLOB", "TEXT", "BLOB", "REAL", "FLOA", "DOUB", "DATE", "x", "unsigned", "BIG"]
    dice = random.Random(5)
    types = [" ".join(dice.sample(words, dice.randint(0, 3))) for _ in range(60)]
    with Database(path) as db:
        db.execute(f"CREATE TABLE t ({', '.join(f'c{n} {type}' for n, type in enumerate(types))})")
        # CREATE TABLE AS writes the affinity of each column for its type.
        db.execute("CREATE TABLE u AS SELECT * FROM t")
        metadata = db.metadata()
    names = {"INT": "INTEGER", "TEXT": "TEXT", "": "BLOB", "REAL": "REAL", "NUM": "NUMERIC"}
    expected = [names[column.declared_type] for column in table(metadata, "u").columns]
    assert [column.affinity for column in table(metadata, "t").columns] == expected


def test_a_closed_database_tells_nothing(path: Path) -> None:
    db = Database(path)
    db.close()
    with pytest.raises(cormorant.ProgrammingError):
        db.metadata()


def test_values_of_metadata_are_frozen(everything: Metadata) -> None:
    one: Any = everything.tables[0]
    with pytest.raises(AttributeError):
        one.name = "other"
