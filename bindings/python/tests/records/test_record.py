"""Records in batches of Python objects, and their keys; the scenarios say what becomes of each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from models import Department, Entry, Person

import cormorant
from cormorant import Column, Database, Model, column


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
    with pytest.raises(cormorant.DataError, match="no attribute 'name'"):
        db.update(changed)


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
