"""Files whose pages contradict each other, or themselves: what is saved is right, and what may be wrong is told."""

from __future__ import annotations

import sqlite3
import struct
import time
from pathlib import Path

import pytest
from damaged import NUMBERS, PAGE, SCHEMA, Damaged, all_of


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


@pytest.mark.parametrize("owner_is", ["there", "gone", "empty"])
def test_a_journal_of_several_files_counts_as_long_as_they_are_not_committed(path: Path, owner_is: str) -> None:
    """Where its super-journal is gone or empty SQLite takes the transaction for committed, and deletes the journal."""
    file = Damaged(path, "CREATE TABLE a (x); INSERT INTO a VALUES (1);")
    old = bytes(file.bytes[:PAGE])
    changed = sqlite3.connect(path)
    changed.execute("PRAGMA user_version = 5")
    changed.close()
    file.bytes = bytearray(path.read_bytes())
    owner = path.with_name("other.db-mj0123459AB")
    if owner_is != "gone":
        owner.write_bytes(bytes(path) + b"-journal\0" if owner_is == "there" else b"")
    path.with_name(path.name + "-journal").write_bytes(journal(old, len(file.bytes) // PAGE, bytes(owner)))
    report, saved = file.repair()
    assert report.is_whole
    assert all_of(saved, "PRAGMA user_version") == [(0 if owner_is == "there" else 5,)]


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


@pytest.mark.parametrize("root", [bytes(PAGE), b"\xff" * PAGE], ids=["zeros", "ones"])
def test_pages_that_are_cut_off_are_told_where_nothing_leads_to_them(path: Path, root: bytes) -> None:
    file = Damaged(
        path, "CREATE TABLE a (x);" + NUMBERS.format(3000) + "INSERT INTO a SELECT printf('%40d', i) FROM n;"
    )
    pages = len(file.bytes) // PAGE
    file.bytes[file.at(file.roots["a"]) : file.at(file.roots["a"]) + PAGE] = root
    del file.bytes[file.at(pages - 1) :]
    report, saved = file.repair()
    assert not report.is_whole
    assert report.unreadable_pages >= 2
    assert all_of(saved, "SELECT count(*) < 3000 FROM a") == [(1,)]


def test_rows_whose_place_is_not_known_are_given_to_no_table_of_two(path: Path) -> None:
    """What a page says of the rows behind it is lost, and all rows of another table."""
    table = "CREATE TABLE {0} (id INTEGER PRIMARY KEY, t TEXT, u TEXT);"
    script = table.format("one") + table.format("two")
    for name, count in (("one", 60), ("two", 200)):
        script += NUMBERS.format(count) + f"INSERT INTO {name} SELECT i, printf('%80d', i), '{name}' FROM n;"
    file = Damaged(path, script)
    one, two = file.roots["one"], file.roots["two"]
    leaves = [struct.unpack_from(">I", file.bytes, cell)[0] for cell in file.cells(two)]
    for cell in file.cells(one):
        file.bytes[cell : file.at(one) + PAGE] = bytes(file.at(one) + PAGE - cell)
    for leaf in (*leaves, struct.unpack_from(">I", file.bytes, file.at(two) + 8)[0]):
        file.bytes[file.at(leaf) : file.at(leaf) + PAGE] = bytes(PAGE)
    report, saved = file.repair()
    assert not report.is_whole
    assert all_of(saved, "SELECT count(*) FROM two WHERE u = 'one'") == [(0,)]
    kept = "SELECT (SELECT count(*) FROM one) + count(*) FROM lost_and_found WHERE c2 = 'one'"
    assert all_of(saved, kept) == [(60,)]
