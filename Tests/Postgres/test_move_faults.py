"""corm move when something goes wrong: what kills it, cuts it off or fills the disk; sources that change, rows that
break what the target's tables say. CORMORANT_MOVE_KILLS says how often each of two moves is killed."""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import SCRIPT, call, soak
from cormorant import Database
from test_move import CORM, corm, made, rows

KILLS = int(os.environ.get("CORMORANT_MOVE_KILLS", "2"))
MANY = """
CREATE TABLE few (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
INSERT INTO few VALUES (1, 'one'), (2, 'two');
CREATE TABLE loose (name TEXT, n INTEGER);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 20000) INSERT INTO loose SELECT 'x', i FROM c;
CREATE TABLE many (
  a TEXT, b INTEGER, few INTEGER NOT NULL REFERENCES few (id), n REAL, t TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE INDEX many_n ON many (n);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 200000)
  INSERT INTO many SELECT 'é' || (i % 7), i, 1 + i % 2, i / 3.0, 'some text of a row, number ' || i FROM c;
"""


def sorted_rows(file: Path) -> dict[str, list[tuple[object, ...]]]:
    found = rows(file)
    # Without the key that a table without one has got.
    found["loose"] = sorted((row[-2:] for row in found["loose"]), key=repr)
    return found


def begin(*arguments: object, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [CORM, "move", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )  # type: ignore[call-overload,no-any-return]


def kill_often(source: object, target: object, seed: str) -> str:
    """Kills a move at moments of chance, until KILLS of them were under way, and lets it end then."""
    chance = random.Random(seed)
    began = time.monotonic()
    longest = 3.0
    for number in range(KILLS):
        mover = begin(source, target)
        try:
            output, _ = mover.communicate(timeout=chance.uniform(0, longest))
            if "already" in output:
                # The one before was killed when it had done all and had only to say so.
                assert number > 0, output
                return corm("move", source, target, "--verify")
            assert mover.returncode == 0, output
            return output
        except subprocess.TimeoutExpired:
            mover.send_signal(signal.SIGKILL if number % 3 else signal.SIGTERM)
            mover.communicate()
    assert time.monotonic() - began < 600
    done = subprocess.run([CORM, "move", str(source), str(target)], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else corm("move", source, target, "--verify")


def test_a_move_that_is_killed_both_ways_loses_nothing(url: str, tmp_path: Path) -> None:
    file = made(tmp_path / "there.db", MANY)
    assert "compared 220002 rows of 3 tables: equal" in kill_often(file, url, "there")
    with Database(url) as server:
        assert server.query("SELECT count(*) FROM pg_constraint WHERE NOT convalidated").fetch_all() == [(0,)]
        assert server.query("SELECT to_regclass('corm_move') IS NULL, to_regclass('many_n') IS NULL").fetch_all() == [
            (True, False)
        ]
    back = tmp_path / "back.db"
    assert "equal" in kill_often(url, back, "back")
    assert sorted_rows(back) == sorted_rows(file)
    with sqlite3.connect(back) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'corm_move'").fetchall() == [(0,)]


@soak
@pytest.mark.parametrize("way", ["there", "back"])
def test_a_connection_that_is_cut_and_a_server_that_dies(
    own_server: Callable[..., str], tmp_path: Path, way: str
) -> None:
    url = own_server()
    file = made(tmp_path / "there.db", MANY)
    source, target = (file, url) if way == "there" else (url, tmp_path / "back.db")
    if way == "back":
        corm("move", file, url)

    def cut() -> None:
        with Database(url) as server:
            server.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            ).fetch_all()

    def crash() -> None:
        call("crash", url)

    for end in (cut, crash):
        mover = begin(source, target)
        time.sleep(0.7)
        end()
        output, _ = mover.communicate(timeout=60)
        assert mover.returncode == 1 and "connection" in output, output
    call("restart", url)
    assert "compared 220002 rows of 3 tables: equal" in corm("move", source, target)
    if way == "back":
        assert sorted_rows(tmp_path / "back.db") == sorted_rows(file)


@soak
def test_a_full_disk_of_the_server_is_told_and_the_move_goes_on(tmp_path: Path) -> None:
    # No file of the server may grow beyond the limit, of which one of its log takes 16 MB.
    limited = f"ulimit -f 18000; exec {SCRIPT} start --while {os.getpid()}"
    url = subprocess.run(["bash", "-c", limited], check=True, capture_output=True, text=True).stdout.strip()
    try:
        file = made(tmp_path / "there.db", MANY)
        with sqlite3.connect(file) as db:
            db.execute("UPDATE many SET t = t || hex(zeroblob(50))")
        told = corm("move", file, url, status=1)
        assert "File too large" in told or "No space left" in told or "could not extend" in told, told
        call("crash", url)
        call("restart", url)
        assert "compared 220002 rows of 3 tables: equal" in corm("move", file, url)
    finally:
        call("stop", url)


def test_a_full_disk_of_the_file_is_told_and_the_move_goes_on(url: str, tmp_path: Path) -> None:
    file = made(tmp_path / "there.db", MANY)
    corm("move", file, url)
    back = tmp_path / "back.db"

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))

    mover = begin(url, back, preexec_fn=limit)
    output, _ = mover.communicate(timeout=60)
    assert mover.returncode == 1, output
    assert "full" in output or "disk" in output, output
    assert "equal" in corm("move", url, back)
    assert sorted_rows(back) == sorted_rows(file)


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_file_that_changes_meanwhile_is_moved_as_it_was_at_one_moment(url: str, tmp_path: Path, mode: str) -> None:
    file = made(tmp_path / "there.db", f"PRAGMA journal_mode = {mode};" + MANY)
    done = threading.Event()
    written: list[int] = []

    def write() -> None:
        db = sqlite3.connect(file, timeout=0.05, isolation_level=None)
        while not done.is_set():
            try:
                # In both tables, or in none.
                db.execute("BEGIN IMMEDIATE")
                number = len(written) + 3
                db.execute("INSERT INTO few VALUES (?, ?)", (number, f"n{number}"))
                db.execute("INSERT INTO many VALUES ('z', ?, ?, 0, '')", (-number, number))
                db.execute("COMMIT")
                written.append(number)
            except sqlite3.OperationalError:
                if db.in_transaction:
                    db.execute("ROLLBACK")
            time.sleep(0.01)
        db.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert "equal" in corm("move", file, url)
    finally:
        done.set()
        writer.join()
    with Database(url) as server:
        few, many = server.query(
            "SELECT (SELECT count(*) FROM few) - 2, (SELECT count(*) FROM many WHERE a = 'z')"
        ).fetch_all()[0]
        assert few == many <= len(written)
        assert written or mode == "delete"


