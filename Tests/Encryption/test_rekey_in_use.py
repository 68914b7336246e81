"""Files that are converted while others use them."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import FILL, HERE, OURS, RAW, SQLCIPHER, SUM, check, run
from cormorant import Cipher, Database, Error, OperationalError, Progress, rekey

OTHER = Cipher("another passphrase", rounds=10)
# Holds a transaction until it is told to commit.
HOLD = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from engine import theirs
request = {{"engine": {SQLCIPHER!r}, "path": sys.argv[1], "mode": sys.argv[2], "key": {RAW!r}, "settings": {{}}}}
run, close = theirs(request)
run("BEGIN IMMEDIATE")
run("INSERT INTO t VALUES (5000, 'held', NULL)")
print("held", flush=True)
sys.stdin.readline()
run("COMMIT")
close()
"""


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_transaction_of_another_process_is_not_cut_off(path: Path, mode: str) -> None:
    run(OURS, path, *FILL, mode=mode)
    command = [sys.executable, "-c", HOLD, str(path), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        with pytest.raises(OperationalError) as caught:
            rekey(path, Cipher(RAW), OTHER)
        assert caught.value.code == "CORM_E_BUSY"
        assert "close the others" in str(caught.value)
        process.stdin.write("\n")
    assert process.returncode == 0
    rekey(path, Cipher(RAW), OTHER)
    with Database(path, cipher=OTHER) as database:
        assert database.query(SUM).fetch_one()[0] == 401


def test_others_may_open_and_close_the_file_meanwhile(path: Path) -> None:
    run(OURS, path, *FILL, mode="delete")
    ended = threading.Event()

    def come_and_go() -> None:
        while not ended.is_set():
            with (
                suppress(Error),
                Database(path, cipher=Cipher(RAW), journal_mode="delete", busy_timeout=0.1) as database,
            ):
                assert database.query(SUM).fetch_one()[0] == 400

    thread = threading.Thread(target=come_and_go)
    thread.start()
    try:
        for _ in range(3):
            with suppress(OperationalError):
                rekey(path, Cipher(RAW), Cipher(RAW))
    finally:
        ended.set()
        thread.join()
    check(path)


def test_closing_in_the_middle_of_a_copy_is_refused(path: Path, tmp_path: Path) -> None:
    with Database(path, cipher=Cipher(RAW)) as database:
        database.execute_script(";".join(FILL))
        tried: list[str] = []

        def close(_progress: Progress) -> None:
            with suppress(Error):
                database.close()
            tried.append("close")

        with suppress(Error):
            database.backup(tmp_path / "copy.db", cipher=OTHER, progress=close)
        assert tried
    check(path)
