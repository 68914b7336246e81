"""What a class says is there: columns of bases that are no models, __post_init__; and what would vanish is an error."""

from __future__ import annotations

import copy
import pickle
from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar, Final, Generic, TypeVar

import pytest
from models import Person
from music import Album, Artist

from cormorant import (
    Column,
    Database,
    Model,
    NotLoadedError,
    ProgrammingError,
    column,
    ignored,
    insert,
    key,
    read_json,
    to_many,
    to_one,
    update,
)
from cormorant import (
    Column as Col,
)

T = TypeVar("T")


class Soft:
    deleted: Column[bool] = column(default=False, kw_only=True)
    note: str = ignored(default="", kw_only=True)
    plain: int = 0
    limit: ClassVar[int] = 3

    def remove(self) -> None:
        self.deleted = True


class Numbered:
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)


class Doc(Soft, Numbered, Model):
    text: Column[str]


class Named(Soft, Model):
    name: Column[str] = column(name="called")
    deleted: Column[bool] = column(default=True, kw_only=True)


class Child(Doc):
    more: Column[int] = column(default=0)


class Boxed(Model, Generic[T]):
    size: Column[int]


class Box(Boxed[int], Numbered):
    pass


class Owned:
    owner_id: Column[int | None] = column(references=Doc, default=None, kw_only=True)
    owner = to_one(lambda: Doc)


class Item(Owned, Numbered, Model):
    name: Column[str]


class Shelf(Numbered, Model):
    items = to_many(lambda: Shelved)


class Shelved(Owned, Numbered, Model):
    shelf_id: Column[int] = column(references=Shelf)


def test_a_mixins_columns_are_the_models(db: Database) -> None:
    db.create_tables(Doc, Named, Child, Box, Item, Shelf, Shelved)
    doc = Doc("x").insert(db)
    assert (doc.id, doc.deleted, doc.note) == (1, False, "")
    doc.remove()
    doc.update(db)
    assert [each.text for each in db.fetch_all(Doc.where(Doc.deleted))] == ["x"]
    assert [item.name for item in Doc.__model__.columns] == ["id", "deleted", "text"]
    assert [item.name for item in Child.__model__.columns] == ["id", "deleted", "text", "more"]
    assert Named("n").insert(db).deleted
    assert Named.deleted.column_name == "deleted"
    assert Box(3).insert(db).id == 1
    # Models made of one mixin have columns of their own.
    assert Doc.deleted is not Child.deleted
    assert (Doc.deleted == False).sql == ('"deleted" = ?', (False,))  # noqa: E712
    item = Item("i")
    item.owner_id = doc.id
    item.insert(db)
    assert db.load([item], Item.owner) == [doc]
    assert db.fetch_all(Item.where(Item.owner.text == "x")) == [item]
    shelved = Shelved(Shelf().insert(db).id or 0)
    shelved.owner_id = doc.id
    db.load([shelved.insert(db)], Shelved.owner)
    assert shelved.owner == doc
    assert copy.deepcopy(doc) == pickle.loads(pickle.dumps(doc)) == doc


class Left(Owned, Numbered):
    note: str = ignored(default="left", kw_only=True)
    size: Column[int] = column(default=1, kw_only=True)


class Right(Owned, Numbered):
    size: Column[int] = column(default=2, kw_only=True, index=True)


class Diamond(Left, Right, Model):
    name: Column[str]
    owner_id: Column[int | None] = column(references=Doc, on_delete="cascade", default=None, kw_only=True)


class Base(Owned, Numbered, Model):
    """A base that no table is made of."""

    name: Column[str]


class First(Base):
    pass


class Second(Base):
    name: Column[str] = column(unique=True)


class Renamed:
    size: Col[int]
    weight: Col[float] = column(default=1.0)


class Crate(Renamed, Model):
    id: Column[int] = key()


METACLASS: Any = type(Model)


class Inside:
    size: Annotated[Column[int], "in metres"]


class Constant:
    size: Final[Column[int]]  # type: ignore[misc]


class Maybe:
    size: Column[int] | None


class Bare:
    size: Column  # type: ignore[type-arg]


class Listed:
    columns: ClassVar[list[Column[int]]] = []
    known: list[Column[int]]
    by_name: Unknown[Column[int]]  # type: ignore[name-defined] # noqa: F821


def test_a_mixins_column_has_the_name_that_an_import_gave_it() -> None:
    assert [item.name for item in Crate.__model__.columns] == ["size", "weight", "id"]


@pytest.mark.parametrize("mixin", [Inside, Constant, Maybe, Bare])
def test_a_mixins_column_in_something_else_is_refused(mixin: type) -> None:
    with pytest.raises(ProgrammingError, match=rf"{mixin.__name__}.size is neither a column nor ignored"):
        METACLASS("Wrong", (mixin, Model), {"__annotations__": {"id": Column[int]}, "id": key()})


def test_what_a_mixin_says_of_columns_elsewhere_is_its_own_business() -> None:
    made = METACLASS("Right", (Listed, Model), {"__annotations__": {"id": Column[int]}, "id": key()})
    assert [item.name for item in made.__model__.columns] == ["id"]


class Shown(ABC):
    @abstractmethod
    def shown(self) -> str: ...


class Draft(Shown, Numbered, Model):
    text: Column[str]


class Printed(Draft):
    def shown(self) -> str:
        return self.text.upper()


