"""Artists and their albums: conditions, queries and relations without SQL text. Run it; it needs no argument."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import ClassVar

# In a checkout the package need not be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python" / "src"))

from cormorant import Column, Database, Model, ToMany, ToOne, column, func, param, select, to_many, to_one, update


class Artist(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str] = column(unique=True)
    albums: ClassVar[ToMany[Album]] = to_many("Album")


class Album(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    title: Column[str]
    year: Column[int]
    artist_id: Column[int | None] = column(references=Artist, on_delete="cascade")
    artist: ClassVar[ToOne[Artist]] = to_one(Artist)


def fill(db: Database) -> None:
    """Creates the tables and puts a few records in."""
    db.create_tables(Artist, Album)
    nina, otto = Artist("Nina").insert(db), Artist("Otto").insert(db)
    db.insert_many(
        [Album("First Light", 1998, nina.id), Album("50% Off", 2004, nina.id), Album("Lightness", 2011, otto.id)]
    )


def find(db: Database) -> None:
    """Conditions are made of the classes' columns; a query is a value that can be kept and used again."""
    query = (
        select(Album)
        .where((Album.year >= param("since")) | Album.title.contains("50%"))  # % is no wildcard here
        .order_by(Album.year.desc())
    )
    print(query.sql[0])
    for since in (2000, 2010):
        albums = db.fetch_all(query, since=since)
        print(f"  since {since}:", ", ".join(album.title for album in albums))


def count(db: Database) -> None:
    """Columns of one's own, and a condition and an aggregate along relations."""
    query = select(Artist.name, Artist.albums.count()).where(Artist.albums.any(Album.year < 2000))
    for name, albums in db.fetch_all(query):
        print(f"  {name}: {albums} albums")
    per_artist = select(Album.artist.name, func.max(Album.year)).group_by(Album.artist.name)
    print(" ", db.fetch_all(per_artist.order_by(Album.artist.name)))


def change(db: Database) -> None:
    """UPDATE by condition, along a relation."""
    changed = db.execute(update(Album).set(year=Album.year + 1).where(Album.artist.name == "Nina"))
    print(f"{changed} albums changed")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "albums.db") as db:
        fill(db)
        find(db)
        count(db)
        change(db)


if __name__ == "__main__":
    main()
