"""Writes to a file until it is killed, and says what is committed: victim.py ENGINE PATH MODE FIRST COUNT."""

from __future__ import annotations

import sys
import time

from conftest import RAW
from engine import ours, theirs


def main() -> int:
    engine, path, mode, first, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    request = {"engine": engine, "path": path, "mode": mode, "key": RAW, "settings": {}}
    run, close = (ours if engine == "cormorant" else theirs)(request)
    run("PRAGMA cache_size = 8")
    run("PRAGMA wal_autocheckpoint = 20")
    print("ready", flush=True)
    for number in range(first, first + count):
        run("BEGIN IMMEDIATE")
        values = f"{number} * 100 + value, 'round {number}', randomblob(300)"
        run(f"INSERT INTO t SELECT {values} FROM json_each('[1,2,3,4,5]')")
        run(f"UPDATE t SET c = randomblob(200) WHERE id % 7 = {number} % 7")
        run("COMMIT")
        print(number, flush=True)
        # Others want to write, too.
        time.sleep(0.002)
    close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
