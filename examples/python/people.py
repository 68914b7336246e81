"""People and their departments: a short tour of Cormorant. Run it; it needs no argument."""

from __future__ import annotations

import sys
import tempfile
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

# In a checkout the package need not be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python" / "src"))

from cormorant import Column, Database, ForeignKeyViolation, Model, UniqueViolation, column, key


class Department(Model, table="departments"):
    id: Column[int] = key()
    name: Column[str] = column(unique=True)


class Person(Model, table="people", indexes=[("department", "-salary")], checks=["salary >= 0"]):
    id: Column[int] = key()
    name: Column[str]
    department: Column[int | None] = column(references=Department, on_delete="restrict")
    salary: Column[int] = column(default=0)
    bonus: Column[Decimal | None] = column(default=None)
    since: Column[datetime] = column(default_factory=lambda: datetime.now(timezone.utc))
    skills: Column[list[str]] = column(default_factory=list)


def fill(db: Database) -> None:
    """Creates the tables and puts a few records in."""
    db.create_tables(Department, Person)
    sales = Department("Sales").insert(db)  # the key comes back: sales.id
    research = Department("Research").insert(db)
    people = [
        Person("Ada", research.id, 5200, skills=["mathematics", "engines"]),
        Person("Ben", sales.id, 3100, bonus=Decimal("99.90")),
        Person("Cleo", sales.id, 3400),
        Person("Dan", None, since=datetime(2019, 5, 1, tzinfo=timezone.utc)),
    ]
    print(f"{db.insert_many(people)} people inserted, {people[-1].name} has key {people[-1].id}")


def change(db: Database) -> None:
    """Finds and changes records."""
    ben = db.fetch_one(Person, name="Ben")
    assert ben is not None
    ben.salary += 200
    ben.update(db, Person.salary)

    with db.transaction():
        for person in db.fetch_all(Person, "SELECT * FROM people WHERE department IS NULL"):
            person.department = 1
            person.save(db)


def refuse(db: Database) -> None:
    """What the database does not allow raises an error that says why."""
    try:
        Department("Sales").insert(db)
    except UniqueViolation as error:
        print(f"refused: {error.table}.{', '.join(error.columns)} must be unique")
    try:
        db.delete_key(Department, 1)
    except ForeignKeyViolation as error:
        print(f"refused: {error.message}")


def report(db: Database) -> None:
    """Prints records, and rows of SQL."""
    for person in db.fetch_all(Person, order_by=["-salary", "name"]):
        print(f"{person.name:6}{person.salary:6}  {person.bonus or '-':>6}  {', '.join(person.skills)}")
    sql = "SELECT d.name, count(*) AS people FROM departments d JOIN people p ON p.department = d.id GROUP BY d.id"
    for row in db.query(sql).dicts():
        print(row)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "people.db") as db:
        fill(db)
        change(db)
        refuse(db)
        report(db)


if __name__ == "__main__":
    main()
