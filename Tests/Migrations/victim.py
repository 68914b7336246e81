"""A program that migrates a file and may be killed on the way: victim.py FILE FOLDER STATEMENT, 0 for no statement.

With FOLDER "-" it syncs its models; else it applies the bundle there. It kills itself after so many statements.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/src"))

from cormorant import Bundle, Column, Database, Model, column


class Author(Model, table="author"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str] = column(index=True)
    born: Column[int | None] = column(default=None, convert_sql="CAST(born AS INTEGER)")


class Book(Model, table="book", allow_drop=["note"]):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    title: Column[str] = column(renamed_from="name")
    author: Column[int] = column(references="author", on_delete="cascade")
    price: Column[float] = column(default=1.0, default_sql="1", check="price >= 0")


class Review(Model, table="review"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    book: Column[int] = column(references="book", on_delete="cascade")
    stars: Column[int] = column(default=0, default_sql="3")


BEFORE = """
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, born TEXT);
CREATE TABLE book (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
  author INTEGER NOT NULL REFERENCES author ON DELETE CASCADE, note TEXT);
CREATE TABLE review (id INTEGER PRIMARY KEY, book INTEGER NOT NULL REFERENCES book ON DELETE CASCADE);
CREATE INDEX book_author ON book (author);
CREATE VIEW titles AS SELECT name FROM book;
CREATE TRIGGER no_empty BEFORE INSERT ON book WHEN NEW.name = '' BEGIN SELECT raise(ABORT, 'empty'); END;
INSERT INTO author SELECT value, 'author ' || value, 1900 + value FROM generate_series;
INSERT INTO book SELECT value, 'book ' || value, 1 + value % 50, 'note' FROM generate_series;
INSERT INTO review SELECT value, 1 + value % 900 FROM generate_series;
"""


def main() -> None:
    path, folder, statement = sys.argv[1], sys.argv[2], int(sys.argv[3])
    count = 0

    def trace(_sql: str, _nanoseconds: int) -> None:
        nonlocal count
        count += 1
        if count == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    with Database(path) as db:
        if statement:
            db.set_trace(trace)
        if folder == "-":
            db.sync(Author, Book, Review)
        else:
            Bundle(folder).apply(db, allow_lossy=True)
        db.set_trace(None)
    print("done", flush=True)


if __name__ == "__main__":
    main()
