from __future__ import annotations

import copy
import io
import pickle
import random
import tracemalloc
from collections.abc import Iterator
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from cormorant import (
    JSON_NULL,
    Column,
    Database,
    DataError,
    Json,
    Model,
    NotLoadedError,
    ProgrammingError,
    Transform,
    UniqueViolation,
    column,
    key,
    many_to_many,
    read_json,
    to_many,
    to_one,
    write_json,
)


def _unshout(text: str) -> str:
    if not text.endswith("!"):
        raise ValueError("it is not shouted")
    return text[:-1]


class Side(Enum):
    LEFT = "left"


class Singer(Model):
    name: Column[str] = column(json_key="full name")
    secret: Column[str | None] = column(default=None, json_key="")
    motto: Column[str | None] = column(
        default=None, type="text", transform=Transform(lambda word: f"{word}!", _unshout)
    )
    id: Column[int | None] = column(primary_key=True, default=None)
    songs = to_many(lambda: Song)


class Song(Model):
    title: Column[str]
    singer_id: Column[int | None] = column(default=None, references=Singer)
    price: Column[Decimal] = column(default=Decimal("9.90"))
    tags: Column[list[str]] = column(default_factory=list)
    live: Column[bool] = column(default=False)
    id: Column[int | None] = column(primary_key=True, default=None)
    singer = to_one(Singer)
    moods = many_to_many(lambda: Mood, through=lambda: SongMood)


class Mood(Model):
    word: Column[str]
    id: Column[int | None] = column(primary_key=True, default=None)


class SongMood(Model):
    song_id: Column[int] = column(primary_key=True, references=Song)
    mood_id: Column[int] = column(primary_key=True, references=Mood)


class Kinds(Model):
    whole: Column[int | None] = column(default=None)
    part: Column[float | None] = column(default=None)
    bytes_: Column[bytes | None] = column(default=None, name="bytes")
    at: Column[datetime | None] = column(default=None)
    code: Column[UUID | None] = column(default=None)
    any: Column[dict[str, Any] | None] = column(default=None)
    loud: Column[str | None] = column(default=None, computed="upper(part)", init=False)


@pytest.fixture
def music(db: Database) -> Database:
    db.create_tables(Singer, Song, Mood, SongMood)
    return db


NINA = (
    '{"full name":"Nina","motto":"go!","id":1,"songs":[{"title":"A","singer_id":1,"price":"1.50","tags":["x"],'
    '"live":true,"id":2,"moods":[{"word":"blue","id":3}]},{"title":"B","singer_id":1,"price":"2","tags":[],'
    '"live":false,"id":4}]}'
)


def test_records_come_in_and_go_out_with_those_in_them() -> None:
    (nina,) = read_json(Singer, NINA)
    assert (nina.name, nina.motto) == ("Nina", "go")
    assert [song.price for song in nina.songs] == [Decimal("1.50"), Decimal(2)]
    assert nina.songs[0].moods == [Mood("blue", id=3)]
    with pytest.raises(NotLoadedError):
        _ = nina.songs[1].moods
    assert write_json(nina) == NINA
    assert write_json([nina, nina]) == f"[{NINA},{NINA}]"
    assert write_json([nina, nina], lines=True) == f"{NINA}\n{NINA}\n"
    assert write_json([]) == "[]"


def test_every_type_comes_back() -> None:
    record = Kinds(-(2**63), float("-inf"), b"\0\xff", datetime(2026, 1, 31, 12, tzinfo=timezone.utc), UUID(int=5))
    record.any = {"a": [1, 2.5, None, "\0ü😀"]}
    assert list(read_json(Kinds, write_json(record))) == [record]


