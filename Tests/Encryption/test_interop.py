"""What the library writes SQLCipher reads, and the other way round, also after a process was killed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import FILL, OLDER_SQLCIPHER, OURS, PASSPHRASE, RAW, RAW_KEYS, RAW_SALT, SQLCIPHER, SUM, check, run

MODES = ["delete", "wal"]
ENDS = ["close", "kill"]
ALL_ROWS = [400, "row 1", "row 99", 80200]
CHANGE = "UPDATE t SET b = b || ' changed' WHERE id % 3 = 0"


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("reader", [SQLCIPHER, OLDER_SQLCIPHER])
def test_sqlcipher_reads_what_the_library_wrote(path: Path, reader: str, mode: str, end: str) -> None:
    run(OURS, path, *FILL, mode=mode, end=end)
    assert run(reader, path, SUM, mode=mode) == [[ALL_ROWS]]
    check(path, mode=mode)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("writer", [SQLCIPHER, OLDER_SQLCIPHER])
def test_the_library_reads_what_sqlcipher_wrote(path: Path, writer: str, mode: str, end: str) -> None:
    run(writer, path, *FILL, mode=mode, end=end)
    assert run(OURS, path, SUM, mode=mode) == [[ALL_ROWS]]
    check(path, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_each_writes_on_where_the_other_was_killed(path: Path, mode: str) -> None:
    run(SQLCIPHER, path, *FILL, mode=mode, end="kill")
    for round, engine in enumerate([OURS, SQLCIPHER, OURS, OURS, SQLCIPHER, SQLCIPHER, OURS] * 2):
        run(engine, path, CHANGE, f"INSERT INTO t VALUES ({1000 + round}, 'round', NULL)", mode=mode, end="kill")
    sql = "SELECT count(*), max(length(b)) FROM t"
    assert run(SQLCIPHER, path, sql, mode=mode)[0][0][0] == 414
    check(path, mode=mode)


def test_commits_in_a_wal_without_checkpoint_are_seen_by_sqlcipher(path: Path) -> None:
    """A shim that encrypts pages and leaves the WAL's checksums alone loses them silently."""
    run(OURS, path, *FILL, mode="wal")
    updates = [f"UPDATE t SET b = 'WAL {number}' WHERE id = {number}" for number in range(1, 101)]
    run(OURS, path, "PRAGMA wal_autocheckpoint = 0", *updates, mode="wal", end="kill")
    assert Path(f"{path}-wal").stat().st_size > 100 * 4096
    assert run(SQLCIPHER, path, "SELECT count(*) FROM t WHERE b LIKE 'WAL %'", mode="wal") == [[[100]]]
    check(path, mode="wal")


@pytest.mark.parametrize("leave", ["by reading", "by writing", "beside a cursor", "beside a cursor, and go on"])
def test_commits_of_sqlcipher_after_exclusive_locking_are_there_after_a_crash(path: Path, leave: str) -> None:
    """SQLite takes no locks for writes meanwhile, at which the checksum in the log's index is corrected."""
    from cormorant import Cipher, Database

    insert = "INSERT INTO t (b) VALUES ('ours')"
    with Database(path, cipher=Cipher(RAW), journal_mode="wal", reader_count=0) as db:
        db.execute_script("PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT)")
        db.execute(insert)
        # More rows than are fetched at once.
        many = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 3000000) SELECT i FROM n, t"
        cursor = db.query(many) if "cursor" in leave else ()
        rows = iter(cursor)
        next(rows, None)
        db.execute(insert)
        db.query("PRAGMA locking_mode = EXCLUSIVE").fetch_all()
        db.execute_script(f"{insert}; {insert}")
        db.query("PRAGMA locking_mode = NORMAL").fetch_all()
        db.execute(insert) if leave != "by reading" else db.query("SELECT * FROM t").fetch_all()
        if leave == "beside a cursor, and go on":
            db.execute(insert)
        del cursor, rows
        theirs = "INSERT INTO t (b) VALUES ('theirs')"
        assert run(SQLCIPHER, path, theirs, theirs, "SELECT count(*) FROM t", mode="wal", end="kill")[2] != [[2]]
        rows_now = db.query("SELECT id, b FROM t").fetch_all()
        for name in ("a", "b"):
            shutil.copy(path, path.with_name(name))
            shutil.copy(f"{path}-wal", path.with_name(f"{name}-wal"))
    assert rows_now[-1][1] == "theirs"
    for name, engine in (("a", OURS), ("b", SQLCIPHER)):
        found = run(engine, path.with_name(name), "SELECT id, b FROM t", mode="wal")
        assert found == [[list(row) for row in rows_now]]


