"""corm move, value by value: each edge value of each type goes there and back, or is told before anything is
written."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import ROOT
from cormorant import Database
from test_move import CORM, corm, rows

EDGE_WRITER = ROOT / "build" / "Tests" / "C" / "edge_write"
LONG = "0123456789abcdef" * 10_000
ODD = "é \U0001f9a4 e\u0301 \ufffd \u2028 \t\r\n '\"`\\ \\N \\. NULL \x01\x7f"

FITTING: dict[str, list[object]] = {
    "INTEGER": [0, 1, -1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, -(2**63)],
    "INT32": [0, 2**31 - 1, -(2**31)],
    "BOOLEAN": [0, 1],
    "REAL": [
        0.0,
        0.1,
        -1 / 3,
        5e-324,
        -5e-324,
        2.2250738585072014e-308,
        1.7976931348623157e308,
        1e15,
        9007199254740993.0,
        float("inf"),
        float("-inf"),
        1e100,
        123456789012345680.0,
    ],
    "TEXT": ["", " ", "  x  ", "0", "1e3", "NULL", "\\N", ODD, LONG, "\uffff", "a" * 63, "\U0010ffff"],
    "VARCHAR(10)": ["", "0123456789", "é" * 10, "x   "],
    "BLOB": [b"", b"\x00", bytes(range(256)), b"\xff\xfe", b"\\x00", bytes(1_000_000)],
    "DATETIME": [
        "0001-01-01 00:00:00",
        "1969-12-31 23:59:59.999999",
        "1970-01-01 00:00:00",
        "2000-02-29 12:00:00",
        "2024-02-29 23:59:59.000001",
        "9999-12-31 23:59:59.999999",
        "1582-10-10 00:00:00",
    ],
    "DATE": ["0001-01-01", "1582-10-10", "2000-02-29", "9999-12-31"],
    "TIME": ["00:00:00", "23:59:59.999999", "12:00:00.100000"],
    "OFFSET_DATETIME": ["2024-02-29 23:59:59+02:00", "2024-02-29 21:59:59+00:00"],
    "DURATION": [0, -1, 2**63 - 1],
    "UUID_TEXT": ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "DECIMAL_TEXT": [
        "0",
        "0.00",
        "-0.10",
        "12.50",
        "9" * 200 + ".99",
        "0." + "0" * 300 + "1",
        "1" * 131_072,
        "0." + "1" * 16_383,
    ],
    "JSON_TEXT": [
        "{}",
        "[]",
        "null",
        "0",
        '""',
        '"\\u00e9\\ud83e\\udda4"',
        "[1, 2.50, 1e3, -0, 1E-7]",
        '{"b":{"a":[[]]}}',
        "12345678901234567890.1234567890",
        "  [ true ,false ]  ",
        '{"a\\"b":"\\\\ \\/ \\n"}',
        "[" * 400 + "]" * 400,
    ],
}

# Of each what is told behind the key; the texts of a type stand in one column.
MISFITS: dict[str, list[tuple[object, str]]] = {
    "INTEGER": [
        ("many", '"many"'),
        (b"\x00", "a blob of 1 bytes"),
        (1.5, "1.5"),
        ("9223372036854775808", "9.22337203685477"),
    ],
    "BOOLEAN": [(2, "2"), ("yes", '"yes"')],
    "REAL": [("much", '"much"'), (b"", "a blob of 0 bytes")],
    "TEXT": [("a\0b", "a text with NUL"), (b"\xff", "a blob of 1 bytes")],
    "BLOB": [("text", '"text"'), (1, "1")],
    "UUID_TEXT": [("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "FFFF"), ("none", '"none"')],
    "DECIMAL_TEXT": [
        ("1e5", '"1e5"'),
        ("NaN", '"NaN"'),
        ("+1", '"+1"'),
        (".5", '".5"'),
        ("1" * 131_073, "1111"),
        ("0." + "1" * 16_384, "0.11"),
    ],
    "JSON_TEXT": [
        ("{", '"{"'),
        ('"\\u0000"', "u0000"),
        ('"\\ud800"', "ud800"),
        ("1e999999", "1e999999"),
        ('{"a":1,"a":2}', "two members"),
        ("[" * 5000 + "]" * 5000, "[[[["),
    ],
}


def parsed(value: object) -> object:
    """JSON as what it says: a number whatever it is written as."""
    return json.loads(str(value), parse_int=Decimal, parse_float=lambda text: Decimal(text).normalize())


def filled(file: Path, type_: str, values: list[object]) -> Path:
    with sqlite3.connect(file) as db:
        db.execute(f"CREATE TABLE t (id INTEGER PRIMARY KEY, v {type_})")
        db.executemany("INSERT INTO t (v) VALUES (?)", [(value,) for value in [*values, None]])
    return file


@pytest.mark.parametrize("type_", FITTING)
def test_edge_values_of_a_type_go_there_and_back(url: str, tmp_path: Path, type_: str) -> None:
    file = filled(tmp_path / "there.db", type_, FITTING[type_])
    corm("move", file, url)
    back = tmp_path / "back.db"
    corm("move", url, back)
    one, other = rows(file)["t"], rows(back)["t"]
    if type_ == "JSON_TEXT":
        one, other = ([(key, value and parsed(value)) for key, value in found] for found in (one, other))
    assert len(one) == len(FITTING[type_]) + 1
    assert other == one
    # Types and all: what is equal to Python may be another number.
    assert type_ == "JSON_TEXT" or [repr(row) for row in other] == [repr(row) for row in one]


@pytest.mark.parametrize(("type_", "number"), [(type_, n) for type_ in MISFITS for n in range(len(MISFITS[type_]))])
def test_each_misfit_is_told_before_anything_is_written(url: str, tmp_path: Path, type_: str, number: int) -> None:
    value, said = MISFITS[type_][number]
    file = filled(tmp_path / "odd.db", type_, [*FITTING[type_], value])
    told = corm("move", file, url, status=2)
    key = len(FITTING[type_]) + 1
    assert any(line.startswith(f"does not fit: t.v, id {key}: ") and said in line for line in told.splitlines()), told
    with Database(url) as server:
        assert server.query("SELECT count(*) FROM pg_class WHERE relname IN ('t', 'corm_move')").fetch_all() == [(0,)]


def test_the_file_of_edge_values_goes_there_and_back(url: str, tmp_path: Path) -> None:
    file = tmp_path / "edges.db"
    subprocess.run([EDGE_WRITER, file], check=True)
    told = corm("move", file, url, status=2)
    assert "edge_values.label, id 9223372036854775807: a text with NUL" in told
    assert "edge_values.optional_label, id 9223372036854775807: a text with NUL" in told
    assert "nothing was written" in told
    with sqlite3.connect(file) as db:
        # To SQLite's replace() a NUL is an empty text.
        db.create_function("without_nul", 1, lambda text: text and text.replace("\0", ""))
        for name in ("label", "optional_label"):
            db.execute(f"UPDATE edge_values SET {name} = without_nul({name})")
    assert "equal" in corm("move", file, url)
    back = tmp_path / "back.db"
    assert "equal" in corm("move", url, back)
    one, other = rows(file)["edge_values"], rows(back)["edge_values"]
    # The last two are JSON.
    assert [row[:-2] for row in other] == [row[:-2] for row in one]
    assert (
        [[text and json.loads(text) for text in row[-2:]] for row in other]
        == [  # type: ignore[arg-type]
            [text and json.loads(text) for text in row[-2:]]
            for row in one  # type: ignore[arg-type]
        ]
    )


SERVER_VALUES = [
    # The type, values that go there and back, and values that are told.
    ("bigint", ["9223372036854775807", "-9223372036854775808"], []),
    ("smallint", ["32767", "-32768"], []),
    ("boolean", ["true", "false"], []),
    ("float8", ["'Infinity'", "'-Infinity'", "5e-324", "0.1", "1e308"], ["'NaN'"]),
    ("real", ["3.4028235e38", "1e-45", "0.1", "'Infinity'"], ["'NaN'"]),
    ("numeric", ["0", "1.50", "'9e200'", "1e-200"], ["'NaN'", "'Infinity'"]),
    ("numeric(10,2)", ["0.10", "-99999999.99"], ["'NaN'"]),
    ("text", ["''", "E'\\\\t \\\\\\\\ \\U0001F9A4'", "repeat('x', 100000)"], []),
    ("varchar(5)", ["'x  '", "'ééééé'"], []),
    ("char(5)", ["'x'"], []),
    ("bytea", ["''", "'\\x00ff'"], []),
    ("date", ["'0001-01-01'", "'9999-12-31'"], ["'infinity'", "'-infinity'", "'0044-03-15 BC'", "'10000-01-01'"]),
    ("time", ["'00:00'", "'23:59:59.999999'"], ["'24:00'"]),
    (
        "timestamptz",
        ["'0001-01-01 00:00+00'", "'9999-12-31 23:59:59.999999+00'"],
        ["'infinity'", "'0001-12-31 BC'", "'12000-01-01'"],
    ),
    ("timestamp", ["'1582-10-10 00:00'"], ["'-infinity'"]),
    ("interval", ["'1 year 2 days'", "'-00:00:00.000001'"], []),
    ("uuid", ["'ffffffff-ffff-ffff-ffff-ffffffffffff'"], []),
    ("jsonb", ["'{\"a\": 1e400}'", "'[1.50, \"\\\\u00e9\"]'"], []),
    ("bigint[]", ["'{1,NULL,3}'"], []),
    ("inet", ["'10.0.0.1/8'"], []),
    ("int4range", ["'[1,5)'"], []),
]


@pytest.mark.parametrize(("type_", "fitting", "misfits"), SERVER_VALUES, ids=[entry[0] for entry in SERVER_VALUES])
def test_values_of_a_server_come_to_a_file_or_are_told(
    url: str, tmp_path: Path, type_: str, fitting: list[str], misfits: list[str]
) -> None:
    with Database(url) as server:
        server.execute(f"CREATE TABLE t (id bigint PRIMARY KEY, v {type_})")
        for number, value in enumerate([*fitting, "NULL"]):
            server.execute(f"INSERT INTO t VALUES ({number}, CAST({value} AS {type_}))")
        before = server.query("SELECT id, CAST(v AS text) FROM t ORDER BY id").fetch_all()
    file = tmp_path / "there.db"
    corm("move", url, file)
    with Database(url) as server:
        # Into a table of the same type they come back as they were.
        server.execute("DROP TABLE t")
    corm("move", file, url)
    with Database(url) as server:
        server.execute("CREATE TABLE again (id bigint PRIMARY KEY, v text)")
        server.execute(f"INSERT INTO again SELECT id, CAST(CAST(CAST(v AS text) AS {type_}) AS text) FROM t")
        assert server.query("SELECT id, v FROM again ORDER BY id").fetch_all() == before
        server.execute("DROP TABLE again")
        for number, value in enumerate(misfits):
            server.execute("DROP TABLE t")
            server.execute(f"CREATE TABLE t (id bigint PRIMARY KEY, v {type_})")
            server.execute(f"INSERT INTO t VALUES (7, CAST({value} AS {type_}))")
            other = tmp_path / f"{number}.db"
            told = corm("move", url, other, status=2)
            assert "does not fit: t.v, id 7: " in told, (value, told)
            assert "nothing was written" in told


# As a file may hold them: they fit, and come back as they were, or are told; but nothing is written that differs then.
EITHER: dict[str, list[object]] = {
    "DATETIME": [
        "2024-01-01",
        "2024-01-01T00:00:00",
        "2024-01-01 00:00:00Z",
        "2024-01-01 00:00:00.100",
        "2024-01-01 00:00:00.000000",
        "2024-01-01 00:00",
        "2024-01-01 00:00:00+01:00",
        "2024-01-01 00:00:00.1234567",
        " 2024-01-01 00:00:00",
        1704067200,
        "",
    ],
    "DATE": ["2024-1-1", "2024-01-01 ", "20240101", "2024-01-01 00:00:00", ""],
    "TIME": ["12:00", "12:00:00.1", "12:00:00.000000", "1:00:00", ""],
    "OFFSET_DATETIME": ["2024-01-01 00:00:00", "x"],
    "REAL": [9007199254740993, -0.0],
    "JSON_TEXT": [
        "01",
        "1.",
        "+1",
        "NaN",
        "'x'",
        "[1,]",
        "\ufeff{}",
        '"\t"',
        "1e131072",
        "1e-16384",
        "-0.0",
        '"\\ud83e"',
        "",
        " ",
        "[" * 900 + "]" * 900,
    ],
    "DECIMAL_TEXT": ["00", "01", "-0", "-0.00", "1.", "1_000", " 1", "", "0x10", "٣", 1, 1.5],
    "UUID_TEXT": ["00112233445566778899aabbccddeeff", "{00112233-4455-6677-8899-aabbccddeeff}", ""],
    "BOOLEAN": ["1", "t", 1.0, "true"],
    "NUMERIC": [1, 1.5, "x", 2**63 - 1, b"x"],
    "VARCHAR(3)": ["abcd"],
    "DECIMAL(10,2)": ["1.50", 2, "x"],
    "STRING": ["x", "1", "1.50"],
    "": ["x", 1, 1.5, b"x"],
    "BIGINT UNSIGNED": [2**63 - 1],
    "TINYINT": [300],
    "CHAR(5)": ["x  "],
    "CLOB": ["x"],
}


@pytest.mark.parametrize("type_", EITHER)
def test_what_is_written_otherwise_comes_back_or_is_told(url: str, tmp_path: Path, type_: str) -> None:
    for number, value in enumerate(EITHER[type_]):
        file = filled(tmp_path / f"{number}.db", type_, [value])
        done = subprocess.run([CORM, "move", file, url], capture_output=True, text=True, check=False)
        if done.returncode == 2:
            assert "does not fit: t.v, id 1: " in done.stderr and "nothing was written" in done.stderr, (value, done)
            continue
        assert done.returncode == 0, (value, done)
        back = tmp_path / f"back{number}.db"
        corm("move", url, back)
        one, other = rows(file)["t"], rows(back)["t"]
        if type_ == "JSON_TEXT":
            one, other = ([(key, value and parsed(value)) for key, value in found] for found in (one, other))
        assert other == one, value
        with Database(url) as server:
            server.execute("DROP TABLE t")