def test_abstract_methods_are_those_of_any_class(db: Database) -> None:
    with pytest.raises(TypeError, match="abstract"):
        Draft("x")  # type: ignore[abstract]
    db.create_tables(Printed)
    db.insert(Printed("x"))
    printed = db.one(Printed)
    assert isinstance(printed, Shown)
    assert printed.shown() == "X"


def test_a_mixin_that_comes_twice_counts_once_and_the_nearest_column_is_the_one(db: Database) -> None:
    db.create_tables(Doc, Diamond)
    assert [item.name for item in Diamond.__model__.columns] == ["id", "owner_id", "size", "name"]
    assert Diamond.__model__.create_sql.count("REFERENCES") == 1
    assert "ON DELETE CASCADE" in Diamond.__model__.create_sql
    assert "INDEX" not in Diamond.__model__.create_sql
    made = Diamond("d", owner_id=Doc("x").insert(db).id).insert(db)
    assert (made.id, made.size, made.note) == (1, 1, "left")
    db.load([made], Diamond.owner)
    assert made.owner is not None
    assert made.owner.text == "x"
    assert db.fetch_all(Diamond.where(Diamond.owner.text == "x")) == [made]


def test_an_abstract_base_gives_columns_and_relations_to_each_model(db: Database) -> None:
    db.create_tables(Doc, First, Second)
    doc = Doc("x").insert(db)
    for model in (First, Second):
        record = model(name="n")
        record.owner_id = doc.id
        record.insert(db)
        assert db.load([record], model.owner) == [doc]
    assert db.fetch_values("SELECT name FROM sqlite_schema WHERE name IN ('base', 'first', 'second') ORDER BY 1") == [
        "first",
        "second",
    ]
    assert "UNIQUE" in Second.__model__.create_sql
    assert "UNIQUE" not in First.__model__.create_sql


def test_a_mixins_column_is_of_no_model() -> None:
    """Mended: 'Column' object has no attribute '_column'"""
    with pytest.raises(ProgrammingError, match="the column is of no model yet"):
        Soft.deleted == True  # noqa: B015, E712


def test_a_column_without_annotation_is_refused() -> None:
    with pytest.raises(ProgrammingError, match=r"^Bare\.id has no annotation.*id: Column\[str\] = column"):

        class Bare(Model):
            id = column(primary_key=True, default=None)
            text: Column[str]

    with pytest.raises(ProgrammingError, match=r"Mixin\.flag has no annotation"):

        class Mixin:
            flag = column(default=False)

        class Mixed(Mixin, Model):
            text: Column[str]

    with pytest.raises(ProgrammingError, match=r"Noted\.note has no annotation"):

        class Noted(Model):
            text: Column[str]
            note = ignored(default="")


def test_a_column_has_a_repr_before_it_is_of_a_model() -> None:
    assert repr(column()) == "column()"
    assert repr(column(primary_key=True, default=None)) == "column(default=None, primary_key=True)"
    assert repr(Doc.text) == "<Column text: text>"


def test_a_property_that_is_set_twice_is_refused(db: Database) -> None:
    """Mended: the table had 'a' only"""
    db.create_tables(Doc)
    twice = "Doc.text is set twice .*insert of several rows gives them as rows of values"
    with pytest.raises(ProgrammingError, match=twice):
        db.execute(insert(Doc).values(text="a").values(text="b"))
    with pytest.raises(ProgrammingError, match=twice):
        db.execute(update(Doc).set(text="a").set(text="b"))
    with pytest.raises(ProgrammingError, match=twice):
        db.execute(insert(Doc).values(text="a").on_conflict("id").do_update(text="b")._with((12, "text", (3, "c", 0))))
    assert db.count(Doc) == 0
    assert db.execute(insert(Doc).values(text="a").values(deleted=True)) == 1


def test_an_unloaded_relation_is_never_an_empty_list(db: Database) -> None:
    """Mended: pydantic's from_attributes took its default, for the error was an AttributeError"""
    db.create_tables(Artist, Album)
    artist = Artist("Ann").insert(db)
    for ask in (
        lambda: artist.albums,
        lambda: getattr(artist, "albums", []),
        lambda: hasattr(artist, "albums"),
    ):
        with pytest.raises(NotLoadedError, match=r"Artist\.albums is not loaded"):
            ask()


class Checked(Model):
    low: Column[int]
    high: Column[int] = column(default=10)
    id: Column[int | None] = column(primary_key=True, default=None)

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


def test_post_init_runs_when_a_record_is_made_not_when_it_is_read(db: Database) -> None:
    """Mended: it was never called"""
    db.create_tables(Checked)
    with pytest.raises(ValueError, match="low is above high"):
        Checked(11)
    Checked(1).insert(db)
    db.execute("UPDATE checked SET low = 99")
    assert db.fetch_all(Checked)[0].low == 99
    assert next(read_json(Checked, '[{"low": 50, "high": 1}]')).low == 50


@pytest.mark.parametrize(
    "member", [property(lambda self: "Ann"), lambda self: "Ann", "Ann", None, classmethod(lambda cls: "Ann"), list]
)
def test_what_would_hide_an_inherited_column_is_refused(member: Any) -> None:
    before: Any = type("Before", (), {"name": member})
    for bases, body in (((Person,), {"name": member}), ((before, Person), {})):
        with pytest.raises(ProgrammingError, match=r"\.name would hide the column name that Late inherits"):
            type("Late", bases, dict(body))
    # Behind the column's model it is hidden itself.
    late: Any = type("Late", (Person, before), {})
    assert late(name="Bob").name == "Bob"
