"""Has SQLite write all that it ever writes, and is killed in a transaction: writer.py PATH MODE KEY MARKER, which is
backwards, so that the text itself stands in no argument."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/src"))

from cormorant import Cipher, Database


def main() -> None:
    path, mode, key = sys.argv[1:4]
    marker = sys.argv[4][::-1]
    cipher = Cipher(key) if key else None
    options: Any = {"cipher": cipher, "journal_mode": mode}
    with Database(path, **options) as database:
        database.execute_script("PRAGMA temp_store = FILE; PRAGMA cache_size = 10; PRAGMA temp.cache_size = 10")
        database.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT); CREATE INDEX t_a ON t (a)")
        rows = [(None, f"{marker} {number}", f"{marker} " * 20) for number in range(1500)]
        database.execute_many("INSERT INTO t VALUES (?, ?, ?)", rows)
        # A sorter, a temporary table with its journal, a statement's journal, VACUUM's copy.
        database.query("SELECT b, a FROM t ORDER BY b DESC, a").fetch_all()
        database.execute_script("CREATE TEMP TABLE s AS SELECT * FROM t; CREATE INDEX temp.s_a ON s (a)")
        with database.transaction():
            database.execute("UPDATE temp.s SET b = b || 'more'")
            database.execute("UPDATE OR ABORT t SET a = a || 'more' WHERE id % 2")
            with database.transaction():
                database.execute("UPDATE t SET b = a || b")
        database.execute_script("DELETE FROM t WHERE id > 1000; VACUUM")
        database.backup(Path(path).with_name("copy.db"), cipher=cipher)
    database = Database(path, **options)
    database.execute_script("PRAGMA cache_size = 10; BEGIN; UPDATE t SET b = b || a")
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
