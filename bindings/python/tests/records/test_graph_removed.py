"""What a graph removes: what no list of it has, and it does not save, once all is saved."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import cormorant
from cormorant import Column, Database, Model, ToMany, ToOne, column, many_to_many, to_many, to_one


class Owner(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    nodes: ToMany[Node] = to_many("Node")


class Node(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    owner_id: Column[int | None] = column(references=Owner, default=None)
    text: Column[str] = column(default="", default_sql="''")
    owner: ToOne[Owner] = to_one(Owner)
    tags: ToMany[Tag] = many_to_many("Tag", through="Mark")
    marks: ToMany[Mark] = to_many("Mark")


class Brief(Model, table="node"):
    """The same rows."""

    id: Column[int | None] = column(primary_key=True, default=None)
    belongs: Column[int | None] = column(name="owner_id", default=None)


class Tag(Model):
    word: Column[str] = column(primary_key=True)
    nodes: ToMany[Node] = many_to_many("Node", through="Mark")
    briefs: ToMany[Brief] = many_to_many("Brief", through="Mark")


class Mark(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    node_id: Column[int | None] = column(references=Node, default=None)
    tag: Column[str | None] = column(references=Tag, default=None)
    note: Column[str] = column(default="", default_sql="''")


@pytest.fixture
def db(path: Path) -> Any:
    with Database(path) as database:
        database.create_tables(Owner, Node, Tag, Mark)
        database.insert(Owner(1))
        database.insert_many([Node(1, 1), Node(2, 1), Node(3, 1)])
        yield database


def rows(db: Database, sql: str) -> list[tuple[Any, ...]]:
    return db.query(sql).fetch_all()


def test_what_is_saved_by_another_way_stays(db: Database) -> None:
    node = db.find(Node, 1)
    assert node
    owner = db.load(node, Node.owner)[0]
    owner.nodes = [Node(4)]
    db.save_graph(node, delete_removed=True)
    assert rows(db, "SELECT id, owner_id FROM node") == [(1, 1), (4, 1)]
    # As a record of another model of its table, too.
    tag = Tag("a")
    tag.briefs = [Brief(1, 1)]
    owner.nodes = []
    db.save_graph([owner, tag], delete_removed=True)
    assert rows(db, "SELECT id, owner_id FROM node") == [(1, 1)]


def test_rows_of_a_junction_that_are_records_stay(db: Database) -> None:
    node = db.find(Node, 1)
    assert node
    db.insert_many([Tag("a"), Tag("b"), Tag("c")])
    node.marks = [Mark(1, tag="a", note="x"), Mark(2, tag="b", note="y")]
    db.save_graph(node)
    db.load(node, Node.tags)
    node.marks.append(Mark(3, tag="c", note="z"))
    db.save_graph(node, delete_removed=True)
    assert rows(db, "SELECT id, tag, note FROM mark") == [(1, "a", "x"), (2, "b", "y"), (3, "c", "z")]
    # Of what is taken out of one list alone the other one's stays as it is.
    db.load(node, Node.tags)
    node.marks.pop()
    db.save_graph(node, delete_removed=True)
    assert rows(db, "SELECT id, tag, note FROM mark") == [(1, "a", "x"), (2, "b", "y"), (3, "c", "z")]
    node.tags = [tag for tag in node.tags if tag.word != "c"]
    db.save_graph(node, delete_removed=True)
    assert rows(db, "SELECT id, tag, note FROM mark") == [(1, "a", "x"), (2, "b", "y")]


def test_keys_that_differ_in_case_are_two(db: Database) -> None:
    node = db.find(Node, 1)
    assert node
    node.tags = [Tag("a"), Tag("A")]
    db.save_graph(node)
    small, large = node.tags
    small.nodes, large.nodes = [], [node]
    del vars(node)["tags"]
    db.save_graph([small, large], delete_removed=True)
    assert rows(db, "SELECT node_id, tag FROM mark") == [(1, "A")]


def test_a_record_and_what_a_junction_has_of_it_go_at_once(db: Database) -> None:
    owner, tag = db.find(Owner, 1), Tag("a")
    assert owner
    nodes = db.load(owner, Owner.nodes)
    tag.nodes = nodes[:2]
    db.save_graph([owner, tag], delete_removed=True)
    owner.nodes, tag.nodes = nodes[1:], [nodes[1]]
    db.save_graph([owner, tag], delete_removed=True)
    assert rows(db, "SELECT id FROM node") == [(2,), (3,)]
    assert rows(db, "SELECT node_id FROM mark") == [(2,)]


class Blob(Model):
    id: Column[bytes] = column(primary_key=True)
    below: ToMany[OfBlob] = to_many("OfBlob")


class OfBlob(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    above_id: Column[bytes | None] = column(references=Blob, default=None)


class Number(Model):
    id: Column[str] = column(primary_key=True, collate="corm_decimal")
    below: ToMany[OfNumber] = to_many("OfNumber")


class OfNumber(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    above_id: Column[str | None] = column(references=Number, default=None)


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (
            Blob(bytearray(b"k")),  # type: ignore[arg-type]
            (OfBlob(1, b"k"), OfBlob(2, b"k")),
        ),
        (Number("1.1"), (OfNumber(1, "1.10"), OfNumber(2, "1.1"))),
    ],
)
def test_keys_of_any_type(path: Path, above: Any, below: tuple[Any, Any]) -> None:
    with Database(path) as db:
        db.create_tables(type(above), type(below[0]))
        db.insert(above)
        db.insert_many(below)
        above.below = []
        db.save_graph([above, below[0]], delete_removed=True)
        assert rows(db, f"SELECT id FROM {type(below[0]).__model__.table}") == [(1,)]


def test_records_without_a_key_cannot_be_removed(path: Path) -> None:
    class Line(Model):
        owner_id: Column[int | None] = column(references="owner", default=None)

    class Page(Model, table="owner"):
        id: Column[int | None] = column(primary_key=True, default=None)
        lines: ToMany[Line] = to_many(Line)

    with Database(path) as db:
        db.create_tables(Page, Line)
        page = Page(1)
        page.lines = []
        db.save_graph(page)
        with pytest.raises(cormorant.ProgrammingError, match="key"):
            db.save_graph(page, delete_removed=True)


class Forest(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    trees: ToMany[Tree] = to_many("Tree")


class Tree(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    forest_id: Column[int | None] = column(references=Forest, default=None)
    above_id: Column[int | None] = column(references="tree", on_delete="restrict", default=None)
    name: Column[str | None] = column(unique=True, default=None)


@pytest.fixture
def forest(path: Path) -> Any:
    with Database(path) as database:
        database.create_tables(Forest, Tree)
        database.insert_many([Forest(1), Forest(2)])
        yield database


def test_rows_of_one_table_go_before_those_they_refer_to(forest: Database) -> None:
    forest.insert_many(
        [Tree(1, 1), Tree(2, 2, 1), Tree(3, 1, 2), Tree(4, 1, 3), Tree(5, 2, 1), Tree(6, 1), Tree(7, 2, 6)]
    )
    forests = [Forest(1), Forest(2)]
    forests[0].trees, forests[1].trees = [Tree(6, 1)], [Tree(7, 2, 6)]
    forest.save_graph(forests, delete_removed=True)
    assert rows(forest, "SELECT id FROM tree ORDER BY id") == [(6,), (7,)]
    # What stays keeps what it refers to.
    forests[0].trees = []
    with pytest.raises(cormorant.IntegrityError):
        forest.save_graph(forests, delete_removed=True)
    assert rows(forest, "SELECT id FROM tree ORDER BY id") == [(6,), (7,)]


def test_records_whose_keys_are_equal_to_python_alone_are_two(db: Database) -> None:
    class Rate(cormorant.Model):
        value: Column[Decimal] = column(primary_key=True)
        note: Column[str]

    class Plan(cormorant.Model):
        id: Column[int] = cormorant.key()
        rates = many_to_many(lambda: Rate, through=lambda: PlanRate)

    class PlanRate(cormorant.Model):
        plan_id: Column[int] = column(primary_key=True, references=Plan)
        value: Column[Decimal] = column(primary_key=True, references=Rate)

    db.create_tables(Plan, Rate, PlanRate)
    db.insert_many([Rate(Decimal("1.10"), "a"), Rate(Decimal("1.1"), "b")])
    plans = [Plan().insert(db), Plan().insert(db)]
    db.insert_many([PlanRate(plan.id, Decimal(value)) for plan in plans for value in ("1.10", "1.1")])
    assert sorted(rate.note for rate in db.load(plans, Plan.rates)) == ["a", "b"]
    assert [sorted(rate.note for rate in plan.rates) for plan in plans] == [["a", "b"], ["a", "b"]]
    assert set(map(id, plans[0].rates)) == set(map(id, plans[1].rates))
    db.save_graph(plans, delete_removed=True)
    assert db.count(PlanRate) == 4
