"""Write queues: what each write is told, in threads, futures and asyncio."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from models import Person

from cormorant import (
    BusyError,
    Column,
    Database,
    Error,
    Model,
    OperationalError,
    ProgrammingError,
    UniqueViolation,
    Write,
    WriteQueue,
    column,
    key,
)


def insert(db: Database, name: str) -> int:
    person = Person(name)
    db.insert(person)
    assert person.id is not None
    return person.id


@pytest.fixture
def queue(db: Database) -> Iterator[WriteQueue]:
    with db.queue() as made:
        yield made


class Held:
    """Keeps the queue's thread, so that what is added waits."""

    def __init__(self, queue: WriteQueue) -> None:
        self._entered, self._may_go = threading.Event(), threading.Event()
        self.write = queue.add(self._wait)
        assert self._entered.wait(10)

    def _wait(self, _: Database) -> None:
        self._entered.set()
        self._may_go.wait(30)

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self._may_go.set()


def test_a_write_is_a_future(queue: WriteQueue, db: Database) -> None:
    writes = [queue.add(insert, f"n{number}") for number in range(20)]
    assert [write.result(10) for write in writes] == list(range(1, 21))
    assert wait(writes, 10).not_done == set()
    assert db.count(Person) == 20


def test_a_full_queue_is_busy_at_once_on_its_own_thread(db: Database) -> None:
    with db.queue(capacity=1) as queue:

        def fill(_: Database) -> Write[int]:
            write = queue.add(insert, "a")
            with pytest.raises(BusyError, match="the queue is full"):
                queue.add(insert, "b")
            return write

        assert queue.add(fill).result(10).result(10) == 1


def test_what_is_asked_after_a_commit_sees_it(db: Database) -> None:
    with Database(db.path, mode="read_only") as reader, reader.queue() as queue:
        counted = threading.Event()

        def count_until_another_waits(reader: Database) -> int:
            count = reader.count(Person)
            counted.set()
            end = time.monotonic() + 10
            while not len(queue) and time.monotonic() < end:
                time.sleep(0.001)
            return count

        before = queue.add(count_until_another_waits)
        assert counted.wait(10)
        insert(db, "x")
        after = queue.add(lambda reader: reader.count(Person))
        assert (before.result(10), after.result(10)) == (0, 1)


def test_what_a_body_raises_is_its_own(queue: WriteQueue, db: Database) -> None:
    def fail(db: Database, error: BaseException) -> None:
        insert(db, "gone")
        raise error

    with Held(queue):
        errors: list[BaseException] = [ValueError("a"), KeyboardInterrupt(), SystemExit(3), UniqueViolation("mine")]
        failing = [queue.add(fail, error) for error in errors]
        good = queue.add(insert, "stays")
        wrong = queue.add(lambda db: db.execute("INSERT INTO people (name) VALUES (NULL)"))
    assert [write.exception(10) for write in failing] == errors
    assert good.result(10) == 1
    raised = wrong.exception(10)
    assert getattr(raised, "code", "") == "CORM_E_NOT_NULL"
    assert [person.name for person in db.fetch_all(Person)] == ["stays"]


class Counted(Model, table="counted"):
    id: Column[int] = key()
    number: Column[int] = column(unique=True)
    version: Column[int] = column(version=True, default=0)


def raises(record: Counted, error: Exception) -> Callable[[Database], None]:
    def body(db: Database) -> None:
        with db.transaction():
            db.save(record)
        raise error

    return body


def state(record: Counted) -> tuple[int | None, int]:
    return record.id, record.version


def test_a_body_that_fails_leaves_its_records_as_they_were(queue: WriteQueue, db: Database) -> None:
    db.create_tables(Counted)
    mine, there = Counted(1), Counted(2).insert(db)
    failed = KeyError("a later step")
    with Held(queue):
        writes: list[Write[Any]] = [queue.add(raises(record, failed)) for record in (mine, there)]
        other = Counted(3)
        writes.append(queue.add(lambda db: db.insert(other)))
    assert [write.exception(10) for write in writes] == [failed, failed, None]
    assert (state(mine), state(there)) == ((None, 0), (1, 1))
    # Tried again, it overwrites no row that has got the key meanwhile.
    queue.add(lambda db: db.save(mine)).result(10)
    queue.add(lambda db: db.save(there)).result(10)
    assert other.id != mine.id
    assert [record.number for record in db.fetch_all(Counted)] == [2, 3, 1]
    assert not db._innermost


