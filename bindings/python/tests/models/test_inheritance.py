"""Single-table inheritance: a class with a discriminator, and those whose rows it tells."""

from __future__ import annotations

import copy
import json
import pickle
from enum import Enum
from typing import Any

import pytest

from cormorant import (
    Column,
    Database,
    DataError,
    Model,
    ProgrammingError,
    UniqueViolation,
    column,
    key,
    param,
    select,
    to_many,
    to_one,
)


class Tagged:
    tag: Column[str | None] = column(default=None, kw_only=True)


class Animal(Model, discriminator="kind", unique=["name"]):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)
    name: Column[str]
    shelter_id: Column[int | None] = column(default=None, references="shelter", kw_only=True)
    shelter = to_one(lambda: Shelter)

    def sound(self) -> str:
        return "?"


class Dog(Tagged, Animal, discriminator_value="dog", checks=["length(breed) > 1"], indexes=["breed"]):
    breed: Column[str]

    def sound(self) -> str:
        return "woof"


class Cat(Tagged, Animal, discriminator_value="cat"):
    lives: Column[int] = column(default=9, default_sql="9")
    enemy_id: Column[int | None] = column(default=None, references="animal", kw_only=True)
    enemy = to_one(lambda: Dog, columns=["enemy_id"])


class Shelter(Model):
    id: Column[int] = key()
    name: Column[str]
    animals = to_many(Animal)
    dogs = to_many(Dog)


class Kind(Enum):
    CAR = 1
    TRUCK = 2


class Car(Model, discriminator="kind", discriminator_value=Kind.CAR):
    kind: Column[Kind] = column(init=False)
    seats: Column[int]


class Truck(Car, discriminator_value=Kind.TRUCK):
    load: Column[float]


@pytest.fixture
def animals(db: Database) -> Database:
    db.create_tables(Shelter, Dog)
    north = Shelter("North").insert(db)
    rex = Dog("Rex", "Husky", shelter_id=north.id)
    rex.tag = "a"
    rex.insert(db)
    Cat("Tom", enemy_id=rex.id).insert(db)
    return db


def test_a_query_of_the_base_gives_records_of_the_classes(animals: Database) -> None:
    rex, tom = animals.fetch_all(select(Animal).order_by(Animal.name))
    assert (type(rex), rex.kind, rex.sound()) == (Dog, "dog", "woof")
    assert (type(tom), tom.kind, tom.sound()) == (Cat, "cat", "?")
    assert isinstance(rex, Dog)
    assert (rex.breed, rex.tag) == ("Husky", "a")
    assert isinstance(tom, Cat)
    assert tom.lives == 9
    assert not hasattr(rex, "lives")
    assert repr(rex) == "Dog(id=1, kind='dog', name='Rex', shelter_id=1, tag='a', breed='Husky')"
    assert animals.find(Animal, 1) == rex == animals.find(Dog, 1) == animals.fetch_one(Animal, name="Rex")
    assert animals.find(Dog, 2) is None
    assert animals.count(Cat) == 1
    assert animals.fetch_all(Cat.where(Cat.lives > 8)) == [tom]
    with animals.cursor(Animal) as cursor:
        assert [type(item) for item in cursor] == [Dog, Cat]
    rows = animals.fetch_all(select(Animal, Shelter).join(Shelter, Animal.shelter_id == Shelter.id))
    assert rows[0][0] == rex
    assert animals.fetch_values(select(Animal.name).where(Animal.kind == param("kind")), kind="cat") == ["Tom"]
    assert copy.copy(rex) == pickle.loads(pickle.dumps(rex)) == rex


def test_relations_lead_to_the_classes(animals: Database) -> None:
    north = animals.fetch_all(Shelter)
    animals.load(north, Shelter.animals, Shelter.dogs)
    assert [type(item) for item in north[0].animals] == [Dog]
    assert north[0].animals == north[0].dogs
    every = animals.fetch_all(Animal)
    animals.load(every, Animal.shelter)
    assert (every[0].shelter, every[1].shelter) == (north[0], None)
    cats = animals.fetch_all(Cat)
    animals.load(cats, Cat.enemy)
    assert cats[0].enemy == animals.find(Dog, 1)
    assert animals.fetch_all(Shelter.where(Shelter.dogs.any(Dog.breed == "Husky"))) == north


