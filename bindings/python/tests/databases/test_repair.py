"""Damaged files of each kind, and how many rows are saved of them: counted against what was there."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from cormorant import Cipher, Database, Error, RepairReport, repair

PAGE = 4096
ROWS = 3000
KEY = "x'" + "5a" * 48 + "'"

SCHEMA = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT);
CREATE TABLE place (code TEXT PRIMARY KEY, size REAL, data BLOB) WITHOUT ROWID;
CREATE TABLE pair (a INTEGER, b INTEGER, c INTEGER, d INTEGER GENERATED ALWAYS AS (a + b) STORED, UNIQUE (a));
CREATE TABLE log (n INTEGER PRIMARY KEY AUTOINCREMENT, line);
CREATE INDEX person_name ON person (name);
CREATE VIEW names AS SELECT name FROM person;
CREATE TRIGGER kept BEFORE DELETE ON person BEGIN SELECT raise(ABORT, 'kept'); END;
"""
TABLES = {"person": ROWS, "place": ROWS // 3, "pair": ROWS, "log": 100}


def fill(db: Database) -> None:
    db.execute_script(SCHEMA)
    with db.transaction():
        for n in range(ROWS):
            # Every hundredth overflows.
            note = f"note {n} " * (1000 if n % 100 == 0 else 3)
            db.execute("INSERT INTO person VALUES (?, ?, ?)", [n * 2 + 1, f"name {n}", note])
            db.execute("INSERT INTO pair (a, b, c) VALUES (?, ?, ?)", [n, n * 10, None])
        for n in range(ROWS // 3):
            db.execute("INSERT INTO place VALUES (?, ?, ?)", [f"code {n:05}", n / 4, bytes([n % 256]) * 20])
        for n in range(100):
            db.execute("INSERT INTO log (line) VALUES (?)", [n if n % 2 else f"line {n}"])


@pytest.fixture(params=["plain", "encrypted"])
def cipher(request: pytest.FixtureRequest) -> Cipher | None:
    return Cipher(KEY) if request.param == "encrypted" else None


@pytest.fixture
def good(path: Path, cipher: Cipher | None) -> Path:
    with Database(path, cipher=cipher, journal_mode="delete") as db:
        fill(db)
    return path


def pages_of(path: Path, cipher: Cipher | None, name: str) -> dict[str, list[int]]:
    """The pages of a tree by their kinds."""
    with Database(path, cipher=cipher, mode="read_only") as db:
        rows = db.query("SELECT pagetype, pageno FROM dbstat WHERE name = ? ORDER BY path", [name]).fetch_all()
    kinds: dict[str, list[int]] = {"internal": [], "leaf": [], "overflow": []}
    for kind, number in rows:
        kinds[kind].append(number)
    return kinds


def rows_on(path: Path, cipher: Cipher | None, page: int) -> int:
    with Database(path, cipher=cipher, mode="read_only") as db:
        found: int = db.query("SELECT ncell FROM dbstat WHERE pageno = ?", [page]).fetch_all()[0][0]
    return found


def zero(path: Path, page: int, at: int = 0, count: int = PAGE) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE + at)
        file.write(bytes(count))


def flip(path: Path, page: int, at: int) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE + at)
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 0x10]))


def saved(path: Path, cipher: Cipher | None, schema: str | None = None) -> tuple[RepairReport, dict[str, int]]:
    """The report, and the rows that are in the new file, whose values are what they were."""
    before = path.read_bytes()
    new_path = path.with_name("new.db")
    report = repair(path, new_path, cipher=cipher, schema=schema)
    assert path.read_bytes() == before
    with Database(new_path, cipher=cipher) as db:
        assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
        counts = {}
        for table in report.tables:
            if table.rows or table.problem is None:
                counts[table.name] = db.query(f"SELECT count(*) FROM {table.name}").fetch_all()[0][0]
                assert counts[table.name] == table.rows
        if "person" in counts:
            for n, name, note in db.query("SELECT (id - 1) / 2, name, note FROM person").fetch_all():
                assert (name, note) == (f"name {n}", f"note {n} " * (1000 if n % 100 == 0 else 3))
        if "pair" in counts:
            wrong = "SELECT count(*) FROM pair WHERE b != a * 10 OR c NOTNULL OR d != a + b"
            assert db.query(wrong).fetch_all() == [(0,)]
        if "place" in counts:
            for code, size, data in db.query("SELECT code, size, data FROM place").fetch_all():
                n = int(code.split()[1])
                assert (size, data) == (n / 4, bytes([n % 256]) * 20)
    return report, counts


