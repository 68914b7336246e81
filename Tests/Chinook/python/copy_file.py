"""copy_file.py FILE URL: makes the tables of the models in another database, and copies the file's rows into them."""

from __future__ import annotations

import sys

import models
from cormorant import Database

# What is referenced goes first.
MODELS = (
    models.Artist,
    models.Album,
    models.Genre,
    models.MediaType,
    models.Track,
    models.Playlist,
    models.PlaylistTrack,
    models.Employee,
    models.Customer,
    models.Invoice,
    models.InvoiceLine,
)


def main(file: str, url: str) -> None:
    with Database(file, mode="read_only") as source, Database(url) as target:
        target.create_tables(*MODELS)
        with target.transaction():
            for model in MODELS:
                rows = source.fetch_all(model, order_by=model.__model__.key)
                target.insert_many(rows)
                if target.count(model) != len(rows):
                    raise SystemExit(f"{model.__name__}: {target.count(model)} rows, not {len(rows)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
