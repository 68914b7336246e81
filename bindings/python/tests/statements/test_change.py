"""UPDATE, DELETE and INSERT by expressions."""

from __future__ import annotations

from typing import Any

import pytest
from models import Department, Everything, Note, Person

import cormorant
from cormorant import Database, ProgrammingError, delete, excluded, insert, param, select, update
from cormorant.statement import Statement


@pytest.fixture(autouse=True)
def people(db: Database) -> None:
    db.insert_many([Person("Ann", 35), Person("Bob", 20)])


def ages(db: Database) -> list[tuple[str, int]]:
    return db.fetch_all(select(Person.name, Person.age).order_by("name"))


CASES: list[tuple[Statement, str, list[Any]]] = [
    (
        update(Person).set(age=Person.age + 1, born=None).where(Person.name == "Ann"),
        'UPDATE "people" SET "age" = "age" + ?, "born" = ? WHERE "name" = ?',
        [1, None, "Ann"],
    ),
    (update(Person).set(age=3).or_("ignore"), 'UPDATE OR IGNORE "people" SET "age" = ?', [3]),
    (delete(Person).where(Person.age < 3), 'DELETE FROM "people" WHERE "age" < ?', [3]),
    (insert(Everything).values(), 'INSERT INTO "everything" DEFAULT VALUES', []),
    (insert(Note), 'INSERT INTO "notes" ("text") VALUES (?)', [""]),
    (insert(Note).values(), 'INSERT INTO "notes" ("text") VALUES (?)', [""]),
    (insert(Note).values({}), 'INSERT INTO "notes" ("text") VALUES (?)', [""]),
    (
        insert(Person).values([{"name": "a"}, {Person.age: 3, Person.name: "b"}]),
        'INSERT INTO "people" ("name", "age") VALUES (?, ?), (?, ?)',
        ["a", 0, "b", 3],
    ),
    (
        update(Person).set({Person.age: Person.age + 1, Person.born: None}).where(Person.name == "Ann"),
        'UPDATE "people" SET "age" = "age" + ?, "born" = ? WHERE "name" = ?',
        [1, None, "Ann"],
    ),
    (
        insert(Department).values({Department.name: "a"}).on_conflict("name").do_update({Department.name: "b"}),
        'INSERT INTO "departments" ("name") VALUES (?) ON CONFLICT ("name") DO UPDATE SET "name" = ?',
        ["a", "b"],
    ),
    (insert(Note).values(text="a"), 'INSERT INTO "notes" ("text") VALUES (?)', ["a"]),
    (
        insert(Department).values(name="a").or_("replace"),
        'INSERT OR REPLACE INTO "departments" ("name") VALUES (?)',
        ["a"],
    ),
    (
        insert(Department).values(name="a").on_conflict(["name"]).do_update(name=excluded.name),
        'INSERT INTO "departments" ("name") VALUES (?) ON CONFLICT ("name") DO UPDATE SET "name" = "excluded"."name"',
        ["a"],
    ),
    (
        insert(Department).values(name="a").on_conflict().do_nothing(),
        'INSERT INTO "departments" ("name") VALUES (?) ON CONFLICT DO NOTHING',
        ["a"],
    ),
    (
        insert(Note).values().from_select(["text"], select(Person.name)),
        'INSERT INTO "notes" ("text") SELECT "name" FROM "people"',
        [],
    ),
    (
        insert(Department).from_select(["name"], select(Person.name)),
        'INSERT INTO "departments" ("name") SELECT "name" FROM "people"',
        [],
    ),
    (
        delete(Person).where(Person.age == 1).returning(Person.id),
        'DELETE FROM "people" WHERE "age" = ? RETURNING "id"',
        [1],
    ),
]


@pytest.mark.parametrize(("statement", "sql", "values"), CASES, ids=[sql for _, sql, _ in CASES])
def test_sql_and_bindings(statement: Statement, sql: str, values: list[Any]) -> None:
    assert statement.sql == (sql, tuple(values))


def test_returning(db: Database) -> None:
    grown = update(Person).set(age=Person.age + 1).where(Person.name == "Ann")
    assert db.fetch_all(grown.returning()) == [Person("Ann", 36, id=1)]
    assert db.fetch_one(grown.returning(Person.age, Person.name)) == (37, "Ann")
    assert db.fetch_all(insert(Note).values(text="abc").returning(Note.id, Note.size, Note.state)) == [(1, 3, "new")]
    assert list(db.cursor(delete(Person).where(Person.name == "Bob").returning(Person.id)).dicts()) == [{"id": 2}]
    assert db.count(Person) == 1


def test_values_are_encoded_as_the_columns_own(db: Database) -> None:
    db.execute(insert(Everything).values(extra={"a": [1]}, flag=True))
    db.execute(update(Everything).set(extra=param("extra")), extra=[1, "x"])
    assert db.fetch_all(select(Everything.extra, Everything.flag)) == [([1, "x"], True)]


def test_wrong_changes(db: Database) -> None:
    with pytest.raises(cormorant.ProgrammingError, match="did you mean age"):
        update(Person).set(agee=3).sql  # noqa: B018
    with pytest.raises(cormorant.ProgrammingError, match="sets nothing"):
        db.execute(update(Person))
    with pytest.raises(cormorant.ProgrammingError, match="computed"):
        update(Note).set(size=3).sql  # noqa: B018
    with pytest.raises(cormorant.ProgrammingError, match="policy"):
        insert(Person).or_("skip")  # type: ignore[arg-type]
    with pytest.raises(cormorant.DataError, match=r"Everything\.moment"):
        update(Everything).set(moment="today")
    with pytest.raises(cormorant.CheckViolation):
        db.execute(update(Person).set(age=-1))
    with pytest.raises(cormorant.ProgrammingError, match="bindings"):
        db.execute("DELETE FROM people", age=3)  # type: ignore[call-overload]
    assert ages(db) == [("Ann", 35), ("Bob", 20)]


def test_an_upsert_that_does_not_say_what_to_do_is_an_error(db: Database) -> None:
    execute: Any = db.execute
    with pytest.raises(ProgrammingError, match=r"do_nothing\(\).*do_update"):
        execute(insert(Department).values(name="a").on_conflict("name"))
    with pytest.raises(ProgrammingError, match="Department is no statement"):
        execute(Department(name="a"))
    with pytest.raises(ProgrammingError, match=r"query\(\) runs SQL.*fetch_all\(\)"):
        db.query(select(Department))  # type: ignore[call-overload]
    with pytest.raises(ProgrammingError, match=r"Department is a model \(write fetch_all\(Department\)"):
        db.query(Department)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="a str is wanted, not int"):
        db.query(1)  # type: ignore[call-overload]
