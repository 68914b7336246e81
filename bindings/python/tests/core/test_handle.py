"""Handles: what owns one is not copied, and a call holds those that it passes."""

from __future__ import annotations

import ast
import copy
import gc
import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest
from models import Note, Person

import cormorant
from cormorant import (
    Bundle,
    Column,
    Database,
    Expression,
    Model,
    ProgrammingError,
    Registry,
    Schema,
    WriteCompletion,
    param,
    select,
)
from cormorant._native.handle import Handle

SOURCES = Path(cormorant.__file__).parent
# ./dev soak: 10000
ROUNDS = int(os.environ.get("CORMORANT_ROUNDS", "500"))
COPIES: list[Callable[[Any], object]] = [copy.copy, copy.deepcopy, pickle.dumps]


@pytest.mark.parametrize("duplicate", COPIES)
def test_owners_are_not_copied(db: Database, tmp_path: Path, duplicate: Callable[[Any], object]) -> None:
    queue = db.queue()
    with (
        Registry(tmp_path / "{name}.db") as registry,
        queue,
        queue.listen() as listener,
        db.observe(Person) as observer,
    ):
        owners = [
            db, registry, queue, queue.begin(), listener, observer, db.store("s"), db.cursor(Person), db.plan(Person),
            Bundle(),
        ]  # fmt: skip
        for owner in owners:
            with pytest.raises(TypeError, match=rf"^a {type(owner).__name__} cannot be copied or pickled \(.+\)$"):
                duplicate(owner)
            assert isinstance(owner._handle if hasattr(owner, "_handle") else owner._cursor, Handle)  # type: ignore[attr-defined]
        del owners
        assert db.count(Person) == 0


@dataclass
class Settings:
    database: Database
    name: str = "x"


def test_a_dataclass_with_a_database_does_not_close_it(db: Database) -> None:
    with pytest.raises(TypeError, match="a Database cannot be copied"):
        asdict(Settings(db))
    gc.collect()
    assert db.count(Person) == 0


def _child(db: Database) -> None:
    raise AssertionError(f"the child got {db!r}")


def test_a_database_is_not_sent_to_a_spawned_process(db: Database) -> None:
    """Mended: it wrote into the file that the child had opened"""
    process = multiprocessing.get_context("spawn").Process(target=_child, args=(db,))
    with pytest.raises(TypeError, match="open it anew in the other process, by its path"):
        process.start()


def test_a_model_is_its_own_copy_and_is_pickled_by_its_class(db: Database) -> None:
    """Mended: a deep copy freed the model"""
    info = Person.__model__
    assert copy.copy(info) is copy.deepcopy(info) is pickle.loads(pickle.dumps(info)) is info
    person = Person("Ann", 3).insert(db)
    assert copy.copy(person) == copy.deepcopy([person])[0] == pickle.loads(pickle.dumps(person)) == person
    gc.collect()
    assert db.find(Person, person.id) == person


def test_values_are_copied() -> None:
    schema = Schema.of(Person)
    assert copy.copy(schema) == copy.deepcopy(schema) == pickle.loads(pickle.dumps(schema)) == schema
    assert copy.deepcopy(schema.metadata()) == pickle.loads(pickle.dumps(schema.metadata())) == schema.metadata()


def test_an_expression_holds_its_model(db: Database) -> None:
    def condition() -> Expression[bool]:
        class Gone(Model, table="people"):
            name: Column[str]
            age: Column[int]

        return (Gone.name == "Ann") & Gone.age.in_([1, 2])

    expression = condition()
    gc.collect()
    db.insert_many([Person("Ann", 1), Person("Bob", 2)])
    assert expression.sql == ('"name" = ? AND "age" IN (?, ?)', ("Ann", 1, 2))
    assert db.fetch_all(select(expression)) == [(1,), (0,)]


