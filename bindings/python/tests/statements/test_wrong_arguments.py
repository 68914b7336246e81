"""What a call is given in place of a text, a column or a condition: the error says it in the caller's words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from models import Department, Person, make

from cormorant import (
    Column,
    Database,
    ProgrammingError,
    alias,
    column,
    delete,
    func,
    name,
    param,
    select,
    table_function,
    update,
)

CALLS: list[tuple[Callable[[Database, Any], object], str]] = [
    (lambda db, it: Person.age.label(it), "label() takes the name of the result column"),
    (lambda db, it: Person.name.collate(it), "collate() takes the name of a collation"),
    (lambda db, it: alias(Person, it), "alias() takes the name"),
    (lambda db, it: select(Person.age).join(Department, Person.age == 1, as_=it), "as_"),
    (lambda db, it: select(Person.age).cross_join(Department, as_=it), "as_"),
    (lambda db, it: select(Person.age).from_(Person, as_=it), "as_"),
    (lambda db, it: update(Person).from_(Department, as_=it), "as_"),
    (lambda db, it: select(Person.age).with_(it, select(Person.age)), "with_() takes the name"),
    (lambda db, it: delete(Person).with_(it, select(Person.age)), "with_() takes the name"),
    (lambda db, it: name(it, "a"), "name() takes the name of a source"),
    (lambda db, it: name(None, it), "name() takes the name of a column"),
    (lambda db, it: func.sum(Person.age).over(frame=it), "over(): frame"),
    (lambda db, it: table_function("pragma_table_info", "a", columns=[it]), "table_function() takes the names"),
    (lambda db, it: param(it), "param() takes the name"),
    (lambda db, it: db.query("SELECT :a", {it: 1}).fetch_all(), "bindings by name are a dict of names and values"),
    (lambda db, it: db.query("SELECT :a", {it: object()}).fetch_all(), "bindings by name are a dict"),
    (lambda db, it: db.fetch_all(Person, bindings={it: 1}), "attributes are a dict of properties and values"),
    (lambda db, it: db.fetch_all(select(Person), bindings={it: 1}), "parameters are a dict of names and values"),
]


@pytest.mark.parametrize("given", [5, True, b"a", func.random()])
@pytest.mark.parametrize(("call", "told"), CALLS)
def test_no_text(call: Callable[[Database, Any], object], told: str, given: Any, db: Database) -> None:
    with pytest.raises(TypeError, match=re.escape(told)):
        call(db, given)


@pytest.mark.parametrize("method", ["fetch_all", "fetch_one", "one", "count", "cursor"])
def test_a_condition_in_the_place_of_sql(method: str, db: Database) -> None:
    with pytest.raises(TypeError, match=re.escape("give conditions in a query: select(Person).where(...)")):
        getattr(db, method)(Person, Person.age == 1)


def test_what_is_no_column() -> None:
    with pytest.raises(TypeError, match=re.escape("select() is given 'name', not a column")):
        select(Person, "name")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=re.escape("name: references is <class 'int'>, not a Model")):
        make({"name": Column[int]}, {"name": column(references=int)})  # type: ignore[arg-type]


TERMS: list[tuple[Callable[[Any], object], str]] = [
    (lambda it: select(Person.age).group_by(it), "group_by() is given"),
    (lambda it: select(Person.age).order_by("age", it), "order_by() is given"),
    (lambda it: func.group_concat(Person.name).order_by(it), "order_by() is given"),
    (lambda it: func.sum(Person.age).over(partition_by=it), "partition_by is given"),
    (lambda it: func.sum(Person.age).over(partition_by=[Person.name, it]), "partition_by is given"),
    (lambda it: func.sum(Person.age).over(order_by=it), "order_by is given"),
    (lambda it: func.sum(Person.age).over(order_by=(it,)), "order_by is given"),
]


@pytest.mark.parametrize("given", [1, None, False, True, 1.5, b"age"])
@pytest.mark.parametrize(("call", "told"), TERMS)
def test_a_value_sorts_and_groups_nothing(call: Callable[[Any], object], told: str, given: Any) -> None:
    with pytest.raises(ProgrammingError, match=re.escape(f"{told} a value of type {type(given).__name__}")) as caught:
        call(given)
    assert caught.value.hint


@pytest.mark.parametrize(("call", "told"), TERMS[2:])
def test_a_text_is_no_term_of_a_window(call: Callable[[Any], object], told: str) -> None:
    with pytest.raises(ProgrammingError, match=re.escape(f"{told} a value of type str")):
        call("age")


def test_a_parameter_that_is_given_two_values(db: Database) -> None:
    with pytest.raises(ProgrammingError, match="two values"):
        db.query("SELECT :a", {"a": 1, ":a": 2})
