"""Values whose own type says how they are bound, and those that are taken for others."""

from __future__ import annotations

import enum
import uuid
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from models import Everything, Person

import cormorant
from cormorant import (
    Column,
    Database,
    DataError,
    Json,
    Model,
    ProgrammingError,
    Transform,
    case,
    column,
    func,
    insert,
    literal,
    param,
    select,
    update,
)


class Level(enum.IntEnum):
    HIGH = 3


class Color(str, enum.Enum):
    RED = "red"


def test_raw_sql_takes_the_values_that_expressions_take(db: Database) -> None:
    """Mended: raw(...) took them, execute() did not"""
    moment, token = datetime(2024, 1, 1, 6, 30, tzinfo=timezone.utc), uuid.uuid4()
    values: list[Any] = [moment, token, Decimal("1.50"), Level.HIGH, Color.RED, bytearray(b"x")]
    given = ("2024-01-01 06:30:00", str(token), "1.50", 3, "red", b"x")
    assert db.query("SELECT ?, ?, ?, ?, ?, ?", values).fetch_one() == given
    names = dict(zip("abcdef", values))
    assert db.query("SELECT :a, :b, :c, :d, :e, :f", names).fetch_one() == given
    db.execute("CREATE TABLE t (a, b, c, d, e, f)")
    assert db.execute_many("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", [tuple(values), given]) == 2
    assert db.query("SELECT DISTINCT * FROM t").fetch_all() == [given]
    db.insert(Everything(moment=moment, amount=Decimal("1.50")))
    assert db.count(None, "SELECT * FROM everything WHERE moment = ?", [moment]) == 1


def test_numbers_of_numpy_are_what_they_say(db: Database) -> None:
    """Mended: JK.a is a blob, its column is of type int64; an untyped column kept the blob"""
    numpy = pytest.importorskip("numpy")
    db.insert_many([Person("Ann", 3), Person("Bob", 5)])
    five = numpy.int64(5)
    scalars = [five, numpy.float32(0.5), numpy.bool_(True), numpy.str_("x"), numpy.float64(2.5)]
    assert db.query("SELECT ?, ?, ?, ?, ?", scalars).fetch_one() == (5, 0.5, 1, "x", 2.5)
    db.execute("CREATE TABLE t (a)")
    db.execute_many("INSERT INTO t VALUES (?)", [(five,), (1,)])
    assert db.query("SELECT a, typeof(a) FROM t").fetch_all() == [(5, "integer"), (1, "integer")]
    assert [person.name for person in db.fetch_all(Person.where(Person.age == five))] == ["Bob"]
    assert [person.name for person in db.fetch_all(Person.where(Person.age.in_([five])))] == ["Bob"]
    assert db.fetch_all(select(Person.name).where(Person.age == param("age")), age=five) == [("Bob",)]
    assert db.fetch_all(Person, age=five)[0].name == "Bob"
    assert db.find(Person, numpy.int64(2)) == db.find(Person, 2)
    with pytest.raises(
        DataError, match=r"Person\.age is of type numpy\.int64, .* int64 \(give int\(value\)\)"
    ) as caught:
        Person("Cy", five).insert(db)
    assert (caught.value.columns, caught.value.code) == (("age",), "CORM_E_TYPE")
    with pytest.raises(DataError, match=r"numpy\.int64") as caught:
        db.insert_many([Person("Cy", 1), Person("Di", five)])
    assert caught.value.record_index == 1
    with pytest.raises(DataError, match=r"binding 1: a value is of type numpy\.ndarray"):
        db.query("SELECT ?", [numpy.arange(3)])


def test_a_key_of_json_that_is_no_text_is_refused(db: Database) -> None:
    """Mended: JSON key 1 -> '1'"""
    with pytest.raises(DataError, match=r"Everything\.extra: a key of JSON is a text, and 1 is none"):
        db.insert(Everything(extra={"a": [{1: 2}]}))
    with pytest.raises(DataError, match="the value is no JSON: a key of JSON is a text, and None is none"):
        db.store("s")["k"] = {None: 1}
    db.store("s")["k"] = {"a": [{"1": 2}]}
    assert db.store("s")["k"] == {"a": [{"1": 2}]}


