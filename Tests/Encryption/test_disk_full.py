"""The disk is full in the middle of things: the file is as it was, and nothing is left beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import FILL, HERE, OURS, RAW, SUM, check, files, run
from cormorant import Cipher, Database

# No file may grow beyond the limit: the system answers as on a full disk.
SCRIPT = """
import resource, sys
from conftest import RAW
from cormorant import Cipher, Database, Error, decrypt, encrypt, rekey
operation, path, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    if operation == "encrypt":
        encrypt(path, Cipher(RAW))
    elif operation == "decrypt":
        decrypt(path, Cipher(RAW))
    elif operation == "rekey":
        rekey(path, Cipher(RAW), Cipher("new", rounds=10))
    elif operation == "backup":
        with Database(path, cipher=Cipher(RAW)) as database:
            database.backup(path + ".copy", cipher=Cipher("new", rounds=10))
    else:
        with Database(path, cipher=Cipher(RAW), journal_mode=operation) as database:
            database.execute("INSERT INTO t SELECT id + 1000, b, randomblob(3000) FROM t")
except Error as error:
    print(error.code)
"""


@pytest.mark.parametrize("part", [0.6])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt", "rekey", "backup", "delete", "wal"])
def test_a_full_disk_leaves_the_file_as_it_was(path: Path, operation: str, part: float) -> None:
    key = None if operation == "encrypt" else RAW
    mode = "wal" if operation == "wal" else "delete"
    run(OURS, path, *FILL, key=key, mode=mode)
    before = path.read_bytes()
    limit = int(len(before) * part) // 512 * 512 + 512
    command = [sys.executable, "-c", SCRIPT, operation, str(path), str(limit)]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    # A wal-index of 32 KB does not fit either, nor what is made to see whether a file can be locked.
    assert done.stdout.strip() in ("CORM_E_FULL", "CORM_E_IO", "CORM_E_CANNOT_OPEN", "CORM_E_BUSY"), done
    cipher = None if key is None else Cipher(key)
    with Database(path, cipher=cipher, journal_mode=mode) as database:  # type: ignore[arg-type]
        assert database.query(SUM).fetch_one()[0] == 400
        assert database.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
    assert files(path).keys() == {"test.db"}
    if key is not None:
        check(path, mode=mode)
