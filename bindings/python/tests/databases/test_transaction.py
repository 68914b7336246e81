"""Transactions: committed by the end of the block, rolled back by an exception, nested as savepoints."""

from __future__ import annotations

from pathlib import Path

import pytest
from models import Department, Person

import cormorant
from cormorant import Database


def names(db: Database) -> list[str]:
    return [item.name for item in db.fetch_all(Department, order_by="name")]


def test_the_end_of_the_block_commits(db: Database, path: Path) -> None:
    with Database(path) as other:
        with db.transaction():
            assert db.transaction_depth == 1
            db.insert(Department("a"))
            assert names(db) == ["a"]
            assert names(other) == []
        assert db.transaction_depth == 0
        assert names(other) == ["a"]


def test_an_exception_rolls_back(db: Database) -> None:
    with pytest.raises(KeyError), db.transaction():
        db.insert(Department("a"))
        raise KeyError
    assert names(db) == []


def test_a_nested_one_is_a_savepoint(db: Database) -> None:
    with db.transaction():
        db.insert(Department("a"))
        with pytest.raises(KeyError), db.transaction():
            db.insert(Department("b"))
            assert db.transaction_depth == 2
            raise KeyError
        with db.transaction():
            db.insert(Department("c"))
        assert db.transaction_depth == 1
    assert names(db) == ["a", "c"]


def test_it_can_end_before_its_block(db: Database) -> None:
    with db.transaction() as transaction:
        db.insert(Department("a"))
        transaction.commit()
        db.insert(Department("b"))
    with db.transaction() as transaction:
        db.insert(Department("c"))
        transaction.rollback()
        assert db.transaction_depth == 0
    assert names(db) == ["a", "b"]
    with pytest.raises(cormorant.ProgrammingError) as caught:
        transaction.rollback()
    assert caught.value.code == "CORM_E_TRANSACTION"


def test_a_commit_that_fails_rolls_back(db: Database) -> None:
    db.execute("CREATE TABLE child (parent REFERENCES departments DEFERRABLE INITIALLY DEFERRED)")
    with pytest.raises(cormorant.ForeignKeyViolation), db.transaction():
        db.insert(Department("a"))
        db.execute("INSERT INTO child VALUES (99)")
    assert db.transaction_depth == 0
    assert names(db) == []


def test_many_statements_of_each_kind_in_one(db: Database) -> None:
    with db.transaction():
        for number in range(1_000):
            Person(f"n{number}").insert(db)
        for person in db.fetch_all(Person):
            person.age = 1
            person.save(db)
    assert db.count(Person, age=1) == 1_000


def test_a_rollback_takes_the_keys_back(db: Database) -> None:
    first, second, third = Department("a"), Department("b"), Department("c")
    given = Department("d", id=70)
    many = [Department("e"), Department("f")]
    with db.transaction():
        db.insert(first)
        with pytest.raises(KeyError), db.transaction():
            db.insert(second)
            with db.transaction():
                third.save(db)
                db.insert(given)
                db.insert_many(many)
            assert third.id is not None
            assert all(record.id for record in many)
            raise KeyError
        assert second.id is None
        assert third.id is None
        assert [record.id for record in many] == [None, None]
        assert given.id == 70
    assert first.id == 1
    # So that they go in anew.
    db.insert(second)
    assert names(db) == ["a", "b"]
    with db.transaction() as transaction:
        db.insert(third)
        transaction.rollback()
        assert third.id is None
        db.insert(third)
    assert third.id is not None
    assert not db._innermost


def test_records_that_are_gone_are_forgotten(db: Database) -> None:
    with db.transaction() as transaction:
        kept = [Department(f"kept {index}") for index in range(100)]
        db.insert_many(kept)
        for index in range(5000):
            db.insert(Department(f"gone {index}"))
        assert len(transaction._notes._made) < 2000
        transaction.rollback()
    assert {item.department_id if hasattr(item, "department_id") else item.id for item in kept} == {None}
