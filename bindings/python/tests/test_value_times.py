"""Datetime columns: one form in the file, which compares as time; any other is an error, never a wrong row."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import cormorant
from cormorant import Column, Database, DataError, Model, column, func, literal, select

DAY = datetime(2024, 1, 1, tzinfo=timezone.utc)
OTHER_FORMS = [
    "2024-01-01 00:00:00.000", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00", "2024-01-01", "2024-01-01 00:00",
    "2024-01-01 01:00:00+01:00", "2024-01-01 00:00:00Z", "2023-12-31T23:30:00.000000-00:30",
]  # fmt: skip


class Ev(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    at: Column[datetime] = column(unique=True)
    ended: Column[datetime | None] = column(default=None)


def file_of_another_program(path: Path, *values: object) -> Database:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE ev (id INTEGER PRIMARY KEY, at TIMESTAMP NOT NULL UNIQUE, ended DATETIME)")
        other.executemany("INSERT INTO ev (at) VALUES (?)", [(value,) for value in values])
    other.close()
    return Database(path)


USES: dict[str, Callable[[Database], Any]] = {
    "find": lambda db: db.find(Ev, 1),
    "fetch by its own value": lambda db: db.fetch_all(Ev, at=DAY),
    "compare": lambda db: db.fetch_all(select(Ev.id).where(Ev.at == DAY)),
    "between": lambda db: db.fetch_all(select(Ev.id).where(Ev.at.between(DAY, DAY + timedelta(days=1)))),
    "in": lambda db: db.count(select(Ev).where(Ev.at.in_([DAY]))),
    "page": lambda db: db.fetch_all(select(Ev).order_by(Ev.at, Ev.id).limit(2).after(Ev(DAY, id=1))),
    "group": lambda db: db.fetch_all(select(Ev.at, func.count()).group_by(Ev.at)),
    "distinct": lambda db: db.fetch_all(select(Ev.at).distinct()),
    "greatest": lambda db: db.fetch_all(select(func.max(Ev.at))),
    "insert a second equal one": lambda db: Ev(DAY).insert(db),
    "save": lambda db: Ev(DAY, id=1).save(db),
    "update": lambda db: db.execute(cormorant.update(Ev).set(ended=DAY)),
    "as columns": lambda db: db.cursor(Ev).__arrow_c_stream__(),
    "as JSON": lambda db: db.cursor(select(Ev.at)).json(),
}


@pytest.mark.parametrize("use", USES)
def test_a_file_with_another_form_is_refused(path: Path, use: str) -> None:
    with file_of_another_program(path, *(f"2024-01-0{day} 00:00:00.000" for day in (1, 2, 3))) as db:
        with pytest.raises(DataError) as caught:
            USES[use](db)
        error = caught.value
        assert (error.code, error.table, error.columns) == ("CORM_E_TYPE", "ev", ("at",))
        assert 'ev.at holds "2024-01-01 00:00:00.000", which is not the form of a datetime column' in str(error)
        assert 'UPDATE "ev" SET "at" = corm_datetime("at")' in (error.hint or "")
        assert db.query("SELECT count(*) FROM ev").fetch_all() == [(3,)]


@pytest.mark.parametrize("text", OTHER_FORMS)
def test_the_cure_that_the_error_names(path: Path, text: str) -> None:
    with file_of_another_program(path, text, "2024-01-02T00:00:00.5+01:00", "2024-01-02 00:00:00.000001") as db:
        with pytest.raises(DataError) as caught:
            db.fetch_all(Ev)
        assert 'UPDATE "ev" SET "at" = corm_datetime("at")' in (caught.value.hint or "")
        db.execute('UPDATE "ev" SET "at" = corm_datetime("at")')
        assert db.fetch_all(select(Ev.id).where(Ev.at == DAY)) == [(1,)]
        times = [DAY, DAY + timedelta(hours=23, microseconds=500_000), DAY + timedelta(days=1, microseconds=1)]
        assert [event.at for event in db.fetch_all(select(Ev).order_by(Ev.at))] == times
        with pytest.raises(cormorant.UniqueViolation):
            Ev(DAY).insert(db)
        seen: list[Ev] = []
        query = select(Ev).order_by(Ev.at, Ev.id).limit(2)
        while page := db.fetch_all(query.after(seen[-1]) if seen else query):
            seen += page
        assert [event.id for event in seen] == [1, 2, 3]


def test_what_is_no_time_stays_with_the_cure(path: Path) -> None:
    with file_of_another_program(path, "now", "yesterday", 5, "2024-01-01T00:00:00.1234567Z", "2024-02-30") as db:
        db.execute('UPDATE "ev" SET "at" = corm_datetime("at")')
        rows = db.query("SELECT at FROM ev ORDER BY id").fetch_all()
        assert [at for (at,) in rows] == ["now", "yesterday", 5, "2024-01-01T00:00:00.1234567Z", "2024-02-30"]
        with pytest.raises(DataError, match=r"ev\.at holds text that is no time") as caught:
            db.fetch_all(Ev)
        assert "yesterday" not in str(caught.value)


FINE = "finer than microseconds"
FORMS: dict[str, datetime | str] = {
    "2024-01-01T00:00:00.5000000Z": DAY + timedelta(milliseconds=500),
    "2024-01-01T00:00:00.500000000+00:00": DAY + timedelta(milliseconds=500),
    "2024-01-01T01:00:00,5+01": DAY + timedelta(milliseconds=500),
    "20240101T010000,5+0100": DAY + timedelta(milliseconds=500),
    "20240101T000000Z": DAY,
    "2024-01-01t00:00:00z": DAY,
    "20240101": DAY,
    "2024-01-01T00:00:00.1234567Z": FINE,
    "20240101T000000,123456789Z": FINE,
    "2024-W01-1": "no time",
    "2024-001": "no time",
    "2024-01-01T24:00:00Z": "no time",
}


@pytest.mark.parametrize(("text", "meant"), FORMS.items())
def test_other_forms_of_iso_8601(db: Database, text: str, meant: datetime | str) -> None:
    db.create_tables(Ev)
    document = f'[{{"at": "{text}"}}]'
    if isinstance(meant, datetime):
        assert [event.at for event in cormorant.read_json(Ev, document)] == [meant]
        assert db.import_json(Ev, document) == 1
        assert db.fetch_all(Ev) == [Ev(meant, id=1)]
        form = meant.replace(tzinfo=None).isoformat(" ")
    else:
        with pytest.raises(DataError, match=meant):
            list(cormorant.read_json(Ev, document))
        with pytest.raises(DataError, match=meant):
            db.import_json(Ev, document)
        db.execute("INSERT INTO ev (at) VALUES (?)", [text])
        with pytest.raises(DataError, match=meant):
            db.fetch_all(Ev)
        form = text
    assert db.query("SELECT corm_datetime(?)", [text]).fetch_all() == [(form,)]


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


def test_one_value_of_another_form_in_the_midst_of_a_table(path: Path) -> None:
    times = [f"2024-01-01 00:{minute:02}:{second:02}" for minute in range(10) for second in range(60)]
    times[300] += ".000"
    told = "ev.at holds .2024-01-01 00:05:00.000., which is not the form of a datetime column"
    uses: list[Callable[[Database], Any]] = [
        *USES.values(), lambda db: db.count(select(Ev).where(Ev.at > DAY)), lambda db: db.sync(Ev)
    ]  # fmt: skip
    for use in uses:
        path.unlink(missing_ok=True)
        with file_of_another_program(path, *times) as db:
            with pytest.raises(DataError, match=told):
                use(db)
            assert db.query("SELECT count(*), max(at LIKE '%.000') FROM ev").fetch_all() == [(600, 1)]


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


def test_what_SQLite_writes_of_itself_is_the_form(db: Database) -> None:
    db.create_tables(Ev)
    db.execute("INSERT INTO ev (at, ended) VALUES (CURRENT_TIMESTAMP, strftime('%Y-%m-%d %H:%M:%S', 'now'))")
    (event,) = db.fetch_all(Ev)
    assert event.ended is not None
    assert abs((event.at - datetime.now(timezone.utc)).total_seconds()) < 60


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


@pytest.mark.parametrize(
    "at", [datetime(1, 1, 1, tzinfo=timezone.utc), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=timezone.utc)]
)
def test_the_first_and_the_last_time(db: Database, at: datetime) -> None:
    db.create_tables(Ev)
    Ev(at).insert(db)
    assert db.fetch_all(Ev, at=at) == [Ev(at, id=1)]


def test_a_year_0_in_the_file_is_told(path: Path) -> None:
    with file_of_another_program(path, "0000-12-31 19:00:00") as db:
        told = 'ev.at holds "0000-12-31 19:00:00", which is beyond the years 1 to 9999 of a datetime column'
        with pytest.raises(DataError, match=told) as caught:
            db.fetch_all(Ev)
        assert caught.value.code == "CORM_E_RANGE"
