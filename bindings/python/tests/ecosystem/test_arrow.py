"""Tables of Arrow written as records, and what pandas and duckdb make of results."""

from __future__ import annotations

import uuid
import warnings
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest

from cormorant import Column, Database, DataError, IntegrityError, Model, ProgrammingError, column, dbapi, key, select

MOMENT = datetime(2024, 5, 6, 7, 8, 9, 12, tzinfo=timezone.utc)


class Item(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    count: Column[int | None] = column(type="int32", default=7)
    ratio: Column[float | None] = column(default=None)
    flag: Column[bool | None] = column(default=None)
    title: Column[str | None] = column(name="label", default=None)
    data: Column[bytes | None] = column(default=None)
    at: Column[datetime | None] = column(default=None)
    code: Column[uuid.UUID | None] = column(default=None)
    price: Column[Decimal | None] = column(default=None)
    extra: Column[dict[str, int] | None] = column(default=None)
    tags: Column[list[str]] = column(default_factory=lambda: ["new"])


@pytest.fixture
def db(path: Path) -> Any:
    with Database(path) as database:
        database.create_tables(Item)
        yield database


def test_every_type(db: Database) -> None:
    values: dict[str, Any] = {
        "id": [5, 6],
        "count": [1, None],
        "ratio": [1.5, None],
        "flag": [True, None],
        "title": ["ä", None],
        "data": [b"\0", None],
        "at": [MOMENT, None],
        "code": [str(uuid.UUID(int=7)), None],
        "price": [Decimal("1.50"), None],
        "extra": [{"a": 1}, None],
        "tags": [["x"], []],
    }
    assert db.insert_arrow(Item, pa.table(values)) == 2
    first, second = db.fetch_all(Item, order_by="id")
    assert first == Item(5, 1, 1.5, True, "ä", b"\0", MOMENT, uuid.UUID(int=7), Decimal("1.50"), {"a": 1}, ["x"])
    assert second == Item(6, count=None, tags=[])
    with pytest.raises(ProgrammingError, match=r"pyarrow.*Table is no iterable of records \(give it to insert_arrow"):
        db.insert_many(pa.table(values))


@pytest.mark.parametrize(
    ("name", "array", "value"),
    [
        ("count", pa.array([3.0]), 3),
        ("count", pa.array([3], pa.uint8()), 3),
        ("ratio", pa.array([3]), 3.0),
        ("ratio", pa.array([0.5], pa.float32()), 0.5),
        ("flag", pa.array([1]), True),
        ("title", pa.array(["x"]).dictionary_encode(), "x"),
        ("title", pa.array(["x"], pa.large_string()), "x"),
        ("title", pa.array(["x"], pa.string_view()), "x"),
        ("title", pa.array([None]), None),
        ("data", pa.array([b"xy"], pa.binary(2)), b"xy"),
        ("at", pa.array([MOMENT.replace(tzinfo=None)], pa.timestamp("us")), MOMENT),
        ("at", pa.array([MOMENT], pa.timestamp("us", "Europe/Berlin")), MOMENT),
        ("at", pa.array([date(2024, 5, 6)]), datetime(2024, 5, 6, tzinfo=timezone.utc)),
        ("at", pa.array([1_000_000_000], pa.timestamp("ns")), datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc)),
        ("code", pa.array([uuid.UUID(int=7).bytes], pa.binary(16)), uuid.UUID(int=7)),
        ("code", pa.array([uuid.UUID(int=7).bytes], pa.uuid()), uuid.UUID(int=7)),
        ("price", pa.array(["0.10"]), Decimal("0.10")),
        ("price", pa.array([3]), Decimal(3)),
        ("extra", pa.array(['{"b": 2}']), {"b": 2}),
    ],
)
def test_what_goes_into_a_column(db: Database, name: str, array: Any, value: Any) -> None:
    db.insert_arrow(Item, pa.table({name: array}))
    record = db.fetch_one(Item)
    assert getattr(record, name) == value


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("count", pa.array([1.5])),
        ("count", pa.array(["1"])),
        ("count", pa.array([2**40])),
        ("count", pa.array([2**63], pa.uint64())),
        ("ratio", pa.array([2**60 + 1])),
        ("ratio", pa.array(["x"])),
        ("flag", pa.array([2])),
        ("title", pa.array([1])),
        ("data", pa.array(["x"])),
        ("at", pa.array([1], pa.timestamp("ns"))),
        ("at", pa.array(["2024-01-01"])),
        ("code", pa.array(["x"])),
        ("code", pa.array([b"x"])),
        ("price", pa.array([0.1])),
        ("price", pa.array(["x"])),
    ],
)
def test_what_does_not_fit_is_refused(db: Database, name: str, array: Any) -> None:
    with pytest.raises(DataError) as caught:
        db.insert_arrow(Item, pa.table({name: array}))
    assert caught.value.columns == (Item.__fields__[name].column_name,)  # type: ignore[union-attr]
    assert db.count(Item) == 0