def test_what_is_written_has_the_discriminator(animals: Database) -> None:
    rex = animals.fetch_all(Dog)[0]
    rex.kind = "cat"
    animals.update(rex, Dog.kind)
    animals.save(rex)
    assert rex.kind == "dog"
    assert animals.count(Dog) == 1
    animals.insert_many([Dog("A", "Be"), Dog("B", "Be")])
    assert [item.kind for item in animals.fetch_all(Dog)] == ["dog"] * 3
    assert animals.import_json(Dog, json.dumps([{"name": "J", "breed": "Be"}])) == 1
    assert animals.fetch_value("SELECT count(*) FROM animal WHERE kind = 'dog' AND lives IS NULL") == 4


def test_a_batch_takes_records_of_several_classes(animals: Database) -> None:
    mixed: list[Dog | Cat] = [Dog("A", "Be"), Cat("B"), Cat("C", 7), Dog("D", "Be")]
    assert animals.insert_many(mixed) == 4
    assert [item.id for item in mixed] == [3, 4, 5, 6]
    assert [item.lives for item in animals.fetch_all(Cat.where(Cat.id > 2))] == [9, 7]
    for item in mixed:
        item.name += "!"
        item.tag = "not written"
    assert animals.update_many(mixed, Animal.name) == 4
    assert [(type(item), item.name) for item in animals.fetch_all(Animal.where(Animal.id > 2))] == [
        (Dog, "A!"), (Cat, "B!"), (Cat, "C!"), (Dog, "D!"),
    ]  # fmt: skip
    assert animals.count(Animal, tag="not written") == 0
    assert animals.save_many(mixed) == animals.upsert_many(mixed, Animal.name, Animal.shelter_id) == 4
    with pytest.raises(ProgrammingError, match=r"Cat has no|no property"):
        animals.update_many(mixed, "breed")
    refused = [Dog("E", "Be"), Cat("F"), Cat("A!"), Dog("G", "Be")]
    with pytest.raises(UniqueViolation) as caught:
        animals.insert_many(refused)
    assert caught.value.record_index == 2
    assert [item.id for item in refused] == [None] * 4
    assert animals.count(Animal) == 6
    with pytest.raises(ProgrammingError, match="several models: Animal, Shelter"):
        animals.insert_many([Dog("E", "Be"), Cat("F"), Shelter("G")])
    many = [(Dog(f"dog {number}", "Be") if number % 3 else Cat(f"cat {number}")) for number in range(4500)]
    assert animals.insert_many(iter(many)) == 4500
    assert [item.id for item in many] == list(range(many[0].id, many[0].id + 4500))
    assert animals.delete_many([*mixed, *many]) == 4504


def test_a_batch_of_several_classes_calls_the_hooks_of_each(db: Database) -> None:
    class Vehicle(Model, discriminator="kind"):
        id: Column[int] = key()
        kind: Column[str] = column(init=False)
        name: Column[str]

    class Bus(Vehicle, discriminator_value="bus"):
        def before_insert(self, database: Database) -> None:
            self.name += " (bus)"

    class Tram(Vehicle, discriminator_value="tram"):
        pass

    db.create_tables(Vehicle)
    assert db.insert_many([Tram("a"), Bus("b"), Tram("c")]) == 3
    assert db.insert_many([Bus("d"), Tram("e")]) == 2
    db.update_many(db.fetch_all(Vehicle), Vehicle.name)
    assert db.fetch_values(select(Vehicle.name).order_by(Vehicle.id)) == ["a", "b (bus)", "c", "d (bus)", "e"]
    with pytest.raises(ProgrammingError, match="several models"):
        db.insert_many([Bus("f"), Car(4)])
    assert db.count(Vehicle) == 5


