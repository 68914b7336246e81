"""Subqueries and common tables as objects, and table-valued functions."""

from __future__ import annotations

import copy
import pickle
import threading
import uuid
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from music import MODELS, Album, Artist, Employee, Track

from cormorant import (
    Column,
    Database,
    Model,
    ProgrammingError,
    alias,
    column,
    exists,
    func,
    insert,
    json_each,
    json_tree,
    key,
    literal,
    param,
    raw,
    scalar,
    select,
    table_function,
    update,
)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(*MODELS)
        database.insert_many([Artist("Ada"), Artist("Bix"), Artist("Cab")])
        database.insert_many([Album("One", 1, 1999), Album("Two", 1, 2005), Album("Three", 2, 2010)])
        database.insert_many([Track("a", 1, 100), Track("b", 1, 200), Track("c", 3, 300)])
        database.insert_many([Employee("Eva"), Employee("Fay", 1), Employee("Gus", 1), Employee("Hal", 2)])
        yield database


ALBUMS = select(Album.artist_id, func.count().label("n"), func.max(Album.year).label("newest")).group_by(
    Album.artist_id
)


def test_a_subquery_is_read_through_its_columns(db: Database) -> None:
    t = ALBUMS.subquery("t")
    assert db.fetch_all(select(t.c.artist_id, t.c.n).where(t.c.n > 1)) == [(1, 2)]
    joined = select(Artist.name, t.c.newest).join(t, t.c.artist_id == Artist.id).order_by(Artist.name)
    assert db.fetch_all(joined) == [("Ada", 2005), ("Bix", 2010)]
    everyone = select(Artist.name, t.c.n.optional()).join(t, t.c.artist_id == Artist.id, left=True)
    assert ("Cab", None) in db.fetch_all(everyone)
    assert db.fetch_all(select(*t.c).order_by("-n")) == [(1, 2, 2005), (2, 1, 2010)]
    assert db.count(select(t.c.n)) == 2


def test_the_best_of_each_group(db: Database) -> None:
    rank = func.row_number().over(partition_by=Album.artist_id, order_by=Album.year.desc())
    t = select(Album.title, rank.label("rank")).subquery("t")
    assert db.fetch_all(select(t.c.title).where(t.c.rank == 1).order_by(t.c.title)) == [("Three",), ("Two",)]
    assert db.fetch_all(select(t.c[Album.title]).where(t.c[rank] == 2)) == [("One",)]
    latest = select(Album.id.label("key"), rank.label("rank")).subquery("latest")
    query = select(Album, Artist).join(Album.artist).join(latest, (latest.c.key == Album.id) & (latest.c.rank == 1))
    assert [(album.title, artist.name) for album, artist in db.fetch_all(query)] == [("Two", "Ada"), ("Three", "Bix")]


def test_a_common_table_brings_its_with_once(db: Database) -> None:
    a = ALBUMS.cte("a")
    query = select(a.c.artist_id).where(a.c.n > scalar(select(func.avg(a.c.n))))
    assert query.sql[0] == (
        'WITH "a" AS (SELECT "artist_id", count(*) AS "n", max("year") AS "newest" FROM "albums" GROUP BY "artist_id") '
        'SELECT "a"."artist_id" FROM "a" WHERE "a"."n" > (SELECT avg("a_2"."n") FROM "a" AS "a_2")'
    )
    assert db.fetch_all(query) == [(1,)]
    b = a.alias("b")
    pairs = select(a.c.artist_id, b.c.artist_id).join(b, a.c.n < b.c.n)
    assert pairs.sql[0].count("WITH") == 1
    assert db.fetch_all(pairs) == [(2, 1)]
    only_in_a_condition = Artist.where(Artist.id.in_(select(a.c.artist_id).where(a.c.n == 1)))
    assert [artist.name for artist in db.fetch_all(only_in_a_condition)] == ["Bix"]
    assert db.count(only_in_a_condition) == 1
    assert db.exists(only_in_a_condition)
    assert db.execute(update(Album).set(year=1).where(Album.artist_id.in_(select(a.c.artist_id)))) == 3


