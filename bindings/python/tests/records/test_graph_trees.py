"""What a graph removes of a table that refers to itself."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import cormorant
from cormorant import Column, Database, Model, ToMany, column, to_many


class Forest(Model):
    id: Column[int] = column(primary_key=True)
    trees: ToMany[Tree] = to_many("Tree")
    plain: ToMany[PlainTree] = to_many("PlainTree")
    strict: ToMany[StrictTree] = to_many("StrictTree")
    words: ToMany[Word] = to_many("Word")
    strict_words: ToMany[StrictWord] = to_many("StrictWord")
    sums: ToMany[Sum] = to_many("Sum")


class Tree(Model):
    id: Column[int] = column(primary_key=True)
    forest_id: Column[int | None] = column(references=Forest, default=None)
    above_id: Column[int | None] = column(references="tree", default=None)


class StrictTree(Model):
    id: Column[int] = column(primary_key=True)
    forest_id: Column[int | None] = column(references=Forest, default=None)
    above_id: Column[int | None] = column(references="strict_tree", on_delete="restrict", default=None)
    other_id: Column[int | None] = column(references="strict_tree", default=None)


class PlainTree(Model, table="strict_tree"):
    """The same rows, without what refers to others."""

    id: Column[int] = column(primary_key=True)
    forest_id: Column[int | None] = column(references=Forest, default=None)


class Word(Model):
    id: Column[str] = column(primary_key=True, collate="nocase")
    forest_id: Column[int | None] = column(references=Forest, default=None)
    above_id: Column[str | None] = column(references="word", default=None)


class StrictWord(Model):
    id: Column[str] = column(primary_key=True, collate="nocase")
    forest_id: Column[int | None] = column(references=Forest, default=None)
    above_id: Column[str | None] = column(references="strict_word", on_delete="restrict", default=None)


class Sum(Model):
    id: Column[str] = column(primary_key=True, collate="corm_decimal")
    forest_id: Column[int | None] = column(references=Forest, default=None)
    above_id: Column[str | None] = column(references="sum", on_delete="restrict", default=None)


@pytest.fixture
def db(path: Path) -> Any:
    with Database(path) as database:
        database.create_tables(Forest, Tree, StrictTree, Word, StrictWord, Sum)
        database.insert_many([Forest(1), Forest(2)])
        yield database


def remove(db: Database, *names: str) -> None:
    """Removes all of these lists: the first is of the first forest, the next of the second."""
    forests = [Forest(number) for number in range(1, len(names) + 1)]
    for forest, name in zip(forests, names, strict=True):
        setattr(forest, name, [])
    db.save_graph(forests, delete_removed=True)


@pytest.mark.parametrize(("model", "limit"), [(Tree, 3), (StrictTree, 10)])
def test_a_chain_of_rows_goes_in_time(db: Database, model: Any, limit: float) -> None:
    db.insert_many([model(number, 1, number - 1 or None) for number in range(1, 1001)])
    start = time.monotonic()
    remove(db, "trees" if model is Tree else "strict")
    assert time.monotonic() - start < limit
    assert db.count(model) == 0


@pytest.mark.parametrize(("model", "name"), [(Tree, "trees"), (StrictTree, "strict")])
def test_rows_that_stay_end_the_rounds(db: Database, model: Any, name: str) -> None:
    table = {"trees": "tree", "strict": "strict_tree"}[name]
    db.execute(
        f"CREATE TRIGGER keep AFTER DELETE ON {table} WHEN old.id = 7 "
        f"BEGIN INSERT INTO {table}(id, forest_id) VALUES (old.id, old.forest_id); END"
    )
    db.insert_many([model(7, 1), model(8, 1), model(9, 1, 8), model(10, 2, 9)])
    remove(db, name, name)
    assert [tree.id for tree in db.fetch_all(model)] == [7]


def test_what_refers_to_itself_goes(db: Database) -> None:
    db.insert_many([StrictTree(1, 1), StrictTree(2, 2, 1, 2), StrictTree(3, 1, None, 3)])
    remove(db, "strict", "strict")
    assert db.count(StrictTree) == 0


def test_rows_of_two_lists_that_refer_to_each_other_go(db: Database) -> None:
    db.insert_many([Tree(1, 1), Tree(2, 2, 1), Tree(3, 1, 2)])
    db.execute("UPDATE tree SET above_id = 3 WHERE id = 1")
    remove(db, "trees", "trees")
    assert db.count(Tree) == 0


def test_rows_refer_as_keys_compare(db: Database) -> None:
    db.insert_many([Word("a", 1), Word("b", 1, "A"), Word("c", 1, "b")])
    remove(db, "words")
    db.insert_many([Word("a", 1), Word("b", 2, "A"), Word("c", 1, "B")])
    remove(db, "words", "words")
    db.insert_many([StrictWord("a", 1), StrictWord("b", 2, "A"), StrictWord("c", 1, "B")])
    remove(db, "strict_words", "strict_words")
    db.insert_many([Sum("1.0", 1), Sum("2", 2, "1.00"), Sum("3", 1, "2.0")])
    remove(db, "sums", "sums")
    assert [db.count(model) for model in (Word, StrictWord, Sum)] == [0, 0, 0]


def test_the_foreign_key_may_be_of_another_model_of_the_table(db: Database) -> None:
    for names in [("plain", "strict"), ("strict", "plain")]:
        db.insert_many([StrictTree(1, 1), StrictTree(2, 2, 1), StrictTree(3, 1, 2)])
        remove(db, *names)
        assert db.count(StrictTree) == 0


def test_many_lists_go(db: Database) -> None:
    db.insert_many([Forest(number) for number in range(3, 301)])
    db.insert_many([Tree(number, number % 300 + 1, number - 1 or None) for number in range(1, 601)])
    remove(db, *["trees"] * 300)
    assert db.count(Tree) == 0


def test_what_stays_keeps_what_it_refers_to(db: Database) -> None:
    db.insert_many([Tree(1, 1), Tree(2, 2, 1)])
    db.insert_many([StrictTree(1, 1), StrictTree(2, 2, 1)])
    for name in ("trees", "strict"):
        with pytest.raises(cormorant.IntegrityError):
            remove(db, name)
    assert [db.count(Tree), db.count(StrictTree)] == [2, 2]
