"""Dates, times of day and durations: what a record holds, what is refused, and where else values of them stand."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from typing import Any
from uuid import uuid4

import numpy
import pyarrow
import pytest

import cormorant
from cormorant import Column, Database, DataError, Model, ProgrammingError, column, func, literal, select


class Shift(Model):
    day: Column[date]
    begins: Column[time]
    takes: Column[timedelta]
    paid: Column[date | None] = column(default=None)
    pause: Column[time | None] = column(default=None)
    extra: Column[timedelta | None] = column(default=None)
    id: Column[int | None] = column(primary_key=True, default=None)


PANDAS: Any = pytest.importorskip("pandas")
NIGHT = (date(2026, 1, 31), time(22, 30, 0, 250_000), timedelta(hours=8, microseconds=1))


@pytest.fixture
def shifts(db: Database) -> Database:
    db.create_tables(Shift)
    db.insert_many([Shift(*NIGHT), Shift(date.min, time.min, -timedelta(1), date.max, time.max, timedelta(0))])
    return db


def test_records_hold_what_was_written(shifts: Database) -> None:
    night, other = shifts.fetch_all(Shift)
    assert (night.day, night.begins, night.takes, night.paid, night.pause, night.extra) == (*NIGHT, None, None, None)
    assert (other.day, other.begins, other.takes) == (date.min, time.min, -timedelta(1))
    assert (other.paid, other.pause, other.extra) == (date.max, time.max, timedelta(0))
    assert shifts.fetch_one(Shift, day=NIGHT[0]) == night


def test_conditions_and_selected_values_are_of_the_types(shifts: Database) -> None:
    day, begins, takes = NIGHT
    assert shifts.fetch_all(select(Shift.day, Shift.begins, Shift.takes).where(Shift.day >= day)) == [NIGHT]
    assert shifts.fetch_all(select(Shift.id).where(Shift.begins == begins, Shift.takes > timedelta(0))) == [(1,)]
    assert shifts.fetch_all(select(Shift.id).where(Shift.day.in_([day, date(1999, 1, 1)]))) == [(1,)]
    assert shifts.fetch_all(select(func.max(Shift.day), func.min(Shift.begins), func.sum(Shift.takes))) == [
        (day, time.min, takes - timedelta(1))
    ]
    assert shifts.fetch_all(select(literal(day), literal(begins), literal(takes)).limit(1)) == [NIGHT]
    assert shifts.fetch_all(select(Shift.id).where(func.date(Shift.day, "+1 day") == date(2026, 2, 1))) == [(1,)]
    assert shifts.query("SELECT id FROM shift WHERE day = ? AND begins = ? AND takes = ?", NIGHT).fetch_all() == [(1,)]
    assert shifts.execute(cormorant.update(Shift).set(paid=day, takes=Shift.takes + timedelta(1))) == 2
    assert [(item.paid, item.takes) for item in shifts.fetch_all(Shift)] == [
        (day, takes + timedelta(1)),
        (day, timedelta(0)),
    ]


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"day": datetime(2026, 1, 31, tzinfo=timezone.utc)}, "day: expected a date, got datetime.datetime"),
        ({"day": "2026-01-31"}, "day: expected a date, got str"),
        ({"begins": "10:00"}, "begins: expected a time, got str"),
        ({"begins": time(10, tzinfo=timezone.utc)}, "begins: the time has a zone|time zone"),
        ({"takes": 5}, "takes: expected a timedelta, got int"),
        ({"takes": timedelta(days=200_000_000)}, "takes: the timedelta is beyond 64 bits"),
        ({"takes": PANDAS.Timedelta(5, "ns")}, "takes: the time is finer than microseconds"),
        ({"takes": PANDAS.NaT}, "takes: "),
    ],
)
def test_other_values_are_refused_by_name(shifts: Database, values: dict[str, Any], what: str) -> None:
    given: dict[str, Any] = dict(zip(("day", "begins", "takes"), NIGHT)) | values
    with pytest.raises(DataError, match=what):
        Shift(**given).insert(shifts)
    assert shifts.count(Shift) == 2


def test_columns_have_the_types_of_arrow_and_numpy(shifts: Database) -> None:
    table = pyarrow.table(shifts.cursor(Shift))
    assert [str(table.schema.field(name).type) for name in ("day", "begins", "takes")] == [
        "date32[day]", "time64[us]", "duration[us]",
    ]  # fmt: skip
    assert table.column("paid").to_pylist() == [None, date.max]
    arrays = shifts.cursor(Shift).numpy()
    assert arrays["day"].tolist() == [NIGHT[0], date.min]
    assert numpy.isnat(arrays["paid"]).tolist() == [True, False]
    assert arrays["takes"].tolist() == [NIGHT[2], -timedelta(1)]
    assert numpy.isnat(arrays["extra"][0])
    rows = shifts.fetch_all(Shift)
    shifts.execute("DELETE FROM shift")
    assert shifts.insert_arrow(Shift, table) == 2
    assert shifts.fetch_all(Shift) == rows
    wrong = pyarrow.table({"day": [1], "begins": [time.min], "takes": [timedelta(0)]})
    with pytest.raises(DataError, match=r"Shift.day: values of Arrow's type int64"):
        shifts.insert_arrow(Shift, wrong)


def test_json_and_pydantic(shifts: Database) -> None:
    text = cormorant.write_json(shifts.fetch_all(Shift)[:1])
    assert '"day":"2026-01-31","begins":"22:30:00.250000","takes":28800000001' in text
    assert list(cormorant.read_json(Shift, text)) == shifts.fetch_all(Shift)[:1]
    made = Shift.pydantic("create")(day="2026-01-31", begins="10:00", takes="PT1H")
    assert Shift(**made.model_dump()).insert(shifts).takes == timedelta(hours=1)


def test_a_value_of_another_form_names_its_row(shifts: Database) -> None:
    shifts.execute("UPDATE shift SET day = '2026-01-31 00:00:00' WHERE id = 2")
    with pytest.raises(
        DataError, match=r"shift.day holds .2026-01-31 00:00:00., which is not the form of a date"
    ) as told:
        shifts.fetch_all(Shift)
    assert told.value.hint is not None
    assert 'SET "day" = date("day")' in told.value.hint


def test_times_are_no_numbers_and_durations_stay_among_themselves(shifts: Database) -> None:
    # SQL would take the year of a text, and microseconds of a duration.
    any_takes: Any = Shift.takes
    any_day: Any = Shift.day
    any_begins: Any = Shift.begins
    any_id: Any = Shift.id
    for wrong in (any_day + 1, any_day - any_day, -any_begins, func.sum(any_day), func.abs(any_begins)):
        with pytest.raises(
            DataError, match=r"is of numbers, and Shift\.\w+ is of type \w+ \(take its parts by strftime"
        ):
            shifts.fetch_all(select(wrong))
    among_numbers: list[Any] = [
        lambda: 1 + any_id + date(2026, 1, 1),
        lambda: any_id - time(1),
        lambda: uuid4() + any_takes,
    ]
    for make in among_numbers:
        with pytest.raises(
            ProgrammingError, match=r"a (datetime\.date|datetime\.time|uuid\.UUID|date|time|UUID) is no number"
        ):
            make()
    for make in (lambda: any_takes * 2, lambda: 2 / any_takes, lambda: any_takes.bit_and(1)):
        with pytest.raises(ProgrammingError, match="a duration is no number"):
            make()
    for make in (
        lambda: any_takes + 5,
        lambda: Shift.id + timedelta(1),  # type: ignore[operator]
        lambda: any_day + timedelta(1),
        lambda: any_takes - Shift.id,
    ):
        with pytest.raises(ProgrammingError, match="is no duration"):
            make()
    assert shifts.fetch_values(select(Shift.takes.cast(int) * 2)) == [
        2 * (takes // timedelta(microseconds=1)) for takes in (NIGHT[2], -timedelta(1))
    ]
    assert shifts.fetch_values(select(Shift.takes + Shift.takes - timedelta(1))) == [
        2 * NIGHT[2] - timedelta(1),
        -timedelta(3),
    ]