def test_nothing_is_lost_of_a_good_file(good: Path, cipher: Cipher | None) -> None:
    report, counts = saved(good, cipher)
    assert counts == TABLES
    assert report.is_whole
    with Database(good.with_name("new.db"), cipher=cipher) as db:
        schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name"
        with Database(good, cipher=cipher) as old:
            assert db.query(schema).fetch_all() == old.query(schema).fetch_all()
        db.execute("INSERT INTO log (line) VALUES ('next')")
        assert db.query("SELECT max(n) FROM log").fetch_all() == [(101,)]


def test_a_leaf_costs_its_rows(good: Path, cipher: Cipher | None) -> None:
    leaf = pages_of(good, cipher, "person")["leaf"][7]
    gone = rows_on(good, cipher, leaf)
    zero(good, leaf)
    report, counts = saved(good, cipher)
    assert counts == {**TABLES, "person": ROWS - gone}
    lost = {table.name: table.lost_pages for table in report.tables}
    assert lost == {"person": 1, "place": 0, "pair": 0, "log": 0}


def test_the_rows_under_a_page_that_led_to_them_are_found(good: Path, cipher: Cipher | None) -> None:
    root = pages_of(good, cipher, "person")["internal"][0]
    zero(good, root)
    _, counts = saved(good, cipher)
    assert counts == TABLES


def test_an_index_costs_nothing(good: Path, cipher: Cipher | None) -> None:
    pages = pages_of(good, cipher, "person_name")
    for page in pages["internal"] + pages["leaf"]:
        zero(good, page)
    report, counts = saved(good, cipher)
    assert counts == TABLES
    assert report.unreadable_pages == (0 if cipher is None else len(pages["internal"] + pages["leaf"]))


