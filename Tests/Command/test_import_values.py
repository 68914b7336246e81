"""corm import: a value comes in as it is, in the form that models read, or its record is rejected."""

from __future__ import annotations

import csv
import math
from typing import Any

import pytest
from command_runs import Corm, declared, everything, put, rows
from running import make

# What is left when models of these tables are synced.
MODEL = """
CREATE TABLE t (
  id INTEGER PRIMARY KEY, at DATETIME, who UUID_TEXT, price DECIMAL_TEXT, ok BOOLEAN, n INTEGER, u INTEGER, f REAL,
  b BLOB, s TEXT
);
CREATE TABLE strict (id INTEGER PRIMARY KEY, at TEXT, who TEXT, price TEXT, ok INTEGER) STRICT;
CREATE TABLE corm_models (
  name TEXT PRIMARY KEY NOT NULL, sql TEXT NOT NULL, schema_version INTEGER NOT NULL, renamed_from TEXT
) WITHOUT ROWID;
INSERT INTO corm_models VALUES
  ('t', '-- f float' || char(10) || '-- n int32' || char(10) || '-- u unsigned int64' || char(10) || 'CREATE', 1, NULL),
  ('strict', '-- at datetime' || char(10) || '-- ok bool' || char(10) || '-- price decimal' || char(10) || '-- who uuid'
     || char(10) || 'CREATE', 1, NULL);
"""
UUID = "01234567-89ab-cdef-0123-456789abcdef"


def imported(corm: Corm, table: str, text: str, name: str = "x.csv") -> tuple[list[Any], list[str]]:
    """The rows that came in, and why others did not."""
    put(corm, name, text)
    result = corm.run("import", "a.db", name, "--table", table, "--rejects", "bad.csv", status=None)
    told = list(csv.DictReader((corm.folder / "bad.csv").open(newline="")))
    assert result.status == (2 if told else 0), result
    return everything(corm, table), [one["reason"] for one in told]


# --- The forms that models read ---


@pytest.mark.parametrize(
    ("column", "given", "held"),
    [
        ("at", "2026-01-31T12:00:00Z", "2026-01-31 12:00:00"),
        ("at", "2026-01-31 14:30:00.5+02:30", "2026-01-31 12:00:00.500000"),
        ("at", "2026-01-31", "2026-01-31 00:00:00"),
        ("at", "2026-01-31 12:00:00.250000", "2026-01-31 12:00:00.250000"),
        ("who", UUID.upper(), UUID),
        ("who", UUID.replace("-", ""), UUID),
        ("price", "1.10", "1.10"),
        ("price", " -12345678901234567890.123456789 ", "-12345678901234567890.123456789"),
        ("ok", "yes", 1),
        ("n", "-2147483648", -2147483648),
        ("u", "9223372036854775807", 9223372036854775807),
        ("f", "0.1", 0.1),
    ],
)
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_a_value_is_brought_to_the_form_of_its_column(
    corm: Corm, column: str, given: str, held: object, form: str
) -> None:
    make(corm.folder / "a.db", MODEL)
    text = f"{column}\n{given}\n" if form == "csv" else f'{{"{column}": "{given}"}}\n'
    imported(corm, "t", text, f"x.{form}")
    assert rows(corm.folder / "a.db", f"SELECT {column} FROM t") == [(held,)]
    if column in {"at", "who", "price", "ok"}:
        imported(corm, "strict", text, f"x.{form}")
        assert rows(corm.folder / "a.db", f"SELECT {column} FROM strict") == [(held,)]


