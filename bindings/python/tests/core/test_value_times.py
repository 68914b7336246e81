"""Datetime columns: one form in the file, which compares as time; any other is an error, never a wrong row."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import cormorant
from cormorant import Column, Database, DataError, Model, column, literal, select

DAY = datetime(2024, 1, 1, tzinfo=timezone.utc)


class Ev(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    at: Column[datetime] = column(unique=True)
    ended: Column[datetime | None] = column(default=None)


class Stamp(datetime):
    """As pandas has it: finer than a datetime, and one that is none."""

    nanosecond = 0

    def __ne__(self, other: object) -> bool:
        return self.year == 1 or super().__ne__(other)


def test_a_datetime_that_is_finer_is_not_cut(db: Database) -> None:
    db.create_tables(Ev)
    at, nothing = Stamp(2024, 1, 1, tzinfo=timezone.utc), Stamp(1, 1, 1, tzinfo=timezone.utc)
    Ev(at).insert(db)
    fine = Stamp(2024, 1, 1, tzinfo=timezone.utc)
    fine.nanosecond = 789
    for value, told in ((fine, "finer than microseconds"), (nothing, "give None")):
        uses: list[Callable[[], Any]] = [
            lambda value=value: Ev(value).insert(db),  # type: ignore[misc]
            lambda value=value: db.fetch_all(Ev, at=value),  # type: ignore[misc]
            lambda value=value: db.fetch_all(Ev.where(Ev.at == value)),  # type: ignore[misc]
            lambda value=value: db.query("SELECT ?", [value]).fetch_all(),  # type: ignore[misc]
        ]
        for use in uses:
            with pytest.raises(DataError, match=told):
                use()
    assert [event.at for event in db.fetch_all(Ev)] == [DAY]


def test_a_value_that_only_reading_meets(path: Path) -> None:
    """Of the library's own tables a hundred rows from either end are looked at before the first use."""
    times = [f"2024-01-01 00:{minute:02}:{second:02}" for minute in range(10) for second in range(60)]
    with sqlite3.connect(path) as other:
        other.executescript(Ev.__model__.create_sql)
        other.executemany("INSERT INTO ev (at) VALUES (?)", [(time,) for time in times])
        other.execute("UPDATE ev SET at = at || '.000' WHERE id = 301")
    other.close()
    with Database(path) as db:
        assert db.find(Ev, 1) is not None
        assert db.count(select(Ev).where(Ev.at > DAY)) == 599
        told = r'ev.at holds "2024-01-01 00:05:00.000", which is not the form of a datetime column'
        with pytest.raises(DataError, match=told + r" \(in the row with the key 301\)"):
            db.fetch_all(Ev)
        for query in (select(Ev.at), select(Ev.at).distinct(), select(Ev.id, Ev.at).order_by(Ev.at)):
            with pytest.raises(DataError, match=told):
                db.fetch_all(query)
        for rows in (db.cursor(Ev), db.cursor(select(Ev.id, Ev.at))):
            with pytest.raises(DataError, match="00:05:00"):
                rows.__arrow_c_stream__()
        for rows in (db.cursor(Ev), db.cursor(select(Ev.id, Ev.at))):
            with pytest.raises(DataError, match=told):
                rows.json()


FIRST, LAST = timezone(timedelta(hours=5)), timezone(timedelta(hours=-5))


@pytest.mark.parametrize("at", [datetime(1, 1, 1, tzinfo=FIRST), datetime(9999, 12, 31, 23, tzinfo=LAST)])
def test_a_time_that_no_face_could_read_is_not_written(db: Database, at: datetime) -> None:
    db.create_tables(Ev)
    writes: list[Callable[[], Any]] = [
        lambda: Ev(at).insert(db),
        lambda: db.insert_many([Ev(DAY), Ev(at)]),
        lambda: db.execute(cormorant.insert(Ev).values(at=at)),
        lambda: db.execute(cormorant.update(Ev).set(at=at)),
        lambda: db.fetch_all(select(Ev).where(Ev.at == at)),
        lambda: db.fetch_all(select(literal(at))),
        lambda: list(cormorant.read_json(Ev, f'[{{"at": "{at.isoformat()}"}}]')),
    ]
    for write in writes:
        with pytest.raises(DataError, match="beyond the years 1 to 9999") as caught:
            write()
        assert caught.value.code == "CORM_E_RANGE"
    assert db.count(Ev) == 0
