"""corm query."""

from __future__ import annotations

import pytest
from command_runs import Corm, rows
from running import make

VALUES = "SELECT 1 a, NULL b, x'00ff' c, 1e999 d, '日本' e, '' f, 9223372036854775807 g, 'x,\"y' || char(10) h, 0.1 i"


@pytest.fixture(autouse=True)
def file(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (7, 'Ada')")


def test_csv_holds_every_value(corm: Corm) -> None:
    assert corm.run("query", "a.db", VALUES, "--csv").out == (
        'a,b,c,d,e,f,g,h,i\n1,,x\'00ff\',9e999,日本,"",9223372036854775807,"x,""y\n",0.1\n'
    )


def test_json_holds_every_value(corm: Corm) -> None:
    assert corm.run("query", "a.db", VALUES, "--json").json == [
        {
            "a": 1, "b": None, "c": "AP8=", "d": float("inf"), "e": "日本", "f": "", "g": 9223372036854775807,
            "h": 'x,"y\n', "i": 0.1,
        }
    ]  # fmt: skip


def test_a_table_is_aligned_by_what_a_terminal_shows(corm: Corm) -> None:
    sql = "SELECT 'a' AS x, 1 AS n UNION ALL SELECT '日本🎉', 100 UNION ALL SELECT 'é' || char(10), NULL"
    assert corm.run("query", "a.db", sql).out.splitlines() == [
        "x          n",
        "──────  ────",
        "a          1",
        "日本🎉   100",
        "é\\n     NULL",
    ]


def test_a_table_fits_the_terminal(corm: Corm) -> None:
    sql = "SELECT printf('%0200d', 1) AS long, 'short' AS short"
    lines = corm.terminal("query", "a.db", sql, columns=40, NO_COLOR="1").splitlines()
    assert [len(line) for line in lines] == [40, 40, 40]
    assert lines[2].endswith("…  short")
    assert "0" * 199 + "1" in corm.run("query", "a.db", sql).out


def test_no_rows(corm: Corm) -> None:
    sql = "SELECT * FROM t WHERE id = 0"
    assert corm.run("query", "a.db", sql, "--json").json == []
    assert corm.run("query", "a.db", sql, "--csv").out == "id,name\n"
    assert corm.run("query", "a.db", sql).out == "id  name\n──  ────\n"


def test_a_code_with_zeros_before_it_is_bound_as_it_is(corm: Corm) -> None:
    make(corm.folder / "b.db", "CREATE TABLE m (isbn TEXT, n INT); INSERT INTO m VALUES ('007', 7), ('7', 8)")
    found = corm.run("query", "b.db", "SELECT n FROM m WHERE isbn = ?", "--bind", "007", "--json").json
    assert found == [{"n": 7}]
    assert corm.run("query", "b.db", "SELECT n FROM m WHERE n = ?", "--bind", "007", "--json").json == found


def test_values_are_bound(corm: Corm) -> None:
    def bound(*arguments: str) -> list[tuple[str, object]]:
        sql = "SELECT " + ", ".join(f"typeof(?{i}) AS t{i}, ?{i} AS v{i}" for i in range(1, len(arguments) + 1))
        given = [part for argument in arguments for part in ("--bind=" + argument,)]
        [row] = corm.run("query", "a.db", sql, *given, "--json").json
        return [(row[f"t{i}"], row[f"v{i}"]) for i in range(1, len(arguments) + 1)]

    texts = [
        "12",
        "-0.5",
        "NULL",
        "x'00ff'",
        "'12'",
        "it's",
        "nan",
        "x'0",
        "'a''b'",
        "a=b",
        "99999999999999999999",
        "1e400",
        "9e999",
    ]
    assert bound(*texts) == [
        ("integer", 12), ("real", -0.5), ("null", None), ("blob", "AP8="), ("text", "12"), ("text", "it's"),
        ("text", "nan"), ("text", "x'0"), ("text", "a'b"), ("text", "a=b"),
        ("text", "99999999999999999999"), ("text", "1e400"), ("real", float("inf")),
    ]  # fmt: skip
    named = corm.run(
        "query", "a.db", "SELECT name FROM t WHERE id = :id AND name = $n", "--bind", "id=7", "--bind", "n=Ada"
    )
    assert "Ada" in named.out


def test_wrong_bindings(corm: Corm) -> None:
    assert "1 parameter, 0 values" in corm.fails("query", "a.db", "SELECT ?")
    assert '"x"' in corm.fails("query", "a.db", "SELECT :y", "--bind", "x=1")
    assert "names no parameter" in corm.fails("query", "a.db", "SELECT :y", "--bind", "1")


def test_it_writes_only_when_told_to(corm: Corm) -> None:
    insert = "INSERT INTO t (name) VALUES (?)"
    assert "--write" in corm.fails("query", "a.db", insert, "--bind", "Grace")
    assert rows(corm.folder / "a.db", "SELECT count(*) FROM t") == [(1,)]
    assert corm.run("query", "a.db", insert, "--bind", "Grace", "--write").out == "1 row changed\n"
    returned = corm.run("query", "a.db", insert + " RETURNING id, name", "--bind", "Ida", "--write", "--json")
    assert returned.json == [{"id": 9, "name": "Ida"}]
    assert "UNIQUE" in corm.fails("query", "a.db", "INSERT INTO t VALUES (7, 'x')", "--write")
    assert corm.run("query", "a.db", insert, "--bind", "Kay", "--write", "--json").json == []


def test_a_mistake_is_shown_in_its_line(corm: Corm) -> None:
    said = corm.fails("query", "a.db", "SELECT id,\n\tnam FROM t")
    assert said == "corm: no such column: nam\n  \\tnam FROM t\n    ^\nhint: did you mean name?\n"


def test_sql_from_standard_input(corm: Corm) -> None:
    assert corm.run("query", "a.db", "-", "--csv", stdin="SELECT name FROM t;\n").out == "name\nAda\n"
    assert "no statement" in corm.fails("query", "a.db", "-", stdin="")
    assert "more than one" in corm.fails("query", "a.db", "SELECT 1; SELECT 2")


def test_columns_of_one_name_are_no_json(corm: Corm) -> None:
    assert "AS" in corm.fails("query", "a.db", "SELECT 1 AS x, 2 AS x", "--json")
    assert corm.run("query", "a.db", "SELECT 1 AS x, 2 AS x", "--csv").out == "x,x\n1,2\n"


def test_text_that_is_not_utf_8(corm: Corm) -> None:
    sql = "SELECT CAST(x'41ff' AS TEXT) AS x"
    assert corm.run("query", "a.db", sql).out.splitlines()[2] == "A\ufffd"
    assert "UTF-8" in corm.fails("query", "a.db", sql, "--json")


def test_what_commands_a_terminal_is_shown_as_an_escape(corm: Corm) -> None:
    assert "\\u{1b}[31m" in corm.run("query", "a.db", "SELECT char(27) || '[31m' AS x").out
