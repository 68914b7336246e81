"""A file is opened while another process encrypts it with another key, again and again."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from cormorant import Cipher, Database, Error

SOURCE = Path(__file__).parents[2] / "bindings/python/src"
KEYS = ("x'" + "11" * 32 + "'", "x'" + "22" * 32 + "'")
OTHER = """
import sys
sys.path.insert(0, sys.argv[1])
from cormorant import Cipher, Error
from cormorant.cipher import rekey

path, *keys = sys.argv[2:]
done = 0
print("ready", flush=True)
while done < 200:
    try:
        rekey(path, Cipher(keys[done % 2]), Cipher(keys[(done + 1) % 2]))
        done += 1
    except Error:
        pass
"""


def test_a_file_that_is_whole_is_not_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Database(path, cipher=Cipher(KEYS[0])) as db:
        db.execute_script("CREATE TABLE t (x)")
        db.execute("INSERT INTO t VALUES (?)", ["x" * 25_000])
    told: Counter[str] = Counter()
    with subprocess.Popen([sys.executable, "-c", OTHER, SOURCE, path, *KEYS], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        while other.poll() is None:
            for key in KEYS:
                try:
                    with Database(path, cipher=Cipher(key)) as db:
                        assert db.fetch_value("SELECT length(x) FROM t") == 25_000
                    told["opened"] += 1
                except Error as error:
                    told[error.code] += 1
        assert other.returncode == 0
    # CORM_E_IO: it was replaced while it was open, before it was read.
    assert told.keys() <= {"opened", "CORM_E_WRONG_KEY", "CORM_E_BUSY", "CORM_E_IO"}, told
    assert told["opened"] > 20
