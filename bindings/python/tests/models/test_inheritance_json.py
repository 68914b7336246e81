"""JSON of a table whose rows are of several classes."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from cormorant import (
    Column,
    Database,
    DataError,
    Model,
    ProgrammingError,
    ValidationError,
    column,
    key,
    read_json,
    select,
    to_many,
    to_one,
    write_json,
)


class Boat(Model, discriminator="kind"):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)
    name: Column[str]
    created: Column[datetime] = column(stamp="created", init=False)
    loud: Column[str] = column(computed="upper(name)", init=False)


class Sail(Boat, discriminator_value="sail"):
    masts: Column[int]
    seen: Column[datetime] = column(stamp="updated", init=False)


class Motor(Boat, discriminator_value="motor"):
    power: Column[int] = column(default=1)


@pytest.fixture
def boats(db: Database) -> Database:
    db.create_tables(Boat)
    return db


def test_records_are_read_without_what_the_database_makes() -> None:
    [sail, motor] = read_json(Boat, '[{"kind": "sail", "name": "n", "masts": 3}, {"kind": "motor", "name": "m"}]')
    assert isinstance(sail, Sail)
    assert (sail.name, sail.masts, str(sail.created)) == ("n", 3, "None")
    assert not hasattr(sail, "power")
    assert isinstance(motor, Motor)
    assert motor.power == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"kind": "sail", "name": "a", "masts": 1}, {"kind": "sail", "name": "n"}]', r"\$\[1\].*masts holds NULL"),
        ('[{"kind": "q", "name": "n"}]', r"\$\[0\].*a value that no class"),
        ('[{"name": "n"}]', "no class|kind"),
        ('[{"kind": "motor", "name": "n"}]', "power holds NULL"),
    ],
)
def test_what_no_class_could_read_is_not_imported(boats: Database, text: str, message: str) -> None:
    for chunks in (text, list(text)):
        with pytest.raises(DataError, match=message):
            boats.import_json(Boat, chunks)
    assert boats.count(Boat) == 0


def test_records_of_several_classes_go_out_and_in_again(boats: Database) -> None:
    boats.insert_many([Sail("a", 2), Motor("b"), Motor("c", 5), Sail("d", 1)])
    records = boats.fetch_all(Boat, order_by="id")
    text = write_json(records)
    assert [boat["name"] for boat in json.loads(text)] == ["a", "b", "c", "d"]
    assert list(read_json(Boat, text)) == records
    lines = write_json(records, lines=True)
    assert list(read_json(Boat, lines, lines=True)) == records
    boats.delete_all(Boat)
    values: Any = [
        {"kind": boat.kind, "name": boat.name, "masts": getattr(boat, "masts", None), "power": 1} for boat in records
    ]
    assert boats.import_json(Boat, json.dumps(values)) == 4
    assert [type(boat) for boat in boats.fetch_all(select(Boat).order_by(Boat.id))] == [Sail, Motor, Motor, Sail]


class Pier(Model):
    id: Column[int] = key()
    ships = to_many(lambda: Ship)


class Ship(Model, discriminator="kind"):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)
    pier_id: Column[int | None] = column(references=Pier, default=None, kw_only=True)
    crews = to_many(lambda: Crew)


class Tug(Ship, discriminator_value="tug"):
    x: Column[int]


class Raft(Ship, discriminator_value="raft"):
    y: Column[int]


class Crew(Model):
    id: Column[int] = key()
    ship_id: Column[int] = column(references=Ship)


def test_records_of_several_classes_lie_in_those_that_they_belong_to(db: Database) -> None:
    db.create_tables(Pier, Ship, Crew)
    pier = Pier()
    pier.ships = [Tug(x=1), Raft(y=2), Tug(x=4)]
    db.save_graph(pier)
    Crew(ship_id=2).insert(db)
    [pier] = db.fetch_all(Pier)
    ships = db.load(pier, Pier.ships, order_by="id")
    db.load(ships, Ship.crews)
    told = json.loads(write_json(pier))["ships"]
    assert [{name: ship[name] for name in ("kind", "x", "y") if name in ship} for ship in told] == [
        {"kind": "tug", "x": 1},
        {"kind": "tug", "x": 4},
        {"kind": "raft", "y": 2},
    ]
    assert [len(ship["crews"]) for ship in told] == [0, 1, 0]
    [again] = read_json(Pier, write_json([pier]))
    assert again == pier
    assert again.ships == pier.ships
    pier.ships = [pier.ships[2]]
    assert json.loads(write_json(pier))["ships"][0]["y"] == 2


class Harbour(Model):
    id: Column[int] = key()
    vessels = to_many(lambda: Vessel)


class Vessel(Model, discriminator="kind"):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)
    harbour_id: Column[int] = column(references=Harbour)


class Rig(Vessel, discriminator_value="rig"):
    x: Column[int]
    crew = to_many(lambda: Sailor)


class Barge(Vessel, discriminator_value="barge"):
    y: Column[int]
    x: Column[int]


class Sailor(Model):
    id: Column[int] = key()
    rig_id: Column[int] = column(references="vessel")
    rig = to_one(Rig)


def test_each_related_record_has_the_columns_and_relations_of_its_class(path: Any) -> None:
    with Database(path) as db:
        db.create_tables(Harbour, Vessel, Sailor)
        db.insert_many([Harbour(), Harbour(), Harbour()])
        db.insert_many([Barge(1, 1, 2), Rig(1, 3), Barge(1, 4, 5), Rig(1, 6), Barge(3, 7, 8)])
        db.insert_many([Sailor(2), Sailor(4), Sailor(4)])
        harbours = db.fetch_all(select(Harbour).order_by(Harbour.id))
        db.load(harbours, Harbour.vessels)
        db.load([vessel for one in harbours for vessel in one.vessels if isinstance(vessel, Rig)], Rig.crew)
    text = write_json(harbours)
    documents = json.loads(text)
    assert [[list(vessel.values())[3:] for vessel in one["vessels"]] for one in documents] == [
        [[1, 2], [3, [{"id": 1, "rig_id": 2}]], [4, 5], [6, [{"id": 2, "rig_id": 4}, {"id": 3, "rig_id": 4}]]],
        [],
        [[7, 8]],
    ]
    assert [list(vessel)[3:] for vessel in documents[0]["vessels"][:2]] == [["y", "x"], ["x", "crew"]]
    assert [one.vessels for one in read_json(Harbour, text)] == [one.vessels for one in harbours]
    assert write_json(harbours[2]) == json.dumps(documents[2], separators=(",", ":"))
    assert write_json(harbours[0].vessels, lines=True).count("\n") == 4
    assert write_json(list(harbours[0].vessels) * 400).count("crew") == 800
    with pytest.raises(ProgrammingError, match="several models"):
        write_json([*harbours[2].vessels, *harbours])


class Craft(Model, discriminator="kind"):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)
    name: Column[str]
    quay_id: Column[int | None] = column(default=None, references="quay")


class Ketch(Craft, discriminator_value="ketch"):
    masts: Column[int] = column(default=2)

    def validate(self) -> None:
        if self.masts < 1:
            raise ValueError("no mast")


class Punt(Craft, discriminator_value="punt"):
    pass


class Quay(Model):
    id: Column[int] = key()
    crafts = to_many(Craft)


def test_the_hooks_and_validators_of_one_class_are_those_of_the_table(db: Database) -> None:
    db.create_tables(Quay, Craft)
    past = "past the hooks and validators of model"
    for model in (Craft, Ketch):
        with pytest.raises(ProgrammingError, match=past):
            db.import_json(model, '[{"kind": "ketch", "name": "x", "masts": -1}]')
    with pytest.raises(ProgrammingError, match=past):
        db.import_json(Quay, '[{"crafts": [{"kind": "ketch", "name": "x", "masts": -1}]}]')
    assert db.import_json(Punt, '[{"kind": "punt", "name": "x"}]') == 1
    with pytest.raises(ValidationError, match="no mast"):
        db.insert_many([Punt("a"), Ketch("b", masts=0)])
    assert db.count(Craft) == 1
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"kind": ["ketch"], "name": ["x"], "masts": [-1]})
    with pytest.raises(ProgrammingError, match=f"{past} Ketch"):
        db.insert_arrow(Craft, table)
    Punt("c").insert(db)
    assert db.count(Craft) == 2
