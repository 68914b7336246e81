"""Options that are texts: what is none is refused, and is neither taken for an address of C nor dropped."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from models import make

from cormorant import Bundle, Column, Database, Key, Model, Reference, column, func, key
from cormorant._native.struct import make_struct


def with_column(**options: Any) -> None:
    make(
        {"id": Column[int], "name": Column[str]},
        {"id": column(primary_key=True), "name": column(**options)},
    )


def with_class(**options: Any) -> None:
    make({"id": Column[int], "name": Column[str]}, {"id": column(primary_key=True)}, **options)


CLASS_OPTIONS = ("table", "scope", "module", "renamed_from", "seed_sql", "distributed_by", "discriminator")
COLUMN_OPTIONS = (
    "name", "default_sql", "check", "computed", "collate", "json_key", "renamed_from", "convert_sql", "type",
)  # fmt: skip


@pytest.mark.parametrize("value", [5, 0, True, False, 1.5, b"a", ["a"], object(), func.random()])
@pytest.mark.parametrize("option", CLASS_OPTIONS)
def test_class_options(option: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"^Made: {option} is .* a str"):
        with_class(**{option: value})


@pytest.mark.parametrize("value", [5, 0, 1.5, b"a", ["a"], object(), func.random(), True, False])
@pytest.mark.parametrize("option", COLUMN_OPTIONS)
def test_column_options(option: str, value: Any) -> None:
    if option == "check" and isinstance(value, bool):
        return  # those it takes
    with pytest.raises(TypeError, match=rf"^column\(\): {option} is .* a str"):
        with_column(**{option: value})


@pytest.mark.parametrize("value", [5, 0, True, False])
def test_other_options(value: Any, db: Database) -> None:
    fields: dict[str, Any] = {"id": Column[int], "name": Column[str]}

    class Average:
        def step(self, value: Any) -> None: ...

        def value(self) -> int:
            return 1

    calls: list[Callable[[], object]] = [
        lambda: key(name=value),
        lambda: with_class(indexes=[Key(("name",), name=value)]),
        lambda: with_class(unique=[Key(("name",), where=value)]),
        lambda: with_class(references=[Reference(("name",), value)]),
        lambda: with_class(checks=[value]),
        lambda: with_column(references=value),
        lambda: db.register_function(lambda: 1, name=value),
        lambda: db.register_aggregate(Average, name=value),
        lambda: db.remove_function(value),
        lambda: Bundle().add(value, "CREATE TABLE a (b)"),
        lambda: Bundle().resolve(db, value, True),
        lambda: make(fields).suffixed(value),
        lambda: make(fields).attached(value),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(TypeError, match=r"a str|a Model"):
            call()
            pytest.fail(f"call {number} took it")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: with_class(table=True), 'a model\'s table is named by table="..."; leave it out for the default'),
        (lambda: with_class(scope=func.random()), 'give its SQL as a text: scope="..."'),
        (lambda: with_column(default_sql=5), 'default_sql="5"'),
        (lambda: with_column(default_sql=0), 'default_sql="0"'),
        (lambda: with_column(default_sql=True), 'default_sql="TRUE"'),
        (lambda: with_column(json_key=False), 'json_key="" keeps the column out of JSON'),
        (lambda: with_class(module=True), 'give a text: module="..."'),
        (lambda: with_column(collate=b"NOCASE"), 'collate="..."'),
        (lambda: with_column(check=func.random()), 'give its SQL as a text: check="..."'),
    ],
)
def test_it_is_told_what_to_write(call: Callable[[], object], told: str) -> None:
    with pytest.raises(TypeError, match=re.escape(told)):
        call()


def test_no_number_becomes_an_address() -> None:
    """Whoever asks: the calls of the library have one place that makes texts of C."""
    for value in (5, 0, True, False, 1.5, object()):
        with pytest.raises(TypeError, match=r"table of corm_model_def.* a str"):
            make_struct("corm_model_def", {"name": "Hero", "table": value})
    assert make_struct("corm_model_def", {"name": "Hero", "table": None}).table is None


class Plain(Model, table="plain", scope="id > 0"):
    id: Column[int] = key(name="number")
    name: Column[str] = column(default_sql="''", check="name <> 'x'", collate="NOCASE", json_key="n")


def test_texts_are_taken() -> None:
    assert Plain.__model__.table == "plain"
    assert "COLLATE" in Plain.__model__.create_sql
