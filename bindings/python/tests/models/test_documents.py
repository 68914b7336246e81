"""Documents: dataclasses, pydantic's models, tuples and sets in columns come back as they went, or are refused."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar
from zoneinfo import ZoneInfo

import pydantic
import pytest

from cormorant import Column, Database, DataError, Model, column, key, update


@dataclass
class Shape:
    name: str


@dataclass
class Circle(Shape):
    radius: int = 0


class Point(pydantic.BaseModel):
    x: int


class Point3(Point):
    z: int = 0


@dataclass
class Reading:
    value: float | None


@dataclass
class Strict:
    value: float


class Login(pydantic.BaseModel):
    password: pydantic.SecretStr


class Token(pydantic.BaseModel):
    text: pydantic.SecretBytes


class Excluding(pydantic.BaseModel):
    a: int
    b: int = pydantic.Field(default=0, exclude=True)


class Renamed(pydantic.BaseModel):
    a: int = pydantic.Field(default=0, serialization_alias="A", validation_alias="B")


@dataclass
class Late:
    a: int
    b: int = field(init=False, default=3)


@dataclass
class Loose:
    value: Any


@dataclass
class Mixed:
    value: int | str | Decimal


class Extra(pydantic.BaseModel, extra="allow"):
    a: int


class Lossy(Model):
    shape: Column[Shape | None] = column(default=None)
    shapes: Column[list[Shape] | None] = column(default=None)
    named: Column[dict[str, Shape] | None] = column(default=None)
    point: Column[Point | None] = column(default=None)
    points: Column[list[Point] | None] = column(default=None)
    either: Column[Point | Shape | None] = column(default=None)
    reading: Column[Reading | None] = column(default=None)
    strict: Column[Strict | None] = column(default=None)
    numbers: Column[tuple[float | None, ...] | None] = column(default=None)
    login: Column[Login | None] = column(default=None)
    token: Column[Token | None] = column(default=None)
    excluding: Column[Excluding | None] = column(default=None)
    renamed: Column[Renamed | None] = column(default=None)
    late: Column[Late | None] = column(default=None)
    loose: Column[Loose | None] = column(default=None)
    mixed: Column[Mixed | None] = column(default=None)
    extra: Column[Extra | None] = column(default=None)
    id: Column[int] = key()


def _late() -> Late:
    late = Late(1)
    late.b = 9
    return late


LOST = [
    ("shape", Circle("c", 5), "test_documents.Circle would come back as test_documents.Shape (annotate"),
    ("shapes", [Shape("a"), Circle("c", 5)], "test_documents.Circle would come back as test_documents.Shape at $[1]"),
    ("named", {"c": Circle("c", 5)}, "test_documents.Circle would come back as test_documents.Shape at $.c"),
    ("point", Point3(x=1, z=2), "test_documents.Point3 would come back as test_documents.Point (annotate"),
    ("points", [Point3(x=1)], "test_documents.Point3 would come back as test_documents.Point at $[0]"),
    ("either", Point3(x=1), "test_documents.Point3 would come back as test_documents.Point (annotate"),
    ("reading", Reading(math.inf), "a float that JSON has not, at $.value (give None, or"),
    ("reading", Reading(math.nan), "a float that JSON has not, at $.value"),
    ("strict", Strict(-math.inf), "it could not be read: Input should be a valid number at $.value"),
    ("numbers", (1.0, math.inf), "a float that JSON has not, at $[1]"),
    (
        "login",
        Login(password=pydantic.SecretStr("key")),
        "a value of type pydantic.types.SecretStr would come back as another at $.password (give the field a",
    ),
    (
        "token",
        Token(text=pydantic.SecretBytes(b"key")),
        "a value of type pydantic.types.SecretBytes would come back as another at $.text (give the field a",
    ),
    ("excluding", Excluding(a=1, b=2), "a value of type int would come back as another at $.b"),
    ("renamed", Renamed.model_validate({"B": 5}), "a value of type int would come back as another at $.a"),
    ("late", _late(), "a value of type int would come back as another at $.b"),
    ("loose", Loose((1, 2)), "tuple would come back as list at $.value"),
    ("loose", Loose({1, 2}), "set would come back as list at $.value"),
    ("loose", Loose([Decimal("1.5")]), "decimal.Decimal would come back as str at $.value[0]"),
    ("loose", Loose(math.inf), "a float that JSON has not, at $.value"),
    ("mixed", Mixed(Decimal("1.10")), "decimal.Decimal would come back as str at $.value"),
    ("extra", Extra(a=1, more=(1,)), "tuple would come back as list at $.more"),  # type: ignore[call-arg]
]


@pytest.mark.parametrize(("name", "value", "said"), LOST)
def test_a_document_that_would_come_back_another_is_refused(db: Database, name: str, value: Any, said: str) -> None:
    db.create_tables(Lossy)
    for write in (
        lambda: db.insert(Lossy(**{name: value})),
        lambda: db.insert_many([Lossy(**{name: value})]),
        lambda: db.execute(update(Lossy).set(**{name: value})),
        lambda: Lossy.where(getattr(Lossy, name) == value),
    ):
        with pytest.raises(DataError) as caught:
            write()
        assert str(caught.value).endswith(")")
        assert f"Lossy.{name}: {said}" in str(caught.value)
        assert caught.value.columns == (name,)
        assert caught.value.code == "CORM_E_TYPE"
    assert db.count(Lossy) == 0


@dataclass(eq=False)
class ByIdentity:
    items: list[str]


@dataclass(eq=False)
class Never(Shape):
    def __eq__(self, other: object) -> bool:
        raise ValueError("ambiguous")


class Cached(pydantic.BaseModel):
    a: int
    _known: int = pydantic.PrivateAttr(default=0)


class Infinite(pydantic.BaseModel, ser_json_inf_nan="strings"):
    values: list[float]


class Opened(pydantic.BaseModel):
    password: Annotated[
        pydantic.SecretStr, pydantic.PlainSerializer(lambda it: it.get_secret_value(), when_used="json")
    ]


@dataclass(frozen=True, slots=True)
class Tagged:
    kinds: ClassVar[int] = 3
    tags: frozenset[str]
    inner: list[set[int]] = field(default_factory=list)


class Sampled(pydantic.BaseModel, arbitrary_types_allowed=True):
    samples: Annotated[
        Any,
        pydantic.PlainSerializer(lambda it: it.tolist(), when_used="json"),
        pydantic.PlainValidator(lambda it: pytest.importorskip("numpy").array(it)),
    ]


class Kept(Model):
    by_identity: Column[ByIdentity | None] = column(default=None)
    never: Column[Never | None] = column(default=None)
    cached: Column[Cached | None] = column(default=None)
    infinite: Column[Infinite | None] = column(default=None)
    opened: Column[Opened | None] = column(default=None)
    extra: Column[Extra | None] = column(default=None)
    moments: Column[tuple[datetime, ...] | None] = column(default=None)
    numbers: Column[tuple[float, ...] | None] = column(default=None)
    shape: Column[Circle | Shape | None] = column(default=None)
    sampled: Column[Sampled | None] = column(default=None)
    id: Column[int] = key()


def test_what_comes_back_equal_is_kept(db: Database) -> None:
    db.create_tables(Kept)
    cached = Cached(a=1)
    cached._known = 5
    new_york = ZoneInfo("America/New_York")
    twice = (datetime(2020, 11, 1, 1, 30, fold=1, tzinfo=new_york), datetime(2020, 11, 1, 1, 30, tzinfo=new_york))
    record = Kept(
        ByIdentity(["a"]),
        Never("n"),
        cached,
        Infinite(values=[math.inf, math.nan]),
        Opened(password=pydantic.SecretStr("key")),
        Extra(a=1, more=[1]),  # type: ignore[call-arg]
        twice,
        (1, 2.5),
        Circle("c", 5),
    )
    db.insert(record)
    found = db.one(Kept)
    assert found.by_identity
    assert found.by_identity.items == ["a"]
    assert found.never
    assert found.never.name == "n"
    assert found.cached
    assert found.cached.a == 1
    assert found.infinite
    assert found.infinite.values[0] == math.inf
    assert math.isnan(found.infinite.values[1])
    assert found.opened
    assert found.opened.password.get_secret_value() == "key"
    assert found.extra == record.extra
    assert found.numbers == (1.0, 2.5)
    assert found.shape == Circle("c", 5)
    assert found.moments
    assert [it.timestamp() for it in found.moments] == [it.timestamp() for it in twice]


def test_arrays_are_compared_by_item(db: Database) -> None:
    db.create_tables(Kept)
    db.insert(Kept(sampled=Sampled(samples=[1, 2])))
    found = db.one(Kept).sampled
    assert found
    assert found.samples.tolist() == [1, 2]


class Sets(Model):
    tags: Column[frozenset[str]]
    numbers: Column[set[int]] = column(default_factory=set)
    nested: Column[dict[str, list[frozenset[int | str]]]] = column(default_factory=dict)
    groups: Column[frozenset[frozenset[int]]] = column(default_factory=frozenset)
    tagged: Column[Tagged | None] = column(default=None)
    shapes: Column[set[tuple[int, str]] | None] = column(default=None)
    id: Column[int] = key()


def test_equal_sets_are_one_text(db: Database) -> None:
    db.create_tables(Sets)
    tagged = Tagged(frozenset({"b", "a"}), [{8, 0}])
    db.insert(
        Sets(
            frozenset({"red", "green", "blue"}),
            {0, 8, -1},
            {"x": [frozenset({"1", 2, 10})]},
            frozenset({frozenset({8, 0}), frozenset({1}), frozenset()}),
            tagged,
            {(2, "a"), (1, "b"), (1, "a")},
        )
    )
    assert db.query("SELECT tags, numbers, nested, groups, tagged, shapes FROM sets").fetch_all() == [
        (
            '["blue","green","red"]',
            "[-1,0,8]",
            '{"x":[["1",10,2]]}',
            "[[0,8],[1],[]]",
            '{"tags":["a","b"],"inner":[[0,8]]}',
            '[[1,"a"],[1,"b"],[2,"a"]]',
        )
    ]
    assert db.count(Sets.where(Sets.numbers == {8, 0, -1})) == 1
    assert db.count(Sets.where(Sets.tags.in_([frozenset({"green", "blue", "red"})]))) == 1
    assert db.count(Sets.where(Sets.tagged == Tagged(frozenset({"a", "b"}), [{0, 8}]))) == 1
    first, second = db.one(Sets), db.one(Sets)
    second.numbers = {8, -1, 0}
    assert first.changes(second) == ()
    assert first.tagged == tagged
    assert type(first.tagged.tags) is frozenset
    assert type(first.numbers) is set


def test_sets_are_found_by_a_program_of_another_hash_seed(tmp_path: Path) -> None:
    path = tmp_path / "sets.db"
    with Database(path) as db:
        db.create_tables(Sets)
        db.insert(Sets(frozenset(map(str, range(20)))))
    program = "import sys; from test_documents import *; "
    program += "print(Database(sys.argv[1]).count(Sets.where(Sets.tags == frozenset(map(str, range(20))))))"
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", program, path],
            cwd=Path(__file__).parent,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == "1\n"
