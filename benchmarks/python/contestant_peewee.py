"""peewee."""

from peewee import FloatField, IntegerField, Model, SqliteDatabase, TextField
from workload import COLUMNS, FILTER_REGION, Job, checksum, run

database = SqliteDatabase(None, pragmas={"journal_mode": "wal", "synchronous": 1, "secure_delete": "fast"})


class Item(Model):
    id = IntegerField(primary_key=True)
    quantity = IntegerField()
    grade = IntegerField()
    region = IntegerField()
    price = FloatField()
    weight = FloatField()
    name = TextField()
    city = TextField()
    code = TextField()
    note = TextField(null=True)

    class Meta:
        database = database


def connect(job: Job) -> None:
    database.init(job.path)
    database.connect()


def make(rows: list) -> list[Item]:
    return [Item(**dict(zip(COLUMNS, row, strict=True))) for row in rows]


def insert(job: Job) -> None:
    connect(job)
    database.create_tables([Item])
    items = make(job.rows_to_insert())
    with job.measured(), database.atomic():
        Item.bulk_create(items, batch_size=1000)


def insert_each(job: Job) -> None:
    connect(job)
    database.create_tables([Item])
    items = make(job.rows_to_insert())
    with job.measured(), database.atomic():
        for item in items:
            item.save(force_insert=True)


def autocommit(job: Job) -> None:
    connect(job)
    items = make(job.rows_to_append())
    with job.measured():
        for item in items:
            item.save(force_insert=True)


def fetch(job: Job, tuples: bool = False) -> None:
    connect(job)
    query = Item.select()
    with job.measured():
        rows = list(query.tuples() if tuples else query)
    job.checksum = checksum(rows if tuples else (tuple(getattr(row, name) for name in COLUMNS) for row in rows))


def filter_(job: Job) -> None:
    connect(job)
    with job.measured():
        items = list(Item.select().where(Item.region == FILTER_REGION).order_by(Item.quantity, Item.id))
    job.checksum = checksum(tuple(getattr(item, name) for name in COLUMNS) for item in items)


def lookup(job: Job) -> None:
    connect(job)
    keys = job.keys_to_find()
    total = 0
    with job.measured():
        for key in keys:
            item = Item.get_by_id(key)
            total += item.quantity + len(item.name)
    job.checksum = total


def lookup_transaction(job: Job) -> None:
    connect(job)
    keys = job.keys_to_find()
    total = 0
    with job.measured(), database.atomic():
        for key in keys:
            item = Item.get_by_id(key)
            total += item.quantity + len(item.name)
    job.checksum = total


def update(job: Job, names: tuple[str, ...]) -> None:
    connect(job)
    items = make(job.rows_to_update())
    with job.measured(), database.atomic():
        for item in items:
            item.save(only=names)


def update_batch(job: Job, names: tuple[str, ...]) -> None:
    connect(job)
    items = make(job.rows_to_update())
    with job.measured(), database.atomic():
        Item.bulk_update(items, fields=names, batch_size=100)


def delete(job: Job) -> None:
    connect(job)
    items = [Item(id=key) for key in job.keys_to_delete()]
    with job.measured(), database.atomic():
        for item in items:
            item.delete_instance()


def delete_batch(job: Job) -> None:
    connect(job)
    keys = job.keys_to_delete()
    with job.measured(), database.atomic():
        # SQLite takes 32,766 bindings in a statement.
        for start in range(0, len(keys), 30_000):
            Item.delete().where(Item.id.in_(keys[start : start + 30_000])).execute()


run(
    {
        "insert_objects": insert,
        "insert_each": insert_each,
        "autocommit": autocommit,
        "fetch": lambda job: fetch(job, tuples=True),
        "fetch_objects": fetch,
        "filter": filter_,
        "lookup": lookup,
        "lookup_transaction": lookup_transaction,
        "update3": lambda job: update(job, ("quantity", "price", "name")),
        "update9": lambda job: update(job, COLUMNS[1:]),
        "update3_batch": lambda job: update_batch(job, ("quantity", "price", "name")),
        "update9_batch": lambda job: update_batch(job, COLUMNS[1:]),
        "delete": delete,
        "delete_batch": delete_batch,
    }
)
