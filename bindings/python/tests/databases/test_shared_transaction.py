"""Transactions that threads share: entered, used and left on any of them."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gc
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from models import Department, Note

from cormorant import (
    Bundle,
    BusyError,
    Database,
    DataError,
    IntegrityError,
    ProgrammingError,
    SharedTransaction,
    select,
)


def names(db: Database) -> list[str]:
    return db.fetch_values(select(Department.name).order_by(Department.name))


@contextlib.contextmanager
def refused(text: str, code: str | None = "CORM_E_TRANSACTION") -> Iterator[None]:
    with pytest.raises(ProgrammingError, match=text) as caught:
        yield
    assert code is None or caught.value.code == code
    assert caught.value.hint


def test_each_step_on_a_thread_of_its_own(db: Database) -> None:
    def on(body: Any, *args: Any) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(body, *args).result(20)

    shared = db.shared_transaction()
    tx = on(shared.__enter__)
    record = on(tx.insert, Department("a"))
    assert record is True
    assert on(Department("b").insert, tx).id == 2
    assert on(names, tx) == ["a", "b"]
    assert db.count(Department) == 0
    assert on(lambda: tx.transaction_depth) == 1
    on(shared.__exit__, None, None, None)
    assert names(db) == ["a", "b"]


def test_an_exception_takes_all_of_it_back(db: Database) -> None:
    record = Department("a")
    with pytest.raises(KeyError), db.shared_transaction() as tx:
        tx.insert(record)
        raise KeyError
    assert record.id is None
    with pytest.raises(IntegrityError), db.shared_transaction() as tx:
        tx.insert(Department("b"))
        tx.insert(Department("b"))
    assert names(db) == []


def test_threads_take_part_one_call_at_a_time(db: Database) -> None:
    with db.shared_transaction() as tx, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: tx.insert(Note(text=str(number))), range(200)))
        assert sorted(int(note.text) for note in tx.cursor(Note)) == list(range(200))
    assert db.count(Note) == 200


def test_blocks_inside_are_savepoints_of_their_threads(db: Database) -> None:
    with db.shared_transaction() as tx:
        tx.insert(Department("a"))
        with pytest.raises(KeyError), tx.transaction():
            tx.insert(Department("b"))
            with tx.transaction():
                tx.insert(Department("c"))
            raise KeyError

        def inner(name: str) -> None:
            with contextlib.suppress(KeyError), tx.transaction():
                tx.insert(Department(name))
                tx.insert(Department(name + "!"))
                if name == "y":
                    raise KeyError

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(inner, ["x", "y", "z"]))
        with tx.transaction() as block:
            tx.insert(Department("d"))
            block.rollback()
            tx.insert(Department("e"))
        with tx.read():
            assert tx.count(Department) == 6
    assert names(db) == ["a", "e", "x", "x!", "z", "z!"]


def test_results_and_stores_are_read_where_it_is(db: Database) -> None:
    with db.shared_transaction() as tx:
        tx.insert_many(Note(text=str(number)) for number in range(500))
        result = tx.cursor(select(Note.id, Note.text).order_by(Note.id))
        assert result.columns == ("id", "text")
        assert result.fetch_one() == (1, "0")
        assert len(result.fetch_all()) == 499
        assert tx.query("SELECT 1 AS a").dicts().fetch_all() == [{"a": 1}]
        assert tx.query("SELECT 1 AS a").json() == '[{"a":1}]'
        assert [row for row in tx.query("SELECT 1, 2").tuples()] == [(1, 2)]  # noqa: C416
        with refused("no stream of Arrow", None):
            tx.cursor(Note).__arrow_c_stream__()
        store = tx.store("settings")
        store.update({f"k{number:04}": number for number in range(1500)})
        del store["k0003"]
        assert len(store) == 1499
        assert "k0003" not in store
        assert store["k0004"] == 4
        assert [entry.key for entry in store.scan(prefix="k", limit=2)] == ["k0000", "k0001"]
        assert sum(store.values()) == sum(range(1500)) - 3
    assert dict(db.store("settings"))["k1499"] == 1499


def test_one_waits_for_the_other(db: Database) -> None:
    def write(name: str) -> None:
        with db.shared_transaction() as tx:
            count = tx.count(Department)
            tx.insert(Department(name))
            assert tx.count(Department) == count + 1

    threads = [threading.Thread(target=write, args=(f"{number}",)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert db.count(Department) == 20


def test_one_that_waits_in_vain_is_told(path: Path) -> None:
    with Database(path, busy_timeout=0.1) as db:
        db.create_tables(Department)
        with db.shared_transaction() as tx:
            with pytest.raises(BusyError, match="another transaction is open"), db.shared_transaction():
                pass
            with pytest.raises(BusyError):
                db.insert(Department("a"))
            tx.insert(Department("b"))
        assert names(db) == ["b"]


def test_after_its_end_it_says_so(db: Database) -> None:
    with refused("left before the one inside it"), db.shared_transaction() as tx:
        inner = tx.transaction()
        inner.__enter__()
    with refused("has ended"):
        tx.insert(Department("a"))
    with refused("has ended"):
        inner.__exit__(None, None, None)
    assert "has ended" in repr(tx)
    db.insert(Department("b"))


def test_one_that_is_dropped_is_rolled_back(path: Path) -> None:
    with Database(path, busy_timeout=1) as db:
        db.create_tables(Department)
        shared: SharedTransaction | None = db.shared_transaction()
        assert shared is not None
        shared.__enter__().insert(Department("lost"))
        with pytest.warns(ResourceWarning, match="rolled back"):
            shared = None
            gc.collect()
        db.insert(Department("next"))
        assert names(db) == ["next"]


def test_what_it_is_not(db: Database) -> None:
    with db.shared_transaction() as tx:
        assert isinstance(tx, Database)
        with refused("takes no database of a shared transaction", None):
            tx._handle  # noqa: B018
        with refused("no database to close", None):
            tx.close()
        with refused("no time limit", None):
            tx.timeout(1)
        with pytest.raises(TypeError, match="cannot be copied"):
            copy.copy(tx)

        # What SQL calls runs where it is, and does not wait for itself.
        def departments() -> int:
            return tx.count(Department)

        tx.insert(Department("a"))
        tx.register_function(departments)
        with pytest.raises(DataError, match="uses the database that it runs in"):
            tx.fetch_value("SELECT departments()")
    with pytest.raises(ProgrammingError, match="transaction kind"):
        db.shared_transaction("later")  # type: ignore[arg-type]


def test_a_task_uses_it_too(db: Database) -> None:
    async def main() -> None:
        with db.shared_transaction() as tx:
            assert await tx.perform(lambda db: db.insert(Department("a")))
            await asyncio.to_thread(tx.insert, Department("b"))

    asyncio.run(main())
    assert names(db) == ["a", "b"]


def test_what_the_database_counts_waits_for_no_transaction(db: Database) -> None:
    with db.shared_transaction() as tx:
        made = Department("a")
        tx.insert(made)
        assert (db.last_insert_id, db.changes) == (made.id, 1)
        assert db.total_changes >= 1


def test_what_takes_no_database_of_it_says_so(db: Database) -> None:
    bundle = Bundle()
    bundle.add("001", "CREATE TABLE t (x)")
    for call in (bundle.apply, bundle.status, db.plan(Department).apply):
        with db.shared_transaction() as tx, pytest.raises(ProgrammingError, match="takes no database of a shared"):
            call(tx)
