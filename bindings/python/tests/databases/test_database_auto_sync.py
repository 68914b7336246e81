"""Models that are synced before they are first used; the scenarios say what each face does."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from models import Department, Person, Setting

from cormorant import (
    BusyError,
    Column,
    Database,
    MigrationError,
    Model,
    ProgrammingError,
    Reference,
    Registry,
    column,
    key,
    select,
    to_many,
    to_one,
)


def test_a_model_in_use_costs_no_statement_more(path: Path) -> None:
    with Database(path, auto_sync=True) as db:
        department = Department("sales")
        db.insert(department)
        seen: list[str] = []
        db.set_trace(lambda sql, _: seen.append(sql))
        for _ in range(5):
            assert db.find(Department, department.id) == department
        assert len(seen) == 5


def test_a_model_that_is_watched_first(path: Path) -> None:
    with Database(path, auto_sync=True) as db, db.observe(Department) as observer:
        db.insert(Department("sales"))
        event = observer.next(5)
        assert event
        assert [change.table for change in event.changes] == ["departments"]


def test_a_function_that_is_watched_first_and_reads_another_model_later(path: Path) -> None:
    calls: list[int] = []

    def read(database: Database) -> tuple[int, int]:
        calls.append(1)
        departments = database.count(Department)
        return departments, database.count(Person) if departments else -1

    with Database(path, auto_sync=True) as db, db.observe(read) as observer:
        assert observer.next(5) == (0, -1)
        assert len(calls) == 2
        db.insert(Department("sales"))
        assert observer.next(5) == (1, 0)
        db.insert(Person("Ada"))
        assert observer.next(5) == (1, 1)
        calls.clear()
        with db.observe(read) as another:
            assert another.next(5) == (1, 1)
        assert len(calls) == 1


def test_a_function_that_is_watched_first_and_a_model_that_cannot_be_synced(path: Path) -> None:
    with Database(path, auto_sync=True) as db:
        db.execute_script("CREATE TABLE departments (id TEXT, name TEXT NOT NULL)")
        db.execute_script("INSERT INTO departments VALUES ('x', 'y')")
        with pytest.raises(MigrationError):
            db.observe(lambda database: database.fetch_all(Department))
        with pytest.raises(ZeroDivisionError):
            db.observe(lambda database: database.count(Setting) / 0)


@pytest.mark.parametrize("way", ["column", "reference", "relation", "name", "function", "suffix"])
def test_what_a_model_refers_to_that_is_used_first(path: Path, way: str) -> None:
    class Artist(Model):
        id: Column[int] = key()
        name: Column[str]

    named: dict[str, Any] = {"relation": Artist, "name": "Artist", "function": lambda: Artist}

    class Album(Model, references=[Reference(["artist_id"], Artist)] if way == "reference" else []):
        id: Column[int] = key()
        title: Column[str]
        target = {"column": Artist, "suffix": Artist, "reference": None}.get(way, "artist")
        artist_id: Column[int | None] = column(references=target, default=None)
        if way in named:
            artist = to_one(named[way])

    used = Album.suffixed("_1") if way == "suffix" else Album
    with Database(path, auto_sync=True) as db:
        db.insert(used("A"))
        assert db.fetch_all(select(Artist)) == []
        assert db.fetch_all(select(used.title)) == [("A",)]


def test_a_relation_to_what_is_not_there_yet_is_passed_by(path: Path) -> None:
    class Album(Model):
        id: Column[int] = key()
        title: Column[str]
        artist_id: Column[int | None] = column(references="later_artist", default=None)
        artist = to_one("LaterArtist")

    with Database(path, auto_sync=True) as db:
        assert db.fetch_all(select(Album)) == []

        class LaterArtist(Model):
            id: Column[int] = key()
            name: Column[str]

        db.insert(LaterArtist("Ida"))
        db.insert(Album("A", artist_id=1))
        assert db.fetch_all(select(Album.title).where(Album.artist.name == "Ida")) == [("A",)]


def test_a_relation_that_is_used_later_in_a_transaction(path: Path) -> None:
    class Owner(Model):
        pets = to_many(lambda: Pet)

        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)

    class Pet(Model):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        owner: Column[int] = column(references=Owner)

    with Database(path, auto_sync=True) as db, db.transaction():
        db.insert(Owner())
        assert db.fetch_all(select(Owner).where(Owner.pets.any(Pet.id == 1))) == []


def test_threads_that_come_at_once(path: Path) -> None:
    # Readers that open a new file, and a writer, ask for the same lock.
    for number in range(60):
        come_at_once(path.with_name(f"{number}.db"))


def come_at_once(path: Path) -> None:
    failures: list[Exception] = []
    with Database(path, auto_sync=True) as db:
        start = threading.Barrier(8)

        def use(number: int) -> None:
            try:
                start.wait(10)
                if number % 2:
                    db.insert(Department(f"{number}"))
                else:
                    db.fetch_all(Department)
                    db.save(Person(f"{number}"))
            except Exception as error:
                failures.append(error)

        threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert (db.count(Department), db.count(Person)) == (4, 4)


@pytest.mark.parametrize(
    "change",
    [lambda db: db.insert(Person("Ann")), lambda db: db.sync(Person), lambda db: db.vacuum()],
    ids=["auto_sync", "sync", "vacuum"],
)
def test_a_cursor_of_another_thread_is_waited_for(path: Path, change: Callable[[Database], object]) -> None:
    with Database(path, auto_sync=True) as db:
        db.insert_many([Department(f"{number}") for number in range(10_000)])
        # Opened by a thread that was alone, so that it reads where others are to write.
        rows = db.cursor(Department)
        assert next(rows).name == "0"
        done: list[object] = []
        others = threading.Thread(target=lambda: done.append(change(db)))
        others.start()
        others.join(0.2)
        assert others.is_alive()
        # Its own the thread need not wait for.
        with pytest.raises(BusyError, match="results or cursors are open"):
            db.insert(Setting("a", "b"))
        assert len(list(rows)) == 9_999
        others.join(10)
        assert len(done) == 1
        assert not others.is_alive()


def test_a_table_for_each_suffix(path: Path) -> None:
    # More than a connection keeps statements for, and each gone before the next is made.
    with Database(path, auto_sync=True) as db:
        for number in range(150):
            db.insert(Department.suffixed(f"{number}")("sales"))
        tables = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'departments!_%' ESCAPE '!' AND type = 'table'"
        assert db.query(tables).fetch_all() == [(150,)]


def test_files_of_a_registry(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db", auto_sync=True) as users:
        for name in ("ida", "joe"):
            with users.use(name) as db:
                db.save(Department(name))
        with users.use("ida") as db:
            assert [one.name for one in db.fetch_all(Department)] == ["ida"]


def test_a_write_of_a_queue(path: Path) -> None:
    with Database(path, auto_sync=True) as db:
        with db.queue() as queue:
            done = queue.add(lambda db: db.insert(Department("sales")))
            failed = queue.add(lambda db: db.execute("no SQL"))
            done.result(10)
            with pytest.raises(ProgrammingError):
                failed.result(10)
        assert db.count(Department) == 1


def test_a_transaction_of_another_thread_is_waited_for(path: Path) -> None:
    with Database(path, auto_sync=True, busy_timeout=10) as db:
        found: list[int] = []
        with db.transaction():
            db.insert(Department("sales"))
            thread = threading.Thread(target=lambda: found.append(db.count(Department)))
            thread.start()
            thread.join(0.2)
        thread.join()
        assert found == [1]


def test_two_programs_with_different_models(path: Path) -> None:
    class Pet(Model):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        name: Column[str]

    class OlderPet(Model, table="pet"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)

    with Database(path, auto_sync=True) as newer, Database(path, auto_sync=True) as older:
        newer.save(Pet("Rex"))
        # The older program would drop the newer one's column.
        with pytest.raises(MigrationError, match="name"):
            older.find(OlderPet, 1)
        assert [pet.name for pet in newer.fetch_all(Pet)] == ["Rex"]
        newer.execute("ALTER TABLE pet ADD COLUMN age INTEGER")
        newer.save(Pet("Tom"))
        assert newer.count(Pet) == 2


def test_a_result_of_one_s_own_gets_no_table(path: Path) -> None:
    class Summary(Model):
        name: Column[str]
        people: Column[int]

    with Database(path, auto_sync=True) as db:
        db.save(Department("sales"))
        sql = "SELECT name, 0 AS people FROM departments"
        assert [row.name for row in db.cursor(Summary, sql)] == ["sales"]
        query = select(Department.name, Department.id.label("people"))
        assert [row.people for row in db.fetch_all(query, into=Summary)] == [1]
        assert not db.table_exists(Summary)


@pytest.mark.parametrize("in_transaction", [False, True])
def test_derived_classes_bring_their_table(path: Path, in_transaction: bool) -> None:
    class Vessel(Model, discriminator="kind"):
        kind: Column[str] = column(init=False)
        name: Column[str]
        id: Column[int] = key()

    class Barge(Vessel, discriminator_value="barge"):
        tons: Column[int] = column(default=1)

    class Yacht(Vessel, discriminator_value="yacht"):
        masts: Column[int] = column(default=2)

    with Database(path, auto_sync=True) as db:
        with db.transaction() if in_transaction else nullcontext():
            db.insert(Barge("b"))
            db.insert(Yacht("y"))
        assert [type(vessel) for vessel in db.fetch_all(Vessel, order_by="id")] == [Barge, Yacht]
        assert db.fetch_all(select(Yacht.masts)) == [(2,)]
