"""Types that only a server has, read by raw SQL: an answer in the server's words, or an error by its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cormorant import Column, Database, Model, alias, column, select, to_one
from test_faults import fails

TYPES = """
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TYPE pair AS (x double precision, y text);
CREATE DOMAIN code AS varchar(5) CHECK (VALUE <> '');
CREATE DOMAIN prices AS numeric(10, 2);
"""


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    with Database(url) as database:
        database.execute_script(TYPES)
        yield database


def has_xml(db: Database) -> bool:
    made = "SELECT setting LIKE '%--with-libxml%' FROM pg_config WHERE name = 'CONFIGURE'"
    return bool(db.fetch_value(made))


@pytest.mark.parametrize(("sql", "answer"), [
    ("ARRAY[1, NULL, 3]", "{1,NULL,3}"), ("ARRAY[['a,b', 'c\"d'], ['', NULL]]", '{{"a,b","c\\"d"},{"",NULL}}'),
    ("CAST('{}' AS int[])", "{}"), ("CAST('sad' AS mood)", "sad"), ("CAST('abc' AS code)", "abc"),
    ("CAST(1.5 AS prices)", "1.50"), ("CAST(ROW(1.5, 'a b') AS pair)", '(1.5,"a b")'),
    ("int4range(1, 5)", "[1,5)"), ("tstzrange('2024-01-31', NULL)", '["2024-01-31 00:00:00+00",)'),
    ("int4multirange(int4range(1, 2))", "{[1,2)}"),
    ("interval '1 month -2 days 3.5 seconds'", "1 mon -2 days +00:00:03.5"),
    ("CAST('10.0.0.0/8' AS cidr)", "10.0.0.0/8"), ("CAST('08:00:2b:01:02:03' AS macaddr)", "08:00:2b:01:02:03"),
    ("point(1, 2)", "(1,2)"), ("CAST('a' AS \"char\")", "a"), ("CAST('ab' AS char(4))", "ab  "),
    ("CAST(12.34 AS money)", "$12.34"), ("B'101'", "101"), ("to_tsvector('simple', 'a b')", "'a':1 'b':2"),
    ("timetz '12:00+02'", "12:00:00+02"), ("CAST('<a/>' AS xml)", "<a/>"), ("pg_lsn '0/10'", "0/10"),
    ("CAST('NaN' AS numeric)::text", "NaN"), ("CAST('infinity' AS timestamptz)::text", "infinity"),
    ("CAST('0044-03-15 BC' AS date)::text", "0044-03-15 BC"), ("'\\x00ff'::bytea", b"\x00\xff"),
    ("CAST(4294967295 AS oid)", 4294967295), ("ROW(7)", 7),
])  # fmt: skip
def test_is_answered(db: Database, sql: str, answer: object) -> None:
    if sql.endswith("xml)") and not has_xml(db):
        pytest.skip("this server was built without XML")
    assert db.fetch_value(f"SELECT {sql}") == answer
    # Beside one whose form is the server's own, all are texts on the way.
    if sql != "ROW(7)":
        assert db.query(f"SELECT {sql}, ARRAY[1]").fetch_all()[0][0] == answer


@pytest.mark.parametrize("sql", [
    "CAST('NaN' AS numeric)", "CAST('0044-03-15 BC' AS date)", "CAST('infinity' AS timestamptz)",
    "CAST('-infinity' AS date)", "CAST('12024-01-01' AS timestamp)", "time '24:00'", "ROW(1, 'x')", "ROW(ROW(1))",
])  # fmt: skip
def test_is_an_error_by_its_name(db: Database, sql: str) -> None:
    fails("CORM_E_RANGE", lambda: db.query(f"SELECT {sql} AS a").fetch_all(), '"a"', "CAST(... AS text)")
    fails("CORM_E_RANGE", lambda: db.query(f"SELECT {sql} AS a, ARRAY[1]").fetch_all(), '"a"', "CAST(... AS text)")
    assert db.fetch_value("SELECT 1") == 1


def test_reals_that_are_no_numbers(db: Database) -> None:
    row = db.query("SELECT CAST('infinity' AS float8), CAST('-infinity' AS real), CAST('nan' AS float8)").fetch_all()[0]
    assert (row[0], row[1], row[2] is None or row[2] != row[2]) == (float("inf"), float("-inf"), True)


def test_text_that_is_no_utf8_is_a_blob(db: Database) -> None:
    assert db.fetch_value("SELECT convert_to('é', 'LATIN1')") == b"\xe9"
    fails("CORM_E_ENCODING", lambda: db.fetch_value("SELECT convert_from('\\xe9'::bytea, 'UTF8')"))


class Of(Model):
    """A model whose texts the server has as types of its own."""

    id: Column[int] = column(primary_key=True)
    feels: Column[str | None]
    code: Column[str | None]
    tags: Column[str | None]
    during: Column[str | None]


def test_a_model_reads_and_writes_them_as_texts(db: Database) -> None:
    db.execute("CREATE TABLE of (id bigint PRIMARY KEY, feels mood, code code, tags text[], during int4range)")
    record = Of(1, "sad", "abc", '{a,"b c"}', "[1,5)")
    db.insert(record)
    db.insert_many([Of(number, "ok", None, None, None) for number in (2, 3)])
    assert db.find(Of, 1) == record
    record.feels = "ok"
    db.update(record)
    assert [one.feels for one in db.fetch_all(Of)] == ["ok", "ok", "ok"]
    records = [Of(4, "sad", None, None, None), Of(1, "sad", None, None, None)]
    assert db.get_or_create_many(records) == 1
    assert [one.feels for one in records] == ["sad", "ok"]
    fails("CORM_E_TYPE", lambda: db.insert(Of(5, "furious", None, None, None)))
    fails("CORM_E_CHECK", lambda: db.insert(Of(5, "ok", "", None, None)))


@pytest.mark.parametrize("name", ["a" * 64, "é" * 32, "名" * 22])
def test_names_that_would_be_cut_off(db: Database, name: str) -> None:
    class Person(Model):
        id: Column[int] = column(primary_key=True)
        name: Column[str] = column(index=True)

    db.create_tables(Person)
    db.insert(Person(1, "Ada"))
    other = alias(Person, name)
    fails("CORM_E_UNSUPPORTED", lambda: db.fetch_all(select(other.name)), "63 at most")
    fails("CORM_E_UNSUPPORTED", lambda: db.fetch_all(select(Person.name.label(name))), "63 at most")
    fails("CORM_E_UNSUPPORTED", lambda: db.create_tables(Person.suffixed(name)), "63 at most")
    shorter = name[: 63 // len(name[0].encode())]
    other = alias(Person, shorter)
    assert db.fetch_all(select(other.name.label(shorter))) == [("Ada",)]


class Country(Model):
    id: Column[int] = column(primary_key=True)
    name: Column[str]


class City(Model):
    id: Column[int] = column(primary_key=True)
    the_country_that_it_is_the_capital_of_today_id: Column[int] = column(references=Country)
    the_country_that_it_is_the_capital_of_today = to_one(Country)


class Person(Model):
    id: Column[int] = column(primary_key=True)
    the_city_in_which_they_were_born_or_grew_up_id: Column[int] = column(references=City)
    the_city_in_which_they_were_born_or_grew_up = to_one(City)


def test_paths_of_relations_may_be_longer(db: Database) -> None:
    db.create_tables(Country, City, Person)
    db.insert_many([Country(1, "Mali"), Country(2, "Peru")])
    db.insert_many([City(1, 2), City(2, 1)])
    db.insert_many([Person(1, 1), Person(2, 2)])
    there = Person.the_city_in_which_they_were_born_or_grew_up.the_country_that_it_is_the_capital_of_today
    found = db.fetch_all(select(Person.id, there.name).where(there.name != "Chad").order_by(there.name))
    assert found == [(2, "Mali"), (1, "Peru")]


def test_names_of_indexes_that_would_be_cut_off(db: Database) -> None:
    first, second = "a" * 40 + "1", "a" * 40 + "2"

    class Person(Model, table="t" * 40):
        id: Column[int] = column(primary_key=True)
        one: Column[str] = column(name=first, index=True)
        two: Column[str] = column(name=second, unique=True)

    fails("CORM_E_UNSUPPORTED", lambda: db.create_tables(Person), "63 at most")
    assert not db.table_exists(Person)
