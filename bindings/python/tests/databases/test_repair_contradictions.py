"""Files whose pages contradict each other, or themselves: what is saved is right, and what may be wrong is told."""

from __future__ import annotations

import sqlite3
import struct
import time
from pathlib import Path

import pytest

from cormorant import DatabaseError, RepairReport, repair

PAGE = 4096
NUMBERS = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < {0}) "


class Damaged:
    """A file whose bytes are changed."""

    def __init__(self, path: Path, script: str) -> None:
        self.path = path
        path.unlink(missing_ok=True)
        file = sqlite3.connect(path)
        file.executescript(f"PRAGMA page_size = {PAGE}; {script}")
        self.roots = dict(file.execute("SELECT name, rootpage FROM sqlite_schema"))
        file.close()
        self.bytes = bytearray(path.read_bytes())

    def at(self, page: int) -> int:
        return (page - 1) * PAGE

    def cells(self, page: int) -> list[int]:
        start = self.at(page)
        (count,) = struct.unpack_from(">H", self.bytes, start + 3)
        first = start + (8 if self.bytes[start] in (10, 13) else 12)
        return [start + place for place in struct.unpack_from(f">{count}H", self.bytes, first)]

    def halve(self, page: int) -> None:
        struct.pack_into(">H", self.bytes, self.at(page) + 3, len(self.cells(page)) // 2)

    def repair(self) -> tuple[RepairReport, sqlite3.Connection]:
        self.path.write_bytes(self.bytes)
        new = self.path.with_name("new.db")
        new.unlink(missing_ok=True)
        report = repair(self.path, new)
        saved = sqlite3.connect(new)
        assert saved.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return report, saved


def all_of(saved: sqlite3.Connection, sql: str) -> list[tuple[object, ...]]:
    return saved.execute(sql).fetchall()


SCHEMA = (
    "CREATE TABLE keep (id INTEGER PRIMARY KEY, v); CREATE TABLE w (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID;"
    + NUMBERS.format(100)
    + "INSERT INTO keep SELECT i, 'v' || i FROM n;"
    + NUMBERS.format(2000)
    + "INSERT INTO w SELECT format('key %05d', i), 'value ' || i FROM n;"
    "CREATE VIEW seen AS SELECT 1; CREATE TRIGGER told AFTER INSERT ON keep BEGIN SELECT 1; END;"
    "CREATE INDEX found ON keep (v); CREATE TABLE bare (a, b UNIQUE);"
)


@pytest.mark.parametrize("row", [b"tableww", b"viewseenseen", b"triggertoldkeep", b"indexfoundkeep", b"tablebarebare"])
def test_a_row_of_the_schema_that_is_none_is_told(path: Path, row: bytes) -> None:
    file = Damaged(path, SCHEMA)
    file.bytes[file.bytes.index(row)] ^= 0x20
    report, saved = file.repair()
    assert not report.is_whole
    assert all_of(saved, "SELECT count(*) FROM keep") == [(100,)]
    if row == b"tableww":
        assert all_of(saved, "SELECT count(*) FROM lost_and_found WHERE c0 LIKE 'key %'") == [(2000,)]
    else:
        # An index that is not known has entries that may be rows of a table WITHOUT ROWID.
        assert report.found_rows == (101 if row == b"indexfoundkeep" else 1)
        name = row[-4:].decode() if row != b"triggertoldkeep" else "told"
        if row != b"indexfoundkeep":
            assert all_of(saved, f"SELECT c1 FROM lost_and_found WHERE c4 LIKE 'CREATE%{name}%'") == [(name,)]


def test_a_root_of_a_table_that_is_none_is_told(path: Path) -> None:
    file = Damaged(path, SCHEMA)
    place = file.bytes.index(b"tableww") + 7
    assert file.bytes[place] == file.roots["w"]
    file.bytes[place] = 0
    report, saved = file.repair()
    assert not report.is_whole
    found = all_of(saved, "SELECT count(*) FROM w")[0][0]
    assert isinstance(found, int)
    assert found + report.found_rows == 2000


def test_the_pages_behind_a_count_that_fell_are_found(path: Path) -> None:
    file = Damaged(path, SCHEMA)
    lost = len(file.cells(file.roots["w"])) // 2
    file.halve(file.roots["w"])
    report, saved = file.repair()
    assert not report.is_whole
    # Those that stood on the page itself are behind its count.
    assert all_of(saved, "SELECT count(*) >= ? FROM w".replace("?", str(2000 - lost - 1))) == [(1,)]


@pytest.mark.parametrize("table", ["keep", "found"])
def test_rows_behind_a_count_that_fell_are_told(path: Path, table: str) -> None:
    file = Damaged(path, SCHEMA)
    file.halve(file.roots[table])
    report, saved = file.repair()
    # An index is made anew.
    assert report.is_whole == (table == "found")
    assert all_of(saved, "SELECT count(*) FROM keep") == [(100 if table == "found" else 50,)]


def test_a_row_that_has_the_end_of_another_is_told(path: Path) -> None:
    values = "".join(f"INSERT INTO a VALUES ({n}, '{letter * 9000}');" for n, letter in ((1, "A"), (2, "B"), (3, "C")))
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v);" + values)
    content = bytes(file.bytes[file.at(file.roots["a"]) : file.at(file.roots["a"] + 1)])
    first, second = (file.at(file.roots["a"]) + content.rindex(letter) + 1 for letter in (b"A", b"B"))
    file.bytes[first : first + 4] = file.bytes[second : second + 4]
    report, saved = file.repair()
    assert all_of(saved, "SELECT id, v FROM a") == [(3, "C" * 9000)]
    assert (report.tables[0].lost_rows, report.found_rows) == (2, 2)


