"""Records in batches of Python objects, and their keys; the scenarios say what becomes of each."""

from __future__ import annotations

from collections import UserList
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from models import Department, Entry, Person

import cormorant
from cormorant import Column, Database, Error, Model, column, key


def test_a_batch_of_many_parts(db: Database) -> None:
    people = [Person(f"n{i}", i) for i in range(25_000)]
    statements: list[str] = []
    db.set_trace(lambda sql, _: statements.append(sql))
    assert db.insert_many(people) == 25_000
    db.set_trace(None)
    assert sum(sql.startswith("COMMIT") for sql in statements) == 1
    assert [p.id for p in people] == list(range(1, 25_001))
    for person in people:
        person.age += 1
    assert db.update_many(people, "age") == 25_000
    assert db.query("SELECT sum(age) FROM people").fetch_one() == (sum(range(1, 25_001)),)
    assert db.delete_many(iter(people[:20_000])) == 20_000
    assert db.count(Person) == 5_000


@pytest.mark.parametrize("bad", [0, 7_000, 17_000, 24_999])
def test_nothing_stays_of_a_batch_whose_record_fails(db: Database, bad: int) -> None:
    people = [Person(f"n{i}", -1 if i == bad else 1) for i in range(25_000)]
    with pytest.raises(cormorant.CheckViolation) as caught:
        db.insert_many(people)
    assert caught.value.record_index == bad
    assert db.count(Person) == 0
    assert {p.id for p in people} == {None}
    assert db.transaction_depth == 0


def test_a_batch_may_come_from_a_generator_that_fails(db: Database) -> None:
    def people() -> Iterator[Person]:
        for i in range(15_000):
            yield Person(f"n{i}")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        db.insert_many(people())
    assert db.count(Person) == 0


def test_a_batch_is_of_one_model(db: Database) -> None:
    assert db.insert_many([]) == 0
    with pytest.raises(cormorant.ProgrammingError, match="Department, Person"):
        db.insert_many([Person("a"), Department("b")])
    with pytest.raises(cormorant.ProgrammingError, match="int is no record"):
        db.insert_many([1, 2])  # type: ignore[list-item]


def test_a_batch_of_one_names_its_record(db: Database) -> None:
    with pytest.raises(cormorant.CheckViolation) as caught:
        db.insert_many([Person("a", -1)])
    assert caught.value.record_index == 0
    with pytest.raises(cormorant.CheckViolation) as caught:
        db.insert(Person("a", -1))
    assert caught.value.record_index == -1


class Points(int):
    """A number of a type of its own."""


def test_one_record_with_values_of_other_types_is_written_all_the_same(db: Database) -> None:
    for age in (1, Points(2), 3):
        person = Person("Ann", age, department=None)
        assert db.insert(person)
        assert db.find(Person, person.id) == person
        for write in (db.update, lambda it: db.update(it, "age"), db.save):
            person.age = type(age)(person.age + 10)
            write(person)
            assert db.find(Person, person.id) == person
        person.id = type(age)(person.id or 0)
        assert db.delete(person)
        assert not db.delete(person)
    db.save(person)
    assert db.fetch_all(Person) == [person]


def test_an_update_of_some_properties_looks_at_no_other(db: Database) -> None:
    person = Person("Ann", 1).insert(db)
    for age in (2, 3):
        changed = Person("Bea", age, id=person.id)
        del changed.name
        db.update(changed, "age")
        assert db.find(Person, person.id) == Person("Ann", age, id=person.id)
    db.update(changed, "age", "age")
    with pytest.raises(cormorant.ProgrammingError, match="agee"):
        db.update(changed, "agee")
    with pytest.raises(cormorant.DataError, match=r"Person\.name: it is not set"):
        db.update(changed)


