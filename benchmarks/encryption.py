"""What encryption costs: the same work on a plain and an encrypted file, in Cormorant and in SQLCipher, side by side.

Alone: .venv/bin/python benchmarks/encryption.py [ROUNDS]

Both keys are raw, so that no key is derived; WAL, caches of 64 MB. Each measurement has a process of its own, and
rounds alternate. The least processor time counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bindings/python/src"))

KEY = "x'2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99'"
ROWS = 200_000
LOOKUPS = 20_000


def engine(name: str, path: str, encrypted: bool) -> tuple[Any, Any, Any]:
    if name == "cormorant":
        from cormorant import Cipher, Database

        database = Database(path, cipher=Cipher(KEY) if encrypted else None)
        database.execute_script("PRAGMA cache_size = -64000")
        return database.execute_script, lambda sql: database.query(sql).fetch_all(), database.close
    import sqlcipher3.dbapi2 as sqlcipher  # type: ignore[import-not-found]

    connection = sqlcipher.connect(path, isolation_level=None)
    if encrypted:
        connection.execute(f'PRAGMA key = "{KEY}"')
    connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -64000")
    return connection.executescript, lambda sql: connection.execute(sql).fetchall(), connection.close


def timed(body: Any, *arguments: Any) -> float:
    began = time.process_time()
    body(*arguments)
    return (time.process_time() - began) * 1000


def measure(name: str, encrypted: bool) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/test.db"
        script, query, close = engine(name, path, encrypted)
        numbers = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {ROWS}) "
        script("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT); CREATE INDEX t_a ON t (a)")
        insert = f"BEGIN; {numbers} INSERT INTO t SELECT i, hex(i * 7919 % 1000003), printf('%060d', i) FROM n; COMMIT"
        result = {"insert": timed(script, insert)}
        one = "".join(f"UPDATE t SET b = 'x' WHERE id = {id};" for id in range(1, 60_000, 60))
        result["1000 small transactions"] = timed(script, one)
        close()
        script, query, close = engine(name, path, encrypted)
        result["scan"] = timed(query, "SELECT sum(length(b)) FROM t")
        close()
        script, query, close = engine(name, path, encrypted)
        found = "(SELECT id FROM t WHERE a = hex(i * 7919 % 1000003))"
        result["lookup"] = timed(query, f"{numbers.replace(str(ROWS), str(LOOKUPS))} SELECT sum({found}) FROM n")
        close()
        return result


def best(rounds: int) -> dict[tuple[str, str], dict[str, float]]:
    """Milliseconds of each work, for each engine on a "plain" and an "encrypted" file."""
    least: dict[tuple[str, str], dict[str, float]] = {}
    for _ in range(rounds):
        for name in ("cormorant", "sqlcipher"):
            for kind in ("plain", "encrypted"):
                command = [sys.executable, __file__, "measure", name, kind]
                times = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
                known = least.setdefault((name, kind), times)
                for work, milliseconds in times.items():
                    known[work] = min(known[work], milliseconds)
    return least


def ratios(times: dict[tuple[str, str], dict[str, float]], name: str) -> dict[str, float]:
    """Encrypted over plain, by work."""
    return {work: times[name, "encrypted"][work] / plain for work, plain in times[name, "plain"].items()}


def main() -> int:
    if sys.argv[1:2] == ["measure"]:
        print(json.dumps(measure(sys.argv[2], sys.argv[3] == "encrypted")))
        return 0
    times = best(int(sys.argv[1]) if sys.argv[1:] else 5)
    print(f"{'':24}{'plain':>10}{'encrypted':>12}{'ratio':>8}")
    for work in times["cormorant", "plain"]:
        for name in ("cormorant", "sqlcipher"):
            plain, encrypted = times[name, "plain"][work], times[name, "encrypted"][work]
            print(f"{work:24}{plain:7.1f} ms{encrypted:9.1f} ms{encrypted / plain:8.2f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
