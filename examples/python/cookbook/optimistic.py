"""Optimistic locking: who saves what another has changed meanwhile is told."""

from __future__ import annotations

from cormorant import Column, Database, Model, column, update


class Article(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    text: Column[str]
    version: Column[int] = column(default=1)


class Stale(Exception):
    """The record was changed since it was read."""


def save(db: Database, article: Article) -> None:
    """Writes the row only if it still has the version that was read."""
    as_read = (Article.id == article.id) & (Article.version == article.version)
    if not db.execute(update(Article).set(text=article.text, version=Article.version + 1).where(as_read)):
        raise Stale(f"article {article.id} was changed meanwhile (read it again)")
    article.version += 1


with Database(":memory:") as db:
    db.create_tables(Article)
    key = Article("first").insert(db).id
    mine, theirs = db.find(Article, key), db.find(Article, key)
    assert mine is not None and theirs is not None
    theirs.text = "theirs"
    save(db, theirs)
    mine.text = "mine"
    try:
        save(db, mine)
    except Stale as error:
        print(error)
    print(db.find(Article, key))