def test_the_table_is_the_bases(animals: Database) -> None:
    sql = Animal.__model__.create_sql
    assert '"breed" TEXT,' in sql
    assert '"lives" INTEGER,' in sql
    assert sql.count("tag") == 1
    assert "CHECK (\"kind\" <> 'dog' OR (length(breed) > 1))" in sql
    assert 'INDEX "animal_breed_index"' in sql
    assert Dog.__model__.table == "animal"
    assert Dog.__model__.create_sql == ""
    animals.sync(Animal, Shelter)
    assert not animals.sync(Cat, Shelter).steps
    with pytest.raises(DataError, match=r"animal\.breed holds NULL.*key 3"):
        animals.execute("INSERT INTO animal (kind, name) VALUES ('dog', 'Bare')")
        animals.fetch_all(Animal)


def test_a_discriminator_that_no_class_has_is_told_or_kept(animals: Database) -> None:
    animals.execute("INSERT INTO animal (kind, name) VALUES ('cow', 'Elsa')")
    for fetch in (lambda: animals.fetch_all(Animal), lambda: animals.find(Animal, 3)):
        with pytest.raises(DataError, match=r"animal\.kind holds 'cow', which no class .*key 3.*keep_unknown") as found:
            fetch()
        assert (found.value.code, found.value.table, found.value.columns) == ("CORM_E_TYPE", "animal", ("kind",))
    assert animals.count(Animal) == 3

    class Beast(Model, discriminator="kind", table="animal", keep_unknown=True):
        id: Column[int] = key()
        kind: Column[str] = column(init=False)
        name: Column[str]

    class Hound(Beast, discriminator_value="dog"):
        breed: Column[str | None]

    assert [type(item) for item in animals.fetch_all(select(Beast).order_by(Beast.id))] == [Hound, Beast, Beast]
    elsa = animals.find(Beast, 3)
    assert elsa is not None
    assert repr(elsa).endswith("Beast(id=3, kind='cow', name='Elsa')")
    elsa.name = "Elsie"
    animals.update(elsa)
    assert animals.fetch_value("SELECT kind || name FROM animal WHERE id = 3") == "cowElsie"


@pytest.mark.parametrize("keep_unknown", [False, True])
def test_a_class_that_is_defined_later_is_found(db: Database, keep_unknown: bool) -> None:
    class Beast(Model, discriminator="kind", keep_unknown=keep_unknown):
        id: Column[int] = key()
        kind: Column[str] = column(init=False)

    class Hound(Beast, discriminator_value="hound"):
        breed: Column[str | None]

    db.create_tables(Beast)
    db.insert(Hound("Whippet"))
    assert type(db.find(Beast, 1)) is Hound
    before = select(Beast).order_by(Beast.id)
    assert len(db.fetch_all(before)) == 1

    class Cat(Beast, discriminator_value="cat"):
        lives: Column[int]

    db.sync(Beast)
    db.insert(Cat(7))
    found = db.find(Beast, 2)
    assert type(found) is Cat
    assert found.lives == 7
    assert type(db.find(Beast, 1)) is Hound
    assert [type(beast) for beast in db.fetch_all(select(Beast).order_by(Beast.id))] == [Hound, Cat]
    assert [type(beast) for beast in db.fetch_all(before.limit(1))] == [Hound]
    with pytest.raises(ProgrammingError, match=r"made before the class Cat was defined"):
        db.fetch_all(before)


def test_enums_and_integers_tell_and_a_base_may_have_a_value(db: Database) -> None:
    db.sync(Truck)
    db.insert(Truck(2, 7.5))
    db.insert(Car(5))
    assert db.query("SELECT kind, seats, load FROM car ORDER BY 1").fetch_all() == [(1, 5, None), (2, 2, 7.5)]
    assert [type(item) for item in db.fetch_all(Car)] == [Truck, Car]
    assert db.fetch_all(Truck)[0].kind is Kind.TRUCK


