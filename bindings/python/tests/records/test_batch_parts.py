"""Batches that cross in parts, and those of which only some columns cross."""

from __future__ import annotations

import datetime
import enum
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cormorant
from cormorant import Column, Database, Model, column


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Entry(Model):
    day: Column[datetime.date] = column(primary_key=True)
    number: Column[int] = column(primary_key=True)
    label: Column[uuid.UUID]
    level: Column[Level]
    note: Column[str | None] = column(default=None)
    version: Column[int] = column(version=True, default=0)


class Ticket(Model):
    id: Column[uuid.UUID] = column(primary_key=True)
    title: Column[str]


class Item(Model):
    id: Column[int] = cormorant.key()
    name: Column[str] = column(unique=True)
    size: Column[int] = column(default=0, check="size >= 0")


DAY = datetime.date(2026, 11, 30)


def test_some_columns_of_records_with_conversions(db: Database) -> None:
    db.create_tables(Entry, Ticket)
    entries = [Entry(DAY, number, uuid.uuid4(), Level.LOW) for number in range(2500)]
    db.insert_many(entries)
    for entry in entries:
        entry.level, entry.note = Level.HIGH, f"n{entry.number}"
    before = db.find(Entry, DAY, 7)
    assert db.update_many(iter(entries), Entry.note) == 2500
    found = db.find(Entry, DAY, 7)
    assert before
    assert found
    assert (found.level, found.note, found.label) == (Level.LOW, "n7", before.label)
    assert found.version == entries[7].version == before.version + 1
    entries[1200].note = None
    assert db.update_many(entries, "level", "note") == 2500
    assert db.count(Entry, level=Level.HIGH) == 2500
    assert [entry.number for entry in db.fetch_all(Entry, note=None)] == [1200]
    with pytest.raises(cormorant.StaleRecordError) as stale:
        db.delete_many([entries[0], Entry(DAY, 1, uuid.uuid4(), Level.LOW, version=1)])
    assert stale.value.record_index == 1
    assert db.delete_many(entries[::2]) == 1250
    assert {entry.number % 2 for entry in db.fetch_all(Entry)} == {1}
    tickets = [Ticket(uuid.uuid4(), str(number)) for number in range(5)]
    db.insert_many(tickets)
    assert db.delete_many([*tickets[:2], Ticket(uuid.uuid4(), "")]) == 2
    assert {ticket.title for ticket in db.fetch_all(Ticket)} == {"2", "3", "4"}


def test_some_columns_that_cannot_be_written_say_which(db: Database) -> None:
    db.create_tables(Item, Ticket)
    items = [Item(name=str(number)) for number in range(3)]
    db.insert_many(items)
    for wrong in ([1], (1,), {}, object(), {"a"}):
        items[1].size = wrong  # type: ignore[assignment]
        with pytest.raises(cormorant.DataError, match=r"Item.size is of type") as caught:
            db.update_many(items, Item.size)
        assert caught.value.record_index == 1
        assert db.update_many(items, Item.name) == 3
    items[1].id = (1, 2)  # type: ignore[assignment]
    with pytest.raises(cormorant.DataError, match=r"Item.id is of type tuple"):
        db.delete_many(items)
    with pytest.raises(cormorant.DataError, match=r"Ticket\.id"):
        db.delete_many([Ticket(uuid.uuid4(), ""), Ticket("no", "")])  # type: ignore[arg-type]
    items[1].id = Level.HIGH
    assert db.delete_many(items) == 3


def _records(bad: Model | Exception) -> Iterator[Any]:
    yield from (Item(name=f"n{number}") for number in range(2500))
    if isinstance(bad, Exception):
        raise bad
    yield bad


