"""Databases: opening and closing, options, raw SQL, tracing, interrupting."""

from __future__ import annotations

import sqlite3
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from encrypted import plain_only
from models import Department, Person

import cormorant
from cormorant import Bundle, Database, OperationalError, ProgrammingError, _open_options


def pragma(db: Database, name: str) -> object:
    row = db.query(f"PRAGMA {name}").fetch_one()
    assert row is not None
    return row[0]


def test_options(path: Path) -> None:
    with Database(path, journal_mode="truncate", synchronous="full", foreign_keys=False, statement_cache_size=1) as db:
        assert [pragma(db, name) for name in ("journal_mode", "synchronous", "foreign_keys")] == ["truncate", 2, 0]
    with pytest.raises(ProgrammingError, match="wals"):
        Database(path, journal_mode="wals")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no option 'jornal_mode'; it has mode, template"):
        Database(path, jornal_mode="wal")  # type: ignore[call-arg]
    with Database(path, busy_timeout=float("inf"), statement_cache_size=2**40) as db:
        assert db.query("SELECT 1").fetch_all() == [(1,)]


def test_every_option_is_one_of_the_library() -> None:
    assert {*_open_options._MEMBERS, "cipher", "worker_count"} == set(_open_options.OpenOptions.__annotations__)


def test_closing(path: Path) -> None:
    db = Database(path)
    db.close()
    assert "closed" in repr(db)
    db.close()
    for call in (
        lambda: db.execute("DELETE FROM people"),
        lambda: db.query("SELECT 1"),
        lambda: db.find(Person, 1),
        lambda: db.insert(Person("a")),
        lambda: db.insert_many([Person("a")]),
        lambda: db.fetch_all(Person),
        lambda: db.count(Person),
        lambda: db.create_tables(Person),
        lambda: db.transaction().__enter__(),
        lambda: db.set_trace(print),
    ):
        with pytest.raises(ProgrammingError) as caught:
            call()
        assert caught.value.code == "CORM_E_MISUSE"
        assert "closed" in str(caught.value)
    db.interrupt()
    assert (db.changes, db.total_changes, db.last_insert_id, db.transaction_depth) == (0, 0, 0, 0)


def test_one_that_is_not_closed_warns(path: Path) -> None:
    db = Database(path)
    with pytest.warns(ResourceWarning, match=r"unclosed <Database .*test.db"):
        del db
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Database(path).close()


def test_bindings(db: Database) -> None:
    assert db.query("SELECT ?, ?3, ?2", [1, 2, 3]).fetch_one() == (1, 3, 2)
    assert db.query("SELECT :a, @b, $c", {"a": 1, "@b": 2, "$c": 3}).fetch_one() == (1, 2, 3)
    assert db.query("SELECT ?", (True,)).fetch_one() == (1,)
    assert db.query("SELECT ?", range(1)).fetch_one() == (0,)
    for sql, bindings in (
        ("SELECT ?", []), ("SELECT ?", [1, 2]), ("SELECT 1", [1]), ("SELECT :a", {"b": 1}), ("SELECT :a, :b", {"a": 1}),
        ("SELECT ?", "x"), ("SELECT ?", {"a": 1}),
    ):  # fmt: skip
        with pytest.raises(ProgrammingError) as caught:
            db.query(sql, bindings)
        assert caught.value.code == "CORM_E_BINDING", sql
    with pytest.raises(cormorant.DataError, match="binding 2: a value is of type object"):
        db.execute("SELECT ?, ?", [1, object()])
    with pytest.raises(cormorant.DataError, match=r"binding x: a value is of type pathlib\.[\w.]*Path"):
        db.execute("SELECT :x", {"x": Path()})


def test_execute_counts_changes(db: Database) -> None:
    assert db.execute("INSERT INTO departments (name) VALUES ('a'), ('b')") == 2
    assert (db.changes, db.last_insert_id) == (2, 2)
    assert db.execute("UPDATE departments SET name = name || ?", ["!"]) == 2
    assert db.execute("DELETE FROM departments WHERE id = ?", [1]) == 1
    # Mended: it gave 0 and dropped the rows
    with pytest.raises(cormorant.Error, match="is there for its rows") as caught:
        db.execute("SELECT 1")
    assert caught.value.code == "CORM_E_MISUSE"
    assert db.execute("PRAGMA user_version") == 0
    assert db.total_changes == 5


