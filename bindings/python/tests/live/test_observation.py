"""Observers: what they are told, how events are taken, and what callbacks may do."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import uuid
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import pytest
from models import Department, Person, make

from cormorant import Column, Database, DataError, Error, Event, ProgrammingError, Region, column, func, select

R = TypeVar("R")


def taken(event: Event[R] | None) -> Event[R]:
    assert event
    return event


def kinds(event: Event[Any] | None) -> list[tuple[str, Any]]:
    assert event
    return [(change.kind, change.key) for change in event.changes]


def test_what_cannot_be_watched_is_an_error(db: Database) -> None:
    for region in (Region("nothing"), Region("people", "nothing")):
        with pytest.raises(ProgrammingError):
            db.observe(region)
    with pytest.raises(Error, match="key"):
        db.observe(Person, key=(1, 2))
    with pytest.raises(DataError):
        db.observe(Person, key="x")
    with pytest.raises(Error, match="query"):
        db.observe("DELETE FROM people")
    with pytest.raises(ProgrammingError):
        db.observe_live(None, "SELECT name FROM people", key=["id"])
    with pytest.raises(Error), db.transaction():
        db.observe_live(Person)
    with pytest.raises(ProgrammingError), db.observe(Person, callback=print) as observer:
        observer.next(0)


def test_an_async_iterator_waits_without_blocking(db: Database) -> None:
    async def listen() -> list[list[tuple[Any, ...]]]:
        seen = []
        with db.observe_live(None, "SELECT name FROM people ORDER BY id") as live:
            async for event in live:
                seen.append(event.rows)
                if len(seen) == 3:
                    break
                asyncio.get_running_loop().call_later(0.01, lambda: db.insert(Person(name=str(len(seen)))))
        return seen

    assert asyncio.run(asyncio.wait_for(listen(), 10)) == [[], [("1",)], [("1",), ("2",)]]


def test_iterators_end_with_the_database(path: Path) -> None:
    db = Database(path)
    db.create_tables(Department, Person)
    observer = db.observe(Person)
    db.insert(Person(name="a"))

    async def listen() -> int:
        return sum([1 async for _ in observer])

    threading.Timer(0.05, db.close).start()
    assert asyncio.run(asyncio.wait_for(listen(), 10)) == 1
    assert observer.next() is None
    observer.cancel()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_callback_that_raises_does_not_harm_the_writer(db: Database) -> None:
    told: list[Event[Person]] = []

    def fail(event: Event[Person]) -> None:
        told.append(event)
        raise ValueError("not today")

    with db.observe(Person, callback=fail):
        db.insert(Person(name="a"))
        db.insert(Person(name="b"))
    assert len(told) == 2
    assert db.count(Person) == 2


def test_threads_write_while_others_listen(db: Database) -> None:
    told: list[Event[Person]] = []
    with db.observe(Person, callback=told.append):
        threads = [threading.Thread(target=lambda: [db.insert(Person(name="t")) for _ in range(100)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        end = time.monotonic() + 10
        while len(told) < 400 and time.monotonic() < end:
            time.sleep(0.001)
    assert sorted(change.row_id for event in told for change in event.changes) == list(range(1, 401))


def test_a_forgotten_observer_warns(db: Database) -> None:
    observer = db.observe(Person)
    with pytest.warns(ResourceWarning):
        del observer
        gc.collect()


def test_what_is_no_query_takes_no_bindings_and_only_a_model_a_key(db: Database) -> None:
    observe: Any = db.observe
    for what in (Region("people"), Person, [Region("people")]):
        with pytest.raises(ProgrammingError, match="several regions as a list"):
            observe(what, Region("departments"))
        with pytest.raises(ProgrammingError, match="parameters"):
            observe(what, name="x")
    with pytest.raises(ProgrammingError, match="key"):
        observe(Region("people"), key=1)
    with pytest.raises(ProgrammingError, match="Region"):
        observe([Person, Department])
    with db.observe([Region("people"), Region("departments")]) as observer:
        db.insert(Department(name="a"))
        assert [change.table for change in taken(observer.next(0)).changes] == ["departments"]


KEYS: list[tuple[Any, Any, Any]] = [
    (datetime, datetime(2020, 1, 1, tzinfo=timezone.utc), datetime(2020, 1, 1, 12, 30, 0, 5, tzinfo=timezone.utc)),
    (uuid.UUID, uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)),
    (Decimal, Decimal("1.10"), Decimal("-3")),
    (bool, True, False),
    (bytes, b"a", b"\0"),
    (float, 1.5, 2.0),
]


@pytest.mark.parametrize("without_rowid", [False, True])
@pytest.mark.parametrize(("kind", "first", "second"), KEYS)
def test_a_key_has_the_values_that_records_have(
    db: Database, kind: Any, first: Any, second: Any, without_rowid: bool
) -> None:
    # The key's order is not that of the columns.
    cls: Any = make(
        {"name": Column[str], "b": Column[kind], "a": Column[kind]},
        {},
        primary_key=("a", "b"),
        without_rowid=without_rowid,
    )
    db.create_tables(cls)
    with db.observe(cls) as observer, db.observe_live(cls) as live, db.observe_live(cls, key=["b"]) as by_b:
        assert [taken(each.next(0)).rows for each in (live, by_b)] == [[], []]
        db.insert(cls(name="x", a=first, b=second))
        for each in (observer, live):
            [change] = taken(each.next(0)).changes
            assert change.key == (first, second)
            assert list(map(type, change.key)) == [type(first)] * 2
            assert db.find(cls, *change.key) == cls(name="x", a=first, b=second)
        assert taken(by_b.next(0)).changes[0].key == (second,)
    with db.observe(cls, key=(first, second)) as observer:
        db.delete_all(cls)
        assert kinds(observer.next(0)) == [("delete", (first, second))]


def test_columns_of_a_live_query_are_as_those_of_a_query(db: Database) -> None:
    types: dict[str, Any] = {
        "name": Column[str | None],
        "day": Column[date | None],
        "at": Column[datetime | None],
        "price": Column[Decimal | None],
        "code": Column[uuid.UUID | None],
        "big": Column[int | None],
        "tags": Column[list[str] | None],
        "flag": Column[bool | None],
    }
    options: Any = {name: column(default=None) for name in types} | {"big": column(unsigned=True, default=None)}
    cls: Any = make(types, options)
    db.create_tables(cls)
    db.insert(cls("a", date(2024, 1, 2), datetime(2024, 1, 2, tzinfo=timezone.utc), Decimal("1.50"), uuid.UUID(int=5)))
    query = select(*(getattr(cls, name) for name in types), func.upper(cls.name), cls.price * 2, cls.name == "a")
    query = query.order_by(cls.name)
    with db.observe_live(query) as live, db.observe_live(select(cls.name)) as names:
        assert taken(live.next(0)).rows == db.fetch_all(query)
        assert taken(names.next(0)).rows == db.fetch_all(select(cls.name)) == [("a",)]
        db.insert(cls("b", big=2**63 - 1, tags=["x"], flag=True))
        event = taken(live.next(0))
        assert event.rows == db.fetch_all(query)
        assert [row[5:8] for row in event.rows] == [(None, None, None), (2**63 - 1, ["x"], True)]
        assert [row[-1] is True for row in event.rows] == [True, False]
        assert [event.rows[change.position or 0] for change in event.changes] == event.rows[1:]
    with pytest.raises(ProgrammingError, match="records of one model"):
        db.observe_live(select(cls, cls.name))


def test_a_key_that_cannot_be_read_is_an_error(db: Database) -> None:
    cls: Any = make({"id": Column[uuid.UUID]}, {"id": column(primary_key=True)})
    db.create_tables(cls)
    with db.observe(cls) as observer:
        db.execute(f"INSERT INTO {cls.__model__.table} VALUES ('none')")
        with pytest.raises(DataError, match=r"\.id is no uuid"):
            observer.next(0)


def test_what_a_function_reads_is_watched(db: Database) -> None:
    runs = []

    def body(db: Database) -> list[str]:
        runs.append(db)
        if not db.count(Person):
            return []
        return [person.name for person in db.fetch_all(Person)] + [str(db.count(Department))]

    with db.observe(body) as names:
        assert names.next(0) == []
        assert names.next(0) is None
        assert runs == [db]
        db.insert(Person(name="a"))
        assert names.next(0) == ["a", "0"]
        # It went on to another table.
        db.insert(Department("d"))
        db.execute("UPDATE people SET age = 7")
        assert names.next(0) == ["a", "1"]
        assert names.next(0) is None


def test_values_go_to_a_callback_and_loops(db: Database) -> None:
    told: list[bool] = []
    observer = db.observe(lambda db: db.count(Person) > 1, callback=told.append)
    for name in "abc":
        db.insert(Person(name=name))
    observer.cancel()
    db.execute("DELETE FROM people")
    # Equal ones are told once, and False is a value.
    assert told == [False, True]

    async def listen() -> list[int]:
        seen = []
        with db.observe(lambda db: db.count(Person)) as counts:
            async for count in counts:
                seen.append(count)
                if len(seen) == 3:
                    break
                asyncio.get_running_loop().call_later(0.01, lambda: db.insert(Person(name=str(len(seen)))))
        return seen

    assert asyncio.run(listen()) == [0, 1, 2]
    with db.observe(lambda db: db.count(Person)) as counts:
        for count in counts:
            if count == 4:
                break
            db.insert(Person(name="x"))


def test_what_a_function_raises_is_raised(db: Database) -> None:
    def refuse(db: Database) -> int:
        if db.count(Person) != 1:
            return db.count(Person)
        raise ValueError("one")

    with db.observe(refuse) as observer:
        assert observer.next(0) == 0
        db.insert(Person(name="a"))
        with pytest.raises(ValueError, match="one"):
            observer.next(0)
        with pytest.raises(ValueError, match="one"):
            db.observe(refuse)
        errors: list[Exception] = []
        db.insert(Person(name="b"))
        watch = db.observe(refuse, callback=lambda count: None, on_error=errors.append)
        db.execute("DELETE FROM people WHERE name = 'a'")
        assert [str(error) for error in errors] == ["one"]
        watch.cancel()
    with pytest.raises(Error, match="of no table"):
        db.observe(lambda db: 1)
    with pytest.raises(Error, match="only reads"):
        db.observe(lambda db: db.insert(Person(name="c")))
    with pytest.raises(ProgrammingError, match="options"):
        db.observe(refuse, values=True)  # type: ignore[call-overload]
    with pytest.raises(Error, match="transaction"), db.transaction():
        db.observe(refuse)


@pytest.mark.parametrize("place", ["file", "memory"])
def test_a_restore_is_told(tmp_path: Path, place: str) -> None:
    with Database(tmp_path / "a.db" if place == "file" else ":memory:") as db:
        db.create_tables(Department)
        db.insert(Department("before"))
        db.backup(tmp_path / "copy.db")
        db.set_cache(Department, max_count=10, max_bytes=10_000)
        department = db.find(Department, 1)
        assert department
        department.name = "after"
        db.save(department)
        db.insert(Department("new"))
        assert db.find(Department, 1) == department
        assert db.find(Department, 2)
        counts: list[int] = []
        with (
            db.observe(Department) as observer,
            db.observe_live(select(Department)) as live,
            db.observe(lambda read: read.count(Department), callback=counts.append),
        ):
            assert len(taken(live.next(5)).rows) == 2
            db.restore(tmp_path / "copy.db")
            assert kinds(observer.next(5)) == [("unknown", ())]
            assert [row.name for row in taken(live.next(5)).rows] == ["before"]
        assert counts == [2, 1]
        found = db.find(Department, 1)
        assert found
        assert found.name == "before"
        assert db.find(Department, 2) is None


def test_a_time_limit_of_who_commits_is_not_the_watchs(path: Path) -> None:
    slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n"
    with Database(path) as db:
        db.execute("CREATE TABLE t (x)")
        with db.observe_live(None, f"SELECT (SELECT count(*) FROM t), ({slow})") as live:
            assert taken(live.next(20)).rows == [(0, 3000000)]
            with db.timeout(0.1):
                db.execute("INSERT INTO t VALUES (1)")
            assert taken(live.next(20)).rows == [(1, 3000000)]
            assert live.next(0.1) is None


def test_a_watch_begins_while_others_commit_faster_than_it_runs(path: Path) -> None:
    slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT max(i) FROM n"
    with Database(path) as db:
        db.execute("CREATE TABLE t (x)")
        ended = threading.Event()

        def write() -> None:
            while not ended.is_set():
                db.execute("INSERT INTO t VALUES (1)")

        thread = threading.Thread(target=write)
        thread.start()
        limit = threading.Timer(15, ended.set)
        limit.start()
        try:
            with db.observe_live(None, f"SELECT (SELECT count(*) FROM t), ({slow})") as live:
                assert not ended.is_set()
                ended.set()
                thread.join()
                last, count = None, db.count("SELECT * FROM t")
                while last != count:
                    last = taken(live.next(20)).rows[0][0]
        finally:
            ended.set()
            limit.cancel()
            thread.join()


def test_a_watch_goes_on_to_other_tables_when_the_writer_was_busy(tmp_path: Path) -> None:
    """Mended: a query that read other tables after a change of the schema was watched on those before, for ever."""
    held: list[threading.Thread] = []

    def hold(_: object) -> None:
        began = threading.Event()

        def write() -> None:
            with db.transaction():
                began.set()
                time.sleep(1)

        held.append(threading.Thread(target=write))
        held[-1].start()
        began.wait()

    with Database(tmp_path / "a.db", busy_timeout=0.1) as db:
        db.execute_script("CREATE TABLE a (x); CREATE TABLE b (x); CREATE VIEW v AS SELECT x FROM a")
        with (
            db.observe(Region("a"), callback=hold) as holder,
            db.observe("SELECT x FROM v") as plain,
            db.observe_live(None, "SELECT count(*) FROM v") as live,
        ):
            assert taken(live.next(10)).rows == [(0,)]
            db.execute_script("BEGIN; DROP VIEW v; CREATE VIEW v AS SELECT x FROM b; INSERT INTO a VALUES (1); COMMIT")
            holder.cancel()
            held[0].join()
            while live.next(0.2) or plain.next(0):
                pass
            db.execute("INSERT INTO b VALUES (1)")
            assert taken(live.next(10)).rows == [(1,)]
            assert taken(plain.next(10)).changes[0].table == "b"


def test_reads_go_on_to_other_tables_when_the_writer_was_busy(tmp_path: Path) -> None:
    held: list[threading.Thread] = []
    name = "a"

    def hold(_: object) -> None:
        nonlocal name
        name = "b"
        began = threading.Event()

        def write() -> None:
            with db.transaction():
                began.set()
                time.sleep(1)

        held.append(threading.Thread(target=write))
        held[-1].start()
        began.wait()

    with Database(tmp_path / "a.db", busy_timeout=0.1) as db:
        db.execute_script("CREATE TABLE a (x); CREATE TABLE b (x)")
        with (
            db.observe(Region("a"), callback=hold) as holder,
            db.observe(lambda db: (name, db.count(f"SELECT 1 FROM {name}"))) as live,
        ):
            assert live.next(10) == ("a", 0)
            db.execute("INSERT INTO a VALUES (1)")
            holder.cancel()
            held[0].join()
            with pytest.raises(Error, match="busy"):
                live.next(10)
            assert live.next(10) == ("b", 0)
            db.execute("INSERT INTO b VALUES (1)")
            assert live.next(10) == ("b", 1)
