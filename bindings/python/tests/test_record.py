"""Records: insert, save, update, delete, refresh, find; one by one and in batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from models import Department, Entry, Note, Person
from test_model import make

import cormorant
from cormorant import Column, Database, Model, column, read_json


def test_insert_fills_the_key_and_find_finds(db: Database) -> None:
    ann = Person("Ann", 35)
    assert db.insert(ann) is True
    assert ann.id == 1 == db.last_insert_id
    assert db.find(Person, 1) == ann
    assert db.find(Person, 2) is None
    assert Person("Bob").insert(db).id == 2


class Rank(Model):
    id: Column[int] = column(primary_key=True)
    name: Column[str]


def test_the_key_0_is_a_key_like_any_other(db: Database) -> None:
    db.create_tables(Rank)
    assert Rank(0, "none").insert(db).id == 0
    found = db.find(Rank, 0)
    assert found is not None
    found.name = "nobody"
    db.save(found)
    assert found.id == 0
    assert Person("Ann", id=0).save(db).id == 0
    assert db.fetch_all(Rank) == [Rank(0, "nobody")]
    records = [Rank(0, "zero"), Rank(1, "one")]
    db.save_many(records)
    assert db.fetch_all(Rank) == records
    # A key that cannot be missing is the program's to give, in JSON too.
    with pytest.raises(cormorant.Error, match="missing"):
        list(read_json(Rank, '[{"name": "x"}]'))
    assert list(read_json(Rank, '[{"id": 0, "name": "x"}]')) == [Rank(0, "x")]


def test_what_the_database_makes_comes_back(db: Database) -> None:
    note = Note(text="four").insert(db)
    assert (note.id, note.state, note.size) == (1, "new", 4)
    note.text, note.state = "seven77", "old"
    note.update(db)
    assert note.size == 7
    notes = [Note(text="x" * n) for n in range(3)]
    db.insert_many(notes)
    assert [(item.id, item.state, item.size) for item in notes] == [(2, "new", 0), (3, "new", 1), (4, "new", 2)]
    note.text = "save"
    note.save(db)
    assert note.size == 4
    assert db.find(Note, 1) == note


def test_save_inserts_or_updates(db: Database) -> None:
    ann = Person("Ann").save(db)
    assert ann.id == 1
    ann.age = 36
    assert ann.save(db) is ann
    assert db.fetch_all(Person) == [Person("Ann", 36, id=1)]
    db.save_many([Person("Anna", id=1), Person("Bob")])
    assert [(p.id, p.name) for p in db.fetch_all(Person, order_by="id")] == [(1, "Anna"), (2, "Bob")]


def test_conflict_policies(db: Database) -> None:
    db.insert(Department("Sales", id=1))
    assert db.insert(Department("Sales"), conflict="ignore") is False
    with pytest.raises(cormorant.UniqueViolation):
        db.insert(Department("Sales"), conflict="fail")
    assert db.insert(Department("Sales", id=5), "replace") is True
    assert [d.id for d in db.fetch_all(Department)] == [5]
    assert db.insert_many([Department("Sales"), Department("Legal")], conflict="ignore") == 1
    with pytest.raises(cormorant.ProgrammingError, match="skip"):
        db.insert(Department("Sales"), "skip")  # type: ignore[arg-type]


def test_update_all_or_some_properties(db: Database) -> None:
    ann = Person("Ann", 35).insert(db)
    ann.name, ann.age = "Anna", 36
    ann.update(db, "age")
    assert db.find(Person, 1) == Person("Ann", 36, id=1)
    ann.update(db)
    assert db.find(Person, 1) == Person("Anna", 36, id=1)
    with pytest.raises(cormorant.NoRecordError) as caught:
        db.update(Person("Bob", id=9))
    assert caught.value.code == "CORM_E_NO_RECORD"
    with pytest.raises(cormorant.ProgrammingError, match="years"):
        ann.update(db, "years")


def test_delete_and_refresh(db: Database) -> None:
    ann = Person("Ann", 35).insert(db)
    db.execute("UPDATE people SET age = 40")
    assert ann.refresh(db).age == 40
    assert ann.delete(db) is True
    assert ann.delete(db) is False
    with pytest.raises(cormorant.NoRecordError):
        ann.refresh(db)
    db.insert_many([Person("a"), Person("b"), Person("c")])
    assert db.delete_key(Person, 1) is True
    assert db.delete_key(Person, 1) is False
    assert db.delete_many([Person("b", id=2), Person("z", id=99)]) == 1
    assert db.delete_all(Person) == 1
    assert db.count(Person) == 0


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


def test_views_are_written_by_their_triggers(db: Database) -> None:
    db.execute_script("""
        CREATE TABLE made (id INTEGER PRIMARY KEY, n INTEGER NOT NULL);
        CREATE VIEW shown AS SELECT id, n FROM made;
        CREATE TRIGGER add_one INSTEAD OF INSERT ON shown BEGIN INSERT INTO made VALUES (new.id, new.n); END;
        CREATE TRIGGER change_one INSTEAD OF UPDATE ON shown BEGIN UPDATE made SET n = new.n WHERE id = old.id; END;
        CREATE TRIGGER drop_one INSTEAD OF DELETE ON shown BEGIN DELETE FROM made WHERE id = old.id; END;
    """)
    cls: Any = make({"id": Column[int], "n": Column[int]}, {"id": column(primary_key=True)}, table="shown")
    assert db.insert(cls(1, 5)) is True
    assert db.insert_many([cls(2, 6), cls(3, 7)]) == 2
    db.update(cls(1, 8))
    db.update_many([cls(2, 9)])
    assert db.fetch_all(cls, order_by="id") == [cls(1, 8), cls(2, 9), cls(3, 7)]
    assert db.delete(cls(1, 8)) is True
    assert db.delete(cls(1, 8)) is False
    assert db.delete_many([cls(2, 9), cls(1, 8)]) == 1
    with pytest.raises(cormorant.NoRecordError):
        db.update(cls(1, 8))


def test_a_row_that_a_trigger_skips_is_not_told_to_be_saved(db: Database) -> None:
    db.create_tables(Person)
    db.execute("CREATE TRIGGER skip BEFORE INSERT ON people WHEN new.age = 7 BEGIN SELECT RAISE(IGNORE); END")
    db.execute("CREATE TRIGGER stay BEFORE UPDATE ON people WHEN new.age = 7 BEGIN SELECT RAISE(IGNORE); END")
    assert db.insert(Person("a", 7)) is False
    db.insert(Person("b", 8))
    for record in (Person("a", 7), Person("b", 7, id=1)):
        with pytest.raises(cormorant.IntegrityError, match='a trigger of "people" skipped the row'):
            db.save(record)
    with pytest.raises(cormorant.IntegrityError, match="record 1: a trigger"):
        db.save_many([Person("c", 1), Person("a", 7)])
    with pytest.raises(cormorant.NoRecordError, match="a trigger may skip rows"):
        db.update(Person("b", 7, id=1))
    assert [person.name for person in db.fetch_all(Person)] == ["b"]


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
