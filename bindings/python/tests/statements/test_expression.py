"""Expressions: what each operator and method says in SQL, and what it refuses."""

from __future__ import annotations

import copy
import pickle
import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from models import Everything, Person

import cormorant
from cormorant import (
    Column,
    Database,
    Expression,
    Model,
    ProgrammingError,
    Transform,
    all_of,
    any_of,
    case,
    column,
    func,
    name,
    param,
    raw,
    select,
)  # fmt: skip

MOMENT = datetime(2024, 2, 29, 12, 30, tzinfo=timezone(timedelta(hours=2)))
TOKEN = uuid.UUID(int=5)

age, text = Person.age, Person.name
CASES: list[tuple[Expression[Any], str, list[Any]]] = [
    (age == 35, '"age" = ?', [35]),
    (age != 35, '"age" <> ?', [35]),
    (age < 35, '"age" < ?', [35]),
    (age <= 35, '"age" <= ?', [35]),
    (age > 35, '"age" > ?', [35]),
    (age >= 35, '"age" >= ?', [35]),
    (35 < age, '"age" > ?', [35]),  # noqa: SIM300
    (Person.id == age, '"id" = "age"', []),
    (Person.born == None, '"born" IS NULL', []),  # noqa: E711
    (Person.born != None, '"born" IS NOT NULL', []),  # noqa: E711
    (Person.born.is_null(), '"born" IS NULL', []),
    (Person.born.is_not_null(), '"born" IS NOT NULL', []),
    (Person.born.is_(None), '"born" IS ?', [None]),
    (Person.born.is_not("2000"), '"born" IS NOT ?', ["2000"]),
    (age.between(1, age), '"age" BETWEEN ? AND "age"', [1]),
    (age.in_([1, 2]), '"age" IN (?, ?)', [1, 2]),
    (age.in_(range(0)), '"age" IN ()', []),
    (age.not_in({1}), 'NOT "age" IN (?)', [1]),
    (text.like("A%"), '"name" LIKE ?', ["A%"]),
    (text.not_like("A%"), '"name" NOT LIKE ?', ["A%"]),
    (text.glob("A*"), '"name" GLOB ?', ["A*"]),
    (text.not_glob("A*"), '"name" NOT GLOB ?', ["A*"]),
    (text.has_prefix("5%_\\"), "\"name\" LIKE ? ESCAPE '\\'", ["5\\%\\_\\\\%"]),
    (text.has_suffix("x"), "\"name\" LIKE ? ESCAPE '\\'", ["%x"]),
    (text.contains("x"), "\"name\" LIKE ? ESCAPE '\\'", ["%x%"]),
    (text.match("x"), '"name" MATCH ?', ["x"]),
    (text.concat(" ", Person.born), '"name" || ? || "born"', [" "]),
    (text.collate("NOCASE") == "ann", '"name" COLLATE "NOCASE" = ?', ["ann"]),
    (Everything.extra.json("$.a"), '"extra" ->> ?', ["$.a"]),
    (Everything.extra.json_object("$.a"), '"extra" -> ?', ["$.a"]),
    ((age + 1) * 2 - age / 3 % 4, '("age" + ?) * ? - "age" / ? % ?', [1, 2, 3, 4]),
    (1 - (2 - age), "? - (? - \"age\")", [1, 2]),
    (1 + 2 * age, '? + ? * "age"', [1, 2]),
    (8 / age, '? / "age"', [8]),
    (8 % age, '? % "age"', [8]),
    (-age, '- "age"', []),
    (age.bit_and(6).bit_or(1), '"age" & ? | ?', [6, 1]),
    (age.bit_not(), '~ "age"', []),
    (age.shift_left(1).shift_right(2), '"age" << ? >> ?', [1, 2]),
    (age.cast(str), 'CAST("age" AS TEXT)', []),
    ((age > 1) & (age < 9) & ~text.like("B%"), '"age" > ? AND "age" < ? AND NOT "name" LIKE ?', [1, 9, "B%"]),
    ((age > 1) & ((age < 9) | (text == "B")), '"age" > ? AND ("age" < ? OR "name" = ?)', [1, 9, "B"]),
    (all_of(age > 1, age < 9), '"age" > ? AND "age" < ?', [1, 9]),
    (any_of(age > 1, age < 9), '"age" > ? OR "age" < ?', [1, 9]),
    (all_of(), "1", []),
    (any_of(), "0", []),
    (case((age < 18, "child"), else_="adult"), 'CASE WHEN "age" < ? THEN ? ELSE ? END', [18, "child", "adult"]),
    (func.lower(text), 'lower("name")', []),
    (func.count(), "count(*)", []),
    (func.count(age).distinct(), 'count(DISTINCT "age")', []),
    (func.sum(age).filter(age > 3), 'sum("age") FILTER (WHERE "age" > ?)', [3]),
    (func.date("now", "-1 day"), "date(?, ?)", ["now", "-1 day"]),
    (func.row_number().over(), "row_number() OVER ()", []),
    (
        func.sum(age).over(partition_by=text, order_by=[age.desc()], frame="ROWS UNBOUNDED PRECEDING"),
        'sum("age") OVER (PARTITION BY "name" ORDER BY "age" DESC ROWS UNBOUNDED PRECEDING)',
        [],
    ),
    (age.asc(), '"age"', []),
    (age.desc(nulls="last"), '"age" DESC NULLS LAST', []),
    (age.asc(nulls="first"), '"age" NULLS FIRST', []),
    (raw("age & ? = ?", 4, 0), "age & ? = ?", [4, 0]),
    (raw("age & ?", 4) == 0, "(age & ?) = ?", [4, 0]),
    (name("t", "x") > name(None, "y"), '"t"."x" > "y"', []),
    (age > param("least"), '"age" > ?', [("least",)]),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "sql", "values"), CASES, ids=[sql for _, sql, _ in CASES])
