"""Models: how classes are made, what their objects are like, and which descriptions are refused."""

from __future__ import annotations

import gc
import inspect
import re
import weakref
from typing import Annotated, Any, ClassVar

import pytest
from models import Entry, Person, Setting, make

from cormorant import (
    Column,
    Database,
    Key,
    Model,
    NotLoadedError,
    ProgrammingError,
    Reference,
    ToMany,
    ToOne,
    column,
    ignored,
    key,
    select,
    to_many,
    to_one,
)


def test_objects_are_like_dataclasses() -> None:
    ann = Person("Ann", 35, department=2, id=7)
    assert (ann.id, ann.name, ann.age, ann.born, ann.department) == (7, "Ann", 35, None, 2)
    assert repr(ann) == "Person(id=7, name='Ann', age=35, born=None, department=2)"
    assert ann == Person(name="Ann", age=35, department=2, id=7)
    assert ann != Person("Ann", 36)
    assert ann != "Ann"
    assert str(inspect.signature(Person)) == "(name, age=0, born=None, department=None, *, id=None)"
    with pytest.raises(TypeError, match="name"):
        Person()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="years"):
        Person("Ann", years=35)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unhashable"):
        hash(ann)


def test_a_column_on_the_class_and_a_value_on_the_object() -> None:
    assert isinstance(Person.age, Column)
    assert (Person.age.name, Person.age.column_name, Person.age.type_name, Person.age.nullable) == (
        "age", "age", "int64", False,
    )  # fmt: skip
    assert repr(Person.age) == "<Column age: int64>"
    assert vars(Person("Ann")) == {"id": None, "name": "Ann", "age": 0, "born": None, "department": None}
    empty = Person.__new__(Person)
    with pytest.raises(AttributeError, match="age"):
        _ = empty.age


def test_each_class_has_its_own_of_a_name() -> None:
    class Shelf(Model):
        label: Column[str]
        id: Column[int] = key()

    class Box(Model):
        label: Column[int]
        depth: Any = ignored(default=0)
        id: Column[int] = key()

        @classmethod
        def mark(cls) -> str:
            return "of the class"

    class Crate(Model):
        depth: Column[int]
        mark: Column[int]
        id: Column[int] = key()

    # The class alone has columns by their names, and what it has of a name itself comes first.
    assert (Shelf.label.type_name, Box.label.type_name, Crate.depth.name, Crate.mark.name) == (
        "text",
        "int64",
        "depth",
        "mark",
    )
    assert Box.mark() == "of the class"
    for model, name in ((Crate, "label"), (Box, "depth"), (Shelf, "mark"), (Model, "label"), (Shelf, "lable")):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=f"type object '{model.__name__}' has no attribute '{name}'"):
            getattr(model, name)
    assert "label" in dir(Shelf)
    assert not hasattr(Shelf("a"), "mark")

    class Wide(Shelf):
        width: Column[int]

    assert (Wide.label.name, Wide.width.name) == ("label", "width")
    assert Wide.label is not Shelf.label
    assert not hasattr(Shelf, "width")
    # What a program puts there afterwards.
    Crate.label = "own"  # type: ignore[attr-defined]
    assert Crate.label == "own"  # type: ignore[attr-defined]


def test_what_is_known_of_a_model() -> None:
    info = Person.__model__
    assert (info.name, info.table, info.key, info.generates_key) == ("Person", "people", ("id",), True)
    assert [item.name for item in info.columns] == ["id", "name", "age", "born", "department"]
    assert "CREATE TABLE" in info.create_sql
    assert Setting.__model__.key == ("section", "name")
    assert not Setting.__model__.generates_key
    assert (Entry.__model__.key, Entry.__model__.generates_key) == ((), True)
    assert repr(info) == "<model Person of table people>"


def test_names_are_made_in_snake_case_unless_given() -> None:
    class BlogPost(Model):
        createdAt: Column[int]
        other: Column[int] = column(name="Other Name")

    assert BlogPost.__model__.table == "blog_post"
    assert [item.column_name for item in BlogPost.__model__.columns] == ["created_at", "Other Name"]


