"""Batches of a write queue, and its listeners."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from models import Department, Person

from cormorant import (
    Database,
    DataError,
    ProgrammingError,
    WriteCompletion,
    WriteQueue,
    WriteResult,
)


@pytest.fixture
def queue(db: Database) -> Iterator[WriteQueue]:
    with db.queue() as made:
        yield made


def fill(queue: WriteQueue) -> Any:
    batch = queue.begin()
    person = Person("Ada", 36)
    batch.insert(person)
    batch.execute("INSERT INTO people (id, name, age) VALUES (:id, :name, 0)", {"id": 1, "name": "Bob"})
    person.id = 7
    batch.save(person)
    person.name, person.age = "Grace", 1
    batch.update(person, "name")
    person.id = 8
    batch.update(person)
    batch.delete(person)
    batch.execute("UPDATE people SET age = age + ?", [1])
    # All is copied.
    person.name, person.id = "changed", 99
    assert len(batch) == 7
    return batch


def test_what_cannot_be_added_is_refused(queue: WriteQueue) -> None:
    batch = queue.begin()
    with pytest.raises(DataError):
        batch.execute("DELETE FROM people WHERE id = ?", [object()])
    with pytest.raises(ProgrammingError):
        batch.insert(object())  # type: ignore[arg-type]
    with pytest.raises(ProgrammingError):
        batch.insert(Person("x"), conflict="nonsense")  # type: ignore[arg-type]
    with pytest.raises(ProgrammingError, match="on_error"):
        batch.commit(on_error="nonsense")  # type: ignore[arg-type]
    assert len(batch) == 0
    batch.insert(Department("x"))
    batch.execute("SELECT 1; SELECT 2")
    errors = batch.commit(on_error="continue").result(10)
    assert errors[0].error is None
    assert isinstance(errors[1].error, ProgrammingError)


def test_a_batch_goes_with_what_nobody_committed(queue: WriteQueue, db: Database) -> None:
    queue.begin().insert(Person("dropped"))
    queue.flush()
    assert db.count(Person) == 0
    batch = queue.begin()
    batch.insert(Person("late"))
    queue.close()
    with pytest.raises(ProgrammingError, match="closed"):
        batch.commit()


def test_listeners_are_told_by_tag(queue: WriteQueue) -> None:
    heard: list[WriteCompletion] = []
    both = queue.listen()
    saving = queue.listen(heard.append, tag="save")
    batch = queue.begin()
    batch.insert(Person("x"))
    batch.commit("save")
    queue.add(lambda db: db.execute("nonsense"), tag="other")
    queue.flush()
    assert [(c.number, c.tag, c.error, c.results) for c in heard] == [(1, "save", None, [WriteResult(1, 1, None)])]
    first, second = both.next(10), both.next(10)
    assert first == heard[0]
    assert second is not None
    assert second.tag == "other"
    assert isinstance(second.error, ProgrammingError)
    assert both.next(0) is None
    saving.cancel()
    saving.cancel()
    queue.close()
    assert list(both) == []
    both.cancel()


def test_a_listener_is_awaited(queue: WriteQueue) -> None:
    async def main() -> list[str | None]:
        seen = []
        with queue.listen() as listener:
            for tag in ("a", "b", "c"):
                queue.add(lambda _: None, tag=tag)
            async for completion in listener:
                seen.append(completion.tag)
                if len(seen) == 3:
                    break
        return seen

    assert asyncio.run(main()) == ["a", "b", "c"]


def test_what_a_listener_raises_stops_nothing(queue: WriteQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)

    def fail(_: WriteCompletion) -> None:
        raise ValueError("mine")

    with queue.listen(fail):
        assert queue.add(lambda _: 1).result(10) == 1
        assert queue.add(lambda _: 2).result(10) == 2
        queue.flush()
    assert [str(unraisable.exc_value) for unraisable in told] == ["mine", "mine"]


def test_a_listener_may_cancel_itself(queue: WriteQueue) -> None:
    heard = threading.Event()
    count = 0

    def once(_: WriteCompletion) -> None:
        nonlocal count
        count += 1
        listener.cancel()
        heard.set()

    listener = queue.listen(once)
    with queue._database.transaction():
        writes = [queue.add(lambda _: None) for _ in range(5)]
    assert [write.result(10) for write in writes] == [None] * 5
    queue.flush()
    assert heard.is_set()
    assert count == 1
