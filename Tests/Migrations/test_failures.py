"""Full disks, files that may not be written, processes that come together: a clear error, and nothing is lost."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
import victim
from conftest import check, dump, make, rows
from cormorant import Bundle, Database, Error, Plan, Progress, Schema
from test_kill import STEPS, content, original

TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);"
STRICTER = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL);"
ROWS = (
    "WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT 5000) "
    "INSERT INTO t SELECT v, 'row ' || v FROM n;"
)


def test_a_full_disk_leaves_the_old_schema(path: Path) -> None:
    make(path, TABLE + ROWS)
    before = dump(path)
    with Database(path) as db:
        plan = Plan.between(db.schema(), Schema.parse(STRICTER), database=db)
        (pages,) = db.query("PRAGMA page_count").fetch_all()[0]
        db.query(f"PRAGMA max_page_count = {pages + 5}").fetch_all()
        with pytest.raises(Error) as full:
            plan.apply(db)
        assert full.value.code == "CORM_E_FULL"
        db.query("PRAGMA max_page_count = 1000000").fetch_all()
        assert db.query("PRAGMA foreign_keys").fetch_all() == [(1,)]
        plan.apply(db)
        assert db.schema() == Schema.parse(STRICTER)
    assert before != dump(path)
    check(path)


def test_a_file_that_may_only_be_read_says_so(path: Path) -> None:
    make(path, TABLE + ROWS)
    with Database(path, mode="read_only") as db:
        with pytest.raises(Error) as refused:
            Plan.between(db.schema(), Schema.parse(STRICTER), database=db).apply(db)
        assert refused.value.code == "CORM_E_READ_ONLY"


def test_a_damaged_file_is_an_error(path: Path) -> None:
    make(path, TABLE + ROWS)
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096 * 4)
    copy = path.read_bytes()
    with Database(path, journal_mode="delete") as db, pytest.raises(Error) as damaged:
        Plan.between(db.schema(), Schema.parse(STRICTER), database=db).apply(db)
    assert damaged.value.code == "CORM_E_CORRUPT"
    assert path.read_bytes() == copy


@pytest.mark.parametrize("way", ["sync", "bundle"])
def test_processes_that_come_together_do_each_step_once(tmp_path: Path, way: str) -> None:
    path, folder = tmp_path / "test.db", tmp_path / "bundle"
    original(path)
    if way == "bundle":
        Bundle.generate_to(folder, "original", Schema.parse(victim.BEFORE.split("INSERT INTO author")[0]))
        for number, sql in enumerate(STEPS, start=2):
            (folder / f"{number:04}_step").mkdir()
            (folder / f"{number:04}_step/up.sql").write_text(sql)
        Bundle.seal(folder)
        with Database(path) as db:
            Bundle(folder).adopt(db, "0001_original")
    alone = tmp_path / "alone.db"
    shutil.copy(path, alone)
    command = [sys.executable, victim.__file__]
    given = str(folder) if way == "bundle" else "-"
    subprocess.run([*command, str(alone), given, "0"], check=True, stdout=subprocess.DEVNULL)
    processes = [subprocess.Popen([*command, str(path), given, "0"], stdout=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate(timeout=120)[0] for process in processes] == [b"done\n"] * 4
    assert content(path) == content(alone)
    if way == "bundle":
        assert rows(path, "SELECT count(*) FROM corm_migrations WHERE state = 'applied'") == [(4,)]
    check(path)


def test_rows_written_since_the_plan_was_made_are_looked_at_again(path: Path) -> None:
    make(path, TABLE + ROWS)
    with Database(path) as db:
        plan = Plan.between(db.schema(), Schema.parse(STRICTER), database=db)
        db.execute("INSERT INTO t VALUES (9000, NULL)")
        with pytest.raises(Error, match="since the plan was made"):
            plan.apply(db)
        again = Plan.between(db.schema(), Schema.parse(STRICTER), database=db)
        assert [problem.message for problem in again.problems] == ['1 row holds NULL in "t.a"']


def test_a_snapshot_brings_everything_back(path: Path, tmp_path: Path) -> None:
    make(path, TABLE + ROWS)
    before, snapshot = dump(path), tmp_path / "before.db"
    with Database(path) as db:
        plan = Plan.between(db.schema(), Schema.parse(""), database=db, allow_drop=["t"])
        plan.apply(db, snapshot=snapshot)
        assert db.schema() == Schema.parse("")
        db.restore(snapshot)
        assert db.query("SELECT count(*) FROM t").fetch_all() == [(5000,)]
    assert dump(path) == before


def test_all_waits_for_a_reader_take_one_busy_timeout(path: Path) -> None:
    # finding migrations.md C7: each time that memory was too small the whole of it was waited again
    make(path, TABLE + ROWS.replace("LIMIT 5000", "LIMIT 100000"))
    before, told = dump(path), []
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM t LIMIT 1").fetchall()

    def tell(progress: Progress) -> bool:
        told.append(progress.step)
        return "waiting" not in progress.step or told.count(progress.step) < 3

    with Database(path, journal_mode="delete", busy_timeout=1) as db:
        plan = Plan.between(db.schema(), Schema.parse(STRICTER), database=db)
        began = time.monotonic()
        with pytest.raises(Error, match=r"another connection kept the database locked for 1\.\d s") as busy:
            plan.apply(db)
        assert busy.value.code == "CORM_E_BUSY"
        assert time.monotonic() - began < 2
        with pytest.raises(Error) as cancelled:
            plan.apply(db, progress=tell)
        assert cancelled.value.code == "CORM_E_INTERRUPTED"
        assert "waiting for another connection" in told
        reader.close()
        assert dump(path) == before
        plan.apply(db)
    check(path)
