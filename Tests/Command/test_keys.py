"""The key of an encrypted file: where it comes from, and every command with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from command_runs import TIMEOUT, Corm, put
from running import COMMAND, ENVIRONMENT, ROOT, make

FIXTURES = ROOT.parent / "shared" / "data" / "sqlcipher"
KEY = "correct horse battery staple"
RAW = "x'2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99'"
TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'one')"
COUNT = ("query", "a.db", "SELECT count(*) FROM t", "--csv")


@pytest.fixture
def encrypted(corm: Corm) -> Corm:
    """With a.db, whose key is in `key`."""
    put(corm, "key", f"{KEY}\n")
    make(corm.folder / "a.db", TABLE)
    corm.run("encrypt", "a.db", "--key-file", "key")
    return corm


def holds(corm: Corm, file: str, text: bytes) -> bool:
    return text in (corm.folder / file).read_bytes()


def test_where_a_key_comes_from(encrypted: Corm) -> None:
    assert encrypted.run(*COUNT, "--key-file", "key").out == "count(*)\n1\n"
    assert encrypted.run(*COUNT, CORM_KEY=KEY).out == "count(*)\n1\n"
    # The option is nearer than the environment.
    assert encrypted.run(*COUNT, "--key-file", "key", CORM_KEY="another").out == "count(*)\n1\n"
    put(encrypted, "bare", KEY)
    assert encrypted.run(*COUNT, "--key-file", "bare").out == "count(*)\n1\n"
    put(encrypted, "longer", KEY + "\n\n")
    assert "does not open" in encrypted.fails(*COUNT, "--key-file", "longer")


def test_a_key_comes_through_a_pipe(encrypted: Corm) -> None:
    os.mkfifo(encrypted.folder / "pipe")
    writer = threading.Thread(target=lambda: (encrypted.folder / "pipe").write_text(f"{KEY}\n"))
    writer.start()
    assert encrypted.run(*COUNT, "--key-file", "pipe").out == "count(*)\n1\n"
    writer.join()


def test_a_key_is_asked_for_on_a_terminal_and_not_shown(encrypted: Corm) -> None:
    shown = encrypted.terminal(*COUNT, answers={"Key for a.db: ": KEY})
    assert shown == "Key for a.db: \ncount(*)\n1\n"
    shown = encrypted.terminal(*COUNT, status=1, answers={"Key for a.db: ": "wrong"})
    assert "the key does not open" in shown
    assert "wrong\n" not in shown
    assert "is empty" in encrypted.terminal(*COUNT, status=1, answers={"Key for a.db: ": ""})
    # A plain file needs none.
    make(encrypted.folder / "plain.db", "")
    assert "Key" not in encrypted.terminal("query", "plain.db", "SELECT 1")


def test_ctrl_c_at_the_question_leaves_the_terminal_as_it_was(encrypted: Corm) -> None:
    # The terminal's settings are asked for by a shell that runs the command.
    script = f'stty -a > before; "{COMMAND}" {COUNT[0]} {COUNT[1]} "SELECT 1"; echo "status $?"; stty -a > after'
    shell = Corm(encrypted.folder)
    shown = shell.terminal("-c", script, program=Path("/bin/bash"), interrupt=lambda shown: "Key for" in shown)
    assert "interrupted" in shown
    assert "status 130" in shown
    assert (encrypted.folder / "before").read_text() == (encrypted.folder / "after").read_text()


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("", 'the key in "given" is empty\nhint: give a passphrase or a raw key'),
        ("\n", 'the key in "given" is empty'),
        ("x'12'", "the raw key is malformed\nhint: give x'...' with 64 hex digits, 96 with the salt, or 160"),
        ("wrong", "the key does not open"),
        ("k\0ey", "the key does not open"),
        ("long" * 300_000, "the key does not open"),
        ("endless" * 3_000_000, "a key has 16 MB at most"),
    ],
    ids=["empty", "newline", "malformed", "wrong", "NUL", "1 MB", "20 MB"],
)
def test_keys_that_are_none(encrypted: Corm, key: str, what: str) -> None:
    put(encrypted, "given", key)
    before = (encrypted.folder / "a.db").read_bytes()
    assert what in encrypted.fails(*COUNT, "--key-file", "given")
    assert (encrypted.folder / "a.db").read_bytes() == before


def test_key_files_that_cannot_be_read(encrypted: Corm) -> None:
    assert 'the key file "gone" cannot be read: No such file' in encrypted.fails(*COUNT, "--key-file", "gone")
    assert "Is a directory" in encrypted.fails(*COUNT, "--key-file", ".")
    assert "not read from standard input" in encrypted.fails(*COUNT, "--key-file", "-", stdin=KEY)
    assert "the key in CORM_KEY is empty" in encrypted.fails(*COUNT, CORM_KEY="")


def test_without_a_key_and_with_one_too_many(encrypted: Corm) -> None:
    assert (
        encrypted.fails(*COUNT) == 'corm: "a.db" is encrypted, or is no database\n'
        "hint: give the key with --key-file FILE, or in the environment as CORM_KEY\n"
    )
    make(encrypted.folder / "plain.db", "CREATE TABLE t (x)")
    for command in (["inspect"], ["query", "SELECT 1"], ["check"], ["export", "t"], ["diagram"]):
        message = encrypted.fails(command[0], "plain.db", *command[1:], "--key-file", "key")
        assert message.endswith('plain.db" is not encrypted\nhint: it needs no key; corm encrypt gives it one\n')


def test_the_settings_of_other_versions(corm: Corm) -> None:
    if not FIXTURES.exists():
        pytest.skip(f"{FIXTURES} is not there")
    salted = RAW[:-1] + "00112233445566778899AABBCCDDEEFF'"
    for name, key, settings in (
        ("pass_4.19", KEY, []),
        ("raw64", RAW, []),
        ("compat3", KEY, ["compatibility=3"]),
        ("page8192", RAW, ["page_size=8192"]),
        ("plainhdr32", salted, ["plain_header_size=32"]),
        ("wal_uncheckpointed", RAW, []),
        ("hot_journal", RAW, []),
    ):
        for file in FIXTURES.glob(f"{name}.db*"):
            shutil.copyfile(file, corm.folder / file.name)
        options = [option for setting in settings for option in ("--cipher", setting)]
        found = corm.run("query", f"{name}.db", "SELECT count(*) FROM t", "--csv", *options, CORM_KEY=key)
        assert found.out == "count(*)\n200\n"
    assert "SQLCipher 3" in corm.run("check", "compat3.db", *["--cipher", "compatibility=3"], CORM_KEY=KEY).out
    assert "give them with --cipher" in corm.fails("check", "page8192.db", CORM_KEY=RAW)
    for setting in ("compatibility=5", "salt=1", "rounds", "rounds=many"):
        assert "--cipher" in corm.fails(*COUNT, "--cipher", setting, status=64)


def test_every_command_takes_the_key(corm: Corm) -> None:
    """And nothing that it writes is plain."""
    marker = "in_no_file_to_be_read"
    put(corm, "key", RAW)
    make(corm.folder / "a.db", TABLE)
    corm.run("encrypt", "a.db", "--key-file", "key")
    put(corm, "t.csv", f"id,b\n2,{marker}\n")
    put(corm, "want.sql", f"CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT); CREATE TABLE {marker} (x INTEGER)")

    def run(*arguments: str, status: int = 0) -> str:
        return corm.run(*arguments, "--key-file", "key", status=status).out

    assert run("import", "a.db", "t.csv") == "1 row imported\n"
    assert marker in run("export", "a.db", "t")
    assert "encrypted as SQLCipher 4" in run("inspect", "a.db")
    assert '"t"' in run("diagram", "a.db")
    assert marker in run("plan", "a.db", "want.sql", status=2)
    assert marker in run("migrate", "a.db", "want.sql", "--snapshot", "before.db")
    assert run("diff", "a.db", "want.sql") == "no difference\n"
    assert marker in run("diff", "before.db", "a.db", status=2)
    run("generate-migration", "steps", "start", "a.db")
    run("adopt", "a.db", "steps")
    assert "applied" in run("status", "a.db", "steps")
    run("kv", "put", "a.db", "store", marker, marker)
    assert run("kv", "get", "a.db", "store", marker) == f"{marker}\n"
    run("generate", "a.db", "--language", "python", "--out", "models")
    assert "encrypted as SQLCipher 4" in run("check", "a.db", "--bundle", "steps")
    run("backup", "a.db", "copy.db")
    run("query", "a.db", "DELETE FROM t", "--write")
    run("restore", "a.db", "copy.db")
    run("restore", "new.db", "copy.db")
    assert run("query", "new.db", "SELECT b FROM t ORDER BY id DESC LIMIT 1", "--csv") == f"b\n{marker}\n"
    for file in ("a.db", "before.db", "copy.db", "new.db"):
        assert not holds(corm, file, marker.encode())
        assert not holds(corm, file, b"SQLite format 3")
    assert not [each.name for each in corm.folder.iterdir() if each.name.endswith(("-wal", "-journal", "-new"))]


def test_a_file_that_is_made_with_a_key_is_encrypted(corm: Corm) -> None:
    put(corm, "key", KEY)
    put(corm, "t.csv", "id,b\n2,marker\n")
    corm.run("import", "a.db", "t.csv", "--key-file", "key")
    assert not holds(corm, "a.db", b"marker")
    assert corm.run(*COUNT, "--key-file", "key").out == "count(*)\n1\n"
    put(corm, "bad.json", "[")
    corm.fails("import", "b.db", "bad.json", "--key-file", "key")
    assert not (corm.folder / "b.db").exists()


def test_files_with_and_without_key_in_one_command(encrypted: Corm) -> None:
    make(encrypted.folder / "plain.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT, c TEXT)")
    assert "t.c" in encrypted.run("diff", "a.db", "plain.db", "--key-file", "key", status=2).out
    encrypted.run("migrate", "a.db", "plain.db", "--key-file", "key")
    assert encrypted.run("diff", "plain.db", "a.db", "--key-file", "key").out == "no difference\n"
    # A plain copy is not written into an encrypted file, nor the other way round.
    for file, copy in (("a.db", "plain.db"), ("plain.db", "a.db")):
        before = (encrypted.folder / file).read_bytes()
        encrypted.fails("restore", file, copy, "--key-file", "key")
        assert (encrypted.folder / file).read_bytes() == before


def test_programs_that_the_command_starts_do_not_get_the_key(encrypted: Corm) -> None:
    tools = encrypted.folder / "tools"
    tools.mkdir()
    (tools / "dot").write_text('#!/bin/sh\nenv > "$OLDPWD/seen" || env > seen\ncat\n')
    (tools / "dot").chmod(0o755)
    subprocess.run(
        [COMMAND, "diagram", "a.db", "--format", "png", "--out", "a.png"],
        cwd=encrypted.folder,
        env=ENVIRONMENT | {"PATH": f"{tools}:{ENVIRONMENT['PATH']}", "CORM_KEY": KEY, "OLDPWD": str(encrypted.folder)},
        capture_output=True,
        timeout=TIMEOUT,
    )
    seen = (encrypted.folder / "seen").read_text()
    assert "PATH=" in seen
    assert "CORM_KEY" not in seen