def test_sql_and_bindings(expression: Expression[Any], sql: str, values: list[Any]) -> None:
    assert expression.sql == (sql, tuple(values))
    assert repr(expression) == f"<Expression {sql}>"


def test_values_beside_a_column_are_encoded_as_its_own() -> None:
    stored = "2024-02-29 10:30:00"
    assert (Everything.moment > MOMENT).sql == ('"moment" > ?', (stored,))
    assert Everything.moment.in_([MOMENT]).sql[1] == (stored,)
    assert Everything.moment.between(MOMENT, MOMENT).sql[1] == (
        stored,
        stored,
    )
    assert (Everything.token == TOKEN).sql[1] == (str(TOKEN),)
    assert (Everything.amount.is_(Decimal("1.50"))).sql[1] == ("1.50",)
    assert (Everything.extra == {"a": [1]}).sql[1] == ('{"a":[1]}',)
    assert (Everything.moment == None).sql[0] == '"moment" IS NULL'  # noqa: E711
    assert (Everything.flag == True).sql[1] == (1,)  # noqa: E712


def test_values_beside_no_column_are_encoded_by_their_type() -> None:
    stored = "2024-02-29 10:30:00"
    assert func.json_array(MOMENT, TOKEN, Decimal("1.50")).sql[1] == (
        stored,
        str(TOKEN),
        "1.50",
    )
    assert raw("? < ?", MOMENT, TOKEN).sql[1] == (
        stored,
        str(TOKEN),
    )
    assert func.date(Everything.moment).in_([MOMENT]).sql[1] == (stored,)
    assert (func.max(Everything.moment) < MOMENT).sql[1] == (stored,)


class Coded(Model):
    words: Column[frozenset[str]] = column(
        type="text", transform=Transform(lambda words: " ".join(sorted(words)), lambda text: frozenset(text.split()))
    )
    extra: Column[cormorant.Json] = column(default=None)


def test_transforms_of_a_column() -> None:
    assert (Coded.words == frozenset("ba")).sql[1] == ("a b",)
    assert Coded.words.in_([frozenset("ba")]).sql[1] == ("a b",)
    # What is no comparison takes its values as they are.
    assert Coded.words.cast(str).contains("a").sql[1] == ("%a%",)
    with pytest.raises(cormorant.DataError, match=r"Coded\.words") as caught:
        Coded.words == 5  # noqa: B015
    assert caught.value.code == "CORM_E_CALLBACK"


