"""Full-text search: a model of an FTS5 table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cormorant import Column, Database, Model, column, name, select


class Page(Model, table="pages", module="fts5", module_arguments=["tokenize = 'porter'"]):
    title: Column[str]
    body: Column[str | None] = column(default=None)


TABLE = name(None, "pages")


@pytest.fixture
def db() -> Iterator[Database]:
    with Database(":memory:") as database:
        database.create_tables(Page)
        database.insert_many(
            [Page("Cats", "They purr."), Page("Dogs", "No cats run here."), Page("Birds", "They sing.")]
        )
        yield database


def test_a_match_in_any_column_or_in_one(db: Database) -> None:
    query = select(Page.title).order_by(name(None, "rank"))
    assert db.fetch_all(query.where(TABLE.match("cat"))) == [("Cats",), ("Dogs",)]
    assert db.fetch_all(query.where(Page.body.match("running"))) == [("Dogs",)]
    assert db.fetch_all(Page.where(TABLE.match("they NOT purr"))) == [Page("Birds", "They sing.")]