def test_the_defaults_of_python_fill_in_what_is_missing() -> None:
    first, second = read_json(Song, '[{"title":"A"},{"title":"B","tags":["x"],"price":3}]')
    assert (first.price, first.tags, first.live) == (Decimal("9.90"), [], False)
    first.tags.append("own")
    assert (second.price, second.tags) == (Decimal(3), ["x"])
    (third,) = read_json(Song, '{"title":"C"}')
    assert third.tags == []
    with pytest.raises(DataError, match=r"^\$\[1\]\.title: the key is missing"):
        list(read_json(Song, '[{"title":"A"},{}]'))


def test_a_document_becomes_a_graph(music: Database) -> None:
    singers = list(read_json(Singer, '[{"full name":"Ada","songs":[{"title":"A","moods":[{"word":"x"}]}]}]'))
    music.save_graph(singers)
    assert singers[0].songs[0].singer_id == singers[0].id
    assert music.query("SELECT count(*) FROM song_mood").fetch_all() == [(1,)]
    (song,) = read_json(Song, '{"title":"B","singer":{"full name":"Eve"}}')
    music.save_graph(song)
    assert song.singer is not None
    assert song.singer_id == song.singer.id


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 10_000])
def test_sources_of_all_kinds(size: int) -> None:
    text = f'{{"data":{{"x":[1,{{}}],"items":[{NINA},{NINA}],"y":"]"}}}}'
    data = text.encode()
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    sources: list[Any] = [text, data, bytearray(data), memoryview(data), io.StringIO(text), io.BytesIO(data), chunks]
    for source in sources:
        assert write_json(read_json(Singer, source, path="$.data.items")) == f"[{NINA},{NINA}]"


def test_an_array_streams_in_flat_memory() -> None:
    element = b'{"word":"0123456789012345678901234567890123456789","id":7},' * 1_000

    def chunks() -> Iterator[bytes]:
        yield b"["
        for _ in range(60):
            yield element
        yield b'{"word":""}]'

    tracemalloc.start()
    count = sum(1 for _ in read_json(Mood, chunks()))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 60_001
    assert peak < 4_000_000


def test_a_cursor_is_written_in_parts(music: Database) -> None:
    music.insert_many(Mood(f"m{number}") for number in range(2_500))
    file = io.StringIO()
    write_json(music.cursor(Mood), file)
    assert list(read_json(Mood, file.getvalue())) == music.fetch_all(Mood)
    lines = io.StringIO()
    write_json(music.cursor(Mood), lines, lines=True)
    assert list(read_json(Mood, lines.getvalue(), lines=True)) == music.fetch_all(Mood)