def test_class_keywords_reach_the_table() -> None:
    class Kept(
        Model,
        table="kept things",
        unique=["a", ("a", "b"), Key(["c"], name="only_c", where="c > 0")],
        indexes=["b", ("a", "-c"), Key(["b"], name="some_b", where="b = 1")],
        checks=["a < b"],
        references=[Reference(["b", "c"], "settings", ["section", "name"], on_delete="set_null", on_update="restrict")],
        column_order=["c"],
        strict=True,
    ):
        a: Column[int] = column(primary_key=True, auto_increment=True)
        b: Column[int | None] = column(check="b <> 5", collate="NOCASE", default_sql="3")
        c: Column[int | None] = column(unique=True, index=True, references="departments.id")
        d: Column[str] = column(length=9)

    sql = Kept.__model__.create_sql
    for part in (
        '"kept things"', "AUTOINCREMENT", "a < b", "b <> 5", "NOCASE", "STRICT", "only_c", "c > 0", "some_b", "b = 1",
        "DESC", "SET NULL", "RESTRICT", '"departments"', '"settings"',
    ):  # fmt: skip
        assert part in sql, part
    assert sql.index('"c"') < sql.index('"a"')


def test_a_model_made_at_run_time(db: Database) -> None:
    cls: Any = make(
        {"id": Column[int | None], "name": Column[str]}, {"id": column(primary_key=True, default=None, kw_only=True)}
    )
    db.create_tables(cls)
    record = cls("x").insert(db)
    assert db.find(cls, record.id) == record


def test_fields_are_inherited() -> None:
    class Animal(Model):
        name: Column[str]
        legs: Column[int] = column(default=4)

    class Bird(Animal):
        legs: Column[int] = column(default=2)
        wings: Column[int] = column(default=2)

    assert Bird("Kea") == Bird("Kea", 2, 2)
    assert [item.name for item in Bird.__model__.columns] == ["name", "legs", "wings"]
    assert (Animal.__model__.table, Bird.__model__.table) == ("animal", "bird")
    assert Bird.name is not Animal.name


def test_fields_that_are_not_columns(db: Database) -> None:
    class Page(Model):
        kind: ClassVar[str] = "page"
        title: Column[str]
        visits: int = ignored(default=3)
        cache: list[str] = ignored(default_factory=list, init=False)

    assert [item.name for item in Page.__model__.columns] == ["title"]
    page = Page("a", visits=5)
    assert (page.visits, page.cache, Page.kind) == (5, [], "page")
    assert page == Page("a")
    db.create_tables(Page)
    page.insert(db)
    found = db.fetch_all(Page)[0]
    assert (found.title, found.visits, found.cache) == ("a", 3, [])
    assert found.cache is not page.cache


def test_methods_of_the_class_are_kept() -> None:
    class Own(Model):
        name: Column[str]

        def __init__(self, first: str, last: str) -> None:
            self.name = f"{first} {last}"

        def __repr__(self) -> str:
            return self.name

    assert repr(Own("Ann", "Lee")) == "Ann Lee"


def test_a_default_factory_is_called_for_each() -> None:
    class Tagged(Model):
        tags: Column[list[str]] = column(default_factory=list)

    first, second = Tagged(), Tagged(["x"])
    assert (first.tags, second.tags) == ([], ["x"])
    assert Tagged().tags is not first.tags


@pytest.mark.parametrize(
    ("columns", "values", "keywords", "message"),
    [
        ({}, {}, {}, "column"),
        ({"a": Column[int], "b": Column[int]}, {"b": column(name="a")}, {}, "a"),
        ({"a": Column[int]}, {}, {"without_rowid": True}, "key"),
        ({"a": Column[int]}, {}, {"unique": [("a", "z")]}, "z"),
        ({"a": Column[int]}, {}, {"indexes": ["z"]}, "z"),
        ({"a": Column[int]}, {}, {"primary_key": ["z"]}, "z"),
        ({"a": Column[int]}, {}, {"column_order": ["z"]}, "z"),
        ({"a": Column[str]}, {"a": column(primary_key=True, auto_increment=True)}, {}, "a"),
        ({"a": Column[int]}, {}, {"references": [Reference(["a"], "b", ["c", "d"])]}, "columns"),
        ({"a": Column[int]}, {"a": column(on_delete="explode")}, {}, "explode"),  # type: ignore[arg-type]
        ({"a": Column[int]}, {"a": column(type="varchar2")}, {}, "varchar2"),  # type: ignore[arg-type]
        ({"a": Column[object]}, {}, {}, "transform"),
        ({"a": Column[int | str]}, {}, {}, "transform"),
        ({"a": "Column[Unknown]"}, {}, {}, "cannot be read"),
        ({"a": int}, {}, {}, "ignored"),
        ({"a": Column[int]}, {"a": 5}, {}, "default=5"),
        ({"a": Column[int], "b": Column[int]}, {"a": column(default=1)}, {}, "kw_only"),
        ({"a": Column[list[int]]}, {"a": column(default=[])}, {}, "default_factory"),
        ({"a b": Column[int]}, {}, {}, "name="),
        ({"class": Column[int]}, {}, {}, "name="),
    ],
)
def test_a_model_that_cannot_work_is_refused(columns: Any, values: Any, keywords: Any, message: str) -> None:
    with pytest.raises(ProgrammingError) as caught:
        make(columns, values, **keywords)
    assert caught.value.code == "CORM_E_MODEL"
    assert message in str(caught.value)


