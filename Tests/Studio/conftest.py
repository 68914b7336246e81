from __future__ import annotations

import fcntl
import os
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import Page, driver
from running import COMMAND, ENVIRONMENT, ROOT, copy_chinook, make
from studio_server import ROWS, Start, Studio

# Each point of the page is clicked through in both browsers, by these; the other tests run in Firefox in ./dev soak:
# what it draws otherwise than Chromium these see, and the rest is what the server answers and the page's scripts do.
IN_BOTH = ("test_page.py", "test_large.py", "test_figures.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "CORMORANT_SOAK" in os.environ:
        return
    for item in items:
        if "[firefox" in item.nodeid and item.path.name not in IN_BOTH:
            item.add_marker(pytest.mark.skip("run by ./dev soak"))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a server, which ends with the test."""
    running: list[Studio] = []

    def run(*arguments: object, enter: bool = True, **environment: str) -> Studio:
        begin = time.monotonic()
        process = subprocess.Popen(
            [str(COMMAND), "studio", *map(str, arguments)],
            cwd=tmp_path,
            env=ENVIRONMENT | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if not line:
            pytest.fail(process.stderr.read() if process.stderr else "")
        studio = Studio(process, line, time.monotonic() - begin)
        running.append(studio)
        if enter:
            studio.enter()
        return studio

    yield run
    for studio in running:
        studio.stop()


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    profile = tmp_path_factory.mktemp("browser")
    with driver(request.param, profile) as made:
        made.set_window_size(1440, 900)
        yield Page(made, request.param, profile / "downloads")


@pytest.fixture
def chinook(tmp_path: Path) -> Path:
    return make(copy_chinook(tmp_path), "PRAGMA journal_mode = WAL")


@pytest.fixture(scope="session")
def large() -> Path:
    """A file of many rows, made once, in about twenty seconds."""
    path = ROOT / f"build/studio/{ROWS}.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            make_large(path)
    return path


def make_large(path: Path) -> None:
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    connection = sqlite3.connect(part)
    # A part of the rows, and copies of it: that takes a third of what all of them would by recursion.
    some = min(ROWS, 100_000)
    connection.executescript(
        f"""
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        PRAGMA page_size = 8192;
        PRAGMA temp_store = MEMORY;
        CREATE TABLE event (
          id INTEGER PRIMARY KEY, at DATETIME NOT NULL, kind TEXT NOT NULL, amount NUMERIC, note TEXT,
          source INTEGER NOT NULL REFERENCES source (id)
        );
        CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO source SELECT i, 'source ' || i FROM n;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {some})
        INSERT INTO event SELECT i, datetime(1600000000 + i * 31, 'unixepoch'),
          CASE i % 5 WHEN 0 THEN 'open' WHEN 1 THEN 'close' WHEN 2 THEN 'move' WHEN 3 THEN 'pay' ELSE 'ask' END,
          (i * 7919) % 100000 / 100.0, CASE WHEN i % 3 THEN NULL ELSE 'note ' || (i * 2654435761 % 1000003) END,
          i % 1000 + 1
        FROM n;
        CREATE TEMP TABLE part AS SELECT * FROM event;
        WITH RECURSIVE n (i) AS (
          SELECT {some} WHERE {some} < {ROWS} UNION ALL SELECT i + {some} FROM n WHERE i + {some} < {ROWS}
        )
        INSERT INTO event SELECT i + id, at, kind, amount, note, source FROM n CROSS JOIN part;
        CREATE INDEX event_source ON event (source);
        """
    )
    connection.commit()
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    part.rename(path)
