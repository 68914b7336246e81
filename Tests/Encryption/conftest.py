"""Encrypted files, made and read by the library and by SQLCipher's own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "bindings/python/src"))

PASSPHRASE = "correct horse battery staple"
RAW = "x'2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99'"
RAW_SALT = RAW[:-1] + "00112233445566778899AABBCCDDEEFF'"
# The key, that of the HMAC, and the salt.
RAW_KEYS = RAW[:-1] + "".join(f"{byte:02X}" for byte in range(32)) + "00112233445566778899AABBCCDDEEFF'"
ENGINE = HERE / "engine.py"
OURS = "cormorant"
SQLCIPHER = "sqlcipher3"
OLDER_SQLCIPHER = "pysqlcipher3"

# How often a process was killed.
killed: list[int] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if killed:
        terminalreporter.write_line(f"kills among processes of both libraries: {len(killed)} runs")


FILL = (
    "CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT, c BLOB)",
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400) "
    "INSERT INTO t SELECT i, 'row ' || i, randomblob(150) FROM n",
    "CREATE INDEX t_b ON t (b)",
)
SUM = "SELECT count(*), min(b), max(b), sum(id) FROM t"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "test.db"


def run(
    engine: str,
    path: Path,
    *sql: str,
    key: str | None = RAW,
    mode: str = "delete",
    end: str = "close",
    settings: Mapping[str, Any] | None = None,
) -> list[list[list[Any]]]:
    """The rows of each statement. end: "close" or "kill"."""
    request = {
        "engine": engine,
        "path": str(path),
        "key": key,
        "mode": mode,
        "end": end,
        "settings": dict(settings or {}),
        "sql": sql,
    }
    done = subprocess.run(
        [sys.executable, str(ENGINE), json.dumps(request)], capture_output=True, text=True, timeout=300, check=False
    )
    wanted = -signal.SIGKILL if end == "kill" else 0
    if done.returncode != wanted:
        raise AssertionError(f"{engine}: {done.stderr.strip().splitlines()[-1:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(path: Path, key: str = RAW, settings: Mapping[str, Any] | None = None, mode: str = "delete") -> None:
    """SQLCipher and the library find every page authentic and the database whole."""
    from cormorant import Cipher, Database

    sql = ("PRAGMA integrity_check", "PRAGMA cipher_integrity_check")
    assert run(SQLCIPHER, path, *sql, key=key, settings=settings, mode=mode) == [[["ok"]], []]
    with Database(path, cipher=Cipher(key, **(settings or {})), journal_mode=mode) as database:
        assert database.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
        assert database.check_pages() == []


def files(path: Path) -> dict[str, bytes]:
    """The database and what stands beside it."""
    return {each.name: each.read_bytes() for each in sorted(path.parent.iterdir()) if each.is_file()}
