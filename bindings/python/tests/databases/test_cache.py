"""Caches: what they hold, and that nothing in them is ever stale."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from encrypted import plain_only
from models import Department, Person

from cormorant import Column, Database, DataError, Model, ProgrammingError, column


class Word(Model):
    value: Column[int]
    text: Column[str] = column(primary_key=True)


@pytest.mark.parametrize("key", [2**63, 2**64, -(2**100)])
def test_a_key_beyond_64_bits_is_no_cached_one(db: Database, key: int) -> None:
    db.set_cache(Person, max_count=50, max_bytes=100_000)
    db.insert(Person("Ada", id=-1))
    assert db.find(Person, -1) == db.find(Person, -1)
    with pytest.raises(DataError, match="64 bits"):
        db.find(Person, key)


@plain_only
@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
def test_no_row_is_stale_whoever_writes(path: Path, journal_mode: str) -> None:
    chance = random.Random(7)
    with Database(path, journal_mode="wal" if journal_mode == "wal" else "delete") as db:
        db.create_tables(Department, Person, Word)
        db.set_cache(Person, max_count=50, max_bytes=100_000)
        db.set_cache(Word, max_count=50, max_bytes=100_000)
        for key in range(1, 21):
            db.insert(Person(name="0"))
            db.insert(Word(value=0, text=f"w{key}"))
        other = sqlite3.connect(path)
        for step in range(1, 600):
            key = chance.randint(1, 20)
            sql = (
                f"UPDATE people SET name = {step} WHERE id = {key}",
                f"UPDATE word SET value = {step} WHERE text = 'w{key}'",
            )
            match chance.randint(0, 5):
                case 0:
                    db.execute_script(";".join(sql))
                case 1:
                    for statement in sql:
                        other.execute(statement)
                    other.commit()
                case 2:
                    db.execute_script("BEGIN;" + ";".join(sql))
                    db.execute_script("SAVEPOINT s; DELETE FROM people; ROLLBACK TO s")
                    assert found(db, key) == (str(step), step)
                    db.execute("ROLLBACK")
                case 3:
                    with db.transaction():
                        db.execute_script(";".join(sql))
                        with db.transaction() as inner:
                            db.execute("DELETE FROM people")
                            inner.rollback()
                        assert found(db, key) == (str(step), step)
                case _:
                    pass
            rows = other.execute(
                "SELECT name, value FROM people JOIN word ON text = 'w' || people.id WHERE people.id = ?", (key,)
            ).fetchall()
            assert found(db, key) == rows[0]
            assert found(db, key) == rows[0]
        other.close()
        db.execute("DROP TABLE word")
        with pytest.raises(ProgrammingError):
            db.find(Word, "w1")
        assert db.cache_statistics(Person).hits > 300


def found(db: Database, key: int) -> tuple[str, int]:
    person, word = db.find(Person, key), db.find(Word, f"w{key}")
    assert person
    assert word
    return person.name, word.value
