"""Relations to one, compared with records: in conditions, as attributes, and in statements that write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from music import Album, Artist

import cormorant
from cormorant import (
    Column,
    Database,
    Model,
    ProgrammingError,
    Reference,
    alias,
    column,
    insert,
    param,
    select,
    to_one,
    update,
)


class Label(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]


class Shelf(Model, primary_key=("room", "number")):
    room: Column[str]
    number: Column[int]


class Disc(Model, references=[Reference(["room", "number"], Shelf)]):
    label = to_one(Label)
    shelf = to_one(Shelf)

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    title: Column[str]
    label_id: Column[int | None] = column(references=Label, default=None)
    room: Column[str | None] = column(default=None)
    number: Column[int | None] = column(default=None)


class Slip(Model):
    disc = to_one(Disc)

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    disc_id: Column[int | None] = column(references=Disc, default=None)


a_1, a_2, b_1 = Shelf("a", 1), Shelf("a", 2), Shelf("b", 1)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(Label, Shelf, Disc, Slip)
        database.insert_many([Label("Opal"), Label("Rose")])
        database.insert_many([a_1, a_2, b_1])
        discs = [Disc("One", 1, "a", 1), Disc("Two", 2, "a", 2), Disc("Three", None, "b", 1), Disc("Four", 1)]
        database.insert_many([*discs, Disc("Five", 2, "a", None)])
        database.insert_many([Slip(1), Slip(2), Slip(3), Slip(None)])
        yield database


def labels(db: Database) -> tuple[Label, Label]:
    opal, rose = db.fetch_all(Label, order_by="id")
    return opal, rose


def titles(db: Database, condition: Any) -> list[str]:
    return db.fetch_values(select(Disc.title).where(condition).order_by(Disc.id))


def test_whether_there_is_one(db: Database) -> None:
    assert titles(db, Disc.label.is_null()) == titles(db, Disc.label == None) == ["Three"]  # noqa: E711
    assert titles(db, Disc.label.is_not_null()) == titles(db, Disc.label != None) == ["One", "Two", "Four", "Five"]  # noqa: E711
    # A key of which a part is NULL leads to none.
    assert titles(db, Disc.shelf.is_null()) == ["Four", "Five"]
    assert titles(db, Disc.shelf.is_not_null()) == ["One", "Two", "Three"]


def test_one_of_several_records(db: Database) -> None:
    opal, rose = labels(db)
    assert titles(db, Disc.label.in_([opal])) == ["One", "Four"]
    assert titles(db, Disc.label.in_([opal, rose])) == ["One", "Two", "Four", "Five"]
    assert titles(db, Disc.label.in_(iter([opal, None]))) == ["One", "Three", "Four"]
    assert titles(db, Disc.label.in_([])) == []
    assert titles(db, Disc.shelf.in_([a_1, b_1])) == ["One", "Three"]
    assert titles(db, Disc.shelf.in_([a_2, None])) == ["Two", "Four", "Five"]
    assert db.count(Disc.where(Disc.label.in_([opal] * 3000))) == 2


def test_what_is_not_equal_leaves_out_null_as_of_columns(db: Database) -> None:
    opal, rose = labels(db)
    assert titles(db, Disc.label != opal) == titles(db, Disc.label_id != opal.id) == ["Two", "Five"]
    assert titles(db, Disc.label.not_in([opal])) == titles(db, Disc.label_id.not_in([1])) == ["Two", "Five"]
    assert titles(db, Disc.label.not_in([opal, rose])) == []
    assert titles(db, Disc.label.not_in([opal, None])) == titles(db, Disc.label_id.not_in([1, None])) == ["Two", "Five"]
    assert titles(db, Disc.label.not_in([])) == titles(db, Disc.label_id.not_in([]))
    assert titles(db, (Disc.label != opal) | Disc.label.is_null()) == ["Two", "Three", "Five"]
    # A shelf of which a part is NULL is none.
    assert titles(db, Disc.shelf != a_1) == ["Two", "Three"]
    assert titles(db, Disc.shelf != b_1) == ["One", "Two"]


def test_along_a_chain_and_under_an_alias(db: Database) -> None:
    opal, rose = labels(db)
    slips = select(Slip.id).order_by(Slip.id)
    assert db.fetch_values(slips.where(Slip.disc.label.in_([rose, None]))) == [2, 3, 4]
    assert db.fetch_values(slips.where(Slip.disc.label.is_null())) == [3, 4]
    assert db.fetch_values(slips.where(Slip.disc.shelf.in_([a_1, b_1]))) == [1, 3]
    other = alias(Disc, "other")
    assert db.fetch_values(select(other.title).where(other.label.in_([opal])).order_by(other.id)) == ["One", "Four"]
    assert db.fetch_values(select(other.title).where(other.label.is_null())) == ["Three"]


def test_records_as_attributes(db: Database) -> None:
    opal, rose = labels(db)
    assert [disc.title for disc in db.fetch_all(Disc, label=opal, order_by="-id")] == ["Four", "One"]
    assert [disc.title for disc in db.fetch_all(Disc, label=opal, order_by="id", limit=1, offset=1)] == ["Four"]
    assert db.fetch_all(Disc, label=opal, limit=0) == []
    assert [disc.title for disc in db.fetch_all(Disc, None, {"label": rose}, title="Two")] == ["Two"]
    assert [disc.title for disc in db.cursor(Disc, label=None)] == ["Three"]
    assert db.one(Disc, shelf=a_2).title == "Two"
    assert db.count(Disc, shelf=None) == 2
    with pytest.raises(cormorant.ProgrammingError, match="bindings without SQL"):
        db.fetch_all(Disc, bindings=(1,), label=opal)
    assert (db.count(Disc, label=opal, number=None), db.page_count(Disc, label=opal, page_size=1)) == (1, 2)
    found = db.fetch_one(Disc, label=rose, order_by=["-title"])
    assert found is not None
    assert found.title == "Two"
    with pytest.raises(cormorant.SeveralRowsError):
        db.one(Disc, label=opal)
    with db.observe_live(Disc, label=rose, order_by="id", limit=1) as observer:
        event = observer.next(5)
        assert event is not None
        assert [disc.title for disc in event.rows] == ["Two"]


def test_statements_that_set_a_relation(db: Database) -> None:
    opal, rose = labels(db)
    assert db.execute(update(Disc).set(label=rose, shelf=b_1).where(Disc.title == "One")) == 1
    one = db.one(Disc, title="One")
    assert (one.label_id, one.room, one.number) == (2, "b", 1)
    db.execute(update(Disc).set(label=None, shelf=None).where(Disc.title == "One"))
    one = db.one(Disc, title="One")
    assert (one.label_id, one.room, one.number) == (None, None, None)
    db.execute(insert(Disc).values(title="Six", label=opal, shelf=a_1))
    db.execute(insert(Disc).values([{"title": "Seven", "label": rose}, {"title": "Eight", "label": None}]))
    made = db.fetch_all(select(Disc.title, Disc.label_id, Disc.number).where(Disc.id > 5).order_by(Disc.id))
    assert made == [("Six", 1, 1), ("Seven", 2, None), ("Eight", None, None)]
    upsert = insert(Disc).values(id=1, title="One").on_conflict("id").do_update(label=opal)
    db.execute(upsert)
    assert db.one(Disc, title="One").label_id == 1


_NEW = Label("new")
# Without its type, which refuses what is tried.
_LABEL: Any = Disc.label


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda db: db.fetch_all(Disc, label=_NEW), r"a record of Label has no id yet.*insert it first"),
        (lambda db: db.fetch_all(Disc.where(Disc.label.in_([_NEW]))), r"a record of Label has no id yet"),
        (lambda db: update(Disc).set(label=_NEW), r"a record of Label has no id yet.*insert it first"),
        (lambda db: db.fetch_all(Disc, label=a_1), r"Disc\.label> is compared with a record of Shelf"),
        (lambda db: db.fetch_all(Disc, label=1), r"Disc\.label> is compared with 1.*columns that hold its key"),
        (lambda db: _LABEL.in_([1]), r"Disc\.label> is compared with 1"),
        (lambda db: _LABEL.in_(_NEW), r"Disc\.label> is asked for one .*Label.*give a list of records"),
        (lambda db: _LABEL.in_(select(Label)), r"Disc\.label> is asked for one .*Select.*its foreign key"),
        (lambda db: _LABEL.not_in(param("labels")), r"is asked for one .*Parameter"),
        (lambda db: update(Disc).set(label=1), r"Disc\.label> is between other records: it was given one of int"),
        (lambda db: insert(Disc).values([{"label": a_1}]), r"it was given one of Shelf where it has Label"),
        (lambda db: db.execute(update(Disc).set(label=None, label_id=1)), r"Disc\.label_id is set twice"),
        (lambda db: db.fetch_all(Disc, label=None, titel="x"), r"Disc has no property \"titel\".*did you mean title"),
        (lambda db: db.fetch_all(Artist, albums=[]), r"Artist\.albums> leads to many.*albums\.contains\(record\)"),
        (lambda db: update(Artist).set(albums=[]), r"Artist\.albums> leads to many records"),
        (
            lambda db: _LABEL.like("x"),
            r"Disc\.label> has columns and to-one relations of Label|no attribute 'like'",
        ),
    ],
)
def test_what_is_not_compared(db: Database, call: Any, message: str) -> None:
    with pytest.raises((ProgrammingError, AttributeError), match=message):
        call(db)


def test_a_relation_that_is_the_primary_key_is_never_none() -> None:
    class Sleeve(Model):
        disc = to_one(Disc)
        disc_id: Column[int] = column(primary_key=True, references=Disc)

    with pytest.raises(ProgrammingError, match="cannot be None, for disc_id is the primary key"):
        update(Sleeve).set(disc=None)


def test_columns_come_before_questions(db: Database) -> None:
    class Ledger(Model):
        id: Column[int] = column(primary_key=True)
        in_: Column[int]

    class Line(Model):
        ledger = to_one(Ledger)
        id: Column[int] = column(primary_key=True)
        ledger_id: Column[int] = column(references=Ledger)

    db.create_tables(Ledger, Line)
    db.insert_many([Ledger(1, 7), Ledger(2, 8)])
    db.insert_many([Line(1, 1), Line(2, 2)])
    path: Any = Line.ledger
    assert db.fetch_values(select(Line.id).where(path.in_ == 8)) == [2]
    assert db.fetch_values(select(Line.id).where(Line.ledger.not_in([Ledger(1, 7)]))) == [2]


def test_a_scope_hides_what_a_relation_leads_to(db: Database) -> None:
    class Page(Model, scope="gone IS NULL"):
        id: Column[int] = column(primary_key=True)
        gone: Column[int | None] = column(default=None)

    class Note(Model):
        page = to_one(Page)
        id: Column[int] = column(primary_key=True)
        page_id: Column[int | None] = column(references=Page, default=None)

    db.create_tables(Page, Note)
    here, gone = Page(1), Page(2, 1)
    db.insert_many([here, gone])
    db.insert_many([Note(1, 1), Note(2, 2), Note(3)])
    notes = select(Note.id).order_by(Note.id)
    assert db.fetch_values(notes.where(Note.page.in_([here, gone]))) == [1]
    assert db.fetch_values(notes.where(Note.page.is_null())) == [2, 3]
    assert [note.id for note in db.fetch_all(Note, page=gone)] == []
    assert db.count(Note, page=None) == 2
    assert db.execute(update(Note).set(page=gone).where(Note.page == here)) == 1


def test_variants_of_models(db: Database) -> None:
    opal, _ = labels(db)
    old = Disc.suffixed("_old")
    db.create_tables(old)
    db.insert_many([old("Was", 1), old("Is", None)])
    assert [disc.title for disc in db.fetch_all(old, label=opal)] == ["Was"]
    assert db.fetch_values(select(old.title).where(old.label.is_null())) == ["Is"]
    assert db.execute(update(old).set(label=opal)) == 2
    assert [disc.title for disc in db.fetch_all(Disc.unscoped(), label=opal, order_by="id")] == ["One", "Four"]


def test_a_derived_model_has_the_relation(db: Database) -> None:
    class Single(Disc):
        pass

    opal, _ = labels(db)
    db.create_tables(Single)
    db.insert(Single("Song", 1))
    assert [disc.title for disc in db.fetch_all(Single, label=opal)] == ["Song"]
    assert titles(db, Disc.label == opal) == ["One", "Four"]
    assert Album.artist.in_([Artist("x", id=3)]).sql == ('"artist_id" = ?', (3,))