def test_many_threads_make_one_query(db: Database) -> None:
    """Mended: that of the thread that came second was freed while the first ran it"""
    db.insert_many(Person(f"n{i}", i) for i in range(3))
    queries = [select(Person.age).where(Person.age == param("age")) for _ in range(ROUNDS)]
    start = threading.Barrier(16)

    def run(number: int) -> None:
        for query in queries:
            start.wait()
            assert db.fetch_all(query, age=number % 3) == [(number % 3,)]

    threshold, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(50)
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(16) as pool:
            for future in [pool.submit(run, number) for number in range(16)]:
                future.result(timeout=600)
    finally:
        gc.set_threshold(*threshold)
        sys.setswitchinterval(interval)


class _Interruption:
    """Garbage: the collector uses the instance while something is made for it, as another thread may."""

    def __init__(self, use: Callable[[], object]) -> None:
        self.use, self.itself = use, self

    def __del__(self) -> None:
        self.use()


def _dicts_after(instance: object, use: Callable[[Any], object]) -> int:
    """How many `__dict__`s an instance has when it is first used twice at a time: 1 where that is safe."""
    gc.collect()
    threshold = gc.get_threshold()
    gc.disable()
    try:
        # So that none is at hand, and making one calls the collector.
        others = [{} for _ in range(200)]  # type: ignore[var-annotated]
        _Interruption(lambda: use(instance))
        gc.set_threshold(1)
        gc.enable()
        use(instance)
        gc.disable()
    finally:
        gc.set_threshold(*threshold)
        gc.enable()
    assert len(others) == 200
    mine = vars(instance)
    dicts = [d for d in gc.get_objects() if type(d) is dict and d is not mine and len(d) == len(mine)]
    found = [d for d in dicts if d.keys() == mine.keys()]
    return 1 + sum(all(other[name] is mine[name] for name in mine) for other in found)


def test_what_threads_share_has_one_dict(db: Database) -> None:
    """CPython 3.11 may give it two, of which one is freed under the other: the process ends at a later collection."""
    query = select(Person.age).where(Person.age == param("age"))
    shared: list[object] = [query, query._shape, Person.__model__, db.plan(Person), Column[int]({"default": [1]})]
    for instance in shared:
        assert _dicts_after(instance, vars) == 1, instance
    assert not hasattr(query._compile(), "__dict__")
    uses: list[Callable[[Any], object]] = [repr, lambda record: record == record, lambda record: record.name]
    for use in uses:
        assert _dicts_after(Person("Ann", [1]), use) == 1  # type: ignore[arg-type]


def test_a_result_that_another_thread_closes(db: Database) -> None:
    def read(cursor: Any) -> None:
        with suppress(ProgrammingError):  # which says that it is closed
            list(cursor)

    db.insert_many(Person(f"n{i}", i) for i in range(2000))
    for _ in range(50):
        cursor = db.cursor(Person)
        reader = threading.Thread(target=read, args=[cursor])
        reader.start()
        cursor.close()
        reader.join()
    assert db.count(Person) == 2000


def _ends_in_handle(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    inside = node.value if isinstance(node, ast.Attribute) else None
    # The cell that a call puts a handle into.
    return name.endswith("handle") and not (isinstance(inside, ast.Name) and inside.id == "scratch")


def test_a_handle_is_a_number_in_one_module_only() -> None:
    for path in SOURCES.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            where = f"{path.name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Attribute) and node.attr == "value" and path != SOURCES / "_native" / "handle.py":
                assert not _ends_in_handle(node.value), where
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "call_handle":
                kind = node.args[0]
                assert isinstance(kind, ast.Name), where
                assert kind.id.endswith("Handle"), where
            if isinstance(node, ast.arg) and isinstance(node.annotation, ast.Name) and node.annotation.id == "int":
                assert not node.arg.endswith("handle"), where


def test_what_was_made_of_a_handle_goes_with_it() -> None:
    with Database(":memory:") as db:
        db.create_tables(Note)
        completions: list[WriteCompletion] = []
        with db.queue() as queue, queue.listen(completions.append):
            batch = queue.begin()
            batch.insert(Note(text="x"))
            batch.commit().result()
            del batch
            queue.flush()
        assert [completion.error for completion in completions] == [None]