def test_a_store_value_that_is_no_json_is_an_error_of_ours(db: Database) -> None:
    """Mended: json.JSONDecodeError"""
    store = db.store("s")
    store["k"] = [1]
    # A damaged file has what no statement would write.
    db.execute("PRAGMA ignore_check_constraints = ON")
    db.execute("UPDATE corm_key_value SET value = '[1'")
    reads: list[Any] = [
        lambda: store["k"], lambda: store.entry("k"), lambda: list(store.values()), lambda: list(store.items()),
        lambda: list(store.scan()),
    ]  # fmt: skip
    for read in reads:
        with pytest.raises(DataError, match="the value of key 'k' is no JSON") as caught:
            read()
        assert caught.value.code == "CORM_E_JSON"
    assert "k" in store


def test_a_key_that_is_none_is_an_error(db: Database) -> None:
    """Mended: find(None) gave None"""
    for ask in (db.find, db.exists, db.delete_key):
        with pytest.raises(ProgrammingError, match="a key of Person is None"):
            ask(Person, None)
    with pytest.raises(cormorant.Error):
        Person("Ann").refresh(db)


class Side(enum.Enum):
    LEFT = "l"
    RIGHT = "r"


SIDE = Transform(lambda side: side.value, Side)
MOMENT = datetime(2024, 1, 1, tzinfo=timezone.utc)


class Thing(Model):
    number: Column[int] = column(default=0)
    text: Column[str] = column(default="")
    side: Column[Side] = column(default=Side.LEFT, type="text", transform=SIDE)
    other: Column[Side | None] = column(default=None, type="text", transform=SIDE)
    at: Column[datetime] = column(default=MOMENT)
    token: Column[uuid.UUID] = column(default=uuid.UUID(int=5))
    json: Column[Json] = column(default_factory=dict)
    done: Column[bool] = column(default=False)
    real: Column[float] = column(default=0.0)
    id: Column[int | None] = column(primary_key=True, default=None)


def test_enums_of_numbers_and_texts_are_written_as_they_are(db: Database) -> None:
    db.create_tables(Thing)
    things = [Thing(1, "red"), Thing(Level.HIGH, Color.RED, real=Level.HIGH)]
    db.insert_many(things)
    things[0].text = Color.RED
    things[0].number = Level.HIGH
    db.update(things[0], "text", "number")
    db.save_many(things)
    rows = db.query("SELECT number, typeof(number), text, typeof(text) FROM thing").fetch_all()
    assert rows == [(3, "integer", "red", "text")] * 2
    assert db.fetch_all(Thing) == things
    assert db.execute(update(Thing).set(text=Color.RED, number=Level.HIGH)) == 2
    assert db.execute(insert(Thing).values(**{**vars(things[0]), "id": 7})) == 1


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("text", Side.LEFT, r"Thing\.text is of type .*Side, its column is of type text \(give Side\.LEFT\.value, or"),
        ("number", Side.LEFT, r"Thing\.number is of type .*Side, .* int64 \(give Side\.LEFT\.value"),
        ("text", Level.HIGH, r"Thing\.text is of type .*Level, .* text \(give a value of type text\)"),
        ("number", Color.RED, r"Thing\.number is of type .*Color, .* int64 \(give a value of type int64\)"),
        ("side", "l", r"Thing\.side cannot be encoded: .* \(give a value that the column's transform takes\)"),
    ],
)
def test_enums_where_others_are_wanted(db: Database, name: str, value: Any, told: str) -> None:
    db.create_tables(Thing)
    with pytest.raises(DataError, match=told) as caught:
        db.insert_many([Thing(), Thing(**{name: value})])
    assert (caught.value.columns, caught.value.record_index) == ((name,), 1)
    asks: list[Any] = [
        lambda: db.fetch_all(Thing, **{name: value}),
        lambda: db.fetch_all(Thing.where(getattr(Thing, name) == value)),
    ]
    for ask in asks:
        with pytest.raises(DataError, match=r"Side\.LEFT\.value|give a value|of type (text|int64)"):
            ask()


