"""What else Python has for databases: the DB-API, SQLAlchemy, pydantic, pandas, logging, OpenTelemetry."""

from __future__ import annotations

import asyncio
import logging

import pandas
import sqlalchemy as sa
from music import Album, Artist, music
from pydantic import TypeAdapter, ValidationError
from sqlalchemy.ext.asyncio import create_async_engine

from cormorant import Database, Error, counting, dbapi


def connect(path: str) -> None:
    """A connection of PEP 249; its first statement begins a transaction."""
    connection = dbapi.connect(path)
    with connection:
        connection.execute("INSERT INTO artist (name) VALUES (?)", ("Pia",))
        connection.executemany("UPDATE artist SET name = :new WHERE name = :old", [{"old": "Pia", "new": "Mia"}])
    cursor = connection.cursor()
    cursor.execute("SELECT id, name FROM artist WHERE name > ?", ("M",))
    print([(name, declared) for name, declared, *_ in cursor.description or ()])
    print(cursor.fetchmany(2), cursor.fetchall())
    connection.close()


def lock(path: str, key: str) -> None:
    """The key of an encrypted file; errors are those of cormorant, under the names of PEP 249."""
    connection = dbapi.connect(path, key=key, isolation_level="IMMEDIATE", busy_timeout=1)
    try:
        connection.execute("INSERT INTO nowhere VALUES (1)")
    except dbapi.ProgrammingError as error:
        print(isinstance(error, Error), error.message)
    connection.close()


def engine(path: str) -> None:
    """SQLAlchemy; the key of an encrypted file would be connect_args={"key": key}."""
    engine = sa.create_engine(f"sqlite+cormorant:///{path}?busy_timeout=10")
    with engine.begin() as connection:
        artists = sa.Table("artist", sa.MetaData(), autoload_with=connection)
        print(connection.scalars(sa.select(artists.c.name).order_by(artists.c.name)).all())
    engine.dispose()


async def engine_async(path: str) -> None:
    """The same awaited: each connection runs on a thread of its own."""
    engine = create_async_engine(f"sqlite+cormorant:///{path}")
    async with engine.connect() as connection:
        print(await connection.scalar(sa.text("SELECT count(*) FROM album")))
    await engine.dispose()


def validate(db: Database) -> None:
    """A model is a type to pydantic: what comes in becomes records, what goes out has what is loaded."""
    albums = TypeAdapter(list[Album])
    record = albums.validate_json('[{"title": "New", "year": 2024, "artist_id": 1}]')[0]
    print(record)
    artist = db.fetch_one(Artist, name="Nina")
    assert artist is not None
    print(TypeAdapter(Artist).dump_python(artist))
    db.load([artist], Artist.albums)
    print(TypeAdapter(Artist).dump_json(artist))


def derive(db: Database) -> None:
    """Types of pydantic for the ways of a web service, made of the model."""
    album_create, album_update = Album.pydantic("create"), Album.pydantic("update")
    artist_read = Artist.pydantic("read", relations=["albums"])
    album = Album(**album_create(title="New", year=2024, artist_id=1).model_dump()).insert(db)
    for name, value in album_update(year=2025).model_dump(exclude_unset=True).items():
        setattr(album, name, value)
    album.update(db)
    try:
        artist_read.model_validate(db.fetch_one(Artist))
    except ValidationError as error:
        print(error.errors()[0]["msg"])


def frames(db: Database, path: str) -> None:
    """pandas reads through SQLAlchemy or takes a result as it is, and its frames are inserted in blocks."""
    engine = sa.create_engine(f"sqlite+cormorant:///{path}")
    print(list(pandas.read_sql("SELECT title, year FROM album", engine).columns))
    engine.dispose()
    frame = pandas.DataFrame.from_arrow(db.query("SELECT title, year FROM album"))
    frame["year"] += 1
    print(db.insert_arrow(Album, frame))


def watch(db: Database) -> None:
    """Statements counted, logged and as spans of OpenTelemetry, in a block."""
    with counting(db, at_most=1):
        db.count(Album)
    with db.logging_statements(level=logging.INFO, slower_than=0.1), db.opentelemetry_spans():
        db.count(Album)


if __name__ == "__main__":
    # An installed package says it by its entry point.
    sa.dialects.registry.register("sqlite.cormorant", "cormorant.sqlalchemy", "CormorantDialect")
    with music() as database:
        file = database.path
        connect(file)
        lock(f"{file}.secret", "a long passphrase")
        engine(file)
        asyncio.run(engine_async(file))
        validate(database)
        derive(database)
        frames(database, file)
        watch(database)
