"""What a process leaves that ends because the library itself gets no memory: a whole file, with what was committed.

And what it does before: its handler of the signal is called.

CORMORANT_DEATH_STEP says at every how many allocations a process is ended; 1: at each.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cormorant import Cipher, Column, Database, Model, column

ROOT = Path(__file__).parents[4]
STEP = int(os.environ.get("CORMORANT_DEATH_STEP", "128"))
CIPHER = Cipher("x'" + "11" * 48 + "'")


class Item(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    name: Column[str] = column(default="", index=True)


def work(path: str, cipher: Cipher | None, told: int) -> None:
    with Database(path, cipher=cipher, reader_count=0) as db:
        db.create_tables(Item)
        for n in range(1, 6):
            with db.transaction():
                db.insert_many([Item(name=f"{n} {row}" * 20) for row in range(10)])
            os.write(told, b"x")
        db.fetch_all(Item)
        db.store("s").put("key", {"a": [1, 2, 3]})
        with db.queue() as queue:
            queue.add(lambda db: db.insert_many([Item(name="queue")] * 10)).result()
        os.write(told, b"x")
        db.schema()


def end_one(path: Path, cipher: Cipher | None, at: int, memory: ctypes.CDLL) -> bool:
    """Whether a process that has no memory from an allocation on was ended by that; what it left must be whole."""
    for left in path.parent.glob("a.db*"):
        left.unlink()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        memory.tell_end(writing)
        memory.fail_allocation(at)
        work(str(path), cipher, writing)
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        sent = pipe.read()
    done = sent.count(b"x")
    _, status = os.waitpid(child, 0)
    assert sent.count(b"!") == os.WIFSIGNALED(status), f"allocation {at}"
    checker = os.fork()
    if checker == 0:
        with Database(path, cipher=cipher) as db:
            assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
            there = db.fetch_value("SELECT count(*) FROM item") if done else 10 * done
            assert there in (10 * done, 10 * (done + 1)), (there, done)
            assert cipher is None or db.check_pages() == []
        os._exit(0)
    assert os.waitpid(checker, 0)[1] == 0, f"allocation {at}"
    return os.WIFSIGNALED(status)


def main(path: Path, cipher: Cipher | None) -> None:
    """Prints how many processes were ended."""
    memory = ctypes.CDLL(os.environ["LD_PRELOAD"])
    memory.fail_allocation.argtypes = [ctypes.c_long]
    ended, at = 0, 1
    while end_one(path, cipher, at, memory):
        ended += 1
        at += STEP
    print(ended)


@pytest.mark.skipif(sys.platform != "linux", reason="the loader of Linux")
@pytest.mark.parametrize("kind", ["plain", "encrypted"])
def test_the_file_is_whole_after_each_of_these_deaths(tmp_path: Path, kind: str) -> None:
    preloaded = tmp_path / "failing_memory.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", preloaded, Path(__file__).with_name("failing_memory.c")], check=True
    )
    paths = os.pathsep.join([str(ROOT / "bindings" / "python" / "src"), *sys.path])
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path / "a.db"), kind],
        capture_output=True,
        text=True,
        timeout=3000,
        env={**os.environ, "PYTHONPATH": paths, "LD_PRELOAD": str(preloaded), "SWIFT_BACKTRACE": "enable=no"},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 5


if __name__ == "__main__":
    main(Path(sys.argv[1]), CIPHER if sys.argv[2] == "encrypted" else None)