def test_numbers_of_numpy_where_others_are_wanted(db: Database) -> None:
    numpy = pytest.importorskip("numpy")
    db.create_tables(Thing)
    for name, value, told in (
        ("number", numpy.float64(1.5), r"numpy\.float64, its column is of type int64 \(give int\(value\)\)"),
        ("text", numpy.float64(1.5), r"numpy\.float64, its column is of type text \(give a value of type text\)"),
        ("done", numpy.bool_(True), r"numpy\.bool.*, its column is of type bool \(give bool\(value\)\)"),
        ("real", numpy.float32(1.5), r"numpy\.float32, its column is of type double \(give float\(value\)\)"),
        ("at", numpy.datetime64("2024-01-01"), r"Thing\.at: expected a datetime, got numpy\.datetime64"),
    ):
        with pytest.raises(DataError, match=told):
            db.insert(Thing(**{name: value}))


def test_what_is_made_of_values_of_a_column_has_its_values(db: Database) -> None:
    db.create_tables(Thing)
    db.insert_many([Thing(1, json=[1]), Thing(2, side=Side.RIGHT, done=True, json={"a": 1})])
    values = {"side": Side.RIGHT, "at": MOMENT, "token": uuid.UUID(int=7), "json": {"b": [2]}, "done": True}
    for name, value in values.items():
        item: Any = getattr(Thing, name)
        own = [getattr(thing, name) for thing in db.fetch_all(Thing, order_by="id")]
        for expression, expected in (
            (case((Thing.number == 1, item), else_=value), [own[0], value]),
            (case((Thing.number == 1, value), else_=item), [value, own[1]]),
            (case((Thing.number == 1, item)), [own[0], None]),
            (func.iif(Thing.number == 1, item, value), [own[0], value]),
            (func.coalesce(item, value), own),
            (func.ifnull(func.nullif(item, own[0]), value), [value, value if own[1] == own[0] else own[1]]),
            (func.lag(item, 1, value).over(order_by=Thing.id), [value, own[0]]),
        ):
            found = db.fetch_all(select(expression).order_by(Thing.id))
            assert found == [(each,) for each in expected]
            assert [type(each) for (each,) in found] == list(map(type, expected))
        same = case((Thing.number == 1, item), else_=item)
        assert db.count(Thing.where(same == own[0], Thing.number == 1)) == 1
    assert db.fetch_all(select(literal(MOMENT), literal(True)).limit(1)) == [(MOMENT, True)]
    # Of different kinds it is what SQL has.
    mixed = case((Thing.number == 1, Thing.done), else_=5)
    token: Any = Thing.token
    assert db.fetch_all(select(mixed, case((Thing.number == 1, token), else_="none"))) == [
        (0, str(uuid.UUID(int=5))),
        (5, "none"),
    ]
    with pytest.raises(DataError, match=r"give Side\.LEFT\.value"):
        case((Thing.number == 1, Side.LEFT))


NAN = float("nan")
NAN_USES: dict[str, Any] = {
    "equal": lambda: Thing.where(Thing.real == NAN),
    "in": lambda: Thing.where(Thing.real.in_([1.0, NAN])),
    "in many": lambda: Thing.where(Thing.real.in_([*range(200), NAN])),
    "not in many": lambda: Thing.where(Thing.real.not_in([*range(200), NAN])),
    "parameter": lambda: Thing.where(Thing.real == param("real")),
}


@pytest.mark.parametrize("use", NAN_USES)
def test_nan_beside_a_column_names_it(db: Database, use: str) -> None:
    db.create_tables(Thing)
    query: Any = NAN_USES[use]()
    with pytest.raises(DataError, match=r"the value for Thing\.real is NaN") as caught:
        db.fetch_all(query, bindings={"real": NAN} if use == "parameter" else {})
    assert (caught.value.code, caught.value.columns) == ("CORM_E_RANGE", ("real",))
    with pytest.raises(DataError, match=r"the value for Thing\.real is NaN"):
        db.execute(update(Thing).set(real=NAN))
    with pytest.raises(DataError, match="is NaN"):
        db.fetch_all(Thing.where((Thing.real + 1).in_([*range(200), NAN])))


def test_a_set_has_no_order_for_bindings(db: Database) -> None:
    with pytest.raises(cormorant.ProgrammingError, match="a set, which has no order"):
        db.query("SELECT ?, ?", {"a", "b"})  # type: ignore[call-overload]
