"""What happens when SQLite has no more memory: errors by their name, and a whole file."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cormorant import Cipher, Column, Database, Error, Model, column

ROOT = Path(__file__).parents[4]
STEP = int(os.environ.get("CORMORANT_MEMORY_STEP", "4096"))


class Item(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    name: Column[str] = column(default="", index=True)


def work(path: str, cipher: Cipher | None) -> None:
    with Database(path, cipher=cipher, reader_count=0) as db:
        db.create_tables(Item)
        with db.transaction():
            for n in range(20):
                db.insert(Item(name=f"name {n}" * 20))
        db.query("SELECT count(*), max(name) FROM item ORDER BY 2").fetch_all()
        db.query("SELECT a.name FROM item a JOIN item b ON a.id = b.id ORDER BY a.name DESC").fetch_all()
        db.execute("UPDATE item SET name = name || 'x' WHERE id % 2")
        db.backup(path + ".copy")
        os.unlink(path + ".copy")


def main(path: str, cipher: Cipher | None) -> None:
    """Prints how often SQLite was refused memory, and how often the work was done."""
    sqlite = ctypes.CDLL("libsqlite3.so.0")
    for function in (sqlite.sqlite3_hard_heap_limit64, sqlite.sqlite3_memory_used):
        function.restype = ctypes.c_int64
    sqlite.sqlite3_hard_heap_limit64.argtypes = [ctypes.c_int64]
    work(path, cipher)
    refused = done = 0
    room = 0
    while done < 5:
        sqlite.sqlite3_hard_heap_limit64(sqlite.sqlite3_memory_used() + max(room, 1))
        try:
            work(path, cipher)
            done += 1
        except Error as error:
            refused += 1
            assert error.code == "CORM_E_NO_MEMORY", error
        finally:
            sqlite.sqlite3_hard_heap_limit64(0)
        if os.path.exists(path + ".copy"):
            os.unlink(path + ".copy")
        with Database(path, cipher=cipher) as db:
            assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
        room += max(STEP, room // 8)
    print(refused, done)


@pytest.mark.parametrize("kind", ["plain", "encrypted"])
def test_every_size_of_memory_is_an_error_or_enough(tmp_path: Path, kind: str) -> None:
    paths = os.pathsep.join([str(ROOT / "bindings" / "python" / "src"), *sys.path])
    ended = subprocess.run(
        [sys.executable, __file__, str(tmp_path / "a.db"), kind],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert ended.returncode == 0, ended.stderr
    refused, done = map(int, ended.stdout.split())
    assert refused > 20
    assert done == 5


REPAIR = """
import sys
from cormorant import Database, Error
from cormorant.maintenance import repair
path = sys.argv[1]
with Database(path) as db:
    db.execute("CREATE TABLE t (x)")
memory = Database(":memory:")
try:
    memory.execute("PRAGMA hard_heap_limit = 1")
except Error:
    pass
try:
    repair(path, path + "-new")
except Error as error:
    print(error.code)
"""


def test_a_repair_without_memory_is_an_error(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", REPAIR, tmp_path / "a.db"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "CORM_E_NO_MEMORY\n", "")


if __name__ == "__main__":
    main(sys.argv[1], Cipher("x'" + "11" * 48 + "'") if sys.argv[2] == "encrypted" else None)
