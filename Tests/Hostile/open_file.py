"""Opens the files whose paths come, a line each, as untrusted ones and reads all of them; answers a line each. For
test_hostile_files.py."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/src"))

from cormorant import Database, Error

LIMIT = 0.3  # seconds


def look(path: str) -> str:
    try:
        database = Database(path, untrusted=True)
    except Error as error:
        return f"refused {error.code}"
    rows = 0

    def read(sql: str, limit: int) -> None:
        nonlocal rows
        with suppress(Error, TimeoutError), database.timeout(LIMIT), database.query(sql) as result:
            for _ in zip(range(limit), result, strict=False):
                rows += 1

    with suppress(Error, TimeoutError), database.timeout(LIMIT):
        database.schema()
    with suppress(Error, TimeoutError), database.timeout(LIMIT):
        database.metadata()
    read("PRAGMA integrity_check(20)", 100)
    names: list[str] = []
    with suppress(Error, TimeoutError):
        names = [
            row[0] for row in database.query("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') LIMIT 8")
        ]
    for name in names:
        if isinstance(name, str):
            quoted = name.replace('"', '""')
            read(f'SELECT * FROM "{quoted}"', 1000)
    with suppress(Error, TimeoutError), database.timeout(LIMIT):
        database.store("s").put("k", 1)
    database.close()
    return f"read {rows} rows"


for line in sys.stdin:
    print(look(line.rstrip("\n")), flush=True)
