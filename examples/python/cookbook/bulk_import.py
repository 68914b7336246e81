"""CSV in, by records and by columns of Arrow."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pyarrow.csv

from cormorant import Column, Database, Model, key


class City(Model):
    id: Column[int] = key()
    name: Column[str]
    people: Column[int]


def cities(path: Path) -> Iterator[City]:
    """One record at a time: the file may be larger than memory. A line that is wrong says so itself."""
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            yield City(row["name"], int(row["people"]))


file = Path("cities.csv")
file.write_text("name,people\nOslo,717710\nRome,2746984\n")
with Database(":memory:") as db:
    db.create_tables(City)
    db.insert_many(cities(file))  # all or nothing
    print(db.insert_arrow(City, pyarrow.csv.read_csv(file)), "by columns")
    print(db.count(City))
