"""Migrations: files brought to models, to steps and to versions, with nothing lost."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

# In a checkout the package need not be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python" / "src"))

from cormorant import Bundle, Column, Database, MigrationError, Model, Progress, VersionStep, column, key

# What earlier releases have left: a name of another kind, ages as texts, a number that nobody calls.
EARLIER = """
CREATE TABLE person (id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, age TEXT, fax TEXT);
INSERT INTO person VALUES (1, 'Ada', '36', '555'), (2, 'Grace', 'unknown', NULL);
"""


class Person(Model, allow_drop=["fax"]):
    id: Column[int] = key()
    name: Column[str] = column(renamed_from="full_name")
    age: Column[int | None] = column(default=None, convert_sql="iif(age NOT GLOB '*[^0-9]*', nullif(age, ''), NULL)")
    email: Column[str] = column(default="", default_sql="''")


class Bare(Model, table="person"):
    """Does not say what becomes of the columns that it lacks."""

    id: Column[int] = key()
    name: Column[str]


def refuse(db: Database) -> None:
    """A change that could lose something asks for its annotation; nothing is done."""
    try:
        db.sync(Bare)
    except MigrationError as error:
        print(error.message)


def plan(db: Database) -> None:
    """What a sync would do."""
    print(db.plan(Person))


def show(progress: Progress) -> None:
    """Says how far it is; False would cancel, and the file would be as it was."""
    print(f"{progress.step}: step {progress.index + 1} of {progress.count}, {progress.done} rows")


def sync(db: Database, folder: Path) -> None:
    """The file is brought to the model, with a copy of it made before."""
    db.sync(Person, snapshot=folder / "before.db", progress=show)
    print([(person.name, person.age, person.email) for person in db.fetch_all(Person)])
    print(bool(db.sync(Person)))


def restore(db: Database, folder: Path) -> None:
    """And back, with all that was there."""
    db.restore(folder / "before.db")
    print(db.query("SELECT full_name, age, fax FROM person").fetch_all())


def save(path: Path) -> None:
    """One call makes the table or brings it up, and saves."""
    with Database(path, auto_sync=True) as db:
        db.save(Person("Ida"))
        print([person.name for person in db.fetch_all(Person)])


def generate(folder: Path) -> None:
    """Run when a release is made, not by the program that is released."""
    print(Bundle.generate(folder, "create_people", Person))


def add_first(db: Database) -> None:
    db.insert(Person("Ada"))


def remove_first(db: Database) -> None:
    db.execute("DELETE FROM person WHERE name = 'Ada'")


def apply(db: Database, folder: Path) -> None:
    """The steps that the file lacks run in their order, each once."""
    bundle = Bundle(folder)
    bundle.add("0002_first_person", up=add_first, down=remove_first)
    bundle.apply(db)
    print([(step.id, step.state) for step in bundle.status(db)])
    bundle.revert(db, "0001_create_people")
    print(db.count(Person))


def number(db: Database) -> None:
    """Steps with a number, kept in PRAGMA user_version."""
    steps = [
        VersionStep(1, "CREATE TABLE note (text)", "DROP TABLE note"),
        VersionStep(2, "ALTER TABLE note ADD COLUMN day", "ALTER TABLE note DROP COLUMN day"),
    ]
    db.set_version(steps)
    db.set_version(steps, 1)
    print(db.version)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        with Database(place / "people.db") as database:
            database.execute_script(EARLIER)
            refuse(database)
            plan(database)
            sync(database, place)
            restore(database, place)
        save(place / "people.db")
        generate(place / "migrations")
        with Database(":memory:") as database:
            apply(database, place / "migrations")
        with Database(":memory:") as database:
            number(database)