@pytest.mark.parametrize("foreign_key", [False, True])
def test_what_is_run_again_writes_records_as_they_were(queue: WriteQueue, db: Database, foreign_key: bool) -> None:
    db.create_tables(Counted)
    db.execute("CREATE TABLE parts (of REFERENCES counted(id) DEFERRABLE INITIALLY DEFERRED)")
    ends_all = "INSERT INTO parts VALUES (99)" if foreign_key else "INSERT OR ROLLBACK INTO counted VALUES (1, 1, 1)"
    there, before, behind = Counted(1).insert(db), Counted(2), Counted(3)

    def update(db: Database) -> None:
        db.update(there)

    with Held(queue):
        good = [queue.add(body) for body in (update, lambda db: db.insert(before), update)]
        bad = queue.add(lambda db: db.execute(ends_all))
        good += [queue.add(body) for body in (lambda db: db.insert(behind), update)]
    assert isinstance(bad.exception(10), Error)
    assert [write.exception(10) for write in good] == [None] * 5
    assert there.version == 4
    assert sorted(db.fetch_all(Counted), key=lambda record: record.number) == [there, before, behind]


def test_one_that_cannot_be_run_again_is_told_why(path: Path) -> None:
    other = sqlite3.connect(path, check_same_thread=False)
    with closing(other), Database(path, busy_timeout=0.1) as db, db.queue() as queue:
        db.execute("CREATE TABLE once (x UNIQUE)")
        db.execute("INSERT INTO once VALUES (1)")

        def fail(_: Database) -> None:
            raise ValueError("of the first run")

        def end_all(db: Database) -> None:
            try:
                db.execute("INSERT OR ROLLBACK INTO once VALUES (1)")
            finally:
                other.execute("BEGIN IMMEDIATE")

        with Held(queue):
            # What fails behind is run again: it may have met what is gone.
            writes: list[Write[Any]] = [queue.add(lambda db: db.execute("INSERT INTO once VALUES (2)"))]
            writes.append(queue.add(fail))
            queue.add(end_all)
        assert [type(write.exception(10)) for write in writes] == [BusyError, BusyError]


def test_a_commit_that_fails_leaves_records_as_they_were(path: Path) -> None:
    with Database(path, journal_mode="delete", busy_timeout=0.1) as db, db.queue() as queue:
        db.create_tables(Counted)
        there, new = Counted(1).insert(db), Counted(2)
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM counted").fetchall()
            with Held(queue):
                bodies: list[Callable[[Database], object]]
                bodies = [lambda db: db.update(there), lambda db: db.insert(new), lambda db: db.update(there)]
                writes = [queue.add(body) for body in bodies]
            assert all(isinstance(write.exception(10), BusyError) for write in writes)
            assert (state(there), state(new)) == ((1, 1), (None, 0))
        for body in bodies:
            queue.add(body).result(10)
        assert db.fetch_all(Counted) == [there, new]


def test_a_body_that_leaves_a_transaction_open_leaves_records_as_they_were(queue: WriteQueue, db: Database) -> None:
    db.create_tables(Counted)
    record, inner = Counted(1), Counted(2)
    left = db.transaction()

    def body(db: Database) -> None:
        db.insert(record)
        left.__enter__()
        db.insert(inner)

    assert getattr(queue.add(body).exception(10), "code", None) == "CORM_E_TRANSACTION"
    with pytest.raises(ProgrammingError):
        left.rollback()
    assert [state(record), state(inner)] == [(None, 0), (None, 0)]
    assert db.count(Counted) == 0


def test_a_write_taken_back_never_runs(queue: WriteQueue, db: Database) -> None:
    with Held(queue) as held:
        first, second = queue.add(insert, "first"), queue.add(insert, "second")
        assert len(queue) == 2
        assert [first.cancel(), first.cancel(), first.cancelled()] == [True] * 3
        assert len(queue) == 1
        assert not held.write.cancel()
    queue.flush()
    with pytest.raises(CancelledError):
        first.result(10)
    assert second.result(10) == 1
    assert not second.cancel()
    assert db.count(Person) == 1


def test_a_full_queue_makes_adding_wait(db: Database) -> None:
    with db.queue(capacity=2) as queue, ThreadPoolExecutor(4) as pool:
        with Held(queue):
            writes = [queue.add(insert, f"n{number}") for number in range(2)]
            waiting = [pool.submit(queue.add, insert, f"t{number}") for number in range(4)]
            time.sleep(0.05)
            assert len(queue) == 2
            with pytest.raises(OperationalError) as caught, db.timeout(0.05):
                queue.add(insert, "late")
            assert caught.value.code == "CORM_E_INTERRUPTED"
        writes += [future.result(10) for future in waiting]
        wait(writes, 10)
    assert db.count(Person) == 6
    with pytest.raises(ProgrammingError):
        db.queue(capacity=0)


def test_a_full_queue_is_busy_in_the_end(tmp_path: object) -> None:
    with Database(f"{tmp_path}/busy.db", busy_timeout=0.05) as db, db.queue(capacity=1) as queue, Held(queue):
        queue.add(lambda _: None)
        with pytest.raises(BusyError):
            queue.add(lambda _: None)


