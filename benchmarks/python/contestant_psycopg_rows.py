"""psycopg 3 as its documents have it for dataclasses: the row factory `class_row`."""

import psycopg
from postgres_workload import LIST, Item, as_tuple
from psycopg.rows import class_row
from workload import Job, checksum, run


def fetch(job: Job) -> None:
    cursor = psycopg.connect(job.path, autocommit=True).cursor(binary=True, row_factory=class_row(Item))
    cursor.execute(f"SELECT {LIST} FROM item WHERE id = 1").fetchone()
    with job.measured():
        items = cursor.execute(f"SELECT {LIST} FROM item").fetchall()
    job.checksum = checksum(map(as_tuple, items))


run({"fetch": fetch})
