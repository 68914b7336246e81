"""A process that is killed while it migrates leaves the old schema or the new one, with all rows, and can go on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import victim
from conftest import check
from cormorant import Bundle, Schema

KILLS = int(os.environ.get("CORMORANT_KILLS", "12"))
VICTIM = Path(victim.__file__)
STEPS = [
    "CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "INSERT INTO shelf SELECT id, 'shelf ' || id FROM author;",
    "ALTER TABLE book ADD COLUMN shelf INTEGER REFERENCES shelf; UPDATE book SET shelf = author;",
    "CREATE TABLE new_book (id INTEGER PRIMARY KEY, name TEXT NOT NULL, author INTEGER NOT NULL REFERENCES author ON "
    "DELETE CASCADE, shelf INTEGER NOT NULL REFERENCES shelf);"
    "INSERT INTO new_book SELECT id, name, author, shelf FROM book; DROP VIEW titles; DROP TABLE book;"
    "ALTER TABLE new_book RENAME TO book; CREATE INDEX book_author ON book (author);",
]


def content(path: Path) -> str:
    """Schema and rows as one text, without the times in the history."""
    connection = sqlite3.connect(path)
    lines = [line for line in connection.iterdump() if "corm_migrations" not in line and "corm_models" not in line]
    connection.close()
    return "\n".join(sorted(lines))


def run(path: Path, folder: str, statement: int = 0, delay: float | None = None) -> bool:
    """Lets the victim migrate; whether it came to its end."""
    process = subprocess.Popen(
        [sys.executable, str(VICTIM), str(path), folder, str(statement)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if delay is not None:
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
    output, errors = process.communicate(timeout=120)
    assert process.returncode in (0, -signal.SIGKILL), errors.decode()
    return output == b"done\n"


def original(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    numbers = "(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT {}) SELECT value FROM n)"
    script = victim.BEFORE
    for count in (50, 900, 2000):
        script = script.replace("generate_series", numbers.format(count), 1)
    connection.executescript(script)
    connection.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle: the original, which is adopted, and three steps."""
    folder = tmp_path_factory.mktemp("bundle")
    Bundle.generate_to(folder, "original", Schema.parse(victim.BEFORE.split("INSERT INTO author")[0]))
    for number, sql in enumerate(STEPS, start=2):
        (folder / f"{number:04}_step").mkdir()
        (folder / f"{number:04}_step/up.sql").write_text(sql)
    Bundle.seal(folder)
    return folder


def count_statements(path: Path, folder: str) -> int:
    """How many statements the victim runs: the first at which it is not killed."""
    low, high = 1, 400
    while low < high:
        middle = (low + high) // 2
        copy = path.with_name("count.db")
        shutil.copy(path, copy)
        if run(copy, folder, middle):
            high = middle
        else:
            low = middle + 1
        for suffix in ("", "-wal", "-shm"):
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)
    return low - 1


def prepare(tmp_path: Path, way: str, folder: Path) -> tuple[Path, str, list[str]]:
    """The original file, what the victim is given, and the contents that a kill may leave."""
    path = tmp_path / "original.db"
    original(path)
    if way == "sync":
        allowed = [content(path)]
        end = tmp_path / "end.db"
        shutil.copy(path, end)
        assert run(end, "-")
        return path, "-", [*allowed, content(end)]
    from cormorant import Database

    with Database(path) as db:
        Bundle(folder).adopt(db, "0001_original")
    allowed = [content(path)]
    for count in range(len(STEPS)):
        end = tmp_path / f"end{count}.db"
        shutil.copy(path, end)
        with Database(end) as db:
            Bundle(folder).apply(db, f"{count + 2:04}_step", allow_lossy=True)
        allowed.append(content(end))
    return path, str(folder), allowed


@pytest.mark.parametrize("way", ["sync", "bundle"])
def test_a_killed_migration_leaves_the_old_or_the_new(tmp_path: Path, folder: Path, way: str) -> None:
    path, given, allowed = prepare(tmp_path, way, folder)
    assert len(set(allowed)) == len(allowed)
    statements = count_statements(path, given)
    assert statements > 10
    pick = random.Random(20)
    at = list(range(1, statements + 1))
    if len(at) > KILLS:
        at = sorted(pick.sample(at, KILLS))
    kills: list[Callable[[Path], bool]] = [lambda file, n=n: run(file, given, n) for n in at]  # type: ignore[misc]
    for _ in range(KILLS // 2):
        kills.append(lambda file: run(file, given, delay=pick.uniform(0.05, 0.4)))
    seen = set()
    for kill in kills:
        copy = tmp_path / "copy.db"
        for suffix in ("", "-wal", "-shm"):
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)
        shutil.copy(path, copy)
        kill(copy)
        left = content(copy)
        assert left in allowed
        seen.add(left)
        check(copy)
        assert run(copy, given), "migrating again succeeds"
        assert content(copy) == allowed[-1]
        check(copy)
    assert allowed[0] in seen, "some kills must have come before the end"
