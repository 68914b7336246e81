"""Datetimes that keep their offset from UTC: what Python has of its own."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cormorant import Column, Database, DataError, Model, Transform, case, column, func, key, param, select, write_json

TOKYO = timezone(timedelta(hours=9))


class Mail(Model):
    id: Column[int] = key()
    sent: Column[datetime] = column(type="offset_datetime")
    seen: Column[datetime | None] = column(type="offset_datetime", default=None)
    made: Column[datetime | None] = column(default=None)
    born: Column[datetime | None] = column(
        type="offset_datetime", default=None, default_sql="strftime('%Y-%m-%d %H:%M:%f000Z[+00:00]', 'now')"
    )


@pytest.fixture
def mails(db: Database) -> Database:
    db.create_tables(Mail)
    return db


def test_a_datetime_comes_back_with_its_offset(mails: Database) -> None:
    for given in (
        datetime(2026, 1, 31, 21, tzinfo=TOKYO),
        datetime(2026, 7, 31, 21, 0, 0, 250000, tzinfo=ZoneInfo("Europe/Berlin")),
        datetime(1, 1, 1, tzinfo=timezone.utc),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=timezone.utc),
        datetime(1883, 11, 18, 12, tzinfo=timezone(-timedelta(hours=4, minutes=56, seconds=2))),
    ):
        found = mails.find(Mail, Mail(given, seen=given).insert(mails).id)
        assert found is not None
        assert found.seen is not None
        assert found.sent == given
        assert found.sent.isoformat() == found.seen.isoformat() == given.isoformat()
    # The instant is the other type.
    made = Mail(datetime(2026, 1, 31, 21, tzinfo=TOKYO), made=datetime(2026, 1, 31, 21, tzinfo=TOKYO)).insert(mails)
    assert str(mails.fetch_value(select(Mail.made).where(Mail.id == made.id))) == "2026-01-31 12:00:00+00:00"


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (datetime(2026, 1, 31), "no time zone"),
        (datetime(1, 1, 1, tzinfo=TOKYO), "beyond the years 1 to 9999"),
        (datetime.max.replace(tzinfo=timezone(-timedelta(hours=1))), "beyond the years 1 to 9999"),
        (datetime(2026, 1, 31, tzinfo=timezone(timedelta(microseconds=1))), "fraction of a second"),
        ("2026-01-31T12:00:00+01:00", "expected a datetime, got str"),
    ],
)
def test_what_is_none_is_refused(mails: Database, given: Any, error: str) -> None:
    with pytest.raises(DataError, match=error):
        Mail(given).insert(mails)
    if not isinstance(given, str):
        with pytest.raises(DataError, match=error):
            mails.fetch_all(Mail.where(Mail.sent == given))
    assert mails.count(Mail) == 0


def test_expressions_compare_moments_and_give_datetimes(mails: Database) -> None:
    noon = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)
    here = Mail(noon.astimezone(TOKYO), seen=noon, made=noon).insert(mails)
    there = Mail(noon).insert(mails)
    later = Mail(noon + timedelta(microseconds=1)).insert(mails)
    assert mails.fetch_all(Mail.where(Mail.sent == noon).order_by(Mail.id)) == [here, there]
    assert mails.fetch_all(Mail.where(Mail.sent.in_([noon.astimezone(TOKYO)])).order_by(Mail.id)) == [here, there]
    asked = select(Mail).where(Mail.sent > param("when"))
    assert mails.fetch_all(asked, when=noon.astimezone(TOKYO)) == [later]
    assert mails.fetch_all(Mail.where(Mail.sent == Mail.seen)) == [here]
    assert mails.fetch_all(Mail.where(Mail.sent == Mail.made)) == [here]
    assert mails.fetch_all(Mail, sent=noon) == [here, there]
    ends = mails.fetch_one(select(func.min(Mail.sent), func.max(Mail.sent)))
    assert ends is not None
    assert list(map(str, ends)) == ["2026-01-31 12:00:00+00:00", "2026-01-31 12:00:00.000001+00:00"]
    assert mails.fetch_values(select(Mail.id).where(func.max(Mail.sent, Mail.seen) == noon)) == [1]
    assert mails.fetch_values(select(func.strftime("%H", Mail.sent)).order_by(Mail.id)) == ["12"] * 3
    pages = select(Mail).order_by(Mail.sent, Mail.id).limit(1)
    seen = mails.fetch_all(pages)
    while found := mails.fetch_all(pages.after(seen[-1])):
        seen += found
    assert seen == [there, here, later]


def test_json_arrow_and_sql(mails: Database) -> None:
    mail = Mail(datetime(2026, 1, 31, 21, tzinfo=TOKYO)).insert(mails)
    assert '"sent":"2026-01-31T21:00:00.000000+09:00"' in write_json([mail])
    assert mail.born is not None
    assert abs(mail.born - datetime.now(timezone.utc)) < timedelta(minutes=1)
    told: list[datetime] = []

    @mails.register_function
    def note(when: datetime) -> int:
        told.append(when)
        return 0

    assert mails.fetch_value("SELECT note(sent) FROM mail") == 0
    assert told == [mail.sent]
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(mails.query("SELECT sent FROM mail"))
    assert table["sent"].to_pylist() == [datetime(2026, 1, 31, 12, tzinfo=timezone.utc)]
    zoned = pyarrow.table({"sent": pyarrow.array([mail.sent], pyarrow.timestamp("us", "Asia/Tokyo"))})
    assert mails.insert_arrow(Mail, zoned) == 1
    assert {item.sent.isoformat() for item in mails.fetch_all(Mail)} == {"2026-01-31T21:00:00+09:00"}
    mails.execute("UPDATE mail SET sent = ?", ["2026-01-31T21:00:00+09:00"])
    with pytest.raises(DataError, match=r"corm_offset_datetime\(\"sent\"\)"):
        mails.fetch_all(Mail)
    mails.execute("UPDATE mail SET sent = corm_offset_datetime(?)", ["2026-01-31T21:00:00+09:00"])
    assert mails.fetch_all(Mail)[0] == mail


BERLIN = ZoneInfo("Europe/Berlin")
LOCAL = Transform(
    lambda local: local.replace(tzinfo=BERLIN).isoformat(),
    lambda text: datetime.fromisoformat(text).astimezone(BERLIN).replace(tzinfo=None),
)
MOMENT = Transform(
    lambda local: int(local.replace(tzinfo=BERLIN).timestamp()) * 1_000_000,
    lambda stored: datetime.fromtimestamp(stored // 1_000_000, BERLIN).replace(tzinfo=None),
)


class Shift(Model):
    id: Column[int] = key()
    begins: Column[datetime] = column(type="offset_datetime", transform=LOCAL)
    ends: Column[datetime] = column(type="datetime", transform=MOMENT)


def test_a_conversion_makes_local_times_of_moments(db: Database) -> None:
    db.create_tables(Shift)
    first, last = datetime(2026, 7, 1, 8), datetime(2026, 10, 25, 2, 30)
    db.insert_many([Shift(first, first), Shift(last, last), Shift(last.replace(fold=1), last.replace(fold=1))])
    rows = db.query("SELECT begins, ends FROM shift WHERE id > 1").fetch_all()
    assert rows == [
        ("2026-10-25 00:30:00.000000Z[+02:00]", "2026-10-25 00:30:00"),
        ("2026-10-25 01:30:00.000000Z[+01:00]", "2026-10-25 01:30:00"),
    ]
    for item in (Shift.begins, Shift.ends):
        found = db.fetch_values(select(item).order_by(item))
        assert [(value, value.fold) for value in found] == [(first, 0), (last, 0), (last, 1)]
        assert db.fetch_values(select(Shift.id).where(item == last)) == [2]
        assert db.fetch_values(select(Shift.id).where(item.in_(param("times"))), times=[last.replace(fold=1)]) == [3]
        assert db.fetch_values(select(func.coalesce(item, first)).order_by(Shift.id)) == [first, last, last]
        assert db.fetch_values(select(case((Shift.id > 1, item), else_=first)).order_by(Shift.id)) == [
            first,
            last,
            last,
        ]
        assert db.fetch_value(select(func.max(item))) == last


def test_a_conversion_that_stores_something_else_is_told(db: Database) -> None:
    class Wrong(Model):
        id: Column[int] = key()
        at: Column[datetime] = column(type="datetime", transform=Transform(lambda local: local.astimezone(), str))

    db.create_tables(Wrong)
    with pytest.raises(DataError, match=r"the transform of Wrong\.at stores a .*datetime.*let it encode what a column"):
        Wrong(datetime(2026, 1, 1)).insert(db)
