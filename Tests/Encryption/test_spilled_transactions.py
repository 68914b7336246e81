"""Transactions that outgrow the cache, by chance, in files that nobody has altered: no page is told to be."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from cormorant import Cipher, Database
from cormorant.cipher import check_pages


class Writer:
    """Writes by chance, and keeps in mind what must be there."""

    def __init__(self, path: Path, chance: random.Random, mode: str) -> None:
        self.chance = chance
        self.rows: dict[int, bytes] = {}
        self.db = Database(
            path,
            cipher=Cipher("secret", rounds=3, page_size=1024),
            reader_count=0,
            journal_mode=mode,  # type: ignore[arg-type]
        )
        self.db.execute_script("PRAGMA cache_size = 1; PRAGMA secure_delete = OFF")

    def create(self) -> None:
        self.db.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")

    def write(self, count: int, depth: int = 0) -> None:
        for _ in range(count):
            which = self.chance.random()
            row = self.chance.randrange(1, 9)
            if which < 0.6:
                blob = bytes([self.chance.randrange(1, 200)]) * self.chance.choice([10, 300, 2000, 3000, 9000])
                self.db.execute("INSERT OR REPLACE INTO t VALUES (?, ?)", [row, blob])
                self.rows[row] = blob
            elif which < 0.85:
                self.db.execute("DELETE FROM t WHERE id = ?", [row])
                self.rows.pop(row, None)
            elif depth < 2:
                before = dict(self.rows)
                self.db.execute_script("SAVEPOINT s")
                self.write(3, depth + 1)
                if self.chance.random() < 0.5:
                    self.db.execute_script("ROLLBACK TO s")
                    self.rows = before
                self.db.execute_script("RELEASE s")

    def transaction(self, count: int) -> None:
        before = dict(self.rows)
        self.db.execute_script("BEGIN IMMEDIATE")
        self.write(count)
        if self.chance.random() < 0.5:
            self.db.execute_script("ROLLBACK")
            self.rows = before
        else:
            self.db.execute_script("COMMIT")

    def check(self) -> None:
        assert dict(self.db.query("SELECT * FROM t").fetch_all()) == self.rows
        assert self.db.fetch_value("PRAGMA integrity_check") == "ok"
        assert check_pages(self.db) == []


def modes(chance: random.Random) -> str:
    return chance.choice(["delete", "truncate", "persist"])


@pytest.mark.parametrize("locking", ["normal", "exclusive"])
def test_the_first_transaction_of_a_file(tmp_path: Path, locking: str) -> None:
    for seed in range(300):
        chance = random.Random(seed)
        writer = Writer(tmp_path / f"{seed}.db", chance, modes(chance))
        with writer.db as db:
            db.execute_script(f"PRAGMA auto_vacuum = {chance.choice([0, 1, 2])}; PRAGMA locking_mode = {locking}")
            db.execute_script("BEGIN IMMEDIATE")
            writer.create()
            writer.write(chance.randrange(4, 16))
            db.execute_script("COMMIT")
            writer.check()


@pytest.mark.parametrize("locking", ["normal", "exclusive"])
def test_transactions_behind_a_journal_that_was_played_back(tmp_path: Path, locking: str) -> None:
    for seed in range(1100):
        chance = random.Random(seed)
        path, mode = tmp_path / f"{seed}.db", modes(chance)
        writer = Writer(path, chance, mode)
        with writer.db as db:
            db.execute_script(f"PRAGMA auto_vacuum = {chance.choice([0, 1, 2])}")
            writer.create()
            writer.write(6)
            rows = dict(writer.rows)
            # What a program leaves that is killed within a transaction.
            db.execute_script("BEGIN IMMEDIATE")
            writer.write(8)
            hot = path.with_suffix(".hot")
            shutil.copy(path, hot)
            journal = f"{path}-journal"
            if os.path.exists(journal):
                shutil.copy(journal, f"{hot}-journal")
            db.execute_script("ROLLBACK")
        heir = Writer(hot, chance, mode)
        heir.rows = rows
        with heir.db as db:
            db.execute_script(f"PRAGMA locking_mode = {locking}")
            for _ in range(4):
                heir.transaction(chance.randrange(2, 8))
            heir.check()


def test_pages_of_a_log_whose_index_is_in_memory_are_not_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Database(path, cipher=Cipher("secret", rounds=3), reader_count=0, journal_mode="delete") as db:
        db.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")
    with Database(path, cipher=Cipher("secret", rounds=3), reader_count=0, journal_mode=None) as db:
        db.execute_script("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL")
        db.execute("INSERT INTO t VALUES (1, zeroblob(20000))")
        assert not os.path.exists(f"{path}-shm")
        assert check_pages(db) == []
