"""SQLAlchemy 2's Core: its expressions and rows, without objects."""

from sqlalchemy import Column, Float, Integer, MetaData, String, Table, bindparam, create_engine, event, select
from workload import COLUMNS, FILTER_REGION, Job, checksum, run

metadata = MetaData()
TYPES = dict.fromkeys(("quantity", "grade", "region"), Integer) | dict.fromkeys(("price", "weight"), Float)
item = Table(
    "item",
    metadata,
    Column("id", Integer, primary_key=True),
    *(Column(name, TYPES.get(name, String), nullable=name == "note") for name in COLUMNS[1:]),
)
by_key = item.c.id == bindparam("key")


def connect(job: Job):
    engine = create_engine(f"sqlite:///{job.path}")

    @event.listens_for(engine, "connect")
    def pragmas(connection, _record) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = FAST")

    return engine.connect()


def insert(job: Job) -> None:
    connection, rows = connect(job), job.rows_to_insert()
    metadata.create_all(connection)
    connection.commit()
    with job.measured():
        connection.execute(item.insert(), [dict(zip(COLUMNS, row, strict=True)) for row in rows])
        connection.commit()


def insert_each(job: Job) -> None:
    connection, rows = connect(job), job.rows_to_insert()
    metadata.create_all(connection)
    connection.commit()
    statement = item.insert()
    with job.measured():
        for row in rows:
            connection.execute(statement, dict(zip(COLUMNS, row, strict=True)))
        connection.commit()


def autocommit(job: Job) -> None:
    connection, rows = connect(job), job.rows_to_append()
    statement = item.insert()
    with job.measured():
        for row in rows:
            connection.execute(statement, dict(zip(COLUMNS, row, strict=True)))
            connection.commit()


def fetch(job: Job) -> None:
    fetch_query(job, select(item))


def fetch_query(job: Job, query) -> None:
    connection = connect(job)
    with job.measured():
        rows = connection.execute(query).all()
    job.checksum = checksum(rows)


def filter_(job: Job) -> None:
    fetch_query(job, select(item).where(item.c.region == FILTER_REGION).order_by(item.c.quantity, item.c.id))


def lookup(job: Job, transaction: bool = False) -> None:
    connection, keys = connect(job), job.keys_to_find()
    query = select(item).where(by_key)
    total = 0
    with job.measured():
        if transaction:
            connection.exec_driver_sql("BEGIN")  # Python's sqlite3 begins none for a SELECT
        for key in keys:
            row = connection.execute(query, {"key": key}).one()
            total += row.quantity + len(row.name)
            if not transaction:
                connection.rollback()
    job.checksum = total


def update(job: Job, names: tuple[str, ...], batch: bool) -> None:
    connection, rows = connect(job), job.rows_to_update()
    positions = [("key", 0), *((name, COLUMNS.index(name)) for name in names)]
    statement = item.update().where(by_key).values({name: bindparam(name) for name in names})
    with job.measured():
        values = ({name: row[position] for name, position in positions} for row in rows)
        if batch:
            connection.execute(statement, list(values))
        else:
            for value in values:
                connection.execute(statement, value)
        connection.commit()


def delete(job: Job, batch: bool) -> None:
    connection, keys = connect(job), job.keys_to_delete()
    statement = item.delete().where(by_key)
    with job.measured():
        if batch:
            connection.execute(statement, [{"key": key} for key in keys])
        else:
            for key in keys:
                connection.execute(statement, {"key": key})
        connection.commit()


run(
    {
        "insert": insert,
        "insert_each": insert_each,
        "autocommit": autocommit,
        "fetch": fetch,
        "filter": filter_,
        "lookup": lookup,
        "lookup_transaction": lambda job: lookup(job, transaction=True),
        "update3": lambda job: update(job, ("quantity", "price", "name"), batch=False),
        "update9": lambda job: update(job, COLUMNS[1:], batch=False),
        "update3_batch": lambda job: update(job, ("quantity", "price", "name"), batch=True),
        "update9_batch": lambda job: update(job, COLUMNS[1:], batch=True),
        "delete": lambda job: delete(job, batch=False),
        "delete_batch": lambda job: delete(job, batch=True),
    }
)
