"""peewee on PostgreSQL, over psycopg."""

from peewee import BigIntegerField, DoubleField, Model, PostgresqlDatabase, TextField
from postgres_workload import CREATE, parts
from workload import COLUMNS, Job, checksum, run

database = PostgresqlDatabase(None)


class Item(Model):
    id = BigIntegerField(primary_key=True)
    quantity = BigIntegerField()
    grade = BigIntegerField()
    region = BigIntegerField()
    price = DoubleField()
    weight = DoubleField()
    name = TextField()
    city = TextField()
    code = TextField()
    note = TextField(null=True)

    class Meta:
        database = database


def connect(job: Job) -> None:
    where = parts(job.path)
    database.init(where["database"], user=where["user"], host=where["host"])
    database.connect()


def make(rows: list) -> list[Item]:
    return [Item(**dict(zip(COLUMNS, row, strict=True))) for row in rows]


def insert(job: Job) -> None:
    connect(job)
    database.execute_sql(CREATE)
    items = make(job.rows_to_insert())
    with job.measured(), database.atomic():
        Item.bulk_create(items, batch_size=1000)


def fetch(job: Job) -> None:
    connect(job)
    Item.get_by_id(1)
    with job.measured():
        items = list(Item.select())
    job.checksum = checksum(tuple(getattr(item, name) for name in COLUMNS) for item in items)


def lookup(job: Job) -> None:
    connect(job)
    keys = job.keys_to_find()
    total = 0
    Item.get_by_id(1)
    with job.measured():
        for key in keys:
            item = Item.get_by_id(key)
            total += item.quantity + len(item.name)
    job.checksum = total


def save(job: Job) -> None:
    connect(job)
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in job.rows_to_update()]
    fields = [getattr(Item, name) for name in COLUMNS[1:]]
    with job.measured(), database.atomic():
        Item.insert_many(rows).on_conflict(conflict_target=[Item.id], preserve=fields).execute()


run({"insert": insert, "fetch": fetch, "lookup": lookup, "save": save})
