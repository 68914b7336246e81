"""Updates of some properties, what changed in a record, and the times of its row."""

from __future__ import annotations

import copy
import enum
import math
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

import cormorant
from cormorant import Column, Database, Model, Transform, column, ignored, key, read_json, update


class Color(enum.IntEnum):
    RED = 1
    BLUE = 2


class Draft(Model):
    title: Column[str]
    tags: Column[list[str]] = column(default_factory=list, json=True)
    ratio: Column[float] = column(default=1.0)
    color: Column[Color] = column(default=Color.RED)
    due: Column[datetime | None] = column(default=None)
    size: Column[int | None] = column(computed="length(title)", default=None)
    version: Column[int] = column(version=True, default=0)
    created: Column[datetime] = column(stamp="created", init=False)
    updated: Column[datetime] = column(stamp="updated", init=False)
    note: str = ignored(default="")
    id: Column[int] = key()


@pytest.fixture
def drafts(db: Database) -> Database:
    db.create_tables(Draft)
    return db


def test_an_update_of_some_properties_leaves_the_others_alone(drafts: Database) -> None:
    draft = Draft("first").insert(drafts)
    draft.title, draft.ratio, draft.note = "changed", 2.5, "mine"
    draft.tags.append("unsaved")
    tags = draft.tags
    drafts.update(draft, Draft.title)
    assert (draft.title, draft.ratio, draft.note, draft.version, draft.size) == ("changed", 2.5, "mine", 2, 7)
    assert draft.tags is tags
    draft.title = "again"
    drafts.update_many([draft], Draft.title)
    assert (draft.ratio, draft.tags, draft.version, draft.size) == (2.5, ["unsaved"], 3, 5)
    stored = drafts.find(Draft, draft.id)
    assert stored is not None
    assert (stored.title, stored.ratio, stored.tags) == ("again", 1.0, [])


def test_a_variant_and_a_value_that_marshal_does_not_take_leave_the_others_alone(drafts: Database) -> None:
    other = Draft.suffixed("b")
    drafts.create_tables(other)
    draft = other("first").insert(drafts)
    draft.ratio, draft.color = 2.5, Color.BLUE
    drafts.update(draft, "color")
    assert (draft.ratio, draft.version, draft.color) == (2.5, 2, Color.BLUE)


def test_what_an_update_cannot_write_does_not_matter_where_it_is_not_written(drafts: Database) -> None:
    draft = Draft("first").insert(drafts)
    draft.due = "no datetime"  # type: ignore[assignment]
    draft.title = "second"
    drafts.update(draft, "title")
    due: Any = draft.due
    assert due == "no datetime"


def test_what_changed_is_written_and_nothing_else(drafts: Database) -> None:
    draft = Draft("first").insert(drafts)
    old = copy.copy(draft)
    assert draft.changes(old) == ()
    assert drafts.update_changes(draft, old) == ()
    assert draft.version == 1
    draft.title, draft.color = "second", Color.BLUE
    draft.size, draft.note, draft.updated = 99, "mine", datetime(2000, 1, 1, tzinfo=timezone.utc)
    ran: list[str] = []
    with drafts.tracing(lambda sql, _: ran.append(sql)):
        assert draft.update_changes(drafts, old) == ("title", "color")
        assert draft.update_changes(drafts, copy.deepcopy(draft)) == ()
    assert len([sql for sql in ran if sql.startswith("UPDATE")]) == 1
    assert (draft.version, draft.size) == (2, 6)


def test_what_is_changed_in_place_shows_against_a_deep_copy(drafts: Database) -> None:
    draft = Draft("first").insert(drafts)
    shallow, deep = copy.copy(draft), copy.deepcopy(draft)
    draft.tags.append("new")
    assert (draft.changes(shallow), draft.changes(deep)) == ((), ("tags",))


def test_values_are_compared_as_the_file_would_hold_them() -> None:
    draft = Draft("first")
    old = copy.copy(draft)
    draft.ratio = 1
    assert draft.changes(old) == ()
    old.ratio, draft.ratio = 0.0, -0.0
    assert draft.changes(old) == ("ratio",)
    draft.due = datetime(2020, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    old.due = datetime(2020, 1, 1, tzinfo=timezone.utc)
    assert draft.changes(old) == ("ratio",)


class Reading(Model):
    id: Column[int] = key()
    exact: Column[float | None] = column(default=None)
    short: Column[float | None] = column(type="float", default=None)
    name: Column[str] = column(default="", transform=Transform(str.lower, str), type="text")


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (0.5, 0.25, ("exact",)),
        (0.5, 1, ("exact",)),
        (1.0, 1, ()),
        (0.0, -0.0, ("exact",)),
        (math.nan, 0.5, ("exact",)),
        (0.5, math.nan, ("exact",)),
        (math.nan, math.nan, ()),
        (math.inf, -math.inf, ("exact",)),
        (2**53, 2**53 + 2, ("exact",)),
        (None, 0.0, ("exact",)),
        (True, False, ("exact",)),
    ],
)
def test_numbers_that_the_file_tells_apart_differ(before: Any, after: Any, changed: tuple[str, ...]) -> None:
    assert Reading(exact=after).changes(Reading(exact=before)) == changed


