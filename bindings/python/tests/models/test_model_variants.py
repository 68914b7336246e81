"""One model for many tables: a table for each target, and the same table in an attached file."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant import (
    Column,
    Database,
    Model,
    ProgrammingError,
    Registry,
    ToMany,
    ToOne,
    alias,
    column,
    exists,
    insert,
    select,
    to_many,
    to_one,
    update,
)


class Sender(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]


class Message(
    Model, unique=[("sender_id", "number")], indexes=["body"], seed_sql="INSERT INTO message (body) VALUES ('x')"
):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    body: Column[str] = column(length=40)
    sender_id: Column[int | None] = column(references=Sender, default=None)
    number: Column[int] = column(default=0)
    answered_id: Column[int | None] = column(references="message", default=None)
    sender: ToOne[Sender] = to_one(Sender, columns=["sender_id"])
    answered: ToOne[Message] = to_one("Message", columns=["answered_id"])
    answers: ToMany[Message] = to_many("Message", columns=["answered_id"])


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(Sender)
        yield database


def tables(db: Database) -> list[str]:
    found = db.query("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name").fetch_all()
    return [row[0] for row in found]


class Draft(Model, scope="deleted = 0"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    text: Column[str]
    deleted: Column[bool] = column(default=False)
    parent_id: Column[int | None] = column(references="draft", default=None)
    parent: ToOne[Draft] = to_one("Draft")


def test_records_and_classes_are_pickled() -> None:
    """Mended: a record of a variant was of a class that no module has"""
    for cls in (
        Message,
        Message.suffixed("42"),
        Message.attached("x"),
        Draft.unscoped(),
        Draft.unscoped().suffixed("["),
    ):
        assert pickle.loads(pickle.dumps(cls)) is cls
        assert copy.deepcopy(cls) is cls
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        record = Message.suffixed("42")("hello", number=3)
        again = pickle.loads(pickle.dumps(record, protocol))
        assert type(again) is type(record)
        assert again == record


def test_columns_of_the_model_are_those_of_the_unscoped_one(db: Database) -> None:
    """Mended: they were not read from"""
    db.create_tables(Draft)
    everything = Draft.unscoped()
    db.insert_many([Draft("a"), Draft("b", True, 1), Draft("c", True, 2)])
    assert [item.text for item in db.fetch_all(everything.where(Draft.text == "b"))] == ["b"]
    query = select(everything.text, Draft.deleted).where(Draft.deleted, everything.id > 2).order_by(Draft.id)
    assert db.fetch_all(query) == [("c", True)]
    assert db.fetch_values(select(everything.text).where(Draft.parent.text == "a")) == ["b"]
    assert db.fetch_values(select(Draft.text).where(everything.id == 1)) == ["a"]
    page = select(everything).order_by(Draft.id).limit(2)
    assert [item.text for item in db.fetch_all(page.after(db.fetch_all(page)[-1]))] == ["c"]
    assert db.execute(update(everything).set(text="z").where(Draft.deleted)) == 2
    # Where both are read from, each is itself.
    other = alias(everything, "other")
    both = select(Draft.text, other.text).join(other, other.parent_id == Draft.id)
    assert db.fetch_all(both) == [("a", "z")]
    assert db.fetch_values(select(Draft.text).where(exists(select(everything).where(everything.id == 3)))) == ["a"]
    with pytest.raises(ProgrammingError, match="does not read from"):
        db.fetch_all(Message.suffixed("42").where(Message.body == "x"))


def test_the_same_suffix_is_the_same_model() -> None:
    assert Message.suffixed("42") is Message.suffixed("42")
    assert Message.suffixed("42") is not Message.suffixed("43")
    assert Message.suffixed("42").__model__.table == "message_42"
    assert Message.suffixed("a").suffixed("b").__model__.table == "message_a_b"
    assert repr(Message.suffixed("42")("x")).startswith("Message[42](id=None, body='x'")


def test_models_that_nobody_uses_go(db: Database) -> None:
    for number in range(300):
        model = Message.suffixed(f"t{number}")
        db.create_tables(model)
        db.insert(model("x"))
        assert db.find(model, 1)
    del model
    gc.collect()
    assert len(Message.__variants__) < 10
    total = sum(db.count(Message.suffixed(f"t{number}")) for number in range(300))
    assert total == 300


def test_relations_keep_working(db: Database) -> None:
    messages = Message.suffixed("42")
    db.create_tables(messages)
    ida = Sender("Ida").insert(db)
    question = messages("?", sender_id=ida.id, number=1).insert(db)
    answer = messages("!", sender_id=ida.id, number=2, answered_id=question.id).insert(db)
    assert db.fetch_all(select(messages).where(messages.sender.name == "Ida").order_by(messages.id)) == [
        question,
        answer,
    ]
    found = db.fetch_all(select(messages).where(messages.answers.any()))
    assert found == [question]
    db.load(found, messages.answers)
    db.load(found, messages.sender)
    assert found[0].answers == [answer]
    assert type(found[0].answers[0]) is messages
    assert found[0].sender == ida
    assert db.fetch_all(select(messages).where(messages.answered.body == "?")) == [answer]


def test_sync_makes_and_changes_tables_of_a_suffix(db: Database) -> None:
    db.execute("CREATE TABLE message_9 (id INTEGER PRIMARY KEY, body VARCHAR(40) NOT NULL)")
    assert db.sync(Sender, Message.suffixed("9"), Message.suffixed("10"))
    assert not db.sync(Sender, Message.suffixed("9"), Message.suffixed("10"))
    assert "message_9_body_index" in tables(db)
    # The first rows are the plain table's: their SQL names it.
    assert db.count(Message.suffixed("10")) == 0


# --- Attached files ---


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    with Registry(tmp_path / "{name}.db") as registry:
        for name in ("now", "archive"):
            with registry.use(name) as db:
                db.create_tables(Sender, Message)
                db.insert_many([Sender(f"{name} {number}") for number in range(3)])
        yield registry


def test_a_join_across_files(registry: Registry) -> None:
    old = Sender.attached("old")
    with registry.use("now") as db:
        registry.attach("archive", db, "old")
        query = select(Sender.name, old.name).join(old, old.id == Sender.id).where(old.name != "archive 1")
        assert db.fetch_all(query.order_by(old.id)) == [("now 0", "archive 0"), ("now 2", "archive 2")]
        written = insert(old).values(name="x", id=7).on_conflict("id").do_update(name=old.name.concat("!"))
        assert [db.execute(written) for _ in range(2)] == [1, 1]
        assert db.execute(update(old).set(name=old.name.concat("?")).where(old.id == 7)) == 1
        assert db.fetch_all(select(old.name).where(old.id == 7)) == [("x!?",)]
        other = alias(old, "other")
        found = select(old).where(old.id.in_(select(other.id).where(other.name == old.name, other.id > 1)))
        assert [item.id for item in db.fetch_all(found.order_by(old.id))] == [2, 3, 7]


def test_raw_sql_across_files_gives_records(registry: Registry) -> None:
    with registry.use("now") as db:
        registry.attach("archive", db, "old")
        sql = "SELECT * FROM main.sender UNION ALL SELECT * FROM old.sender ORDER BY name"
        assert [item.name for item in db.fetch_all(Sender, sql=sql)][::3] == ["archive 0", "now 0"]


def test_what_an_attached_model_does_not_do(registry: Registry) -> None:
    old = Message.attached("old")
    with registry.use("now") as db:
        registry.attach("archive", db, "old")
        for call in (
            lambda: db.create_tables(old),
            lambda: db.sync(old),
            lambda: db.set_cache(old, max_count=10, max_bytes=1000),
            lambda: old.suffixed("x"),
            lambda: select(old).where(old.sender.name == "x"),
        ):
            with pytest.raises(ProgrammingError, match=r'attached file "old"|has no relation'):
                call()
        for name in ("", "main", "TEMP"):
            with pytest.raises(ProgrammingError):
                Message.attached(name)
        nobody = Message.attached("nobody")
        with pytest.raises(ProgrammingError) as caught:
            db.count(nobody)
        assert caught.value.code == "CORM_E_SCHEMA"
