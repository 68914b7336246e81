"""Observers and listeners whose items are waited for."""

from __future__ import annotations

import asyncio
import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from models import Person

from cormorant import Database, Event, Observer, ProgrammingError, WriteCompletion


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        thread.join()


@pytest.fixture
def live(db: Database) -> Iterator[Observer[Person]]:
    db.insert_many([Person("Ann", 1), Person("Bob", 1)])
    with db.observe_live(Person, name="Ann") as observer:
        first = observer.next(5)
        assert first is not None
        assert len(first.rows) == 1
        yield observer


def change(db: Database, name: str, ages: range) -> None:
    for age in ages:
        db.execute("UPDATE people SET age = ? WHERE name = ?", (age, name))
        time.sleep(0.002)


def test_a_loop_goes_on_where_a_commit_leaves_the_result_as_it_was(db: Database, live: Observer[Person]) -> None:

    def work() -> None:
        change(db, "Bob", range(50))
        change(db, "Ann", range(99, 100))

    with meanwhile(work):
        for event in live:
            assert event.rows[0].age == 99
            break


def test_next_waits_as_long_as_it_was_told(db: Database, live: Observer[Person]) -> None:
    with meanwhile(lambda: change(db, "Bob", range(100))):
        start = time.monotonic()
        assert live.next(0.5) is None
        assert 0.5 <= time.monotonic() - start < 5
    with meanwhile(lambda: change(db, "Bob", range(30)) or change(db, "Ann", range(7, 8))):  # type: ignore[func-returns-value]
        event = live.next(None)
        assert event is not None
        assert event.rows[0].age == 7
    assert live.next(0) is None


def test_an_async_loop_goes_on_too(db: Database, live: Observer[Person]) -> None:
    async def main() -> int:
        async for event in live:
            return event.rows[0].age
        return -1

    with meanwhile(lambda: change(db, "Bob", range(30)) or change(db, "Ann", range(7, 8))):  # type: ignore[func-returns-value]
        assert asyncio.run(main()) == 7


def test_a_second_loop_is_refused(db: Database) -> None:
    with db.observe(Person) as observer, db.queue() as queue, queue.listen() as listener:
        waiting: Any
        for waiting in (observer, listener):
            first = iter(waiting)
            for begin in (iter, aiter):
                with pytest.raises(ProgrammingError, match=f"another loop goes over this {type(waiting).__name__}"):
                    begin(waiting)
            del first
        db.insert(Person("Ann"))
        for event in observer:
            assert event.changes[0].kind == "insert"
            break

        async def twice() -> list[Event[Person]]:
            found = []
            for name in ("Bob", "Cy"):
                db.insert(Person(name))
                async for event in observer:
                    found.append(event)
                    break
            return found

        # A loop that was left, async too, is over at once.
        assert len(asyncio.run(twice())) == 2
        db.insert(Person("Di"))
        assert next(iter(observer)).changes[0].kind == "insert"


def test_a_loop_that_was_cancelled_is_over(db: Database) -> None:
    async def main() -> list[str]:
        kinds: list[str] = []
        with db.observe(Person) as observer:

            async def consume() -> None:
                async for event in observer:
                    kinds.append(event.changes[0].kind)

            task = asyncio.create_task(consume())
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await task
            db.insert(Person("Ann"))
            loop = aiter(observer)
            kinds.append((await asyncio.wait_for(anext(loop), 5)).changes[0].kind)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(anext(loop), 0.01)
            db.insert(Person("Bob"))
            kinds.append((await anext(loop)).changes[0].kind)
            assert caught.value is not None
        return kinds

    assert asyncio.run(main()) == ["insert", "insert"]


def test_descriptors_above_1023(db: Database) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    null = os.open(os.devnull, os.O_RDONLY)
    taken = [null]
    try:
        while taken[-1] < 1100:
            taken.append(os.dup(null))
        with db.observe(Person) as observer, db.queue() as queue, queue.listen() as listener:
            assert observer.fileno() > 1023
            assert observer.next(0.01) is None
            assert listener.next(0.01) is None
            queue.add(lambda db: db.insert(Person("Ann"))).result()
            completion, event = listener.next(5), observer.next(5)
            assert completion is not None
            assert event is not None
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_cancel_ends_a_wait(db: Database) -> None:
    def later(cancel: Callable[[], object]) -> Callable[[], object]:
        return lambda: time.sleep(0.05) or cancel()  # type: ignore[func-returns-value]

    for _ in range(5):
        observer, queue = db.observe(Person), db.queue()
        listener = queue.listen()
        with meanwhile(later(observer.cancel)):
            assert list(observer) == []
        with meanwhile(later(listener.cancel)):
            assert listener.next() is None
        listener = queue.listen()
        with meanwhile(later(queue.close)):
            assert list(listener) == []
        listener.cancel()

        async def main() -> list[Event[Person]]:
            observer = db.observe(Person)
            asyncio.get_running_loop().call_later(0.02, observer.cancel)
            return [event async for event in observer]

        assert asyncio.run(asyncio.wait_for(main(), 10)) == []
        assert observer.next() is None
        assert observer.next(0.01) is None
        assert observer.fileno() > 2  # of one that was waited for: readable for ever
    never_waited = db.observe(Person)
    never_waited.cancel()
    with pytest.raises(ProgrammingError, match="the Observer is cancelled"):
        never_waited.fileno()


def test_several_threads_share_what_next_gives(db: Database) -> None:
    taken: list[WriteCompletion] = []
    with db.queue() as queue, queue.listen() as listener:

        def take() -> None:
            while (completion := listener.next()) is not None:
                taken.append(completion)

        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(100):
            queue.add(lambda db: None)
        queue.close()
        for thread in threads:
            thread.join()
    assert sorted(completion.number for completion in taken) == list(range(1, 101))


def test_a_wait_ends_with_its_database(path: Path) -> None:
    db = Database(path)
    db.execute("CREATE TABLE IF NOT EXISTS people (name TEXT)")
    observer = db.observe_live(None, "SELECT * FROM people")
    assert observer.next(5) is not None
    with meanwhile(lambda: time.sleep(0.05) or db.close()):  # type: ignore[func-returns-value]
        assert list(observer) == []
    observer.cancel()


def test_one_that_is_cancelled_before_it_waits_is_over(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    take = Observer._take

    def cancelled(self: Observer[Person]) -> Any:
        item = take(self)
        self.cancel()
        return item

    monkeypatch.setattr(Observer, "_take", cancelled)

    async def over() -> list[Any]:
        return [item async for item in db.observe(Person)]

    assert list(db.observe(Person)) == []
    assert db.observe(Person).next() is None
    assert asyncio.run(over()) == []