def test_a_text_that_is_no_json_is_refused(db: Database) -> None:
    with pytest.raises(IntegrityError, match="is not JSON"):
        db.insert_arrow(Item, pa.table({"extra": ["{"]}))


class Crossed(Model):
    id: Column[int] = column(primary_key=True)
    a: Column[int] = column(name="b")
    b: Column[int] = column(name="c")


def test_a_property_is_meant_before_a_column_of_its_name(db: Database) -> None:
    db.create_tables(Crossed)
    db.insert_arrow(Crossed, pa.table({"id": [1], "b": [2], "a": [1]}))
    db.insert_arrow(Crossed, pa.table({"id": [2], "c": [2], "a": [1]}))
    assert db.fetch_all(Crossed) == [Crossed(1, 1, 2), Crossed(2, 1, 2)]


def test_columns_by_their_names_in_the_table_and_defaults(db: Database) -> None:
    db.insert_arrow(Item, pa.table({"label": ["x", "y"]}))
    assert [(item.id, item.count, item.title, item.tags) for item in db.fetch_all(Item)] == [
        (1, 7, "x", ["new"]),
        (2, 7, "y", ["new"]),
    ]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"nothing": [1]}), "Item has no column 'nothing'"),
        (pa.table({"label": ["x"], "title": ["y"]}), "two columns of the table are Item.title"),
        ([1, 2], "list has no columns of Arrow"),
    ],
)
def test_tables_that_do_not_fit(db: Database, table: Any, message: str) -> None:
    with pytest.raises(ProgrammingError, match=message):
        db.insert_arrow(Item, table)


def test_many_rows_go_in_as_a_whole_or_not_at_all(db: Database) -> None:
    rows = pa.table({"id": pa.chunked_array([range(1, 15_001), range(15_001, 25_001)])})
    twice = pa.concat_tables([rows, pa.table({"id": [3]})])
    with pytest.raises(IntegrityError) as caught:
        db.insert_arrow(Item, twice)
    assert caught.value.record_index == 25_000
    assert db.count(Item) == 0
    assert db.insert_arrow(Item, twice, conflict="ignore") == 25_000
    assert db.insert_arrow(Item, rows.schema.empty_table()) == 0
    part = rows.slice(20_000, 10)
    db.delete_all(Item)
    assert db.insert_arrow(Item, part) == 10
    assert [item.id for item in db.fetch_all(Item, order_by="id")] == list(range(20_001, 20_011))


def test_a_result_goes_into_another_file(db: Database, tmp_path: Path) -> None:
    db.insert_many([Item(title="a"), Item(title="b", at=MOMENT)])
    with Database(tmp_path / "other.db") as other:
        other.create_tables(Item)
        other.insert_arrow(Item, db.cursor(Item))
        assert other.fetch_all(Item) == db.fetch_all(Item)


def test_a_frame_of_pandas(db: Database) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"title": ["x", None], "ratio": [1.5, float("nan")], "at": pandas.to_datetime([MOMENT, None])}
    )
    assert db.insert_arrow(Item, frame) == 2
    assert [(item.title, item.ratio, item.at) for item in db.fetch_all(Item)] == [
        ("x", 1.5, MOMENT),
        (None, None, None),
    ]


def test_pandas_reads_and_writes_through_the_dbapi_and_sqlalchemy(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    sqlalchemy = pytest.importorskip("sqlalchemy")
    sqlalchemy.dialects.registry.register("sqlite.cormorant", "cormorant.sqlalchemy", "CormorantDialect")
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None], "t": pandas.to_datetime(["2024-01-01", "2024-01-02"])})
    connection = dbapi.connect(tmp_path / "frames.db")
    with warnings.catch_warnings():
        # pandas says that it was not tested with this one.
        warnings.simplefilter("ignore", UserWarning)
        assert frame.to_sql("one", connection, index=False) == 2
        connection.commit()
        read = pandas.read_sql("SELECT * FROM one WHERE a >= ?", connection, params=(1,), parse_dates=["t"])
    connection.close()
    pandas.testing.assert_frame_equal(read, frame, check_dtype=False)
    engine = sqlalchemy.create_engine(f"sqlite+cormorant:///{tmp_path / 'frames.db'}")
    frame.to_sql("two", engine, index=False)
    pandas.testing.assert_frame_equal(pandas.read_sql("two", engine), frame, check_dtype=False)
    engine.dispose()


def test_frames_of_results_have_the_names_of_the_columns(db: Database) -> None:
    pandas = pytest.importorskip("pandas")
    db.insert_many([Item(title="a"), Item(title="b")])
    sql = "SELECT id, label FROM item"
    for frame in (
        pandas.DataFrame(db.query(sql).dicts()),
        pandas.DataFrame(db.query(sql).numpy()),
        pandas.DataFrame.from_arrow(db.query(sql)),
    ):
        assert list(frame.columns) == ["id", "label"]
        assert list(frame["label"]) == ["a", "b"]


