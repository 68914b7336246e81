"""Optimistic locking: who saves what another has changed meanwhile is told."""

from __future__ import annotations

from cormorant import Column, Database, Model, StaleRecordError, column, key


class Article(Model):
    id: Column[int] = key()
    text: Column[str]
    version: Column[int] = column(version=True, default=0)


with Database(":memory:") as db:
    db.create_tables(Article)
    key = Article("first").insert(db).id
    mine, theirs = db.find(Article, key), db.find(Article, key)
    assert mine is not None and theirs is not None
    theirs.text = "theirs"
    theirs.save(db)
    mine.text = "mine"
    try:
        mine.save(db)
    except StaleRecordError as error:
        print(error.message)
    print(db.find(Article, key))
