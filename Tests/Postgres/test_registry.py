"""A registry of a server's databases: a database, or a schema of one, for each name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import with_database
from cormorant import Column, Database, Error, Model, Registry, column


class Note(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    text: Column[str]


@pytest.fixture
def other(url: str) -> Iterator[str]:
    """The URL of another database beside it."""
    name = url[url.rindex("/") + 1 :] + "_other"
    with Database(url) as db:
        db.execute(f"CREATE DATABASE {name}")
    yield with_database(url, name)
    with Database(url) as db:
        db.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_database_or_a_schema_for_each_name(url: str, other: str) -> None:
    with Database(url) as db:
        db.execute("CREATE SCHEMA eva")
    with Registry(limit=2) as users:
        users.register("ida", url)
        users.register("eva", f"{url}?options=-csearch_path%3Deva")
        users.register("kim", other)
        assert users.names() == ["eva", "ida", "kim"]
        for _ in range(2):
            for name in users.names():
                with users.use(name) as db:
                    db.create_tables(Note)
                    db.insert(Note(name))
        # Of three two stay open.
        assert users.open_count == 2
        for name in users.names():
            with users.use(name) as db:
                assert [note.text for note in db.fetch_all(Note)] == [name, name]
        users.current = "eva"
        with users.use() as db:
            assert db.fetch_value("SELECT current_schema()") == "eva"
        with pytest.raises(Error) as caught:
            users.register("again", other)
        assert caught.value.code == "CORM_E_MISUSE"
        assert "kim" in caught.value.message
    with Database(other) as db:
        assert db.count(Note) == 2


def test_options_of_a_url_with_a_password_are_its_own(url: str) -> None:
    """Mended: those of the registry held, for a database shows no password."""
    with Registry(busy_timeout=0.1) as registry:
        registry.register("own", f"{url}{'&' if '?' in url else '?'}password=none", busy_timeout=30, worker_count=1)
        with registry.use("own") as db:
            assert (db._worker_count, db._busy_timeout) == (1, 30)
