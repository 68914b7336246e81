"""Processes: each opens the file after it has begun."""

from __future__ import annotations

import multiprocessing
import os

from cormorant import Column, Database, Model, column, update

db: Database


class Counter(Model):
    name: Column[str] = column(primary_key=True)
    number: Column[int] = column(default=0)


def open_database() -> None:
    """What each process of the pool runs first."""
    global db
    db = Database("counters.db", busy_timeout=30)


def count(name: str) -> int:
    db.execute(update(Counter).set({Counter.number: Counter.number + 1}).where(Counter.name == name))
    return os.getpid()


if __name__ == "__main__":
    with Database("counters.db") as main:
        main.sync(Counter)
        main.save(Counter("visits"))
    with multiprocessing.get_context("spawn").Pool(2, initializer=open_database) as pool:
        pool.map(count, ["visits"] * 100)
    with Database("counters.db") as main:
        print(main.find(Counter, "visits"))
