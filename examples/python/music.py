"""Artists and their albums: the models of the guide's examples, and a few records of each."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

# In a checkout the package need not be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python" / "src"))

from cormorant import Column, Database, Model, column, key, to_many, to_one


class Artist(Model):
    id: Column[int] = key()
    name: Column[str] = column(unique=True)
    albums = to_many(lambda: Album)


class Album(Model):
    id: Column[int] = key()
    title: Column[str]
    year: Column[int]
    artist_id: Column[int | None] = column(references=Artist, on_delete="cascade")
    price: Column[float | None] = column(default=None)
    details: Column[dict[str, Any] | None] = column(default=None, json=True)
    released: Column[datetime | None] = column(default=None)
    artist = to_one(Artist)


@contextmanager
def music() -> Iterator[Database]:
    """A database with two artists and three albums."""
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "music.db") as db:
        db.create_tables(Artist, Album)
        nina, otto = Artist("Nina").insert(db), Artist("Otto").insert(db)
        day = datetime(2004, 5, 1, tzinfo=timezone.utc)
        db.insert_many(
            [
                Album("First Light", 1998, nina.id, 7.5, {"tracks": 9, "label": "Sea"}),
                Album("50% Off", 2004, nina.id, 12.0, {"tracks": 11}, day),
                Album("Lightness", 2011, otto.id),
            ]
        )
        yield db
