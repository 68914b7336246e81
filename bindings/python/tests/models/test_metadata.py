"""Metadata: what introspection knows of files and schemas, and the document that says it."""

from __future__ import annotations

import importlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

import cormorant
from cormorant import Database, Metadata, Schema, TableMetadata

ROOT = Path(__file__).parents[4]
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
    columns = {column.name: column for column in table(everything, "album").columns}
    assert [columns[name].is_text for name in ("title", "released", "price")] == [True, False, False]
    assert [columns[name].is_date for name in ("title", "released", "price")] == [False, True, False]


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