def test_none_is_a_value_of_json_that_cannot_be_null() -> None:
    assert (Coded.extra == None).sql == ('"extra" = ?', ("null",))  # noqa: E711
    assert (Coded.extra != None).sql == ('"extra" <> ?', ("null",))  # noqa: E711


def test_wrong_values_beside_a_column() -> None:
    for wrong in ("2024", 5, datetime(2024, 1, 1)):
        with pytest.raises(cormorant.DataError, match=r"Everything\.moment"):
            Everything.moment > wrong  # type: ignore[operator]  # noqa: B015
    with pytest.raises(cormorant.DataError, match="a value is of type list"):
        age == [1]  # noqa: B015
    with pytest.raises(cormorant.DataError, match="time zone"):
        func.date(datetime(2024, 1, 1))
    with pytest.raises(cormorant.DataError, match=r"Person\.age") as caught:
        (age > "x").sql  # type: ignore[operator]  # noqa: B018
    assert caught.value.code == "CORM_E_TYPE"
    with pytest.raises(cormorant.ProgrammingError, match=r"scalar\(query\)"):
        age == select(Person.age)  # noqa: B015


def test_a_condition_is_neither_true_nor_false() -> None:
    for wrong in (
        lambda: bool(age > 3),
        lambda: (age > 3) and (age < 5),
        lambda: 3 < age < 5,
        lambda: not age,
        lambda: 3 in age,  # type: ignore[operator]
    ):
        with pytest.raises(cormorant.ProgrammingError, match=r"&|in_"):
            wrong()
    with pytest.raises(TypeError, match="not iterable"):
        list(age)  # type: ignore[call-overload]


def test_forgotten_parentheses() -> None:
    for wrong in (lambda: age > 35 & age, lambda: age & 3, lambda: age | True, lambda: 3 | age):  # type: ignore[operator]
        with pytest.raises(cormorant.ProgrammingError, match="parentheses"):
            wrong()


def test_texts_are_no_numbers() -> None:
    for wrong in (lambda: text + "x", lambda: age + "x", lambda: "x" + text, lambda: text * 2, lambda: age - text):  # type: ignore[operator, misc]
        with pytest.raises(cormorant.ProgrammingError, match="concat"):
            wrong()


def test_misused_methods() -> None:
    for wrong in ("abc", b"abc", 5, None):
        with pytest.raises(cormorant.ProgrammingError, match="a list"):
            text.in_(wrong)  # type: ignore[arg-type]
    with pytest.raises(cormorant.ProgrammingError, match="cast"):
        age.cast(datetime)
    with pytest.raises(cormorant.ProgrammingError, match="first"):
        age.asc(nulls="middle")  # type: ignore[arg-type]
    with pytest.raises(cormorant.ProgrammingError, match="pair"):
        case(age > 3)  # type: ignore[call-overload]
    with pytest.raises(cormorant.ProgrammingError, match="condition"):
        all_of(True)  # type: ignore[call-overload]
    with pytest.raises(AttributeError):
        age.over()  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="years"):
        Person.years  # type: ignore[attr-defined]  # noqa: B018


def test_columns_and_expressions_are_keys_by_identity() -> None:
    condition = age > 3
    assert {age: 1, text: 2, condition: 3}[condition] == 3
    assert hash(age) != hash(Person.id)


def test_an_expression_stays_in_its_process() -> None:
    condition = age > 3
    assert copy.copy(condition) is condition is copy.deepcopy(condition)
    for thing in (condition, age, select(Person)):
        with pytest.raises(TypeError, match="this process"):
            pickle.dumps(thing)


class Tagged(Model):
    id: Column[int | None] = column(primary_key=True, default=None)
    tags: Column[list[str]] = column(default_factory=list)


def test_contains_looks_into_no_json(db: Database) -> None:
    db.create_tables(Tagged)
    db.insert(Tagged(tags=["desert"]))
    tags: Any = Tagged.tags
    with pytest.raises(ProgrammingError, match="this is JSON"):
        tags.contains("es")
    assert db.count(Tagged.where(Tagged.tags.cast(str).contains("desert"))) == 1