def test_a_page_of_a_table_without_rowid_costs_its_rows(good: Path, cipher: Cipher | None) -> None:
    leaf = pages_of(good, cipher, "place")["leaf"][2]
    gone = rows_on(good, cipher, leaf)
    zero(good, leaf)
    _, counts = saved(good, cipher)
    assert counts == {**TABLES, "place": ROWS // 3 - gone}


def test_the_rows_of_a_table_without_rowid_under_a_page_that_led_to_them_are_found(
    good: Path, cipher: Cipher | None
) -> None:
    (root,) = pages_of(good, cipher, "place")["internal"]
    gone = rows_on(good, cipher, root)
    # The pages of an index look like those of such a table.
    index = pages_of(good, cipher, "person_name")["internal"][0]
    zero(good, root)
    zero(good, index)
    report, counts = saved(good, cipher)
    assert counts == {**TABLES, "place": ROWS // 3 - gone}
    assert report.found_rows == 0
    # The page had rows of its own.
    assert {table.name: table.lost_pages for table in report.tables} == {"person": 0, "place": 1, "pair": 0, "log": 0}


def test_the_entries_of_an_index_are_no_rows_of_a_table_without_rowid(path: Path) -> None:
    """Of rows that are lost the index alone has what they were: that is kept, and put into no other table."""
    with Database(path, journal_mode="delete") as db:
        db.execute_script(
            "CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT); CREATE INDEX word_text ON word (text);"
            "CREATE INDEX word_length ON word (length(text));"
            "CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID"
        )
        with db.transaction():
            for n in range(2000):
                db.execute("INSERT INTO word VALUES (?, ?)", [n + 1, f"word {n:05}"])
                db.execute("INSERT INTO setting VALUES (?, ?)", [f"setting {n:05}", n])
    roots = [pages_of(path, None, name)["internal"][0] for name in ("word_text", "setting")]
    gone = rows_on(path, None, roots[1])
    leaf = pages_of(path, None, "word")["leaf"][2]
    lost = rows_on(path, None, leaf)
    for page in (*roots, leaf):
        zero(path, page)
    new_path = path.with_name("new.db")
    report = repair(path, new_path)
    with Database(new_path) as db:
        assert db.query("SELECT count(*) FROM word").fetch_all() == [(2000 - lost,)]
        wrong = "SELECT count(*) FROM setting WHERE name != printf('setting %05d', value)"
        assert db.query(wrong).fetch_all() == [(0,)]
        assert db.query("SELECT count(*) FROM setting").fetch_all()[0][0] in (0, 2000 - gone)
        names = {row[0] for row in db.query("SELECT c0 FROM lost_and_found WHERE id IS NULL").fetch_all()}
        names |= {row[0] for row in db.query("SELECT name FROM setting").fetch_all()}
    assert len([name for name in names if name.startswith("setting")]) == 2000 - gone
    assert report.found_rows > 0


def test_what_overflowed_costs_one_row(good: Path, cipher: Cipher | None) -> None:
    zero(good, pages_of(good, cipher, "person")["overflow"][3])
    report, counts = saved(good, cipher)
    assert counts == {**TABLES, "person": ROWS - 1}
    assert report.tables[0].lost_rows == 1
    assert report.found_rows == 1
    with Database(good.with_name("new.db"), cipher=cipher) as db:
        (row,) = db.query("SELECT c1 FROM lost_and_found").fetch_all()
    assert row[0].startswith("name ")


def test_a_file_that_was_cut_off_has_what_stands_before(good: Path, cipher: Cipher | None) -> None:
    size = good.stat().st_size // PAGE
    kept = size * 2 // 3
    with Database(good, cipher=cipher, mode="read_only") as db:
        left = dict(
            db.query(
                "SELECT name, sum(ncell) FROM dbstat "
                "WHERE pageno <= ? AND pagetype = 'leaf' AND name IN ('pair', 'log') GROUP BY name",
                [kept],
            ).fetch_all()
        )
    with good.open("r+b") as file:
        file.truncate(kept * PAGE)
    _, counts = saved(good, cipher)
    assert counts["pair"] == left["pair"]
    assert counts["log"] == left.get("log", 0)


def test_page_1_costs_nothing_where_the_schema_is_kept(good: Path, cipher: Cipher | None) -> None:
    # The salt stands there, too, which the raw key has.
    zero(good, 1)
    report, counts = saved(good, cipher, SCHEMA)
    # Which rows are of which table is seen by their shapes.
    assert counts["person"] == ROWS
    assert counts["pair"] == ROWS
    assert counts["log"] + report.found_rows >= 100
    assert counts["place"] == ROWS // 3


def test_without_a_schema_the_rows_are_found(good: Path, cipher: Cipher | None) -> None:
    zero(good, 1)
    report = repair(good, good.with_name("new.db"), cipher=cipher)
    assert [(table.name, bool(table.problem)) for table in report.tables] == [("sqlite_schema", True)]
    assert report.found_rows >= 2 * ROWS + 100
    with Database(good.with_name("new.db"), cipher=cipher) as db:
        assert db.query("SELECT count(*) FROM lost_and_found WHERE c1 LIKE 'name %'").fetch_all() == [(ROWS,)]
        places = "SELECT count(*), count(id) FROM lost_and_found WHERE c0 LIKE 'code %'"
        assert db.query(places).fetch_all() == [(ROWS // 3, 0)]


def test_a_header_that_is_none_costs_nothing(path: Path) -> None:
    with Database(path, journal_mode="delete") as db:
        fill(db)
    with path.open("r+b") as file:
        file.write(b"not a database at all" + bytes(30))
    report, counts = saved(path, None)
    assert counts == TABLES
    assert report.found_rows == 0


@pytest.mark.parametrize("cipher", [None], ids=["plain"])
@pytest.mark.parametrize("at", range(0, 400, 13))
def test_a_bit_costs_a_page_at_most(good: Path, cipher: None, at: int) -> None:
    leaf = pages_of(good, cipher, "pair")["leaf"][4]
    gone = rows_on(good, cipher, leaf)
    flip(good, leaf, at if at < 200 else PAGE - at + 200)
    new_path = good.with_name("new.db")
    report = repair(good, new_path)
    with Database(new_path) as db:
        assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
        assert db.query("SELECT count(*) FROM person").fetch_all() == [(ROWS,)]
    assert next(table.rows for table in report.tables if table.name == "pair") >= ROWS - gone


def test_what_is_deleted_stays_deleted(good: Path, cipher: Cipher | None) -> None:
    with Database(good, cipher=cipher, journal_mode="delete") as db:
        db.execute("DELETE FROM pair WHERE a >= 1000")
    leaf = pages_of(good, cipher, "person")["leaf"][7]
    gone = rows_on(good, cipher, leaf)
    zero(good, leaf)
    report, counts = saved(good, cipher)
    assert counts == {**TABLES, "person": ROWS - gone, "pair": 1000}
    assert report.found_rows == 0


def test_a_log_counts(path: Path, cipher: Cipher | None) -> None:
    with Database(path, cipher=cipher) as db:
        fill(db)
        db.checkpoint("truncate")
        db.execute_script("PRAGMA wal_autocheckpoint = 0")
        db.execute("UPDATE pair SET c = a")
        copy = path.with_name("copy.db")
        copy.write_bytes(path.read_bytes())
        copy.with_name("copy.db-wal").write_bytes(path.with_name(path.name + "-wal").read_bytes())
    # What the log has anew may be damaged in the file.
    leaf = pages_of(path, cipher, "pair")["leaf"][3]
    zero(copy, leaf)
    report = repair(copy, path.with_name("new.db"), cipher=cipher)
    assert report.is_whole
    with Database(path.with_name("new.db"), cipher=cipher) as db:
        assert db.query("SELECT count(*) FROM pair WHERE c = a").fetch_all() == [(ROWS,)]


@pytest.mark.parametrize("place", ["header", "first", "middle", "last"])
def test_what_a_log_has_behind_damage_is_told(path: Path, cipher: Cipher | None, place: str) -> None:
    """SQLite reads a log up to the first frame that is not as it was written: what follows counts as none."""
    copy = path.with_name("copy.db")
    with Database(path, cipher=cipher) as db:
        fill(db)
        db.checkpoint("truncate")
        db.execute_script("PRAGMA wal_autocheckpoint = 0")
        for number in range(20):
            db.execute("UPDATE pair SET c = ? WHERE b = 10", [number])
        copy.write_bytes(path.read_bytes())
        log = bytearray(path.with_name(path.name + "-wal").read_bytes())
    frame = 24 + 4096
    count = (len(log) - 32) // frame
    at = {"header": 20, "first": 1032, "middle": count // 2 * frame + 1032, "last": len(log) - 1000}[place]
    log[at] ^= 1
    copy.with_name("copy.db-wal").write_bytes(log)
    report = repair(copy, path.with_name("new.db"), cipher=cipher)
    # Of the last nothing tells that it was ever written.
    assert report.unreadable_pages == (place != "last")
    assert report.is_whole == (place == "last")
    assert {table.name: table.rows for table in report.tables} == TABLES


def test_a_page_may_have_as_much_room_of_its_own_as_sqlite_lets_it(path: Path) -> None:
    """480 bytes of 512 are the least that it uses."""
    file = sqlite3.connect(path)
    file.executescript("PRAGMA page_size = 512; CREATE TABLE t (a)")
    file.close()
    content = bytearray(path.read_bytes())
    content[20] = 32
    # The cells end where the room begins; both pages have so many bytes that are free.
    end = content[105] << 8 | content[106]
    cells = content[end:512]
    content[end - 32 : 512 - 32] = cells
    struct.pack_into(">H", content, 105, end - 32)
    struct.pack_into(">H", content, 108, (content[108] << 8 | content[109]) - 32)
    struct.pack_into(">H", content, 512 + 5, 480)
    path.write_bytes(content)
    file = sqlite3.connect(path)
    file.executescript(
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
        "INSERT INTO t SELECT printf('%60d', i) FROM n"
    )
    assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    file.close()
    report = repair(path, path.with_name("new.db"))
    assert report.is_whole
    assert [table.rows for table in report.tables] == [200]


@pytest.mark.parametrize("damage", ["empty", "page 1", "none"])
def test_a_log_beside_a_file_that_lost_its_pages(path: Path, cipher: Cipher | None, damage: str) -> None:
    """SQLite deletes the log of a file without pages: it is not opened, and what the log has is saved."""
    copy = path.with_name("copy.db")
    log = copy.with_name("copy.db-wal")
    with Database(path, cipher=cipher) as db:
        db.execute_script("PRAGMA wal_autocheckpoint = 0")
        fill(db)
        # After the first page has its salt.
        copy.write_bytes(path.read_bytes())
        log.write_bytes(path.with_name(path.name + "-wal").read_bytes())
    before = log.read_bytes()
    if damage == "empty":
        copy.write_bytes(b"")
        for mode in ("create", "read_write", "read_only"):
            with pytest.raises(Error, match=r"copy\.db\" is empty, and \"[^\"]*copy\.db-wal\"") as refused:
                Database(copy, cipher=cipher, mode=mode)
            assert refused.value.code == "CORM_E_CANNOT_OPEN"
            assert "corm repair" in (refused.value.hint or "")
        with Database(path.with_name("other.db")) as other, pytest.raises(Error, match="is empty, and"):
            other.attach(copy, "copied", cipher=cipher)
    elif damage == "page 1":
        zero(copy, 1)
    assert log.read_bytes() == before
    report = repair(copy, path.with_name("new.db"), cipher=cipher)
    assert report.is_whole
    assert {table.name: table.rows for table in report.tables} == TABLES
    assert log.read_bytes() == before
    if damage == "page 1":
        # The log has the page, the salt with it.
        with Database(copy, cipher=cipher) as db:
            assert db.query("SELECT count(*) FROM person").fetch_all() == [(ROWS,)]
            db.backup(path.with_name("backup.db"))


def test_a_rollback_journal_counts(path: Path) -> None:
    with Database(path, journal_mode="delete") as db:
        fill(db)
        with db.transaction():
            db.execute_script("PRAGMA cache_size = 5")
            db.execute("UPDATE pair SET c = 1")
            copy = path.with_name("copy.db")
            copy.write_bytes(path.read_bytes())
            journal = path.with_name(path.name + "-journal").read_bytes()
            copy.with_name("copy.db-journal").write_bytes(journal)
    assert struct.unpack(">Q", journal[:8])[0] == 0xD9D505F920A163D7
    report = repair(copy, path.with_name("new.db"))
    assert report.is_whole
    with Database(path.with_name("new.db")) as db:
        assert db.query("SELECT count(*) FROM pair WHERE c ISNULL").fetch_all() == [(ROWS,)]


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_texts_of_16_bits_and_full_text_search(path: Path, encoding: str) -> None:
    with sqlite3.connect(path) as file:
        file.executescript(
            f"PRAGMA encoding = '{encoding}'; PRAGMA page_size = 1024; PRAGMA auto_vacuum = 1;"
            "CREATE VIRTUAL TABLE found USING fts5 (text); CREATE TABLE plain (text);"
        )
        for n in range(500):
            file.execute("INSERT INTO found VALUES (?)", (f"wört {n}",))
            file.execute("INSERT INTO plain VALUES (?)", (f"wört {n} 🐦",))
    file.close()
    report = repair(path, path.with_name("new.db"))
    assert report.is_whole
    with Database(path.with_name("new.db")) as db:
        assert db.query("PRAGMA encoding").fetch_all() == [(encoding,)]
        assert db.query("SELECT count(*) FROM found WHERE found MATCH 'wört'").fetch_all() == [(500,)]
        assert db.query("SELECT text FROM plain WHERE rowid = 7").fetch_all() == [("wört 6 🐦",)]
        assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_texts_that_are_no_unicode_stay_as_they_are(path: Path, encoding: str) -> None:
    """Surrogates without the other, and a byte order mark before one."""
    texts = ["\ud800", "a\udc00b", "\ufeff\ud83d", "\ufeffx", "\U0001f426"]
    file = sqlite3.connect(path)
    file.execute(f"PRAGMA encoding = '{encoding}'")
    file.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)")
    for text in texts:
        # SQLite would make U+FFFD of it: the bytes take the place of as many.
        file.execute("INSERT INTO t (x) VALUES (?)", ("#" * (len(text.encode("utf-16-le", "surrogatepass")) // 2),))
    file.commit()
    file.close()
    content = path.read_bytes()
    codec = "utf-16-le" if encoding.endswith("le") else "utf-16-be"
    # The last row lies lowest.
    for text in reversed(texts):
        raw = text.encode(codec, "surrogatepass")
        content = content.replace(("#" * (len(raw) // 2)).encode(codec), raw, 1)
    path.write_bytes(content)
    new = path.with_name("new.db")
    assert repair(path, new).is_whole
    saved = new.read_bytes()
    for text in texts:
        assert text.encode(codec, "surrogatepass") in saved, text
    rows = "SELECT hex(CAST(x AS BLOB)) FROM t ORDER BY id"
    assert sqlite3.connect(new).execute(rows).fetchall() == sqlite3.connect(path).execute(rows).fetchall()


def test_what_is_refused(path: Path, tmp_path: Path) -> None:
    def code(*arguments: Path, cipher: Cipher | None = None) -> str | None:
        with pytest.raises(Error) as refused:
            repair(*arguments, cipher=cipher)
        return refused.value.code

    new_path = tmp_path / "new.db"
    assert code(tmp_path / "none.db", new_path) == "CORM_E_CANNOT_OPEN"
    path.write_bytes(b"")
    assert code(path, new_path) == "CORM_E_NOT_A_DATABASE"
    path.unlink()
    with Database(path, cipher=Cipher(KEY)) as db:
        db.execute_script("CREATE TABLE a (x)")
    assert code(path, new_path, cipher=Cipher("another")) == "CORM_E_WRONG_KEY"
    assert code(path, path) == "CORM_E_CANNOT_OPEN"
    assert not new_path.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name]


def test_a_repair_is_cancelled(good: Path, cipher: Cipher | None) -> None:
    with pytest.raises(Error) as cancelled:
        repair(good, good.with_name("new.db"), cipher=cipher, progress=lambda _: False)
    assert cancelled.value.code == "CORM_E_INTERRUPTED"
    assert not good.with_name("new.db").exists()


def hostile(good: bytes) -> Iterator[bytes]:
    """Schemas and pages that lead astray."""
    yield good.replace(b"CREATE TABLE log (n", b"CREATE TABLE log (;")
    yield good.replace(b"CREATE VIEW names", b"DROP TABLE person")
    for page in range(1, len(good) // PAGE):
        at = page * PAGE
        if good[at] == 5:
            # A page that leads to itself, and to page 1, and beyond the end.
            for child in (page + 1, 1, 0xFFFFFFFF):
                yield good[: at + 8] + struct.pack(">I", child) + good[at + 12 :]


def test_what_leads_astray_ends(path: Path) -> None:
    with Database(path, journal_mode="delete") as db:
        fill(db)
    good = path.read_bytes()
    for number, bad in enumerate(hostile(good)):
        path.write_bytes(bad)
        new_path = path.with_name(f"new{number}.db")
        report = repair(path, new_path)
        with Database(new_path) as db:
            assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
        assert sum(table.rows for table in report.tables) + report.found_rows > 4000


@pytest.mark.parametrize("value", ["z" * 10_000, b"\1" * 10_000, b"\1" + bytes(9_999)], ids=["text", "blob", "zeros"])
@pytest.mark.parametrize("damage", ["zeros", "end"])
def test_the_last_page_of_a_long_value(path: Path, value: str | bytes, damage: str) -> None:
    with Database(path, journal_mode="delete") as db:
        db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, value)")
        db.execute("INSERT INTO t VALUES (1, ?), (2, 'short')", [value])
    last = path.stat().st_size // PAGE
    assert last in pages_of(path, None, "t")["overflow"]
    if damage == "zeros":
        zero(path, last)
    else:
        with path.open("r+b") as file:
            file.truncate((last - 1) * PAGE + 300)
    report = repair(path, path.with_name("new.db"))
    # Zeros that go on with zeros are what was there.
    kept = damage == "zeros" and value == b"\1" + bytes(9_999)
    assert (report.tables[0].rows, report.tables[0].lost_rows) == ((2, 0) if kept else (1, 1))
    with Database(path.with_name("new.db")) as db:
        rows = db.query("SELECT id, value FROM t ORDER BY id").fetch_all()
    assert rows == ([(1, value)] if kept else []) + [(2, "short")]


def test_what_analyze_counted_is_counted_anew(good: Path, cipher: Cipher | None) -> None:
    statistics = "SELECT * FROM sqlite_stat1 ORDER BY tbl, idx"
    with Database(good, cipher=cipher) as db:
        db.execute_script("ANALYZE")
        counted = db.query(statistics).fetch_all()
    report, counts = saved(good, cipher)
    assert counts == TABLES
    assert report.is_whole
    with Database(good.with_name("new.db"), cipher=cipher) as db:
        assert db.query(statistics).fetch_all() == counted != []


def test_a_log_that_another_file_left_is_not_taken_for_the_files_own(tmp_path: Path, cipher: Cipher | None) -> None:
    """Such as that of the file in whose place a backup was copied: SQLite would put its pages into the copy."""
    path, backup = tmp_path / "app.db", tmp_path / "backup.db"
    log = tmp_path / "app.db-wal"
    with Database(path, cipher=cipher) as db:
        db.execute_script("PRAGMA wal_autocheckpoint = 0; CREATE TABLE a (x); INSERT INTO a VALUES (1)")
        db.backup(backup)
        db.execute("UPDATE a SET x = 2")
        left = log.read_bytes()
    path.write_bytes(backup.read_bytes())
    log.write_bytes(left)
    for mode in ("create", "read_write", "read_only"):
        with pytest.raises(Error, match=r'app\.db-wal" is left over from another database') as refused:
            Database(path, cipher=cipher, mode=mode)
        assert refused.value.code == "CORM_E_CANNOT_OPEN"
        assert "remove it" in (refused.value.hint or "")
    with Database(tmp_path / "other.db", cipher=cipher) as other:
        with pytest.raises(Error, match="is left over from another database"):
            other.attach(path, "app", cipher=cipher)
        with pytest.raises(Error, match="is left over from another database"):
            other.restore(path)
    with pytest.raises(Error, match="is left over from another database"):
        repair(path, tmp_path / "new.db", cipher=cipher)
    assert log.read_bytes() == left
    log.unlink()
    with Database(path, cipher=cipher) as db:
        assert db.query("SELECT x FROM a").fetch_all() == [(1,)]
        # Its own, from here on.
        db.execute("UPDATE a SET x = 3")
        with Database(path, cipher=cipher) as second:
            assert second.query("SELECT x FROM a").fetch_all() == [(3,)]


@pytest.mark.parametrize("journal_mode", ["wal", "delete"])
def test_a_file_that_is_written_meanwhile_is_busy(
    path: Path, tmp_path: Path, journal_mode: Literal["wal", "delete"]
) -> None:
    with Database(path, journal_mode=journal_mode) as db:
        fill(db)
        written = False

        def write(_: object) -> bool:
            nonlocal written
            if not written:
                written = True
                db.execute("UPDATE pair SET b = b + 1")
                db.checkpoint("truncate")
            return True

        with pytest.raises(Error) as caught:
            repair(path, tmp_path / "new.db", progress=write)
        assert caught.value.code == "CORM_E_BUSY"
        assert not (tmp_path / "new.db").exists()
        # One who only has it open is in nobody's way.
        assert repair(path, tmp_path / "new.db").is_whole
