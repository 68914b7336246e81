"""Cormorant from Python."""

from operator import attrgetter

from cormorant import Column, Database, Model, column
from workload import COLUMNS, FILTER_REGION, Job, checksum, run

INSERT = f"INSERT INTO item ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * 10)})"
# Any number of rows (a parameter) from a table of fewer, for the memory of a streamed result.
STREAM = f"""
    WITH RECURSIVE turn(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM turn LIMIT ?1)
    SELECT {", ".join(COLUMNS)} FROM turn CROSS JOIN item LIMIT ?1"""
THREE = ("quantity", "price", "name")


class Item(Model):
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


as_tuple = attrgetter(*COLUMNS)


def insert(job: Job) -> None:
    rows = job.rows_to_insert()
    with Database(job.path) as db:
        db.create_tables(Item)
        with job.measured():
            db.execute_many(INSERT, rows)


def insert_objects(job: Job) -> None:
    items = [Item(*row) for row in job.rows_to_insert()]
    with Database(job.path) as db:
        db.create_tables(Item)
        with job.measured():
            db.insert_many(items)


def insert_each(job: Job) -> None:
    items = [Item(*row) for row in job.rows_to_insert()]
    with Database(job.path) as db:
        db.create_tables(Item)
        with job.measured(), db.transaction():
            for item in items:
                db.insert(item)


def autocommit(job: Job) -> None:
    items = [Item(*row) for row in job.rows_to_append()]
    with Database(job.path) as db, job.measured():
        for item in items:
            db.insert(item)


def fetch(job: Job) -> None:
    with Database(job.path) as db:
        with job.measured():
            rows = db.cursor(Item).tuples().fetch_all()
        job.checksum = checksum(rows)


def read_one(db: Database, job: Job) -> None:
    # What the first read of a server costs, a connection, is no part of a fetch or lookup.
    if job.path.startswith("postgres"):
        db.find(Item, 1)


def fetch_objects(job: Job) -> None:
    with Database(job.path) as db:
        read_one(db, job)
        with job.measured():
            items = db.fetch_all(Item)
        job.checksum = checksum(map(as_tuple, items))


def filter_(job: Job) -> None:
    with Database(job.path) as db:
        with job.measured():
            items = db.fetch_all(Item, region=FILTER_REGION, order_by=("quantity", "id"))
        job.checksum = checksum(map(as_tuple, items))


def lookup(job: Job) -> None:
    keys = job.keys_to_find()
    total = 0
    with Database(job.path) as db:
        read_one(db, job)
        with job.measured():
            for key in keys:
                item = db.find(Item, key)
                total += item.quantity + len(item.name)
    job.checksum = total


def lookup_transaction(job: Job) -> None:
    keys = job.keys_to_find()
    total = 0
    with Database(job.path) as db, job.measured(), db.transaction("deferred"):
        for key in keys:
            item = db.find(Item, key)
            total += item.quantity + len(item.name)
    job.checksum = total


def update(job: Job, *names: str) -> None:
    items = [Item(*row) for row in job.rows_to_update()]
    with Database(job.path) as db, job.measured(), db.transaction():
        for item in items:
            db.update(item, *names)


def update_batch(job: Job, *names: str) -> None:
    items = [Item(*row) for row in job.rows_to_update()]
    with Database(job.path) as db, job.measured():
        db.update_many(items, *names)


def save(job: Job) -> None:
    items = [Item(*row) for row in job.rows_to_update()]
    with Database(job.path) as db, job.measured(), db.transaction():
        for item in items:
            db.save(item)


def save_batch(job: Job) -> None:
    items = [Item(*row) for row in job.rows_to_update()]
    with Database(job.path) as db, job.measured():
        db.save_many(items)


def delete(job: Job) -> None:
    items = [Item(key, 0, 0, 0, 0.0, 0.0, "", "", "", None) for key in job.keys_to_delete()]
    with Database(job.path) as db, job.measured(), db.transaction():
        for item in items:
            db.delete(item)


def delete_batch(job: Job) -> None:
    items = [Item(key, 0, 0, 0, 0.0, 0.0, "", "", "", None) for key in job.keys_to_delete()]
    with Database(job.path) as db, job.measured():
        db.delete_many(items)


def stream(job: Job) -> None:
    total = 0
    with Database(job.path) as db, job.measured():
        for item in db.cursor(Item, STREAM, (job.count,)):
            total += item.quantity + len(item.name)
    job.checksum = total


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
        "update3": lambda job: update(job, *THREE),
        "update9": lambda job: update(job),
        "save": save,
        "save_batch": save_batch,
        "update3_batch": lambda job: update_batch(job, *THREE),
        "update9_batch": lambda job: update_batch(job),
        "delete": delete,
        "delete_batch": delete_batch,
        "stream": stream,
    }
)
