"""corm inspect."""

from __future__ import annotations

import resource
from pathlib import Path

from command_runs import Corm
from running import COMMAND, make

SCHEMA = """
CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE album (
  id INTEGER PRIMARY KEY, title TEXT DEFAULT 'untitled', artist INTEGER REFERENCES artist (id) ON DELETE CASCADE,
  upper AS (upper(title)), CHECK (title <> '')
);
CREATE INDEX by_title ON album (title COLLATE NOCASE DESC) WHERE artist IS NOT NULL;
CREATE VIEW titles AS SELECT title FROM album;
CREATE TRIGGER cleaner AFTER DELETE ON artist BEGIN SELECT 1; END;
CREATE VIRTUAL TABLE search USING fts5 (title, body);
INSERT INTO artist VALUES (1, 'Ada'), (2, 'Grace');
INSERT INTO album (artist) VALUES (1), (1), (2);
PRAGMA user_version = 7;
"""


def test_a_file_at_a_glance(corm: Corm) -> None:
    make(corm.folder / "a.db", SCHEMA)
    out = corm.run("inspect", "a.db").out
    lines = {line.split()[0]: line for line in out.splitlines() if line}
    assert "user_version 7" in out
    assert lines["artist"].split() == ["artist", "2", "4.1", "kB", "2", "1"]
    assert lines["album"].split() == ["album", "3", "4.1", "kB", "4", "1", "artist"]
    assert lines["titles"].split() == ["titles", "(view)", "1", "0"]
    assert "search (virtual: fts5)" in lines["search"]
    assert "search_data" not in out
    assert not [line for line in out.splitlines() if line != line.rstrip()]


def test_tables_in_full(corm: Corm) -> None:
    make(corm.folder / "a.db", SCHEMA)
    out = corm.run("inspect", "a.db", "album", "ARTIST").out
    for line in (
        "album  table, 3 rows, 4.1 kB",
        "title   TEXT              yes   'untitled'",
        "upper                     yes   = upper(title)",
        "index by_title (title DESC) where artist IS NOT NULL  4.1 kB",
        "foreign key (artist) to artist (id), on delete cascade",
        "check title <> ''",
        "referred to by album (artist)",
        "trigger cleaner  after delete",
    ):
        assert line in out.splitlines(), (line, out)
    assert "did you mean album?" in corm.fails("inspect", "a.db", "albums")


def test_json_tells_all_of_it(corm: Corm) -> None:
    make(corm.folder / "a.db", SCHEMA)
    found = corm.run("inspect", "a.db", "--json").json
    assert found["file"]["user_version"] == 7
    assert found["file"]["page_size"] == 4096
    sizes = {size["table"]: size for size in found["sizes"]}
    assert sizes["album"]["rows"] == 3
    assert sizes["album"]["indexes"] == [{"name": "by_title", "bytes": 4096}]
    assert sizes["titles"]["rows"] is None
    assert [table["name"] for table in found["metadata"]["tables"]] == ["artist", "album", "search", "titles"]
    fast = corm.run("inspect", "a.db", "--json", "--fast").json
    assert fast["sizes"][0] == {"table": "artist", "rows": None, "bytes": None, "indexes": []}


def test_an_empty_file(corm: Corm) -> None:
    (corm.folder / "a.db").write_text("")
    assert "0 bytes in 0 pages" in corm.run("inspect", "a.db").out


def test_what_cannot_be_understood_is_said_and_the_rest_is_shown(corm: Corm) -> None:
    make(
        corm.folder / "a.db",
        """
        CREATE TABLE good (x);
        CREATE VIEW broken AS SELECT * FROM gone;
        PRAGMA writable_schema = ON;
        INSERT INTO sqlite_schema VALUES ('table', 'odd', 'odd', 0, 'CREATE VIRTUAL TABLE odd USING zork(a, b)');
        """,
    )
    out = corm.run("inspect", "a.db").out
    assert "good" in out
    assert "not understood: view broken: its columns are not known: no such table: main.gone" in out
    assert "not understood: table odd: its columns are not known: no such module: zork" in out


def test_hostile_names(corm: Corm) -> None:
    names = [
        'a"b',
        "日本 🎉",
        "../../etc/passwd",
        "x'; DROP TABLE y; --",
        "line\nbreak",
        "\x1b[31m",
        "e\u0301",
        "é",
        "table",
    ]
    make(
        corm.folder / "a.db",
        "".join('CREATE TABLE "{}" ("{}");'.format(*[name.replace('"', '""')] * 2) for name in names),
    )
    out = corm.run("inspect", "a.db").out
    assert "\x1b" not in out
    assert "line\\nbreak" in out
    found = corm.run("inspect", "a.db", "--json").json
    assert [size["table"] for size in found["sizes"]] == names
    assert {size["rows"] for size in found["sizes"]} == {0}
    for name in names:
        assert corm.run("inspect", "a.db", name).out.count(name if name.isprintable() else "\\") >= 2


def test_2000_tables(corm: Corm) -> None:
    make(corm.folder / "a.db", "BEGIN;" + "".join(f"CREATE TABLE t{i} (a, b, c);" for i in range(2000)) + "COMMIT;")
    assert corm.run("inspect", "a.db").out.count("\n") == 2005
    assert corm.run("diagram", "a.db").out.count("\n") == 2001


def test_chinook_takes_no_longer_than_a_glance(corm: Corm, chinook: Path) -> None:
    def processor_time() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    took = []
    for _ in range(5):
        began = processor_time()
        assert "Track          3503" in corm.run("inspect", chinook).out
        took.append(processor_time() - began)
    # Of the processor, so that what else a machine does makes no difference; a build for debugging is slower.
    assert min(took) < (0.5 if "debug" in str(COMMAND) else 0.05), took


def test_a_table_that_a_search_reads_is_no_part_of_it(corm: Corm) -> None:
    schema = """
CREATE TABLE doc_content (id INTEGER PRIMARY KEY, body TEXT);
CREATE VIRTUAL TABLE doc USING fts5(body, content='doc_content', content_rowid='id');
CREATE TABLE none_content (id INTEGER PRIMARY KEY);
CREATE VIRTUAL TABLE "none" USING fts5(body, Content = '');
CREATE VIRTUAL TABLE own USING fts5(content);
"""
    (corm.folder / "s.sql").write_text(schema)
    corm.run("migrate", "n.db", "s.sql", "--create")
    out = corm.run("inspect", "n.db").out
    assert "doc_content" in out
    assert "none_content" in out
    assert "doc_data" not in out
    assert "own_content" not in out
    assert corm.run("export", "n.db", "doc_content").out == "id,body\n"
    assert corm.run("diff", "n.db", "s.sql").out == corm.run("diff", "s.sql", "s.sql").out
