"""Models and records: keys, defaults, own conversions; one record at a time, and many."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from enum import Enum
from typing import NewType

from music import Album, Artist, music

from cormorant import Column, Database, Model, Transform, ValidationError, column, key, select


class Side(Enum):
    PORT = "port"
    STARBOARD = "starboard"


# The file holds a word where the record has an enum.
SIDE = Transform(encode=lambda side: side.value, decode=Side)


class Member(Model, table="members", unique=[("club", "number")], checks=["number > 0"]):
    id: Column[int] = key()
    club: Column[str] = column(collate="NOCASE")
    number: Column[int]
    level: Column[str | None] = column(default=None, default_sql="'guest'")
    joined: Column[datetime] = column(default_factory=lambda: datetime.now(timezone.utc))
    side: Column[Side] = column(default=Side.PORT, type="text", transform=SIDE)
    badge: Column[str | None] = column(computed="club || '-' || number", init=False)


def define(db: Database) -> None:
    """The database fills in what it makes: the key, the default of a missing value, the computed column."""
    db.create_tables(Member)
    member = Member("Rowing", 7, side=Side.STARBOARD).insert(db)
    print(member.id, member.level, member.badge, member.side)


class Watch(Enum):
    PORT = "port"
    STARBOARD = "starboard"


@dataclass
class Crew:
    captain: str
    sailors: list[str]


SailID = NewType("SailID", int)


class Sail(Model):
    day: Column[date]
    begins: Column[time]
    takes: Column[timedelta]
    watch: Column[Watch] = column(check=True)  # the table refuses other words
    crew: Column[Crew]  # JSON in the file
    id: Column[SailID] = key()


def sail(db: Database) -> None:
    """The file holds a day, a time of day, microseconds, a word and a document."""
    db.create_tables(Sail)
    Sail(date(2026, 1, 31), time(8, 30), timedelta(hours=2), Watch.STARBOARD, Crew("Ann", ["Bo"])).insert(db)
    found = db.fetch_all(Sail.where(Sail.day >= date(2026, 1, 1), Sail.watch == Watch.STARBOARD))
    print(found[0].takes, found[0].watch.name, found[0].crew.captain)


class Call(Model):
    at: Column[datetime] = column(type="offset_datetime")  # as the caller's clock shows it
    id: Column[int] = key()


def call(db: Database) -> None:
    """A time comes back with its offset, and compares as the moment that it is."""
    db.create_tables(Call)
    Call(datetime.fromisoformat("2026-01-31T21:00:00+09:00")).insert(db)
    found = db.fetch_all(Call.where(Call.at == datetime(2026, 1, 31, 12, tzinfo=timezone.utc)))
    print(found[0].at.isoformat())


class Boat(Model, discriminator="kind"):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)
    name: Column[str]


class Sailboat(Boat, discriminator_value="sail"):
    masts: Column[int]


class Motorboat(Boat, discriminator_value="motor"):
    power: Column[float | None] = column(default=None)


def boats(db: Database) -> None:
    """One table has the boats of all classes; each row becomes a record of its own."""
    db.create_tables(Boat)
    db.insert(Sailboat("Ann", 2))
    db.insert(Motorboat("Bob", power=25.5))
    print(db.fetch_all(select(Boat).order_by(Boat.name)))
    print(db.count(Sailboat), db.fetch_one(Sailboat.where(Sailboat.masts > 1)))


def change(db: Database) -> None:
    """Records are inserted, saved, updated, read anew and deleted, each with one statement."""
    album = Album("Sketches", 2020, 1)
    db.insert(album)  # a row that is there already is an error
    album.year = 2021
    db.save(album)  # inserts, or updates the row with the record's key
    album.title = "Sketchbook"
    db.update(album, Album.title)  # this property alone
    db.refresh(album)  # reads the row again
    found = db.find(Album, album.id)  # by key; None where there is none
    print(found == album, db.delete(album), db.exists(Album, album.id))


def meet(db: Database) -> None:
    """By a unique key a record is written over the row that is there, or read where it is there."""
    nina = Artist("Nina")
    db.upsert(nina, on=Artist.name)  # inserts, or updates the row with that name; it keeps what keep= names
    miles, created = db.get_or_create(Artist("Miles"), on=Artist.name)
    print(nina.id, miles.id, created)


class Entry(Model):
    text: Column[str]
    id: Column[int] = key()


def not_negative(value: float) -> None:
    if value < 0:
        raise ValueError(f"{value} is negative")


class Account(Model):
    owner: Column[str]
    balance: Column[float] = column(default=0, validate=not_negative)
    id: Column[int] = key()

    def before_save(self, database: Database) -> None:
        self.owner = self.owner.strip()

    def after_delete(self, database: Database) -> None:
        database.insert(Entry(f"{self.owner} is gone"))

    def validate(self) -> None:
        if not self.owner:
            raise ValueError("it has no owner")


def account(db: Database) -> None:
    """What a hook sets is written, what it writes is part of the transaction, and what it raises undoes all of it."""
    db.create_tables(Entry, Account)
    ada = Account(" Ada ").insert(db)
    try:
        db.insert_many([Account("Bo"), Account("Cy", -1)])
    except ValidationError as error:
        print(error)
    db.delete(ada)
    print(db.fetch_values(select(Entry.text)), db.count(Account))


def many(db: Database) -> None:
    """A batch is one transaction: the first error takes all of it back."""
    albums = [Album(f"Volume {number}", 2000 + number, 2) for number in range(1, 6)]
    db.insert_many(albums)
    for album in albums:
        album.year += 1
    db.update_many(albums, Album.year)
    print(db.delete_many(albums), "deleted; the last had the key", albums[-1].id)


if __name__ == "__main__":
    with music() as database:
        define(database)
        sail(database)
        call(database)
        boats(database)
        change(database)
        meet(database)
        account(database)
        many(database)