WRITES: dict[str, Callable[[Database, Iterator[Any]], object]] = {
    "insert": Database.insert_many,
    "save": Database.save_many,
    "upsert": lambda db, records: db.upsert_many(records, on=Item.name),
    "execute": lambda db, records: db.execute_many(
        "INSERT INTO Item (name, size) VALUES (?, ?)", ((item.name, item.size) for item in records)
    ),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
@pytest.mark.parametrize("outer", [False, True])
def test_what_fails_in_a_later_part_takes_all_back(
    db: Database, write: Callable[[Database, Iterator[Any]], object], outer: bool
) -> None:
    db.create_tables(Item)

    def fails() -> None:
        with pytest.raises(cormorant.IntegrityError) as caught:
            write(db, _records(Item(name="bad", size=-1)))
        assert caught.value.record_index == 2500
        with pytest.raises(ZeroDivisionError):
            write(db, _records(ZeroDivisionError()))

    if not outer:
        fails()
        assert db.count(Item) == 0
        return
    with db.transaction():
        db.insert(Item(name="kept"))
        fails()
        write(db, _records(Item(name="last")))
    assert db.count(Item) == 2502


def test_updates_and_deletes_that_fail_in_a_later_part_take_all_back(db: Database) -> None:
    db.create_tables(Item)
    items = list(_records(Item(name="last")))
    db.insert_many(items)
    for item in items:
        item.size = 1
    items[2200].size = -1
    with db.transaction():
        db.insert(Item(name="kept"))
        with pytest.raises(cormorant.IntegrityError) as caught:
            db.update_many(items, Item.size)
        assert caught.value.record_index == 2200
        assert db.count(Item, size=1) == 0
        db.execute(
            "CREATE TEMP TRIGGER keep BEFORE DELETE ON Item WHEN old.name = 'n2300'"
            " BEGIN SELECT raise(ABORT, 'kept'); END"
        )
        with pytest.raises(cormorant.IntegrityError) as caught:
            db.delete_many(items)
        assert caught.value.record_index == 2300
    assert db.count(Item) == 2502
    assert db.fetch_value("SELECT count(*) FROM Item WHERE name = 'kept'") == 1


def test_a_batch_that_its_records_end_is_a_whole_in_each_part(db: Database) -> None:
    db.create_tables(Item)

    def ending() -> Iterator[Item]:
        yield from (Item(name=f"n{number}") for number in range(1000))
        db.execute("ROLLBACK")
        yield from (Item(name="a"), Item(name="bad", size=-1))

    with pytest.raises(cormorant.Error):
        db.insert_many(ending())
    assert db.count(Item) == 0


def test_what_is_no_record_is_told_in_full_batches_too(db: Database) -> None:
    for records in ([1, 1], [1] * 1000, [Item(name="a"), 1, 1]):
        with pytest.raises(cormorant.ProgrammingError, match=r"no record|several models"):
            db.save_many(records)  # type: ignore[arg-type]


@pytest.mark.parametrize(("count", "least"), [(3000, 1000), (1001, 1000)])
def test_whatever_ends_a_batch_says_which_record_it_was(db: Database, count: int, least: int) -> None:
    db.create_tables(Item)
    records = [Item(name=f"n{number}") for number in range(count - 1)]
    pages = 60 if count == 3000 else 500
    records.append(Item(name="x" * 4_000_000))
    db.execute(f"PRAGMA max_page_count = {db.fetch_value('PRAGMA page_count') + pages}")
    for _ in range(2):
        with pytest.raises(cormorant.OperationalError) as caught:
            db.insert_many(records)
        assert caught.value.code == "CORM_E_FULL"
        assert least <= caught.value.record_index < count
        assert str(caught.value).startswith(f"record {caught.value.record_index}: ")
        assert db.count(Item) == 0


def test_an_exception_of_a_callback_is_the_cause_of_what_ends_a_batch(db: Database) -> None:
    db.create_tables(Item)

    @db.register_function
    def refuse(name: str) -> None:
        if name == "n1500":
            raise LookupError(name)

    db.execute("CREATE TEMP TRIGGER asks BEFORE INSERT ON main.Item BEGIN SELECT refuse(new.name); END")
    with pytest.raises(cormorant.Error) as caught:
        db.insert_many(Item(name=f"n{number}") for number in range(2000))
    assert caught.value.record_index == 1500
    assert isinstance(caught.value.__cause__, LookupError)


@pytest.mark.parametrize(("count", "least"), [(30000, 1000), (1001, 1000)])
def test_whatever_ends_a_statement_for_many_rows_says_which_row_it_was(path: Path, count: int, least: int) -> None:
    rows = [("x" * (1000 if count == 30000 else 1),)] * (count - 1) + [("x" * 4_000_000,)]
    with Database(path) as db:
        db.execute("CREATE TABLE t (text)")
        db.execute("PRAGMA max_page_count = 5000" if count == 30000 else "PRAGMA max_page_count = 500")
        with pytest.raises(cormorant.OperationalError) as caught:
            db.execute_many("INSERT INTO t VALUES (?)", rows)
        assert least <= caught.value.record_index < count
        assert db.fetch_value("SELECT count(*) FROM t") == 0
