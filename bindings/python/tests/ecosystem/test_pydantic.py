"""Models as types of pydantic."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import pydantic
import pytest
from fastapi import Body, FastAPI
from fastapi.testclient import TestClient
from music import MODELS, Album, Artist, Track
from pydantic import TypeAdapter, ValidationError

from cormorant import (
    JSON_NULL,
    Column,
    Database,
    DataError,
    Model,
    NotLoadedError,
    ProgrammingError,
    Transform,
    column,
    ignored,
    key,
    read_json,
)


class Color(Enum):
    RED = "red"


class Thing(Model):
    id: Column[UUID] = column(primary_key=True)
    price: Column[Decimal]
    made: Column[datetime]
    code: Column[Annotated[str, pydantic.Field(max_length=3)]]
    color: Column[Color] = column(type="text", transform=Transform(lambda color: color.value, Color))
    tags: Column[list[str]] = column(default_factory=list)
    extra: Column[Any | None] = column(json=True, default=None)
    code_length: Column[int | None] = column(computed="length(code)", init=False)
    seen: Column[datetime | None] = column(default=None)
    note: str = ignored(default="")


THING: dict[str, Any] = {
    "id": "00000000-0000-0000-0000-000000000007",
    "price": "1.50",
    "made": "2024-05-06T07:08:09Z",
    "code": "abc",
    "color": "red",
    "tags": ["a"],
}


class Shelf(pydantic.BaseModel):
    things: list[Thing]
    best: Thing | None = None


def test_a_field_takes_records_and_makes_them() -> None:
    shelf = Shelf.model_validate({"things": [THING]})
    thing = shelf.things[0]
    assert type(thing) is Thing
    assert (thing.id, thing.price, thing.color) == (UUID(int=7), Decimal("1.50"), Color.RED)
    assert thing.made == datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone.utc)
    assert Shelf(things=[], best=thing).best is thing
    assert Shelf.model_validate_json(json.dumps({"things": [THING]})).things == [thing]


def test_what_comes_out_goes_in_again(tmp_path: Path) -> None:
    with Database(tmp_path / "things.db") as database:
        database.create_tables(Thing)
        thing = TypeAdapter(Thing).validate_python(THING).insert(database)
        text = Shelf(things=[thing]).model_dump_json()
        assert json.loads(text)["things"][0] == {
            **THING,
            "code_length": 3,
            "extra": None,
            "seen": None,
        }
        again = Shelf.model_validate_json(text).things[0]
        assert again == thing
        assert again.code_length == 3


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"made": "2024-05-06T07:08:09"}, "made"),
        ({"seen": "2024-05-06T07:08:09"}, "seen"),
        ({"code": "abcd"}, "code"),
        ({"price": "x"}, "price"),
        ({"color": "blue"}, "color"),
        ({"id": None}, "id"),
    ],
)
def test_values_that_do_not_fit_are_named(change: dict[str, Any], place: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Shelf.model_validate_json(json.dumps({"things": [{**THING, **change}]}))
    assert caught.value.errors()[0]["loc"][:3] == ("things", 0, place)


def test_what_is_missing_is_named_and_defaults_are_made() -> None:
    with pytest.raises(ValidationError, match="Field required"):
        TypeAdapter(Thing).validate_python({"id": 1})
    one, other = (TypeAdapter(Thing).validate_python({**THING, "tags": []}) for _ in range(2))
    assert one.tags is not other.tags


def test_nulls_of_json() -> None:
    thing = TypeAdapter(Thing).validate_python(THING)
    thing.extra = JSON_NULL
    assert TypeAdapter(Thing).dump_python(thing)["extra"] is None


@pytest.fixture
def loaded(path: Path) -> Any:
    with Database(path) as database:
        database.create_tables(*MODELS)
        artist = Artist("Nina").insert(database)
        assert artist.id
        album = Album("One", artist.id).insert(database)
        assert album.id
        Track("First", album.id).insert(database)
        yield database


def test_a_relation_that_is_not_loaded_is_left_out(loaded: Database) -> None:
    artist = loaded.fetch_one(Artist)
    assert artist is not None
    assert TypeAdapter(Artist).dump_python(artist) == {"id": 1, "name": "Nina"}
    loaded.load([artist], Artist.albums)
    album = {"id": 1, "title": "One", "artist_id": 1, "year": None}
    assert TypeAdapter(Artist).dump_python(artist) == {"id": 1, "name": "Nina", "albums": [album]}
    assert json.loads(TypeAdapter(Artist).dump_json(artist))["albums"] == [album]


def test_what_is_excluded_does_not_come_out(loaded: Database) -> None:
    artist = loaded.fetch_one(Artist)
    assert artist is not None
    loaded.load([artist], Artist.albums)
    adapter = TypeAdapter(Artist)
    assert adapter.dump_python(artist, exclude={"albums"}) == {"id": 1, "name": "Nina"}
    assert adapter.dump_json(artist, include={"name"}) == b'{"name":"Nina"}'
    hidden: Any = {"id": True, "albums": {"__all__": {"id", "artist_id"}}}
    shown = {"name": "Nina", "albums": [{"title": "One", "year": None}]}
    assert adapter.dump_python(artist, exclude=hidden) == shown
    assert json.loads(adapter.dump_json(artist, exclude=hidden)) == shown
    assert adapter.dump_python(artist, include={"albums": {0: {"title"}}}) == {"albums": [{"title": "One"}]}

    class Page(pydantic.BaseModel):
        artist: Artist

    assert Page(artist=artist).model_dump(include={"artist": {"name"}}) == {"artist": {"name": "Nina"}}
    assert "year" not in adapter.dump_python(artist, exclude_defaults=True)["albums"][0]
    service = FastAPI()
    service.get("/", response_model=Artist, response_model_exclude={"id"})(lambda: artist)
    with TestClient(service) as client:
        assert set(client.get("/").json()) == {"name", "albums"}


def test_what_is_wrong_is_named_by_its_place_alone() -> None:
    service = FastAPI()

    @service.post("/")
    def take(album: Annotated[Album, Body()]) -> Any: ...

    with TestClient(service) as client:
        answer = client.post("/", json={"artist_id": 1, "year": "late"}).json()
    assert [(error["loc"], error["type"]) for error in answer["detail"]] == [
        (["body", "title"], "missing"),
        (["body", "year"], "int_parsing"),
    ]


class Priced(Model):
    id: Column[int] = key()
    price: Column[Decimal | None] = column(scale=2, default=None)


def test_digits_that_the_column_has_no_place_for_are_refused() -> None:
    assert TypeAdapter(Priced).validate_python({"price": "9.50"}).price == Decimal("9.50")
    for kind in (Priced, Priced.pydantic("create")):
        with pytest.raises(ValidationError, match="no more than 2 decimal places"):
            TypeAdapter(kind).validate_python({"price": "9.555"})


def test_a_record_without_its_key_goes_out_and_in_again() -> None:
    adapter = TypeAdapter(Priced)
    assert adapter.validate_json(adapter.dump_json(Priced())) == Priced()
    schemas = [adapter.json_schema(mode=mode)["properties"]["id"] for mode in ("validation", "serialization")]
    assert schemas == [
        {"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "Id"},
        {"type": "integer", "title": "Id"},
    ]


def test_relations_come_in_as_records(loaded: Database) -> None:
    artist = TypeAdapter(Artist).validate_python({"name": "Otto", "albums": [{"title": "Two", "artist_id": 0}]})
    assert type(artist.albums[0]) is Album
    without = TypeAdapter(Artist).validate_python({"name": "Otto"})
    with pytest.raises(NotLoadedError):
        _ = without.albums


def test_derived_models_of_pydantic(loaded: Database) -> None:
    create, update = Album.pydantic("create"), Album.pydantic("update")
    assert list(create.model_fields) == ["title", "artist_id", "year"]
    assert create.__name__ == "AlbumCreate"
    album = Album(**create(title="Two", artist_id=1).model_dump()).insert(loaded)
    assert update(year=1999).model_dump(exclude_unset=True) == {"year": 1999}
    with pytest.raises(ValidationError):
        update(title=None)
    with pytest.raises(ValidationError):
        create(title="x")
    read = Album.pydantic("read", name="Row", exclude=["year"])
    assert read.model_validate(album).model_dump() == {"id": album.id, "title": "Two", "artist_id": 1}
    assert list(Thing.pydantic("create").model_fields) == [
        *("id", "price", "made", "code", "color", "tags", "extra", "seen")
    ]


def test_a_derived_model_refuses_a_relation_that_is_not_loaded(loaded: Database) -> None:
    read = Artist.pydantic("read", relations=["albums"])
    artist = loaded.fetch_one(Artist)
    assert artist is not None
    with pytest.raises(ValidationError, match="albums is not loaded"):
        read.model_validate(artist)
    loaded.load([artist], Artist.albums)
    assert read.model_validate(artist).model_dump()["albums"][0]["title"] == "One"


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("write", {}, "create, update, read"),
        ("create", {"relations": ["albums"]}, 'kind "read"'),
        ("read", {"relations": ["songs"]}, "Artist has no 'songs'"),
        ("read", {"exclude": ["nam"]}, "Artist has no 'nam'"),
    ],
)
def test_what_cannot_be_derived(kind: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ProgrammingError, match=message):
        Artist.pydantic(kind, **options)


def test_json_schema() -> None:
    schema = TypeAdapter(Track).json_schema()
    track = schema["$defs"]["Track"]
    assert track["required"] == ["title", "album_id"]
    assert track["properties"]["seconds"] == {"default": 200, "title": "Seconds", "type": "integer"}
    assert track["properties"]["album"]["anyOf"][0] == {"$ref": "#/$defs/Album"}


def test_a_web_service() -> None:
    app = FastAPI()

    # FastAPI takes what is no model of pydantic for a parameter of the query.
    def post(thing: Annotated[Thing, Body()]) -> Thing:
        thing.price *= 2
        return thing

    app.post("/things")(post)
    client = TestClient(app)
    answer = client.post("/things", json=THING)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {**THING, "price": "3.00", "code_length": None, "extra": None, "seen": None}
    assert client.post("/things", json={**THING, "made": "2024-05-06T07:08:09"}).status_code == 422
    assert {"Thing-Input", "Thing-Output"} <= client.get("/openapi.json").json()["components"]["schemas"].keys()


# --- What JSON does not have ---


class Account(Model):
    id: Column[int] = key()
    name: Column[str]
    password: Column[str] = column(json_key="")
    token: Column[str | None] = column(json_key="", default=None)


def test_what_is_kept_out_of_json_is_kept_out_here() -> None:
    account = Account("Ann", "secret", "t")
    account.id = 1
    adapter = TypeAdapter(list[Account])
    assert adapter.dump_python([account]) == [{"id": 1, "name": "Ann"}]
    assert b"secret" not in adapter.dump_json([account])
    for mode in ("validation", "serialization"):
        assert "password" not in json.dumps(adapter.json_schema(mode=mode))
    for kind in ("read", "create", "update"):
        assert "password" not in Account.pydantic(kind).model_fields
        assert "token" not in Account.pydantic(kind).model_fields
    assert Account.pydantic("read").model_validate(account).model_dump() == {"id": 1, "name": "Ann"}
    app = FastAPI()

    @app.get("/")
    def get() -> list[Account]:
        return [account]

    @app.get("/read", response_model=Account.pydantic("read"))
    def read() -> Account:
        return account

    client = TestClient(app)
    assert client.get("/").json() == [{"id": 1, "name": "Ann"}]
    assert client.get("/read").json() == {"id": 1, "name": "Ann"}


def test_what_is_kept_out_of_json_is_not_taken_from_it() -> None:
    class Visitor(Model):
        id: Column[int] = key()
        token: Column[str | None] = column(json_key="", default=None)

    assert TypeAdapter(Visitor).validate_python({"token": "mine"}).token is None
    # As read_json has it, no record comes of JSON where such a column needs a value.
    text = '{"name": "Ann", "password": "mine"}'
    with pytest.raises(ValidationError, match="password"):
        TypeAdapter(Account).validate_json(text)
    with pytest.raises(DataError, match="password"):
        list(read_json(Account, text))


# --- Single-table inheritance ---


class Emp(Model, discriminator="kind"):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)
    name: Column[str]


class Mgr(Emp, discriminator_value="mgr"):
    level: Column[int] = column(default=1)


class Eng(Emp, discriminator_value="eng"):
    lang: Column[str | None] = column(default=None)


MANAGER = {"kind": "mgr", "name": "m", "level": 3}


def test_a_record_is_of_the_class_that_its_discriminator_says(db: Database) -> None:
    adapter = TypeAdapter(Emp)
    for made in (adapter.validate_python(MANAGER), adapter.validate_json(json.dumps(MANAGER))):
        assert type(made) is Mgr
        assert (made.name, made.level, made.kind) == ("m", 3, "mgr")
    assert type(TypeAdapter(Mgr).validate_python({"name": "m"})) is Mgr
    for wrong in ({"name": "x"}, {"name": "x", "kind": "nobody"}, {"name": "x", "kind": None}):
        with pytest.raises(ValidationError, match=r"kind.*mgr"):
            adapter.validate_python(wrong)
    with pytest.raises(ValidationError, match="kind"):
        TypeAdapter(Mgr).validate_python({"kind": "eng", "name": "m"})
    db.create_tables(Emp)
    adapter.validate_python(MANAGER).insert(db)
    assert [type(record) for record in db.fetch_all(Emp)] == [Mgr]


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_the_schema_of_json_tells_classes_apart(mode: Any) -> None:
    schema = TypeAdapter(list[Emp]).json_schema(mode=mode)
    defined = schema["$defs"]
    [union] = [each for each in defined.values() if "oneOf" in each]
    parts = [each["$ref"].rsplit("/", 1)[1] for each in union["oneOf"] if "$ref" in each]
    assert union["discriminator"]["propertyName"] == "kind"
    assert {value: ref.rsplit("/", 1)[1] for value, ref in union["discriminator"]["mapping"].items()} == {
        defined[part]["properties"]["kind"]["const"]: part for part in parts
    }
    assert {"mgr", "eng"} <= set(union["discriminator"]["mapping"])


def test_a_record_comes_out_as_one_of_its_own_class() -> None:
    records: list[Emp] = [Mgr("m", 3), Eng("e", "py")]
    for number, record in enumerate(records):
        record.id = number
    adapter = TypeAdapter(list[Emp])
    shown = [
        {"id": 0, "kind": "mgr", "name": "m", "level": 3},
        {"id": 1, "kind": "eng", "name": "e", "lang": "py"},
    ]
    assert adapter.dump_python(records) == shown
    assert json.loads(adapter.dump_json(records)) == shown
    changed = Mgr("m", 3)
    changed.id, changed.kind = 0, "eng"
    assert adapter.dump_python([changed]) == [{**shown[0], "kind": "eng"}]
    schema = json.dumps(adapter.json_schema(mode="serialization"))
    assert "level" in schema
    assert "lang" in schema
    assert "level" in json.dumps(adapter.json_schema(mode="validation"))
    read = Emp.pydantic("read")
    assert read.model_validate(records[0]).model_dump() == {**shown[0], "lang": None}
    app = FastAPI()

    @app.get("/")
    def get() -> list[Emp]:
        return records

    @app.post("/")
    def post(emp: Annotated[Emp, Body()]) -> str:
        return type(emp).__name__

    client = TestClient(app)
    assert client.get("/").json() == shown
    assert client.post("/", json=MANAGER).json() == "Mgr"
    assert client.get("/openapi.json").status_code == 200


class Shape(Enum):
    ROUND = "round"
    FLAT = "flat"


class Form(Model, discriminator="shape", discriminator_value=Shape.FLAT, keep_unknown=True):
    id: Column[int] = key()
    shape: Column[Shape]


class Ball(Form, discriminator_value=Shape.ROUND):
    radius: Column[int]


def test_discriminators_of_other_types_and_wholes_with_one() -> None:
    adapter = TypeAdapter(Form)
    assert type(adapter.validate_python({"shape": "round", "radius": 2})) is Ball
    assert type(adapter.validate_python({"shape": Shape.ROUND, "radius": 2})) is Ball
    assert type(adapter.validate_python({"shape": "flat"})) is Form
    assert type(adapter.validate_python({})) is Form
    assert (
        adapter.dump_json(adapter.validate_python({"shape": "round", "radius": 2}))
        == b'{"id":null,"shape":"round","radius":2}'
    )
    assert adapter.dump_json(adapter.validate_python({})) == b'{"id":null,"shape":"flat"}'


def test_a_relation_that_is_none_says_nothing_of_its_foreign_key() -> None:
    album = TypeAdapter(Album).validate_python({"title": "x", "artist_id": 5, "artist": None})
    assert (album.artist_id, album.artist) == (5, None)


class Craft(Model, discriminator="kind"):
    id: Column[int] = key()
    kind: Column[str] = column(init=False)
    name: Column[str]
    state: Column[str] = column(default="new", init=False)


class Ketch(Craft, discriminator_value="ketch"):
    masts: Column[int]


def test_what_creates_is_what_init_takes() -> None:
    assert set(Ketch.pydantic("create").model_fields) == {"name", "masts"}
    assert set(Craft.pydantic("create").model_fields) == {"name"}
    ketch = Ketch(**Ketch.pydantic("create")(name="a", masts=2).model_dump())
    assert (ketch.kind, ketch.state, ketch.masts) == ("ketch", "new", 2)
