"""What an attacker without the key does to an encrypted file and its log, whose checksums anyone can make, is told."""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from cormorant import Cipher, Database, Error
from cormorant.cipher import attach, check_pages

SIZE = 4096
USABLE = SIZE - 80
BLOB = b"A" * 7000
TOLD = ("CORM_E_ALTERED", "CORM_E_TRUNCATED", "CORM_E_WRONG_KEY", "CORM_E_CANNOT_OPEN")


def opened(path: Path, mode: str = "wal") -> Database:
    return Database(
        path, cipher=Cipher("secret", rounds=5), reader_count=0, journal_mode="delete" if mode == "delete" else "wal"
    )


def checksum(data: bytes, start: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    first, second = start
    for one, two in struct.iter_unpack("<II", data):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second


def log(page_size: int, frames: Sequence[tuple[int, int, bytes]]) -> bytes:
    """frames: page, size of the database after a commit or 0, image (https://www.sqlite.org/fileformat2.html#walformat)."""
    salt = b"saltSALT"
    header = struct.pack(">IIII", 0x377F0682, 3007000, page_size, 0) + salt
    total = checksum(header)
    made = header + struct.pack(">II", *total)
    for page, count, image in frames:
        start = struct.pack(">II", page, count)
        total = checksum(image, checksum(start, total))
        made += start + salt + struct.pack(">II", *total) + image
    return made


def leaf(texts: Sequence[str]) -> bytes:
    """A page of rows as they stand in a plain file."""
    page, top, places = bytearray(SIZE), USABLE, []
    for number, text in enumerate(texts, 1):
        record = bytes([3, 0, 13 + 2 * len(text)]) + text.encode()
        top -= len(record) + 2
        page[top : top + len(record) + 2] = bytes([len(record), number]) + record
        places.append(top)
    page[0:8] = struct.pack(">BHHHB", 13, 0, len(places), top, 0)
    page[8 : 8 + 2 * len(places)] = struct.pack(f">{len(places)}H", *places)
    return bytes(page)


def made(path: Path, mode: str) -> bytes:
    with opened(path, mode) as db:
        db.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT)")
        db.execute("INSERT INTO t VALUES (1, ?)", [BLOB])
    return path.read_bytes()


def tells(path: Path, mode: str) -> str | None:
    """The code of the error; nothing else than what was written is ever read."""
    try:
        with opened(path, mode) as db:
            assert db.query("SELECT * FROM t").fetch_all() == [(1, BLOB)]
            assert db.fetch_value("PRAGMA integrity_check") == "ok"
            return None
    except Error as error:
        assert error.code in TOLD, error
        return error.code


def forged(file: bytes, size: int) -> bytes:
    """A log of larger pages, whose second frame stands where none of the file's pages does."""
    pages = len(file) // SIZE
    rest = bytes(size - SIZE)
    return log(size, [(1, pages, file[:SIZE] + rest), (2, pages, leaf(["forged", "rows"]) + rest)])


@pytest.mark.parametrize("mode", ["wal", "delete"])
@pytest.mark.parametrize("first", ["whole", "damaged"])
@pytest.mark.parametrize("size", [512, 1024, 8192, 65536])
def test_rows_of_a_forged_log_are_not_read(tmp_path: Path, mode: str, first: str, size: int) -> None:
    path = tmp_path / "a.db"
    file = made(path, mode)
    if size > SIZE:
        Path(f"{path}-wal").write_bytes(forged(file, size))
    else:
        pages = [(page, 3, leaf(["forged"])[:size]) for page in range(1, 40)]
        Path(f"{path}-wal").write_bytes(log(size, pages))
    if first == "damaged":
        path.write_bytes(file[:2000] + bytes([file[2000] ^ 1]) + file[2001:])
    assert tells(path, mode) is not None