def test_what_becomes_the_same_in_the_file_is_no_change(db: Database) -> None:
    db.create_tables(Reading)
    reading = Reading(short=0.1, name="ANN").insert(db).refresh(db)
    old = copy.copy(reading)
    reading.short, reading.name = 0.1, "Ann"
    assert old.short != 0.1
    assert reading.changes(old) == ()
    reading.short = 0.2
    assert reading.changes(old) == ("short",)
    reading.short = 1e300
    assert reading.changes(old) == ("short",)


def test_a_copy_has_all_that_its_record_has() -> None:
    draft = Draft("first", note="mine")
    draft.extra = [1]  # type: ignore[attr-defined]
    copied: Any = copy.copy(draft)
    assert copied == draft
    assert vars(copied) == vars(draft)
    assert copied.extra is vars(draft)["extra"]
    copied.title = "second"
    assert draft.title == "first"


def test_a_class_says_itself_how_it_is_copied() -> None:
    class Counted(Model):
        id: Column[int] = key()
        copies: int = ignored(default=0)

        def __getstate__(self) -> dict[str, Any]:
            return vars(self) | {"copies": self.copies + 1}

    class Derived(Counted):
        pass

    class Slotted(Model):
        __slots__ = ("place",)
        id: Column[int] = key()

    class Own(Model):
        id: Column[int] = key()

        def __copy__(self) -> Own:
            return self

    assert copy.copy(Counted()).copies == copy.copy(Derived()).copies == 1
    slotted: Any = Slotted()
    slotted.place = 7
    assert copy.copy(slotted).place == 7
    own = Own()
    assert copy.copy(own) is own


@pytest.mark.parametrize("since", [None, 1, "x", {}, object()])
def test_what_is_no_copy_of_the_record_is_refused(drafts: Database, since: Any) -> None:
    draft = Draft("first").insert(drafts)
    with pytest.raises(cormorant.ProgrammingError, match="is no earlier copy of a record of Draft"):
        draft.changes(since)
    with pytest.raises(cormorant.ProgrammingError, match="is no earlier copy"):
        drafts.update_changes(draft, since)


def test_a_column_called_changes_hides_the_method_alone(db: Database) -> None:
    class Counter(Model):
        changes: Column[int]  # type: ignore[assignment]
        id: Column[int] = key()

    db.create_tables(Counter)
    counter = Counter(1).insert(db)
    old = copy.copy(counter)
    counter.changes = 2
    assert db.update_changes(counter, old) == ("changes",)


def test_times_are_the_rows(drafts: Database) -> None:
    begin = datetime.now(timezone.utc) - timedelta(seconds=1)
    draft = Draft("first")
    assert draft.created is None
    draft.insert(drafts)
    assert begin < draft.created == draft.updated < datetime.now(timezone.utc) + timedelta(seconds=1)
    drafts.execute("UPDATE draft SET updated = '2000-01-01 00:00:00'")
    drafts.execute(update(Draft).set(ratio=3.0))
    stored = drafts.find(Draft, 1)
    assert stored is not None
    assert stored.updated > begin


def test_a_transaction_that_is_rolled_back_takes_times_back(drafts: Database) -> None:
    draft = Draft("first")
    with pytest.raises(RuntimeError), drafts.transaction():
        drafts.insert(draft)
        assert draft.created
        raise RuntimeError
    left: tuple[Any, ...] = (draft.created, draft.updated, draft.id, draft.version)
    assert left == (None, None, None, 0)
    draft.insert(drafts)
    before = draft.updated
    with pytest.raises(RuntimeError), drafts.transaction():
        drafts.update(draft, "title")
        drafts.save_many([draft])
        raise RuntimeError
    assert (draft.updated, draft.version) == (before, 1)
    batch = [Draft("a"), Draft(None)]  # type: ignore[arg-type]
    with pytest.raises(cormorant.IntegrityError):
        drafts.insert_many(batch)
    assert batch[0].created is None


def test_a_record_of_json_has_no_times_until_it_is_inserted(drafts: Database) -> None:
    begin = datetime.now(timezone.utc) - timedelta(seconds=1)
    (draft,) = read_json(Draft, '[{"title": "first", "color": 1}]')
    times: tuple[Any, ...] = (draft.created, draft.updated)
    assert times == (None, None)
    assert draft.insert(drafts).created > begin


def test_an_unknown_stamp_is_refused() -> None:
    with pytest.raises(cormorant.ProgrammingError, match="made: there is no stamp 'first'"):

        class Wrong(Model):
            made: Column[datetime | None] = column(stamp="first", default=None)  # type: ignore[arg-type]
