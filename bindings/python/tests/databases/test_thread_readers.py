"""Reads beside a writer, time limits, and asyncio."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from models import Department, Person

from cormorant import Cipher, Database, Error, OperationalError, ProgrammingError

FOREVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


def on_thread(work: Callable[[], object]) -> None:
    caught: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    if caught:
        raise caught[0]


def test_reads_do_not_wait_for_a_transaction(db: Database) -> None:
    with db.transaction():
        Person("Ada").insert(db)
        on_thread(lambda: (_ for _ in ()).throw(AssertionError) if db.count(Person) else None)
        assert db.count(Person) == 1


def test_a_read_sees_one_snapshot(db: Database) -> None:
    with db.read():
        on_thread(lambda: Person("Ada").insert(db))
        assert db.count(Person) == 0
        assert db.fetch_all(Person) == []
        with db.read():
            assert db.query("SELECT count(*) FROM people").fetch_all()[0][0] == 0
    assert db.count(Person) == 1


def test_reading_in_a_transaction_sees_its_writes(db: Database) -> None:
    on_thread(lambda: db.count(Person))
    with db.transaction():
        Person("Ada").insert(db)
        with db.read():
            assert db.count(Person) == 1


def test_what_a_thread_left_open_is_told(db: Database) -> None:
    left = db.transaction()
    on_thread(left.__enter__)
    with pytest.raises(Error, match="a thread ended with its transaction open") as told:
        Person("Ada").insert(db)
    assert told.value.code == "CORM_E_TRANSACTION"
    Person("Ada").insert(db)


def test_a_close_that_is_refused_can_be_tried_again(db: Database) -> None:
    with db.transaction():
        Person("Ada").insert(db)
        with pytest.raises(ProgrammingError, match="in use by another thread"):
            on_thread(db.close)
    assert db.count(Person) == 1
    db.close()
    with pytest.raises(ProgrammingError, match="closed"):
        db.count(Person)


def child(db: Database, path: Path, answers: multiprocessing.SimpleQueue[str]) -> None:
    try:
        db.count(Person)
    except ProgrammingError as error:
        answers.put(error.message)
    db.close()
    with Database(path) as own:
        answers.put(str(own.count(Person)))


def test_a_child_of_a_fork_opens_its_own(db: Database, path: Path) -> None:
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.SimpleQueue[str] = context.SimpleQueue()
    on_thread(lambda: Person("Ada").insert(db))
    process = context.Process(target=child, args=(db, path, answers))
    process.start()
    assert "forked" in answers.get()
    assert answers.get() == "1"
    process.join(30)
    assert process.exitcode == 0
    assert db.count(Person) == 1


def test_a_timeout_ends_a_query(db: Database) -> None:
    began = time.monotonic()
    with pytest.raises(OperationalError) as ended, db.timeout(0.1):
        db.query(FOREVER).fetch_all()
    assert ended.value.code == "CORM_E_INTERRUPTED"
    assert time.monotonic() - began < 5
    assert db.count(Person) == 0


def test_a_timeout_that_is_over_ends_every_call(db: Database) -> None:
    with pytest.raises(OperationalError), db.transaction(), db.timeout(0.05):
        Person("Ada").insert(db)
        time.sleep(0.2)
        Person("Ben").insert(db)
    assert db.count(Person) == 0
    assert db.transaction_depth == 0


def test_a_timeout_is_over_though_one_inside_it_was_first(db: Database) -> None:
    with db.timeout(0.1):
        for _ in range(2):
            with pytest.raises(OperationalError), db.timeout(0.05):
                time.sleep(0.3)
                db.fetch_value("SELECT 1")
        with pytest.raises(OperationalError, match="cancelled"):
            db.insert(Person("Ada"))
    assert db.count(Person) == 0


def test_a_timeout_ends_waiting_for_the_writer(db: Database) -> None:
    entered, done = threading.Event(), threading.Event()

    def hold() -> None:
        with db.transaction():
            entered.set()
            done.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(20)
    began = time.monotonic()
    with pytest.raises(OperationalError) as ended, db.timeout(0.1):
        Person("Ada").insert(db)
    assert ended.value.code == "CORM_E_INTERRUPTED"
    assert time.monotonic() - began < 3
    done.set()
    thread.join()


def test_a_timeout_is_not_for_other_threads(db: Database) -> None:
    db.insert_many(Person(f"p{number}") for number in range(1000))
    with db.timeout(0.05):
        time.sleep(0.1)
        on_thread(lambda: [db.fetch_all(Person) for _ in range(20)])
    assert db.count(Person) == 1000


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_a_timeout_that_is_none(db: Database, seconds: float) -> None:
    with pytest.raises(ProgrammingError, match="timeout"), db.timeout(seconds):
        pass


def test_awaiting_does_not_block_the_loop(db: Database) -> None:
    async def tick() -> int:
        ticks = 0
        while True:
            try:
                await asyncio.sleep(0.005)
            except asyncio.CancelledError:
                return ticks
            ticks += 1

    async def main() -> tuple[int, int]:
        ticking = asyncio.create_task(tick())
        await asyncio.sleep(0)
        sql = FOREVER.replace("FROM n)", "FROM n WHERE i < 2000000)")
        rows = await db.perform(lambda db: db.query(sql).fetch_all())
        ticking.cancel()
        return await ticking, rows[0][0]

    ticks, count = asyncio.run(main())
    assert count == 2_000_000
    assert ticks > 5


def test_tasks_read_and_write_together(db: Database) -> None:
    def add(db: Database, name: str) -> int:
        with db.transaction():
            before = db.count(Person)
            Person(name).insert(db)
            assert db.count(Person) == before + 1
            return before

    async def main() -> list[int]:
        return await asyncio.gather(*(db.perform(add, name=f"p{number}") for number in range(40)))

    assert sorted(asyncio.run(main())) == list(range(40))


def test_a_task_that_is_cancelled_is_rolled_back(db: Database) -> None:
    def work(db: Database) -> None:
        with db.transaction():
            Person("Ada").insert(db)
            db.query(FOREVER).fetch_all()

    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(db.perform(work), 0.2)
        assert await db.perform(lambda db: db.count(Person)) == 0
        await db.perform(lambda db: Person("Ben").insert(db))

    asyncio.run(main())
    assert db.count(Person) == 1


def test_errors_come_out_of_an_awaitable(db: Database) -> None:
    async def main() -> None:
        await db.perform(lambda db: db.execute("SELEC"))

    with pytest.raises(Error, match="syntax"):
        asyncio.run(main())


def test_readers_of_an_encrypted_file(path: Path) -> None:
    with Database(path.with_name("secret.db"), cipher=Cipher("key")) as db:
        db.create_tables(Department, Person)
        on_thread(lambda: Person("Ada").insert(db))
        with db.transaction():
            Person("Ben").insert(db)
            on_thread(lambda: db.fetch_one(Person, name="Ada") or pytest.fail("not there"))
        assert db.count(Person) == 2


def test_without_readers(path: Path) -> None:
    with Database(path, reader_count=0, busy_timeout=0.05) as db:
        db.create_tables(Department, Person)
        with db.transaction(), pytest.raises(Error) as busy:
            on_thread(lambda: db.count(Person))
        assert busy.value.code == "CORM_E_BUSY"


def test_a_file_that_could_not_be_attached_leaves_reads_beside_writers(db: Database, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database" * 100)
    for path in (tmp_path / "nothere" / "x.db", tmp_path / "text.db"):
        with pytest.raises(Error):
            db.attach(path, "other")
    with pytest.raises(Error), db.transaction():
        db.attach(tmp_path / "x.db", "other")
    with db.transaction():
        Person("Ada").insert(db)
        on_thread(lambda: (_ for _ in ()).throw(AssertionError) if db.count(Person) else None)
