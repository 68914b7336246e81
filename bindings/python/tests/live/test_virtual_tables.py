"""Virtual tables that are watched, beside ordinary tables whose names begin with theirs."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cormorant import Column, Database, Model, Observer, Region, key


class SearchHistory(Model, table="search_history"):
    id: Column[int] = key()
    q: Column[str]


class Content(Model, table="search_content"):
    """Has the name of a table of fts5's own, but is the user's."""

    id: Column[int] = key()
    q: Column[str]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "test.db") as db:
        yield db


@pytest.mark.parametrize("order", list(itertools.permutations(["cache", "table", "virtual"])), ids=" ".join)
@pytest.mark.parametrize("model", [SearchHistory, Content])
def test_a_table_with_a_virtual_tables_name_before_its_own_is_watched(
    db: Database, model: type[SearchHistory] | type[Content], order: tuple[str, ...]
) -> None:
    db.sync(model)
    table = "search_content" if model is Content else "search_history"
    content = ", content='search_content'" if model is Content else ""
    db.execute(f"CREATE VIRTUAL TABLE search USING fts5(q{content})")
    record = model(q="old")
    record.id = 1
    db.insert(record)
    with ExitStack() as stack:
        watched: dict[str, Observer[Any]] = {}
        for what in order:
            if what == "cache":
                db.set_cache(model, max_count=10, max_bytes=10**6)
                db.find(model, 1)
            else:
                region = model if what == "table" else Region("search")
                watched[what] = stack.enter_context(db.observe(region))
        db.execute(f"UPDATE {table} SET q = 'new' WHERE id = 1")
        found = db.find(model, 1)
        assert found is not None
        assert found.q == "new"
        assert watched["table"].next(5) is not None
        if model is SearchHistory:
            assert watched["virtual"].next(0) is None
        while watched["virtual"].next(0) is not None:
            pass
        db.execute("INSERT INTO search (rowid, q) VALUES (7, 'word')")
        assert watched["virtual"].next(5) is not None
        # What ends takes nothing of the other's along.
        watched["virtual"].cancel()
        db.execute(f"UPDATE {table} SET q = 'newer' WHERE id = 1")
        found = db.find(model, 1)
        assert found is not None
        assert found.q == "newer"
        assert watched["table"].next(5) is not None


def test_a_virtual_table_with_anothers_name_before_its_own_has_its_events(db: Database) -> None:
    for names in (("a", "a_b"), ("a_b", "a")):
        for name in names:
            db.execute(f"CREATE VIRTUAL TABLE {name} USING fts5(q)")
        with db.observe(Region(names[0])) as first, db.observe(Region(names[1])) as second:
            watched = dict(zip(names, (first, second), strict=True))
            for name, other in (names, names[::-1]):
                db.execute(f"INSERT INTO {name} (q) VALUES ('x')")
                assert watched[name].next(5) is not None
                assert watched[other].next(0) is None
        for name in names:
            db.execute(f"DROP TABLE {name}")


def test_a_table_that_becomes_virtual_and_back_has_its_events(db: Database) -> None:
    db.execute("CREATE TABLE s (q)")
    with db.observe(Region("s")) as watched:
        for definition in ("VIRTUAL TABLE s USING fts5(q)", "TABLE s (q)", "VIRTUAL TABLE s USING fts4(q)"):
            db.execute("DROP TABLE s")
            db.execute(f"CREATE {definition}")
            while watched.next(0) is not None:
                pass
            db.execute("INSERT INTO s (q) VALUES ('x')")
            assert watched.next(5) is not None


def test_a_virtual_table_is_watched_beside_views_of_views(db: Database) -> None:
    """SQLite would work out their columns for half a minute to say which tables are the virtual table's."""
    db.execute("CREATE VIRTUAL TABLE s USING fts5(q)")
    db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    db.execute("CREATE VIEW v0 AS SELECT id FROM t")
    for number in range(18):
        db.execute(f"CREATE VIEW v{number + 1} AS SELECT a.id FROM v{number} a, v{number} b")
    begun = time.monotonic()
    with db.observe(Region("s")) as watched:
        assert time.monotonic() - begun < 10
        db.execute("INSERT INTO s (q) VALUES ('x')")
        assert watched.next(5) is not None


def test_a_table_is_watched_beside_a_trigger_of_its_name(db: Database) -> None:
    db.execute("CREATE TABLE u (a)")
    db.execute("CREATE TRIGGER search_history AFTER INSERT ON u BEGIN SELECT 1; END")
    db.sync(SearchHistory)
    with db.observe(SearchHistory) as watched:
        db.insert(SearchHistory(q="x"))
        assert watched.next(5) is not None
