"""No plaintext on the disk, no key in memory after the file is closed."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from conftest import HERE, OURS, PASSPHRASE, RAW, files, run

WRITER = HERE / "writer.py"
KEEPER = HERE / "keeper.py"
MARKER = "".join(["MARK", "ER-OF-", "PLAIN-TEXT"])
SIGNS = [MARKER.encode(), b"SQLite format 3", b"CREATE TABLE", b"CREATE INDEX"]


def leaks(content: bytes) -> int:
    return sum(content.count(sign) for sign in SIGNS)


@pytest.mark.parametrize("mode", ["delete", "truncate", "persist", "memory", "wal"])
@pytest.mark.parametrize("key", [RAW, None], ids=["encrypted", "plain"])
def test_no_plaintext_is_written(path: Path, tmp_path: Path, mode: str, key: str | None) -> None:
    """Tables, indexes, WAL, journals, backups and what a killed process leaves; with strace also temporary files, which
    are gone before anyone could look. Without encryption it is all there."""
    log = tmp_path / "log"
    log.mkdir()
    command = [sys.executable, str(WRITER), str(path), mode, key or "", MARKER[::-1]]
    if strace := shutil.which("strace"):
        options = ["-f", "-qq", "-e", "trace=pwrite64,write,pwritev,writev", "-s", "70000", "-o", str(log / "calls")]
        command = [strace, *options, *command]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, timeout=300, env=environment, check=False)
    assert b"Error" not in done.stderr, done.stderr.decode()
    remains = b"".join(files(path).values())
    assert len(remains) > 100_000
    calls = (log / "calls").read_bytes() if strace else b""
    if key is None:
        assert leaks(remains) > 100
        assert not strace or leaks(calls) > 1000
    else:
        assert leaks(remains) == 0
        # strace writes some bytes as numbers; the signs have none of those.
        assert leaks(calls) == 0


def hits(process: subprocess.Popen[str], needle: bytes) -> int:
    found = 0
    maps = Path(f"/proc/{process.pid}/maps").read_text()
    with open(f"/proc/{process.pid}/mem", "rb", 0) as memory:
        for first, last, rights in re.findall(r"^([0-9a-f]+)-([0-9a-f]+) (\S+)", maps, re.MULTILINE):
            if "r" not in rights:
                continue
            try:
                memory.seek(int(first, 16))
                found += memory.read(int(last, 16) - int(first, 16)).count(needle)
            except (OSError, ValueError, OverflowError):
                continue
    return found


def test_keys_are_gone_from_memory_when_the_file_is_closed(path: Path) -> None:
    run(OURS, path, "CREATE TABLE t (a)", key=PASSPHRASE)
    salt = path.read_bytes()[:16]
    key = hashlib.pbkdf2_hmac("sha512", PASSPHRASE.encode(), salt, 256_000, 32)
    mac_key = hashlib.pbkdf2_hmac("sha512", key, bytes(byte ^ 0x3A for byte in salt), 2, 32)
    process = subprocess.Popen(
        [sys.executable, str(KEEPER), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin
    assert process.stdout
    try:
        assert process.stdout.readline() == "open\n"
        try:
            assert hits(process, key) > 0
        except PermissionError:
            pytest.skip("the system keeps the memory of other processes closed")
        assert hits(process, mac_key) > 0
        process.stdin.write("close\n")
        process.stdin.flush()
        assert process.stdout.readline() == "closed\n"
        assert hits(process, key) == 0
        assert hits(process, mac_key) == 0
    finally:
        process.stdin.close()
        process.wait(30)
        process.stdout.close()


def test_no_frame_of_a_traceback_shows_the_key(path: Path, tmp_path: Path) -> None:
    """Programs that report errors print the local variables of all frames."""
    from cormorant import Cipher, Database, rekey

    def cipher(**settings: int) -> Cipher:
        return Cipher(bytes(reversed(b"2retnuh")), rounds=5, **settings)  # type: ignore[arg-type]

    def provide(_path: str) -> str:
        return "x'" + "2retnuh"[::-1] + "'"

    text = tmp_path / "text"
    text.write_text("no database\n" * 1000)
    with Database(path, cipher=cipher()) as database:
        for call in (
            lambda: Database(text, cipher=cipher()),
            lambda: database.attach(text, "text", cipher=cipher()),
            lambda: database.backup(tmp_path / "no/such", cipher=cipher()),
            lambda: database.restore(text, cipher=cipher()),
            lambda: rekey(text, cipher(), cipher()),
            lambda: Database(text, cipher=Cipher(provide)),
            lambda: cipher(page_size=2**40),
        ):
            with pytest.raises(Exception) as caught:
                call()
            error: BaseException | None = caught.value
            while error is not None:
                frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), capture_locals=True)
                assert "hunter2" not in "".join(frames.format())
                error = error.__cause__ or error.__context__


def test_a_key_is_derived_once_for_all_connections(path: Path) -> None:
    import time

    from cormorant import Cipher, Database

    cipher = Cipher(PASSPHRASE, rounds=2_000_000)
    with Database(path, cipher=cipher) as first:
        first.execute_script("CREATE TABLE t (a)")
        began = time.perf_counter()
        for _ in range(5):
            with Database(path, cipher=cipher) as other:
                other.query("SELECT * FROM t").fetch_all()
        later = time.perf_counter() - began
    began = time.perf_counter()
    with Database(path, cipher=cipher):
        derived = time.perf_counter() - began
    assert later < derived


WIPED = """
import re, sys
sys.path[:0] = [{source!r}]
if {first}:
    import sqlite3
    sqlite3.connect(":memory:").execute("SELECT 1")
from cormorant import Cipher, Database

with Database({path!r}, cipher=Cipher({key!r}, wipe_memory={wipes})) as database:
    database.execute("CREATE TABLE t (a)")
    database.execute("INSERT INTO t SELECT 'SECRET' || 'MARKER' || i FROM ("
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT i FROM n)")
    database.execute("UPDATE t SET a = a || 'x'")
marker = re.compile(b"SECRET" + b"MARKER[0-9]")
found = 0
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as memory:
    for line in maps:
        span, rights = line.split()[:2]
        if rights.startswith("rw") and "[v" not in line:
            start, end = (int(each, 16) for each in span.split("-"))
            memory.seek(start)
            found += len(marker.findall(memory.read(end - start)))
print(found)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is looked at as Linux shows it")
def test_memory_is_wiped_on_wish(path: Path) -> None:
    """The control without the option finds pages that were freed."""
    source = str(HERE.parents[1] / "bindings/python/src")
    plain, wiped = (
        int(
            subprocess.run(
                [
                    sys.executable,
                    "-c",
                    WIPED.format(source=source, first=False, path=f"{path}{wipes}", key=RAW, wipes=wipes),
                ],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        for wipes in (False, True)
    )
    assert plain > 100
    assert wiped == 0


def test_memory_of_an_sqlite_that_is_in_use_cannot_be_wiped(path: Path) -> None:
    source = str(HERE.parents[1] / "bindings/python/src")
    code = WIPED.format(source=source, first=True, path=str(path), key=RAW, wipes=True)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ProgrammingError: SQLite is in use in this process already" in done.stderr
    assert not path.exists()