def test_a_row_that_ends_in_a_page_of_a_table_costs_that_one_nothing(path: Path) -> None:
    file = Damaged(
        path,
        f"CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, '{'A' * 5000}');"
        "CREATE TABLE b (id INTEGER PRIMARY KEY, v);"
        + NUMBERS.format(3000)
        + "INSERT INTO b SELECT i, 'b' || i FROM n",
    )
    (leaf,) = struct.unpack_from(">I", file.bytes, file.cells(file.roots["b"])[3])
    content = bytes(file.bytes[file.at(file.roots["a"]) : file.at(file.roots["a"] + 1)])
    struct.pack_into(">I", file.bytes, file.at(file.roots["a"]) + content.rindex(b"A") + 1, leaf)
    report, saved = file.repair()
    assert all_of(saved, "SELECT count(*) FROM b") == [(3000,)]
    assert [table.lost_rows for table in report.tables] == [1, 0]


@pytest.mark.parametrize("first", ["a", "b"])
def test_tables_with_the_root_of_each_other_do_not_take_its_rows(path: Path, first: str) -> None:
    tables = {
        "a": "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'a1'), (2, 'a2');",
        "b": "CREATE TABLE b (id INTEGER PRIMARY KEY, v);"
        + NUMBERS.format(3000)
        + "INSERT INTO b SELECT i, 'b' || i FROM n;",
    }
    file = Damaged(path, tables.pop(first) + next(iter(tables.values())))
    place = file.bytes.index(b"tablebb") + 7
    assert file.bytes[place] == file.roots["b"]
    file.bytes[place] = file.roots["a"]
    report, saved = file.repair()
    assert not report.is_whole
    for name in ("a", "b"):
        assert all_of(saved, f"SELECT v FROM {name} WHERE v NOT LIKE '{name}%'") == []
    kept = all_of(saved, "SELECT (SELECT count(*) FROM a) + (SELECT count(*) FROM b)")[0][0]
    assert isinstance(kept, int)
    assert kept + report.found_rows == 3002


