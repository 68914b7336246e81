"""The anchor in Python on PostgreSQL: psycopg 3, binary and prepared, with a slots dataclass; inserts are copied."""

import psycopg
from postgres_workload import CREATE, LIST, SAVE, Item, as_tuple
from workload import Job, checksum, run

FIND = f"SELECT {LIST} FROM item WHERE id = %s"


def connect(job: Job) -> psycopg.Connection:
    return psycopg.connect(job.path, autocommit=True, prepare_threshold=1)


def insert(job: Job) -> None:
    connection, items = connect(job), [Item(*row) for row in job.rows_to_insert()]
    connection.execute(CREATE)
    types = ["int8"] * 4 + ["float8"] * 2 + ["text"] * 4
    with job.measured(), connection.cursor().copy(f"COPY item ({LIST}) FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(types)
        for item in items:
            copy.write_row(as_tuple(item))


def fetch(job: Job) -> None:
    cursor = connect(job).cursor(binary=True)
    cursor.execute(FIND, (1,)).fetchone()
    with job.measured():
        items = [Item(*row) for row in cursor.execute(f"SELECT {LIST} FROM item").fetchall()]
    job.checksum = checksum(map(as_tuple, items))


def lookup(job: Job) -> None:
    cursor, keys = connect(job).cursor(binary=True), job.keys_to_find()
    total = 0
    cursor.execute(FIND, (1,)).fetchone()
    with job.measured():
        for key in keys:
            item = Item(*cursor.execute(FIND, (key,), prepare=True).fetchone())
            total += item.quantity + len(item.name)
    job.checksum = total


def save(job: Job) -> None:
    connection, items = connect(job), [Item(*row) for row in job.rows_to_update()]
    sql = f"INSERT INTO item ({LIST}) VALUES ({', '.join(['%s'] * 10)}) ON CONFLICT (id) DO UPDATE SET {SAVE}"
    # executemany sends them in one flight.
    with job.measured(), connection.transaction():
        connection.cursor().executemany(sql, map(as_tuple, items))


run({"insert": insert, "fetch": fetch, "lookup": lookup, "save": save})
