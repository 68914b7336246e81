"""Transactions, and what errors say."""

from __future__ import annotations

from music import Album, Artist, music

from cormorant import Database, Error, UniqueViolation


def commit(db: Database) -> None:
    """Committed at the end of the block, rolled back by an exception; a block inside another is a savepoint."""
    with db.transaction():
        Artist("Pia").insert(db)
        try:
            with db.transaction():
                Artist("Quin").insert(db)
                raise ValueError("no Quin")
        except ValueError as error:
            print(error)
    print([artist.name for artist in db.fetch_all(Artist, order_by="name")])


def refuse(db: Database) -> None:
    """What the database refuses is an error that names the place and says what to do."""
    try:
        db.insert(Artist("Nina"))
    except UniqueViolation as error:
        print(error.code, error.table, error.columns, error.constraint, error.sqlite_code)
        print(error.message)
        print(error.hint)


def batch(db: Database) -> None:
    """Of a batch that fails nothing stays; the error says which record it was."""
    try:
        db.insert_many([Artist("Rae"), Artist("Otto")])
    except Error as error:
        print(error.code, error.record_index, db.count(Artist))


def compile_(db: Database) -> None:
    """SQL that does not compile, and names that a model does not have."""
    try:
        db.query("SELECT title, yaer FROM album")
    except Error as error:
        print(error.code, error.message, error.sql, error.offset)
    try:
        db.fetch_all(Album, order_by="yaer")
    except Error as error:
        print(error.code, error.message, error.hint)


if __name__ == "__main__":
    with music() as database:
        for show in (commit, refuse, batch, compile_):
            show(database)