@pytest.mark.parametrize(("writer", "reader"), [(OURS, SQLCIPHER), (SQLCIPHER, OURS), (OURS, OURS)])
def test_a_hot_journal_is_rolled_back_by_the_other(path: Path, writer: str, reader: str) -> None:
    """A shim that leaves the journal's checksums alone has the other roll back half of it."""
    run(writer, path, *FILL)
    before = path.read_bytes()
    spill = ("PRAGMA cache_size = 5", "BEGIN", "UPDATE t SET b = 'lost ' || id, c = randomblob(150)")
    run(writer, path, *spill, end="kill")
    assert Path(f"{path}-journal").stat().st_size > 10 * 4096
    assert path.read_bytes() != before
    assert run(reader, path, SUM) == [[ALL_ROWS]]
    assert not Path(f"{path}-journal").exists()
    check(path)


def test_pages_that_spill_into_the_wal_twice_have_checksums(path: Path) -> None:
    """SQLite writes them in place and makes the checksums of the frames anew when it commits."""
    run(OURS, path, *FILL, mode="wal")
    again = [f"UPDATE t SET b = 'pass {number} ' || id, c = randomblob(150)" for number in range(4)]
    sql = ("PRAGMA cache_size = 5", "PRAGMA wal_autocheckpoint = 0", "BEGIN", *again, "COMMIT")
    run(OURS, path, *sql, "UPDATE t SET b = 'last' WHERE id = 7", mode="wal", end="kill")
    counted = run(
        SQLCIPHER, path, "SELECT count(*), sum(b = 'last') FROM t WHERE b LIKE 'pass 3%' OR b = 'last'", mode="wal"
    )
    assert counted == [[[400, 1]]]
    check(path, mode="wal")


@pytest.mark.parametrize("mode", ["truncate", "persist", "memory"])
def test_other_journal_modes(path: Path, mode: str) -> None:
    run(OURS, path, *FILL, mode=mode)
    run(OURS, path, CHANGE, "BEGIN", "DELETE FROM t", "ROLLBACK", mode=mode)
    assert run(SQLCIPHER, path, "SELECT count(*) FROM t", mode=mode) == [[[400]]]
    check(path, mode=mode)


@pytest.mark.parametrize("maker", [OURS, SQLCIPHER])
@pytest.mark.parametrize(
    ("key", "settings"),
    [
        (PASSPHRASE, {}),
        ('päss\'wörd "quoted" 漢字', {}),
        (RAW_SALT, {}),
        (PASSPHRASE, {"page_size": 8192, "rounds": 1000}),
        (PASSPHRASE, {"page_size": 1024, "rounds": 5}),
        (PASSPHRASE, {"page_size": 65536, "rounds": 5}),
        (RAW_KEYS, {}),
        (RAW_KEYS, {"plain_header_size": 32}),
        (RAW_SALT, {"plain_header_size": 32}),
        (RAW_SALT, {"plain_header_size": 112}),
        (RAW_SALT, {"plain_header_size": 4000}),
        (PASSPHRASE, {"rounds": 5, "hmac_algorithm": "off"}),
        (RAW, {"hmac_algorithm": "off", "page_size": 1024}),
        (PASSPHRASE, {"kdf_algorithm": "sha1", "hmac_algorithm": "sha1"}),
        (PASSPHRASE, {"kdf_algorithm": "sha256", "hmac_algorithm": "sha256"}),
        (PASSPHRASE, {"rounds": 5, "kdf_algorithm": "sha1", "hmac_algorithm": "sha512"}),
        (RAW, {"kdf_algorithm": "sha512", "hmac_algorithm": "sha256"}),
        (RAW, {"kdf_algorithm": "sha256", "hmac_algorithm": "sha1", "page_size": 1024}),
        (PASSPHRASE, {"compatibility": 3}),
        (PASSPHRASE, {"compatibility": 2}),
        (PASSPHRASE, {"compatibility": 1}),
    ],
)
def test_keys_and_settings(path: Path, maker: str, key: str, settings: dict[str, int]) -> None:
    other = SQLCIPHER if maker == OURS else OURS
    for mode in MODES:
        run(maker, path, "DROP TABLE IF EXISTS t", *FILL, key=key, settings=settings, mode=mode)
        assert run(other, path, CHANGE, SUM, key=key, settings=settings, mode=mode)[1][0][0] == 400
        found = run(SQLCIPHER, path, "PRAGMA integrity_check", key=key, settings=settings, mode=mode)
        assert found == [[["ok"]]]
