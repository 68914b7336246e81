"""encrypt, decrypt, rekey, backup and attach keep every row, and are as SQLCipher has it."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from conftest import FILL, OURS, PASSPHRASE, RAW, SQLCIPHER, SUM, check, files, run
from cormorant import (
    Cipher,
    Column,
    Database,
    Model,
    NotEncryptedError,
    OperationalError,
    Progress,
    WrongKeyError,
    column,
    decrypt,
    encrypt,
    rekey,
)

CIPHER = Cipher(RAW)
OTHER = Cipher("another passphrase", rounds=10)
# Rowids with gaps, a sequence, shadow tables, a generated column, WITHOUT ROWID, a trigger and a view.
EVERYTHING = """
CREATE TABLE plain (a TEXT, b BLOB);
INSERT INTO plain (rowid, a) VALUES (5, 'five'), (900, 'nine hundred'), (-3, 'below');
CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT UNIQUE, twice TEXT AS (a || a) STORED);
INSERT INTO counted (a) VALUES ('x'), ('y'), ('z'); DELETE FROM counted WHERE a = 'z';
CREATE TABLE keyed (k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO keyed VALUES ('k', 1.5), ('l', NULL);
CREATE VIRTUAL TABLE words USING fts5(body); INSERT INTO words VALUES ('some words'), ('other words');
CREATE VIEW seen AS SELECT a FROM plain; CREATE INDEX plain_a ON plain (a) WHERE a > 'a';
CREATE TRIGGER t AFTER INSERT ON plain BEGIN SELECT 1; END;
PRAGMA user_version = 7; PRAGMA application_id = 11;
"""


class Person(Model, table="person"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str] = column()


def plain_file(path: Path, page_size: int = 4096, journal_mode: str = "wal") -> list[str]:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA page_size = {page_size}")
    connection.execute(f"PRAGMA journal_mode = {journal_mode}")
    connection.executescript(EVERYTHING)
    connection.executescript(";".join(FILL))
    lines = content(connection)
    connection.close()
    return lines


def content(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT rowid, a FROM plain ORDER BY 1").fetchall()
    numbers = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "application_id")]
    return [*map(str, [*rows, *numbers]), *sorted(connection.iterdump())]


def plain_content(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    lines = content(connection)
    connection.close()
    return lines


@pytest.mark.parametrize(
    ("page_size", "journal_mode"), [(4096, "wal"), (4096, "delete"), (1024, "delete"), (16384, "wal")]
)
def test_a_file_goes_through_encrypt_rekey_and_decrypt(path: Path, page_size: int, journal_mode: str) -> None:
    before = plain_file(path, page_size, journal_mode)
    path.chmod(0o640)
    encrypt(path, CIPHER)
    assert files(path).keys() == {"test.db"}
    first = path.read_bytes()
    check(path)
    rekey(path, CIPHER, OTHER)
    assert path.read_bytes()[:16] != first[:16], "the salt is new"
    with pytest.raises(WrongKeyError), Database(path, cipher=CIPHER):
        pass
    assert run(SQLCIPHER, path, SUM, key="another passphrase", settings={"rounds": 10})[0][0][0] == 400
    decrypt(path, OTHER)
    assert path.stat().st_mode & 0o777 == 0o640
    assert plain_content(path) == before
    assert files(path).keys() == {"test.db"}


def test_the_journal_mode_stays(path: Path) -> None:
    for mode, version in (("wal", 2), ("delete", 1)):
        path.unlink(missing_ok=True)
        plain_file(path, journal_mode=mode)
        encrypt(path, CIPHER)
        decrypt(path, CIPHER)
        assert path.read_bytes()[18] == version


def test_files_beside_it_stay(path: Path) -> None:
    own = path.with_name("test.db.recoding")
    own.write_text("mine")
    with Database(path) as database:
        database.execute_script(";".join(FILL))
    left = path.with_name("test.db-corm-new")
    left.write_bytes(b"left by a process that was killed")
    encrypt(path, Cipher(RAW))
    decrypt(path, Cipher(RAW))
    with Database(path) as database:
        database.backup(path.with_name("copy.db"))
    assert own.read_text() == "mine"
    assert not left.exists()


def test_files_of_older_sqlciphers_become_new_ones(path: Path) -> None:
    for compatibility in (1, 2, 3):
        path.unlink(missing_ok=True)
        old = {"compatibility": compatibility}
        run(SQLCIPHER, path, *FILL, key=PASSPHRASE, settings=old)
        rekey(path, Cipher(PASSPHRASE, compatibility=compatibility), CIPHER)  # type: ignore[arg-type]
        check(path)
        assert run(SQLCIPHER, path, SUM)[0][0][0] == 400


def test_a_file_in_use_is_busy_and_stays(path: Path) -> None:
    plain_file(path)
    with Database(path) as database, pytest.raises(OperationalError) as caught:
        database.query(SUM).fetch_all()
        encrypt(path, CIPHER)
    assert caught.value.code == "CORM_E_BUSY"
    plain_content(path)


def test_progress_is_told_and_cancels(path: Path) -> None:
    before = plain_file(path)
    told: list[Progress] = []
    connection = sqlite3.connect(path)
    connection.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40000) "
        "INSERT INTO t SELECT 1000 + i, 'x', randomblob(200) FROM n"
    )
    connection.commit()
    connection.close()
    before = plain_content(path)
    with pytest.raises(OperationalError) as caught:
        encrypt(path, CIPHER, progress=lambda progress: told.append(progress) or len(told) < 3)
    assert caught.value.code == "CORM_E_INTERRUPTED"
    assert len(told) == 3
    assert told[0].step == "encrypt"
    assert plain_content(path) == before
    assert files(path).keys() == {"test.db"}
    encrypt(path, CIPHER, progress=told.append)
    assert told[-1].done == told[-1].total > 1000


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "folder" / "real.db"
    target.parent.mkdir()
    plain_file(target)
    path.symlink_to(target)
    encrypt(path, CIPHER)
    assert path.is_symlink()
    check(target)


def test_old_connections_see_that_the_file_was_replaced(path: Path) -> None:
    plain_file(path, journal_mode="delete")
    connection = sqlite3.connect(path)
    assert connection.execute(SUM).fetchone()[0] == 400
    encrypt(path, CIPHER)
    with pytest.raises(sqlite3.DatabaseError):
        connection.execute("INSERT INTO t VALUES (99999, 'lost', NULL)")
    connection.close()
    check(path)


@pytest.mark.parametrize("target", ["plain", "same", "other"])
@pytest.mark.parametrize("source", ["plain", "same", "memory"])
def test_backups_between_any_of_them(path: Path, tmp_path: Path, source: str, target: str) -> None:
    ciphers = {"plain": None, "memory": None, "same": CIPHER, "other": OTHER}
    copy = tmp_path / "copy.db"
    with Database(":memory:" if source == "memory" else path, cipher=ciphers[source]) as database:
        database.execute_script(EVERYTHING + ";".join(FILL))
        database.backup(copy, cipher=ciphers[target])
        database.execute("DELETE FROM t WHERE id > 10")
        page_size = database.query("PRAGMA page_size").fetch_one()
        database.execute_script("VACUUM")
        assert database.query("PRAGMA page_size").fetch_one() == page_size
    if target == "plain" and source == "same":
        decrypt(copy, CIPHER)
    with Database(copy, cipher=ciphers[target]) as database:
        assert database.query(SUM).fetch_one()[0] == 400
        assert database.query("SELECT rowid FROM plain ORDER BY 1").fetch_all() == [(-3,), (5,), (900,)]
        assert database.query("SELECT * FROM words('other')").fetch_all() == [("other words",)]
        assert database.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
    assert sorted(file.name for file in tmp_path.iterdir() if file.name.startswith("copy")) == ["copy.db"]
    assert (copy.read_bytes()[:15] == b"SQLite format 3") == (target == "plain")


def test_plain_and_encrypted_files_are_attached_together(path: Path, tmp_path: Path) -> None:
    other, plain = tmp_path / "other.db", tmp_path / "plain.db"
    plain_file(plain)
    with Database(path, cipher=CIPHER) as database:
        database.attach(other, "other", cipher=OTHER)
        database.attach(plain, "plain")
        database.execute_script("CREATE TABLE here (x); CREATE TABLE other.there (x)")
        with database.transaction():
            database.execute("INSERT INTO here SELECT id FROM plain.t")
            database.execute("INSERT INTO other.there SELECT x FROM here")
            database.execute("DELETE FROM plain.t")
        with pytest.raises(WrongKeyError):
            database.attach(other, "again", cipher=CIPHER)
        database.execute_script("DETACH plain")
        database.execute("DELETE FROM here WHERE x > 10")
    assert run(SQLCIPHER, other, "SELECT count(*) FROM there", key="another passphrase", settings={"rounds": 10}) == [
        [[400]]
    ]
    check(path)


def test_a_snapshot_of_an_encrypted_file_is_encrypted(path: Path, tmp_path: Path) -> None:
    snapshot = tmp_path / "snapshot.db"
    with Database(path, cipher=CIPHER) as database:
        database.execute_script("CREATE TABLE t (a)")
        database.sync(Person, snapshot=snapshot)
        check(snapshot)
        database.execute_script("INSERT INTO t VALUES ('later')")
        database.restore(snapshot)
        assert database.query("SELECT count(*) FROM t").fetch_one() == (0,)


def test_a_copy_with_another_salt_or_key_is_restored(path: Path, tmp_path: Path) -> None:
    first, second, plain = (tmp_path / name for name in ("first.db", "second.db", "plain.db"))
    key = Cipher(PASSPHRASE, rounds=10)
    with Database(path, cipher=key) as database:
        database.execute_script("CREATE TABLE t (a)")
        database.backup(first, cipher=key)
        database.backup(second, cipher=OTHER)
        assert len({file.read_bytes()[:16] for file in (path, first, second)}) == 3
        for copy, cipher in ((first, key), (second, OTHER)):
            database.execute("INSERT INTO t VALUES (1)")
            with pytest.raises(WrongKeyError, match="say what a copy is encrypted with"):
                database.restore(copy)
            with pytest.raises(WrongKeyError):
                database.restore(copy, cipher=CIPHER)
            database.restore(copy, cipher=cipher)
            assert database.query("SELECT count(*) FROM t").fetch_one() == (0,)
        shutil.copy(first, plain)
        decrypt(plain, key)
        with pytest.raises(NotEncryptedError):
            database.restore(plain)
    with Database(path, cipher=key) as database:
        assert database.check_pages() == []


def test_a_plain_template_is_not_taken_for_an_encrypted_file(path: Path, tmp_path: Path) -> None:
    plain_file(tmp_path / "template.db", journal_mode="delete")
    with pytest.raises(NotEncryptedError, match="template"):
        Database(path, cipher=CIPHER, template=tmp_path / "template.db")
    assert not path.exists()


def test_a_template_may_be_encrypted(path: Path, tmp_path: Path) -> None:
    template = tmp_path / "template.db"
    run(OURS, template, *FILL)
    with Database(path, cipher=CIPHER, template=template) as database:
        assert database.query(SUM).fetch_one()[0] == 400
    shutil.copy(path, template)
    check(template)


def test_a_file_is_not_backed_up_over_itself(path: Path) -> None:
    with Database(path, cipher=CIPHER, journal_mode="delete") as database:
        database.execute_script(";".join(FILL))
        with pytest.raises(OperationalError, match="is there already"):
            database.backup(path, cipher=CIPHER)
    check(path)


def test_no_copy_is_open_to_more_people_than_the_file(path: Path, tmp_path: Path) -> None:
    plain_file(path)
    path.chmod(0o600)
    modes: set[int] = set()

    def look(_progress: Progress) -> None:
        modes.update(file.stat().st_mode & 0o777 for file in tmp_path.glob("test.db-corm-new"))

    encrypt(path, CIPHER)
    decrypt(path, CIPHER, progress=look)
    assert modes <= {0o600}
    assert path.stat().st_mode & 0o777 == 0o600
    with Database(path) as database:
        database.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600


def test_another_name_of_the_file_keeps_its_content(path: Path, tmp_path: Path) -> None:
    before = plain_file(path, journal_mode="delete")
    other = tmp_path / "other name.db"
    other.hardlink_to(path)
    encrypt(path, CIPHER)
    assert plain_content(other) == before
    check(path)


@pytest.mark.parametrize("main", [None, Cipher(RAW, page_size=8192)], ids=["plain", "encrypted"])
@pytest.mark.parametrize("small", [None, Cipher(RAW, page_size=1024)], ids=["plain", "encrypted"])
@pytest.mark.parametrize("is_new", [False, True], ids=["there", "new"])
def test_an_attached_file_has_pages_of_its_own_size(
    tmp_path: Path, main: Cipher | None, small: Cipher | None, is_new: bool
) -> None:
    sizes = {"main": 8192 if main else 4096, "small": 4096 if is_new and not small else 1024}
    if not is_new:
        with Database(tmp_path / "small.db", cipher=small, journal_mode="delete") as db:
            db.execute_script("PRAGMA page_size = 1024; CREATE TABLE s (b)")
    with Database(tmp_path / "main.db", cipher=main, journal_mode="delete", reader_count=0) as db:
        db.execute_script("CREATE TABLE t (b)")
        db.attach(tmp_path / "small.db", "small", cipher=small)
        db.execute_script(
            "CREATE TABLE small.u (b); INSERT INTO small.u VALUES (zeroblob(5000)); INSERT INTO t VALUES (1)"
        )
        for schema, size in sizes.items():
            db.execute_script(f"VACUUM {schema}")
            assert db.fetch_value(f"PRAGMA {schema}.page_size") == size
            assert db.fetch_value(f"PRAGMA {schema}.integrity_check") == "ok"
    with Database(tmp_path / "small.db", cipher=small, journal_mode="delete") as db:
        assert db.fetch_value("SELECT length(b) FROM u") == 5000
        assert small is None or db.check_pages() == []