def test_a_list_of_properties_to_update(db: Database) -> None:
    person = Person("Ann", 1).insert(db)
    lists: list[list[str | Column[Any]] | tuple[str, ...]] = [["age"], [Person.age], ("age",), ["age", "name"]]
    for age, properties in enumerate(lists * 2, 2):
        changed = Person("Bea" if len(properties) > 1 else "Cid", age, id=person.id)
        db.update(changed, properties)
        assert db.fetch_values("SELECT age FROM people") == [age]
        assert db.fetch_value("SELECT name FROM people") == ("Ann" if age < 5 else "Bea")
        changed.age += 100
        assert db.update_many([changed], properties) == 1
        assert db.fetch_values("SELECT age FROM people") == [age + 100]
    before = db.find(Person, person.id)
    nobody = Person("Eve", 99, id=77)
    empty: list[list[str] | tuple[str, ...]] = [[], ()]
    for nothing in empty:
        db.update(nobody, nothing)
        nobody.update(db, nothing)
        assert db.update_many([nobody], nothing) == 0
    assert db.fetch_all(Person) == [before]
    with pytest.raises(cormorant.ProgrammingError, match="agee"):
        db.update(person, ["agee"])
    with pytest.raises(cormorant.ProgrammingError, match="list is no property"):
        db.update(person, ["age"], ["name"])  # more than one list is none


def test_properties_to_update_are_given_in_many_forms(db: Database) -> None:
    person = Person("Ann", 1).insert(db)
    one: list[Any] = ["age", Person.age, ["age"], ("age",), [Person.age], UserList(["age"]), ["age", "age"]]
    two: list[Any] = [["age", "name"], ("name", "age"), UserList([Person.name, "age"])]
    pairs: list[tuple[Any, ...]] = [("age", "name"), (Person.name, "age"), (Person.name, Person.age)]
    forms = [(False, (form,)) for form in one] + [(True, (form,)) for form in two] + [(True, form) for form in pairs]
    # Each again, when it and all others are known.
    for age, (writes_name, properties) in enumerate(forms * 3, 2):
        name = f"Bea {age}"
        row = db.find(Person, person.id)
        assert row
        db.update(Person(name, age, id=person.id), *properties)
        assert db.find(Person, person.id) == Person(name if writes_name else row.name, age, id=person.id)
        with pytest.raises(cormorant.NoRecordError) as caught:
            db.update(Person(name, id=77), *properties)
        assert caught.value.__context__ is None


def test_what_is_no_property_is_told_whatever_is_known(db: Database) -> None:
    person = Person("Ann", 1).insert(db)
    for _ in range(3):
        known: list[tuple[Any, ...]] = [("age",), (["age"],), ("age", "name"), (("age", "name"),)]
        for properties in known:
            db.update(person, *properties)
        wrong: list[tuple[tuple[Any, ...], str]] = [
            (({"age"},), "set is no property"),
            (({"age": 1},), "dict is no property"),
            ((None,), "NoneType is no property"),
            (([["age"]],), "list is no property"),
            (((("age", "name"),),), "tuple is no property"),
            ((["age"], "name"), "list is no property"),
            (("age", ["name"]), "list is no property"),
            (("age", ("name",)), "tuple is no property"),
            ((("age",), ("name",)), "tuple is no property"),
        ]
        for properties, told in wrong:
            with pytest.raises(cormorant.ProgrammingError, match=told):
                db.update(person, *properties)


def test_a_record_that_cannot_be_written_says_why_each_time(db: Database) -> None:
    for _ in range(2):
        for bad, code in ((2**63, "CORM_E_RANGE"), ("old", "CORM_E_TYPE"), (object(), "CORM_E_TYPE"), (-1, None)):
            person = Person("Ann", bad)  # type: ignore[arg-type]
            for write in (db.insert, db.save):
                with pytest.raises(cormorant.DatabaseError) as caught:
                    write(person)
                assert caught.value.code == code or isinstance(caught.value, cormorant.CheckViolation)
                assert person.id is None
        with pytest.raises(cormorant.DataError, match="name"):
            db.insert(Person("\ud800"))
        with pytest.raises(cormorant.NoRecordError):
            db.update(Person("Ann", id=7))
    db.close()
    with pytest.raises(cormorant.ProgrammingError, match="is closed"):
        db.insert(Person("Ann"))


