"""Soft delete: rows stay, marked, and no query finds them that does not ask for all."""

from __future__ import annotations

from datetime import datetime, timezone

from cormorant import Column, Database, Model, column, key, update


class Document(Model, scope="deleted_at IS NULL"):
    id: Column[int] = key()
    title: Column[str]
    deleted_at: Column[datetime | None] = column(default=None, index=True)


def remove(db: Database, document: Document) -> None:
    document.deleted_at = datetime.now(timezone.utc)
    document.update(db, Document.deleted_at)


EveryDocument = Document.unscoped()

with Database(":memory:") as db:
    db.create_tables(Document)
    draft, final = Document("draft").insert(db), Document("final").insert(db)
    remove(db, draft)
    print([document.title for document in db.fetch_all(Document)], db.count(Document), db.count(EveryDocument))
    db.execute(update(EveryDocument).set({EveryDocument.deleted_at: None}).where(EveryDocument.title == "draft"))
    print(db.count(Document))
