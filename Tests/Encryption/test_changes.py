"""Own commits are told from others' on an encrypted file with a log.

Each puts another checksum into the log's index than SQLite has in mind, which takes that for another's commit.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from conftest import RAW, SQLCIPHER, run
from cormorant import Cipher, Column, Database, Model, column


class Item(Model):
    id: Column[int] = column(primary_key=True)
    value: Column[int]


@pytest.mark.parametrize("seed", range(2))
def test_each_commit_is_told_once_and_no_row_is_stale(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with Database(path, cipher=Cipher(RAW)) as db, Database(path, cipher=Cipher(RAW)) as other:
        db.create_tables(Item)
        db.insert_many([Item(id=key, value=0) for key in range(1, 11)])
        db.set_cache(Item, max_count=50, max_bytes=100_000)
        told = [0, 0]
        with db.observe(Item) as observer:
            for step in range(1, 301):
                key = chance.randint(1, 10)
                who = chance.choice([db, db, db, other, None])
                if who:
                    who.update(Item(id=key, value=step))
                if chance.random() < 0.1:
                    with pytest.raises(ZeroDivisionError), db.transaction():
                        db.update(Item(id=key, value=-1))
                        raise ZeroDivisionError
                assert [db.find(Item, key) for key in range(1, 11)] == other.fetch_all(Item)
                if who:
                    event = observer.next(10)
                    assert event
                    assert event.is_foreign == (who is other)
                    told[who is other] += 1
                assert observer.next(0) is None
            assert observer.next(0.2) is None
        assert min(told) > 20
        assert db.cache_statistics(Item).hits > 1500


def test_commits_of_another_engine_are_told(path: Path) -> None:
    with Database(path, cipher=Cipher(RAW)) as db:
        db.create_tables(Item)
        db.insert(Item(id=1, value=0))
        db.set_cache(Item, max_count=50, max_bytes=100_000)
        with db.observe(Item) as observer:
            for step in range(1, 4):
                db.update(Item(id=1, value=-step))
                event = observer.next(10)
                assert event
                assert not event.is_foreign
                assert db.find(Item, 1) == Item(id=1, value=-step)
                run(SQLCIPHER, path, f"UPDATE item SET value = {step}", mode="wal")
                event = observer.next(10)
                assert event
                assert event.is_foreign
                assert db.find(Item, 1) == Item(id=1, value=step)
                assert observer.next(0.05) is None
