"""What was altered is found, and what was not written is not read; a wrong key changes nothing."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import FILL, OURS, PASSPHRASE, RAW, SQLCIPHER, check, files, run
from cormorant import (
    AlteredError,
    Cipher,
    Database,
    DatabaseError,
    Error,
    KeyMissingError,
    NotEncryptedError,
    OperationalError,
    TruncatedError,
    WrongKeyError,
)

PAGE = 4096
FLIPS = int(os.environ.get("CORMORANT_FLIPS", "60"))
WRONG = RAW.replace("2DD2", "2DD3")


def read(path: Path, cipher: Cipher | None = None) -> object:
    with Database(path, cipher=cipher or Cipher(RAW), journal_mode="delete") as database:
        return database.query("SELECT count(*), sum(length(b) + length(c)) FROM t").fetch_one()


def flip(path: Path, offset: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[offset] ^= 1 << bit
    path.write_bytes(content)


def swap(path: Path) -> None:
    content = path.read_bytes()
    fifth, sixth = (content[start : start + PAGE] for start in (4 * PAGE, 5 * PAGE))
    path.write_bytes(content[: 4 * PAGE] + sixth + fifth + content[6 * PAGE :])


def zero(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4 * PAGE : 5 * PAGE] = bytes(PAGE)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda path: flip(path, 4 * PAGE + 100), AlteredError, "page 5 "),
        (lambda path: flip(path, 5 * PAGE - 80), AlteredError, "page 5 "),
        (lambda path: flip(path, 5 * PAGE - 60), AlteredError, "page 5 "),
        (swap, AlteredError, "page 5 "),
        (zero, AlteredError, "page 5 "),
        (lambda path: flip(path, 100), WrongKeyError, "does not open"),
        (lambda path: flip(path, 3), WrongKeyError, "does not open"),
        (lambda path: os.truncate(path, 4 * PAGE + 1000), TruncatedError, "cut off"),
        (lambda path: os.truncate(path, 4 * PAGE), TruncatedError, "cut off"),
        (lambda path: os.truncate(path, 1000), WrongKeyError, "whether the file is whole"),
    ],
    ids=["data", "vector", "code", "swapped", "zeroed", "page 1", "salt", "cut in a page", "cut", "cut in page 1"],
)
def test_what_was_altered_is_found(
    path: Path, change: Callable[[Path], None], error: type[Error], message: str
) -> None:
    run(OURS, path, *FILL)
    change(path)
    before = path.read_bytes()
    with pytest.raises(error, match=message):
        read(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("vacuum", ["FULL", "INCREMENTAL"])
def test_a_page_of_zeros_is_an_altered_one(path: Path, vacuum: str) -> None:
    """Whatever auto_vacuum is: neither the library nor SQLCipher leaves a page unwritten."""
    for engine in (OURS, SQLCIPHER):
        path.unlink(missing_ok=True)
        run(engine, path, f"PRAGMA auto_vacuum = {vacuum}", *FILL, "DELETE FROM t WHERE id % 3 = 0")
        content = path.read_bytes()
        pages = [content[start : start + PAGE] for start in range(0, len(content), PAGE)]
        assert bytes(PAGE) not in pages, engine
        blank = bytearray(content)
        blank[7 * PAGE : 8 * PAGE] = bytes(PAGE)
        path.write_bytes(blank)
        with pytest.raises(AlteredError, match="page 8 "):
            read(path)
        with Database(path, cipher=Cipher(RAW), journal_mode="delete") as database:
            assert database.check_pages() == [8]


def test_pages_that_carry_no_authentication_are_not_called_authentic(path: Path) -> None:
    run(SQLCIPHER, path, *FILL, settings={"compatibility": 1})
    flip(path, 5 * 1024 + 100)
    with (
        Database(path, cipher=Cipher(RAW, compatibility=1), journal_mode="delete") as database,
        pytest.raises(Error, match="carry no authentication"),
    ):
        database.check_pages()


@pytest.mark.parametrize("size", [100, 500, 2048])
def test_what_never_opened_is_not_said_to_be_cut_off(path: Path, size: int) -> None:
    """It may have smaller pages, another key, or be no database."""
    if size == 2048:
        run(SQLCIPHER, path, "CREATE TABLE t (a)", settings={"compatibility": 3})
        assert path.stat().st_size == size
    else:
        path.write_bytes(os.urandom(size))
    with pytest.raises(WrongKeyError if size == 2048 else DatabaseError, match=r"key|no database") as caught:
        read(path)
    assert caught.value.code != "CORM_E_TRUNCATED"


def test_a_wrong_key_cuts_nothing_off(path: Path) -> None:
    """A hot journal says how long the file was, and SQLite cuts it before it reads the first page."""
    run(OURS, path, *FILL)
    grow = "INSERT INTO t SELECT id + 1000, b, randomblob(900) FROM t"
    run(OURS, path, "PRAGMA cache_size = 5", "BEGIN", grow, end="kill")
    before = files(path)
    assert len(before) == 2
    for wrong in (Cipher(WRONG), Cipher(RAW, page_size=1024), Cipher(PASSPHRASE, rounds=10)):
        with pytest.raises(WrongKeyError):
            Database(path, cipher=wrong, journal_mode="delete")
        assert files(path) == before
    assert read(path)[0] == 400  # type: ignore[index]


def test_the_check_names_the_pages(path: Path) -> None:
    run(OURS, path, *FILL)
    for page in (5, 7, 8):
        flip(path, (page - 1) * PAGE + 50)
    with Database(path, cipher=Cipher(RAW), journal_mode="delete") as database:
        assert database.check_pages() == [5, 7, 8]
    theirs = run(SQLCIPHER, path, "PRAGMA cipher_integrity_check")[0]
    assert len(theirs) == 3
    assert [str(page) in row[0] for page, row in zip((5, 7, 8), theirs, strict=True)] == [True] * 3


def test_a_file_that_was_cut_is_said_to_be(path: Path) -> None:
    run(OURS, path, *FILL)
    os.truncate(path, path.stat().st_size - PAGE // 2)
    with Database(path, cipher=Cipher(RAW), mode="read_only") as database, pytest.raises(TruncatedError):
        database.check_pages()


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_wrong_key_harms_neither_journal_nor_wal(path: Path, tmp_path: Path, mode: str) -> None:
    run(SQLCIPHER, path, *FILL, mode=mode)
    spill = ("PRAGMA cache_size = 5", "BEGIN", "UPDATE t SET b = 'lost', c = randomblob(150)")
    committed = ("PRAGMA wal_autocheckpoint = 0", "UPDATE t SET b = 'kept' WHERE id = 1")
    run(SQLCIPHER, path, *(spill if mode == "delete" else committed), mode=mode, end="kill")
    shm = Path(f"{path}-shm")
    shm.unlink(missing_ok=True)
    before = files(path)
    assert len(before) == 2
    for wrong in (Cipher(WRONG), Cipher(RAW, page_size=8192), Cipher(PASSPHRASE, rounds=10), None):
        for journal in ("delete", "wal"):
            with pytest.raises((WrongKeyError, KeyMissingError, DatabaseError)):
                Database(path, cipher=wrong, journal_mode=journal)
            shm.unlink(missing_ok=True)
            if wrong is not None:
                assert files(path) == before
    if mode == "wal":
        # SQLite itself takes a WAL's frames for a plain file's.
        return
    assert run(OURS, path, "SELECT count(*) FROM t WHERE b LIKE 'row%'", mode=mode) == [[[400]]]


def test_a_flipped_bit_is_found_or_harmless(path: Path, tmp_path: Path) -> None:
    """At random places of the file, its journal and its WAL; never other rows, never a crash."""
    generator = random.Random(6)
    cases: list[Path] = []
    allowed: set[object] = set()
    for mode in ("delete", "wal"):
        folder = tmp_path / mode
        folder.mkdir()
        case = folder / "test.db"
        run(OURS, case, *FILL, mode=mode)
        allowed.add(read(case))
        change = "UPDATE t SET c = zeroblob(90) WHERE id = 5"
        begin = ("PRAGMA cache_size = 5", "BEGIN") if mode == "delete" else ("PRAGMA wal_autocheckpoint = 0",)
        spill = ("UPDATE t SET c = zeroblob(99)",) if mode == "delete" else ()
        run(OURS, case, *begin, change, *spill, mode=mode, end="kill")
        Path(f"{case}-shm").unlink(missing_ok=True)
        cases.append(case)
    count, size = max(allowed)  # type: ignore[type-var]
    # With the change of the WAL, which has 60 bytes less.
    allowed.add((count, size - 60))
    met: set[str] = set()
    for _ in range(FLIPS):
        case = generator.choice(cases)
        for file in case.parent.iterdir():
            shutil.copy(file, path.parent / file.name.replace(case.name, path.name))
        target = generator.choice([file for file in path.parent.glob("test.db*") if file.stat().st_size])
        offset = generator.randrange(target.stat().st_size)
        flip(target, offset)
        try:
            row = read(path)
            assert row in allowed, (target.name, row)
            met.add("harmless")
        except Error as error:
            met.add(error.code)
        for file in path.parent.glob("test.db*"):
            file.unlink()
    assert "harmless" in met
    assert len(met) > 1


def test_a_journal_that_is_on_the_disk_is_played_back_whole_or_refused(path: Path, tmp_path: Path) -> None:
    """Its headers, the numbers of its pages, the checksums and the bytes that they are made of, and its end."""
    run(OURS, path, *FILL, mode="delete")
    before = read(path)
    spill = ("PRAGMA cache_size = 5", "BEGIN", "UPDATE t SET c = zeroblob(99)")
    run(OURS, path, *spill, mode="delete", end="kill")
    journal = path.with_name("test.db-journal")
    kept = {file: file.read_bytes() for file in (path, journal)}
    assert kept[journal][28:36] == b"cormsync"
    first = 512
    page = range(first + 4 + PAGE % 200, first + 4 + PAGE, 800)
    ends = (*range(first, first + 4), *page, *range(first + 4 + PAGE, first + 8 + PAGE))
    damages = [(offset, bit) for offset in range(0, 64) for bit in range(8)]
    damages += [(offset, bit) for offset in ends for bit in (0, 7)]
    refused = 0
    for offset, bit in damages:
        flip(journal, offset, bit)
        refused += not is_restored(path, before)
        for file, content in kept.items():
            file.write_bytes(content)
    # All but for the bits of the mark's name, without which there is none, and numbers that SQLite passes over.
    assert refused >= len(damages) - 64 - 8 * 8
    # Cut between two of its parts, a journal is a shorter one.
    count = int.from_bytes(kept[journal][8:12], "big")
    assert count > 1
    for size in (first + 1, first + PAGE + 8, first + PAGE + 12, first + count * (PAGE + 8) - 1):
        journal.write_bytes(kept[journal][:size])
        assert not is_restored(path, before), size
        for file, content in kept.items():
            file.write_bytes(content)
    assert is_restored(path, before)


def test_a_record_of_a_journal_in_the_place_of_another_is_refused(path: Path) -> None:
    """Each is authentic; but a journal has a page once."""
    run(OURS, path, *FILL, mode="delete")
    before = read(path)
    spill = ("PRAGMA cache_size = 5", "BEGIN", "UPDATE t SET c = zeroblob(99)")
    run(OURS, path, *spill, mode="delete", end="kill")
    journal = path.with_name("test.db-journal")
    kept = {file: file.read_bytes() for file in (path, journal)}
    first, size = 512, PAGE + 8
    count = int.from_bytes(kept[journal][8:12], "big")
    assert count > 1
    for target in range(count):
        source = (target + 1) % count
        content = bytearray(kept[journal])
        record = kept[journal][first + source * size : first + (source + 1) * size]
        content[first + target * size : first + (target + 1) * size] = record
        journal.write_bytes(content)
        assert not is_restored(path, before), target
        for file, content_before in kept.items():
            file.write_bytes(content_before)
    assert is_restored(path, before)


def is_restored(path: Path, before: object) -> bool:
    """False where the library says that the journal, or a page in it, was altered."""
    try:
        assert read(path) == before
    except Error as error:
        assert error.code == "CORM_E_ALTERED", error
        return False
    return True


def test_each_mistake_has_an_error_of_its_own(path: Path, tmp_path: Path) -> None:
    run(OURS, path, *FILL)
    plain, text, random_file, empty = (tmp_path / name for name in ("plain.db", "text", "random", "empty"))
    with Database(plain) as database:
        database.execute_script("CREATE TABLE t (a)")
    text.write_text("no database at all, but a text\n" * 400)
    random_file.write_bytes(os.urandom(3 * PAGE))
    empty.touch()
    expected: list[tuple[Path, Cipher | None, str]] = [
        (path, None, "CORM_E_KEY_MISSING"),
        (path, Cipher(WRONG), "CORM_E_WRONG_KEY"),
        (path, Cipher("x"), "CORM_E_WRONG_KEY"),
        (path, Cipher(RAW, page_size=1024), "CORM_E_WRONG_KEY"),
        (path, Cipher(RAW, compatibility=3), "CORM_E_WRONG_KEY"),
        (plain, Cipher(RAW), "CORM_E_NOT_ENCRYPTED"),
        (text, Cipher(RAW), "CORM_E_NOT_A_DATABASE"),
        (text, None, "CORM_E_NOT_A_DATABASE"),
        (random_file, Cipher(RAW), "CORM_E_WRONG_KEY"),
        (random_file, None, "CORM_E_KEY_MISSING"),
    ]
    for file, cipher, code in expected:
        before = file.read_bytes()
        with pytest.raises(Error) as caught:
            Database(file, cipher=cipher)
        assert caught.value.code == code, (file, cipher)
        assert str(file) in str(caught.value) or cipher is None
        assert "2DD2" not in str(caught.value)
        assert file.read_bytes() == before
    with Database(empty, cipher=Cipher(RAW), journal_mode="delete") as database:
        database.execute_script("CREATE TABLE t (a)")
    check(empty)
    with pytest.raises(NotEncryptedError), Database(plain) as database:
        database.check_pages()


def test_a_check_can_be_stopped(path: Path) -> None:
    with Database(path, cipher=Cipher(RAW), journal_mode="delete") as database:
        database.execute_script("CREATE TABLE t (b); INSERT INTO t VALUES (zeroblob(100000000))")
        with pytest.raises(OperationalError) as caught, database.timeout(0.02):
            database.check_pages()
        assert caught.value.code == "CORM_E_INTERRUPTED"
        assert database.query("SELECT length(b) FROM t").fetch_one() == (100_000_000,)


def test_free_pages_hold_nothing(path: Path, tmp_path: Path) -> None:
    """After a power cut they may be half written, for SQLite keeps no journal of them: the file is good."""
    run(OURS, path, *FILL, "DROP INDEX t_b", "DELETE FROM t WHERE id > 60")
    whole = path.read_bytes()
    with Database(path, cipher=Cipher(RAW), journal_mode="delete") as database:
        used = {number for (number,) in database.query("SELECT pageno FROM dbstat")}
        (count,) = database.query("PRAGMA freelist_count").fetch_all()[0]
    free = sorted(set(range(1, len(whole) // PAGE + 1)) - used)
    assert len(free) == count > 10
    lists = 0
    for page in free:
        path.write_bytes(whole)
        flip(path, (page - 1) * PAGE + 999)
        with Database(path, cipher=Cipher(RAW), journal_mode="delete") as database:
            if database.check_pages() == [page]:
                lists += 1  # the one that says which others are free
                continue
            assert database.check_pages() == []
            database.backup(tmp_path / "copy.db")
            database.execute("INSERT INTO t SELECT NULL, b, zeroblob(500) FROM t, json_each('[1,2,3,4,5]')")
            assert database.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
        with Database(tmp_path / "copy.db", cipher=Cipher(RAW)) as copy:
            assert copy.query("SELECT count(*) FROM t").fetch_all() == [(60,)]
        (tmp_path / "copy.db").unlink()
    assert lists == 1


def test_pages_behind_the_end_hold_nothing(path: Path) -> None:
    run(OURS, path, *FILL)
    with path.open("ab") as file:
        file.write(os.urandom(2 * PAGE))
    with Database(path, cipher=Cipher(RAW), journal_mode="delete") as database:
        assert database.check_pages() == []
        assert database.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