def test_rows_of_a_log_that_appears_beside_an_open_file_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    file = made(path, "delete")
    with opened(path, "delete") as db:
        assert db.query("SELECT * FROM t").fetch_all() == [(1, BLOB)]
        Path(f"{path}-wal").write_bytes(forged(file, 2 * SIZE))
        db.execute_script("PRAGMA shrink_memory")
        for _ in range(2):
            with pytest.raises(Error) as refused:
                db.query("SELECT * FROM t").fetch_all()
            assert refused.value.code in TOLD
            with pytest.raises(Error):
                db.execute("INSERT INTO t VALUES (9, 'x')")
    os.remove(f"{path}-wal")
    assert tells(path, "delete") is None


@pytest.mark.parametrize("way", ["forged", "killed", "open"])
def test_a_page_that_was_cut_off_is_told(tmp_path: Path, way: str) -> None:
    # SQLite goes by the log's commit for how long the file is, and takes what is missing for zeros.
    path = tmp_path / "a.db"
    file = made(path, "delete" if way == "open" else "wal")
    pages = len(file) // SIZE
    if way == "open":
        with opened(path, "delete") as db:
            db.execute_script("BEGIN")
            assert db.fetch_value("SELECT count(*) FROM t") == 1
            os.truncate(path, (pages - 1) * SIZE)
            with pytest.raises(Error) as cut:
                db.fetch_value("SELECT b FROM t")
            assert cut.value.code == "CORM_E_TRUNCATED"
        return
    if way == "killed":
        with opened(path) as db:
            db.execute("INSERT INTO t VALUES (2, 'x')")
            copy = path.read_bytes(), Path(f"{path}-wal").read_bytes()
        path.write_bytes(copy[0])
        Path(f"{path}-wal").write_bytes(copy[1])
    else:
        Path(f"{path}-wal").write_bytes(log(SIZE, [(1, pages, file[:SIZE])]))
    os.truncate(path, (pages - 1) * SIZE)
    with opened(path) as db:
        for sql in ("SELECT b FROM t WHERE id = 1", "VACUUM"):
            with pytest.raises(Error) as cut:
                db.query(sql).fetch_all()
            assert cut.value.code == "CORM_E_TRUNCATED"
        assert check_pages(db) == [pages]
        with pytest.raises(Error):
            db.backup(tmp_path / "copy.db")


def two_tables(path: Path, index: str) -> Database:
    """With a row in each, in the first two frames of a log whose index is in shared memory, or in SQLite's own."""
    db = opened(path, "wal" if index == "shared" else "delete")
    if index != "shared":
        db.execute_script("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL")
    db.execute_script(
        "PRAGMA wal_autocheckpoint = 0; CREATE TABLE mine (id INTEGER PRIMARY KEY, b TEXT);"
        "CREATE TABLE theirs (id INTEGER PRIMARY KEY, b TEXT); PRAGMA wal_checkpoint(truncate)"
    )
    with db.transaction():
        db.execute("INSERT INTO mine VALUES (1, 'mine')")
        db.execute("INSERT INTO theirs VALUES (1, 'theirs')")
    return db


def exchange_frames(path: Path) -> None:
    frame = SIZE + 24
    frames = Path(f"{path}-wal").read_bytes()
    with Path(f"{path}-wal").open("r+b") as file:
        file.seek(32)
        file.write(frames[32 + frame : 32 + 2 * frame] + frames[32 : 32 + frame])


def tells_altered(reader: Database, table: str) -> None:
    reader.execute_script("PRAGMA shrink_memory")
    with pytest.raises(Error) as told:
        reader.query(f"SELECT * FROM {table}").fetch_all()
    assert told.value.code == "CORM_E_ALTERED"


def test_frames_that_were_exchanged_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with two_tables(path, "shared") as db:
        exchange_frames(path)
        with opened(path) as other:
            tells_altered(other, "mine")
            tells_altered(other, "theirs")
            tells_altered(db, "theirs")