def test_a_write_cannot_wait_for_its_own_queue(queue: WriteQueue, db: Database) -> None:
    waits: list[Callable[[Database], object]] = [
        lambda db: queue.add(insert, "inner").result(1),
        lambda _: queue.flush(),
        lambda _: queue.close(),
        lambda db: db.close(),
    ]
    for body in waits:
        error = queue.add(body).exception(10)
        assert getattr(error, "code", None) == "CORM_E_MISUSE", error
    # What was added without waiting is run.
    later = queue.add(lambda db: queue.add(insert, "later")).result(10)
    assert isinstance(later.result(10), int)
    with db.transaction(), pytest.raises(ProgrammingError, match="transaction that is open on this thread"):
        queue.flush()


def test_done_callbacks_may_use_the_database_and_the_queue(queue: WriteQueue, db: Database) -> None:
    counts: list[int] = []
    followed = threading.Event()

    def follow(_: object) -> None:
        counts.append(db.count(Person))
        if len(counts) < 3:
            queue.add(insert, "more").add_done_callback(follow)
        else:
            followed.set()

    queue.add(insert, "first").add_done_callback(follow)
    assert followed.wait(10)
    assert counts == [1, 2, 3]


def test_asyncio_awaits_writes(db: Database) -> None:
    async def main(queue: WriteQueue) -> None:
        loops = 0

        async def spin() -> None:
            nonlocal loops
            while True:
                loops += 1
                await asyncio.sleep(0)

        spinning = asyncio.create_task(spin())
        keys = await asyncio.gather(*[queue.perform(insert, f"n{number}") for number in range(500)])
        assert sorted(keys) == list(range(1, 501))
        assert await queue.add(insert, "one") == 501
        with pytest.raises(UniqueViolation):
            await queue.perform(lambda db: db.execute("INSERT INTO people (id, name, age) VALUES (1, 'x', 0)"))
        assert loops > 10
        with Held(queue):
            taken_back = asyncio.create_task(queue.perform(insert, "never"))
            await asyncio.sleep(0.02)
            taken_back.cancel()
            with pytest.raises(asyncio.CancelledError):
                await taken_back
        queue.flush()
        spinning.cancel()

    # Smaller than what is in flight, so that some wait for room.
    with db.queue(capacity=16) as queue:
        asyncio.run(main(queue))
    assert db.count(Person) == 501


def test_what_is_cancelled_while_it_waits_for_room_is_not_added(db: Database, caplog: pytest.LogCaptureFixture) -> None:
    ran: list[str] = []
    told: list[Error | None] = []

    async def main(queue: WriteQueue) -> None:
        with Held(queue):
            queue.add(insert, "waits")
            waiting = [asyncio.create_task(queue.perform(lambda _: ran.append("ran"))) for _ in range(2)]
            await asyncio.sleep(0.05)
            for task in waiting:
                task.cancel()
            for task in waiting:
                with pytest.raises(asyncio.CancelledError):
                    await task

    with db.queue(capacity=1) as queue, queue.listen(lambda completion: told.append(completion.error)):
        asyncio.run(main(queue))
        queue.add(insert, "next").result(10)
        queue.flush()
    assert ran == []
    assert told == [None, None, None]
    assert not caplog.records
    assert db.count(Person) == 2


def test_threads_hammer_one_queue(queue: WriteQueue, db: Database) -> None:
    def work(number: int) -> None:
        for step in range(100):
            assert db.find(Person, queue.add(insert, f"{number}-{step}").result(30)) is not None

    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(work, number) for number in range(8)]:
            future.result(60)
    assert db.count(Person) == 800


def test_closing_runs_what_waits(db: Database) -> None:
    queue = db.queue()
    with Held(queue):
        writes = [queue.add(insert, f"n{number}") for number in range(50)]
    db.close()
    assert [write.result(0) for write in writes] == list(range(1, 51))
    with pytest.raises(ProgrammingError, match="closed"):
        queue.add(insert, "late")
    queue.close()
    queue.close()
    with pytest.raises(ProgrammingError):
        queue.flush()


@pytest.mark.parametrize("holds", ["transaction", "own function"])
def test_a_close_that_is_refused_leaves_queues_open(db: Database, holds: str) -> None:
    began, ending = threading.Event(), threading.Event()

    def write() -> None:
        with db.transaction():
            began.set()
            ending.wait(20)

    queue = db.queue()
    if holds == "transaction":
        thread = threading.Thread(target=write)
        thread.start()
        began.wait(20)
        with pytest.raises(ProgrammingError, match="in use by another thread"):
            db.close()
        ending.set()
        thread.join()
    else:
        db.register_function(lambda: db.close(), name="ends")
        with pytest.raises(Error, match="in use by the call"):
            db.fetch_value("SELECT ends()")
    assert queue.add(insert, "later").result(10) == 1
    db.close()


def test_an_unclosed_queue_is_told_and_loses_nothing(db: Database) -> None:
    queue = db.queue()
    write = queue.add(insert, "kept")
    with pytest.warns(ResourceWarning, match="unclosed <WriteQueue"):
        del queue
        write.result(10)
        del write
        for _ in range(100):
            gc.collect()
            time.sleep(0.01)
            if db.count(Person) == 1:
                break
        gc.collect()
    assert db.count(Person) == 1