@pytest.mark.parametrize(
    ("column", "given", "reason"),
    [
        ("at", "soon", 'at: "soon" is no time'),
        ("at", "2026-02-30", "is no time"),
        ("at", "10000-01-01", "is no time"),
        ("at", "0001-01-01T00:00+01:00", "is no time"),
        ("at", "2026-01-31T12:00:00.1234567Z", "is no time"),
        ("at", "1700000000", "is no time"),
        ("who", "0123", "is no UUID"),
        ("price", '"1,5"', "is no decimal number"),
        ("ok", "2", "neither true nor false"),
        ("n", "2147483648", "is not from -2147483648 to 2147483647"),
        ("u", "-1", "is not from 0"),
        ("f", "1e39", "32 bits"),
    ],
)
def test_what_models_could_not_read_is_rejected(corm: Corm, column: str, given: str, reason: str) -> None:
    make(corm.folder / "a.db", MODEL)
    found, reasons = imported(corm, "t", f"id,{column}\n1,{given}\n2,\n")
    assert reason in reasons[0]
    assert [row[0] for row in found] == [2]
    if column in {"at", "who", "price", "ok"}:
        assert reason in imported(corm, "strict", f"id,{column}\n1,{given}\n2,\n")[1][0]


def test_values_of_other_kinds_are_rejected(corm: Corm) -> None:
    make(corm.folder / "a.db", MODEL)
    records = [
        '{"at": 5}', '{"at": true}', '{"who": {"a": 1}}', '{"price": false}', '{"b": true}', '{"b": 5}',
        '{"s": {"$base64": true, "encoded": "AP8="}}', '{"b": {"$text": "abcd"}}', '{"b": "AP9="}', '{"f": 1e39}',
    ]  # fmt: skip
    assert imported(corm, "t", "\n".join(records), "x.ndjson")[0] == []


def test_times_of_another_program_stay_in_its_form(corm: Corm) -> None:
    make(
        corm.folder / "a.db",
        "CREATE TABLE iso (at DATETIME); INSERT INTO iso VALUES ('2026-01-31T12:00:00Z');"
        "CREATE TABLE unix (at TIMESTAMP); INSERT INTO unix VALUES (1700000000)",
    )
    assert imported(corm, "iso", "at\n2026-02-01T12:00:00Z\n")[0][1] == ("2026-02-01T12:00:00Z",)
    assert imported(corm, "unix", "at\n1700000001\n")[0][1] == (1700000001,)


# --- Numbers ---


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ("9007199254740992", 2.0**53),
        ("0.1", 0.1),
        ("0.30000000000000004", 0.1 + 0.2),
        ("0.10000000000000001", 0.1),  # %.17g
        ("1.000000000000000056e-01", 0.1),  # NumPy's savetxt
        ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
        ("2.50000000000000000000000", 2.5),
        ("5e-324", 5e-324),
        ("1.7976931348623157e308", 1.7976931348623157e308),
        ("18446744073709551616", 2.0**64),
        ("-9e999", -math.inf),
        ("0e400", 0.0),
    ],
)
def test_a_real_that_a_double_holds(corm: Corm, given: str, held: float) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (r REAL, n NUMERIC, x)")
    imported(corm, "t", f'{{"r": {given}, "n": {given}, "x": {given}}}', "x.ndjson")
    imported(corm, "t", f"r,n\n{given},{given}\n")
    assert rows(corm.folder / "a.db", "SELECT r, n FROM t") == [(held, held)] * 2
    assert rows(corm.folder / "a.db", "SELECT x FROM t WHERE x IS NOT NULL") == [(held,)]