def journal(page: bytes, size: int, owner: bytes = b"") -> bytes:
    """Of a transaction that changed page 1. https://www.sqlite.org/fileformat2.html#the_rollback_journal"""
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", 1, 7, size, 512, PAGE)
    total = (7 + sum(page[place] for place in range(PAGE - 200, 0, -200))) & 0xFFFFFFFF
    content = head.ljust(512, b"\0") + struct.pack(">I", 1) + page + struct.pack(">I", total)
    if owner:
        content += struct.pack(">I", 0x4000_0000 // PAGE + 1) + owner
        content += struct.pack(">II", len(owner), sum(owner)) + bytes.fromhex("d9d505f920a163d7")
    return content


@pytest.mark.parametrize("is_committed", [False, True])
def test_a_journal_of_several_files_counts_as_long_as_they_are_not_committed(path: Path, is_committed: bool) -> None:
    """Where its super-journal is gone SQLite takes the transaction for committed, and deletes the journal."""
    file = Damaged(path, "CREATE TABLE a (x); INSERT INTO a VALUES (1);")
    old = bytes(file.bytes[:PAGE])
    changed = sqlite3.connect(path)
    changed.execute("PRAGMA user_version = 5")
    changed.close()
    file.bytes = bytearray(path.read_bytes())
    owner = path.with_name("other.db-mj0123459AB")
    if not is_committed:
        owner.write_bytes(bytes(path) + b"-journal\0")
    path.with_name(path.name + "-journal").write_bytes(journal(old, len(file.bytes) // PAGE, bytes(owner)))
    report, saved = file.repair()
    assert report.is_whole
    assert all_of(saved, "PRAGMA user_version") == [(5 if is_committed else 0,)]


@pytest.mark.parametrize("size", [0xFFFFFFFF, 1 << 24])
def test_a_size_that_a_journal_cannot_mean_is_not_believed(path: Path, size: int) -> None:
    file = Damaged(path, "CREATE TABLE a (x); INSERT INTO a VALUES (1);")
    path.with_name(path.name + "-journal").write_bytes(journal(bytes(file.bytes[:PAGE]), size))
    start = time.process_time()
    report, saved = file.repair()
    assert time.process_time() - start < 2
    assert report.is_whole
    assert all_of(saved, "SELECT x FROM a") == [(1,)]


def test_a_descending_key_is_not_the_rowid(path: Path) -> None:
    """https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key"""
    file = Damaged(
        path,
        "CREATE TABLE a (id INTEGER PRIMARY KEY DESC, v); INSERT INTO a VALUES (5, 'x'), (NULL, 'y');"
        "INSERT INTO a (rowid, id, v) VALUES (100, 7, 'z')",
    )
    report, saved = file.repair()
    assert report.is_whole
    assert all_of(saved, "SELECT rowid, id, v FROM a") == [(1, 5, "x"), (2, None, "y"), (100, 7, "z")]


def test_deleted_rows_that_may_be_back_are_told(path: Path) -> None:
    """Where the list of free pages is damaged, too, nothing tells them from rows whose page has lost its place."""
    file = Damaged(
        path,
        "PRAGMA secure_delete = OFF; CREATE TABLE a (id INTEGER PRIMARY KEY, v);"
        + NUMBERS.format(3000)
        + "INSERT INTO a SELECT i, 'live' || i FROM n; DELETE FROM a WHERE id BETWEEN 500 AND 2500",
    )
    file.bytes[32:36] = struct.pack(">I", 99_999)
    file.bytes[file.at(file.roots["a"])] = 0
    report, saved = file.repair()
    assert not report.is_whole
    found = all_of(saved, "SELECT count(*) FROM a WHERE id < 500 OR id > 2500")[0][0]
    assert isinstance(found, int)
    assert found + report.found_rows >= 999


def test_a_page_of_another_table_in_the_place_of_one_is_told(path: Path) -> None:
    file = Damaged(
        path,
        "CREATE TABLE a (id INTEGER PRIMARY KEY, v); CREATE TABLE b (id INTEGER PRIMARY KEY, v);"
        + NUMBERS.format(3000)
        + "INSERT INTO a SELECT i, 'a' || i FROM n;"
        + NUMBERS.format(3000)
        + "INSERT INTO b SELECT i + 10000, 'b' || i FROM n",
    )
    mine, others = (struct.unpack_from(">I", file.bytes, file.cells(file.roots[name])[3])[0] for name in "ab")
    lost = len(file.cells(mine))
    file.bytes[file.at(mine) : file.at(mine + 1)] = file.bytes[file.at(others) : file.at(others + 1)]
    report, saved = file.repair()
    assert all_of(saved, "SELECT count(*) FROM a WHERE v LIKE 'a%'") == [(3000 - lost,)]
    assert all_of(saved, "SELECT count(*) FROM a WHERE v NOT LIKE 'a%'") == [(0,)]
    assert all_of(saved, "SELECT count(*) FROM b") == [(3000,)]
    assert report.tables[0].lost_pages == 1


def test_rowids_that_are_out_of_order_are_told(path: Path) -> None:
    file = Damaged(
        path,
        "CREATE TABLE a (id INTEGER PRIMARY KEY, v);" + NUMBERS.format(100) + "INSERT INTO a SELECT i, 'a' || i FROM n",
    )
    # Behind the cell's size.
    file.bytes[file.cells(file.roots["a"])[50] + 1] = 20
    report, saved = file.repair()
    assert all_of(saved, "SELECT count(*) FROM a WHERE v <> 'a' || id") == [(0,)]
    assert (report.tables[0].lost_rows, report.found_rows) == (2, 2)
    assert all_of(saved, "SELECT id, c1 FROM lost_and_found") == [(50, "a50"), (20, "a51")]


HOSTILE = [
    (
        "table",
        "z",
        "CREATE TABLE z AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c",
    ),
    ("table", "z", "CREATE TRIGGER z AFTER INSERT ON a BEGIN DELETE FROM a; END"),
    ("table", "z", "CREATE TEMP TRIGGER z AFTER INSERT ON a BEGIN INSERT INTO a VALUES (NULL, 'new'); END"),
    ("table", "z", "CREATE TABLE y (x)"),
    ("view", "z", "CREATE TABLE z (x)"),
    ("table", "a", "CREATE VIRTUAL TABLE a USING fts5 (x)"),
    ("table", "z", "CREATE VIRTUAL TABLE y USING fts5 (x)"),
    ("table", "z", "CREATE VIRTUAL TABLE z USING ("),
    ("table", "sqlite_schema", "CREATE VIRTUAL TABLE sqlite_schema USING fts5 (x)"),
    ("table", "f", "CREATE VIRTUAL TABLE f USING fts5 (y)"),
]


@pytest.mark.parametrize("row", HOSTILE, ids=[str(number) for number in range(len(HOSTILE))])
def test_a_schema_does_nothing_but_make_what_it_says(path: Path, row: tuple[str, str, str]) -> None:
    script = "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x'), (2, 'y');"
    file = Damaged(path, script + "CREATE VIRTUAL TABLE f USING fts5 (x); INSERT INTO f VALUES ('found')")
    changed = sqlite3.connect(path)
    changed.execute("PRAGMA writable_schema = ON")
    with changed:
        changed.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, 0, ?)", (row[0], row[1], row[1], row[2]))
    changed.close()
    file.bytes = bytearray(path.read_bytes())
    report, saved = file.repair()
    assert [table.problem for table in report.tables if table.name == row[1] and table.problem]
    assert all_of(saved, "SELECT * FROM a") == [(1, "x"), (2, "y")]
    assert all_of(saved, "SELECT * FROM f ('found')") == [("found",)]
    assert all_of(saved, "SELECT name FROM sqlite_schema WHERE name GLOB '[a-eg-km-z]*'") == [("a",)]


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH '{other}' AS other; DROP TABLE other.kept",
        "VACUUM INTO '{made}'",
        "CREATE VIRTUAL TABLE g USING fts5 (x); ATTACH '{other}' AS other; DROP TABLE other.kept",
        "ATTACH '{made}' AS made; CREATE TABLE made.x (y)",
        "CREATE TABLE z AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
        "CREATE TABLE a (broken",
    ],
)
@pytest.mark.parametrize("is_kept", [True, False])
def test_a_schema_that_is_given_does_nothing_but_make(path: Path, sql: str, is_kept: bool) -> None:
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')")
    other, made = path.with_name("other.db"), path.with_name("made.db")
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE kept (x)")
    db.close()
    sql = sql.format(other=other, made=made)
    if is_kept:
        with sqlite3.connect(path.with_name(path.name + "-corm-schema")) as db:
            db.execute("CREATE TABLE schema (sql TEXT NOT NULL)")
            db.executemany("INSERT INTO schema VALUES (?)", [(sql,), ("CREATE TABLE added (x)",)])
        db.close()
        report, saved = file.repair()
        assert report.is_whole
        assert {("a",), ("added",)} <= set(all_of(saved, "SELECT name FROM sqlite_schema"))
    else:
        file.path.write_bytes(file.bytes)
        with pytest.raises(DatabaseError, match="incomplete input" if "broken" in sql else "more than CREATE"):
            repair(path, path.with_name("new.db"), schema="CREATE VIRTUAL TABLE f USING fts5 (x); " + sql)
    assert not made.exists()
    kept = sqlite3.connect(other)
    assert all_of(kept, "SELECT name FROM sqlite_schema") == [("kept",)]
    kept.close()


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE added (x DEFAULT '" + ";" * 300_000 + "')",
        "CREATE TABLE added (x); CREATE TRIGGER t AFTER INSERT ON added BEGIN " + "SELECT 1; " * 50_000 + "END",
    ],
    ids=["text", "trigger"],
)
def test_a_schema_of_many_semicolons_is_read_in_time(path: Path, sql: str) -> None:
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')")
    file.path.write_bytes(file.bytes)
    start = time.monotonic()
    repair(path, path.with_name("new.db"), schema=sql + "; CREATE VIEW seen AS SELECT x FROM added")
    assert time.monotonic() - start < 10
    saved = sqlite3.connect(path.with_name("new.db"))
    assert {("a",), ("added",), ("seen",)} <= set(all_of(saved, "SELECT name FROM sqlite_schema"))
    saved.close()