def test_common_tables_of_common_tables(db: Database) -> None:
    a = ALBUMS.cte("a")
    b = select(a.c.n.label("m")).where(a.c.n > 1).cte("b")
    c = select(b.c.m).join(a, a.c.n <= b.c.m).cte("c")
    query = select(c.c.m).union_all(select(a.c.n))
    assert sorted(db.fetch_values(query)) == [1, 2, 2, 2]
    assert query.sql[0].count(" AS (SELECT") == 3
    assert query.sql[0].count("WITH") == 1


def test_a_recursive_table(db: Database) -> None:
    line = select(Employee.id, Employee.name, literal(0).label("level")).where(Employee.id == 1).cte("line")
    line = line.union_all(
        select(Employee.id, Employee.name, line.c.level + 1).join(line, Employee.manager_id == line.c.id)
    )
    query = select(line.c.name, line.c.level).order_by(line.c.level, line.c.name)
    assert query.sql[0].startswith('WITH RECURSIVE "line" AS (SELECT')
    assert db.fetch_all(query) == [("Eva", 0), ("Fay", 1), ("Gus", 1), ("Hal", 2)]
    numbers = select(literal(1).label("n")).cte("numbers")
    numbers = numbers.union_all(select(numbers.c.n + 1).where(numbers.c.n < param("last")))
    assert db.fetch_value(select(func.sum(numbers.c.n)), last=100) == 5050
    circle = select(literal(0).label("n")).cte("circle")
    circle = circle.union(select((circle.c.n + 1) % 3))
    assert sorted(db.fetch_values(select(circle.c.n))) == [0, 1, 2]


def test_correlated_subqueries(db: Database) -> None:
    t = ALBUMS.subquery("t")
    newest = select(Album.title).where((Album.artist_id == t.c.artist_id) & (Album.year == t.c.newest))
    assert db.fetch_all(select(t.c.artist_id, scalar(newest)).order_by("artist_id")) == [(1, "Two"), (2, "Three")]
    other = t.alias("other")
    better = select(t.c.artist_id).where(exists(select(other.c.n).where(other.c.n > t.c.n)))
    assert db.fetch_all(better) == [(2,)]


def test_wrong_names_say_what_is_near() -> None:
    t = ALBUMS.subquery("t")
    with pytest.raises(AttributeError, match=r"no column 'newst'.*did you mean 'newest'"):
        _ = t.c.newst
    with pytest.raises(ProgrammingError, match=r"no column 'x'.*it has artist_id, n, newest"):
        _ = t.c["x"]
    with pytest.raises(ProgrammingError, match="does not select"):
        _ = t.c[Album.title]
    assert not hasattr(t.c, "artist")
    assert dir(t.c) == ["artist_id", "n", "newest"]
    with pytest.raises(ProgrammingError, match="has no name in u"):
        _ = select(func.count()).subquery("u").c[func.count()]
    twice = select(Artist.name, Album.artist.name).subquery("twice")
    with pytest.raises(AttributeError, match="two columns 'name'"):
        _ = twice.c.name
    with pytest.raises(ProgrammingError, match="two columns 'name'"):
        _ = twice.c[Artist.name]
    cases = select(Artist.name.label("x"), Artist.id.label("X")).subquery("cases")
    with pytest.raises(AttributeError, match="two columns 'X'"):
        _ = cases.c.X
    for wrong in ("", 3):
        with pytest.raises(ProgrammingError, match="name of a subquery"):
            ALBUMS.subquery(wrong)  # type: ignore[arg-type]
    with pytest.raises(ProgrammingError, match="has a name already"):
        select(Artist.id).join(t, as_="other")


def test_a_subquery_is_no_query(db: Database) -> None:
    t: Any = ALBUMS.subquery("t")
    for wrong in (lambda: scalar(t), lambda: exists(t), lambda: Artist.id.in_(t), lambda: select(Artist.id).union(t)):
        with pytest.raises(ProgrammingError, match="stands where a query is wanted"):
            wrong()
    with pytest.raises(ProgrammingError, match="does not read from it"):
        _ = select(Artist.id).where(t.c.n == 1).sql
    with pytest.raises(ProgrammingError, match="does not read from it"):
        _ = select(Artist.id).join(t.alias("u"), t.c.n == 1).sql
    with pytest.raises(AttributeError):
        t.c.n = 3