def test_classes_may_have_a_column_in_common(db: Database) -> None:
    class Box(Model, discriminator="kind"):
        id: Column[int] = key()
        kind: Column[str] = column(init=False)

    class Crate(Box, discriminator_value="crate"):
        size: Column[int] = column(default=1)

    class Case(Box, discriminator_value="case"):
        locks: Column[int]
        size: Column[int] = column(default=5)

    db.create_tables(Box)
    db.insert_many([Crate(), Case(2), Crate(size=3)])
    boxes: list[Any] = db.fetch_all(select(Box).order_by(Box.id))
    assert [(type(box), box.size) for box in boxes] == [(Crate, 1), (Case, 5), (Crate, 3)]


def test_copy_replace_keeps_what_no_parameter_is_of(db: Database) -> None:
    class Job(Model, discriminator="kind", keep_unknown=True):
        id: Column[int] = key()
        kind: Column[str] = column(init=False)
        name: Column[str]
        state: Column[str | None] = column(default="new", init=False)

    class Print(Job, discriminator_value="print"):
        pages: Column[int]

    db.create_tables(Job)
    db.execute("INSERT INTO job (kind, name, state, pages) VALUES ('raft', 'a', 'done', 3), ('print', 'b', NULL, 4)")
    for job in db.fetch_all(Job):
        job.__replace__(name=job.name * 2).update(db)
    rows = db.query("SELECT kind, name, state, pages FROM job ORDER BY id").fetch_all()
    assert rows == [("raft", "aa", "done", 3), ("print", "bb", None, 4)]


def refused(match: str, make: Any) -> None:
    with pytest.raises(ProgrammingError, match=match):
        make()


def test_what_cannot_work_is_told_when_the_class_is_made() -> None:
    class Base(Model, discriminator="kind"):
        id: Column[int] = key()
        kind: Column[str] = column(init=False)

    class One(Base, discriminator_value="one"):
        size: Column[int]

    def derive(*bases: type, body: dict[str, Any] | None = None, **options: Any) -> Any:
        return lambda: type.__call__(type(Model), "Late", bases, dict(body or {}), **options)

    refused("has no column 'sort'", derive(Model, body={"__annotations__": {"id": Column[int]}}, discriminator="sort"))
    refused("has no value of it.*discriminator_value=", derive(Base))
    refused("Late and One have the discriminator 'one'", derive(Base, discriminator_value="one"))
    refused("itself told by kind", derive(One, discriminator_value="more"))
    refused("has table, which is said of its table.*of Base", derive(Base, discriminator_value="x", table="t"))
    refused("has seed_sql", derive(Base, discriminator_value="x", seed_sql="SELECT 1"))
    refused("has a discriminator, and derives", derive(Base, discriminator="kind"))
    refused("no class that it derives from a discriminator", derive(Model, discriminator_value="x"))
    refused("neither text nor integer", derive(Base, discriminator_value=1.5))
    other = {"__annotations__": {"size": Column[str]}}
    refused("Late.size is another column than that of the same name", derive(Base, body=other, discriminator_value="y"))
    refused("no variant", lambda: Base.suffixed("1"))
    with Database(":memory:") as db:
        db.create_tables(Shelter, Animal)
        db.load([Shelter("s").insert(db)], Shelter.animals)
        refused("defined after .* was first used", derive(Animal, discriminator_value="late"))


def test_pages_of_several_classes(db: Database) -> None:
    db.create_tables(Shelter, Animal)
    db.insert_many([Dog("Rex", "pug"), Cat("Tom"), Dog("Ace", "boxer"), Cat("Kit")])
    for query in (
        select(Animal).order_by("breed", "id"),
        select(Animal).order_by(Animal.name),
        select(Animal).order_by(Animal.name.desc(), "id"),
        select(Dog).order_by(Dog.breed.desc(), Dog.id),
    ):
        seen: list[Animal] = []
        page = db.fetch_all(query.limit(1))
        while page and len(seen) < 5:
            seen += page
            page = db.fetch_all(query.after(page[-1]).limit(1))
        assert seen == db.fetch_all(query)
