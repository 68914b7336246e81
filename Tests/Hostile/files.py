"""Hostile database files: `python files.py FOLDER [COUNT [SEED]]` writes one of each class and COUNT changed by chance.

Each is made by its name and a seed alone, so that whoever finds something can make the same again.
"""

from __future__ import annotations

import random
import sqlite3
import struct
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

# What commands a terminal, in names and values.
EVIL = "\x1b]0;pwn\x07\x1b[31m\x9b32m\r\x08\x7f\nFORGED\u202e\u2066x"
INTERESTING = (0, 1, 2, 5, 10, 13, 127, 128, 255, 256, 4095, 4096, 65535, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
PAGE = 1024

# How often what was tried.
tried: dict[str, int] = {}

Made = dict[str, bytes]
CLASSES: dict[str, Callable[[random.Random], Made]] = {}


def kind(function: Callable[[random.Random], Made]) -> Callable[[random.Random], Made]:
    CLASSES[function.__name__] = function
    return function


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def database(
    script: str, *, schema: tuple[tuple[str | None, ...], ...] = (), page: int = PAGE, wal: bool = False
) -> Made:
    """A file that SQLite made; rows of `schema` are written past its parser: type, name, table, SQL."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.db")
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA page_size = {page}")
        if wal:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(script)
        if schema:
            connection.execute("PRAGMA writable_schema = ON")
            connection.executemany("INSERT INTO sqlite_schema VALUES (?, ?, ?, 0, ?)", schema)
        made = {
            suffix: Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal") if Path(f"{path}{suffix}").exists()
        }
        connection.close()
    return made


ROWS = """
CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL, data BLOB, price REAL DEFAULT 1.5);
CREATE TABLE child (id INTEGER PRIMARY KEY, parent INT REFERENCES parent, note TEXT UNIQUE, CHECK (length(note) < 90));
CREATE TABLE keyed (a TEXT, b INT, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
CREATE INDEX parent_name ON parent (name, price);
CREATE VIEW both AS SELECT p.name, c.note FROM parent p JOIN child c ON c.parent = p.id;
CREATE TRIGGER told AFTER INSERT ON child BEGIN UPDATE parent SET price = price + 1 WHERE id = new.parent; END;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)
INSERT INTO parent (id, name, data) SELECT i, 'name ' || i, zeroblob(i * 40) FROM n;
INSERT INTO child SELECT id, id, 'note ' || id FROM parent;
INSERT INTO keyed SELECT name, id, data FROM parent WHERE id < 30;
DELETE FROM parent WHERE id % 7 = 3;
"""


def sample() -> bytes:
    return database(ROWS)[""]


def patched(data: bytes, *changes: tuple[int, bytes]) -> Made:
    changed = bytearray(data)
    for offset, new in changes:
        changed[offset : offset + len(new)] = new
    return {"": bytes(changed)}


def tree_pages(data: bytes) -> list[int]:
    """Where pages with a tree begin, but for the first."""
    return [at for at in range(PAGE, len(data), PAGE) if data[at] in (2, 5, 10, 13)]


@kind
def empty(_: random.Random) -> Made:
    return {"": b""}


@kind
def text(_: random.Random) -> Made:
    return {"": ("no database" + EVIL).encode() * 300}


@kind
def zeros(_: random.Random) -> Made:
    return {"": bytes(8192)}


@kind
def noise(chance: random.Random) -> Made:
    return {"": chance.randbytes(8192)}


@kind
def header_alone(_: random.Random) -> Made:
    return {"": sample()[:100]}


@kind
def cut_in_a_page(chance: random.Random) -> Made:
    data = sample()
    return {"": data[: chance.randrange(101, len(data))]}


@kind
def cut_between_pages(chance: random.Random) -> Made:
    data = sample()
    return {"": data[: PAGE * chance.randrange(1, len(data) // PAGE)]}


@kind
def page_size(chance: random.Random) -> Made:
    return patched(sample(), (16, struct.pack(">H", chance.choice((0, 1, 3, 256, 512, 4096, 32768, 65535)))))


@kind
def reserved_bytes(chance: random.Random) -> Made:
    return patched(sample(), (20, bytes([chance.choice((1, 64, 255))])))


@kind
def versions(chance: random.Random) -> Made:
    return patched(
        sample(), (18, bytes(chance.choices(range(6), k=2))), (44, struct.pack(">I", chance.choice(INTERESTING)))
    )


@kind
def encoding(chance: random.Random) -> Made:
    return patched(sample(), (56, struct.pack(">I", chance.choice((0, 2, 3, 7, 0xFFFFFFFF)))))


@kind
def page_count(chance: random.Random) -> Made:
    return patched(sample(), (28, struct.pack(">I", chance.choice(INTERESTING))))


@kind
def free_pages_in_a_ring(_: random.Random) -> Made:
    data = database(ROWS + "DROP TABLE child; DROP TABLE keyed;")[""]
    trunk = struct.unpack(">I", data[32:36])[0]
    return patched(data, ((trunk - 1) * PAGE, struct.pack(">II", trunk, 0xFFFF)))


@kind
def free_pages_in_use(_: random.Random) -> Made:
    return patched(sample(), (32, struct.pack(">II", 2, 3)))


@kind
def child_is_itself(_: random.Random) -> Made:
    data = sample()
    inner = [at for at in tree_pages(data) if data[at] == 5] or tree_pages(data)
    return patched(data, *((at + 8, struct.pack(">I", at // PAGE + 1)) for at in inner))


@kind
def child_is_nowhere(chance: random.Random) -> Made:
    data = sample()
    return patched(
        data, *((at + 8, struct.pack(">I", chance.choice((0, 1, 9999, 0xFFFFFFFF)))) for at in tree_pages(data))
    )


@kind
def cells_beyond_the_page(chance: random.Random) -> Made:
    data = sample()
    return patched(data, *((at + 3, struct.pack(">H", chance.choice((0, 900, 65535)))) for at in tree_pages(data)))


@kind
def cell_pointers(chance: random.Random) -> Made:
    data = sample()
    return patched(
        data, *((at + 8, struct.pack(">HH", *chance.choices(INTERESTING[:13], k=2))) for at in tree_pages(data))
    )


@kind
def long_numbers(chance: random.Random) -> Made:
    data = sample()
    return patched(data, *((at + PAGE - chance.randrange(9, 300), b"\xff" * 9) for at in tree_pages(data)))


@kind
def overflow_in_a_ring(_: random.Random) -> Made:
    data = database("CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(50000));")[""]
    return patched(data, *((at, struct.pack(">I", 3)) for at in range(2 * PAGE, len(data), PAGE)))


@kind
def types_of_records(chance: random.Random) -> Made:
    data = bytearray(sample())
    for at in tree_pages(bytes(data)):
        for place in range(at + PAGE // 2, at + PAGE, 37):
            data[place] = chance.choice((10, 11, 0x7F, 0x80, 0xFE, 0xFF))
    return {"": bytes(data)}


@kind
def schema_of_nonsense(_: random.Random) -> Made:
    return database(
        ROWS,
        schema=(("table", "a", "a", "CREATE nonsense"), ("index", "b", "nowhere", "CREATE INDEX b ON nowhere (x)")),
    )


@kind
def schema_of_nulls(_: random.Random) -> Made:
    return database(ROWS, schema=((None, None, None, None), ("table", None, "x", None), ("view", "v", None, "")))


@kind
def schema_that_lies(_: random.Random) -> Made:
    return database(
        ROWS, schema=(("table", "parent", "parent", "CREATE TABLE other (x)"), ("view", "x", "x", "CREATE TABLE x (y)"))
    )


@kind
def deep_expressions(chance: random.Random) -> Made:
    depth = chance.choice((300, 900, 5000))
    return database(
        "CREATE TABLE a (x);",
        schema=(
            ("table", "b", "b", "CREATE TABLE b (x DEFAULT " + "(" * depth + "1" + ")" * depth + ")"),
            ("view", "v", "v", "CREATE VIEW v AS SELECT " + "-" * depth + "1"),
        ),
    )


@kind
def wide_tables(chance: random.Random) -> Made:
    columns = ", ".join(f"c{number} TEXT DEFAULT 'x'" for number in range(chance.choice((500, 1999))))
    return database(f"CREATE TABLE a ({columns}); INSERT INTO a DEFAULT VALUES;")


@kind
def many_tables(_: random.Random) -> Made:
    return database(
        "BEGIN;"
        + "".join(
            f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY, x REFERENCES t{number + 1});" for number in range(400)
        )
        + "COMMIT;"
    )


@kind
def views_of_themselves(_: random.Random) -> Made:
    return database(
        "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM c; CREATE VIEW c AS SELECT * FROM a;"
    )


@kind
def views_that_double(_: random.Random) -> Made:
    views = "".join(f"CREATE VIEW v{n} AS SELECT a.x FROM v{n - 1} a, v{n - 1} b;" for n in range(1, 61))
    return database("CREATE TABLE v0 (x); INSERT INTO v0 VALUES (1);" + views)


@kind
def views_without_end(_: random.Random) -> Made:
    return database(
        "CREATE VIEW v AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n;"
    )


@kind
def large_values(_: random.Random) -> Made:
    return database(
        "CREATE VIEW v AS SELECT zeroblob(90000000) AS z; CREATE VIEW w AS SELECT hex(zeroblob(40000000)) AS z;"
        "CREATE TABLE a (x DEFAULT (randomblob(90000000)));"
    )


@kind
def functions_with_effects(_: random.Random) -> Made:
    return database(
        "CREATE TABLE a (x);",
        schema=(
            (
                "trigger",
                "t",
                "a",
                "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT load_extension('./evil.so'); END",
            ),
            ("view", "v", "v", "CREATE VIEW v AS SELECT load_extension('./evil.so'), writefile('./evil', 'x')"),
            ("view", "w", "w", "CREATE VIEW w AS SELECT fts3_tokenizer('simple', x'4141414141414141')"),
            (
                "table",
                "b",
                "b",
                "CREATE TABLE b (x CHECK (load_extension('./evil.so')), y AS (load_extension('./e')))",
            ),
        ),
    )


@kind
def evil_names(_: random.Random) -> Made:
    name = quote("a" + EVIL)
    value = "'" + EVIL + "'"
    return database(
        f"CREATE TABLE {name} ({name} INTEGER PRIMARY KEY, {quote('b' + EVIL)} {quote('T' + EVIL)} DEFAULT {value});"
        f"INSERT INTO {name} DEFAULT VALUES; CREATE VIEW {quote('v' + EVIL)} AS SELECT * FROM {quote('no' + EVIL)};"
        f"CREATE INDEX {quote('i' + EVIL)} ON {name} ({quote('b' + EVIL)});"
    )


@kind
def names_that_are_no_text(_: random.Random) -> Made:
    data = database("CREATE TABLE BADNAME (BADCOLUMN BADTYPE); INSERT INTO BADNAME VALUES ('BADVALUE');")[""]
    return {
        "": data.replace(b"BADNAME", b"B\xff\x1b\xc3NAM")
        .replace(b"BADTYPE", b"B\x80\x1b[31m")
        .replace(b"BADVALUE", b"\xed\xa0\x80\xf8\xff\xfe\x9b\x07")
    }


@kind
def reserved_names(_: random.Random) -> Made:
    return database(
        ROWS,
        schema=(
            ("table", "sqlite_stat1", "sqlite_stat1", "CREATE TABLE sqlite_stat1 (tbl, idx, stat)"),
            ("table", "sqlite_sequence", "sqlite_sequence", "CREATE TABLE sqlite_sequence (x)"),
            ("table", "sqlite_evil", "sqlite_evil", "CREATE TABLE sqlite_evil (x)"),
        ),
    )


@kind
def virtual_tables(_: random.Random) -> Made:
    return database(
        "CREATE VIRTUAL TABLE s USING fts5 (a, b); INSERT INTO s VALUES ('x', 'y'); "
        "UPDATE s_data SET block = x'ffffffffffff';"
        "CREATE VIRTUAL TABLE r USING rtree (id, a, b); INSERT INTO r VALUES (1, 2, 3); "
        "UPDATE r_node SET data = x'ffff';",
        schema=(
            ("table", "u", "u", "CREATE VIRTUAL TABLE u USING no_such_module (x)"),
            ("table", "c", "c", "CREATE VIRTUAL TABLE c USING csv (filename='a.csv')"),
        ),
    )


@kind
def generated_in_a_ring(_: random.Random) -> Made:
    return database(
        "CREATE TABLE a (x);", schema=(("table", "g", "g", "CREATE TABLE g (a AS (b), b AS (c), c AS (a))"),)
    )


@kind
def types_that_lie(_: random.Random) -> Made:
    data = database(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, n STRICTINT, d DATETIME, j JSON, u UUID, p DECIMAL(10, 2)) ;"
        "INSERT INTO a VALUES (1, 'no', 'never', '{', 'x', x'00ff'), (2, 9e999, -1, zeroblob(9), '', '1e999999999');"
    )[""]
    return {"": data.replace(b"STRICTINT", b"INTEGER  ")}


@kind
def our_own_tables(_: random.Random) -> Made:
    return database(
        "CREATE TABLE corm_models (name TEXT, sql BLOB); INSERT INTO corm_models VALUES (x'ff', x'00'), (NULL, '}');"
        "CREATE TABLE corm_migrations (id TEXT PRIMARY KEY, sha256, schema_before, schema_after, started, "
        "finished, state);"
        "INSERT INTO corm_migrations VALUES ('0001', x'ff', NULL, 5, 'x', '\x1b[31m', 'dirty'), "
        "(NULL, 1, 2, 3, 4, 5, 'applied');"
        "CREATE TABLE corm_key_value (store, key, value, json, created, updated, expires, version);"
        "INSERT INTO corm_key_value VALUES ('s', 'k', '{\"a', 1, 'x', -1, 9e999, x'00'), "
        "(1, x'ff', NULL, 2, 3, 4, 5, 6);"
    )


@kind
def log_of_noise(chance: random.Random) -> Made:
    return {**database(ROWS, wal=True), "-wal": chance.randbytes(5000)}


@kind
def log_changed(chance: random.Random) -> Made:
    made = database(ROWS, wal=True)
    log = bytearray(made["-wal"])
    for _ in range(chance.randrange(1, 20)):
        log[chance.randrange(len(log))] = chance.randrange(256)
    return {**made, "-wal": bytes(log)}


@kind
def log_of_another(_: random.Random) -> Made:
    return {"": database("CREATE TABLE z (y);", wal=True)[""], "-wal": database(ROWS, wal=True)["-wal"]}


@kind
def journal_of_noise(chance: random.Random) -> Made:
    magic = bytes((0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7))
    numbers = struct.pack(">IIIII", *(chance.choice(INTERESTING) for _ in range(5)))
    return {"": sample(), "-journal": magic + numbers + chance.randbytes(6000)}


@kind
def journal_with_a_master(_: random.Random) -> Made:
    magic = bytes((0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7))
    name = b"made-by-nobody"
    tail = name + struct.pack(">II", len(name), sum(name)) + magic
    return {
        "": sample(),
        "-journal": magic + struct.pack(">IIIII", 0, 0, 20, 512, PAGE) + bytes(512 - 28) + struct.pack(">I", 9) + tail,
    }


@kind
def vacuum_maps(chance: random.Random) -> Made:
    data = database("PRAGMA auto_vacuum = FULL;" + ROWS)[""]
    return patched(data, (PAGE, chance.randbytes(PAGE)))


@kind
def foreign_keys_in_a_ring(_: random.Random) -> Made:
    return database(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, b REFERENCES b ON DELETE CASCADE, c REFERENCES nowhere (x));"
        "CREATE TABLE b (id INTEGER PRIMARY KEY, a REFERENCES a ON DELETE CASCADE, UNIQUE (id, a)); "
        "INSERT INTO a VALUES (1, 1, 5); INSERT INTO b VALUES (1, 1);"
    )


@kind
def encrypted_look(chance: random.Random) -> Made:
    return {"": chance.randbytes(16384), "-wal": chance.randbytes(4152)}


def mutate(made: Made, chance: random.Random) -> Made:
    """Some bytes are others, or elsewhere, or gone."""
    files = dict(made)
    name = chance.choice([name for name in files if files[name]] or [""])
    data = bytearray(files[name])
    for _ in range(chance.choice((1, 1, 2, 3, 8, 30))):
        if len(data) < 200:
            break
        # Headers of pages decide most.
        page = PAGE * chance.randrange(len(data) // PAGE + 1)
        at = min(
            page + chance.choice((chance.randrange(12), chance.randrange(100), chance.randrange(PAGE))), len(data) - 9
        )
        what = chance.randrange(6)
        if what == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif what == 1:
            data[at] = chance.randrange(256)
        elif what == 2:
            data[at : at + 2] = struct.pack(">H", chance.choice(INTERESTING) & 0xFFFF)
        elif what == 3:
            data[at : at + 4] = struct.pack(">I", chance.choice(INTERESTING))
        elif what == 4:
            other = PAGE * chance.randrange(len(data) // PAGE + 1)
            data[page : page + PAGE] = data[other : other + PAGE]
        else:
            del data[chance.randrange(len(data)) :]
    files[name] = bytes(data)
    return files


def hostile(number: int, seed: int = 1) -> tuple[str, Made]:
    """The first are one of each class; from there on each is one that was changed by chance."""
    names = list(CLASSES)
    name = names[number % len(names)]
    chance = random.Random(f"{seed}/{number}")
    made = CLASSES[name](chance)
    if number >= len(names):
        # What has pages is worth more than what has none.
        made = mutate(made if chance.random() < 0.5 else {"": sample()}, chance)
    return name, made


def write(path: Path, made: Made) -> None:
    for suffix, data in made.items():
        Path(f"{path}{suffix}").write_bytes(data)


if __name__ == "__main__":
    folder, count, first_seed = Path(sys.argv[1]), int((sys.argv[2:] or ["0"])[0]), int((sys.argv[3:] or ["1"])[0])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(len(CLASSES) + count):
        name, made = hostile(number, first_seed)
        write(folder / f"{number:04}_{name}.db", made)
