"""What other libraries write in a class, which would be dropped without a word; and options that say nothing."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar

import pytest
from models import make

from cormorant import Column, Database, Error, Model, ProgrammingError, column, key


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("__tablename__", "users"),
        ("__table_args__", {"sqlite_strict": True}),
        ("__table__", object()),
        ("Meta", type("Meta", (), {"db_table": "users"})),
        ("Meta", type("Meta", (), {"table_name": "users"})),
        ("Meta", type("Meta", (), {"unique_together": ("a", "b"), "app_label": "x"})),
        ("Config", type("Config", (), {"table": True})),
        ("Config", type("Config", (), {"table_name": "users"})),
        ("model_config", {"table": True}),
    ],
)
def test_settings_of_the_table(name: str, value: Any) -> None:
    with pytest.raises(ProgrammingError, match=rf'Made\.{name} .*class Made\(Model, table="'):
        make({"id": Column[int]}, {"id": key(), name: value})


def test_its_name_is_told() -> None:
    with pytest.raises(ProgrammingError, match=re.escape('class User(Model, table="users")')):

        class User(Model):
            __tablename__ = "users"
            id: Column[int] = key()


def test_a_mixin_with_them_is_refused_too() -> None:
    class Named:
        __tablename__ = "users"

    with pytest.raises(ProgrammingError, match=r"Named\.__tablename__"):

        class User(Named, Model):
            id: Column[int] = key()


def test_attributes_that_mean_nothing_stay() -> None:
    class User(Model):
        class Meta:
            color = "red"

        class Config:
            from_attributes = True

        model_config: ClassVar[dict[str, Any]] = {"from_attributes": True}
        limit = 10
        id: Column[int] = key()

    assert (User.Meta.color, User.limit, User.model_config) == ("red", 10, {"from_attributes": True})


@pytest.mark.parametrize(
    ("annotation", "options", "told"),
    [
        (int, {"on_delete": "cascade"}, "on_delete and no references"),
        (int, {"on_update": "set_null"}, "on_update and no references"),
        (str, {"default": "a", "default_factory": str}, "default and a default_factory"),
        (int, {"length": 5}, "length, which only a text has"),
        (datetime, {"length": 5}, "length, which only a text has"),
    ],
)
def test_options_that_would_say_nothing(annotation: Any, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ProgrammingError, match=rf"(Made\.|column\(\): )?.*{told}"):
        make(
            {"id": Column[int], "name": Column[annotation]},
            {"id": column(primary_key=True), "name": column(**options)},
        )


def test_an_init_that_hands_on_what_it_is_given() -> None:
    class Hero(Model):
        id: Column[int] = key()
        name: Column[str]
        age: Column[int] = column(default=3)

        def __init__(self, name: str) -> None:
            super().__init__(name.upper(), age=4)

    class Base(Model):
        id: Column[int] = key()
        name: Column[str]

    class Derived(Base):
        age: Column[int]

        def __init__(self, name: str, age: int) -> None:
            super().__init__(name)
            self.age = age

    class Plain(Model):
        id: Column[int] = key()
        name: Column[str]

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    assert repr(Hero("a")).split(".")[-1] == "Hero(id=None, name='A', age=4)"
    assert repr(Derived("a", 5)).split(".")[-1] == "Derived(id=None, name='a', age=5)"
    assert Plain("a").name == "a"
    with pytest.raises(TypeError, match="nam"):

        class Wrong(Model):
            id: Column[int] = key()
            name: Column[str]

            def __init__(self) -> None:
                super().__init__(nam="x")

        Wrong()


def test_a_field_of_a_dataclass_is_told_as_a_column() -> None:
    for field, call in [
        (dataclasses.field(default_factory=list), "column(default_factory=list)"),
        (dataclasses.field(default=5, kw_only=True), "column(default=5)"),
        (dataclasses.field(), "column()"),
    ]:
        with pytest.raises(
            ProgrammingError, match=rf"Made\.a = field\(\.\.\.\) is no column \(write = {re.escape(call)}\)$"
        ):
            make({"id": Column[int], "a": Column[list[str]]}, {"id": key(), "a": field})


def test_a_model_for_a_type_is_told_as_a_relation() -> None:
    class Owner(Model):
        id: Column[int] = key()

    for annotation, call in [(Owner, "to_one(Owner)"), (list[Owner], "to_many(Owner)")]:
        with pytest.raises(ProgrammingError, match=rf"Made\.a .*\(.*; a relation is a = {re.escape(call)}"):
            make({"id": Column[int], "a": annotation}, {"id": key()})


def test_an_init_that_sets_no_fields_is_told() -> None:
    class User(Model):
        id: Column[int] = key()
        name: Column[str]

        def __init__(self, name: str) -> None:
            self.name = name.upper()

    with Database(":memory:") as db:
        db.create_tables(User)
        writes: list[Callable[[], object]] = [lambda: db.insert(User("x")), lambda: db.insert_many([User("x")])]
        for write in writes:
            with pytest.raises(Error, match=r"User\.id: it is not set \(.*super\(\)\.__init__\("):
                write()


def test_a_list_of_nothing_in_particular() -> None:
    with pytest.raises(ProgrammingError, match=r"Made\.tags is neither a column nor ignored"):
        make({"id": Column[int], "tags": typing.List}, {"id": key()})  # noqa: UP006