def test_a_model_goes_with_its_class(db: Database) -> None:
    cls: Any = make({"id": Column[int]})
    db.create_tables(cls)
    db.insert_many([cls(5)])
    cursor = db.cursor(cls)
    gone = weakref.ref(cls.__model__)
    del cls
    gc.collect()
    assert [record.id for record in cursor] == [5]
    del cursor
    gc.collect()
    assert gone() is None


def test_patterns_match_by_place() -> None:
    match Person("Ann", 35, id=7):
        case Person(name, age, id=number):
            assert (name, age, number) == ("Ann", 35, 7)
        case _:
            raise AssertionError
    assert Person.__match_args__ == ("name", "age", "born", "department")
    assert Boat.__match_args__ == ("name",)


def test_a_relation_without_a_model_is_refused() -> None:
    with pytest.raises(ProgrammingError, match=r"Made\.boat leads to no model \(say to which: boat: \.\.\. = to_one"):
        make({"id": Column[int], "boat": ToOne[Boat]})
    with pytest.raises(ProgrammingError, match="to_many"):
        make({"id": Column[int], "boats": ToMany[Boat]})


def test_annotated_relations_are_keywords() -> None:
    cls: Any = make(
        {"id": Column[int], "boat_id": Column[int | None], "boat": ToOne[Boat], "boats": "ClassVar[ToMany[Boat]]"},
        {"boat": to_one(Boat, columns=["boat_id"]), "boats": to_many(Boat), "plain": to_one(Boat, columns=["boat_id"])},
    )
    assert str(inspect.signature(cls)).startswith("(id, boat_id, *, boat=")
    boat = Boat("Ann")
    assert cls(1, 2, boat=boat).boat is boat
    # It says what the foreign key is.
    assert cls(1, 2, boat=boat).boat_id is None
    boat.id = 7
    assert [cls(1, given, boat=boat).boat_id for given in (None, 2)] == [7, 7]
    assert (cls(1, 2, boat=None).boat, cls(1, 2, boat=None).boat_id) == (None, 2)
    with pytest.raises(NotLoadedError):
        cls(1, 2).boat  # noqa: B018
    assert cls(1, 2, boat=boat).__replace__(boat=None).boat is None


def test_copy_replace_makes_another_record() -> None:
    ann = Person("Ann", 35, id=7)
    assert ann.__replace__(name="Bob") == Person("Bob", 35, id=7)
    assert ann == Person("Ann", 35, id=7)
    with pytest.raises(TypeError, match="nmae"):
        ann.__replace__(nmae="Bob")


class Line(Model):
    id: Column[int] = key()
    price: Column[int]
    count: Column[int]
    total: Column[int] = column(default=0, init=False)
    state: Column[str] = column(default="new", init=False)

    def __post_init__(self) -> None:
        self.total = self.price * self.count


class Sum(Model):
    id: Column[int] = key()
    price: Column[int]
    count: Column[int]
    total: Column[int] = column(default=0, init=False)
    state: Column[str] = column(default_factory=lambda: "new", init=False)

    def __init__(self, price: int, count: int) -> None:
        super().__init__(price, count)
        self.total = self.price * self.count


class PlainSum(Model):
    id: Column[int] = key()
    price: Column[int]
    count: Column[int]
    total: Column[int] = column(init=False)
    state: Column[str | None] = column(init=False)

    def __init__(self, price: int, count: int) -> None:
        self.price, self.count, self.total = price, count, price * count
        self.id = self.state = None  # type: ignore[assignment]