@pytest.mark.parametrize(
    "given",
    [
        "1e400", "-1e309", "1e-400", "19e999", "9007199254740993", "9007199254740993.0", "12345678901234567890",
        "3.141592653589793238", "0.1000000000000000055511151231257828", "0." + "1" * 900,
    ],
)  # fmt: skip
def test_a_real_that_would_be_rounded_is_rejected(corm: Corm, given: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (r REAL, x)")
    assert "of a double" in imported(corm, "t", f'{{"r": {given}}}', "x.ndjson")[1][0]
    assert "of a double" in imported(corm, "t", f"r\n{given}\n")[1][0]
    if given != "9007199254740993":
        assert "of a double" in imported(corm, "t", f'{{"x": {given}}}', "x.ndjson")[1][0]
    assert everything(corm, "t") == []


@pytest.mark.parametrize(
    ("given", "held"), [("1e3", 1000), ("5.0", 5), ("9.2e18", 9200000000000000000), ("9007199254740993.0", 2**53 + 1)]
)
def test_an_integer_in_another_form(corm: Corm, given: str, held: int) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (i INTEGER)")
    assert imported(corm, "t", f"i\n{given}\n")[0] == [(held,)]


@pytest.mark.parametrize("given", ["9223372036854775808", "1.00000000000000000001", "1e19", "1e999999999", "1.5"])
def test_an_integer_that_does_not_fit_is_rejected(corm: Corm, given: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (i INTEGER)")
    assert "is no 64-bit integer" in imported(corm, "t", f"i\n{given}\n")[1][0]
    assert "is no 64-bit integer" in imported(corm, "t", f'[{{"i": {given}}}]', "x.json")[1][0]


@pytest.mark.parametrize("given", ["007", "+5", " 5", "12345678901234567890", "0.12345678901234567890"])
def test_a_text_that_its_column_would_make_a_number_of_is_rejected(corm: Corm, given: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (zip STRING, code PLAIN)")
    assert "would become another number" in imported(corm, "t", f"zip\n{given}\n")[1][0]
    assert "of the type PLAIN" in imported(corm, "t", f'{{"code": "{given}"}}', "x.ndjson")[1][0]
    assert imported(corm, "t", "zip,code\nA1,2026-01-31\n5,2026\n")[0] == [("A1", "2026-01-31"), (5, 2026)]


def test_dates_and_times_of_day_take_their_form_or_are_rejected(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (day DATE, at TIME, takes DURATION)")
    rows, told = imported(corm, "t", "day,at,takes\n2026-01-31,8:30,5\n2026-02-30,,5\n2026-01-31,08:30,7\n")
    assert (rows, len(told)) == ([("2026-01-31", "08:30:00", 7)], 2)
    assert "is no time of day as 12:00:00.123456" in told[0]
    assert "is no date of the years 1 to 9999 as 2026-01-31" in told[1]


def test_a_new_table_holds_numbers_of_any_length(corm: Corm) -> None:
    numbers = ["12345678901234567890", "3.141592653589793238", "1e400", "0.30000000000000004"]
    put(corm, "t.ndjson", "".join(f'{{"a": {one}, "b": 5}}\n' for one in numbers))
    assert corm.run("import", "a.db", "t.ndjson").out == "4 rows imported\n"
    assert declared(corm, "t") == [("a", "TEXT"), ("b", "INTEGER")]
    assert [a for a, _ in everything(corm, "t")] == numbers
    put(corm, "u.csv", "a,b\n0.30000000000000004,3.141592653589793238\n")
    corm.run("import", "a.db", "u.csv")
    assert everything(corm, "u") == [(0.1 + 0.2, "3.141592653589793238")]


# --- Rows that are not there after all ---


@pytest.mark.parametrize(
    "table",
    [
        "CREATE TABLE t (a INT); CREATE TRIGGER g BEFORE INSERT ON t WHEN new.a = 2 BEGIN SELECT raise(IGNORE); END",
        "CREATE TABLE t (a INTEGER NOT NULL UNIQUE ON CONFLICT IGNORE); INSERT INTO t VALUES (2)",
    ],
)
def test_a_record_that_the_table_passes_over_is_rejected(corm: Corm, table: str) -> None:
    make(corm.folder / "a.db", table)
    put(corm, "t.csv", "a\n1\n2\n3\n")
    result = corm.run("import", "a.db", "t.csv", "--json", status=2)
    assert result.json == {"table": "t", "imported": 2, "rejected": 1}
    assert "line 3: a trigger or an ON CONFLICT clause of the table passed it over" in result.err


def test_an_upsert_of_keys_alone_counts_rows_that_are_there(corm: Corm) -> None:
    make(
        corm.folder / "a.db",
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'mine');"
        "CREATE TRIGGER g BEFORE INSERT ON t WHEN new.a = 3 BEGIN SELECT raise(IGNORE); END",
    )
    put(corm, "t.csv", "a\n1\n2\n3\n")
    assert corm.run("import", "a.db", "t.csv", "--upsert", "a", status=2).out == "2 rows imported, 1 rejected\n"
    assert everything(corm, "t") == [(1, "mine"), (2, None)]


def test_a_trigger_that_fails_half_way_fails_the_import(corm: Corm) -> None:
    script = "CREATE TABLE t (a); CREATE TRIGGER g AFTER INSERT ON t WHEN new.a = 2 BEGIN SELECT raise(FAIL, 'no'); END"
    make(corm.folder / "a.db", script)
    put(corm, "t.csv", "a\n1\n2\n")
    assert "line 3" in corm.fails("import", "a.db", "t.csv")
    assert everything(corm, "t") == []


def test_a_key_twice_in_other_letters_is_rejected(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a)")
    found, reasons = imported(corm, "t", '{"a": 1}\n{"a": 2, "A": 3}\n{"A": 4, "a": 5}\n{"A": 6}\n', "x.ndjson")
    assert (found, reasons) == ([(1,), (6,)], ['it has the column "a" twice'] * 2)


# --- Out and in again ---

SLOPPY = """
CREATE TABLE t (x, y ANY, z BLOB, s TEXT, n NUMERIC);
INSERT INTO t VALUES
  ('5', 'a', 'abcd', x'00ff', 5), (5, 5, x'00ff', '5', 1.5), (5.0, x'41', x'', 'x''41''', 2),
  ('0.5', 9e999, NULL, '', NULL), (x'00', 0, 'text', 'a', 2), ('x''41''', 0.1e300, x'ff', NULL, -9e999),
  ('', NULL, x'41', '01', 0), ('01', 'NaN', x'42', ' 5 ', 9223372036854775807), (NULL, 'true', 'x''41''', '9e999', 7),
  (0.30000000000000004, 123456789012345678, '{}', '{"$text": "a"}', 0.1),
  (1, 1, 7, 'n', 1), (2, 2, 0.1, 'r', 2);
CREATE TABLE strict (x ANY, i INT) STRICT;
INSERT INTO strict VALUES ('5', 1), (5, 2), (x'05', 3), (5.0, 4), ('x''05''', 5), ('9e999', 6), (9e999, 7), ('', 8),
  (NULL, 9);
"""


def copied(corm: Corm, table: str, file: str) -> tuple[list[str], list[str]]:
    """The rows before an export and after its import."""
    make(corm.folder / "b.db", SLOPPY.split("INSERT")[0] + "CREATE TABLE strict (x ANY, i INT) STRICT")
    corm.run("export", "a.db", table, "--out", file)
    corm.run("import", "b.db", file, "--table", table, status=None)
    return [repr(row) for row in everything(corm, table)], [repr(row) for row in everything(corm, table, "b.db")]


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_brings_back_any_value_in_any_column(corm: Corm, form: str) -> None:
    make(corm.folder / "a.db", SLOPPY)
    for table in ("t", "strict"):
        before, after = copied(corm, table, f"x.{form}")
        assert after == before
        (corm.folder / "b.db").unlink()


def test_csv_brings_back_any_value_of_a_column_that_takes_any(corm: Corm) -> None:
    make(corm.folder / "a.db", SLOPPY)
    before, after = copied(corm, "strict", "x.csv")
    assert after == before


def test_csv_tells_the_columns_that_it_cannot_bring_back(corm: Corm) -> None:
    make(corm.folder / "a.db", SLOPPY)
    told = corm.run("export", "a.db", "t").err.splitlines()
    assert told == [
        'warning: "s" has 1 value that CSV cannot say for a column of the type TEXT; --format json can',
        'warning: "y" has 1 value that CSV cannot say for a column of the type ANY; --format json can',
        'warning: "z" has 6 values that CSV cannot say for a column of the type BLOB; --format json can',
    ]
    assert corm.run("export", "a.db", "strict").err == ""


def test_blobs_of_a_new_table(corm: Corm) -> None:
    put(corm, "t.ndjson", '{"a": {"$base64": true, "encoded": "AP8="}, "b": {"$text": "5"}, "c": {"$base64": false}}\n')
    corm.run("import", "a.db", "t.ndjson")
    assert declared(corm, "t") == [("a", "BLOB"), ("b", "TEXT"), ("c", "TEXT")]
    assert everything(corm, "t") == [(b"\x00\xff", '{"$text": "5"}', '{"$base64": false}')]