def test_imports_are_one_transaction(music: Database) -> None:
    assert music.import_json(Singer, [NINA[:50].encode(), NINA[50:].encode()]) == 1
    assert music.count(Song) == 2
    with pytest.raises(UniqueViolation, match=r"^\$\.id: ") as error:
        music.import_json(Singer, NINA)
    assert error.value.record_index == 0
    many = ",".join(f'{{"word":"{number}"}}' for number in range(50_000))
    with pytest.raises(DataError, match=r"^\$\[50000\]\.word: expected a string, found a number"):
        music.import_json(Mood, [f"[{many},".encode(), b'{"word":1}]'])
    assert music.count(Mood) == 1
    assert music.import_json(Singer, '{"full name":"Nina S.","id":1}', save=True) == 1
    found = music.find(Singer, 1)
    assert found is not None
    assert found.name == "Nina S."


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ('[{"full name":7}]', "CORM_E_TYPE", '$[0]["full name"]: expected a string, found a number'),
        ('[{"full name":"a","motto":"b"}]', "CORM_E_CALLBACK", "$[0].motto: "),
        ('{"full name":"a","motto":"b"}', "CORM_E_CALLBACK", "$.motto: "),
        (f'[{NINA},{{"full name":"a","songs":[{{"title":"x"}},{{"title":1}}]}}]', "CORM_E_TYPE", "$[1].songs[1].title"),
        ('[{"full name":"a","songs":null}]', "CORM_E_JSON", "$[0].songs: expected an array, found null"),
        ('[{"full name":"a","secret":"b"}]', "CORM_E_JSON", "$[0].secret: model Singer has no such key"),
        ("[{}", "CORM_E_JSON", "$"),
        ("", "CORM_E_JSON", "$: the text ends too early"),
        (b"[\xff]", "CORM_E_JSON", "$"),
        (b'[{"full name":"\xff"}]', "CORM_E_ENCODING", '$[0]["full name"]: the string is not UTF-8'),
        ("\ud800", "CORM_E_ENCODING", "the text is not valid Unicode"),
        ('[{"full name":"\\udc00"}]', "CORM_E_ENCODING", "$[0]"),
        ('[{"id":9223372036854775808}]', "CORM_E_RANGE", "$[0].id: the integer does not fit"),
        ('{"full name":' + "[" * 2_000, "CORM_E_TYPE", "$"),
    ],
)  # fmt: skip
def test_errors_name_the_path(text: str | bytes, code: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        list(read_json(Singer, text, refuse_unknown=True))
    assert error.value.code == code
    assert error.value.message.startswith(message)


def test_a_transform_in_related_records_names_the_path() -> None:
    with pytest.raises(DataError) as error:
        list(read_json(Song, '[{"title":"a"},{"title":"b","singer":{"full name":"c","motto":"d"}}]'))
    assert error.value.message.startswith("$[1].singer.motto: ")


@pytest.mark.parametrize("lines", [False, True])
def test_records_before_one_that_is_none_come_first(lines: bool) -> None:
    texts = [f'{{"full name": {name}}}' for name in ('"a"', '"b"', "7", '"c"')]
    records = read_json(Singer, "\n".join(texts) if lines else f"[{','.join(texts)}]", lines=lines)
    assert [next(records).name, next(records).name] == ["a", "b"]
    with pytest.raises(DataError, match="expected a string"):
        next(records)


def test_records_before_one_whose_related_ones_are_none_come_first() -> None:
    bad = NINA.replace('"blue"', "7")
    for twice in (f"[{NINA},{bad}]", f'[{NINA},{NINA},{{"full name":"x","songs":[{{"title":"c"}},7]}}]'):
        records = read_json(Singer, twice)
        for nina in [next(records) for _ in range(twice.count("Nina") - (bad in twice))]:
            assert write_json(nina) == NINA
        with pytest.raises(DataError):
            next(records)


def test_wrong_use_is_told(music: Database) -> None:
    wrong: Any = 7
    with pytest.raises(ProgrammingError):
        list(read_json(Mood, [wrong]))
    with pytest.raises(ProgrammingError, match="properties, columns"):
        list(read_json(Mood, "[]", names=wrong))
    with pytest.raises(ProgrammingError, match="no path"):
        list(read_json(Mood, "[]", path="items"))
    with pytest.raises(ProgrammingError, match="several models"):
        write_json([Mood("a"), Song("b")])
    song = Song("a")
    song.singer = Singer("b")
    song.singer.songs = [song]
    with pytest.raises(ProgrammingError, match="lies within itself"):
        write_json(song)


def test_random_text_is_read_or_refused() -> None:
    pieces = ["{", "}", "[", "]", ",", ":", '"', "\\", '"title"', '"singer"', '"moods"', "1", "null", "true", "\0", "é"]
    chance = random.Random(4711)
    for _ in range(1_500):
        text = "".join(chance.choices(pieces, k=chance.randrange(30)))
        for lines in (False, True):
            try:
                list(read_json(Song, text, lines=lines))
            except DataError as error:
                assert error.message.startswith("$")


class Paper(Model):
    maybe: Column[dict[str, Any] | None] = column(default=None)
    always: Column[Json] = column(default=None)
    id: Column[int | None] = column(primary_key=True, default=None)


def test_the_null_of_json_is_no_null(path: Path) -> None:
    with Database(path) as db:
        db.create_tables(Paper)
        db.insert_many([Paper(), Paper(JSON_NULL, JSON_NULL), Paper({"a": None}, [None])])
        rows = [(None, "null"), ("null", "null"), ('{"a":null}', "[null]")]
        papers = db.fetch_all(Paper, order_by="id")
        assert [(paper.maybe, paper.always) for paper in papers] == [
            (None, None),
            (JSON_NULL, None),
            ({"a": None}, [None]),
        ]
        db.save_many(papers)
        assert db.query("SELECT maybe, always FROM paper ORDER BY id").fetch_all() == rows
        for condition, ids in (
            (Paper.maybe.is_null(), [1]),
            (Paper.maybe == None, [1]),  # noqa: E711
            (Paper.maybe.is_(None), [1]),
            (Paper.maybe.in_([None]), [1]),
            (Paper.maybe == JSON_NULL, [2]),
            (Paper.maybe != JSON_NULL, [3]),
            (Paper.maybe.in_([None, JSON_NULL]), [1, 2]),
            (Paper.always == None, [1, 2]),  # noqa: E711
            (Paper.always.is_null(), []),
        ):
            assert [paper.id for paper in db.fetch_all(Paper.where(condition).order_by(Paper.id))] == ids
        assert db.fetch_one(Paper, maybe=JSON_NULL) == papers[1]
        assert db.find(Paper, 2) == papers[1]
    assert not JSON_NULL
    assert pickle.loads(pickle.dumps(papers)) == copy.deepcopy(papers) == papers


def test_none_is_a_default_where_it_is_the_null_of_json() -> None:
    assert list(read_json(Paper, '[{}, {"maybe": null, "always": null}, {"always": 5}]')) == [
        Paper(),
        Paper(),
        Paper(None, 5),
    ]


class Shade(Enum):
    LIGHT = "l"
    DARK = "d"


class Paint(Model):
    name: Column[str]
    shade: Column[Shade] = column(default=Shade.DARK)
    mixed: Column[date] = column(default=date(2020, 1, 1))
    id: Column[int] = key()


def test_what_a_document_lacks_gets_its_default_where_a_transform_has_no_value_for_nothing() -> None:
    [first, second] = read_json(Paint, '[{"name": "a"}, {"name": "b", "shade": "l", "mixed": "2021-01-01"}]')
    assert (first.shade, first.mixed) == (Shade.DARK, date(2020, 1, 1))
    assert (second.shade, second.mixed) == (Shade.LIGHT, date(2021, 1, 1))


def test_no_value_of_a_document_is_in_a_message(db: Database) -> None:
    class Member(Model):
        id: Column[str] = column(primary_key=True)
        name: Column[str] = column(transform=Transform(encode=str, decode=_unshout))

    class Choice(Model):
        id: Column[str] = column(primary_key=True)
        side: Column[Side]

    class Boat(Model, discriminator="kind"):
        id: Column[str] = column(primary_key=True)
        kind: Column[str] = column(init=False)

    class Sail(Boat, discriminator_value="sail"):
        masts: Column[int]

    db.create_tables(Boat)
    cases: list[tuple[Any, str, str]] = [
        (Member, '"name": "zzz"', "$[0].name: member.name cannot be decoded: it is not shouted"),
        (Choice, '"side": "zzz"', "$[0].side: choice.side: the value is no Side"),
        (Boat, '"kind": "zzz"', "$[0].kind: boat.kind holds a value that no class derived from Boat has"),
        (Boat, '"kind": "sail"', "$[0].masts: boat.masts holds NULL, which it cannot"),
    ]
    for model, text, message in cases:
        calls: list[Any] = [lambda text, model=model: list(read_json(model, text))]
        if model is Boat:
            calls.append(lambda text: db.import_json(Boat, text))
        for call in calls:
            with pytest.raises(DataError) as caught:
                call('[{"id": "ada@x.org", ' + text + "}]")
            error = caught.value
            assert error.message == error.args[0] == message
            assert "ada" not in str(error)
            assert "zzz" not in str(error)
            assert error.__cause__ is not error
            assert (model is Member) == (str(error.__cause__) == "it is not shouted")
