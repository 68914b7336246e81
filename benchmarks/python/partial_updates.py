"""What an update of some columns of a record costs over one of all, by what lies on the others.

In one process, for Cormorant and for sqlite3 beside it: the least time of many short rounds in turn, each in a
transaction of its own. The texts keep their lengths, so that SQLite writes the row where it lies.
"""

import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timezone
from operator import attrgetter
from pathlib import Path
from typing import Any

from cormorant import Column, Database, Model, column
from workload import COLUMNS, make_row

ROWS, ROUNDS = 400, 60
SETS = {"one": ("name",), "three": ("quantity", "price", "name"), "all": COLUMNS[1:]}


class Region(Model):
    id: Column[int] = column(primary_key=True)


class Row:
    id: Column[int] = column(primary_key=True)
    quantity: Column[int]
    grade: Column[int]
    region: Column[int]
    price: Column[float]
    weight: Column[float]
    name: Column[str]
    city: Column[str]
    code: Column[str]
    note: Column[str | None]


class Bare(Row, Model):
    pass


class Referring(Row, Model):
    region: Column[int] = column(references=Region)


class Indexed(Row, Model, indexes=["city"]):
    pass


class IndexedThrice(Row, Model, indexes=["city", "code", "region"]):
    pass


class Converted(Row, Model):
    """City is a time here, and code a document."""

    city: Column[datetime]  # type: ignore[assignment]
    code: Column[dict[str, Any]] = column(json=True)  # type: ignore[assignment]


TABLES: dict[str, type[Model]] = {
    "no indexes": Bare,
    "a foreign key": Referring,
    "an index": Indexed,
    "three indexes": IndexedThrice,
    "a time and a document": Converted,
}


def records(model: Any) -> list[Any]:
    made = [model(*make_row(key)) for key in range(1, ROWS + 1)]
    for record in made if model is Converted else ():
        record.city = datetime.fromtimestamp(record.quantity, timezone.utc)
        record.code = {"title": record.code, "pages": [record.grade, record.region]}
    return made


def as_sqlite_has_it(value: object) -> object:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return json.dumps(value) if isinstance(value, dict) else value


def by_cormorant(db: Database, items: list[Any], names: tuple[str, ...]) -> Callable[[], None]:
    names = () if len(names) == len(COLUMNS) - 1 else names

    def run() -> None:
        update = db.update
        with db.transaction():
            for item in items:
                update(item, *names)

    return run


def by_sqlite(
    connection: sqlite3.Connection, model: type[Model], items: list[Any], names: tuple[str, ...]
) -> Callable[[], None]:
    sql = f"UPDATE {model.__model__.table} SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?"
    values = attrgetter(*names, "id")
    converts = model is Converted and len(names) > len(SETS["three"])

    def run() -> None:
        execute = connection.execute
        execute("BEGIN IMMEDIATE")
        for item in items:
            execute(sql, tuple(map(as_sqlite_has_it, values(item))) if converts else values(item))
        execute("COMMIT")

    return run


def measure() -> dict[str, dict[str, dict[str, float]]]:
    """Microseconds of one update, by table, library and set of columns."""
    answer: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "partial.db")
        with Database(path) as db:
            db.create_tables(Region, *TABLES.values())
            db.insert_many(Region(number) for number in range(10))
            for title, model in TABLES.items():
                items = records(model)
                db.insert_many(items)
                connection = sqlite3.connect(path, isolation_level=None)
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("PRAGMA foreign_keys = ON")
                answer[title] = least_times(
                    {
                        "Cormorant": {name: by_cormorant(db, items, names) for name, names in SETS.items()},
                        "sqlite3": {name: by_sqlite(connection, model, items, names) for name, names in SETS.items()},
                    }
                )
                connection.close()
    return answer


def least_times(runs: dict[str, dict[str, Callable[[], None]]]) -> dict[str, dict[str, float]]:
    least: dict[str, dict[str, float]] = {library: dict.fromkeys(SETS, float("inf")) for library in runs}
    for _ in range(ROUNDS):
        for library, sets in runs.items():
            # It reads anew the pages that the other one has written.
            sets["all"]()
            for name, run in sets.items():
                start = time.perf_counter()
                run()
                least[library][name] = min(least[library][name], (time.perf_counter() - start) / ROWS * 1e6)
    return least


if __name__ == "__main__":
    json.dump(measure(), sys.stdout, indent=1)
