"""Statements that SQLite takes as they are, on a server."""

from __future__ import annotations

import pytest
from cormorant import Column, Database, Error, Model, column, insert, key, select, sql, to_one


class Team(Model, table="squad"):
    id: Column[int] = key()
    name: Column[str]


class Player(Model):
    id: Column[int] = key()
    name: Column[str]
    team_id: Column[int | None] = column(references="squad")
    team = to_one(Team)


@pytest.fixture
def db(url: str) -> Database:
    db = Database(url)
    db.create_tables(Team, Player)
    teams = [Team("Reds"), Team("Blues")]
    db.insert_many(teams)
    db.insert_many([Player("Ann", teams[0].id), Player("Bob", teams[1].id)])
    return db


def test_an_order_along_a_relation_beside_columns(db: Database) -> None:
    named = select(Player.name, Player.id).order_by(Player.team.name, Player.id)
    assert db.fetch_all(named) == [("Bob", 2), ("Ann", 1)]
    assert db.fetch_values(select(Player.name).order_by(Player.team.name).limit(1)) == ["Bob"]
    assert db.count(named.limit(1)) == 1


def test_an_empty_list_in_sql_of_ones_own(db: Database) -> None:
    ids: list[int] = []
    for text in ("id IN {ids:list}", "id in ({ids:list})", "(id) IN{ids:list}"):
        assert db.query(sql(f"SELECT id FROM player WHERE {text}", ids=ids)).fetch_all() == []
    for text in ("id NOT IN {ids:list}", "id not in ({ids:list})"):
        assert len(db.query(sql(f"SELECT id FROM player WHERE {text}", ids=ids)).fetch_all()) == 2
    assert db.fetch_value("SELECT count(*) FROM player WHERE name IN (/* none */)") == 0
    assert db.fetch_value("SELECT count(*) FROM player WHERE name NOT IN ( ) AND 'IN ()' = ?", ["IN ()"]) == 2


def test_more_parameters_than_libpq_reads(db: Database) -> None:
    marks = ", ".join("?" * 7_498)
    assert db.fetch_value(f"SELECT count(*) FROM player WHERE id IN ({marks})", list(range(7_498))) == 2
    with db.transaction():
        db.insert(Player("Cid", None))
        with pytest.raises(Error, match="7499 parameters") as caught:
            db.fetch_value(f"SELECT count(*) FROM player WHERE id IN ({marks}, ?)", list(range(7_499)))
        assert caught.value.code == "CORM_E_TOO_BIG"
        for count in (7_499, 65_536):
            with pytest.raises(Error, match="parameters") as caught:
                db.execute(insert(Player).values([{"name": str(number), "team_id": None} for number in range(count)]))
            assert caught.value.code == "CORM_E_TOO_BIG"
    assert db.count(Player) == 3


def test_the_greatest_key_is_told(db: Database) -> None:
    last = Team("last")
    last.id = 2**63 - 1
    db.insert(last)
    with pytest.raises(Error, match="setval") as caught:
        db.insert(Team("next"))
    assert caught.value.code == "CORM_E_FULL"


def test_rows_without_columns_are_json(db: Database) -> None:
    assert db.query("SELECT FROM generate_series(1, 2)").json() == "[{},{}]"
    assert db.query("SELECT FROM generate_series(1, 0)").json() == "[]"


def test_not_a_number_is_no_json(db: Database) -> None:
    text = db.query("SELECT CAST('NaN' AS double precision) AS a, CAST('-Infinity' AS double precision) AS b").json()
    assert text == '[{"a":null,"b":-9e999}]'


def test_one_statement_with_its_parameters_written_in_two_ways(db: Database) -> None:
    ways = [("SELECT 1 + ?", [1]), ("SELECT 1 + ?1", [1]), ("SELECT 1 + :a", {"a": 1}), ("SELECT 1 + :b", {"b": 1})]
    with db.transaction():
        for query, values in [*ways, *ways]:
            assert db.fetch_values(query, values) == [2]
        db.insert(Team("Greens"))
    # The server forgets old ones, each for itself.
    for number in range(300):
        db.fetch_values(f"SELECT {number}")
    with db.transaction():
        for query, values in ways:
            assert db.fetch_values(query, values) == [2]
    assert db.count(Team) == 3


def test_a_cursor_of_sql_that_has_other_columns_than_the_last(db: Database) -> None:
    with db.transaction():
        for query, columns, rows in [
            ("SELECT 7::bigint AS a", ("a",), [(7,)]),
            ("SELECT 1.5::double precision AS a", ("a",), [(1.5,)]),
            ("SELECT 1.5::double precision AS b", ("b",), [(1.5,)]),
            ("SELECT 2::bigint AS b, 'x' AS c", ("b", "c"), [(2, "x")]),
            ("TABLE squad", ("id", "name"), [(1, "Reds"), (2, "Blues")]),
        ]:
            db.execute(f"DECLARE passing CURSOR FOR {query}")
            result = db.query("FETCH ALL FROM passing")
            assert (tuple(result.columns), [tuple(row) for row in result]) == (columns, rows)
            db.execute("CLOSE passing")
