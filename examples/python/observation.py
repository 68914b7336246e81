"""Being told of what is committed, and rows that are kept in memory."""

from __future__ import annotations

import asyncio

from music import Album, Artist, music

from cormorant import Database, Event, Region, select


def watch(db: Database) -> None:
    """Each transaction gives one event, once it is committed, with each row once."""
    with db.observe(Artist, values=True) as observer:
        with db.transaction():
            pia = Artist("Pia")
            db.insert(pia)
            db.execute("UPDATE artist SET name = 'Pia K.' WHERE id = ?", (pia.id,))
        event = observer.next()
        assert event is not None
        for change in event.changes:
            print(change.kind, change.table, change.key, change.new)


def narrow(db: Database) -> None:
    """One record, some columns, or what a query reads."""
    cheap = Album.where(Album.price < 10)
    with (
        db.observe(Artist, key=1) as nina,
        db.observe(Region("album", "price")) as prices,
        db.observe(cheap, latest_only=True) as offers,
    ):
        db.execute("UPDATE album SET title = title || '!'")
        print(nina.next(0), prices.next(0), offers.next(0) is not None)


def follow(db: Database) -> None:
    """The new result, and what of it is new, on the thread that has committed."""

    def show(event: Event[Album]) -> None:
        print([album.title for album in event.rows], [change.kind for change in event.changes])

    with db.observe_live(select(Album).where(Album.year > 1970).order_by(Album.title), callback=show):
        db.execute("UPDATE album SET year = year + 1")


async def follow_along(db: Database) -> None:
    """An iterator waits for events without holding the loop up."""
    with db.observe_live(None, "SELECT count(*) FROM artist") as counts:
        async for event in counts:
            print(event.rows, event.is_foreign)
            if event.rows[0][0] > 3:
                break
            db.insert(Artist(f"Artist {event.rows[0][0]}"))


def reads(db: Database) -> None:
    """Reads of any number of statements, made again when what they read has changed."""

    def shelf(db: Database) -> tuple[list[str], int]:
        cheap = db.fetch_all(select(Album).where(Album.price < 10).order_by(Album.title))
        return [album.title for album in cheap], db.count(Artist)

    with db.observe(shelf) as values:
        for titles, artists in values:
            print(titles, artists)
            if artists > 6:
                break
            db.insert(Artist(f"One more than {artists}"))
    db.observe(lambda db: db.count(Album), callback=print).cancel()


def remember(db: Database) -> None:
    """Rows that are found again come from memory, unless anybody has changed them."""
    db.set_cache(Artist, max_count=1000, max_bytes=1_000_000)
    for _ in range(3):
        db.find(Artist, 1)
    db.execute("UPDATE artist SET name = 'Nina S.' WHERE id = 1")
    print(db.find(Artist, 1), db.cache_statistics(Artist))


if __name__ == "__main__":
    with music() as database:
        watch(database)
        narrow(database)
        follow(database)
        asyncio.run(follow_along(database))
        reads(database)
        remember(database)
