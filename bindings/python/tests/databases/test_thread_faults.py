"""Faults that threads, queues and observers must get over."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from models import Person

from cormorant import Database, DatabaseError, Error, Event, ProgrammingError


def insert(db: Database, name: str) -> None:
    db.insert(Person(name))


def names(db: Database) -> list[str]:
    return [person.name for person in db.fetch_all(Person, order_by="id")]


def test_a_full_disk_is_told_to_each_write_and_the_queue_goes_on(db: Database) -> None:
    pages = db.query("PRAGMA page_count").fetch_all()[0][0]
    db.execute_script(f"PRAGMA max_page_count = {pages + 2}")
    big = "x" * 40_000
    with db.queue() as queue:
        writes = [queue.add(insert, name) for name in ("a", big, "b", big)]
        errors = [write.exception(10) for write in writes]
        assert errors[0] is None
        assert errors[2] is None
        for error in (errors[1], errors[3]):
            assert isinstance(error, DatabaseError)
            assert error.code == "CORM_E_FULL"
        db.execute_script("PRAGMA max_page_count = 1000000")
        queue.add(insert, big).result(10)
    assert names(db) == ["a", "b", big]


def test_a_queue_is_closed_twice(db: Database) -> None:
    queue = db.queue()
    queue.add(insert, "a")
    queue.close()
    queue.close()
    assert names(db) == ["a"]


def test_a_slow_reader_holds_nobody_up_and_the_log_ends(db: Database, path: Path) -> None:
    reading, may_end = threading.Event(), threading.Event()
    seen: list[int] = []

    def read() -> None:
        with db.read():
            seen.append(db.count(Person))
            reading.set()
            may_end.wait(30)
            seen.append(db.count(Person))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    assert reading.wait(10)
    for _ in range(40):
        with db.transaction():
            for _ in range(25):
                insert(db, "x" * 4000)
    may_end.set()
    reader.join()
    assert seen == [0, 0]
    assert db.count(Person) == 1000
    assert db.checkpoint("truncate").log == 0
    assert os.path.getsize(f"{path}-wal") == 0


def test_an_observer_is_cancelled_while_its_event_is_on_the_way(db: Database) -> None:
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            insert(db, "x")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    for _ in range(100):
        told: list[Event[Person]] = []
        observer = db.observe(Person, callback=told.append)
        time.sleep(0.001)
        observer.cancel()
        # A callback that runs meanwhile runs to its end.
        time.sleep(0.001)
        count = len(told)
        time.sleep(0.001)
        assert len(told) <= count + 1
    is_over.set()
    writer.join()


def test_a_callback_may_use_the_database(db: Database) -> None:
    told: list[int] = []

    def count(event: Event[Person]) -> None:
        told.append(db.count(Person))
        if len(told) < 3:
            insert(db, "another")

    with db.observe(Person, callback=count):
        insert(db, "first")
        end = time.monotonic() + 10
        while len(told) < 3 and time.monotonic() < end:
            time.sleep(0.001)
    assert told == [1, 2, 3]


def test_closing_is_refused_while_a_query_runs_elsewhere(path: Path) -> None:
    db = Database(path)
    started = threading.Event()
    ends: list[Any] = []

    def query() -> None:
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        started.set()
        try:
            db.query(endless).fetch_all()
        except Error as error:
            ends.append(error.code)

    thread = threading.Thread(target=query, daemon=True)
    thread.start()
    assert started.wait(10)
    time.sleep(0.1)
    with pytest.raises(ProgrammingError, match="in use by another thread"):
        db.close()
    db.interrupt()
    thread.join(20)
    assert not thread.is_alive()
    assert ends == ["CORM_E_INTERRUPTED"]
    db.close()
    with pytest.raises(Error):
        db.count(Person)


def test_hints_read_no_views_and_are_not_traced(path: Path) -> None:
    with Database(path) as db:
        db.execute("CREATE TABLE v0 (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES v0)")
        for number in range(1, 17):
            db.execute(
                f"CREATE VIEW v{number} AS SELECT a.id, b.parent FROM v{number - 1} a JOIN v{number - 1} b USING (id)"
            )
        db.execute("INSERT INTO v0 VALUES (1, NULL), (2, 1)")
        seen: list[str] = []
        db.set_trace(lambda sql, _: seen.append(sql))
        start = time.monotonic()
        with pytest.raises(Error) as caught:
            db.query("SELECT * FROM w0").fetch_all()
        assert "v0" in str(caught.value.hint)
        with pytest.raises(Error) as caught:
            db.query("SELECT paren FROM v0").fetch_all()
        assert "did you mean parent?" in str(caught.value.hint)
        with pytest.raises(Error):
            db.execute("DELETE FROM v0 WHERE id = 1")
        assert time.monotonic() - start < 1
        assert not [sql for sql in seen if "sqlite_schema" in sql or "pragma" in sql]


@pytest.mark.parametrize("kind", ["immediate", "read"])
@pytest.mark.parametrize("ending", ["close", "forget"])
def test_a_result_goes_while_a_transaction_waits_for_the_thread_that_lets_it_go(
    db: Database, kind: str, ending: str
) -> None:
    db.insert_many(Person(f"p{number}") for number in range(10))
    other = threading.Thread(target=db.count, args=(Person,))
    other.start()
    other.join()
    with db.transaction() if kind == "immediate" else db.read():
        kept = [db.query("SELECT name FROM people")]
        assert next(iter(kept[0]))[0] == "p0"
        # As the collector may on any thread.
        let_go = kept[0].close if ending == "close" else kept.clear
        thread = threading.Thread(target=let_go, daemon=True)
        thread.start()
        thread.join(20)
        assert not thread.is_alive()
        assert db.count(Person) == 10
    kept.clear()
    with db.transaction():
        insert(db, "z")
    # What ended it gave back all that it held.
    db.close()


def test_a_generator_with_a_transaction_is_closed_on_another_thread(db: Database) -> None:
    db.insert_many(Person(f"p{number}") for number in range(10))

    def people() -> Any:
        with db.transaction():
            yield from db.cursor(Person)

    generator = people()
    next(generator)
    caught: list[BaseException] = []

    def close() -> None:
        try:
            generator.close()
        except Error as error:
            caught.append(error)

    thread = threading.Thread(target=close, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert [type(error) for error in caught] in ([], [ProgrammingError])
    insert(db, "after")
    assert names(db)[-1] == "after"