def test_an_interrupt_inside_a_write_ends_the_program(db: Database) -> None:
    @db.register_function
    def stop() -> int:
        raise KeyboardInterrupt

    db.execute("CREATE TEMP TRIGGER stop AFTER INSERT ON people BEGIN SELECT stop(); END")
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            db.insert(Person("Ann"))
    assert db.count(Person) == 0


def test_a_hidden_key(db: Database) -> None:
    entry = Entry("first").insert(db)
    assert vars(entry) == {"text": "first"}
    assert db.last_insert_id == 1
    assert db.find(Entry, 1) == entry
    for call in (entry.save, entry.update, entry.delete, entry.refresh):
        with pytest.raises(cormorant.ProgrammingError):
            call(db)


def test_keys_of_other_types(db: Database) -> None:
    class Code(Model):
        code: Column[str] = column(primary_key=True)

    db.create_tables(Code)
    Code("a").insert(db)
    assert db.find(Code, "a") == Code("a")
    assert db.max_key(Code) == "a"
    with pytest.raises(cormorant.DataError):
        db.find(Person, "one")
    with pytest.raises(cormorant.DataError):
        db.find(Person, object())
    with pytest.raises(cormorant.DataError) as caught:
        db.find(Person, 2**63)
    assert caught.value.code == "CORM_E_RANGE"


class Tag(Model, unique=[("kind", "name")]):
    name: Column[str]
    kind: Column[str | None] = column(default=None)
    uses: Column[int] = column(default=0)
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)


def test_properties_are_given_as_columns(db: Database) -> None:
    db.create_tables(Tag)
    tag = Tag("soul", "music").insert(db)
    tag.uses, tag.name = 3, "rock"
    db.update(tag, Tag.uses)
    found = db.find(Tag, 1)
    assert found is not None
    assert (found.uses, found.name) == (3, "soul")
    tag.update(db, Tag.name, "uses")
    assert db.find(Tag, 1) == tag
    assert db.update_many([tag], Tag.kind) == 1
    same = Tag("rock", "music", 9)
    db.upsert(same, on=[Tag.name, Tag.kind], keep=Tag.uses)
    assert (same.id, same.uses) == (1, 3)
    assert db.upsert_many((Tag(f"n{i}", "x") for i in range(4_100)), on=("kind", Tag.name)) == 4_100
    suffixed = Tag.suffixed("two")
    db.create_tables(suffixed)
    other = suffixed("soul").insert(db)
    db.update(other, Tag.uses, suffixed.name)
    with pytest.raises(cormorant.ProgrammingError, match="is no column of Tag"):
        db.update(tag, Person.age)
    with pytest.raises(cormorant.ProgrammingError, match="int is no property of Tag"):
        db.upsert(tag, on=3)  # type: ignore[arg-type]


def test_what_is_there_is_given_back(db: Database) -> None:
    db.create_tables(Tag)
    first, created = db.get_or_create(Tag("soul", "music", 1), on=(Tag.kind, Tag.name))
    assert created
    again = Tag("soul", "music", 2)
    found, created = db.get_or_create(again, on=(Tag.kind, Tag.name))
    assert found is again
    assert found == first
    assert not created
    # A key that was made in a transaction is taken back with it, one that was read as well.
    with pytest.raises(RuntimeError), db.transaction():
        new, _ = db.get_or_create(Tag("jazz"))
        raise RuntimeError
    assert new.id is None


def test_of_many_what_is_there_is_given_back(db: Database) -> None:
    db.create_tables(Tag)
    db.insert(Tag("soul", "music", 1))
    tags = [Tag("jazz", "music", 2), Tag("soul", "music", 3), Tag("jazz", "music", 4)]
    assert db.get_or_create_many(tags, on=(Tag.kind, Tag.name)) == 1
    assert [(tag.id, tag.uses) for tag in tags] == [(2, 2), (1, 1), (2, 2)]
    more = [Tag(f"n{number}", "x") for number in range(4_100)]
    assert db.get_or_create_many(iter(more), on=("kind", Tag.name)) == 4_100
    assert db.get_or_create_many(more, on=("kind", Tag.name)) == 0


