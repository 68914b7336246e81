"""Names, values and messages that would command a terminal: every command shows them as escapes."""

from __future__ import annotations

import re

import pytest
from command_runs import Corm, put
from running import make

# A title for the window, a bell, colours by both introducers, what is typed over, a line of its own, text turned round.
EVIL = "\x1b]0;pwn\x07\x1b[31m\x9b32m\r\x08\x7f\nFORGED\u202e\u2066\u200e\u200f\u061cx"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|^FORGED", re.MULTILINE)
MARKS = re.compile("\x1b\\[(0|1|2|1;31|1;33|32)m")  # those that the command makes on a terminal


def name(of: str, quote: str = '"') -> str:
    return quote + (of + EVIL).replace(quote, quote * 2) + quote


SCHEMA = f"""
CREATE TABLE {name("parent")} ({name("id")} INTEGER PRIMARY KEY, {name("a")} TEXT DEFAULT {name("d", "'")}
    CONSTRAINT {name("c")} CHECK ({name("a")} <> {name("v", "'")}));
CREATE TABLE {name("child")} ({name("id")} INT, {name("b")} {name("type")} REFERENCES {name("parent")},
    {name("g")} REFERENCES {name("gone")}, x "BADTYP", UNIQUE ({name("b")}));
CREATE INDEX {name("i")} ON {name("child")} ({name("g")}) WHERE {name("g")} <> {name("v", "'")};
CREATE VIEW {name("view")} AS SELECT {name("a")} FROM {name("parent")};
CREATE VIEW {name("broken")} AS SELECT {name("none")} FROM {name("nowhere")};
CREATE TRIGGER {name("t")} AFTER DELETE ON {name("parent")} BEGIN SELECT {name("v", "'")}; END;
CREATE VIRTUAL TABLE {name("search")} USING fts5 ({name("words")});
"""
ROWS = f"INSERT INTO {name('parent')} VALUES (1, {name('v2', chr(39))}), (2, CAST(x'1b9b80ff41' AS TEXT));"


@pytest.fixture
def folder(corm: Corm) -> Corm:
    """With a file of hostile names, another schema, a bundle, and what is imported."""
    database = make(corm.folder / "a.db", SCHEMA + ROWS + f"INSERT INTO {name('child')} VALUES (1, 77, 78, 9);")
    # Another with a type that is no UTF-8.
    (corm.folder / "bytes.db").write_bytes(database.read_bytes().replace(b"BADTYP", b"B\xff\x1b\x07\xc3P"))
    put(corm, "old.sql", SCHEMA.replace(', x "BADTYP"', "").replace(", UNIQUE (", ", CHECK (").split("CREATE VIEW")[0])
    put(corm, "empty.sql", "")
    corm.run("generate-migration", "old.sql", "bundle", "--name", "one", status=None)
    make(corm.folder / "step.db", "")
    put(corm, "a.csv", f"{name('id')},{name('col')}\n{name('v')},{name('w')}\n")
    put(corm, "a.json", '[{"k\\u001b]0;\\u0007": 1}]')
    (corm.folder / EVIL).write_text("no database" * 99)
    return corm


