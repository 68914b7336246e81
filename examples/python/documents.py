"""JSON: documents read into records, written from them, imported."""

from __future__ import annotations

from music import Album, Artist, music

from cormorant import Database, DataError, read_json, write_json

DOCUMENT = """
{"data": {"artists": [
  {"name": "Pia", "albums": [{"title": "Tides", "year": 2020}, {"title": "Ebb", "year": 2022}]},
  {"name": "Ron"}
]}}
"""


def exchange(db: Database) -> None:
    """A document becomes records with their related ones, these a graph in the database, and JSON again."""
    artists = list(read_json(Artist, DOCUMENT, path="$.data.artists"))
    db.save_graph(artists)
    print(write_json(artists))


def load(db: Database) -> None:
    """A document goes straight into the database."""
    print(db.import_json(Album, '[{"title": "Flow", "year": 2025}]'), "album imported")
    try:
        db.import_json(Album, '[{"title": "Flood", "year": "soon"}]')
    except DataError as error:
        print(error.message)  # $[0].year: expected an integer, found a string


if __name__ == "__main__":
    with music() as database:
        for show in (exchange, load):
            show(database)
