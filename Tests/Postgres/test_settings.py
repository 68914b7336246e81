"""Answers are the same whatever settings a role has by default; and limits of its are told."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from conftest import URL
from cormorant import Column, Database, Error, Model, column, literal, select
from test_faults import fails


class Thing(Model):
    id: Column[int] = column(primary_key=True)
    real: Column[float]
    at: Column[datetime.datetime]
    day: Column[datetime.date]
    lasts: Column[datetime.timedelta]
    price: Column[Decimal]
    bytes: Column[bytes]
    text: Column[str]
    note: Column[str | None]


FIELDS = (
    0.1 + 0.2, datetime.datetime(2024, 3, 31, 1, 30, tzinfo=datetime.timezone.utc), datetime.date(2024, 2, 1),
    datetime.timedelta(days=40, microseconds=1), Decimal("1.10"), b"\\x00\\\x00\xff", r"a\'b", None,
)  # fmt: skip
THING = Thing(1, *FIELDS)

SETTINGS = {
    "TimeZone": "America/St_Johns", "DateStyle": "German", "IntervalStyle": "iso_8601", "bytea_output": "escape",
    "extra_float_digits": "-15", "standard_conforming_strings": "off", "backslash_quote": "on",
    "transform_null_equals": "on", "default_transaction_isolation": "read committed", "lc_messages": "C",
    "default_transaction_deferrable": "on", "quote_all_identifiers": "on", "enable_seqscan": "off",
}  # fmt: skip


@pytest.fixture
def role(url: str) -> Iterator[Any]:
    """Makes a role of a name with default settings, and tells its URL."""
    names: list[str] = []

    def make(settings: dict[str, str]) -> str:
        name = f"role_{time.monotonic_ns()}"
        with Database(url) as db:
            db.execute(f"CREATE ROLE {name} LOGIN")
            names.append(name)
            db.execute(f"GRANT ALL ON SCHEMA public TO {name}")
            for setting, value in settings.items():
                db.execute(f"ALTER ROLE {name} SET {setting} = '{value}'")
        return url.replace("cormorant@", f"{name}@", 1)

    yield make
    with Database(url) as db:
        for name in names:
            db.execute(f"DROP OWNED BY {name}")
            db.execute(f"DROP ROLE {name}")


def answers(db: Database) -> list[Any]:
    db.create_tables(Thing)
    db.insert(THING)
    # By COPY.
    db.insert_many([Thing(number, *FIELDS) for number in (2, 3)])
    rows = db.query('SELECT real, at, day, lasts, price, bytes, text, note, "id" FROM thing ORDER BY id').fetch_all()
    return [
        db.fetch_all(Thing.where(Thing.day == THING.day).order_by(Thing.id)),
        rows,
        db.fetch_all(select(Thing.id).where(Thing.note == literal(None))),
        db.fetch_all(select(Thing.real.cast(str), Thing.at.cast(str), Thing.day.cast(str)).order_by(Thing.id)),
        db.count(Thing.where(Thing.at == THING.at, Thing.bytes == THING.bytes, Thing.text == THING.text)),
        # One column of another type makes texts of all.
        db.query("SELECT real, at, day, price, bytes, text, id, ARRAY[id] FROM thing ORDER BY id").fetch_all(),
        [table.name for table in db.metadata().tables],
    ]


def test_defaults_of_a_role_change_no_answer(url: str, role: Any) -> None:
    with Database(role(SETTINGS)) as db:
        given = answers(db)
        db.execute("DROP TABLE thing")
    with Database(url) as db:
        assert given == answers(db)
    assert given[0][0] == THING


def test_an_empty_search_path_is_told(role: Any) -> None:
    with Database(role({"search_path": ""})) as db:
        with pytest.raises(Error) as caught:
            db.create_tables(Thing)
        assert caught.value.code in ("CORM_E_SQL", "CORM_E_SCHEMA"), caught.value
        assert "schema" in caught.value.message


def test_a_search_path_that_is_changed_behind_its_back(url: str) -> None:
    with Database(url, writer_count=1, reader_count=0) as db:
        db.create_tables(Thing)
        db.execute_script("CREATE SCHEMA other; CREATE TABLE other.thing (LIKE thing INCLUDING ALL)")
        db.insert(THING)
        assert db.count(Thing) == 1
        db.fetch_value("SELECT set_config('search_path', 'other', false)")
        assert (db.count(Thing), db.find(Thing, 1)) == (0, None)
        db.insert_many([Thing(number, *FIELDS) for number in (5, 6)])
        assert [thing.id for thing in db.fetch_all(Thing)] == [5, 6]
        db.fetch_value("SELECT set_config('search_path', 'public', false)")
        assert [thing.id for thing in db.fetch_all(Thing)] == [1]


def test_limits_of_a_role(role: Any) -> None:
    with Database(role({"statement_timeout": "200ms"})) as db:
        fails("CORM_E_INTERRUPTED", lambda: db.query("SELECT pg_sleep(30)").fetch_all(), "statement_timeout")
        assert db.fetch_value("SELECT 1") == 1
    with Database(role({"idle_in_transaction_session_timeout": "200ms"})) as db:
        db.create_tables(Thing)
        with pytest.raises(Error) as caught, db.transaction():
            db.insert(THING)
            time.sleep(1)
            db.count(Thing)
        assert caught.value.code == "CORM_E_CONNECTION", caught.value
        assert "rolled back" in caught.value.message
        assert db.count(Thing) == 0
    with Database(role({"default_transaction_read_only": "on"})) as db:
        fails("CORM_E_READ_ONLY", lambda: db.execute("CREATE TABLE a (a int)"))


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_of_another_encoding(encoding: str) -> None:
    name = f"other_{encoding.lower()}"
    with Database(URL) as server:
        server.execute(
            f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0"
        )
        try:
            fails("CORM_E_UNSUPPORTED", lambda: Database(URL[: URL.rindex("/") + 1] + name), encoding, "UTF8")
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