ANY = None
COMMANDS: list[tuple[object, ...]] = [
    ("inspect", "a.db"),
    ("inspect", "a.db", "parent" + EVIL, "child" + EVIL, "view" + EVIL, "search" + EVIL),
    ("inspect", "a.db", "nothing" + EVIL),
    ("inspect", "bytes.db", "child" + EVIL),
    ("check", "bytes.db"),
    ("plan", "bytes.db", "empty.sql"),
    ("diagram", "bytes.db"),
    ("diagram", "a.db"),
    ("diagram", "a.db", "--format", "dot"),
    ("query", "a.db", f"SELECT * FROM {name('parent')}"),
    ("query", "a.db", f"SELECT {name('nothing')} FROM {name('parent')}"),
    ("query", "a.db", f"SELECT\n{EVIL} 1"),
    ("query", "a.db", "SELECT :a", "--bind", EVIL),
    ("check", "a.db"),
    ("check", "a.db", "--schema", "old.sql"),
    ("diff", "a.db", "old.sql"),
    ("diff", "old.sql", "a.db"),
    ("plan", "a.db", "old.sql"),
    ("plan", "a.db", "empty.sql"),
    ("plan", "step.db", "old.sql"),
    ("plan", "step.db", "bundle"),
    ("generate-migration", "empty.sql", "bundle", "--name", "two"),
    ("generate-migration", "empty.sql", "bundle", "--name", EVIL),
    ("status", "step.db", "bundle"),
    ("migrate", "step.db", "bundle", "--to", EVIL),
    ("migrate", "step.db", "bundle"),
    ("migrate", "a.db", "empty.sql"),
    ("down", "step.db", "bundle", "--to", EVIL),
    ("resolve", "step.db", "bundle", EVIL, "--done"),
    ("squash", "bundle", "--to", EVIL),
    ("seal", EVIL),
    ("adopt", "step.db", EVIL),
    *(("generate", "a.db", "--language", language, "--out", language) for language in ("c", "python", "swift")),
    ("generate", "a.db", "--language", EVIL, "--out", EVIL),
    ("generate", "a.db", "--language", "c", "--out", EVIL + "/a/b", "--name", EVIL),
    ("import", "a.db", "a.csv", "--table", "new" + EVIL),
    ("import", "a.db", "a.csv", "--table", "parent" + EVIL),
    ("import", "a.db", "a.json", "--table", "parent" + EVIL),
    ("export", "a.db", "gone" + EVIL),
    ("kv", "put", "a.db", "s" + EVIL, "k" + EVIL, "v" + EVIL),
    ("kv", "list", "a.db", "s" + EVIL),
    ("kv", "get", "a.db", "s" + EVIL, "nothing" + EVIL),
    ("kv", "delete", "a.db", "s" + EVIL, "nothing" + EVIL),
    ("backup", "a.db", "no folder" + EVIL + "/b.db"),
    ("restore", "a.db", "nothing" + EVIL),
    ("encrypt", "nothing" + EVIL),
    ("inspect", EVIL),
    (EVIL,),
    ("inspect", "--" + EVIL),
]  # fmt: skip


def test_no_command_shows_them_as_they_are(folder: Corm) -> None:
    """finding reliability.md A8"""
    for command in COMMANDS:
        done = folder.run(*command, status=ANY)
        assert done.status in (0, 1, 2, 3, 64), (command, done)
        for text in (done.out, done.err):
            found = RAW.search(text)
            assert found is None, (command, text[max(0, found.start() - 99) : found.end() + 20])


def test_nor_on_a_terminal_with_colours(folder: Corm) -> None:
    for command in COMMANDS:
        shown = MARKS.sub("", folder.terminal(*command, status=ANY, columns=500)).replace("\r\x1b[2K", "")
        found = RAW.search(shown)
        assert found is None, (command, shown[max(0, found.start() - 99) : found.end() + 20])


def test_what_programs_read_has_them_whole(folder: Corm) -> None:
    """Data stays as it is: in JSON by JSON's own escapes, in CSV and in a value raw."""
    assert folder.run("plan", "a.db", "empty.sql", "--json", status=2).json["steps"]
    tables = folder.run("inspect", "a.db", "--json").json["metadata"]["tables"]
    assert "parent" + EVIL in [table["name"] for table in tables]
    values = folder.run("query", "a.db", f"SELECT {name('a')} FROM {name('parent')} LIMIT 1", "--csv").out
    assert "v2" + EVIL in values
    folder.run("kv", "put", "a.db", "s", "k", "v" + EVIL)
    assert folder.run("kv", "get", "a.db", "s", "k").out == "v" + EVIL + "\n"
