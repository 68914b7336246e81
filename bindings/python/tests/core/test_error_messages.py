"""What errors say: common mistakes, each with what its message did not say once."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from models import Person
from music import Album, Artist, Employee

import cormorant
from cormorant import AsyncDatabase, Column, Database, Error, Model, ProgrammingError, Transform, column, insert, select


class Shade(Model):
    color: Column[Any] = column(type="text", transform=Transform(lambda color: color.value, str))


class Own(Database):
    @property
    def commit(self) -> Any:
        nothing: Any = None
        return nothing.name


def own_commit() -> object:
    with Own(":memory:") as db:
        return db.commit


def of_the_same_name() -> Any:
    class Artist(Model, table="other_artists"):
        id: Column[int | None] = column(primary_key=True, default=None)
        name: Column[str] = column(default="")

    return Artist


Mistake = Callable[[Any], object]
# Type checkers would refuse most of these.
any_artist: Any = Artist
any_album: Any = Album
any_record: Any = Artist("x")
any_person: Any = Person
any_column: Any = Column
any_async: Any = AsyncDatabase
MISTAKES: dict[str, tuple[Mistake, str]] = {
    "a record in a select": (lambda db: select(any_record), r"record of Artist stands where .*class, Artist"),
    "a record beside a model": (lambda db: select(any_artist, any_record), r"a value is of type .*select columns"),
    "a relation compared with another model's record": (
        lambda db: any_album.artist == Album("x", 1), r"Album\.artist> is compared with a record of Album.* of Artist"
    ),
    "a relation compared with a record that has no key": (
        lambda db: db.fetch_all(any_album.where(any_album.artist == Artist("x"))), r"Artist has no id yet.*insert it"
    ),
    "`is None` on a column": (lambda db: any_album.where(any_album.id is None), r"is_null\(\) instead of `is None`"),
    "a text as a condition": (lambda db: any_album.where("title='x'"), r"type str is no condition \(.*raw\("),
    "columns as the order of attributes": (
        lambda db: db.fetch_all(Album, order_by=any_album.title), r"order_by is given .*select\(Album\)\.order_by"
    ),
    "SQLAlchemy's name of has_prefix": (
        lambda db: any_album.title.startswith("x"), r"no attribute 'startswith'; it has has_prefix\(\)"
    ),
    "a date as a number": (lambda db: any_album.year + date(2026, 1, 1), r"is no number \(compare it; times are"),
    "`in` of Python": (lambda db: any_album.where(any_album.id in [1, 2]), r"column\.in_\(values\) instead of `in`"),
    "`not` of Python": (lambda db: any_album.where(not any_album.id), r"negate them with ~"),
    "an attribute of many": (lambda db: any_artist.albums.title, r"Artist\.albums> leads to many .*'title'.*any\("),
    "load of another's relation": (
        lambda db: db.load(Artist("x"), Album.artist), r"Album\.artist> is between other records.* Artist .*has Album"
    ),
    "two classes of one name": (
        lambda db: db.load(of_the_same_name()(), Artist.albums), r"of_the_same_name.*Artist where.*two classes have"
    ),
    "insert of a class": (lambda db: db.insert(any_album), r"a class stands where a record is wanted \(make a record"),
    "update of a class": (lambda db: db.update(any_album), r"a class stands where a record is wanted"),
    "records that are texts": (lambda db: db.insert_many(["a", "b"]), r"str is no record \(make records of a model"),
    "a find in a record": (lambda db: db.find(any_record, 1), r"record of Artist stands where .*class, Artist"),
    "a count of a record": (lambda db: db.count(any_record), r"record of Artist stands where .*class, Artist"),
    "a fetch of a record": (lambda db: db.fetch_all(any_record), r"record of Artist stands where .*class, Artist"),
    "a find in no model": (lambda db: db.find(str, 1), r"str is no model \(derive it"),
    "one value for bindings": (lambda db: db.query("SELECT ?", 5), r"bindings are one int \(write \(value,\)"),
    "a value that SQL has not": (
        lambda db: any_person.where(any_person.age == object()), r"type object, which SQL has not \(give None"
    ),
    "a record for a value": (
        lambda db: any_album.where(any_album.artist_id == Artist("x")), r"type music\.Artist, .*artist_id == artist\.id"
    ),
    "a list for a value": (lambda db: any_person.where(any_person.age == [1]), r"type list, .*in_\(values\)"),
    "a record for a foreign key": (
        lambda db: db.insert(Album("x", any_record)), r"type music\.Artist, .*\(give its id, or set the relation\)"
    ),
    "insert of a list": (lambda db: db.insert([any_record]), r"list is no record \(.*insert_many\(records\)"),
    "delete of a query": (
        lambda db: db.delete(any_album.where(any_album.id == 1)), r"Select is no record \(.*execute\(delete\(Model\)"
    ),
    "find by a query": (lambda db: db.find(any_album.where(any_album.id == 1)), r"is no model \(.*fetch_one\(query\)"),
    "insert of a database": (lambda db: db.insert(db), r"Database is no record \(make records of a model"),
    "find in a database": (lambda db: db.find(db, 1), r"is no model \(give a class derived from Model\)"),
    "a property of one's own database": (lambda _: own_commit(), r"^'NoneType' object has no attribute 'name'$"),
    "SQLAlchemy's add": (lambda db: db.add(any_record), r"^Database has no 'add': insert\(record\) or save\(record\)$"),
    "sqlite3's commit": (lambda db: db.commit(), r"Database has no 'commit': .*block of transaction\(\)"),
    "sqlite3's begin": (lambda db: db.begin(), r"^Database has no 'begin': a block of transaction\(\)$"),
    "add of a task": (lambda db: any_async(db).add(any_record), r"^AsyncDatabase has no 'add': insert\(record\)"),
    "Django's all": (lambda db: any_album.where().all(), r"Select has no 'all': fetch_all\(query\) of the database"),
    "Django's filter": (lambda db: any_album.where().filter(), r"Select has no 'filter': where\(\)$"),
    "a column of SQLAlchemy": (
        lambda db: any_column(int, primary_key=True), r"made by hand \(write id: Column\[int\] = key\(\)"
    ),
    "an enum that is a text": (
        lambda db: db.insert(Shade("red")), r"Shade\.color cannot be encoded: AttributeError.*transform takes"
    ),
    "find of None": (lambda db: db.find(Person, None), r"a key of Person is None"),
    "a second set of one property": (
        lambda db: db.execute(insert(Person).values(age=1).values(age=2)), r"Person\.age is set twice"
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line_with_what_to_do(db: Database, mistake: str) -> None:
    make, message = MISTAKES[mistake]
    with pytest.raises((Error, AttributeError), match=message) as caught:
        make(db)
    assert "\n" not in str(caught.value)


def test_a_query_holds_no_rows(db: Database) -> None:
    query: Any = Album.where()
    for read in (list, lambda query: query[:5], lambda query: 1 in query, lambda query: query.__len__()):
        with pytest.raises((TypeError, AttributeError), match=r"fetch_all\(query\)|count\(query\)"):
            read(query)


def test_nan_is_told_what_its_column_allows(db: Database) -> None:
    class Measured(Model):
        must: Column[float]
        may: Column[float | None] = column(default=None)

    db.create_tables(Measured)
    with pytest.raises(Error, match=r"Measured\.must is NaN.*\(make it nullable and give NULL where a number is"):
        db.insert(Measured(float("nan")))
    with pytest.raises(Error, match=r"Measured\.may is NaN.* stored \(give NULL where a number is missing\)$"):
        db.insert(Measured(1.0, float("nan")))
    with pytest.raises(Error, match=r"record 1: Measured\.may is NaN.* stored \(give NULL where a number is"):
        db.insert_many([Measured(1.0), Measured(1.0, float("nan"))])


def test_what_is_closed_is_named(db: Database) -> None:
    """Mended: the database handle is closed, freed or of another kind"""
    other = Database(":memory:")
    queue = other.queue()
    other.find(Employee, 1) if other.table_exists(Employee) else None
    other.create_tables(Employee)
    other.find(Employee, 1)
    queue.close()
    with pytest.raises(ProgrammingError, match=r"^the queue of the database ':memory:' is closed"):
        queue.add(lambda db: None)
    other.close()
    calls: list[Mistake] = [
        lambda db: db.execute("SELECT 1"), lambda db: db.find(Employee, 1), lambda db: db.find(Employee, "x"),
        lambda db: db.insert(Employee("x")), lambda db: db.fetch_all(Employee), lambda db: db.query("SELECT 1"),
        lambda db: db.count(Employee), lambda db: db.store("s"), lambda db: db.observe(Employee),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(
            ProgrammingError, match=r"^the database ':memory:' is closed \(open another one\)$"
        ) as caught:
            call(other)
        assert caught.value.code == "CORM_E_MISUSE"


def test_an_error_of_a_batch_says_which_record(db: Database) -> None:
    people = [Person("Ann", born="x"), Person("Bob", born="x"), Person("Ann", born="x")]
    with pytest.raises(cormorant.UniqueViolation, match=r"^record 2: ") as caught:
        db.insert_many(people)
    assert caught.value.record_index == 2


def test_errors_come_back_from_other_processes(db: Database) -> None:
    with pytest.raises(Error) as caught:
        db.insert_many([Person("Ann", age=-1)])
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value)
    assert (str(again), vars(again)) == (str(caught.value), vars(caught.value))
    for kind in vars(cormorant).values():
        if isinstance(kind, type) and issubclass(kind, Error):
            made = kind("m", hint="h", table="t", record_index=3)
            assert vars(pickle.loads(pickle.dumps(made))) == vars(made)
    with multiprocessing.get_context("spawn").Pool(1) as pool, pytest.raises(cormorant.NoRecordError, match="no row"):
        pool.apply(fail_elsewhere)


def fail_elsewhere() -> None:
    with Database(":memory:") as db:
        db.create_tables(Employee)
        db.update(Employee("x", id=5))