def test_execute_many(db: Database) -> None:
    sql = "INSERT INTO departments (name) VALUES (?)"
    assert db.execute_many(sql, [("a",), ("b",)]) == 2
    assert db.execute_many(sql, (["c"], ("d",))) == 2
    assert db.execute_many("INSERT INTO departments (name) VALUES (:n)", iter([{"n": "e"}, {"n": "f"}])) == 2
    assert db.execute_many(sql, []) == 0
    with pytest.raises(cormorant.UniqueViolation) as caught:
        db.execute_many(sql, [("g",), ("a",), ("h",)])
    assert caught.value.record_index == 1
    with pytest.raises(cormorant.DataError) as data:
        db.execute_many(sql, [("g",), (object(),)])
    assert data.value.record_index == 1
    assert db.count(Department) == 6


def test_execute_many_takes_rows_as_they_come(db: Database) -> None:
    sql = "INSERT INTO departments (name) VALUES (?)"
    written: list[int] = []

    def rows(count: int, bad: object = None) -> Iterator[tuple[object]]:
        for number in range(count):
            written.append(db.total_changes)
            yield (f"n{number}" if bad is None or number < count - 1 else bad,)

    assert db.execute_many(sql, rows(25_000)) == 25_000
    assert max(written) == 24_000
    db.delete_all(Department)
    for bad, error in (("n0", cormorant.UniqueViolation), (object(), cormorant.DataError)):
        with pytest.raises(error) as caught:
            db.execute_many(sql, rows(10_001, bad))
        assert caught.value.record_index == 10_000
        assert db.count(Department) == 0


def test_trace(db: Database) -> None:
    seen: list[tuple[str, float]] = []
    db.set_trace(lambda sql, seconds: seen.append((sql, seconds)))
    db.execute("INSERT INTO departments (name) VALUES (?)", ["secret"])
    db.find(Department, 1)
    db.set_trace(None)
    db.execute("DELETE FROM departments")
    assert len(seen) == 2
    assert seen[0][0] == "INSERT INTO departments (name) VALUES (?)"
    assert "departments" in seen[1][0]
    assert all(0 <= seconds < 1 for _, seconds in seen)
    assert "secret" not in str(seen)


def test_interrupt(db: Database) -> None:
    timer = threading.Timer(0.2, db.interrupt)
    timer.start()
    started = time.monotonic()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(OperationalError) as caught:
        db.query(endless).fetch_all()
    assert caught.value.code == "CORM_E_INTERRUPTED"
    assert time.monotonic() - started < 5
    timer.join()
    assert db.count(Department) == 0


def test_the_busy_timeout_is_kept(db: Database, path: Path) -> None:
    with db.transaction():
        for timeout in (0, 0.3):
            with Database(path, busy_timeout=timeout) as other:
                started = time.monotonic()
                with pytest.raises(cormorant.BusyError) as caught:
                    other.insert(Department("a"))
                assert caught.value.code == "CORM_E_BUSY"
                assert timeout <= time.monotonic() - started < timeout + 2


@plain_only
def test_python_sqlite3_sees_the_same_file(db: Database, path: Path) -> None:
    db.insert(Person("Ann", 35))
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name, age FROM people").fetchall() == [("Ann", 35)]
    with connection:
        connection.execute("INSERT INTO people (name, age) VALUES ('Bob', 20)")
    connection.close()
    assert [p.name for p in db.fetch_all(Person, order_by="id")] == ["Ann", "Bob"]


def test_a_path_is_a_str_or_path_like(tmp_path: Path, db: Database) -> None:
    def with_template(path: Any) -> Database:
        wrong: Any = 5 if path is None else path
        return Database(tmp_path / "x.db", template=wrong)

    bad: Any
    for bad in (b"x.db", 5, None):
        for use in (Database, Bundle.seal, db.backup, with_template):
            with pytest.raises(TypeError, match=r"not a str or os\.PathLike"):
                use(bad)