@pytest.mark.parametrize("is_recovered", [False, True], ids=["written", "recovered"])
def test_frames_that_were_exchanged_are_told_without_shared_memory(tmp_path: Path, is_recovered: bool) -> None:
    path = tmp_path / "a.db"
    with two_tables(path, "own") as db:
        assert not Path(f"{path}-shm").exists()
        for each in ("", "-wal"):
            shutil.copy(f"{path}{each}", tmp_path / f"b.db{each}")
        if not is_recovered:
            exchange_frames(path)
            tells_altered(db, "mine")
            tells_altered(db, "theirs")
            exchange_frames(path)
            assert db.fetch_value("SELECT b FROM mine") == "mine"
            assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
    if is_recovered:
        path = tmp_path / "b.db"
        with Database(tmp_path / "main.db", reader_count=0, journal_mode="delete") as db:
            db.execute_script("PRAGMA locking_mode = EXCLUSIVE")
            attach(db, path, "b", cipher=Cipher("secret", rounds=5))
            assert db.fetch_value("SELECT b FROM mine") == "mine"
            assert not Path(f"{path}-shm").exists()
            exchange_frames(path)
            tells_altered(db, "mine")
            tells_altered(db, "theirs")


@pytest.mark.parametrize("index", ["shared", "own"])
def test_a_frame_that_says_to_be_of_another_page_is_not_written_over(tmp_path: Path, index: str) -> None:
    """What is written over it would be authentic as that page."""
    path = tmp_path / "a.db"
    with two_tables(path, index) as db:
        db.execute_script(
            "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT)"
        )
        mine = db.fetch_value("SELECT rootpage FROM sqlite_schema WHERE name = 'mine'")
        theirs = db.fetch_value("SELECT rootpage FROM sqlite_schema WHERE name = 'theirs'")
        committed = (Path(f"{path}-wal").stat().st_size - 32) // (SIZE + 24)
        with pytest.raises(Error) as told, db.transaction():
            for number in range(5):
                db.execute("UPDATE mine SET b = ?", [f"mine {number}"])
                db.execute("INSERT INTO t VALUES (?, ?)", [number, "x" * 9000])
            log = Path(f"{path}-wal")
            with log.open("r+b") as file:
                for frame in range(committed, (log.stat().st_size - 32) // (SIZE + 24)):
                    file.seek(32 + frame * (SIZE + 24))
                    if int.from_bytes(file.read(4), "big") == mine:
                        file.seek(-4, os.SEEK_CUR)
                        file.write(theirs.to_bytes(4, "big"))
            db.execute("UPDATE mine SET b = 'mine at last'")
        assert told.value.code == "CORM_E_ALTERED"
        assert db.fetch_value("SELECT b FROM mine") == "mine"


@pytest.mark.parametrize("index", ["shared", "own"])
def test_a_log_that_is_cut_off_under_an_open_handle_is_told(tmp_path: Path, index: str) -> None:
    path = tmp_path / "a.db"
    with two_tables(path, index) as db:
        log = Path(f"{path}-wal").read_bytes()
        for size in (0, 32 + 24, 32 + SIZE // 2):
            os.truncate(f"{path}-wal", size)
            db.execute_script("PRAGMA shrink_memory")
            with pytest.raises(Error) as told:
                db.query("SELECT * FROM mine").fetch_all()
            assert told.value.code == "CORM_E_TRUNCATED"
            Path(f"{path}-wal").write_bytes(log)
            assert db.fetch_value("SELECT b FROM mine") == "mine"


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_an_older_first_page_makes_no_page_unused(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a.db"
    with opened(path, mode) as db, opened(path, mode) as reader:
        db.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")
        if mode == "wal":
            db.checkpoint("truncate")
        old = path.read_bytes()[:SIZE]
        db.execute("INSERT INTO t VALUES (1, ?)", [BLOB])
        if mode == "wal":
            db.checkpoint("truncate")
        reader.execute_script("BEGIN")
        assert reader.fetch_value("SELECT count(*) FROM t") == 1
        with path.open("r+b") as file:
            file.write(old)
            file.seek(2 * SIZE + 50)
            file.write(b"garbage")
        with pytest.raises(Error) as told:
            reader.fetch_value("SELECT b FROM t WHERE id = 1")
        assert told.value.code == "CORM_E_ALTERED"


@pytest.mark.parametrize("mode", ["delete", "truncate", "persist"])
def test_what_a_rollback_cut_off_is_not_in_use(tmp_path: Path, mode: Literal["delete", "truncate", "persist"]) -> None:
    """In a file that the connection keeps for itself, where transactions end without giving back a lock."""
    path = tmp_path / "a.db"
    with Database(path, cipher=Cipher("secret", rounds=3, page_size=1024), reader_count=0, journal_mode=mode) as db:
        db.execute_script(
            "PRAGMA auto_vacuum = 1; VACUUM; CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB); PRAGMA cache_size = 1;"
            "PRAGMA secure_delete = OFF; PRAGMA locking_mode = EXCLUSIVE; INSERT INTO t VALUES (0, 'x')"
        )

        def put(row: int, size: int) -> None:
            db.execute("INSERT OR REPLACE INTO t VALUES (?, ?)", [row, b"A" * size])

        db.execute_script("BEGIN IMMEDIATE")
        for row, size in ((1, 9000), (7, 3000), (7, 9000), (1, 300)):
            put(row, size)
        db.execute_script("ROLLBACK; BEGIN IMMEDIATE")
        for row, size in ((6, 3000), (8, 10), (8, 9000), (7, 3000)):
            put(row, size)
        db.execute_script("DELETE FROM t WHERE id = 7; SAVEPOINT s")
        put(3, 10)
        put(8, 9000)
        db.execute_script("COMMIT")
        assert db.fetch_value("PRAGMA integrity_check") == "ok"


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_file_of_which_nothing_is_left_is_no_new_one(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a.db"
    with opened(path, mode) as db:
        db.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")
        db.execute("INSERT INTO t VALUES (1, ?)", [BLOB])
    with opened(path, mode) as db:
        db.execute_script("BEGIN")
        assert db.fetch_values("SELECT id FROM t") == [1]
        os.truncate(path, 0)
        with pytest.raises(Error) as told:
            db.fetch_value("SELECT b FROM t")
        assert told.value.code == "CORM_E_TRUNCATED"


def test_an_older_list_of_free_pages_makes_none_unused(tmp_path: Path) -> None:
    # How much of a log is copied to the file stands in its index, where anyone can write it.
    path = tmp_path / "a.db"
    with opened(path) as db:
        db.execute_script(
            "PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = OFF; CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)"
        )
        for row in range(1, 8):
            db.execute("INSERT INTO t VALUES (?, ?)", [row, bytes([64 + row]) * 16520])
        db.execute("DELETE FROM t WHERE id = 7")
        db.checkpoint("truncate")
        db.execute_script(
            "BEGIN; INSERT INTO t VALUES (9, CAST(replace(hex(zeroblob(2245)), '0', 'Z') AS BLOB));"
            "DELETE FROM t WHERE id IN (5, 6); COMMIT"
        )
        frames = (os.path.getsize(f"{path}-wal") - 32) // (SIZE + 24)
        db.execute("INSERT INTO t VALUES (10, 1)")
        whole = path.read_bytes()
        with Path(f"{path}-shm").open("r+b", buffering=0) as index:
            index.seek(96)
            index.write(struct.pack("<I", frames))
        for page in range(2, len(whole) // SIZE + 1):
            with path.open("r+b") as file:
                file.seek((page - 1) * SIZE)
                file.write(os.urandom(SIZE))
            try:
                with opened(path) as other:
                    for (blob,) in other.query("SELECT b FROM t").fetch_all():
                        assert blob == 1 or 0 not in blob
            except Error as error:
                assert error.code == "CORM_E_ALTERED"
            path.write_bytes(whole)
