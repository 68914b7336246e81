"""Several who write by one Database at once: each has a connection of the pool's to itself."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from cormorant import (
    AsyncDatabase,
    AsyncTransaction,
    BusyError,
    Column,
    ConflictError,
    Database,
    DisconnectedError,
    Error,
    Model,
    ProgrammingError,
    UniqueViolation,
    column,
    dbapi,
)
from writers import WAIT, Counter, Entry, at_once


class Other(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    text: Column[str] = column(unique=True)


def backend(db: Database) -> object:
    return db.fetch_value("SELECT pg_backend_pid()")


def test_transactions_of_threads_overlap(url: str) -> None:
    both = threading.Barrier(2, timeout=WAIT)

    def work(db: Database, model: type[Entry | Other]) -> object:
        with db.transaction():
            db.insert(model("a"))
            both.wait()
            # What reads sees its write, and a savepoint is its own.
            assert [entry.text for entry in db.fetch_all(model)] == ["a"]
            with pytest.raises(UniqueViolation), db.transaction():
                db.insert(model("a"))
            assert db.count(model) == 1
            both.wait()
            return backend(db)

    with Database(url) as db:
        db.create_tables(Entry, Other)
        backends = at_once(lambda: work(db, Entry), lambda: work(db, Other))
        assert len(set(backends)) == 2
        assert db.count(Entry) == db.count(Other) == 1


def test_writes_overlap_in_time(url: str) -> None:
    with Database(url) as db:
        db.execute("CREATE TABLE slow (a int)")

        def write(number: int) -> None:
            db.execute(f"INSERT INTO slow SELECT {number} FROM pg_sleep(0.5)")

        at_once(*[lambda: db.execute("DELETE FROM slow") for _ in range(4)])
        begin = time.monotonic()
        at_once(*[lambda number=number: write(number) for number in range(4)])
        assert time.monotonic() - begin < 1.6
        assert db.fetch_value("SELECT count(*) FROM slow") == 4


def test_transactions_of_tasks_overlap(url: str) -> None:
    async def main() -> None:
        async with AsyncDatabase(url) as db:
            await db.create_tables(Entry, Other)
            arrived = 0
            both = asyncio.Event()

            async def work(model: type[Entry | Other]) -> object:
                nonlocal arrived
                async with db.transaction():
                    await db.insert(model("a"))
                    arrived += 1
                    if arrived == 2:
                        both.set()
                    await asyncio.wait_for(both.wait(), WAIT)
                    assert await db.count(model) == 1
                    return await db.fetch_value("SELECT pg_backend_pid()")

            backends = await asyncio.gather(work(Entry), work(Other))
            assert len(set(backends)) == 2
            assert await db.count(Entry) == await db.count(Other) == 1

    asyncio.run(main())


def test_changes_and_keys_are_the_threads_own(url: str) -> None:
    steps = threading.Barrier(3, timeout=WAIT)

    def work(db: Database, count: int) -> None:
        def update() -> None:
            db.execute("UPDATE counter SET value = value WHERE id <= ?", (count,))

        for _ in range(5):
            update()
            entry = Entry(f"{count} {time.monotonic_ns()}")
            db.insert(entry)
            steps.wait()
            assert db.last_insert_id == entry.id
            update()
            steps.wait()
            # On whatever connection it is asked.
            assert db.changes == count
            assert db.count(Counter) == 3
            assert db.changes == count

    with Database(url) as db:
        db.create_tables(Counter, Entry)
        db.insert_many([Counter(number, 0) for number in range(1, 4)])
        before = db.total_changes
        at_once(lambda: work(db, 1), lambda: work(db, 2), lambda: work(db, 3))
        assert db.total_changes - before == 5 * (2 * (1 + 2 + 3) + 3)


def test_exhausted(url: str) -> None:
    inside, ends = threading.Barrier(3, timeout=WAIT), threading.Event()

    def keep(db: Database) -> None:
        with db.transaction():
            db.fetch_value("SELECT 1")
            inside.wait()
            ends.wait(WAIT)

    with Database(url, writer_count=2, busy_timeout=0.3) as db:
        db.create_tables(Counter)
        with ThreadPoolExecutor(2) as pool:
            kept = [pool.submit(keep, db) for _ in range(2)]
            inside.wait()
            with pytest.raises(BusyError, match="all 2 connections that write") as caught:
                db.insert(Counter(1, 0))
            assert "writers" in (caught.value.hint or "")
            # What reads goes on.
            assert db.count(Counter) == 0
            ends.set()
            for future in kept:
                future.result(WAIT)
        db.insert(Counter(1, 0))


def test_a_server_that_is_full_is_waited_for(own_server: Callable[..., str]) -> None:
    """It takes no connection more, but one of ours is given back."""
    server = own_server(
        "--set", "max_connections=2", "--set", "superuser_reserved_connections=0", "--set", "max_wal_senders=0"
    )
    inside, ends = threading.Barrier(2, timeout=WAIT), threading.Event()

    def keep(db: Database) -> None:
        with db.transaction():
            db.fetch_value("SELECT 1")
            inside.wait()
            ends.wait(WAIT)

    with Database(server, reader_count=0) as other, ThreadPoolExecutor(2) as pool:
        assert other.fetch_value("SELECT 1") == 1
        with Database(server, writer_count=3, reader_count=0, busy_timeout=WAIT) as db:
            db.create_tables(Counter)
            kept = pool.submit(keep, db)
            inside.wait()
            written = pool.submit(db.insert, Counter(1, 0))
            time.sleep(0.3)
            assert not written.done()
            ends.set()
            written.result(WAIT)
            kept.result(WAIT)
        inside.reset()
        ends.clear()
        # The server takes a moment to see that a connection is given back.
        while other.fetch_value("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'") != 1:
            time.sleep(0.01)
        with Database(server, writer_count=3, reader_count=0, busy_timeout=0.2) as db:
            kept = pool.submit(keep, db)
            inside.wait()
            with pytest.raises(DisconnectedError) as caught:
                db.insert(Counter(2, 0))
            assert "max_connections" in (caught.value.hint or "")
            ends.set()
            kept.result(WAIT)
            db.insert(Counter(2, 0))
            with pytest.raises(DisconnectedError) as caught:
                Database(server)
            assert "max_connections" in (caught.value.hint or "")


def test_tables_are_made_by_several_at_once(url: str) -> None:
    """By threads of one Database, and by those of others: each waits for who makes them."""

    class Third(Model):
        id: Column[int | None] = column(primary_key=True, init=False)
        text: Column[str] = column(unique=True)
        other: Column[int | None] = column(references=Other)

    with Database(url) as db, Database(url) as another, Database(url) as third:
        for _ in range(5):
            at_once(*[lambda db=db: db.create_tables(Entry, Other, Third, Counter) for db in (db, db, another, third)])
            db.insert(Third("a", None))
            assert another.count(Third) == 1
            db.execute_script("DROP TABLE entry, third, other, counter")


def test_one_at_a_time_where_that_is_wanted(url: str) -> None:
    with Database(url, writer_count=1, busy_timeout=0.2) as db:
        db.create_tables(Counter)
        with db.transaction():
            db.insert(Counter(1, 0))
            with ThreadPoolExecutor(1) as pool, pytest.raises(BusyError):
                pool.submit(db.insert, Counter(2, 0)).result(WAIT)


def test_one_that_is_lost_leaves_the_others(url: str) -> None:
    both = threading.Barrier(2, timeout=WAIT)
    lost: list[object] = []

    def loses(db: Database) -> None:
        with pytest.raises(DisconnectedError), db.transaction():
            db.insert(Counter(1, 0))
            lost.append(backend(db))
            both.wait()
            both.wait()
            db.insert(Counter(2, 0))

    def stays(db: Database) -> None:
        with db.transaction():
            db.insert(Counter(3, 0))
            both.wait()
            db.fetch_value("SELECT pg_terminate_backend(?::int, 5000)", (lost[0],))
            both.wait()
            db.insert(Counter(4, 0))

    with Database(url) as db:
        db.create_tables(Counter)
        at_once(lambda: loses(db), lambda: stays(db))
        db.insert(Counter(5, 0))
        assert sorted(counter.id for counter in db.fetch_all(Counter)) == [3, 4, 5]


def test_what_the_server_ends_at_rest_is_opened_anew(url: str) -> None:
    with Database(url) as db, Database(url) as other:
        db.create_tables(Counter)
        at_once(*[lambda number=number: db.insert(Counter(number, 0)) for number in range(4)])
        assert db.count(Counter) == 4
        other.fetch_values(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        time.sleep(1.2)
        at_once(*[lambda number=number: db.insert(Counter(number, 0)) for number in range(4, 8)])
        assert db.count(Counter) == 8


def test_conflicts_of_one_database_are_run_again(url: str) -> None:
    runs: list[int] = []

    def add(db: Database) -> None:
        runs.append(1)
        counter = db.find(Counter, 1)
        time.sleep(0.002)
        counter.value += 1
        db.update(counter)

    with Database(url) as db:
        db.create_tables(Counter)
        db.insert(Counter(1, 0))
        at_once(*[lambda: [db.transact(add) for _ in range(10)] for _ in range(3)])
        assert db.find(Counter, 1).value == 30
    assert len(runs) > 30


def test_coroutine_functions_of_one_database_are_run_again(url: str) -> None:
    async def add(tx: AsyncTransaction) -> None:
        counter = await tx.find(Counter, 1)
        await asyncio.sleep(0.002)
        counter.value += 1
        await tx.update(counter)

    async def main() -> None:
        async with AsyncDatabase(url) as db:
            await db.create_tables(Counter)
            await db.insert(Counter(1, 0))

            async def work() -> None:
                for _ in range(10):
                    await db.transact(add)

            await asyncio.gather(*[work() for _ in range(3)])
            assert (await db.find(Counter, 1)).value == 30

    asyncio.run(main())


def test_a_deadlock_is_a_conflict(url: str) -> None:
    both = threading.Barrier(2, timeout=WAIT)

    def work(db: Database, first: int, second: int) -> bool:
        try:
            with db.transaction():
                db.execute("UPDATE counter SET value = value + 1 WHERE id = ?", (first,))
                both.wait()
                db.execute("UPDATE counter SET value = value + 1 WHERE id = ?", (second,))
            return True
        except ConflictError:
            return False

    with Database(url) as db:
        db.create_tables(Counter)
        db.insert_many([Counter(1, 0), Counter(2, 0)])
        assert sorted(at_once(lambda: work(db, 1, 2), lambda: work(db, 2, 1))) == [False, True]
        assert sum(counter.value for counter in db.fetch_all(Counter)) == 2


def test_batches_at_once(url: str) -> None:
    """Calls that write many records are transactions of the library's own, which are in nobody's way."""

    def work(db: Database, start: int) -> None:
        for turn in range(5):
            counters = [Counter(start + turn * 20 + place, 0) for place in range(20)]
            db.insert_many(counters)
            for counter in counters:
                counter.value = 1
            db.update_many(counters)
            db.save_many(counters)
            db.delete_many(counters[:10])

    with Database(url) as db:
        db.create_tables(Counter)
        at_once(*[lambda start=start: work(db, start * 1000) for start in range(4)])
        assert db.count(Counter) == 200


def test_results_of_what_writes_keep_their_connection(url: str) -> None:
    with Database(url, writer_count=2, busy_timeout=0.3) as db:
        db.create_tables(Counter)
        db.insert_many([Counter(number, 0) for number in range(2000)])
        sql = "UPDATE counter SET value = 1 RETURNING id"

        def reads() -> int:
            rows = db.query(sql)
            count = 0
            for _ in rows:
                if count == 0:
                    # By the same thread, while its rows come.
                    db.insert(Counter(10_000, 0))
                count += 1
            return count

        assert at_once(reads, lambda: db.count(Counter))[0] == 2000
        for number in range(5):
            at_once(lambda number=number: db.insert(Counter(20_000 + number, 0)), lambda: db.count(Counter))


def test_temporary_tables_are_seen_by_all(url: str) -> None:
    with Database(url) as db:
        at_once(lambda: db.execute("CREATE TABLE here (a int)"), lambda: db.fetch_value("SELECT 1"))
        with db.transaction():
            db.execute("CREATE TEMP TABLE gone (a int) ON COMMIT DROP")
        db.execute("CREATE TEMP TABLE passing (a int)")
        at_once(*[lambda: db.execute("INSERT INTO passing VALUES (1)") for _ in range(4)])
        assert at_once(*[lambda: db.fetch_value("SELECT count(*) FROM passing") for _ in range(3)]) == [4, 4, 4]


def test_what_raw_sql_begins_is_everybodys(url: str) -> None:
    with Database(url) as db:
        db.create_tables(Counter)
        db.execute("BEGIN")
        at_once(*[lambda number=number: db.insert(Counter(number, 0)) for number in range(3)])
        assert at_once(lambda: db.count(Counter), lambda: db.count(Counter)) == [3, 3]
        db.execute("ROLLBACK")
        assert db.count(Counter) == 0
        test_transactions_of_threads_overlap(url)


def test_a_thread_that_ends_with_its_transaction_open(url: str) -> None:
    with Database(url, writer_count=2, busy_timeout=0.5) as db:
        db.create_tables(Counter)

        left = [db.transaction() for _ in range(3)]

        def leave(number: int) -> None:
            left[number].__enter__()
            db.insert(Counter(number, 0))

        for number in range(3):
            thread = threading.Thread(target=leave, args=(number,))
            thread.start()
            thread.join()
            # What was lost is told once, though another connection is free: when the thread is gone, after join().
            with pytest.raises(Error, match="a thread ended with its transaction open"):
                end = time.monotonic() + WAIT
                while time.monotonic() < end:
                    db.delete_key(Counter, 5)
            assert not db.delete_key(Counter, 5)
        at_once(*[lambda number=number: db.insert(Counter(10 + number, 0)) for number in range(2)])
        assert db.count(Counter) == 2


def test_close_while_others_write(url: str) -> None:
    inside, ends = threading.Event(), threading.Event()
    db = Database(url)
    db.create_tables(Counter)

    def keep() -> None:
        with db.transaction():
            db.insert(Counter(1, 0))
            inside.set()
            ends.wait(WAIT)

    thread = threading.Thread(target=keep)
    thread.start()
    inside.wait(WAIT)
    with pytest.raises(ProgrammingError, match="in use by another thread"):
        db.close()
    # It stays open.
    assert db.count(Counter) == 0
    db.insert(Counter(2, 0))
    ends.set()
    thread.join()
    assert db.count(Counter) == 2
    with pytest.raises(ProgrammingError, match="closed"), db.transaction():
        db.insert(Counter(3, 0))
        db.close()
    with pytest.raises(ProgrammingError, match="closed"):
        db.insert(Counter(4, 0))
    with Database(url) as other:
        assert other.count(Counter) == 2


def test_a_child_of_a_fork_is_refused(url: str) -> None:
    with Database(url) as db:
        db.create_tables(Counter)
        at_once(lambda: db.insert(Counter(1, 0)), lambda: db.insert(Counter(2, 0)))
        child = os.fork()
        if child == 0:
            try:
                db.insert(Counter(3, 0))
            except ProgrammingError:
                os._exit(7)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        db.insert(Counter(3, 0))
        assert db.count(Counter) == 3


def test_a_child_of_a_fork_reopens_the_database(url: str) -> None:
    with Database(url) as db:
        db.create_tables(Counter)
        at_once(lambda: db.insert(Counter(1, 0)), lambda: db.insert(Counter(2, 0)))
        session = db.fetch_value("SELECT pg_backend_pid()")
        with db.transaction():
            db.insert(Counter(3, 0))
            child = os.fork()
            if child == 0:
                try:
                    db.reopen()
                    assert db.fetch_value("SELECT pg_backend_pid()") != session
                    assert db.count(Counter) == 2
                    at_once(lambda: db.insert(Counter(4, 0)), lambda: db.insert(Counter(5, 0)))
                    db.close()
                    os._exit(7)
                finally:
                    os._exit(1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert db.fetch_value("SELECT pg_backend_pid()") == session
        assert db.count(Counter) == 5


def test_set_up_is_called_with_each(url: str) -> None:
    both = threading.Barrier(3, timeout=WAIT)

    def work(db: Database) -> object:
        with db.transaction():
            both.wait()
            return db.fetch_value("SHOW application_name")

    with Database(url, set_up=lambda connection: connection.execute_script("SET application_name = 'mine'")) as db:
        assert at_once(*[lambda: work(db) for _ in range(3)]) == ["mine"] * 3


def test_observers_leave_the_pool_as_it_is(url: str) -> None:
    inside, ends = threading.Barrier(3, timeout=WAIT), threading.Event()

    def keep(db: Database) -> None:
        with db.transaction():
            db.fetch_value("SELECT 1")
            inside.wait()
            ends.wait(WAIT)

    with Database(f"{url}?outbox=install", writer_count=2, busy_timeout=0.3) as db:
        db.create_tables(Counter)
        for number in range(5):
            with db.observe(Counter):
                at_once(lambda number=number: db.insert(Counter(number, 0)), lambda: db.count(Counter))
        with ThreadPoolExecutor(2) as pool:
            kept = [pool.submit(keep, db) for _ in range(2)]
            inside.wait()
            # A connection that was given back twice would be there.
            with pytest.raises(BusyError, match="all 2 connections that write"):
                db.insert(Counter(9, 0))
            ends.set()
            for future in kept:
                future.result(WAIT)


def test_a_connection_of_the_db_api_has_no_other(url: str) -> None:
    with pytest.raises(dbapi.ProgrammingError, match="no other writers"):
        dbapi.connect(url, writer_count=2)


def test_a_trace_is_set_and_ended_while_another_thread_traces_in_a_transaction(url: str) -> None:
    """Mended: one had the readers and waited for the other's connection, until the busy timeout was over."""
    told: list[str] = []
    begun, ending = threading.Event(), threading.Event()

    def trace() -> None:
        with db.tracing(lambda _sql, _: None):
            begun.set()
            ending.wait(20)

    with Database(url, busy_timeout=20) as db:
        other = threading.Thread(target=trace)
        other.start()
        assert begun.wait(20)
        start = time.monotonic()
        with db.transaction():
            db.fetch_value("SELECT 1")
            ending.set()
            time.sleep(0.3)
            for _ in range(2):
                with db.tracing(lambda sql, _: told.append(sql)):
                    db.fetch_value("SELECT 2")
        other.join(20)
        assert time.monotonic() - start < 5
    assert told == ["SELECT 2"] * 2