@pytest.mark.parametrize("model", [Line, Sum, PlainSum])
def test_copy_replace_computes_anew_and_keeps_the_rest(model: Any) -> None:
    line = model(2, 3)
    line.id, line.state = 7, "sent"
    for count in (5, 0):
        made = line.__replace__(count=count)
        assert (made.id, made.total, made.state) == (7, 2 * count, "sent")
        assert "__post_init__" not in vars(made)
    assert (model(2, 3).state or "new", model(2, 3).total, line.total) == ("new", 6, 6)


class Captain(Model):
    id: Column[int] = key()
    name: Column[str]


class Voyage(Model):
    id: Column[int] = key()
    captain_id: Column[int | None] = column(default=None, references=Captain, init=False)
    mate_id: Column[int | None] = column(references=Captain)
    port: Column[str] = column(default="Kiel")
    captain: ToOne[Captain] = to_one(Captain, columns=["captain_id"])
    mate: ToOne[Captain] = to_one(Captain, columns=["mate_id"])


def test_copy_replace_with_a_relation_has_its_key(db: Database) -> None:
    db.create_tables(Captain, Voyage)
    ann, bob = Captain("Ann").insert(db), Captain("Bob").insert(db)
    voyage = Voyage(None, captain=ann, mate=ann).insert(db)
    assert (voyage.captain_id, voyage.mate_id) == (ann.id, ann.id)
    again = voyage.__replace__(port="Oslo").update(db)
    assert (again.captain_id, again.mate_id) == (ann.id, ann.id)
    for others in (bob, ann):
        other = voyage.__replace__(captain=others, mate=others)
        assert (other.captain_id, other.mate_id) == (others.id, others.id)
        other.update(db)
        found = db.find(Voyage, voyage.id)
        assert found is not None
        assert (found.captain_id, found.mate_id) == (others.id, others.id)
    none = voyage.__replace__(captain=None, mate=None).update(db)
    assert (none.captain_id, none.mate_id) == (None, None)
    new = Captain("Cid")
    later = voyage.__replace__(captain=new, mate=new)
    new.insert(db)
    later.update(db)
    assert (later.captain_id, later.mate_id) == (new.id, new.id)


def test_annotated_types() -> None:
    cls: Any = make({"a": Column[Annotated[int | None, "x"]], "b": Column[Annotated[str, "x"] | None]})
    assert [(item.type_name, item.nullable) for item in cls.__model__.columns] == [("int64", True), ("text", True)]


class Boat(Model):
    id: Column[int] = key()
    name: Column[str]


def test_a_key_in_one_word(db: Database) -> None:
    db.create_tables(Boat)
    optional = make(
        {"id": Column[int | None], "name": Column[str]}, {"id": column(primary_key=True, default=None, kw_only=True)},
        table="boat",
    )  # fmt: skip
    assert Boat.__model__.create_sql == optional.__model__.create_sql
    boat = Boat("Ann")
    assert boat.id is None
    boat.insert(db)
    assert (boat.id, db.find(Boat, boat.id)) == (1, boat)
    other = Boat("Bea")
    with pytest.raises(ValueError, match="no"), db.transaction():
        db.save(other)
        assert other.id == 2
        raise ValueError("no")
    assert other.id is None
    db.insert_many([other, Boat("Cid")])
    assert db.fetch_values(select(Boat.id)) == [1, 2, 3]
    again = boat.__replace__(name="Dan").update(db)
    assert db.find(Boat, 1) == again == Boat.__replace__(again)
    with pytest.raises(TypeError, match="id"):
        Boat("Eve", id=7)


def test_a_key_that_the_file_cannot_make_is_refused() -> None:
    for columns in ({"a": Column[str]}, {"a": Column[int], "b": Column[int]}):
        with pytest.raises(ProgrammingError, match="is no key that the file makes"):
            make(columns, {name: key() for name in columns})
    with pytest.raises(ProgrammingError, match="is no key that the file makes"):
        make({"a": Column[int]}, {"a": key()}, without_rowid=True)


@pytest.mark.parametrize(
    ("value", "hint"), [([], "default_factory=list"), ({"a": 1}, "default_factory=lambda: {'a': 1}"), (3, "default=3")]
)
def test_a_default_without_column_is_told_what_to_write(value: object, hint: str) -> None:
    with pytest.raises(ProgrammingError, match=re.escape(f"write = column({hint})")):
        type("M", (Model,), {"__annotations__": {"a": Column[Any]}, "a": value, "__module__": __name__})
