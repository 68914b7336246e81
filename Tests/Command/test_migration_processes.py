"""Migrations by the command beside other processes, and cut short by signals: done once, or not at all."""

from __future__ import annotations

from conftest import Corm, make, put, rows

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
