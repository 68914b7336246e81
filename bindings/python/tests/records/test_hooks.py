"""Methods that are called around the writes of records, and validators: what Python alone has of them."""

from __future__ import annotations

import sys
import threading
import time
from datetime import datetime
from typing import Any

import pytest

from cormorant import (
    Column,
    Database,
    Error,
    Model,
    ProgrammingError,
    UniqueViolation,
    ValidationError,
    column,
    key,
    to_many,
    to_one,
)


class Refusal(Exception):
    """An exception that is no error of the library's."""


def is_small(size: int) -> None:
    if size > 100:
        raise ValueError(f"{size} is too large")


class Draft(Model):
    title: Column[str] = column(unique=True)
    size: Column[int | None] = column(default=None, validate=is_small)
    version: Column[int] = column(version=True, default=0)
    created: Column[datetime] = column(stamp="created", init=False)
    updated: Column[datetime] = column(stamp="updated", init=False)
    id: Column[int] = key()

    def before_save(self, database: Database) -> None:
        self.title = self.title.strip()
        if self.title == "before":
            raise Refusal(self.title)

    def after_save(self, database: Database) -> None:
        if self.title == "after":
            raise Refusal(self.title)
        if self.title == "note":
            database.insert(Note(f"saved {self.id}"))

    def after_delete(self, database: Database) -> None:
        if self.title == "bound":
            raise Refusal(self.title)

    def validate(self) -> None:
        assert self.title, "there is no title"


class Note(Model):
    text: Column[str] = column(validate=lambda text: is_small(len(text)))
    draft_id: Column[int | None] = column(references=Draft, default=None)
    id: Column[int] = key()
    draft = to_one(Draft)


class Folder(Model):
    name: Column[str]
    id: Column[int] = key()
    files = to_many(lambda: File)


class File(Model):
    name: Column[str]
    folder_id: Column[int | None] = column(references=Folder, default=None)
    id: Column[int] = key()

    def before_save(self, database: Database) -> None:
        if self.name == "refused":
            raise Refusal


@pytest.fixture
def drafts(db: Database) -> Database:
    db.create_tables(Draft, Note, Folder, File)
    return db


def made(draft: Draft) -> tuple[Any, ...]:
    return draft.id, draft.version, draft.created, draft.updated


def test_the_exception_is_the_hooks_own_and_what_came_into_the_record_is_taken_back(drafts: Database) -> None:
    draft = Draft("after")
    for write in (drafts.insert, drafts.save, drafts.upsert):
        with pytest.raises(Refusal, match="after"):
            write(draft)
        assert made(draft) == (None, 0, None, None)
    with pytest.raises(Refusal, match="before"):
        drafts.insert(Draft("before"))
    assert drafts.count(Draft) == 0
    draft = Draft(" kept ").insert(drafts)
    assert draft.title == "kept"
    before = made(draft)
    draft.title = "after"
    for change in (drafts.update, drafts.save, lambda record: drafts.update(record, Draft.title)):
        with pytest.raises(Refusal):
            change(draft)
        assert made(draft) == before
    draft.title = "bound"
    drafts.save(draft)
    with pytest.raises(Refusal):
        drafts.delete(draft)
    assert drafts.find(Draft, draft.id) == draft


def test_an_exception_takes_back_a_batch_and_its_keys(drafts: Database) -> None:
    batch = [Draft("a"), Draft("note"), Draft("after")]
    for write in (drafts.insert_many, drafts.save_many, drafts.upsert_many):
        with pytest.raises(Refusal):
            write(batch)
        assert [made(draft) for draft in batch] == [(None, 0, None, None)] * 3
        assert drafts.count(Draft) == drafts.count(Note) == 0
    assert drafts.insert_many(Draft(f"{number}") for number in range(2500)) == 2500
    with pytest.raises(ProgrammingError, match="several models: Draft, Note"):
        drafts.insert_many([Draft("x"), Note("y")])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
def test_an_exception_in_a_batch_says_which_record_it_was(drafts: Database) -> None:
    for call, records in (
        (drafts.insert_many, [Draft("a"), Draft("b"), Draft("before")]),
        (drafts.upsert_many, [Draft("a"), Draft("b"), Draft("after")]),
        (drafts.save_many, (Draft(title) for title in ("a", "b", "before"))),
    ):
        with pytest.raises(Refusal) as caught:
            call(records)
        assert notes_of(caught.value) == ["record 2 of the batch, of Draft"]
    with pytest.raises(Refusal) as caught:
        drafts.insert(Draft("before"))
    assert notes_of(caught.value) == []
    with pytest.raises(ValidationError) as refused:
        drafts.insert_many([Draft("a"), Draft("")])
    assert (refused.value.record_index, notes_of(refused.value)) == (1, [])


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes")
def test_an_exception_that_is_raised_again_gets_its_note_once(db: Database) -> None:
    refusal = Refusal("always")

    class Refused(Model):
        id: Column[int] = key()

        def before_insert(self, database: Database) -> None:
            raise refusal

    db.create_tables(Refused)
    for _ in range(3):
        with pytest.raises(Refusal):
            db.insert_many([Refused()])
    assert notes_of(refusal) == ["record 0 of the batch, of Refused"]


