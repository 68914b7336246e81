"""Django's ORM on PostgreSQL."""

import django
from django.conf import settings
from postgres_workload import CREATE, parts
from workload import COLUMNS, Job, checksum, run


def connect(job: Job):
    where = parts(job.path)
    database = {"ENGINE": "django.db.backends.postgresql", "NAME": where["database"]}
    settings.configure(DATABASES={"default": database | {"USER": where["user"], "HOST": where["host"]}})
    django.setup()
    from django.db import connection, models

    class Item(models.Model):
        id = models.BigIntegerField(primary_key=True)
        quantity = models.BigIntegerField()
        grade = models.BigIntegerField()
        region = models.BigIntegerField()
        price = models.FloatField()
        weight = models.FloatField()
        name = models.TextField()
        city = models.TextField()
        code = models.TextField()
        note = models.TextField(null=True)

        class Meta:
            app_label = "bench"
            db_table = "item"

    connection.ensure_connection()
    return connection, Item


def insert(job: Job) -> None:
    connection, item = connect(job)
    items = [item(*row) for row in job.rows_to_insert()]
    connection.cursor().execute(CREATE)
    with job.measured():
        item.objects.bulk_create(items, batch_size=1000)


def fetch(job: Job) -> None:
    _, item = connect(job)
    item.objects.get(pk=1)
    with job.measured():
        items = list(item.objects.all())
    job.checksum = checksum(tuple(getattr(row, name) for name in COLUMNS) for row in items)


def lookup(job: Job) -> None:
    _, item = connect(job)
    keys = job.keys_to_find()
    total = 0
    item.objects.get(pk=1)
    with job.measured():
        for key in keys:
            row = item.objects.get(pk=key)
            total += row.quantity + len(row.name)
    job.checksum = total


def save(job: Job) -> None:
    from django.db import transaction

    _, item = connect(job)
    items = [item(*row) for row in job.rows_to_update()]
    with job.measured(), transaction.atomic():
        item.objects.bulk_create(items, update_conflicts=True, unique_fields=["id"], update_fields=COLUMNS[1:])


run({"insert": insert, "fetch": fetch, "lookup": lookup, "save": save})
