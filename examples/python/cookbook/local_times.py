"""Local times: datetimes without a time zone, as the clocks of one zone show them. The file has the moments, in UTC."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from cormorant import Column, Database, DataError, Model, Transform, column, key, select

ZONE = ZoneInfo("Europe/Berlin")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def encode(local: datetime) -> int:
    """What a column of datetimes stores: microseconds since 1970 in UTC."""
    if local.tzinfo is not None:
        raise ValueError("the time has a zone: give it without")
    stored = (local.replace(tzinfo=ZONE) - EPOCH) // timedelta(microseconds=1)
    if decode(stored) != local:
        raise ValueError(f"no clock of {ZONE} shows {local}, which is skipped in spring")
    return stored


def decode(stored: int) -> datetime:
    return (EPOCH + timedelta(microseconds=stored)).astimezone(ZONE).replace(tzinfo=None)


class Shift(Model):
    id: Column[int] = key()
    begins: Column[datetime] = column(type="datetime", transform=Transform(encode, decode))


with Database(":memory:") as db:
    db.create_tables(Shift)
    night = datetime(2026, 10, 25, 2, 30)  # which comes twice when the clocks are put back: fold says which it is
    db.insert_many([Shift(night.replace(fold=1)), Shift(night), Shift(datetime(2026, 7, 1, 8))])
    for begins in db.fetch_values(select(Shift.begins).where(Shift.begins >= night).order_by(Shift.begins)):
        print(begins, begins.fold)
    print(db.query("SELECT begins FROM shift ORDER BY begins").fetch_all())
    try:
        Shift(datetime(2026, 3, 29, 2, 30)).insert(db)
    except DataError as error:
        print(error.message)
