"""Databases by name: a file per user, a table per target, a fleet that is migrated together."""

from __future__ import annotations

import tempfile
from pathlib import Path

from music import Artist

from cormorant import Bundle, Database, Registry, select


def use(users: Registry) -> None:
    """Opened when it is first used, and held until the end of the block."""
    with users.use("ida") as db:
        db.create_tables(Artist)
        db.insert(Artist("Nina Simone"))
    users.default = "main"
    users.current = "ida"
    with users.use() as db:
        print(db.count(Artist))


def register(users: Registry, path: Path) -> None:
    """A file anywhere, opened in its own way."""
    users.register("archive", path, synchronous="full")
    with users.use("archive") as db:
        db.create_tables(Artist)
        db.insert(Artist("Nina Simone"))


def targets(db: Database) -> None:
    """One model, and a table for each target."""
    fans = Artist.suffixed("42")
    db.create_tables(fans)
    db.insert(fans("Miriam Makeba"))
    print(fans.__model__.table, db.fetch_all(select(fans).where(fans.name.has_prefix("M"))))


def across(users: Registry) -> None:
    """One statement over two files."""
    old = Artist.attached("old")
    with users.use("ida") as db:
        users.attach("archive", db, "old")
        print(db.fetch_all(select(Artist.name, old.id).join(old, old.name == Artist.name)))


def migrate(users: Registry) -> None:
    """All files that are there, each in transactions of its own."""
    bundle = Bundle()
    bundle.add("0001_plays", "CREATE TABLE play (id INTEGER PRIMARY KEY, artist TEXT, at TEXT)")
    for name, error in users.migrate(bundle).items():
        print(name, error)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, Registry(Path(folder) / "{name}.db", limit=8) as registry:
        use(registry)
        register(registry, Path(folder) / "old.sqlite")
        with registry.use("ida") as database:
            targets(database)
        across(registry)
        migrate(registry)
