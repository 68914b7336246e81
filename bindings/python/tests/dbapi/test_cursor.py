"""Cursors of the DB-API: rows, what they tell, values."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from models import Everything

from cormorant import Database, DataError, ProgrammingError, dbapi
from cormorant._native.handle import DatabaseHandle
from cormorant._native.python import Run, _ctypes_runner, runner
from cormorant.dbapi import Cursor

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n"


@pytest.fixture
def cursor(path: Path) -> Iterator[Cursor]:
    connection = dbapi.connect(path)
    connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR(20) UNIQUE, made DATETIME, data BLOB)")
    connection.commit()
    yield connection.cursor()
    connection.close()


def test_description_has_names_and_declared_types(cursor: Cursor) -> None:
    cursor.execute("SELECT name, made AS at, data, id, id + 1 FROM item")
    assert cursor.description is not None
    assert [column[:2] for column in cursor.description] == [
        ("name", "VARCHAR(20)"),
        ("at", "DATETIME"),
        ("data", "BLOB"),
        ("id", "INTEGER"),
        ("id + 1", None),
    ]
    assert all(column[2:] == (None,) * 5 for column in cursor.description)
    kinds = (dbapi.STRING, dbapi.DATETIME, dbapi.BINARY, dbapi.NUMBER)
    for index, (_, declared, *_rest) in enumerate(cursor.description[:4]):
        assert [kind == declared for kind in kinds] == [place == index for place in range(4)]
    assert cursor.description[4][1] not in kinds


def test_description_is_of_the_columns_as_they_are_now(cursor: Cursor, path: Path) -> None:
    cursor.execute("SELECT * FROM item").fetchall()
    cursor.connection.commit()
    with Database(path) as other:
        other.execute("ALTER TABLE item ADD COLUMN more TEXT")
    cursor.execute("SELECT * FROM item")
    assert cursor.description is not None
    assert cursor.description[-1][0] == "more"


def test_statements_without_rows_have_no_description(cursor: Cursor) -> None:
    cursor.execute("SELECT 1")
    cursor.execute("INSERT INTO item (name) VALUES ('a')")
    assert cursor.description is None
    with pytest.raises(dbapi.InterfaceError, match="no rows to fetch"):
        cursor.fetchone()


def test_rowcount(cursor: Cursor) -> None:
    counts = {
        "INSERT INTO item (name) VALUES ('a'), ('b'), ('c')": 3,
        "UPDATE item SET made = 1 WHERE name < 'c'": 2,
        "UPDATE item SET made = 1 WHERE name = 'z'": 0,
        "WITH x AS (SELECT 'a' AS n) UPDATE item SET made = 2 WHERE name IN (SELECT n FROM x)": 1,
        "INSERT OR IGNORE INTO item (name) VALUES ('a')": 0,
        "REPLACE INTO item (name) VALUES ('a')": 1,
        "UPDATE item SET made = 3 RETURNING id": 3,
        "SELECT * FROM item": -1,
        "CREATE TABLE other (id)": -1,
        "PRAGMA user_version": -1,
        "DELETE FROM item": 3,
    }
    assert {sql: cursor.execute(sql).rowcount for sql in counts} == counts


@pytest.mark.parametrize("count", [1, 2, 10_500])
def test_rowcount_has_nothing_of_triggers_and_cascades(cursor: Cursor, count: int) -> None:
    cursor.execute("CREATE TABLE log (id REFERENCES item ON DELETE CASCADE)")
    cursor.execute("CREATE TRIGGER noted AFTER UPDATE ON item BEGIN INSERT INTO log VALUES (new.id); END")
    rows = [(number,) for number in range(1, count + 1)]
    assert cursor.executemany("INSERT INTO item (id) VALUES (?)", rows).rowcount == count
    assert cursor.executemany("UPDATE item SET name = 'n' || id WHERE id = ?", rows).rowcount == count
    assert cursor.executemany("DELETE FROM item WHERE id = ?", rows).rowcount == count
    database = cursor.connection.database
    assert database.execute_many("INSERT INTO item (id) VALUES (?)", rows) == count
    assert database.execute_many("UPDATE item SET name = 'n' || id WHERE id = ?", rows) == count
    assert database.execute_many("DELETE FROM item WHERE id = ?", rows) == count


def test_lastrowid(cursor: Cursor) -> None:
    assert cursor.lastrowid is None
    assert cursor.execute("INSERT INTO item (id) VALUES (7)").lastrowid == 7
    assert cursor.execute("UPDATE item SET made = 1").lastrowid == 7
    assert cursor.execute("INSERT INTO item (name) VALUES ('x')").lastrowid == 8
    other = cursor.connection.cursor()
    assert other.execute("INSERT OR IGNORE INTO item (id) VALUES (8)").lastrowid is None


def test_fetching_mixed_over_many_blocks(cursor: Cursor) -> None:
    cursor.execute(NUMBERS, (1000,))
    assert cursor.fetchone() == (1,)
    assert cursor.fetchmany() == [(2,)]
    assert cursor.fetchmany(400) == [(i,) for i in range(3, 403)]
    cursor.arraysize = 3
    assert cursor.fetchmany() == [(403,), (404,), (405,)]
    assert next(cursor) == (406,)
    assert [row[0] for row, _ in zip(cursor, range(4))] == [407, 408, 409, 410]
    assert len(cursor.fetchall()) == 589  # zip took one more
    assert cursor.fetchone() is None
    assert cursor.fetchall() == cursor.fetchmany() == []


def test_a_result_streams(cursor: Cursor) -> None:
    assert cursor.execute(NUMBERS, (10**12,)).fetchone() == (1,)
    cursor.close()


def test_rows_of_returning_are_there_and_the_statement_has_ended(cursor: Cursor) -> None:
    cursor.executemany("INSERT INTO item (name) VALUES (?)", [(str(i),) for i in range(500)])
    cursor.execute("DELETE FROM item RETURNING name")
    cursor.connection.commit()
    assert cursor.fetchone() == ("0",)
    assert len(cursor.fetchall()) == 499


def test_parameters_by_name(cursor: Cursor) -> None:
    assert cursor.execute("SELECT :a, @b, $c", {"a": 1, "@b": 2, "c": 3}).fetchone() == (1, 2, 3)
    with pytest.raises(dbapi.ProgrammingError):
        cursor.execute("SELECT :a", {"b": 1})


@pytest.mark.parametrize("parameters", [(), (1,), (1, 2, 3)])
def test_another_number_of_parameters_is_refused(cursor: Cursor, parameters: tuple[int, ...]) -> None:
    with pytest.raises(dbapi.ProgrammingError):
        cursor.execute("SELECT ?, ?", parameters)


@pytest.mark.parametrize("value", [None, 0, -(2**63), 2**63 - 1, 1.5, "", "ä\U0001f600", b"", b"\0\xff"])
def test_values_come_back(cursor: Cursor, value: Any) -> None:
    row = cursor.execute("SELECT ?", (value,)).fetchone()
    assert row == (value,)
    assert type(row[0]) is type(value)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30])
def test_an_integer_beyond_64_bits_is_refused(cursor: Cursor, value: int) -> None:
    with pytest.raises(dbapi.DataError, match="64 bits"):
        cursor.execute("SELECT ?", (value,))
    with pytest.raises(dbapi.DataError, match="64 bits"):
        cursor.executemany("INSERT INTO item (id) VALUES (?)", [(1,), (value,)])


ID = uuid.UUID(int=7)
MOMENT = datetime(2024, 5, 6, 7, 8, 9, 12)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (True, 1),
        (Decimal("1.50"), "1.50"),
        (ID, str(ID)),
        (bytearray(b"x"), b"x"),
        (date(2024, 5, 6), "2024-05-06"),
        (time(7, 8), "07:08:00"),
        (MOMENT, "2024-05-06 07:08:09.000012"),
        (MOMENT.replace(tzinfo=timezone(timedelta(hours=2))), "2024-05-06 05:08:09.000012"),
    ],
)
def test_what_other_values_are_bound_as(cursor: Cursor, value: Any, stored: Any) -> None:
    assert cursor.execute("SELECT ?", (value,)).fetchone() == (stored,)
    cursor.executemany("INSERT INTO item (data) VALUES (?)", [(value,), [value]])
    assert cursor.execute("SELECT data FROM item").fetchall() == [(stored,)] * 2
    cursor.executemany("UPDATE item SET data = :it", [{"it": value}])


def test_values_that_sql_has_not_are_refused(cursor: Cursor) -> None:
    with pytest.raises(dbapi.DataError, match="binding 1: a value is of type object"):
        cursor.execute("SELECT ?", (object(),))
    with pytest.raises(dbapi.DataError, match="binding 1") as caught:
        cursor.executemany("INSERT INTO item (data) VALUES (?)", [(1,), ([],)])
    assert caught.value.record_index == 1


def test_times_of_the_dbapi_are_read_by_models(path: Path) -> None:
    with Database(path) as database:
        database.create_tables(Everything)
        columns = database.query("SELECT name, type FROM pragma_table_info('everything')").fetch_all()
    assert any(kind == dbapi.DATETIME for _, kind in columns)


def test_executemany_is_whole_or_not_at_all(cursor: Cursor) -> None:
    rows = [(str(i),) for i in range(25_000)]
    cursor.execute("INSERT INTO item (name) VALUES ('first')")
    with pytest.raises(dbapi.IntegrityError) as caught:
        cursor.executemany("INSERT INTO item (name) VALUES (?)", [*rows, ("7",)])
    assert caught.value.record_index == 25_000
    assert cursor.execute("SELECT name FROM item").fetchall() == [("first",)]
    cursor.connection.commit()
    assert cursor.executemany("INSERT INTO item (name) VALUES (?)", iter(rows)).rowcount == 25_000
    cursor.connection.rollback()
    cursor.connection.autocommit = True
    with pytest.raises(dbapi.IntegrityError):
        cursor.executemany("INSERT INTO item (name) VALUES (?)", [*rows, ("7",)])
    assert cursor.execute("SELECT name FROM item").fetchall() == [("first",)]
    assert not cursor.connection.in_transaction


def test_what_other_threads_write_is_no_part_of_executemany(path: Path) -> None:
    with closing(dbapi.connect(path, autocommit=True)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("CREATE TABLE log (x)")
        rows = chain(((number,) for number in range(25_000)), [(2**63,)])

        def insert() -> None:
            with pytest.raises(DataError):
                connection.executemany("INSERT INTO t VALUES (?)", rows)

        thread = threading.Thread(target=insert)
        thread.start()
        written = 0
        while thread.is_alive():
            connection.execute("INSERT INTO log VALUES (1)")
            written += 1
        thread.join()
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (written,)
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_a_commit_of_another_thread_waits_for_executemany(path: Path) -> None:
    with closing(dbapi.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.commit()
        counts: list[int] = []

        def insert() -> None:
            rows = ((number,) for number in range(35_000))
            counts.append(connection.executemany("INSERT INTO t VALUES (?)", rows).rowcount)

        thread = threading.Thread(target=insert)
        thread.start()
        while thread.is_alive():
            connection.commit()
        thread.join()
        assert counts == [35_000]
        connection.rollback()
        assert connection.execute("SELECT count(*) FROM t").fetchone() in ((0,), (35_000,))


def test_a_commit_that_gets_no_turn_is_an_error(path: Path) -> None:
    with closing(dbapi.connect(path, busy_timeout=0.2)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.commit()
        connection.execute("INSERT INTO t VALUES (1)")
        busy, done = threading.Event(), threading.Event()

        def rows() -> Iterator[tuple[int]]:
            for number in range(10_002):
                if number == 10_001:
                    busy.set()
                    done.wait(30)
                yield (number,)

        thread = threading.Thread(target=lambda: connection.executemany("INSERT INTO t VALUES (?)", rows()))
        thread.start()
        busy.wait(30)
        try:
            for end in (connection.commit, connection.rollback, lambda: connection.in_transaction):
                with pytest.raises(dbapi.OperationalError, match="busy timeout"):
                    end()
        finally:
            done.set()
            thread.join()
        connection.commit()
        with Database(path) as other:
            assert other.query("SELECT count(*) FROM t").fetch_one() == (10_003,)
    assert not connection.in_transaction


@pytest.mark.parametrize("word", ["commit", "COMMIT"])
def test_the_parameters_of_executemany_end_no_transaction(path: Path, word: str) -> None:
    with closing(dbapi.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a)")

        def rows() -> Iterator[tuple[int]]:
            for number in range(25_000):
                if number == 15_000:
                    connection.execute(word) if word.isupper() else connection.commit()
                yield (number,)

        with pytest.raises(ProgrammingError, match="executemany"):
            connection.executemany("INSERT INTO t VALUES (?)", rows())
        if not word.isupper():
            assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)


def test_executemany_of_nothing(cursor: Cursor) -> None:
    assert cursor.executemany("INSERT INTO item (name) VALUES (?)", []).rowcount == 0


def test_executemany_of_a_query_is_refused(cursor: Cursor) -> None:
    with pytest.raises(dbapi.ProgrammingError):
        cursor.executemany("SELECT ?", [(1,), (2,)])


def test_sql_that_is_none(cursor: Cursor) -> None:
    for sql in ("", "SELECT 1; SELECT 2", "SELEC"):
        with pytest.raises(dbapi.ProgrammingError):
            cursor.execute(sql)
    with pytest.raises(dbapi.ProgrammingError, match="give SQL as str"):
        cursor.execute(b"SELECT 1")  # type: ignore[arg-type]


def test_a_closed_cursor_says_so(cursor: Cursor) -> None:
    with cursor as open_cursor:
        open_cursor.execute("SELECT 1")
    for call in (cursor.fetchone, cursor.fetchmany, cursor.fetchall):
        with pytest.raises(dbapi.ProgrammingError, match="cursor is closed"):
            call()
    with pytest.raises(dbapi.ProgrammingError, match="cursor is closed"):
        cursor.execute("SELECT 1")


def test_an_error_while_fetching_ends_the_result(cursor: Cursor) -> None:
    cursor.execute(f"SELECT abs(CASE i WHEN 300 THEN -9223372036854775808 ELSE i END) FROM ({NUMBERS})", (400,))
    with pytest.raises(dbapi.Error, match="integer overflow"):
        cursor.fetchall()
    assert cursor.execute("SELECT 1").fetchone() == (1,)


def test_constructors() -> None:
    assert dbapi.TimestampFromTicks(0) == datetime.fromtimestamp(0)
    assert dbapi.DateFromTicks(0) == date.fromtimestamp(0)
    assert dbapi.TimeFromTicks(0) == datetime.fromtimestamp(0).time()
    assert dbapi.Binary(b"x") == b"x"


@pytest.mark.parametrize("make_run", [runner, _ctypes_runner])
def test_every_way_that_bindings_cross_gives_the_same_row(make_run: Callable[[DatabaseHandle], Run]) -> None:
    values = (None, -1, 2**63 - 1, -(2**63), 1.5, "", "x" * 2000, "ö\0ü", b"", b"\0" * 2000)
    with closing(dbapi.connect(":memory:")) as connection:
        connection._run = make_run(connection._handle)
        sql = f"SELECT {', '.join('?' * len(values))}"
        plain = connection.execute(sql, values).fetchone()
        assert plain == values
        assert connection.execute(sql, list(values)).fetchone() == plain
        assert connection.execute("SELECT ?, ?", (True, Decimal("1.50"))).fetchone() == (1, "1.50")
        assert connection.execute("SELECT 'ö', :a", {"a": 1}).fetchone() == ("ö", 1)


@pytest.mark.parametrize("make_run", [runner, _ctypes_runner])
def test_what_cannot_be_bound_or_run_says_why(make_run: Callable[[DatabaseHandle], Run]) -> None:
    with closing(dbapi.connect(":memory:")) as connection:
        connection._run = make_run(connection._handle)
        for values, message in [
            ((2**63,), "does not fit"),
            ((float("nan"),), "NaN"),
            (("\ud800",), "parameter 1"),
            ((object(),), "object"),
            ((1, 2), "has 1 parameter"),
        ]:
            with pytest.raises(dbapi.Error, match=message):
                connection.execute("SELECT ?", values)
        for sql in ("SELECT 1\0", "SELECT '\ud800'"):
            with pytest.raises(dbapi.DataError):
                connection.execute(sql)
        with pytest.raises(dbapi.ProgrammingError, match="bytes is no statement"):
            connection.execute(b"SELECT 1")  # type: ignore[arg-type]


def test_a_kept_statement_sees_columns_that_another_has_added(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(dbapi.connect(path)) as one, closing(dbapi.connect(path)) as other:
        one.execute("CREATE TABLE t (a TEXT)")
        one.execute("INSERT INTO t VALUES ('x')")
        one.commit()
        cursor = one.execute("SELECT * FROM t")
        assert cursor.fetchall() == [("x",)]
        one.commit()
        other.execute("ALTER TABLE t ADD COLUMN b INTEGER")
        other.commit()
        cursor = one.execute("SELECT * FROM t")
        assert cursor.fetchone() == ("x", None)
        assert cursor.description is not None
        assert [column[:2] for column in cursor.description] == [("a", "TEXT"), ("b", "INTEGER")]


def test_a_statement_that_runs_inside_itself_is_another(tmp_path: Path) -> None:
    with closing(dbapi.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(1000)])
        outer = connection.execute("SELECT a FROM t")
        assert outer.fetchone() == (0,)
        assert connection.execute("SELECT a FROM t").fetchone() == (0,)
        assert connection.execute("SELECT a FROM t").fetchall()[-1] == (999,)
        assert len(outer.fetchall()) == 999


def test_rowcount_outlives_the_cursor(cursor: Cursor) -> None:
    cursor.execute("INSERT INTO item (name) VALUES ('a'), ('b')")
    cursor.close()
    assert cursor.rowcount == 2


class Statement(str, Enum):
    ONE = "SELECT 1"
    INSERT = "INSERT INTO item (name) VALUES (?)"


def test_sql_may_be_of_a_class_derived_from_str(cursor: Cursor) -> None:
    assert cursor.execute(Statement.ONE).fetchall() == [(1,)]
    assert cursor.executemany(Statement.INSERT, [("a",), ("b",)]).rowcount == 2
    with pytest.raises(ProgrammingError, match="int is no statement"):
        cursor.execute(1)  # type: ignore[arg-type]


def test_no_row_comes_of_a_connection_that_is_closed(cursor: Cursor) -> None:
    cursor.execute(NUMBERS, (3,))
    assert next(cursor) == (1,)
    cursor.connection.close()
    for take in (lambda: next(cursor), cursor.fetchone, cursor.fetchall):
        with pytest.raises(ProgrammingError, match="the connection is closed"):
            take()


def test_an_error_on_a_closed_connection_is_freed(cursor: Cursor, monkeypatch: pytest.MonkeyPatch) -> None:
    freed: list[int] = []

    def owned_error(error: int, handle: DatabaseHandle) -> Exception:
        freed.append(error)
        return owned(error, handle)

    owned = dbapi.connection.owned_error  # type: ignore[attr-defined]
    monkeypatch.setattr(dbapi.connection, "owned_error", owned_error)
    cursor.connection.close()
    with pytest.raises(ProgrammingError, match="the connection is closed"):
        cursor.execute("SELECT 1")
    assert len(freed) == 1
