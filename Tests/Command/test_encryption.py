"""corm encrypt, decrypt and rekey, and what check says of encrypted files."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import time
from pathlib import Path

import pytest
from command_runs import Corm, put, rows
from running import COMMAND, make

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)"
FILL = "CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT); " + NUMBERS + " INSERT INTO t SELECT i, 'row ' || i FROM n"
# Raw, which need no derivation: a quarter of a second and more.
KEY, NEW = f"x'{'1' * 64}'", f"x'{'2' * 64}'"
COUNT = ("query", "a.db", "SELECT count(*) FROM t", "--csv")


@pytest.fixture
def keys(corm: Corm) -> Corm:
    put(corm, "key", f"{KEY}\n")
    put(corm, "new", f"{NEW}\n")
    return corm


def names(corm: Corm) -> list[str]:
    return sorted(path.name for path in corm.folder.iterdir())


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_there_and_back(keys: Corm, journal: str) -> None:
    path = make(keys.folder / "a.db", f"PRAGMA journal_mode = {journal}; {FILL}")
    before = rows(path, "SELECT * FROM t")
    keys.run("encrypt", "a.db", "--key-file", "key")
    assert b"row 1" not in path.read_bytes()
    keys.run("rekey", "a.db", "--key-file", "key", "--new-key-file", "new")
    keys.fails(*COUNT, "--key-file", "key")
    assert keys.run(*COUNT, CORM_KEY=NEW).out == "count(*)\n1000\n"
    keys.run("decrypt", "a.db", "--key-file", "new")
    assert rows(path, "SELECT * FROM t") == before
    assert rows(path, "PRAGMA journal_mode") == [(journal.lower(),)]
    assert names(keys) == ["a.db", "key", "new"]


def test_the_keys_from_the_environment(keys: Corm) -> None:
    make(keys.folder / "a.db", FILL)
    keys.run("encrypt", "a.db", CORM_KEY=KEY)
    keys.run("rekey", "a.db", CORM_KEY=KEY, CORM_NEW_KEY=NEW)
    keys.run("decrypt", "a.db", "--key-file", "new")


def test_a_new_key_is_asked_for_twice(keys: Corm) -> None:
    path = make(keys.folder / "a.db", FILL)
    twice = {"Key for a.db: ": "typed", "The same again: ": "typed"}
    shown = keys.terminal("encrypt", "a.db", answers=twice)
    assert shown.startswith("Key for a.db: \nThe same again: \n")
    assert "typed" not in shown
    answers = {"Key for a.db: ": "typed", "New key for a.db: ": "newer", "The same again: ": "newer"}
    assert "newer" not in keys.terminal("rekey", "a.db", answers=answers)
    assert keys.run(*COUNT, CORM_KEY="newer").out == "count(*)\n1000\n"
    before = path.read_bytes()
    answers = {"New key for a.db: ": "one", "The same again: ": "other"}
    assert "the two keys differ" in keys.terminal("rekey", "a.db", status=1, answers=answers, CORM_KEY="newer")
    assert path.read_bytes() == before


def test_the_terminal_is_as_it_was_after_the_questions(keys: Corm) -> None:
    make(keys.folder / "a.db", FILL)
    script = f'stty -a > before; "{COMMAND}" encrypt a.db; stty -a > after'
    keys.terminal(
        "-c", script, program=Path("/bin/bash"), answers={"Key for a.db: ": "typed", "The same again: ": "typed"}
    )
    assert keys.run(*COUNT, CORM_KEY="typed").out == "count(*)\n1000\n"
    assert (keys.folder / "before").read_text() == (keys.folder / "after").read_text()


def test_the_old_key_is_tried_before_the_new_one_is_asked_for(keys: Corm) -> None:
    make(keys.folder / "a.db", FILL)
    keys.run("encrypt", "a.db", "--key-file", "key")
    shown = keys.terminal("rekey", "a.db", status=1, answers={"Key for a.db: ": "wrong"})
    assert "does not open" in shown
    assert "New key" not in shown


def test_what_cannot_be_done(keys: Corm) -> None:
    make(keys.folder / "a.db", FILL)
    make(keys.folder / "plain.db", FILL)
    put(keys, "text.db", "no database " * 100)
    put(keys, "empty.db", "")
    keys.run("encrypt", "a.db", "--key-file", "key")
    before = {name: (keys.folder / name).read_bytes() for name in names(keys)}
    for arguments, what in {
        ("encrypt", "a.db", "--key-file", "key"): "encrypted already, or is no database",
        ("encrypt", "plain.db"): "there is no key to encrypt with\nhint: give the key with --key-file",
        ("encrypt", "text.db", "--key-file", "key"): '"text.db" is no SQLite database',
        ("encrypt", "empty.db", "--key-file", "key"): "is empty",
        ("encrypt", "gone.db", "--key-file", "key"): 'there is no file "gone.db"',
        ("decrypt", "plain.db"): "is not encrypted\nhint: it needs no key",
        ("decrypt", "plain.db", "--key-file", "key"): "is not encrypted\nhint: it needs no key",
        ("decrypt", "a.db"): "give the key with --key-file",
        ("decrypt", "a.db", "--key-file", "new"): "the key does not open",
        ("decrypt", "text.db"): "is no SQLite database",
        ("rekey", "plain.db", "--key-file", "key", "--new-key-file", "new"): "is not encrypted",
        ("rekey", "a.db", "--key-file", "key"): "there is no new key\nhint: give it with --new-key-file",
        ("rekey", "a.db", "--key-file", "new", "--new-key-file", "key"): "the key does not open",
        ("rekey", "gone.db", "--key-file", "key", "--new-key-file", "new"): 'there is no file "gone.db"',
    }.items():
        assert what in keys.fails(*arguments)
    assert {name: (keys.folder / name).read_bytes() for name in names(keys)} == before


def test_a_file_in_use_stays(keys: Corm) -> None:
    path = make(keys.folder / "a.db", f"PRAGMA journal_mode = WAL; {FILL}")
    other = sqlite3.connect(path)
    other.execute("SELECT * FROM t").fetchone()
    assert "end what else uses the file" in keys.fails("encrypt", "a.db", "--key-file", "key")
    other.close()
    assert rows(path, "SELECT count(*) FROM t") == [(1000,)]
    assert names(keys) == ["a.db", "key", "new"]


BIG = NUMBERS.replace("1000", "1500000") + " INSERT INTO t SELECT NULL, hex(zeroblob(80)) FROM n"


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 MB, which takes a while."""
    return make(tmp_path_factory.mktemp("big") / "big.db", f"{FILL}; {BIG}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_the_file_and_nothing_else(keys: Corm, big: Path, number: signal.Signals) -> None:
    path = Path(shutil.copyfile(big, keys.folder / "a.db"))
    process = keys.start("encrypt", "a.db", "--key-file", "key")
    copy = keys.folder / "a.db-corm-new"
    while not (copy.exists() and copy.stat().st_size > 10_000_000):
        time.sleep(0.001)
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told == b"corm: interrupted\nhint: nothing was changed; try again\n"
    assert rows(path, "PRAGMA quick_check") == [("ok",)]
    assert names(keys) == ["a.db", "key", "new"]


def test_progress_and_ctrl_c_on_a_terminal(keys: Corm, big: Path) -> None:
    shutil.copyfile(big, keys.folder / "a.db")
    shown = keys.terminal(
        "encrypt",
        "a.db",
        "--key-file",
        "key",
        status=130,
        interrupt=lambda shown: "% " in shown and "encrypting" in shown,
    )
    assert "pages" in shown
    assert "interrupted" in shown
    assert names(keys) == ["a.db", "key", "new"]


def test_check_tells_the_encryption(keys: Corm) -> None:
    path = make(keys.folder / "a.db", FILL)
    assert keys.run("check", "a.db").out == "nothing is wrong with a.db\nnot encrypted\n"
    keys.run("encrypt", "a.db", "--key-file", "key")
    assert keys.run("check", "a.db", CORM_KEY=KEY).out == "nothing is wrong with a.db\nencrypted as SQLCipher 4\n"
    pages = path.stat().st_size // 4096
    assert pages > 4
    # One bit of two pages.
    altered = bytearray(path.read_bytes())
    altered[2 * 4096 + 17] ^= 1
    altered[4 * 4096 + 17] ^= 1
    path.write_bytes(altered)
    found = keys.run("check", "a.db", "--json", "--key-file", "key", status=3).json
    assert found["encryption"] == "SQLCipher 4"
    assert [finding["message"] for finding in found["findings"]] == [
        "page 3 was altered or is damaged",
        "page 5 was altered or is damaged",
    ]
    assert all(finding["severity"] == "damage" and "backup" in finding["hint"] for finding in found["findings"])
    told = keys.fails("export", "a.db", "t", "--key-file", "key", "--out", "t.csv")
    assert "page 3 of" in told
    assert "corm check" in told
    assert not (keys.folder / "t.csv").exists()
    path.write_bytes(altered[: 4096 * 3 + 100])
    assert "was cut off" in keys.run("check", "a.db", "--key-file", "key", status=3).out
    assert "does not open" in keys.fails("check", "a.db", "--key-file", "new")


def test_inspect_tells_the_encryption(keys: Corm) -> None:
    make(keys.folder / "a.db", FILL)
    assert keys.run("inspect", "a.db").out.splitlines()[1].endswith(", not encrypted")
    assert keys.run("inspect", "a.db", "--json").json["file"]["encryption"] is None
    keys.run("encrypt", "a.db", "--key-file", "key")
    assert keys.run("inspect", "a.db", CORM_KEY=KEY).out.splitlines()[1].endswith(", encrypted as SQLCipher 4")
    assert keys.run("inspect", "a.db", "--json", CORM_KEY=KEY).json["file"]["encryption"] == "SQLCipher 4"
