"""One handle, many threads."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from models import Person

from cormorant import Column, Database, Model, column, read_json, to_many, to_one, write_json

THREADS = 8


def together(work: Callable[[int], None]) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        for future in [pool.submit(work, number) for number in range(THREADS)]:
            future.result(timeout=60)


def test_reads_and_writes_beside_each_other(db: Database) -> None:
    def work(number: int) -> None:
        for step in range(200):
            person = Person(f"t{number}-{step}", step).insert(db)
            found = db.find(Person, person.id)
            assert found == person
            assert db.fetch_one(Person, name=person.name) == person
        assert len(db.fetch_all(Person, "SELECT * FROM people WHERE name LIKE ?", [f"t{number}-%"])) == 200

    together(work)
    assert db.count(Person) == THREADS * 200


def test_transactions_do_not_mix(db: Database) -> None:
    def work(number: int) -> None:
        for step in range(20):
            try:
                with db.transaction():
                    before = db.count(Person)
                    db.insert_many(Person(f"t{number}-{step}-{i}") for i in range(5))
                    time.sleep(0.0005)
                    assert db.count(Person) == before + 5
                    assert db.transaction_depth == 1
                    if step % 2:
                        raise KeyError
            except KeyError:
                pass

    together(work)
    assert db.count(Person) == THREADS * 10 * 5


def test_results_of_several_threads(db: Database) -> None:
    db.insert_many(Person(f"n{i}", i) for i in range(5_000))

    def work(number: int) -> None:
        assert sum(person.age for person in db.cursor(Person)) == sum(range(5_000))

    together(work)


def test_the_interpreter_runs_while_sqlite_does(db: Database) -> None:
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.wait(0.005):
            ticks += 1

    thread = threading.Thread(target=count)
    thread.start()
    started = time.monotonic()
    db.query(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) FROM n"
    ).fetch_all()
    took = time.monotonic() - started
    done.set()
    thread.join()
    assert ticks > took / 0.005 / 20


def test_a_trace_callback_does_not_lock_up(db: Database) -> None:
    seen: list[str] = []
    db.set_trace(lambda sql, _: seen.append(sql))

    def work(number: int) -> None:
        for step in range(100):
            db.insert(Person(f"t{number}-{step}"))

    together(work)
    db.set_trace(None)
    assert sum(sql.startswith("INSERT") for sql in seen) == THREADS * 100


def test_a_record_is_asked_for_its_dict_while_nothing_is_collected(db: Database) -> None:
    """In CPython 3.11 the collector, run in the midst of it, would let another thread make a second one."""
    asked: list[bool] = []

    class Watched(Model):
        id: Column[int | None] = column(primary_key=True, default=None)
        parent_id: Column[int | None] = column(default=None, references="watched")
        parent = to_one("Watched")
        children = to_many("Watched")

        def __getattribute__(self, name: str) -> Any:
            if name == "__dict__":
                asked.append(gc.isenabled())
            return super().__getattribute__(name)

    db.create_tables(Watched)
    record, parent = Watched(), Watched()
    record.parent = parent
    parent.children = [record]
    parent.insert(db)
    for use in (
        lambda: write_json(record),
        lambda: db.save_graph(record),
        lambda: db.load(record, Watched.parent),
        lambda: db.load(parent, Watched.children),
        lambda: list(read_json(Watched, '[{"children": [{}]}]')),
    ):
        del record.__dict__["parent"], asked[:]
        record.parent = Watched(id=1)
        use()
        assert asked == [False] * len(asked)
        assert asked
    assert gc.isenabled()
