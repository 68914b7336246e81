"""What an INSERT takes for the properties that it does not set, and properties that are set by their columns."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import datetime, timezone
from enum import Enum
from itertools import count
from typing import Any

import pytest

from cormorant import (
    Column,
    Database,
    DataError,
    Json,
    Model,
    ProgrammingError,
    Transform,
    alias,
    column,
    excluded,
    insert,
    key,
    param,
    select,
    to_many,
    to_one,
    update,
)

NUMBERS = count(1)


class Size(Enum):
    SMALL = "s"
    GREAT = "g"


class Owner(Model):
    id: Column[int] = key()
    name: Column[str] = column(unique=True)
    boxes = to_many(lambda: Box)


class Box(Model):
    label: Column[str]
    code: Column[uuid.UUID] = column(primary_key=True, default_factory=uuid.uuid4)
    number: Column[int] = column(default_factory=lambda: next(NUMBERS))
    size: Column[Size] = column(default=Size.SMALL)
    parts: Column[list[str]] = column(default_factory=list)
    extra: Column[Json] = column(default=None)
    state: Column[str | None] = column(default=None, default_sql="'new'")
    owner_id: Column[int | None] = column(references=Owner, default=7)
    version: Column[int] = column(version=True, default=0)
    made: Column[datetime] = column(stamp="created", init=False)
    owner = to_one(Owner)


class Shape(Model, discriminator="kind", discriminator_value="shape"):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)
    owner_id: Column[int | None] = column(references=Owner, default=None)
    owner = to_one(Owner)


class Circle(Shape, discriminator_value="circle"):
    radius: Column[float] = column(default=1.5)


@pytest.fixture
def db() -> Iterator[Database]:
    with Database(":memory:") as database:
        database.create_tables(Owner, Box, Shape)
        database.execute("INSERT INTO owner VALUES (7, 'Gil')")
        yield database


def test_what_a_row_leaves_out_is_its_default(db: Database) -> None:
    # The rows set the same properties, though one says more of them.
    assert db.execute(insert(Box).values([{"label": "a"}, {"label": "b", "size": Size.GREAT, "owner_id": None}])) == 2
    assert db.execute(insert(Box).values(label="c").values(number=0)) == 1
    a, b, c = db.fetch_all(select(Box).order_by(Box.label))
    assert (a.size, a.parts, a.extra, a.state, a.owner_id) == (Size.SMALL, [], None, "new", 7)
    assert (b.size, b.owner_id) == (Size.GREAT, None)
    assert db.fetch_value("SELECT count(*) FROM box WHERE extra IS NULL") == 0
    assert (c.number, c.version) == (0, 1)
    assert b.number == a.number + 1
    assert len({a.code, b.code, c.code}) == 3
    assert all(item.made.tzinfo for item in (a, b, c))
    # As a record has it.
    assert Box("a").insert(db).state == a.state


def test_a_factory_is_called_each_time_that_the_statement_runs(db: Database) -> None:
    kept = insert(Box).values([{"label": param("one")}, {"label": param("two")}])
    returning = kept.returning(Box.code, Box.number)
    found = [row for _ in range(3) for row in db.fetch_all(returning, one="a", two="b")]
    assert len({code for code, _ in found}) == len({number for _, number in found}) == 6
    assert db.execute(kept, bindings={"one": "c", "two": "d"}) == 2
    upsert = insert(Box).values(label="e").on_conflict("code").do_update(label=excluded.label)
    assert [db.execute(upsert) for _ in range(2)] == [1, 1]
    assert db.count(Box) == 10


def test_what_a_factory_gives_is_encoded_and_its_errors_come_through(db: Database) -> None:
    class Wrong(Model):
        id: Column[int] = key()
        at: Column[datetime] = column(default_factory=lambda: "now")  # type: ignore[arg-type,return-value]
        text: Column[str] = column(default="")

    with pytest.raises(DataError, match=r"Wrong\.at"):
        db.execute(insert(Wrong).values([{}]))

    def refuse() -> int:
        raise LookupError("no number")

    class Refusing(Model):
        id: Column[int] = key()
        number: Column[int] = column(default_factory=refuse)

    with pytest.raises(LookupError, match="no number"):
        db.execute(insert(Refusing).values())


def test_a_relation_that_is_set_has_no_default(db: Database) -> None:
    pia = Owner("Pia").insert(db)
    db.execute(insert(Box).values(label="a", owner=pia))
    db.execute(insert(Box).values([{Box.label: "b", Box.owner: None}]))
    db.execute(insert(Box).values({Box.label: "c"}).values({Box.owner: pia}))
    assert db.fetch_values(select(Box.owner_id).order_by(Box.label)) == [pia.id, None, pia.id]


def test_a_discriminator_is_of_its_class(db: Database) -> None:
    pia = Owner("Pia").insert(db)
    db.execute(insert(Shape).values())
    db.execute(insert(Circle).values([{}, {Circle.radius: 3}]))
    db.execute(update(Circle).set({Shape.owner: pia}).where(Circle.radius == 3))
    db.execute(update(Circle).set({Circle.owner: pia, Shape.id: 9}).where(Circle.radius < 3))
    found = db.query("SELECT kind, radius, owner_id, id FROM shape ORDER BY id").fetch_all()
    assert found == [("shape", None, None, 1), ("circle", 3.0, 8, 3), ("circle", 1.5, 8, 9)]


def test_what_is_set_by_a_column_is_of_the_model(db: Database) -> None:
    pia = Owner("Pia").insert(db)
    assert db.execute(update(Owner).set({Owner.name: Owner.name.concat("!")}).where(Owner.id == pia.id)) == 1
    add = insert(Owner).values({Owner.name: "Pia!"}).on_conflict("name").do_update({Owner.name: "Quin"})
    assert db.execute(add) == 1
    assert db.fetch_values(select(Owner.name)) == ["Gil", "Quin"]
    wrong: list[tuple[Any, str]] = [
        ({Box.label: "x"}, "label.* is no column of Owner"),
        ({alias(Owner, "o").name: "x"}, "is no column of Owner"),
        ({Owner.boxes: []}, "ToMany is no property of Owner"),
        ({Box.owner: pia}, "is no relation of Owner itself"),
        ({3: "x"}, "int is no property of Owner"),
        ([("name", "x")], r"the values are a list.*give a dict by column, \{Owner.id: value\}"),
    ]
    for values, message in wrong:
        with pytest.raises(ProgrammingError, match=message):
            update(Owner).set(values)
    with pytest.raises(ProgrammingError, match="is no relation of Box itself"):
        update(Box).set({alias(Box, "b").owner: pia})
    for statement in (update(Owner).set, insert(Owner).values, insert(Owner).on_conflict("name").do_update):
        with pytest.raises(ProgrammingError, match=r"a dict of values and values beside it.*into the dict"):
            statement({Owner.name: "x"}, name="y")
    with pytest.raises(ProgrammingError, match="name"):
        db.execute(update(Owner).set({Owner.name: "x", "name": "y"}))


class Word(Model):
    text: Column[str] = column(primary_key=True)
    size: Column[Size] = column(name="how_big", default=Size.SMALL)
    uses: Column[int] = column(default=1)


def test_an_upsert_and_a_select_take_columns(db: Database) -> None:
    db.create_tables(Word)
    add = insert(Word).values([{Word.text: "sea"}, {Word.text: "sky", Word.size: Size.GREAT}])
    change = {Word.uses: Word.uses + excluded[Word.uses], Word.size: excluded[Word.size]}
    add_or_change = add.on_conflict(Word.text).do_update(change)
    for upsert in (add_or_change, add.on_conflict([Word.text]).do_nothing(), add_or_change):
        db.execute(upsert)
    assert db.fetch_all(select(Word.text, Word.size, Word.uses).order_by(Word.text)) == [
        ("sea", Size.SMALL, 2),
        ("sky", Size.GREAT, 2),
    ]
    assert db.execute(insert(Owner).from_select([Owner.name], select(Word.text))) == 2
    assert db.execute(insert(Owner).from_select(Owner.name, select(Word.text.concat("!")))) == 2
    nothings: list[dict[Any, Any] | None] = [None, {}]
    for nothing in nothings:
        with pytest.raises(ProgrammingError, match=r"do_update\(\) sets nothing.*do_nothing\(\)"):
            add.on_conflict(Word.text).do_update(nothing)
    with pytest.raises(ProgrammingError, match=r"name.* is no column of Word"):
        add.on_conflict(Word.text).do_update({Word.text: excluded[Owner.name]})
    with pytest.raises(ProgrammingError, match=r"name.* is no column of Word"):
        add.on_conflict(Word.text).do_update({Word.text: excluded[Owner.name].concat("!")})
    for wrong in (
        lambda: add.on_conflict(Owner.name),
        lambda: insert(Word).from_select([Owner.name], select(Owner.name)),
    ):
        with pytest.raises(ProgrammingError, match="is no column of Word"):
            wrong()
    with pytest.raises(ProgrammingError, match=r"excluded is asked by a str.*excluded\.price"):
        excluded["uses"]  # type: ignore[index]


def test_rows_of_several_calls_have_values_of_their_own(db: Database) -> None:
    one, two, three = ({"label": label} for label in "abc")
    for parts in ([[one], [two], [three]], [[one, two], [three]], [[one], [two, three]]):
        statement = insert(Box)
        for rows in parts:
            statement = statement.values(rows)
        assert db.execute(statement) == 3
        assert len(set(db.fetch_values(select(Box.code)))) == len(set(db.fetch_values(select(Box.number)))) == 3
        db.execute("DELETE FROM box")


class Stamped(Model):
    id: Column[int] = key()
    text: Column[str] = column(default="")
    made: Column[datetime] = column(stamp="created", default=datetime(2000, 1, 1, tzinfo=timezone.utc))
    changed: Column[datetime] = column(stamp="updated", default=datetime(2000, 1, 1, tzinfo=timezone.utc))
    again: Column[datetime] = column(stamp="updated", default_factory=lambda: datetime(2000, 1, 1, tzinfo=timezone.utc))


def test_the_time_of_an_update_has_no_default(db: Database) -> None:
    db.create_tables(Stamped)
    Stamped().insert(db)
    for statement in (insert(Stamped), insert(Stamped).values([{"text": "a"}]), insert(Stamped).values(text="b")):
        db.execute(statement)
    rows = db.fetch_all(select(Stamped))
    assert [item.made.year for item in rows] == [2000] * 4
    assert all(item.changed.year > 2000 and item.again.year > 2000 for item in rows)


def _filled(text: str) -> str:
    if not text:
        raise ValueError("it is empty")
    return text.upper()


class Filled(Model):
    id: Column[int] = key()
    text: Column[str] = column(type="text", default="", transform=Transform(_filled, str.lower))
    note: Column[str | None] = column(default=None)
    size: Column[int | None] = column(default_factory=lambda: None, default_sql="7")


def test_a_default_that_is_refused_stops_only_what_needs_it(db: Database) -> None:
    db.create_tables(Filled)
    db.execute(insert(Filled).values(text="ab"))
    assert db.fetch_values(insert(Filled).values({Filled.text: "cd"}).returning(Filled.text)) == ["cd"]
    db.execute(insert(Filled).values([{"text": "ef"}]))
    db.execute(insert(Filled).from_select([Filled.text], select(Filled.text)))
    assert db.fetch_values(select(Filled.text)) == ["ab", "cd", "ef"] * 2
    for statement in (insert(Filled), insert(Filled).values([{"text": "x"}, {}])):
        with pytest.raises(DataError, match=r"Filled\.text cannot be encoded"):
            db.execute(statement)


def test_a_default_of_none_is_that_of_a_record(db: Database) -> None:
    db.create_tables(Filled)
    Filled("a").insert(db)
    db.execute(insert(Filled).values(text="a"))
    db.execute(insert(Filled).values([{"text": "a", "note": "x"}, {"text": "b", "note": None}]))
    assert db.fetch_all(select(Filled.size, Filled.note)) == [(7, None), (7, None), (7, "x"), (7, None)]
    with pytest.raises(ProgrammingError, match=r"row 1 of an INSERT sets .*with NULL where one has none"):
        db.execute(insert(Filled).values([{"text": "a", "note": "x"}, {"text": "b"}]))


def test_the_parameters_of_factories_are_nobody_elses(db: Database) -> None:
    statement = insert(Box).values(label=param("text"), size=Size.SMALL)
    hidden = "the default of number"
    assert hidden in [item[0] for item in statement.sql[1] if isinstance(item, tuple)]
    for given in ({"text": "a", hidden: 5}, {"text": "a", "y": 5}, {hidden: 5}):
        name = "y" if "y" in given else hidden
        with pytest.raises(ProgrammingError, match=f'the statement has no parameter "{name}"') as caught:
            db.execute(statement, bindings=given)
        assert caught.value.code == "CORM_E_BINDING"
        assert caught.value.hint == "it has text"
    with pytest.raises(ProgrammingError, match=r'no parameter "y" \(it has no parameters\)'):
        db.execute(insert(Box).values(label="a"), y=5)
    with pytest.raises(ProgrammingError, match='parameter "text" has no value'):
        db.execute(statement)
    with pytest.raises(ProgrammingError, match="another name"):
        db.execute(insert(Box).values(label=param(hidden)), bindings={hidden: "a"})
