"""Calls by chance, over several handles and processes on one file, against a model in memory: Python's, of which one
reads by a cache, C's and Swift's.

CORMORANT_EXAMPLES says how many sequences are tried, CORMORANT_SEED which. What fails is made as short as can be and
shown as a program; the same seed shows it again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from cormorant import Cipher, Column, Database, Error, Model, UniqueViolation, column
from counts import done
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("CORMORANT_C_BUILD", ROOT / "build")) / "Tests/C"
SWIFT = Path(os.environ.get("CORMORANT_SWIFT_BUILD", ROOT / ".build/test")) / "debug"
EXAMPLES = int(os.environ.get("CORMORANT_EXAMPLES", "2"))
QUICK = bool(os.environ.get("CORMORANT_NO_SHRINKING"))
SEED = int(os.environ.get("CORMORANT_SEED", "1"))
# Nothing here is about the disk.
MEMORY = "/dev/shm"
KEY = "x'" + "5A" * 48 + "'"


class Item(Model):
    id: Column[int] = column(primary_key=True)
    name: Column[str]
    n: Column[int]


class Companion:
    """A program in another language that does what it is told."""

    def __init__(self, program: Path, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [str(program), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"SWIFT_BACKTRACE": "enable=no"},
        )

    def ask(self, *words: object) -> str:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n")
        assert answer and not answer.startswith("error"), (words, answer, self.process.poll())
        return answer

    def kill(self) -> list[int]:
        """What a writer was told is committed."""
        self.process.kill()
        output, _ = self.process.communicate()
        return [int(line) for line in output.split("\n")[:-1]]


companions: dict[str, Companion] = {}
keys = st.integers(1, 12)
numbers = st.integers(-(2**40), 2**40)
names = st.text(max_size=12)
plain_names = st.text("abcXYZ0189_äß名", min_size=1, max_size=12)
handles = st.integers(0, 2)


class Machine(RuleBasedStateMachine):
    cipher: ClassVar[Cipher | None] = None
    journal: ClassVar[str] = "wal"
    beside: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="corm-stateful-", dir=MEMORY if os.path.isdir(MEMORY) else None))
        self.path = self.folder / "a.db"
        self.model: dict[int, tuple[str, int]] = {}
        self.stored: dict[str, Any] = {}
        self.handles: list[Database] = []
        self.writers: list[Companion] = []

    def count(self, what: str) -> None:
        done[what] = done.get(what, 0) + 1

    def open(self, number: int) -> Database:
        options: Any = {"cipher": self.cipher, "journal_mode": self.journal, "busy_timeout": 30, "synchronous": "full"}
        database = Database(self.path, **options, reader_count=(0, 4, 1)[number])
        if number == 1 and self.journal == "wal":
            database.set_cache(Item, max_count=8, max_bytes=100_000)
        return database

    @initialize()
    def begin(self) -> None:
        self.handles = [self.open(0)]
        self.handles[0].create_tables(Item)
        self.handles[0].execute("CREATE TABLE other (n INTEGER PRIMARY KEY)")
        self.handles += [self.open(1), self.open(2)]
        for companion in companions.values():
            assert companion.ask("open", self.path, KEY if self.cipher else "-", self.journal) == "ok"
        if self.beside:
            key = KEY if self.cipher else "-"
            programs = [(PROGRAMS / "companion", 1_000_000), (SWIFT / "companion", 2_000_000)]
            self.writers = [Companion(program, self.path, key, first) for program, first in programs]

    # Records ------------------------------------------------------------------------------------------------------

    @rule(at=handles, id=keys, name=names, n=numbers)
    def insert(self, at: int, id: int, name: str, n: int) -> None:
        self.count("insert")
        try:
            self.handles[at].insert(Item(id=id, name=name, n=n))
        except UniqueViolation:
            assert id in self.model
        else:
            assert id not in self.model
            self.model[id] = (name, n)

    @rule(at=handles, id=keys, name=names, n=numbers)
    def save(self, at: int, id: int, name: str, n: int) -> None:
        self.count("save")
        self.handles[at].save(Item(id=id, name=name, n=n))
        self.model[id] = (name, n)

    @rule(at=handles, id=keys, name=names)
    def update(self, at: int, id: int, name: str) -> None:
        self.count("update")
        item = self.handles[at].find(Item, id)
        assert (item is not None) == (id in self.model)
        if item is not None:
            assert (item.name, item.n) == self.model[id]
            item.name = name
            self.handles[at].update(item, Item.name)
            self.model[id] = (name, item.n)

    @rule(at=handles, id=keys)
    def delete(self, at: int, id: int) -> None:
        self.count("delete")
        assert self.handles[at].delete_key(Item, id) == (self.model.pop(id, None) is not None)

    @rule(at=handles, rows=st.lists(st.tuples(keys, names, numbers), max_size=6))
    def insert_many(self, at: int, rows: list[tuple[int, str, int]]) -> None:
        self.count("insert_many")
        fits = len({id for id, _, _ in rows}) == len(rows) and not any(id in self.model for id, _, _ in rows)
        try:
            self.handles[at].insert_many([Item(id=id, name=name, n=n) for id, name, n in rows])
        except UniqueViolation:
            assert not fits
        else:
            assert fits
            self.model |= {id: (name, n) for id, name, n in rows}

    @rule(at=handles, limit=numbers)
    def change_all(self, at: int, limit: int) -> None:
        self.count("statements")
        changed = self.handles[at].execute("UPDATE item SET n = n / 2 WHERE n > ?", [limit])
        wanted = [id for id, (_, n) in self.model.items() if n > limit]
        assert changed == len(wanted)
        for id in wanted:
            name, n = self.model[id]
            self.model[id] = (name, int(n / 2) if abs(n) < 2**50 else n)

    # Transactions -------------------------------------------------------------------------------------------------

    @rule(at=handles, id=keys, name=names, inner=st.booleans(), outer=st.booleans(), other=keys)
    def transaction(self, at: int, id: int, name: str, inner: bool, outer: bool, other: int) -> None:
        """A transaction in another, each of which may be undone."""
        self.count("transactions")
        database, before = self.handles[at], dict(self.model)

        class Undo(Exception):
            pass

        try:
            with database.transaction():
                database.save(Item(id=id, name=name, n=1))
                self.model[id] = (name, 1)
                between = dict(self.model)
                try:
                    with database.transaction():
                        if database.delete_key(Item, other):
                            del self.model[other]
                        assert other not in self.model
                        if not inner:
                            raise Undo
                except Undo:
                    self.model = between
                assert database.count(Item) == len(self.model)
                if not outer:
                    raise Undo
        except Undo:
            self.model = before

    @rule(at=handles, id=keys)
    def snapshot(self, at: int, id: int) -> None:
        """Another handle writes meanwhile, and the reader does not see it."""
        if self.journal != "wal" or at == 0:
            return
        self.count("snapshots")
        with self.handles[at].read():
            before = self.handles[at].count(Item)
            self.handles[0].save(Item(id=id, name="new", n=2))
            self.model[id] = ("new", 2)
            assert self.handles[at].count(Item) == before

    # Stores and queues ----------------------------------------------------------------------------------------------

    @rule(
        at=handles,
        key=names,
        value=st.one_of(st.none(), numbers, names, st.binary(max_size=20), st.floats(allow_nan=False)),
    )
    def put(self, at: int, key: str, value: Any) -> None:
        self.count("store")
        self.handles[at].store("s").put(key, value)
        self.stored[key] = value

    @rule(at=handles, key=names)
    def remove(self, at: int, key: str) -> None:
        self.count("store")
        assert self.handles[at].store("s").delete(key) == (key in self.stored)
        self.stored.pop(key, None)

    @rule(at=handles, id=keys, n=numbers)
    def queue(self, at: int, id: int, n: int) -> None:
        self.count("queue")
        with self.handles[at].queue() as queue:
            queue.add(lambda database: database.save(Item(id=id, name="queue", n=n))).result()
        self.model[id] = ("queue", n)

    # Files ----------------------------------------------------------------------------------------------------------

    @rule(at=handles)
    def reopen(self, at: int) -> None:
        self.count("reopen")
        self.handles[at].close()
        self.handles[at] = self.open(at)

    @rule(at=handles, mode=st.sampled_from(["passive", "full", "restart", "truncate"]))
    def checkpoint(self, at: int, mode: Any) -> None:
        self.count("checkpoint")
        self.handles[at].checkpoint(mode)

    @rule(at=handles)
    def vacuum(self, at: int) -> None:
        self.count("vacuum")
        self.handles[at].vacuum()

    @rule(at=handles)
    def backup(self, at: int) -> None:
        self.count("backup")
        copy = self.folder / "copy.db"
        self.handles[at].backup(copy)
        with Database(copy, cipher=self.cipher) as database:
            assert self.rows(database) == self.model
        for left in self.folder.glob("copy.db*"):
            left.unlink()

    # Other programs -------------------------------------------------------------------------------------------------

    @rule(who=st.sampled_from(["C", "Swift"]), id=keys, name=plain_names, n=numbers)
    def they_put(self, who: str, id: int, name: str, n: int) -> None:
        self.count(who)
        companions[who].ask("put", id, name, n)
        self.model[id] = (name, n)

    @rule(who=st.sampled_from(["C", "Swift"]), id=keys, n=st.integers(-1000, 1000))
    def they_add(self, who: str, id: int, n: int) -> None:
        self.count(who)
        assert companions[who].ask("add", id, n) == str(int(id in self.model))
        if id in self.model:
            self.model[id] = (self.model[id][0], self.model[id][1] + n)

    @rule(who=st.sampled_from(["C", "Swift"]), id=keys)
    def they_delete(self, who: str, id: int) -> None:
        self.count(who)
        assert companions[who].ask("delete", id) == str(int(self.model.pop(id, None) is not None))

    @rule(who=st.sampled_from(["C", "Swift"]))
    def they_sum(self, who: str) -> None:
        self.count(who)
        assert companions[who].ask("sum") == f"{len(self.model)} {sum(n for _, n in self.model.values())}"

    # What holds always ----------------------------------------------------------------------------------------------

    def rows(self, database: Database) -> dict[int, tuple[str, int]]:
        return {item.id: (item.name, item.n) for item in database.fetch_all(Item)}

    @invariant()
    def all_see_the_same(self) -> None:
        for database in self.handles:
            self.count("compared")
            assert self.rows(database) == self.model
            for id in (1, 2, 3):
                item = database.find(Item, id)
                assert (None if item is None else (item.name, item.n)) == self.model.get(id)

    def teardown(self) -> None:
        try:
            acknowledged = [number for writer in self.writers for number in writer.kill()]
            if self.handles:
                database = self.handles[0]
                store = database.store("s")
                assert {entry.key: entry.value for entry in store.scan()} == self.stored
                written = {row[0] for row in database.query("SELECT n FROM other")}
                assert written >= set(acknowledged)
                done["rows of writers beside"] = done.get("rows of writers beside", 0) + len(acknowledged)
                assert database.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
                if self.cipher is not None:
                    assert database.check_pages() == []
            for companion in companions.values():
                companion.ask("close")
            for database in self.handles:
                database.close()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module", autouse=True)
def programs() -> Any:
    companions.update(C=Companion(PROGRAMS / "companion"), Swift=Companion(SWIFT / "companion"))
    yield
    for companion in companions.values():
        companion.kill()
    companions.clear()


@pytest.mark.parametrize(
    ("journal", "encrypted", "beside"),
    [
        ("wal", False, False),
        ("wal", True, False),
        ("delete", False, False),
        ("delete", True, False),
        ("wal", False, True),
        ("wal", True, True),
    ],
)
def test_against_a_model(journal: str, encrypted: bool, beside: bool) -> None:
    kind = type(
        "Machine", (Machine,), {"cipher": Cipher(KEY) if encrypted else None, "journal": journal, "beside": beside}
    )
    run: Callable[..., None] = run_state_machine_as_test
    chosen = settings(
        max_examples=EXAMPLES,
        stateful_step_count=30,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink][: 1 if QUICK else 2],
        suppress_health_check=list(HealthCheck),
    )
    run(seed(SEED)(kind), settings=chosen)


def test_it_can_fail() -> None:
    """A row that comes past the model is seen."""

    class Wrong(Machine):
        @rule()
        def cheat(self) -> None:
            self.handles[0].execute("INSERT INTO item VALUES (99, 'x', 1)")

    with pytest.raises((AssertionError, Error)):
        run_state_machine_as_test(
            seed(SEED)(Wrong),
            settings=settings(
                max_examples=20,
                database=None,
                deadline=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )
