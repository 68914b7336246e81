"""What the page about Django has on the left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=[__name__],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()

from django.db import IntegrityError, connection, models, transaction  # noqa: E402
from django.db.models import Avg, Case, Count, Exists, F, Max, OuterRef, Q, Subquery, Value, When, Window  # noqa: E402
from django.db.models.functions import Length, RowNumber  # noqa: E402


class Artist(models.Model):
    name = models.TextField(unique=True)

    class Meta:
        app_label = __name__
        db_table = "artist"


class Tag(models.Model):
    name = models.TextField(unique=True)

    class Meta:
        app_label = __name__
        db_table = "tag"


class Album(models.Model):
    title = models.TextField()
    year = models.IntegerField()
    price = models.FloatField(null=True)
    artist = models.ForeignKey(Artist, on_delete=models.CASCADE, related_name="albums")
    tags = models.ManyToManyField(Tag, db_table="album_tag")

    class Meta:
        app_label = __name__
        db_table = "album"


@contextmanager
def opened(path: str) -> Iterator[Any]:
    connection.close()
    connection.settings_dict["NAME"] = path
    yield connection
    connection.close()


def by_key(db: Any) -> Any:
    return Album.objects.filter(pk=2).first()


def one(db: Any) -> Any:
    return Artist.objects.filter(name="Nina").first()


def all_of_a_table(db: Any) -> Any:
    return list(Album.objects.order_by("title"))


def order(db: Any) -> Any:
    return list(Album.objects.order_by("-year", "title"))


def slice_(db: Any) -> Any:
    return list(Album.objects.order_by("id")[2:4])


def count(db: Any) -> Any:
    return Album.objects.filter(year__gt=2000).count()


def any_(db: Any) -> Any:
    return Album.objects.filter(year__gt=2000).exists()


def some_columns(db: Any) -> Any:
    return list(Album.objects.order_by("id").values_list("title", "year"))


def dicts(db: Any) -> Any:
    return list(Album.objects.order_by("id").values("title", "year"))


def values(db: Any) -> Any:
    return list(Album.objects.order_by("title").values_list("title", flat=True))


def distinct(db: Any) -> Any:
    return list(Album.objects.order_by("year").values_list("year").distinct())


def stream(db: Any) -> Any:
    return [album.title for album in Album.objects.order_by("id").iterator()]


def both(db: Any) -> Any:
    return list(Album.objects.filter(year__gt=1990, price__lt=12).order_by("id"))


def either(db: Any) -> Any:
    return list(Album.objects.filter(Q(year__lt=1990) | Q(price__gt=14)).order_by("id"))


def negated(db: Any) -> Any:
    return list(Album.objects.exclude(year=2004).order_by("id"))


def in_list(db: Any) -> Any:
    return list(Album.objects.filter(year__in=[1998, 2004]).order_by("id"))


def between(db: Any) -> Any:
    return list(Album.objects.filter(year__range=(1990, 2004)).order_by("id"))


def null(db: Any) -> Any:
    return list(Album.objects.filter(price__isnull=True))


def contains(db: Any) -> Any:
    return list(Album.objects.filter(title__icontains="% off"))


def starts(db: Any) -> Any:
    return list(Album.objects.filter(title__istartswith="Sea"))


def calculated(db: Any) -> Any:
    return list(Album.objects.filter(price__isnull=False).order_by("id").values_list("title", F("price") * 2))


def choice(db: Any) -> Any:
    age = Case(When(year__lt=2000, then=Value("old")), default=Value("new"))
    return list(Album.objects.order_by("id").values_list("title", age))


def piece_of_sql(db: Any) -> Any:
    return list(Album.objects.annotate(length=Length("title")).filter(length__gt=6).order_by("id"))


def aggregate(db: Any) -> Any:
    return tuple(Album.objects.aggregate(Max("year"), Avg("price")).values())


def group(db: Any) -> Any:
    return list(Album.objects.values_list("year").annotate(Count("id")).order_by("year"))


def having(db: Any) -> Any:
    return list(Album.objects.values_list("year").annotate(number=Count("id")).filter(number__gt=1))


def subquery(db: Any) -> Any:
    average = Album.objects.values(one=Value(1)).annotate(average=Avg("price")).values("average")
    return list(Album.objects.filter(price__gt=Subquery(average)).order_by("id"))


def in_subquery(db: Any) -> Any:
    return list(Artist.objects.filter(id__in=Album.objects.filter(year__lt=1990).values("artist_id")))


def window(db: Any) -> Any:
    rank = Window(RowNumber(), partition_by="artist_id", order_by="-year")
    return list(Album.objects.order_by("id").values_list("title", rank))


def best_of_each(db: Any) -> Any:
    rank = Window(RowNumber(), partition_by="artist_id", order_by=["-year", "id"])
    return list(Album.objects.annotate(rank=rank).filter(rank=1).order_by("title").values_list("title", "rank"))


def along(db: Any) -> Any:
    return list(Album.objects.filter(artist__name="Nina").order_by("id"))


def related_any(db: Any) -> Any:
    return list(Artist.objects.filter(albums__year__lt=1990).distinct())


def related_none(db: Any) -> Any:
    return list(Artist.objects.filter(albums=None))


def related_count(db: Any) -> Any:
    return list(Artist.objects.order_by("id").values_list("name", Count("albums")))


def left_join(db: Any) -> Any:
    return list(Artist.objects.order_by("id", "albums__id").values_list("name", "albums__title"))


def load_one(db: Any) -> Any:
    albums = Album.objects.select_related("artist").order_by("id")
    return [album.artist.name for album in albums]


def load_many(db: Any) -> Any:
    artists = Artist.objects.prefetch_related("albums").order_by("id")
    return [[album.title for album in artist.albums.all()] for artist in artists]


def load_through(db: Any) -> Any:
    album = Album.objects.get(pk=1)
    return sorted(tag.name for tag in album.tags.all())


def by_tag(db: Any) -> Any:
    return list(Album.objects.filter(tags__name="jazz").order_by("id"))


def create(db: Any) -> Any:
    album = Album.objects.create(title="New", year=2025, artist_id=3)
    return album.id


def create_many(db: Any) -> Any:
    Tag.objects.bulk_create([Tag(name="a"), Tag(name="b")])


def create_related(db: Any) -> Any:
    with transaction.atomic():
        artist = Artist.objects.create(name="Quin")
        artist.albums.create(title="First", year=2020)
        artist.albums.create(title="Second", year=2021)


def change(db: Any) -> Any:
    album = Album.objects.get(pk=1)
    album.title = "Deeper Sea"
    album.save()


def change_where(db: Any) -> Any:
    return Album.objects.filter(year__lt=2005).update(price=F("price") + 1)


def remove(db: Any) -> Any:
    Album.objects.get(pk=3).delete()


def remove_where(db: Any) -> Any:
    return Album.objects.filter(price=None).delete()[0]


def upsert(db: Any) -> Any:
    Tag.objects.update_or_create(id=1, defaults={"name": "blues"})


def insert_missing(db: Any) -> Any:
    Tag.objects.bulk_create([Tag(name="jazz")], ignore_conflicts=True)


def get_or_create(db: Any) -> Any:
    tag, _ = Tag.objects.get_or_create(name="soul")
    return tag


def read_again(db: Any) -> Any:
    album = Album.objects.get(pk=1)
    db.cursor().execute("UPDATE album SET year = 1999 WHERE id = 1")
    album.refresh_from_db()
    return album.year


def all_or_nothing(db: Any) -> Any:
    try:
        with transaction.atomic():
            Tag.objects.create(name="lost")
            Tag.objects.create(name="jazz")
    except IntegrityError:
        return "refused"


def savepoint(db: Any) -> Any:
    with transaction.atomic():
        Tag.objects.create(name="kept")
        try:
            with transaction.atomic():
                Tag.objects.create(name="jazz")
        except IntegrityError:
            pass


def sql(db: Any) -> Any:
    return db.cursor().execute("SELECT title FROM album WHERE year = %s ORDER BY id", [2004]).fetchall()


def sql_records(db: Any) -> Any:
    return list(Artist.objects.raw("SELECT * FROM artist WHERE name < %s ORDER BY id", ["P"]))


def sql_exists(db: Any) -> Any:
    newer = Album.objects.filter(artist=OuterRef("pk"), year__gt=2010)
    return list(Artist.objects.filter(Exists(newer)))
