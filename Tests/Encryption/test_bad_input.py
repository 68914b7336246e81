"""Keys and settings that cannot be, providers that fail, files that may not be written."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from conftest import FILL, OURS, PASSPHRASE, RAW, SQLCIPHER, check, run
from cormorant import Cipher, Database, Error, ProgrammingError, decrypt, encrypt, rekey

FAST = {"rounds": 5}


MALFORMED = ["", b"", "x'", "x''", "x'12'", "X'zz'", RAW[:-2] + "'", RAW[:-1] + "00'", RAW.replace("2D", "2G")]


@pytest.mark.parametrize("key", MALFORMED)
def test_an_empty_or_malformed_key_is_refused(path: Path, key: str) -> None:
    with pytest.raises(ProgrammingError) as caught:
        Database(path, cipher=Cipher(key))
    assert caught.value.code == "CORM_E_MISUSE"
    assert not path.exists()


@pytest.mark.parametrize("key", [b"with\0NUL", "x" * 1_000_000, b"\xff\xfe", "x'12", "\0"])
def test_any_other_bytes_are_a_passphrase(path: Path, key: Any) -> None:
    with Database(path, cipher=Cipher(key, **FAST)) as database:
        database.execute_script("CREATE TABLE t (a)")
    with Database(path, cipher=Cipher(key, **FAST)) as database:
        assert database.query("SELECT count(*) FROM t").fetch_one() == (0,)
    with pytest.raises(Error):
        Database(path, cipher=Cipher(b"with", **FAST))


@pytest.mark.parametrize(
    "settings",
    [
        {"page_size": 512},
        {"page_size": 4095},
        {"page_size": 131072},
        {"page_size": -1},
        {"rounds": -1},
        {"rounds": 2**40},
        {"compatibility": 5},
        {"compatibility": -1},
        {"plain_header_size": 7},
        {"plain_header_size": 32},
        {"plain_header_size": -16},
        {"plain_header_size": 4016},
        {"page_size": 512, "hmac_algorithm": "off"},
        {"kdf_algorithm": "off"},
        {"hmac_algorithm": "md5"},
    ],
)
def test_settings_that_cannot_be_are_refused(path: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(ProgrammingError):
        Database(path, cipher=Cipher(PASSPHRASE, **settings))
    assert not path.exists()


def test_a_key_provider_is_asked_and_may_fail(path: Path) -> None:
    asked: list[str] = []

    def provide(path: str) -> str:
        asked.append(path)
        return RAW

    run(OURS, path, *FILL)
    with Database(path, cipher=Cipher(provide)) as database:
        assert database.query("SELECT count(*) FROM t").fetch_one() == (400,)
    assert asked == [str(path)]

    def fail(_path: str) -> str:
        raise LookupError("no keyring")

    with pytest.raises(LookupError, match="no keyring"):
        Database(path, cipher=Cipher(fail))
    with pytest.raises(ProgrammingError):
        Database(path, cipher=Cipher(lambda _path: ""))
    with pytest.raises(Error):
        Database(path, cipher=Cipher(lambda _path: 7))  # type: ignore[arg-type, return-value]


def test_a_provider_that_fails_opens_nothing(path: Path, tmp_path: Path) -> None:
    """Neither a new file nor another one; what it raised is what is raised."""

    def fail(_path: str) -> str:
        raise LookupError("no keyring")

    with pytest.raises(LookupError, match="no keyring"):
        Database(path, cipher=Cipher(fail))
    assert not path.exists()
    with Database(tmp_path / "plain.db") as database:
        with pytest.raises(LookupError):
            database.attach(path, "other", cipher=Cipher(fail))
        with pytest.raises(LookupError):
            database.backup(path, cipher=Cipher(fail))
        with pytest.raises(LookupError):
            database.restore(path, cipher=Cipher(fail))
    with pytest.raises(LookupError):
        encrypt(tmp_path / "plain.db", Cipher(fail))
    with pytest.raises(LookupError):
        rekey(tmp_path / "plain.db", Cipher(fail), Cipher(RAW))
    assert [file.name for file in tmp_path.iterdir()] == ["plain.db"]


def test_a_provider_is_asked_for_the_file_that_will_be(path: Path, tmp_path: Path) -> None:
    asked: list[str] = []

    def provide(path: str) -> str:
        asked.append(Path(path).name)
        return RAW

    cipher = Cipher(provide)
    with Database(path, cipher=cipher) as database:
        database.backup(tmp_path / "copy.db", cipher=cipher)
    decrypt(path, cipher)
    encrypt(path, cipher)
    assert asked == ["test.db", "copy.db", "test.db", "test.db"]


def test_a_cipher_does_not_tell_its_key() -> None:
    cipher = Cipher("hunter2")
    assert "hunter2" not in repr(cipher) + str(cipher)
    with pytest.raises(ProgrammingError):
        pickle.dumps(cipher)
    with pytest.raises(ProgrammingError):
        copy.copy(cipher)


def test_errors_and_traces_do_not_tell_the_key(path: Path, tmp_path: Path) -> None:
    traced: list[str] = []
    with Database(path, cipher=Cipher("hunter2", **FAST)) as database:
        database.set_trace(lambda sql, _seconds: traced.append(sql))
        database.attach(tmp_path / "other.db", "other", cipher=Cipher("hunter3", **FAST))
        database.backup(tmp_path / "copy.db", cipher=Cipher("hunter4", **FAST))
        with pytest.raises(Error) as caught:
            database.attach(tmp_path / "no/such.db", "bad", cipher=Cipher("hunter5", **FAST))
    said = repr(caught.value) + str(caught.value) + "".join(traced)
    assert traced
    assert "hunter" not in said
    assert "such.db" in said


def test_a_database_in_memory_has_no_key() -> None:
    with pytest.raises(ProgrammingError, match="memory"):
        Database(":memory:", cipher=Cipher(RAW))


def test_files_that_cannot_be_converted(path: Path, tmp_path: Path) -> None:
    cipher = Cipher(RAW)
    for operation in (encrypt, decrypt):
        with pytest.raises(Error) as caught:
            operation(tmp_path / "missing.db", cipher)
        assert caught.value.code == "CORM_E_CANNOT_OPEN"
        with pytest.raises(Error):
            operation(tmp_path, cipher)
    path.touch()
    with pytest.raises(Error, match="is empty"):
        encrypt(path, cipher)
    run(OURS, path, *FILL)
    with pytest.raises(Error) as caught:
        encrypt(path, cipher)
    assert caught.value.code == "CORM_E_KEY_MISSING"
    for wrong in (lambda: decrypt(path, Cipher("x", **FAST)), lambda: rekey(path, Cipher("x", **FAST), cipher)):
        with pytest.raises(Error) as caught:
            wrong()
        assert caught.value.code == "CORM_E_WRONG_KEY"
    check(path)
    assert sorted(os.listdir(tmp_path)) == ["test.db"]


def test_a_transaction_of_another_process_keeps_rekey_out(path: Path) -> None:
    run(OURS, path, *FILL)
    with Database(path, cipher=Cipher(RAW), journal_mode="delete") as database, database.transaction():
        database.execute("DELETE FROM t")
        with pytest.raises(Error) as caught:
            rekey(path, Cipher(RAW), Cipher("new", **FAST))
        assert caught.value.code == "CORM_E_BUSY"
    check(path)


def test_attach_and_backup_with_another_key_are_refused_inside_a_transaction(path: Path, tmp_path: Path) -> None:
    with Database(path, cipher=Cipher(RAW)) as database, database.transaction():
        other = Cipher("another", **FAST)
        for call in (
            lambda: database.attach(tmp_path / "a", "a"),
            lambda: database.backup(tmp_path / "b", cipher=other),
        ):
            with pytest.raises(ProgrammingError) as caught:
                call()
            assert caught.value.code == "CORM_E_TRANSACTION"


def test_pragmas_that_would_break_the_file_do_not(path: Path) -> None:
    run(OURS, path, *FILL)
    with Database(path, cipher=Cipher(RAW), journal_mode="delete") as database:
        database.execute_script("PRAGMA page_size = 8192; VACUUM; PRAGMA mmap_size = 100000000; PRAGMA key = 'other'")
        database.execute_script("PRAGMA auto_vacuum = INCREMENTAL; VACUUM; DELETE FROM t WHERE id > 100")
        database.execute_script("PRAGMA incremental_vacuum; INSERT INTO t SELECT id + 1000, b, c FROM t")
    check(path)
    assert run(SQLCIPHER, path, "SELECT count(*) FROM t") == [[[200]]]


@pytest.mark.parametrize("question", ["vfs=unix", "cache=shared"])
def test_a_uri_does_not_lead_past_the_codec(path: Path, question: str) -> None:
    """It can name another VFS, which would write a plain file, or a cache in which another key reads."""
    uri = f"file:{path}?{question}"
    with pytest.raises(ProgrammingError, match="URI"):
        Database(uri, cipher=Cipher(RAW))
    with Database(":memory:") as database, pytest.raises(ProgrammingError, match="URI"):
        database.attach(uri, "other", cipher=Cipher(RAW))
    assert not path.exists()


STATEMENTS = ["VACUUM INTO '{}'", "ATTACH '{}' AS other", "ATTACH '{}' || '' AS other", "ATTACH 'file:{}' AS other"]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_no_statement_writes_a_plain_file_beside_an_encrypted_one(path: Path, tmp_path: Path, statement: str) -> None:
    target = tmp_path / "other.db"
    with Database(path, cipher=Cipher(RAW)) as database:
        database.execute_script(";".join(FILL))
        with pytest.raises(ProgrammingError, match="backup"):
            database.execute_script(statement.format(target))
        with pytest.raises(ProgrammingError, match="backup"):
            database.execute("VACUUM INTO ?", (str(target),))
        assert not target.exists()
        database.execute_script("VACUUM; ATTACH ':memory:' AS m; DETACH m; ATTACH '' AS t; DETACH t")
        database.attach(target, "other")
        database.execute_script("CREATE TABLE other.t (a); DETACH other")
        database.backup(tmp_path / "copy.db")
    with Database(tmp_path / "plain.db") as database:
        database.execute_script(statement.format(target) if "ATTACH" in statement else "SELECT 1")


def test_memory_is_not_attached_with_a_key() -> None:
    with Database(":memory:") as database:
        with pytest.raises(Error, match="memory"):
            database.attach(":memory:", "other", cipher=Cipher(RAW))
        database.attach(":memory:", "other")


@pytest.mark.parametrize("length", range(1, 9))
def test_a_transaction_over_two_files_is_committed_whatever_their_names(tmp_path: Path, length: int) -> None:
    """The name of the super-journal stands in the journals, behind it what may be taken for a page."""
    one, two = tmp_path / ("a" * length + ".db"), tmp_path / ("b" * length + ".db")
    with Database(one, cipher=Cipher(RAW), journal_mode="delete") as database:
        database.attach(two, "two", cipher=Cipher(RAW))
        database.execute_script("CREATE TABLE t (a); CREATE TABLE two.t (a)")
        with database.transaction():
            database.execute("INSERT INTO main.t VALUES (1)")
            database.execute("INSERT INTO two.t VALUES (2)")
    for file, value in ((one, 1), (two, 2)):
        with Database(file, cipher=Cipher(RAW), journal_mode="delete") as database:
            assert database.query("SELECT a FROM t").fetch_all() == [(value,)]
