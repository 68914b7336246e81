"""Starts processes of one engine by forking itself, which takes a moment where a new interpreter takes a second:
forge.py ENGINE ("cormorant", "sqlcipher3", or "sqlite3" for plain files). A line of its input is the request of a
process: {"do": "write"} writes until it is killed and prints "ack N" once transaction N is committed, {"do": "read"}
prints what is there. The forge opens no file itself.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
import traceback
from typing import Any

from conftest import RAW
from engine import ours, theirs


def plain(request: dict[str, Any]) -> Any:
    connection = sqlite3.connect(request["path"], isolation_level=None, timeout=60)
    connection.execute(f"PRAGMA journal_mode = {request['mode']}")
    return (lambda sql: [list(row) for row in connection.execute(sql).fetchall()]), connection.close


def say(*words: object) -> None:
    # At one stroke, so that those of several processes do not mix.
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def write(run: Any, first: int) -> None:
    run("PRAGMA cache_size = 8")
    run("PRAGMA wal_autocheckpoint = 20")
    say("began", os.getpid())
    for number in range(first, first + 1000):
        run("BEGIN IMMEDIATE")
        run(
            f"INSERT INTO t SELECT {number} * 100 + value, 'round {number}', randomblob(300) "
            "FROM json_each('[1,2,3,4,5]')"
        )
        run(f"UPDATE t SET c = randomblob(200) WHERE id % 7 = {number} % 7 AND id > {(number - 50) * 100}")
        run("COMMIT")
        say("ack", number)
        # Others want to write, too: SQLite's lock is seldom got by one who sleeps.
        time.sleep(0.003)


def read(run: Any) -> None:
    rows = run("SELECT b, count(*) FROM t WHERE b LIKE 'round %' GROUP BY b")
    whole = run("PRAGMA integrity_check")
    say("rows", json.dumps([[[int(text.split()[1]), count] for text, count in rows], whole]))


def main() -> None:
    engine = sys.argv[1]
    if engine == "cormorant":
        import cormorant  # noqa: F401
    elif engine != "sqlite3":
        __import__(f"{engine}.dbapi2")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    opener = {"cormorant": ours, "sqlite3": plain}.get(engine, theirs)
    for line in sys.stdin:
        request = json.loads(line)
        if os.fork() != 0:
            continue
        try:
            request |= {"engine": engine, "key": RAW if request["encrypted"] else None, "settings": {}}
            run, close = opener(request)
            if request["do"] == "write":
                write(run, request["first"])
            else:
                read(run)
            close()
            os._exit(0)
        except BaseException:
            say("failed", json.dumps(traceback.format_exc()))
            os._exit(1)


if __name__ == "__main__":
    main()
