"""Migrations by the command beside other processes, and cut short by signals: done once, or not at all."""

from __future__ import annotations

import resource
import signal
import time

import pytest
from command_runs import Corm, put, rows
from running import make

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);"
FILL = (
    "WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT {}) "
    "INSERT INTO t SELECT v, 'row ' || v FROM n;"
)
STRICTER = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL CHECK (length(a) > 0));"


def test_processes_that_come_together_plan_again(corm: Corm) -> None:
    # finding migrations.md C6
    make(corm.folder / "app.db", TABLE + FILL.format(20000))
    put(corm, "schema.sql", STRICTER)
    processes = [corm.start("migrate", "app.db", "schema.sql") for _ in range(3)]
    for process in processes:
        out, error = process.communicate(timeout=60)
        assert (process.returncode, error) == (0, b""), error
        assert out
    assert corm.run("plan", "app.db", "schema.sql").out == "nothing to do\n"
    assert rows(corm.folder / "app.db", "SELECT count(*) FROM t") == [(20000,)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_the_file_as_it_was(corm: Corm, number: signal.Signals) -> None:
    path = make(corm.folder / "app.db", TABLE + FILL.format(300_000))
    put(corm, "schema.sql", STRICTER.replace("a TEXT", "a TEXT UNIQUE"))
    before = path.read_bytes()
    command = ("migrate", "app.db", "schema.sql")
    taken = time_of(corm, *command)
    for part in (0.2, 0.4, 0.6):  # While it looks at rows, and while it copies them.
        path.write_bytes(before)
        stopped(corm, command, number, taken * part)
        assert rows(path, "PRAGMA integrity_check") == [("ok",)]
        assert path.read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_long_plan(corm: Corm, number: signal.Signals) -> None:
    # SQLite forgets an interruption that comes where it runs no statement, as in most of this plan's time.
    many = "".join(f"CREATE TABLE t{index} (a TEXT UNIQUE);" for index in range(300))
    path = make(corm.folder / "app.db", "BEGIN;" + many + "COMMIT;")
    put(corm, "schema.sql", many.replace("TEXT", "TEXT NOT NULL"))
    before = path.read_bytes()
    taken = time_of(corm, "plan", "app.db", "schema.sql")
    for part in (0.3, 0.5, 0.8):
        stopped(corm, ("migrate", "app.db", "schema.sql"), number, taken * part)
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("command", "number"),
    [
        (("plan", "app.db", "empty.sql"), signal.SIGINT),
        (("plan", "empty.db", "app.db"), signal.SIGTERM),
        (("migrate", "app.db", "empty.sql"), signal.SIGTERM),
    ],
)
def test_a_signal_ends_a_plan_of_thousands_of_tables(
    corm: Corm, command: tuple[str, ...], number: signal.Signals
) -> None:
    # finding reliability.md A6: it was not heeded for 45 s
    make(corm.folder / "app.db", "BEGIN;" + "".join(f"CREATE TABLE t{n} (a UNIQUE);" for n in range(8000)) + "COMMIT;")
    make(corm.folder / "empty.db", "")
    put(corm, "empty.sql", "")
    taken = time_of(corm, "plan", *command[1:])
    for part in (0.3, 0.6):
        stopped(corm, command, number, taken * part)


@pytest.mark.parametrize("trigger", ["", "CREATE TRIGGER r AFTER INSERT ON v0 BEGIN SELECT * FROM v60; END;"])
def test_views_over_views_cost_nothing_to_what_leaves_them_alone(corm: Corm, trigger: str) -> None:
    # finding reliability.md A6: SQLite puts each into the next, twice as many tables as before
    views = "".join(f"CREATE VIEW v{n} AS SELECT a.x FROM v{n - 1} a, v{n - 1} b;" for n in range(1, 61))
    make(corm.folder / "app.db", "CREATE TABLE v0 (x); CREATE TABLE t (y);" + views + trigger)
    put(corm, "wider.sql", "CREATE TABLE v0 (x); CREATE TABLE t (y, z);" + views + trigger)
    (corm.folder / "bundle/0001_a").mkdir(parents=True)
    put(corm, "bundle/0001_a/up.sql", "CREATE TABLE ours (x);\n")
    corm.run("seal", "bundle")
    began = processor_time()
    assert "add column" in corm.run("migrate", "app.db", "wider.sql").out
    corm.run("migrate", "app.db", "bundle")
    assert processor_time() - began < 4


def time_of(corm: Corm, *command: str) -> float:
    """Of a processor, in seconds, of a command that comes to its end."""
    began = processor_time()
    corm.run(*command, status=None)
    return processor_time() - began


def processor_time() -> float:
    """Of the processes that have ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def stopped(corm: Corm, command: tuple[str, ...], number: signal.Signals, delay: float) -> None:
    """A command that is sent a signal after so many seconds of a processor ends at once, and says so."""
    process = corm.start(*command)
    clock = (~process.pid << 3) | 2  # As clock_getcpuclockid(3) makes it of a process.
    while process.poll() is None and time.clock_gettime(clock) < delay:
        time.sleep(0.001)
    process.send_signal(number)
    began = time.monotonic()
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b""), (delay, error)
    assert error.startswith(b"corm: interrupted\n")
    assert time.monotonic() - began < 1.5
