"""A row that cannot be read comes as an error where it lies: after the rows before it, and at each call after that."""

from __future__ import annotations

import asyncio
import enum
import gc
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import cormorant
from cormorant import AsyncDatabase, Column, Database, Model, column, dbapi, select


class Colour(enum.Enum):
    RED = "red"


class Thing(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    number: Column[int] = column(default=1)
    colour: Column[Colour] = column(default=Colour.RED)


@dataclass
class Odd:
    number: int
    id: int

    def __post_init__(self) -> None:
        if self.id == 350:
            raise KeyError(self.id)


@pytest.fixture(params=["number = 'x'", "colour = 'blue'"])
def db(path: Path, request: pytest.FixtureRequest) -> Iterator[Database]:
    """Its 350th row is faulty for the library, or for Python."""
    with Database(path) as database:
        database.create_tables(Thing)
        database.insert_many(Thing() for _ in range(1000))
        database.execute(f"UPDATE thing SET {request.param} WHERE id = 350")
        yield database


def take(rows: Any) -> int:
    taken = 0
    with pytest.raises((cormorant.DataError, KeyError)):
        for _ in rows:
            taken += 1
    return taken


CURSORS: list[Callable[[Database], Any]] = [
    lambda db: db.cursor(Thing),
    lambda db: db.cursor(Thing).tuples(),
    lambda db: db.cursor(Thing).dicts(),
    lambda db: db.cursor(select(Thing.id, Thing.number, Thing.colour)),
    lambda db: db.cursor(select(Thing)),
    lambda db: db.cursor(select(Thing.id, Thing.number.label("number"), Thing.colour), into=dict),
]


@pytest.mark.parametrize("open_cursor", CURSORS)
def test_the_rows_before_it_come_first(db: Database, open_cursor: Callable[[Database], Any]) -> None:
    rows = open_cursor(db)
    assert take(rows) == 349
    for again in (rows.fetch_one, rows.fetch_all, lambda: next(iter(rows))):
        with pytest.raises(cormorant.DataError):
            again()
    rows.close()
    with pytest.raises(cormorant.DataError):
        rows.fetch_one()
    with pytest.raises(cormorant.DataError):
        open_cursor(db).fetch_all()


@pytest.mark.parametrize("open_cursor", CURSORS)
def test_its_statement_ends_at_once(db: Database, open_cursor: Callable[[Database], Any]) -> None:
    gc.disable()
    try:
        rows = open_cursor(db)
        take(rows)
        db.execute("DROP TABLE thing")
        del rows
    finally:
        gc.enable()


def test_in_tasks(db: Database) -> None:
    async def main() -> None:
        async with AsyncDatabase(db.path) as database:
            rows = database.cursor(Thing)
            taken = 0
            with pytest.raises(cormorant.DataError):
                async for _ in rows:
                    taken += 1
            assert taken == 349
            for again in (rows.fetch_one, rows.fetch_all):
                with pytest.raises(cormorant.DataError):
                    await again()
            await rows.close()
            with pytest.raises(cormorant.DataError):
                await rows.fetch_one()

    asyncio.run(main())


def test_what_a_program_makes_of_rows(db: Database) -> None:
    db.execute("UPDATE thing SET number = 1, colour = 'red'")
    assert take(db.cursor(select(Thing.number, Thing.id), into=Odd)) == 349


def test_one_of_several_is_not_the_only_one(db: Database) -> None:
    for query in (select(Thing.id, Thing.number, Thing.colour), select(Thing)):
        with pytest.raises((cormorant.DataError, cormorant.SeveralRowsError)):
            db.one(query.where(Thing.id >= 349, Thing.id <= 350).order_by("id"))


def test_a_row_alone_has_its_number(db: Database) -> None:
    number = db.fetch_value("SELECT number FROM thing WHERE id = 350")
    value = select(Thing.colour if number == 1 else Thing.number)
    cases: tuple[tuple[Any, tuple[Any, ...]], ...] = (
        (select(Thing), (db.fetch_one, db.one)),
        (select(Thing.id, Thing.number, Thing.colour), (db.fetch_one, db.one)),
        (value, (db.fetch_one, db.one, db.fetch_value, db.one_value)),
    )
    for query, calls in cases:
        for call in calls:
            with pytest.raises(cormorant.DataError) as caught:
                call(query.where(Thing.id == 350))
            assert caught.value.record_index == 0
    with pytest.raises(cormorant.DataError) as second:
        db.one(select(Thing).where(Thing.id >= 349, Thing.id <= 350).order_by("id"))
    assert second.value.record_index == 1


def test_of_the_db_api(path: Path) -> None:
    numbers = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 900)"
    with closing(dbapi.connect(path)) as connection:
        cursor = connection.cursor()
        cursor.execute(f"{numbers} SELECT json(CASE i WHEN 350 THEN '{{' ELSE '1' END) FROM n")
        taken = 0
        with pytest.raises(dbapi.Error):
            for _ in cursor:
                taken += 1
        assert taken == 349