def test_a_name_has_one_meaning_in_a_statement() -> None:
    t, other = ALBUMS.subquery("t"), select(Artist.id).subquery("T")
    with pytest.raises(ProgrammingError, match="two subqueries of a statement are called"):
        _ = select(t.c.n).where(exists(select(other.c.id).where(other.c.id == t.c.n))).sql
    a, b = ALBUMS.cte("a"), select(Artist.id).cte("a")
    with pytest.raises(ProgrammingError, match="two subqueries of a statement are called"):
        _ = select(a.c.n).join(b, b.c.id == a.c.n).sql
    with pytest.raises(ProgrammingError, match="is called 'Artists' as Artist"):
        hidden = ALBUMS.cte("Artists")
        _ = select(Artist.name).join(hidden, hidden.c.artist_id == Artist.id).sql
    boss = alias(Employee, "boss")
    bosses = select(Employee.id).subquery("boss")
    with pytest.raises(ProgrammingError, match="is called 'boss' as Employee"):
        _ = select(bosses.c.id).where(exists(select(boss.id).where(boss.id == bosses.c.id))).sql
    line = select(Employee.id).cte("line")
    one, two = line.union_all(select(line.c.id + 1)), line.union_all(select(line.c.id + 2))
    with pytest.raises(ProgrammingError, match="two common tables"):
        _ = select(one.c.id).join(two, one.c.id == two.c.id).sql


class Everything(Model):
    number: Column[int]
    real: Column[float]
    truth: Column[bool]
    text: Column[str]
    data: Column[bytes]
    moment: Column[datetime]
    day: Column[date]
    hour: Column[time]
    span: Column[timedelta]
    token: Column[uuid.UUID]
    money: Column[Decimal]
    tags: Column[list[str]] = column(json=True)
    nothing: Column[int | None] = column(name="no_thing", default=None)
    id: Column[int] = key()


def test_columns_keep_the_types_of_what_is_selected(path: Path) -> None:
    record = Everything(
        1, 0.5, True, "x", b"\0", datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=timezone.utc), date(2024, 1, 2), time(3, 4),
        timedelta(seconds=5), uuid.UUID(int=7), Decimal("1.10"), ["a", "b"],
    )  # fmt: skip
    with Database(path) as db:
        db.create_tables(Everything)
        db.insert(record)
        direct = db.fetch_one(select(*Everything.__model__.columns))
        for made in (select(Everything).subquery("t"), select(Everything).cte("t")):
            assert db.fetch_one(select(*made.c)) == direct
            for item in Everything.__model__.columns:
                value = getattr(record, item.name)
                query = select(made.c[item.name]).where(made.c[item.name].is_(value))
                if item.name != "tags":
                    assert db.fetch_all(query) == [(value,)], item.name
            assert db.fetch_value(select(made.c.money + Decimal("0.05"))) == Decimal("1.15")
            assert db.fetch_all(select(made.c.money).where(made.c.money == Decimal("1.1"))) == [(Decimal("1.10"),)]
            assert db.fetch_all(select(made.c.day).where(made.c.day.in_([date(2024, 1, 2)]))) == [(date(2024, 1, 2),)]
            assert db.fetch_value(select(func.max(made.c.moment))) == record.moment
            labelled = select(made.c.tags.label("all"), made.c.nothing).subquery("u")
            assert db.fetch_one(select(labelled.c.all, labelled.c.nothing)) == (["a", "b"], None)


def test_copies_pickles_and_threads(db: Database) -> None:
    t = ALBUMS.cte("t")
    assert copy.copy(t) is t
    assert copy.deepcopy(t) is t
    assert copy.deepcopy([t])[0] is t
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(t)
    query = select(t.c.artist_id).where(t.c.n > 1)
    found: list[Any] = []

    def run() -> None:
        found.append(db.fetch_all(select(t.c.artist_id).where(t.c.n > 1)))
        found.append(db.fetch_all(query))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[(1,)]] * 16


def test_values_of_raw_sql_are_no_columns(db: Database) -> None:
    # They stood where a node has its number, and a model was looked for behind it.
    assert db.fetch_one(select(raw("? + ? + ?", 1, 2, 3), Artist.id).where(Artist.id == 1)) == (6, 1)
    assert db.fetch_one(select(raw("?", 2))) == (2,)