def test_duckdb_reads_a_result_by_its_name(db: Database) -> None:
    duckdb = pytest.importorskip("duckdb")
    db.insert_many([Item(count=1), Item(count=2)])
    items = db.query("SELECT count FROM item")  # noqa: F841  # duckdb finds it
    assert duckdb.sql("SELECT sum(count) FROM items").fetchall() == [(3,)]


class Moment(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    day: Column[date | None] = column(default=None)
    size: Column[float | None] = column(default=None)
    data: Column[bytes | None] = column(default=None)
    word: Column[str | None] = column(default=None)


@pytest.mark.parametrize(
    "column",
    [
        {"day": pa.array([datetime(2024, 1, 2, 3, 4, 5)])},
        {"day": pa.array([None, datetime(2024, 1, 2, 0, 0, 0, 1)])},
        {"day": pa.array([datetime(2024, 1, 2, 3, tzinfo=timezone.utc)], pa.timestamp("us", "America/New_York"))},
        {"size": pa.array([Decimal("0.123456789012345678901234567890")])},
    ],
)
def test_what_would_be_cut_is_refused(db: Database, column: dict[str, Any]) -> None:
    db.create_tables(Moment)
    with pytest.raises(DataError, match="not without loss"):
        db.insert_arrow(Moment, pa.table(column))
    assert db.count(Moment) == 0


def test_what_would_not_be_cut_is_taken(db: Database) -> None:
    db.create_tables(Moment)
    midnight = datetime(2024, 1, 2, 5, tzinfo=timezone.utc)
    days = [
        pa.array([datetime(2024, 1, 2), None], pa.timestamp("ns")),
        pa.array([midnight, None], pa.timestamp("us", "America/New_York")),
        pa.array([date(2024, 1, 2), None], pa.date64()),
    ]
    for array in days:
        db.insert_arrow(Moment, pa.table({"day": array}))
    assert [moment.day for moment in db.fetch_all(Moment)] == [date(2024, 1, 2), None] * 3
    db.insert_arrow(Moment, pa.table({"size": pa.array([Decimal("0.1"), None])}))
    assert [moment.size for moment in db.fetch_all(Moment)][6:] == [0.1, None]


class Color(Enum):
    RED = "r"
    BLUE = "b"


class Painted(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    color: Column[Color | None] = column(default=None)
    side: Column[Literal["left", "right"]] = column(default="left")
    other: Column[Color | str] = column(default="x")


def test_a_value_that_an_enum_has_not_is_refused(db: Database) -> None:
    db.create_tables(Painted)
    for values in ({"color": ["r", None, "RED"]}, {"side": ["up"]}):
        with pytest.raises(DataError, match="values of its members"):
            db.insert_arrow(Painted, pa.table(values))
    db.insert_arrow(Painted, pa.table({"color": ["r", None], "side": ["right", "left"], "other": ["b", "y"]}))
    rows = [(row.color, row.side, row.other) for row in db.fetch_all(Painted)]
    assert rows == [(Color.RED, "right", Color.BLUE), (None, "left", "y")]


def test_views_and_codes_for_values(db: Database) -> None:
    db.create_tables(Moment)
    words = pa.array(["a", None, "b"], pa.string_view())
    codes = pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array(["x", "y"], pa.string_view()))
    blobs = pa.array([b"1", None, b"3"], pa.binary_view())
    db.insert_arrow(Moment, pa.table({"word": words, "data": blobs}))
    db.insert_arrow(Moment, pa.table({"word": codes}))
    assert [(moment.word, moment.data) for moment in db.fetch_all(Moment)] == [
        ("a", b"1"),
        (None, None),
        ("b", b"3"),
        ("y", None),
        (None, None),
        ("x", None),
    ]


class Boat(Model, discriminator="kind"):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)


class Sail(Boat, discriminator_value="sail"):
    masts: Column[int]


class Motor(Boat, discriminator_value="motor"):
    power: Column[int] = column(default=1)


@pytest.mark.parametrize(
    ("kinds", "masts", "message"),
    [
        (["sail", "raft"], [1, 2], "kind is 'raft', which no Boat has"),
        (["sail", "sail"], [1, None], "Sail.masts is None"),
        (["sail", "motor"], [1, None], "Motor.power is None"),
    ],
)
def test_rows_that_no_class_could_read_are_refused(
    db: Database, kinds: list[str], masts: list[int | None], message: str
) -> None:
    db.create_tables(Boat)
    with pytest.raises(DataError, match=message) as caught:
        db.insert_arrow(Boat, pa.table({"kind": kinds, "masts": masts}))
    assert caught.value.record_index == 1
    table = pa.table({"kind": ["sail", "motor"], "masts": [1, None], "power": [None, 2]})
    assert db.insert_arrow(Boat, table) == 2
    assert [type(boat) for boat in db.fetch_all(select(Boat).order_by(Boat.id))] == [Sail, Motor]
    assert db.insert_arrow(Sail, pa.table({"masts": [3]})) == 1
    with pytest.raises(DataError, match="kind is 'motor', which no Sail has"):
        db.insert_arrow(Sail, pa.table({"kind": ["motor"], "masts": [3]}))
