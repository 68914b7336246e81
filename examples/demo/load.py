"""The demo in Python: loads the packages of a Debian machine into four tables, and asks for the largest.

load.py DATABASE STATUS_FILE    does that
load.py DATABASE                counts all rows and sums them up
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from cormorant import Database, Model
from models import MODELS, Package
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from status import dependencies, maintainers, packages, read_status, sections


class Clock:
    """Prints each step with the time since the one before."""

    def __init__(self) -> None:
        self.began = perf_counter()

    def done(self, what: str) -> None:
        print(f"{(perf_counter() - self.began) * 1000:9.1f} ms  {what}", flush=True)
        self.began = perf_counter()


def load(database: Database, source: Path) -> None:
    clock = Clock()
    status = read_status(source)
    clock.done(f"read {len(status)} packages")

    database.create_tables(*MODELS)
    clock.done(f"created the tables {', '.join(model.__model__.table for model in MODELS)}")

    insert_all(database, status)
    counts = [database.count(model) for model in MODELS]
    clock.done("inserted {} sections, {} maintainers, {} packages, {} dependencies".format(*counts))

    everything = database.fetch_all(Package, order_by="name")
    clock.done(f"fetched {len(everything)} Package objects")

    largest = database.fetch_all(Package, order_by=("-installed_size", "name"), limit=5)
    essential = database.count(Package, essential=True)
    clock.done(f"asked for the largest packages and counted the {essential} essential ones")
    for package in largest:
        print(f"{package.installed_size or 0:24} KB  {package.name} {package.version} ({package.section})")


def insert_all(database: Database, status: dict[str, dict[str, str]]) -> None:
    """In batches for the bar's sake; one insert_many per model would do. The transaction makes it all or nothing."""
    wanted = list(dependencies(status))
    of_section, of_maintainer = sections(status), maintainers(status)
    total = len(of_section) + len(of_maintainer) + len(status) + len(wanted)
    with Progress(TextColumn(" " * 13), BarColumn(), MofNCompleteColumn(), TextColumn("rows")) as bar:
        task = bar.add_task("", total=total)

        def insert(records: Sequence[Model]) -> None:
            for start in range(0, len(records), 100):
                bar.advance(task, database.insert_many(records[start : start + 100]))

        with database.transaction():
            insert(of_section)
            insert(of_maintainer)
            # Insert has given the maintainers their ids.
            insert(list(packages(status, of_maintainer)))
            insert(wanted)


def checksum(database: Database) -> tuple[int, int]:
    """The number of rows, and FNV-1a over the tables as the models describe them and every value of every row.

    explore.c and the Swift demo compute the same, each from its own records. After a value comes the byte 31, before
    NULL 0, and after a row 10.
    """
    rows, result = 0, 0xCBF29CE484222325
    for model in MODELS:
        parts = [model.__model__.create_sql]
        for row in database.cursor(model, order_by=model.__model__.key).tuples():
            for value in row:
                parts.append("\0" if value is None else str(int(value) if isinstance(value, bool) else value))
                parts.append("\x1f")
            parts.append("\n")
            rows += 1
        for byte in "".join(parts).encode():
            result = (result ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return rows, result


def main() -> None:
    with Database(sys.argv[1]) as database:
        if len(sys.argv) > 2:
            load(database, Path(sys.argv[2]))
        else:
            print("{} rows, checksum {:016x}".format(*checksum(database)))


main()