def test_hostile_names(db: Database) -> None:
    for hostile in ('a"b', "select", "Ünï", "a.b", "'; --", " "):
        t = select(Artist.id, Artist.name.label(hostile)).cte(hostile)
        assert db.fetch_values(select(t.c[hostile]).where(t.c.id == 1)) == ["Ada"]
    with pytest.raises(Exception, match="NUL"):
        select(Artist.id).cte("a\0b")
    with pytest.raises(Exception, match="Unicode"):
        select(Artist.id).cte("\ud800")


def test_many_levels_are_written_once(db: Database) -> None:
    table: Any = ALBUMS.cte("t0")
    for number in range(1, 40):
        other = table.alias(f"o{number}")
        table = select(table.c.n).join(other, table.c.n == other.c.n).distinct().cte(f"t{number}")
    query = select(table.c.n)
    assert query.sql[0].count(" AS (SELECT") == 40


def test_elements_of_json(db: Database) -> None:
    each = json_each('["a", "b", 3]', name="e")
    assert db.fetch_all(select(each.c.key, each.c.value, each.c.type)) == [
        (0, "a", "text"),
        (1, "b", "text"),
        (2, 3, "integer"),
    ]
    titles = json_each(literal('{"x": ["One", "Two"]}'), "$.x")
    assert [item.title for item in db.fetch_all(Album.where(Album.title.in_(select(titles.c.value))))] == ["One", "Two"]
    words = json_each(func.json_array(Album.title, Album.year), name="word")
    query = select(Album.id, words.c.value).join(words).where(words.c.type == "integer").order_by(Album.id)
    assert db.fetch_all(query) == [(1, 1999), (2, 2005), (3, 2010)]
    other = each.alias("f")
    both = select(each.c.value, other.c.value).cross_join(other)
    assert db.count(both) == 9
    tree = json_tree('{"a": {"b": 1}}')
    assert db.fetch_values(select(tree.c.fullkey).where(tree.c.atom == 1)) == ["$.a.b"]
    with pytest.raises(AttributeError, match="did you mean 'value'"):
        _ = each.c.valu


def test_any_table_function_by_name(db: Database) -> None:
    info = table_function("pragma_table_info", "albums", columns=["name", "type"])
    assert ("title",) in db.fetch_all(select(info.c.name))
    with pytest.raises(ProgrammingError, match="cannot name a function"):
        _ = select(table_function("x(1); --", columns=["a"]).c.a).sql
    with pytest.raises(ProgrammingError, match="are a str"):
        table_function("x", columns="ab")
    with pytest.raises(ProgrammingError, match="does not read from"):
        _ = select(json_each(Album.title).c.value).sql


def test_right_and_full_joins(db: Database) -> None:
    db.insert(Album("Loose", 1, 2020))
    albums = select(Artist.name, Album.title).join(Album, Album.artist_id == Artist.id, right=True).order_by(Album.id)
    assert db.fetch_all(albums)[-1] == ("Ada", "Loose")
    full = select(Artist.name, Album.title.optional()).join(Album, Album.artist_id == Artist.id, full=True)
    assert ("Cab", None) in db.fetch_all(full)
    with pytest.raises(ProgrammingError, match="two kinds"):
        select(Artist.name).join(Album, Album.artist_id == Artist.id, left=True, right=True)


def test_an_update_reads_from_a_table(db: Database) -> None:
    t = ALBUMS.cte("t")
    change = update(Artist).from_(t).set(name=t.c.newest.cast(str)).where(t.c.artist_id == Artist.id)
    assert db.execute(change) == 2
    assert [artist.name for artist in db.fetch_all(Artist)] == ["2005", "2010", "Cab"]
    best = alias(Album, "best")
    change = update(Artist).from_(best).set(name=best.title).where((best.artist_id == Artist.id) & (best.year > 2006))
    assert db.fetch_all(change.returning(Artist.id, Artist.name)) == [(2, "Three")]
    with pytest.raises(ProgrammingError, match="reads from no other source"):
        _ = insert(Artist)._with((1, (None, None, "x", None))).sql


def test_expressions_of_columns_show_their_sql() -> None:
    t = ALBUMS.subquery("t")
    assert repr(t.c.n > 1) == '<Expression "t"."n" > ?>'
    assert repr(t) == "<Subquery t>"
    assert repr(t.c) == "<columns of t: artist_id, n, newest>"
