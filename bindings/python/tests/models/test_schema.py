"""Schemas and plans between them: values that say what a file is, and the way to another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from models import Department, Person

import cormorant
from cormorant import Database, Plan, Schema

SQL = """
CREATE TABLE "people" (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, age INTEGER CHECK (age >= 0));
CREATE INDEX people_age ON people (age DESC) WHERE age > 3;
CREATE VIEW adults AS SELECT * FROM people WHERE age >= 18;
CREATE TRIGGER people_log AFTER DELETE ON people BEGIN SELECT 1; SELECT 2; END;
"""


def test_equal_schemas_have_one_hash_however_they_are_written() -> None:
    one = Schema.parse("CREATE TABLE a (x INTEGER); CREATE TABLE b (y TEXT);")
    other = Schema.parse('CREATE TABLE "b" ("y"   TEXT); -- second\nCREATE TABLE [a] (x INTEGER /* number */);')
    assert one == other
    assert one.hash == other.hash
    assert hash(one) == hash(other)
    assert len(one.hash) == 64
    assert {one, other} == {one}
    assert one != Schema.parse("CREATE TABLE a (x TEXT); CREATE TABLE b (y TEXT);")
    assert one != one.sql


def test_text_that_is_no_c_string() -> None:
    for text in ("CREATE TABLE a (x)\0", "CREATE TABLE '\ud800' (x)"):
        with pytest.raises(cormorant.DataError):
            Schema.parse(text)


# --- Plans between schemas ---


def test_a_plan_says_what_it_does() -> None:
    plan = Plan.between(Schema.parse("CREATE TABLE a (x)"), Schema.parse("CREATE TABLE a (x, y)"))
    (step,) = plan.steps
    assert (step.risk, step.rows, step.problems) == ("safe", None, ())
    (change,) = step.changes
    assert (change.kind, change.table, change.name, change.before) == ("add column", "a", "y", None)
    assert plan.sql.split(";")[0].strip() == step.sql[0]
    assert step.summary in str(plan)
    assert plan.risk == "safe"
    assert json.loads(plan.json())["steps"][0]["summary"] == step.summary


def test_equal_schemas_need_no_plan() -> None:
    plan = Plan.between(Schema.parse(SQL), Schema.parse(SQL))
    assert not plan
    assert (plan.steps, plan.problems, plan.sql, plan.risk) == ((), (), "", "safe")
    assert "nothing" in str(plan)


def test_allow_drop_is_a_list() -> None:
    with pytest.raises(cormorant.ProgrammingError, match="allow_drop"):
        Plan.between(Schema.of(Person), Schema.of(), allow_drop="people")


def test_a_plan_outlives_its_schemas_and_its_database(path: Path) -> None:
    with Database(path) as db:
        plan = db.plan(Person, Department)
    assert "people" in plan.sql
    with pytest.raises(cormorant.ProgrammingError) as caught:
        plan.apply(db)
    assert caught.value.code == "CORM_E_MISUSE"