def test_a_server_that_changes_meanwhile_is_moved_as_it_was_at_one_moment(url: str, tmp_path: Path) -> None:
    corm("move", made(tmp_path / "there.db", MANY), url)
    mover = begin(url, tmp_path / "back.db")
    written = 0
    with Database(url) as server:
        while mover.poll() is None:
            with server.transaction():
                server.execute(f"INSERT INTO few VALUES ({written + 3}, 'n{written}')")
                server.execute(f"INSERT INTO many VALUES ('z', {-written}, {written + 3}, 0, '')")
            written += 1
            time.sleep(0.005)
    output = mover.communicate()[0]
    assert mover.returncode == 0 and "equal" in output, output
    found = rows(tmp_path / "back.db")
    assert len(found["few"]) - 2 == len([row for row in found["many"] if row[0] == "z"]) < written


def test_a_source_that_changed_between_two_attempts_is_told(url: str, tmp_path: Path) -> None:
    file = made(tmp_path / "there.db", MANY)
    mover = begin(file, url)
    # Killed when the first rows are there, however fast the machine is.
    with Database(url) as server:
        while mover.poll() is None:
            is_there = server.fetch_value("SELECT to_regclass('many') IS NOT NULL")
            if is_there and server.fetch_value("SELECT EXISTS (SELECT 1 FROM many)"):
                break
            time.sleep(0.005)
    mover.kill()
    mover.communicate()
    with sqlite3.connect(file) as db:
        # The first row in the order of the key, which is there by now.
        db.execute("UPDATE many SET t = 'changed' WHERE (a, b) = (SELECT a, b FROM many ORDER BY a, b LIMIT 1)")
    told = corm("move", file, url, status=2)
    assert 'differs: many.t, a "é0", b 7: "changed" and' in told, told


def test_rows_that_break_what_the_tables_say_are_told_before_anything_is_written(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "odd.db",
        """
        CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id));
        CREATE TABLE price (id INTEGER PRIMARY KEY, amount DECIMAL_TEXT UNIQUE, n INTEGER NOT NULL CHECK (n > 0));
        INSERT INTO parent VALUES (1);
        INSERT INTO child VALUES (1, 1), (2, 9), (3, 8);
        INSERT INTO price VALUES (1, '1.5', 1), (2, '1.50', 2);
        PRAGMA ignore_check_constraints = 1;
        INSERT INTO price VALUES (3, '2', -1);
        """,
    )
    told = corm("move", file, url, status=2)
    assert "does not fit: child.parent, id 2: " in told and ", and 1 more" in told, told
    assert "does not fit: price.amount, id 2: " in told, told
    assert "does not fit: price.n, id 3: " in told, told
    assert "nothing was written" in told
    with Database(url) as server:
        assert server.query(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        ).fetch_all() == [(0,)]


def test_a_name_that_a_server_would_cut_is_told(url: str, tmp_path: Path) -> None:
    long = "t" * 64
    file = made(
        tmp_path / "odd.db",
        f"CREATE TABLE {long} (id INTEGER PRIMARY KEY); CREATE TABLE t (id INTEGER PRIMARY KEY, {long} INT)",
    )
    done = subprocess.run([CORM, "move", file, url], capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2) and long[:20] in done.stderr, done.stdout + done.stderr
    with Database(url) as server:
        assert server.query(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        ).fetch_all() == [(0,)]


def test_a_target_with_other_tables_is_left_as_it_was_beside(url: str, tmp_path: Path) -> None:
    file = made(tmp_path / "there.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x')")
    with Database(url) as server:
        server.execute_script("CREATE TABLE own (n bigint); INSERT INTO own VALUES (1)")
    assert "equal" in corm("move", file, url)
    with Database(url) as server:
        assert server.query("SELECT n FROM own").fetch_all() == [(1,)]


def test_a_table_with_a_virtual_tables_name_before_its_own_is_moved(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "a.db",
        """CREATE VIRTUAL TABLE note USING fts5(body); CREATE TABLE note_tag (id INTEGER PRIMARY KEY, tag TEXT);
        INSERT INTO note_tag VALUES (1, 'x'), (2, 'y');""",
    )
    assert "the virtual table note" in corm("move", file, url, "--leave-out")
    with Database(url) as server:
        assert server.query("SELECT id, tag FROM note_tag ORDER BY id").fetch_all() == [(1, "x"), (2, "y")]
