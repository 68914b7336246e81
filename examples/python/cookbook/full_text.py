"""Full-text search: an FTS5 table that is a model, ranked, with the words that were found marked."""

from __future__ import annotations

from cormorant import Column, Database, Model, func, name, select


class Page(Model, module="fts5", module_arguments=["tokenize = 'porter unicode61'"]):
    title: Column[str]
    body: Column[str]


def search(db: Database, words: str) -> list[tuple[str, str]]:
    """All words must occur; each is quoted, so that what a user types is no query language."""
    quoted = " ".join('"' + word.replace('"', '""') + '"' for word in words.split())
    table = name(None, "page")
    found = func.snippet(table, 1, "[", "]", "...", 8)
    return db.fetch_all(select(Page.title, found).where(table.match(quoted)).order_by(name(None, "rank")).limit(10))


with Database(":memory:") as db:
    db.create_tables(Page)
    db.insert_many([Page("Cats", "They purr, and sleep all day."), Page("Dogs", "A dog runs. Dogs like running.")])
    print(search(db, "run dog"))
    print(search(db, 'sleep "AND'))
