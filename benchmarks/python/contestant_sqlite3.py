"""The anchor in Python: the standard library's sqlite3, with tuples and with a slots dataclass."""

import sqlite3
from dataclasses import dataclass
from operator import attrgetter

from workload import COLUMNS, CREATE, FILTER_REGION, Job, checksum, run

LIST = ", ".join(COLUMNS)
INSERT = f"INSERT INTO item ({LIST}) VALUES ({', '.join('?' * 10)})"
FIND = f"SELECT {LIST} FROM item WHERE id = ?"
FILTER = f"SELECT {LIST} FROM item WHERE region = ? ORDER BY quantity, id"
SAVE = f"{INSERT} ON CONFLICT(id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in COLUMNS[1:])}"
SETS = {
    "update3": ("quantity", "price", "name"),
    "update9": COLUMNS[1:],
}


@dataclass(slots=True)
class Item:
    id: int
    quantity: int
    grade: int
    region: int
    price: float
    weight: float
    name: str
    city: str
    code: str
    note: str | None


as_tuple = attrgetter(*COLUMNS)


def connect(job: Job) -> sqlite3.Connection:
    connection = sqlite3.connect(job.path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = FAST")
    return connection


def insert(job: Job) -> None:
    connection, rows = connect(job), job.rows_to_insert()
    connection.execute(CREATE)
    with job.measured():
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(INSERT, rows)
        connection.execute("COMMIT")


def insert_objects(job: Job) -> None:
    connection, items = connect(job), [Item(*row) for row in job.rows_to_insert()]
    connection.execute(CREATE)
    with job.measured():
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(INSERT, map(as_tuple, items))
        connection.execute("COMMIT")


def insert_each(job: Job) -> None:
    connection, items = connect(job), [Item(*row) for row in job.rows_to_insert()]
    connection.execute(CREATE)
    with job.measured():
        connection.execute("BEGIN IMMEDIATE")
        for item in items:
            connection.execute(INSERT, as_tuple(item))
        connection.execute("COMMIT")


def autocommit(job: Job) -> None:
    connection, items = connect(job), [Item(*row) for row in job.rows_to_append()]
    with job.measured():
        for item in items:
            connection.execute(INSERT, as_tuple(item))


def fetch(job: Job) -> None:
    connection = connect(job)
    with job.measured():
        rows = connection.execute(f"SELECT {LIST} FROM item").fetchall()
    job.checksum = checksum(rows)


def fetch_objects(job: Job) -> None:
    connection = connect(job)
    with job.measured():
        items = [Item(*row) for row in connection.execute(f"SELECT {LIST} FROM item")]
    job.checksum = checksum(map(as_tuple, items))


def filter_(job: Job) -> None:
    connection = connect(job)
    with job.measured():
        items = [Item(*row) for row in connection.execute(FILTER, (FILTER_REGION,))]
    job.checksum = checksum(map(as_tuple, items))


def lookup(job: Job, transaction: bool = False) -> None:
    connection, keys = connect(job), job.keys_to_find()
    total = 0
    with job.measured():
        if transaction:
            connection.execute("BEGIN")
        for key in keys:
            item = Item(*connection.execute(FIND, (key,)).fetchone())
            total += item.quantity + len(item.name)
        if transaction:
            connection.execute("COMMIT")
    job.checksum = total


def lookup_transaction(job: Job) -> None:
    lookup(job, transaction=True)


def update(job: Job, names: tuple[str, ...], batch: bool) -> None:
    connection, items = connect(job), [Item(*row) for row in job.rows_to_update()]
    sql = f"UPDATE item SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?"
    values = attrgetter(*names, "id")
    with job.measured():
        connection.execute("BEGIN IMMEDIATE")
        if batch:
            connection.executemany(sql, map(values, items))
        else:
            for item in items:
                connection.execute(sql, values(item))
        connection.execute("COMMIT")


def save(job: Job) -> None:
    connection, items = connect(job), [Item(*row) for row in job.rows_to_update()]
    with job.measured():
        connection.execute("BEGIN IMMEDIATE")
        for item in items:
            connection.execute(SAVE, as_tuple(item))
        connection.execute("COMMIT")


def delete(job: Job) -> None:
    connection, keys = connect(job), job.keys_to_delete()
    with job.measured():
        connection.execute("BEGIN IMMEDIATE")
        for key in keys:
            connection.execute("DELETE FROM item WHERE id = ?", (key,))
        connection.execute("COMMIT")


def delete_batch(job: Job) -> None:
    connection, keys = connect(job), job.keys_to_delete()
    with job.measured():
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("DELETE FROM item WHERE id = ?", ((key,) for key in keys))
        connection.execute("COMMIT")


run(
    {
        "insert": insert,
        "insert_objects": insert_objects,
        "insert_each": insert_each,
        "autocommit": autocommit,
        "fetch": fetch,
        "fetch_objects": fetch_objects,
        "filter": filter_,
        "lookup": lookup,
        "lookup_transaction": lookup_transaction,
        "update3": lambda job: update(job, SETS["update3"], batch=False),
        "update9": lambda job: update(job, SETS["update9"], batch=False),
        "save": save,
        "update3_batch": lambda job: update(job, SETS["update3"], batch=True),
        "update9_batch": lambda job: update(job, SETS["update9"], batch=True),
        "delete": delete,
        "delete_batch": delete_batch,
    }
)