def test_of_threads_that_ask_at_once_one_inserts(db: Database) -> None:
    db.create_tables(Tag)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: db.get_or_create(Tag("soul", "x"), on=(Tag.kind, Tag.name)), range(64)))
    assert sum(created for _, created in answers) == 1
    assert {tag.id for tag, _ in answers} == {1}


class Account(Model):
    name: Column[str]
    balance: Column[int] = column(default=0)
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    version: Column[int] = column(version=True, default=0, kw_only=True)


@pytest.mark.parametrize("between", [0, 20_000])
def test_a_record_without_a_key_is_saved_once_in_a_batch(db: Database, between: int) -> None:
    new = Person("new", 1)
    others = [Person("x", 1) for _ in range(between)]
    with pytest.raises(cormorant.ProgrammingError, match=f"record {between + 1} of the batch, which has no key yet"):
        db.save_many([new, *others, new])
    assert db.count(Person) == 0
    assert new.id is None
    db.save_many([new])
    assert db.save_many([new, new]) == 2
    assert db.count(Person) == 1


def test_a_record_is_of_its_rows_version(db: Database) -> None:
    db.create_tables(Account)
    first, second = Account("first").insert(db), Account("second").insert(db)
    stale = db.find(Account, 1)
    assert stale is not None
    assert (first.version, stale.version) == (1, 1)
    first.balance = 5
    db.update(first, Account.balance)
    db.save(first)
    assert first.version == 3
    for write in (db.update, db.save, db.delete):
        with pytest.raises(cormorant.StaleRecordError, match='the row of "account" was written') as caught:
            write(stale)
        assert (caught.value.table, caught.value.columns) == ("account", ("id",))
    for write_many in (db.update_many, db.save_many, db.delete_many):
        with pytest.raises(cormorant.StaleRecordError) as caught:
            write_many([second, stale])
        assert caught.value.record_index == 1
    for write_many in (db.update_many, db.save_many):
        with pytest.raises(cormorant.ProgrammingError, match="record 2 of the batch is record 0 again"):
            write_many([second, first, second])
    assert (second.version, stale.version) == (1, 1)
    with pytest.raises(RuntimeError), db.transaction():
        db.update(second)
        db.update_many([second, first])
        db.upsert(second)
        assert (second.version, first.version) == (4, 4)
        raise RuntimeError
    assert (second.version, first.version) == (1, 3)
    db.refresh(stale)
    assert stale == first
    assert db.delete(stale)
    assert not db.delete(first)
    with pytest.raises(cormorant.NoRecordError):
        db.update(first)
    with pytest.raises(cormorant.ProgrammingError, match="is the version and cannot be updated"):
        db.update(second, Account.version)


def test_integers_that_a_float_cannot_hold_are_refused(db: Database) -> None:
    class Sample(Model):
        id: Column[int] = key()
        single: Column[float | None] = column(default=None, type="float")
        double: Column[float | None] = column(default=None)

    db.sync(Sample)
    for name, most in (("single", 2**24), ("double", 2**53)):
        for value in (most, -most, most + 2):
            assert getattr(Sample(**{name: value}).insert(db), name) == value
            assert db.import_json(Sample, f'[{{"{name}": {value}}}]') == 1
        with pytest.raises(Error) as refused:
            Sample(**{name: most + 1}).insert(db)
        assert refused.value.code == "CORM_E_RANGE"
        with pytest.raises(Error) as refused:
            db.import_json(Sample, f'[{{"{name}": {most + 1}}}]')
        assert refused.value.code == "CORM_E_RANGE"
    assert db.count(Sample) == 12
