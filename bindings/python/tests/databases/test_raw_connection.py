"""Connections that are set up when they are opened, and lent for what only SQLite's own calls can do."""

from __future__ import annotations

import copy
import ctypes
import gc
import threading
from pathlib import Path

import pytest
from models import Department, Person

from cormorant import Database, Error, OperationalError, ProgrammingError, RawConnection, Registry


def on_thread(work: object) -> list[BaseException]:
    caught: list[BaseException] = []

    def run() -> None:
        try:
            work()  # type: ignore[operator]
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    return caught


def test_readers_are_set_up_too(tmp_path: Path) -> None:
    seen: list[tuple[bool, int]] = []

    def set_up(connection: RawConnection) -> None:
        seen.append((connection.is_reader, threading.get_ident()))
        connection.execute_script("PRAGMA cache_size = -4321")

    with Database(tmp_path / "a.db", set_up=set_up) as db:
        db.create_tables(Department, Person)
        found: list[int] = []
        with db.transaction():
            on_thread(lambda: found.append(db.query("SELECT cache_size FROM pragma_cache_size").fetch_all()[0][0]))
        assert found == [-4321]
    assert [is_reader for is_reader, _ in seen] == [False, True]
    assert seen[1][1] != threading.get_ident()


def test_what_it_raises_is_the_cause(tmp_path: Path) -> None:
    fails = True

    def set_up(connection: RawConnection) -> None:
        if connection.is_reader or fails:
            raise ValueError("not today")

    with pytest.raises(Error, match="not today") as caught:
        Database(tmp_path / "a.db", set_up=set_up)
    assert isinstance(caught.value.__cause__, ValueError)
    fails = False
    with Database(tmp_path / "a.db", set_up=set_up) as db:
        db.create_tables(Department, Person)
        with db.transaction():
            (error,) = on_thread(lambda: db.count(Person))
        assert isinstance(error, Error)
        assert isinstance(error.__cause__, ValueError)

    def interrupt(connection: RawConnection) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Database(tmp_path / "a.db", set_up=interrupt)


def test_it_lives_as_long_as_the_registry(tmp_path: Path) -> None:
    seen: list[str] = []

    def note(connection: RawConnection) -> None:
        seen.append("set up")

    with Registry(tmp_path / "{name}.db", set_up=lambda connection: note(connection)) as registry:
        registry.register("other", tmp_path / "else.db", set_up=lambda connection: note(connection))
        gc.collect()
        with registry.use("ida"), registry.use("other"):
            pass
    assert seen == ["set up", "set up"]


def test_the_writer_is_lent(db: Database) -> None:
    kept: list[RawConnection] = []

    def use(connection: RawConnection) -> int:
        kept.append(connection)
        assert not connection.is_reader
        Person("Ada").insert(db)
        sqlite = ctypes.CDLL(None)
        assert connection.sqlite3 > 0
        del sqlite
        connection.execute_script("UPDATE people SET name = 'Bob'")
        return db.count(Person)

    assert db.use_connection(use) == 1
    assert db.fetch_all(Person)[0].name == "Bob"
    with pytest.raises(ProgrammingError):
        _ = kept[0].sqlite3
    with pytest.raises(ProgrammingError):
        kept[0].execute_script("SELECT 1")
    with pytest.raises(TypeError):
        copy.copy(kept[0])


def test_what_the_function_raises_is_raised(db: Database) -> None:
    def fail(connection: RawConnection) -> None:
        connection.execute_script("BEGIN; CREATE TABLE gone (x)")
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        db.use_connection(fail)
    assert db.query("SELECT count(*) FROM sqlite_schema WHERE name = 'gone'").fetch_all()[0][0] == 0
    with pytest.raises(ProgrammingError, match="left open"):
        db.use_connection(lambda connection: connection.execute_script("BEGIN"))
    with pytest.raises(ProgrammingError, match="no such table"):
        db.use_connection(lambda connection: connection.execute_script("SELECT 1 FROM nowhere"))


def test_a_wait_for_shared_memory_ends_when_the_other_does(tmp_path: Path) -> None:
    path = f"file:{tmp_path}/shared?mode=memory&cache=shared"
    with Database(path) as one, Database(path, busy_timeout=20) as two:
        one.create_tables(Department, Person)

        def write(db: Database) -> None:
            for number in range(100):
                Person(f"{number}").insert(db)
                db.fetch_all(Person)

        threads = [threading.Thread(target=write, args=(db,)) for db in (one, two)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert one.count(Person) == two.count(Person) == 200
        with two.cursor(Person) as cursor:
            iter(cursor)
    with pytest.raises(OperationalError, match="journal mode"):
        Database("file:/one?vfs=memdb")


def test_what_its_borrower_began_by_calls_is_rolled_back(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db") as db:
        db.execute_script("CREATE TABLE t (x)")
        kept = []

        def begin(connection: RawConnection) -> None:
            kept.append(db.transaction().__enter__())
            db.execute("INSERT INTO t VALUES (1)")

        with pytest.raises(ProgrammingError, match="left open"):
            db.use_connection(begin)
        with db.transaction(), pytest.raises(ProgrammingError, match="left open"):
            db.use_connection(begin)
        db.execute("INSERT INTO t VALUES (2)")
        with Database(tmp_path / "a.db") as other:
            assert other.fetch_values("SELECT x FROM t") == [2]


def test_reads_follow_a_script_that_fails_half_way(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db") as db:
        db.execute_script("CREATE TABLE t (n); INSERT INTO t VALUES (1)")
        assert on_thread(lambda: db.fetch_value("SELECT n FROM t")) == []
        with pytest.raises(Error, match="nowhere"):
            db.use_connection(lambda c: c.execute_script("CREATE TEMP TABLE t AS SELECT 2 AS n; SELECT nowhere()"))
        assert db.fetch_value("SELECT n FROM t") == 2