def test_a_journal_of_a_vacuum_to_another_page_size_counts(path: Path) -> None:
    """The file has the new size already, the journal its pages of the old one."""
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')")
    old = bytes(file.bytes)
    new = bytearray(old[:PAGE])
    new[16:18] = (1024).to_bytes(2, "big")
    new[24:28] = (int.from_bytes(old[24:28], "big") + 1).to_bytes(4, "big")
    path.with_name(path.name + "-journal").write_bytes(journal(old[:PAGE], len(old) // PAGE))
    file.bytes = new + old[PAGE:]
    report, saved = file.repair()
    assert report.is_whole
    assert all_of(saved, "SELECT * FROM a") == [(1, "x")]


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_the_collations_of_sqlite_are_its_own_in_each_encoding(path: Path, encoding: str) -> None:
    file = Damaged(
        path,
        f"PRAGMA encoding = '{encoding}'; CREATE TABLE w (k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID;"
        "CREATE TABLE a (x TEXT); CREATE INDEX i ON a (x COLLATE NOCASE); CREATE INDEX j ON a (x COLLATE RTRIM);"
        "INSERT INTO w VALUES ('b', 1), ('A', 2), ('C', 3), ('d', 4); INSERT INTO a SELECT k FROM w",
    )
    report, saved = file.repair()
    assert report.is_whole
    assert all_of(saved, "SELECT v FROM w WHERE k = 'a'") == [(2,)]
    assert all_of(saved, "SELECT k FROM w") == [("A",), ("b",), ("C",), ("d",)]


LEAVES = (
    "CREATE TABLE a (id INTEGER PRIMARY KEY, v);"
    + NUMBERS.format(600)
    + "INSERT INTO a SELECT i, 'a' || i || '"
    + ("x" * 90)
    + "' FROM n"
)


@pytest.mark.parametrize("auto_vacuum", [0, 1])
def test_a_page_that_is_half_written_is_told(path: Path, auto_vacuum: int) -> None:
    file = Damaged(path, f"PRAGMA auto_vacuum = {auto_vacuum}; {LEAVES}")
    (leaf,) = struct.unpack_from(">I", file.bytes, file.cells(file.roots["a"])[5])
    file.bytes[file.at(leaf) + 1024 : file.at(leaf + 1)] = bytes(3072)
    report, saved = file.repair()
    assert not report.is_whole
    assert all_of(saved, "SELECT count(*) FROM a WHERE v NOT LIKE 'a' || id || 'x%'") == [(0,)]


@pytest.mark.parametrize("auto_vacuum", [0, 1])
@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_page_of_which_nothing_is_known_is_told(path: Path, auto_vacuum: int, lost: int) -> None:
    """Beside a page that led to others: whether it was one of those nothing says."""
    file = Damaged(path, f"PRAGMA auto_vacuum = {auto_vacuum}; {LEAVES}")
    root = file.roots["a"]
    leaves = [struct.unpack_from(">I", file.bytes, cell)[0] for cell in file.cells(root)]
    gone = sum(len(file.cells(leaf)) for leaf in leaves[3 : 3 + lost])
    for page in [root, *leaves[3 : 3 + lost]]:
        file.bytes[file.at(page) : file.at(page + 1)] = bytes(PAGE)
    report, saved = file.repair()
    assert all_of(saved, "SELECT count(*) FROM a") == [(600 - gone,)]
    assert report.is_whole == (lost == 0)
    assert report.tables[0].lost_pages == (1 if lost else 0)


def test_rows_of_another_table_in_the_place_of_some_are_told(path: Path) -> None:
    """With rowids that fit; but a table has NULL in the place of its own."""
    file = Damaged(
        path,
        "CREATE TABLE a (id INTEGER PRIMARY KEY, v); CREATE TABLE b (n INT, v);"
        + NUMBERS.format(3000)
        + "INSERT INTO a SELECT i, 'a' || i FROM n;"
        + NUMBERS.format(3000)
        + "INSERT INTO b SELECT i, 'b' || i FROM n",
    )
    mine, others = (struct.unpack_from(">I", file.bytes, file.cells(file.roots[name])[0])[0] for name in "ab")
    file.bytes[file.at(mine) : file.at(mine + 1)] = file.bytes[file.at(others) : file.at(others + 1)]
    report, saved = file.repair()
    assert all_of(saved, "SELECT count(*) FROM a WHERE v NOT LIKE 'a%'") == [(0,)]
    assert report.tables[0].lost_rows > 200


def test_a_part_of_the_schema_that_is_lost_is_told(path: Path) -> None:
    script = "CREATE TABLE t (a); INSERT INTO t VALUES (1);"
    script += "".join(f"CREATE VIEW v{number} AS SELECT '{'x' * 200}';" for number in range(60))
    file = Damaged(path, script)
    leaf = int.from_bytes(file.bytes[108:112], "big")
    assert file.bytes[100] == 5
    file.bytes[file.at(leaf) : file.at(leaf + 1)] = bytes(PAGE)
    report, saved = file.repair()
    assert not report.is_whole
    assert [(table.name, bool(table.problem)) for table in report.tables] == [("t", False), ("sqlite_schema", True)]
    assert all_of(saved, "SELECT * FROM t") == [(1,)]


@pytest.mark.parametrize("is_vacuumed", [False, True])
def test_a_schema_as_the_shell_of_sqlite_prints_it(path: Path, is_vacuumed: bool) -> None:
    script = """
        CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b); INSERT INTO t (b) VALUES ('x');
        CREATE INDEX i ON t (b); CREATE VIRTUAL TABLE f USING fts5 (a); INSERT INTO f VALUES ('found');
        CREATE VIRTUAL TABLE r USING rtree (id, a, b); INSERT INTO r VALUES (1, 2, 3);
        CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT CASE WHEN 1 THEN ';' ELSE 'END;' END; END; ANALYZE;
    """
    file = Damaged(path, script + ("VACUUM" if is_vacuumed else ""))
    reader = sqlite3.connect(path)
    printed = "".join(f"{sql};\n" for (sql,) in reader.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    names = {name for (name,) in reader.execute("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL")}
    reader.close()
    file.bytes[100:PAGE] = bytes(PAGE - 100)
    path.write_bytes(file.bytes)
    report = repair(path, path.with_name("new.db"), schema=printed)
    assert all(table.problem is None for table in report.tables)
    saved = sqlite3.connect(path.with_name("new.db"))
    assert names - {"sqlite_stat1"} <= {name for (name,) in saved.execute("SELECT name FROM sqlite_schema")}
    saved.close()


def test_what_only_the_program_can_compute_is_told(path: Path) -> None:
    def twice(number: int) -> int:
        return number * 2

    program = sqlite3.connect(path)
    program.create_function("twice", 1, twice, deterministic=True)
    program.create_collation("backwards", lambda a, b: (a < b) - (a > b))
    program.executescript(
        "CREATE TABLE computed (a INT, g AS (twice(a)) STORED); INSERT INTO computed VALUES (1);"
        "CREATE TABLE plain (a INT); INSERT INTO plain VALUES (1);"
        "CREATE TABLE indexed (a INT, s TEXT); CREATE INDEX i ON indexed (twice(a));"
        "CREATE TABLE compared (s TEXT COLLATE backwards PRIMARY KEY) WITHOUT ROWID; INSERT INTO compared VALUES ('x');"
        "CREATE VIEW v AS SELECT twice(a) FROM plain"
    )
    program.close()
    report = repair(path, path.with_name("new.db"))
    told = {table.name for table in report.tables if table.problem and "only its program has" in table.problem}
    assert told == {"computed", "indexed", "compared"}


def test_a_row_that_the_end_of_the_file_cuts_off_is_told(path: Path) -> None:
    script = (
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, zeroblob(100)), (2, hex(zeroblob(900)));"
    )
    file = Damaged(path, script)
    start = file.cells(file.roots["t"])[0]
    # Of the first row, which stands at the end of its page.
    del file.bytes[start + 50 :]
    report, saved = file.repair()
    assert not report.is_whole
    assert all_of(saved, "SELECT id FROM t WHERE id = 1") == []


def test_a_copy_of_the_schema_that_is_no_table_ends(path: Path) -> None:
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')")
    with sqlite3.connect(path.with_name(path.name + "-corm-schema")) as copy:
        copy.execute(
            "CREATE VIEW schema AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT i AS sql FROM n"
        )
    copy.close()
    start = time.monotonic()
    report, saved = file.repair()
    assert report.is_whole
    assert time.monotonic() - start < 10
    assert all_of(saved, "SELECT v FROM a") == [("x",)]


def test_what_is_not_run_of_a_copy_that_is_needed_is_told(path: Path) -> None:
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')")
    with sqlite3.connect(path.with_name(path.name + "-corm-schema")) as copy:
        copy.execute("CREATE TABLE schema (sql TEXT NOT NULL)")
        texts = ["CREATE TABLE a (id INTEGER PRIMARY KEY, v)", "CREATE VIRTUAL TABLE m USING nobodys_module (x)"]
        copy.executemany("INSERT INTO schema VALUES (?)", [(text,) for text in texts])
    copy.close()
    file.bytes[100:PAGE] = bytes(PAGE - 100)
    report, _ = file.repair()
    assert [table.name for table in report.tables if table.problem] == ["sqlite_schema"]
