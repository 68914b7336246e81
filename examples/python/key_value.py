"""Values by key, and looking after a file."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from music import Artist, music

from cormorant import Database, Progress, Store


def remember(db: Database) -> None:
    """A store is a dict in the file; a dict or a list goes in as JSON."""
    settings = db.store("settings")
    settings["theme"] = "dark"
    settings["window"] = {"width": 800, "open": True}
    print(settings["theme"], settings.get("font", "Sans"), "font" in settings, len(settings))
    with db.transaction():
        Artist("Pia").insert(db)
        settings["newest"] = "Pia"
    del settings["theme"]
    print(dict(settings))


def expire(db: Database) -> None:
    """An entry that has expired is not there; purge() takes its row out of the file."""
    sessions = db.store("sessions")
    sessions.put("a1", "Nina", expires=timedelta(minutes=30))
    entry = sessions.entry("a1")
    assert entry is not None
    assert entry.expires is not None
    print(entry.value, entry.expires > entry.created, sessions.purge())


def page(db: Database) -> None:
    """The next page begins after the last key of this one."""
    words = db.store("words")
    words.put_many({f"word:{number:03}": number for number in range(250)})
    last = None
    while entries := list(words.scan(prefix="word:", after=last, limit=100)):
        last = entries[-1].key
        print(len(entries), last)
    print(words.count(start="word:100", end="word:200"))
    words.clear(prefix="word:0")


def count(visits: Store) -> None:
    """Adds one, whoever else does so at the same moment."""
    while True:
        entry = visits.entry("home")
        value, version = (entry.value, entry.version) if entry else (0, 0)
        if visits.compare_and_set("home", value + 1, version):
            return


def look_after(db: Database, copy: Path) -> None:
    """A copy while others write, a smaller file, fresh statistics, a short log."""

    def show(progress: Progress) -> bool:
        print(progress.done, "of", progress.total, "pages")
        return True  # False cancels

    db.backup(copy, progress=show)
    db.vacuum()
    db.optimize()
    print(db.checkpoint("truncate"))


if __name__ == "__main__":
    with music() as database:
        for show in (remember, expire, page):
            show(database)
        count(database.store("visits"))
        look_after(database, Path(database.path).with_name("copy.db"))