def notes_of(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", ()))


def test_a_rollback_around_it_takes_the_key_back_too(drafts: Database) -> None:
    draft, caught = Draft("a"), Draft("after")
    with pytest.raises(KeyError), drafts.transaction():
        drafts.insert(draft)
        with pytest.raises(Refusal):
            drafts.insert(caught)
        assert (draft.id, drafts.count(Draft)) == (1, 1)
        raise KeyError
    assert draft.id is None
    assert drafts.count(Draft) == 0


def test_a_validator_becomes_a_validation_error_with_its_cause(drafts: Database) -> None:
    with pytest.raises(ValidationError) as caught:
        Draft("a", 101).insert(drafts)
    error = caught.value
    assert str(error) == "Draft.size: 101 is too large"
    assert (error.code, error.table, error.columns) == ("CORM_E_VALIDATION", "draft", ("size",))
    assert isinstance(error.__cause__, ValueError)
    with pytest.raises(ValidationError, match=r"^Draft: there is no title"):
        drafts.save(Draft("  "))
    with pytest.raises(ValidationError) as caught:
        drafts.insert_many([Note("a"), Note("b" * 101)])
    assert caught.value.record_index == 1
    with pytest.raises(ValidationError):
        drafts.insert(Note("b" * 101), "ignore")
    with pytest.raises(ValidationError):
        drafts.get_or_create(Draft("new", 101), on=Draft.title)
    assert drafts.count(Draft) == drafts.count(Note) == 0


def test_what_goes_wrong_in_a_validator_is_no_refusal(db: Database) -> None:
    class Odd(Model):
        size: Column[int] = column(primary_key=True, validate=lambda size: size["key"])

    db.create_tables(Odd)
    with pytest.raises(TypeError):
        Odd(1).insert(db)


def test_a_graph_runs_the_hooks_of_all_its_records(drafts: Database) -> None:
    folder = Folder("a")
    folder.files = [File("b"), File("refused")]
    with pytest.raises(Refusal):
        drafts.save_graph(folder)
    assert folder.id is None
    assert folder.files[0].id is None
    assert drafts.count(Folder) == drafts.count(File) == 0


def test_a_batch_of_a_queue_calls_them_on_its_thread_with_its_copies(drafts: Database) -> None:
    threads: list[int] = []

    class Labelled(Model):
        labels: Column[list[str]]
        id: Column[int] = key()

        def before_insert(self, database: Database) -> None:
            threads.append(threading.get_ident())
            self.labels.append("seen")

    drafts.create_tables(Labelled)
    with drafts.queue() as queue:
        batch = queue.begin()
        mine = Labelled(["a"])
        batch.insert(mine)
        mine.labels.append("later")
        batch.insert(Draft(" note "))
        assert [(done.changes, done.generated_key) for done in batch.commit().result(10)] == [(1, 1), (1, 1)]
        assert mine.labels == ["a", "later"]
        assert mine.id is None
        assert threads != [threading.get_ident()]
        batch.insert(Draft("b"))
        batch.insert(Draft("after"))
        with pytest.raises(Refusal, match="after"):
            batch.commit().result(10)
        batch.insert(Draft("b"))
        batch.insert(Draft("b", 101))
        with pytest.raises(ValidationError, match=r"record 1: Draft\.size") as caught:
            batch.commit().result(10)
        assert caught.value.record_index == 1
        assert caught.value.columns == ("size",)
        batch.insert(Draft("after"))
        batch.insert(Draft("note"))
        batch.insert(Draft("c"))
        heard = queue.listen()
        results = batch.commit(on_error="continue").result(10)
    told = heard.next()
    assert [result.error and result.error.code for result in results] == ["CORM_E_CALLBACK", "CORM_E_UNIQUE", None]
    assert results[0].error is not None
    assert isinstance(results[0].error.__cause__, Refusal)
    assert isinstance(results[1].error, UniqueViolation)
    assert results[1].error.columns == ("title",)
    assert told is not None
    assert [result.error and result.error.code for result in told.results] == ["CORM_E_CALLBACK", "CORM_E_UNIQUE", None]
    assert [draft.title for draft in drafts.fetch_all(Draft)] == ["note", "c"]
    assert [item.labels for item in drafts.fetch_all(Labelled)] == [["a", "seen"]]
    assert drafts.count(Note) == 1


def test_hooks_in_a_queue_cannot_wait_for_it(db: Database) -> None:
    class Impatient(Model):
        name: Column[str]
        id: Column[int] = key()

        def after_insert(self, database: Database) -> None:
            writes.append(queue.add(Database.count, Impatient))
            writes[-1].result()

    writes: list[Any] = []
    db.create_tables(Impatient)
    with db.queue() as queue:
        batch = queue.begin()
        batch.insert(Impatient("a"))
        with pytest.raises(ProgrammingError, match="own thread"):
            batch.commit().result(10)
        assert writes[0].result(10) == 0


def test_what_is_added_while_a_batch_waits_for_room_is_of_the_next(db: Database) -> None:
    class Refused(Model):
        name: Column[str]
        id: Column[int] = key()

        def before_insert(self, database: Database) -> None:
            raise Refusal(self.name)

    writes: list[Any] = []
    db.create_tables(Refused)
    entered, may_go = threading.Event(), threading.Event()
    with db.queue(capacity=1) as queue:
        batch = queue.begin()
        batch.insert(Refused("first"))

        def wait(_: Database) -> None:
            entered.set()
            may_go.wait(10)

        queue.add(wait)
        assert entered.wait(10)
        queue.add(Database.count, Refused)
        waiting = threading.Thread(target=lambda: writes.append(batch.commit()))
        waiting.start()
        while len(batch) > 0:
            time.sleep(0.001)
        batch.insert(Refused("second"))
        may_go.set()
        waiting.join()
        for write, name in (writes[0], "first"), (batch.commit(), "second"):
            with pytest.raises(Refusal, match=name):
                write.result(10)


def test_what_writes_values_without_records_refuses_models_with_hooks(drafts: Database) -> None:
    for model in (Draft, Note, Draft.suffixed("2"), Draft.unscoped()):
        with pytest.raises(ProgrammingError, match="past the hooks and validators"):
            drafts.import_json(model, "[]")
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(ProgrammingError, match="past the hooks and validators of model Note"):
        drafts.insert_arrow(Note, pyarrow.table({"text": ["a"]}))


def test_variants_and_models_derived_have_the_hooks(drafts: Database) -> None:
    other = Draft.suffixed("2")
    drafts.create_tables(other)
    draft = other(" a ").insert(drafts)
    assert draft.title == "a"
    with pytest.raises(Refusal):
        other("after").insert(drafts)
    with pytest.raises(ValidationError, match=r"Draft\[2\]\.size"):
        drafts.insert_many([other("b", 101)])


def test_a_hook_that_ends_its_transaction_is_an_error(db: Database) -> None:
    class Ending(Model):
        sql: Column[str] = column(primary_key=True)

        def before_save(self, database: Database) -> None:
            database.execute(self.sql)

    db.create_tables(Ending)
    for sql in ("COMMIT", "ROLLBACK"):
        with pytest.raises(Error) as caught:
            Ending(sql).insert(db)
        assert caught.value.code == "CORM_E_TRANSACTION"


def test_columns_may_have_the_names_of_hooks(db: Database) -> None:
    class Odd(Model):
        validate: Column[str] = column(primary_key=True)
        before_save: Column[int] = column(default=1)

    assert Odd.__model__.hooks is None
    db.create_tables(Odd)
    assert Odd("a").insert(db) == db.find(Odd, "a")


def test_a_validator_of_what_the_database_fills_in_is_refused() -> None:
    with pytest.raises(ProgrammingError, match=r"Odd\.size has a validator") as caught:

        class Odd(Model):
            size: Column[int] = column(validate=is_small, computed="1")
            id: Column[int] = key()

    assert caught.value.code == "CORM_E_MODEL"
    with pytest.raises(ProgrammingError, match=r"Odd\.size has a validator") as caught:

        class Odd(Model):  # type: ignore[no-redef]
            size: Column[int] = column(validate=is_small, version=True, default=0)
            id: Column[int] = key()

    assert caught.value.code == "CORM_E_MODEL"


def test_coroutine_functions_are_refused() -> None:
    with pytest.raises(ProgrammingError, match=r"Slow\.before_save is a coroutine function") as caught:

        class Slow(Model):
            id: Column[int] = key()

            async def before_save(self, database: Database) -> None: ...

    assert caught.value.code == "CORM_E_MODEL"

    async def check(value: int) -> None: ...

    with pytest.raises(ProgrammingError, match=r"Other\.id"):

        class Other(Model):
            id: Column[int] = column(primary_key=True, validate=check)
