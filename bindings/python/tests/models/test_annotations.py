"""Annotations of columns: enums, Literal, NewType, and values that JSON has another form of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, Flag, IntEnum, IntFlag
from typing import Any, Literal, NewType, TypedDict

import pydantic
import pytest

import cormorant
from cormorant import Column, Database, DataError, Model, ProgrammingError, column, func, key, select


class State(Enum):
    OPEN = "open"
    CLOSED = "closed"


class Rank(IntEnum):
    LOW = 1
    HIGH = 2


class Rights(IntFlag):
    READ = 1
    WRITE = 2


UserId = NewType("UserId", int)
TeamId = NewType("TeamId", UserId)


class Ticket(Model):
    state: Column[State]
    rank: Column[Rank | None] = column(default=None)
    rights: Column[Rights] = column(default=Rights.READ | Rights.WRITE)
    size: Column[Literal["s", "m", None]] = column(default=None)
    level: Column[Literal[1, 2]] = column(default=1, type="int32")
    raw: Column[State | str] = column(default="new")
    owner: Column[UserId | None] = column(default=None)
    team: Column[TeamId] = column(default=TeamId(UserId(7)))
    id: Column[UserId | None] = column(primary_key=True, default=None)


@pytest.fixture
def tickets(db: Database) -> Database:
    db.create_tables(Ticket)
    db.insert_many([
        Ticket(State.OPEN, Rank.HIGH, size="m", level=2, raw=State.CLOSED, owner=UserId(3)),
        Ticket(State.CLOSED, rights=Rights(0)),
    ])  # fmt: skip
    return db


def test_records_hold_enums_and_files_their_values(tickets: Database) -> None:
    first, second = tickets.fetch_all(Ticket)
    assert (first.state, first.rank, first.rights, first.size, first.level) == (State.OPEN, Rank.HIGH, 3, "m", 2)
    assert type(first.rank) is Rank
    assert type(first.rights) is Rights
    assert first.raw is State.CLOSED
    assert (second.rank, second.size, second.raw, second.team) == (None, None, "new", 7)
    sql = "SELECT state, rank, rights, size, level, raw, owner, team FROM ticket"
    assert tickets.query(sql).fetch_all() == [
        ("open", 2, 3, "m", 2, "closed", 3, 7), ("closed", None, 0, None, 1, "new", None, 7),
    ]  # fmt: skip


def test_conditions_take_them_and_selected_values_are_such(tickets: Database) -> None:
    assert tickets.fetch_all(select(Ticket.state, Ticket.rank).where(Ticket.state == State.OPEN)) == [
        (State.OPEN, Rank.HIGH)
    ]
    assert tickets.count(select(Ticket).where(Ticket.state.in_(list(State)))) == 2
    assert tickets.fetch_all(select(func.coalesce(Ticket.rank, Rank.LOW)).order_by(Ticket.id)) == [
        (Rank.HIGH,), (Rank.LOW,),
    ]  # fmt: skip
    assert tickets.fetch_one(Ticket, state=State.CLOSED) is not None
    assert tickets.execute(cormorant.update(Ticket).set(state=State.CLOSED, size="s")) == 2
    assert {(item.state, item.size) for item in tickets.fetch_all(Ticket)} == {(State.CLOSED, "s")}


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"state": "open"}, "Ticket.state: expected State, got str"),
        ({"rank": 1}, "Ticket.rank: expected Rank, got int"),
        ({"size": "xl"}, "Ticket.size: the value is none of 's', 'm'"),
        ({"level": True}, "Ticket.level: the value is none of 1, 2"),
        ({"raw": 5}, "Ticket.raw: expected State, got int"),
    ],
)
def test_other_values_are_refused_by_name(tickets: Database, values: dict[str, Any], what: str) -> None:
    given: dict[str, Any] = {"state": State.OPEN} | values
    with pytest.raises(DataError, match=what):
        Ticket(**given).insert(tickets)
    assert tickets.count(Ticket) == 2


class Size(str):
    __slots__ = ()


def test_values_of_derived_types_stand_beside_a_literal(tickets: Database) -> None:
    low: Any = Rank.LOW
    size: Any = Size("s")
    Ticket(State.OPEN, level=low, size=size).insert(tickets)
    for condition in (
        (Ticket.level == low) & (Ticket.size == size),
        Ticket.level.in_([low]) & Ticket.size.in_([size]),
        Ticket.level.between(low, low) & (size == Ticket.size),
        cormorant.tuple_(Ticket.level, Ticket.size).in_([(low, size)]),
    ):
        assert tickets.count(Ticket.where(condition)) == 1
    level, sizes = cormorant.param("level"), cormorant.param("sizes")
    query = Ticket.where(Ticket.level == level, Ticket.size.in_(sizes))
    assert len(tickets.fetch_all(query, level=low, sizes=[size])) == 1
    tickets.execute(cormorant.update(Ticket).set(level=low, size=size))
    tickets.execute(
        cormorant.insert(Ticket).values(state=State.OPEN, rights=Rights.READ, raw="", team=1, level=low, size=size)
    )
    assert tickets.query("SELECT DISTINCT level, size, typeof(level) FROM ticket").fetch_all() == [(1, "s", "integer")]
    high: Any = Size("xl")
    with pytest.raises(DataError, match=r"Ticket.size: the value is none of 's', 'm'"):
        tickets.execute(cormorant.update(Ticket).set(size=high))


def test_an_unknown_value_in_the_file_names_column_and_row(tickets: Database) -> None:
    tickets.execute("UPDATE ticket SET state = 'gone' WHERE id = 2")
    for read in (lambda: tickets.fetch_all(Ticket), lambda: tickets.fetch_all(select(Ticket.state))):
        with pytest.raises(DataError, match=r"state.*the value is no State") as told:
            read()
        assert "gone" not in str(told.value)
    tickets.execute("UPDATE ticket SET state = 'open', raw = 'gone' WHERE id = 2")
    assert tickets.fetch_all(Ticket)[1].raw == "gone"


def test_json_and_pydantic_have_the_values(tickets: Database) -> None:
    text = cormorant.write_json(tickets.fetch_all(Ticket))
    assert '"state":"open","rank":2,"rights":3,"size":"m"' in text
    assert list(cormorant.read_json(Ticket, text)) == tickets.fetch_all(Ticket)
    made = Ticket.pydantic("create")(state="closed", rank=1)
    assert Ticket(**made.model_dump()).insert(tickets).rank is Rank.LOW
    with pytest.raises(pydantic.ValidationError):
        Ticket.pydantic("create")(state="gone")


class Mixed(Enum):
    A = 1
    B = "b"


def test_an_enum_without_a_type_of_its_own_is_no_column() -> None:
    with pytest.raises(ProgrammingError, match=r"Wrong.v has values that are neither all texts nor all integers"):

        class Wrong(Model):
            v: Column[Mixed]

        del Wrong


# --- JSON ---


@dataclass
class Place:
    city: str
    at: tuple[float, float]


class Person(pydantic.BaseModel):
    name: str
    friends: list[str] = []


class Trip(Model):
    tags: Column[set[str]]
    stops: Column[list[Place]]
    guide: Column[Person | None] = column(default=None)
    plain: Column[list[int]] = column(default_factory=list)
    range: Column[tuple[int, int] | None] = column(default=None)
    places: Column[dict[str, Place]] = column(default_factory=dict)
    id: Column[int | None] = column(primary_key=True, default=None)


def test_values_with_types_of_their_own_are_json(db: Database) -> None:
    db.create_tables(Trip)
    trip = Trip({"sea"}, [Place("Rome", (1.5, 2.0))], Person(name="Ann", friends=["Bo"]), [1], (3, 4))
    trip.places["home"] = Place("Oslo", (0.0, 0.0))
    trip.insert(db)
    read = db.fetch_all(Trip)[0]
    assert read == trip
    assert type(read.stops[0]) is Place
    assert type(read.guide) is Person
    assert type(read.tags) is set
    assert read.range == (3, 4)
    assert read.places["home"].city == "Oslo"
    assert db.query("SELECT stops, guide, json_type(tags) FROM trip").fetch_all() == [
        ('[{"city":"Rome","at":[1.5,2.0]}]', '{"name":"Ann","friends":["Bo"]}', "array")
    ]
    assert db.fetch_all(select(Trip.stops).where(Trip.guide.is_not_null())) == [(trip.stops,)]
    assert list(cormorant.read_json(Trip, cormorant.write_json([read]))) == [read]


def test_what_does_not_fit_names_column_and_place(db: Database) -> None:
    db.create_tables(Trip)
    wrong: Any = [{"sea"}, ["Rome"]]
    with pytest.raises(DataError, match=r"Trip.stops: got list, which is not what the annotation says"):
        Trip(*wrong).insert(db)
    Trip({"sea"}, []).insert(db)
    db.execute("UPDATE trip SET stops = '[{\"city\": 5}]'")
    with pytest.raises(DataError, match=r"stops.*the document does not fit: .* at \$\[0\]\.city"):
        db.fetch_all(Trip)


@pytest.mark.parametrize("query", [select(Ticket), select(Ticket.state), select(Ticket.state, Ticket.rank)])
def test_what_cannot_be_read_names_its_row(db: Database, query: Any) -> None:
    db.create_tables(Ticket)
    db.insert_many([Ticket(State.OPEN) for _ in range(500)])
    db.execute("UPDATE ticket SET state = 'lost' WHERE rowid = 451")
    half = db.cursor(query)
    half.fetch_one()
    reads: list[Callable[[], object]] = [lambda: db.fetch_all(query), lambda: list(db.cursor(query)), half.fetch_all]
    for read in reads:
        with pytest.raises(DataError, match=r"^record 450: ticket\.state: the value is no State") as caught:
            read()
        assert caught.value.record_index == 450


class Step(TypedDict):
    name: str
    inner: list[Step]


class Plain(Model):
    id: Column[int] = key()
    words: Column[list[str]] = column(default_factory=list)
    counts: Column[dict[str, int] | None] = column(default=None)
    grid: Column[list[list[float | None]]] = column(default_factory=list)
    either: Column[str | list[str]] = column(default="", json=True)
    steps: Column[list[Step]] = column(default_factory=list)
    bare: Column[dict] = column(default_factory=dict)  # type: ignore[type-arg]
    free: Column[cormorant.Json] = column(default=None)


@pytest.mark.parametrize(
    ("name", "value", "text", "said"),
    [
        ("words", ["a", 1], '["a", 1]', r"expected str at \$\[1\], got int"),
        ("words", {"a": "b"}, '{"a": "b"}', r"expected list\[str\], got dict"),
        ("counts", {"a": 1, "b": 1.5}, '{"a": 1, "b": 1.5}', r"expected int at \$\.b, got float"),
        ("grid", [[1, None], [0.5, "x"]], '[[1, null], [0.5, "x"]]', r"expected .*float.* at \$\[1\]\[1\], got str"),
        ("either", [1], "[1]", r"expected str at \$\[0\], got int"),
        ("either", 1, "1", r"expected str \| list\[str\], got int"),
        ("steps", [{"name": "a"}], '[{"name": "a"}]', r"expected .*Step at \$\[0\], got a dict without 'inner'"),
        (
            "steps",
            [{"name": "a", "inner": [{"name": 2, "inner": []}]}],
            '[{"name": "a", "inner": [{"name": 2, "inner": []}]}]',
            r"expected str at \$\[0\]\.inner\[0\]\.name, got int",
        ),
        ("bare", ["a"], '["a"]', "expected dict, got list"),
    ],
)
def test_json_is_what_its_annotation_says(db: Database, name: str, value: Any, text: str, said: str) -> None:
    db.create_tables(Plain)
    with pytest.raises(DataError, match=rf"^Plain\.{name}: {said}$") as caught:
        Plain(**{name: value}).insert(db)
    assert caught.value.code == "CORM_E_TYPE"
    with pytest.raises(DataError, match=rf"^record 1: Plain\.{name}: {said}$"):
        db.insert_many([Plain(), Plain(**{name: value})])
    Plain().insert(db)
    db.execute(f"UPDATE plain SET {name} = ?", (text,))
    for query in (select(Plain), select(getattr(Plain, name))):
        with pytest.raises(DataError, match=rf"^record 0: plain\.{name}: {said}") as caught:
            db.fetch_all(query)
        assert caught.value.code == "CORM_E_TYPE"
        assert caught.value.columns == (name,)


def test_json_that_fits_its_annotation_comes_back(db: Database) -> None:
    db.create_tables(Plain)
    step: Step = {"name": "a", "inner": [{"name": "b", "inner": []}]}
    plain = Plain(["a", ""], {"x": 1}, [[1, 0.5, None], []], ["b"], [step], {"k": [1]}, [None]).insert(db)
    empty = Plain(counts=cormorant.JSON_NULL).insert(db)
    assert db.fetch_all(Plain) == [plain, empty]
    assert db.fetch_all(select(Plain.id).where(Plain.words == ["a", ""])) == [(1,)]
    # Columns of several annotations are JSON together.
    assert db.fetch_values(select(func.coalesce(Plain.counts, Plain.words))) == [{"x": 1}, cormorant.JSON_NULL]
    assert db.fetch_values(select(func.coalesce(Plain.words, Plain.free))) == [["a", ""], []]


class Checked(Model, table="checked"):
    state: Column[State] = column(check=True)
    rank: Column[Rank | None] = column(check=True, default=None)
    size: Column[Literal["it's", "m"]] = column(check=True, default="m")


def test_a_check_of_the_values_is_made_on_wish(db: Database) -> None:
    db.create_tables(Checked)
    Checked(State.OPEN, Rank.LOW, "it's").insert(db)
    for sql in ("('gone', 1, 'm')", "('open', 3, 'm')", "('open', 1, 'xl')"):
        with pytest.raises(cormorant.IntegrityError):
            db.execute(f"INSERT INTO checked (state, rank, size) VALUES {sql}")
    db.execute("INSERT INTO checked (state, rank, size) VALUES ('closed', NULL, 'm')")
    assert db.count(Checked) == 2
    assert not db.sync(Checked).steps
    with pytest.raises(ProgrammingError, match=r"Wrong.v has check=True and no enum or Literal"):

        class Wrong(Model):
            v: Column[str] = column(check=True)

        del Wrong


class Access(Flag):
    READ = 1
    WRITE = 2


class Door(Model):
    id: Column[int] = key()
    access: Column[Access]


def test_members_of_a_flag_are_joined(db: Database) -> None:
    db.create_tables(Door)
    both = Access.READ | Access.WRITE
    db.insert_many([Door(Access.READ), Door(both), Door(Access(0))])
    assert db.fetch_values(select(Door.access).order_by(Door.id)) == [Access.READ, both, Access(0)]
    assert db.count(Door.where(Door.access == both)) == 1
    access: Any = Door.access
    assert db.fetch_values(select(Door.id).where(access.bit_and(Access.WRITE.value) != 0)) == [2]
    with pytest.raises(ProgrammingError, match=r"no condition \(& and \| join conditions.*; of bits .*bit_and\(2\)"):
        db.fetch_all(Door.where(access & Access.WRITE))
    with pytest.raises(
        ProgrammingError, match=r"Ajar.access has check=True and no enum or Literal, whose values are few"
    ):

        class Ajar(Model):
            id: Column[int] = key()
            access: Column[Access] = column(check=True)
