"""Queries: their clauses in SQL, and the records, tuples, dicts and objects they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from models import Department, Everything, Person

import cormorant
from cormorant import (
    Column,
    Database,
    DataError,
    Expression,
    Model,
    Query,
    Select,
    all_of,
    any_of,
    case,
    column,
    exists,
    func,
    param,
    scalar,
    select,
    tuple_,
    update,
)

PEOPLE = '"id", "name", "age", "born", "department" FROM "people"'


@pytest.fixture(autouse=True)
def people(db: Database) -> None:
    db.insert_many([Person("Ann", 35), Person("Bob", 20, "2000"), Person("Cid", 35, "1990"), Person("Dan", 50)])


def names(found: list[Person]) -> list[str]:
    return [person.name for person in found]


CASES: list[tuple[Query[Any], str, list[Any]]] = [
    (select(Person), f"SELECT {PEOPLE}", []),
    (Person.where(Person.age > 30), f'SELECT {PEOPLE} WHERE "age" > ?', [30]),
    (select(Person).where(Person.age > 1, Person.age < 9), f'SELECT {PEOPLE} WHERE "age" > ? AND "age" < ?', [1, 9]),
    (select(Person).order_by("-age", Person.name), f'SELECT {PEOPLE} ORDER BY "age" DESC, "name"', []),
    (select(Person).limit(3).offset(2), f"SELECT {PEOPLE} LIMIT ? OFFSET ?", [3, 2]),
    (select(Person).offset(2), f"SELECT {PEOPLE} LIMIT ? OFFSET ?", [-1, 2]),
    (select(Person.name, Person.age), 'SELECT "name", "age" FROM "people"', []),
    (select(Person.age).distinct(), 'SELECT DISTINCT "age" FROM "people"', []),
    (
        select(Person.age, func.count().label("n")).group_by(Person.age).having(func.count() > 1).order_by("-n"),
        'SELECT "age", count(*) AS "n" FROM "people" GROUP BY "age" HAVING count(*) > ? ORDER BY "n" DESC',
        [1],
    ),
    (select(func.max(Person.age) - func.min(Person.age)), 'SELECT max("age") - min("age") FROM "people"', []),
    (select(func.sqlite_version()), "SELECT sqlite_version()", []),
    (select(func.count()).from_(Person), 'SELECT count(*) FROM "people"', []),
]


@pytest.mark.parametrize(("query", "sql", "values"), CASES, ids=[sql for _, sql, _ in CASES])
def test_sql_and_bindings(db: Database, query: Query[Any], sql: str, values: list[Any]) -> None:
    assert query.sql == (sql, tuple(values))
    assert repr(query) == f"<Select {sql}>"
    db.fetch_all(query)


def test_dicts_tuples_and_streams(db: Database) -> None:
    query = select(Person.name, (Person.age + 1).label("next"), func.length(Person.name)).order_by("name").limit(1)
    assert db.cursor(query).columns == ("name", "next", 'length("name")')
    assert list(db.cursor(query).dicts()) == [{"name": "Ann", "next": 36, 'length("name")': 3}]
    assert list(db.cursor(query)) == [("Ann", 36, 3)]
    ann = Person.where(Person.name == "Ann")
    assert db.cursor(ann).columns == ("id", "name", "age", "born", "department")
    assert list(db.cursor(ann).tuples()) == [(1, "Ann", 35, None, None)]
    assert db.cursor(ann).dicts().fetch_one() == {"id": 1, "name": "Ann", "age": 35, "born": None, "department": None}


@dataclass
class Group:
    age: int
    people: int = 0


class Pair(NamedTuple):
    age: int
    people: int


class Sized(Model):
    name: Column[str]
    size: Column[int] = column(default=0)


def test_results_of_ones_own_types(db: Database) -> None:
    query = select(Person.age, func.count().label("people")).group_by(Person.age).order_by("age")
    assert db.fetch_all(query, into=Group) == [Group(20, 1), Group(35, 2), Group(50, 1)]
    assert db.fetch_one(query, into=Pair) == Pair(20, 1)
    assert list(db.cursor(query, into=lambda age, people: age * people)) == [20, 70, 50]
    assert db.fetch_one(Person.where(Person.age == 50), into=dict) == {
        "id": 4, "name": "Dan", "age": 50, "born": None, "department": None,
    }  # fmt: skip
    sized = select(func.length(Person.name).label("size"), Person.name).limit(1)
    assert db.fetch_all(sized, into=Sized) == [Sized("Ann", 3)]


def test_results_that_do_not_fit_their_type(db: Database) -> None:
    with pytest.raises(TypeError, match="name"):
        db.fetch_all(select(Person.name), into=Group)
    with pytest.raises(cormorant.ProgrammingError, match=r"label\(\)"):
        db.fetch_all(select(func.count(Person.id)), into=Group)
    with pytest.raises(cormorant.ProgrammingError, match=r"column 2 .*'name'.*label\(\)"):
        db.fetch_all(select(Person.name, Person.name), into=Group)
    with pytest.raises(cormorant.ProgrammingError, match="size") as caught:
        db.fetch_all(select(Person.name), into=Sized)
    assert caught.value.code == "CORM_E_SCHEMA"
    db.execute("DROP TABLE people")  # nothing is left running


def test_dicts_lose_no_column(db: Database) -> None:
    with pytest.raises(cormorant.ProgrammingError, match="name"):
        db.cursor(select(Person.name, Person.name)).dicts()


def test_count_pages_and_exists(db: Database) -> None:
    query = Person.where(Person.age >= param("least"))
    assert db.count(query, least=30) == 3
    assert db.count(select(Person.age).distinct()) == 3
    assert db.page_count(query, page_size=2, least=30) == 2
    assert db.exists(query, least=50)
    assert not db.exists(query, least=51)
    assert db.exists(Person, 1)


def test_parameters(db: Database) -> None:
    query = Person.where(Person.age == param("age"), Person.name.has_prefix(param("start")))
    assert query.sql[1] == (("age",), ("start",))
    assert names(db.fetch_all(query, age=35, start="C")) == ["Cid"]
    assert names(db.fetch_all(query, bindings={"age": 35}, start="A")) == ["Ann"]
    for wrong, message in (
        ({}, "age"), ({"age": 3}, "start"), ({"age": 3, "start": "", "limit": 3}, "limit"),
        ({"age": 3, "start": "", "years": 1}, "years"), ({"bindings": [35]}, "names"), ({"sql": "SELECT 1"}, "SQL"),
    ):  # fmt: skip
        with pytest.raises(cormorant.ProgrammingError, match=message):
            db.fetch_all(query, **wrong)
    with pytest.raises(cormorant.DataError, match="age"):
        db.fetch_all(query, age=[], start="")


def test_running_again_costs_neither_compiling_nor_preparing(db: Database) -> None:
    query = Person.where(Person.age == param("age"))
    assert [names(db.fetch_all(query, age=age)) for age in (20, 50, 20)] == [["Bob"], ["Dan"], ["Bob"]]
    compiled = query._compile()
    assert query._compile() is compiled
    assert query.where(Person.name == "x")._compile() is not compiled
    assert names(db.fetch_all(query, age=20)) == ["Bob"]


def test_a_query_never_changes(db: Database) -> None:
    adults = Person.where(Person.age > 30)
    before = adults.sql
    for other in (adults.where(Person.name == "x"), adults.order_by("name"), adults.limit(1), adults.distinct()):
        assert other.sql != before
    assert adults.sql == before
    assert len(db.fetch_all(adults)) == 3


def test_paging_by_the_last_record(db: Database) -> None:
    order: Select[Person] = select(Person).order_by("-age", "id").limit(2)
    first = db.fetch_all(order)
    assert names(first) == ["Dan", "Ann"]
    db.insert(Person("Eve", 60))
    second = db.fetch_all(order.after(first[-1]))
    assert names(second) == ["Cid", "Bob"]
    assert names(db.fetch_all(order.after((35, 1)))) == ["Cid", "Bob"]
    assert db.fetch_all(order.after(second[-1])) == []
    with pytest.raises(cormorant.ProgrammingError, match="after"):
        select(Person).order_by(Person.age + 1).after(first[0])
    with pytest.raises(cormorant.ProgrammingError, match="2 terms"):
        db.fetch_all(order.after([35]))
    with pytest.raises(cormorant.ProgrammingError):
        db.fetch_all(select(Person).after(first[0]))


def test_wrong_clauses() -> None:
    with pytest.raises(cormorant.ProgrammingError, match="condition"):
        select(Person).where(True)  # type: ignore[arg-type]
    with pytest.raises(cormorant.ProgrammingError, match="0 or more"):
        select(Person).limit(-1)
    with pytest.raises(cormorant.ProgrammingError, match="did you mean age") as caught:
        select(Person).order_by("agee").sql  # noqa: B018
    assert caught.value.code == "CORM_E_MISUSE"
    with pytest.raises(cormorant.ProgrammingError, match="model"):
        select(int)  # type: ignore[type-var]
    with pytest.raises(cormorant.ProgrammingError, match="Department"):
        select(Person).where(Department.name == "x").sql  # noqa: B018


def test_what_is_ambiguous_beside_a_union() -> None:
    names = select(Person.name)
    both = names.union_all(select(Department.name))
    for wrong in (both.where(Person.age == 1), both.distinct(), both.group_by("name"), both.having(func.count() > 1)):
        with pytest.raises(cormorant.ProgrammingError, match="would be of the first part alone"):
            wrong.sql  # noqa: B018
    for wrong in (names.order_by("name"), names.limit(1)):
        with pytest.raises(cormorant.ProgrammingError, match="before UNION, INTERSECT or EXCEPT"):
            wrong.union_all(select(Department.name)).sql  # noqa: B018


@pytest.mark.parametrize(
    ("column", "stored", "said"),
    [
        (Everything.number, "'old'", "holds text, not an integer"),
        (Everything.text, "x'61'", "holds a blob, not text"),
        (Everything.flag, "7", "is neither 0 nor 1"),
        (Everything.small, "4294967296", "does not fit into 32 bits"),
        (Everything.real, "'x'", "holds text, not a real"),
        (Everything.moment, "'yesterday'", "holds text that is no time"),
        (Everything.token, "'x'", "UUID"),
    ],
)
def test_a_value_of_another_type_is_refused_as_in_a_record(
    db: Database, column: Column[Any], stored: str, said: str
) -> None:
    db.create_tables(Everything)
    db.execute(f"INSERT INTO everything ({column.column_name}) VALUES ({stored})")
    for query in (select(column), select(column.label("it")), select(func.count(), column)):
        with pytest.raises(DataError, match=said):
            db.fetch_all(query)
        with pytest.raises(DataError, match=said):
            db.fetch_one(query)
    db.execute("DELETE FROM everything")
    db.insert(Everything())
    assert db.fetch_all(select(column)) == [(None,)]


old, born, ann = Person.age > 30, Person.born > "1995", Person.name == "Ann"
TRUTHS: list[tuple[Any, list[bool | None]]] = [
    (ann, [True, False, False, False]),
    (Person.age != 20, [True, False, True, True]),
    (born, [None, True, False, None]),
    (Person.born == None, [True, False, False, True]),  # noqa: E711
    (Person.born.is_null(), [True, False, False, True]),
    (Person.born.is_not_null(), [False, True, True, False]),
    (Person.born.is_("2000"), [False, True, False, False]),
    (Person.age.between(20, 35), [True, True, True, False]),
    (Person.age.in_([20, 50]), [False, True, False, True]),
    (Person.age.not_in([20, 50]), [True, False, True, False]),
    (Person.born.in_(["2000"]), [None, True, False, None]),
    (Person.age.in_(select(func.max(Person.age))), [False, False, False, True]),
    (Person.name.like("a%"), [True, False, False, False]),
    (Person.name.contains("i"), [False, False, True, False]),
    (~ann, [False, True, True, True]),
    (old & ann, [True, False, False, False]),
    (born | ann, [True, True, False, None]),
    (all_of(old, ann), [True, False, False, False]),
    (any_of(), [False] * 4),
    (exists(select(Person).where(Person.age > 99)), [False] * 4),
    (tuple_(Person.name, Person.age) == ("Ann", 35), [True, False, False, False]),
    (tuple_(Person.name, Person.age).in_([("Ann", 35)]), [True, False, False, False]),
    (tuple_(Person.name, Person.age).between(("A", 0), ("C", 0)), [True, True, False, False]),
    (ann.label("it").collate("BINARY"), [True, False, False, False]),
    (func.coalesce(born, False), [False, True, False, False]),
    (case((ann, old)), [True, None, None, None]),
    (func.max(ann).over(), [True] * 4),
]


@pytest.mark.parametrize(("condition", "values"), TRUTHS, ids=[repr(condition) for condition, _ in TRUTHS])
def test_conditions_come_as_bool(db: Database, condition: Expression[Any], values: list[bool | None]) -> None:
    found = db.fetch_values(select(condition).from_(Person).order_by(Person.id))
    assert found == values
    assert {type(value) for value in found} == {type(value) for value in values}


def test_conditions_come_as_bool_however_they_are_read(db: Database) -> None:
    class Truth(NamedTuple):
        name: str
        ann: bool

    query = select(Person.name, ann.label("ann")).order_by(Person.id)
    assert [row[1] is True for row in db.fetch_all(query)] == [True, False, False, False]
    assert db.fetch_one(query) == ("Ann", True)
    assert [row[1] for row in db.cursor(query)] == [True, False, False, False]
    read: list[Any] = [db.fetch_value(select(ann)), db.fetch_all(query, into=Truth)[0].ann]
    read += [next(iter(db.cursor(query).dicts()))["ann"], db.one_value(select(ann).limit(1))]
    for source in (query.subquery("t"), query.cte("t")):
        read += [db.fetch_value(select(source.c.ann)), db.fetch_value(select(source.c[ann.label("ann")]))]
    read.append(db.fetch_value(select(scalar(select(ann)))))
    read.append(db.fetch_value(update(Person).set(age=1).where(ann).returning(Person.age == 1)))
    assert read == [True] * len(read)
    assert {type(value) for value in read} == {bool}


def test_conditions_count(db: Database) -> None:
    assert db.fetch_one(select(func.sum(old), func.sum(Person.age == 20) + 1)) == (3, 2)
    assert type(db.fetch_value(select(func.sum(ann)))) is int


def test_single_values(db: Database) -> None:
    assert db.fetch_value(select(func.count()).from_(Person)) == 4
    assert db.fetch_value(select(func.max(Person.age))) == 50
    assert db.fetch_value(select(Person.name).where(Person.age > param("age")).order_by(Person.name), age=34) == "Ann"
    assert db.fetch_value(select(Person.name).where(Person.age > 99)) is None
    assert db.fetch_value(select(func.max(Person.age)).where(Person.age > 99)) is None
    assert db.fetch_value("SELECT count(*) FROM people WHERE age > ?", (30,)) == 3
    ages = select(Person.age).distinct().order_by(Person.age)
    assert db.fetch_values(ages) == [20, 35, 50]
    assert db.fetch_values(ages.where(Person.age > param("age")), bindings={"age": 20}) == [35, 50]
    assert db.fetch_values("SELECT name FROM people WHERE age = :age ORDER BY 1", {"age": 35}) == ["Ann", "Cid"]
    assert db.fetch_values(update(Person).set(age=1).where(Person.name == "Dan").returning(Person.age)) == [1]


@pytest.mark.parametrize("query", [select(Person.name, Person.age), select(Person), "SELECT name, age FROM people"])
def test_a_single_value_is_of_one_column(db: Database, query: Any) -> None:
    for fetch in (db.fetch_value, db.fetch_values):
        with pytest.raises(cormorant.ProgrammingError, match=r"gives \d columns"):
            fetch(query)
    with pytest.raises(cormorant.ProgrammingError, match="no query"):
        db.fetch_value(Person)  # type: ignore[call-overload]
    with pytest.raises(cormorant.ProgrammingError, match="SQL"):
        db.fetch_value("SELECT ?", (1,), age=1)  # type: ignore[call-overload]
