"""Soft delete: rows stay, marked; one function says what is alive."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TypeVar

from cormorant import Column, Database, Model, Select, column, update


class Kept(Model):
    """A base for models whose rows are marked and never deleted; it has no table of its own."""

    deleted_at: Column[datetime | None] = column(default=None, kw_only=True, index=True)


class Document(Kept):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    title: Column[str]


M = TypeVar("M", bound=Kept)


def alive(model: type[M]) -> Select[M]:
    return model.where(model.deleted_at.is_null())


def remove(db: Database, record: Kept) -> None:
    record.deleted_at = datetime.now(timezone.utc)
    record.update(db, "deleted_at")


with Database(":memory:") as db:
    db.create_tables(Document)
    draft, final = Document("draft").insert(db), Document("final").insert(db)
    remove(db, draft)
    print([document.title for document in db.fetch_all(alive(Document))], db.count(Document))
    db.execute(update(Document).set(deleted_at=None).where(Document.title == "draft"))
    print(db.count(alive(Document).where(Document.title.has_prefix("d"))))
