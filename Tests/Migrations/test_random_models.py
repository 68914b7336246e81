"""A random walk of model changes, by sync or by steps, ends where a fresh file begins, and leads back to the start."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import check, rows
from cormorant import Bundle, Column, Database, Model, Plan, Schema, column

SEEDS = int(os.environ.get("CORMORANT_SEEDS", "200")) // 10
TYPES: list[Any] = [int, str, float, bytes]
# Every value that a column may hold becomes one of the other type.
CONVERT = {int: "length(CAST({} AS TEXT))", str: "CAST({} AS TEXT)", float: "1.5", bytes: "CAST({} AS BLOB)"}


class Walk:
    """The columns of one table through its versions; each version is a model with the annotations that lead to it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.columns: dict[str, dict[str, Any]] = {"first": {"type": str, "optional": True}}
        self.names = (f"c{number}" for number in range(1000))
        self.dropped: list[str] = []
        self.changes: dict[str, dict[str, Any]] = {}

    def step(self) -> None:
        self.dropped, self.changes = [], {}
        for _ in range(self.random.randint(1, 3)):
            self.random.choice([self.add, self.add, self.drop, self.rename, self.retype, self.tighten, self.decorate])()

    def some(self) -> str | None:
        untouched = [name for name in self.columns if name not in self.changes]
        return self.random.choice(untouched) if len(untouched) > 1 else None

    def add(self) -> None:
        name = next(self.names)
        self.columns[name] = {"type": self.random.choice(TYPES), "optional": self.random.random() < 0.5}
        if not self.columns[name]["optional"]:
            self.columns[name]["default_sql"] = "'7'"
        self.changes[name] = {}

    def drop(self) -> None:
        if name := self.some():
            del self.columns[name]
            self.dropped.append(name)

    def rename(self) -> None:
        if name := self.some():
            new = next(self.names)
            self.columns[new] = self.columns.pop(name)
            self.changes[new] = {"renamed_from": name}

    def retype(self) -> None:
        if name := self.some():
            new = self.random.choice([one for one in TYPES if one is not self.columns[name]["type"]])
            self.columns[name]["type"] = new
            self.changes[name] = {"convert_sql": CONVERT[new].format(name)}

    def tighten(self) -> None:
        if name := self.some():
            self.columns[name]["optional"] = not self.columns[name]["optional"]
            self.changes[name] = {} if self.columns[name]["optional"] else {"convert_sql": f"coalesce({name}, 0)"}

    def decorate(self) -> None:
        if name := self.some():
            what = self.random.choice(["index", "default_sql", "check", "collate"])
            if self.columns[name].pop(what, None) is None:
                values = {"index": True, "default_sql": "'5'", "check": f"{name} IS NOT 'no'", "collate": "NOCASE"}
                self.columns[name][what] = values[what]
            self.changes[name] = {}

    def model(self) -> type[Model]:
        annotations: dict[str, Any] = {"id": Column[int | None]}
        body: dict[str, Any] = {"id": column(primary_key=True, default=None, kw_only=True), "__module__": __name__}
        for name, column_ in self.columns.items():
            options = {key: value for key, value in column_.items() if key not in ("type", "optional")}
            if "check" in options:
                options["check"] = f"{name} IS NOT 'no'"
            annotations[name] = Column[column_["type"] | None] if column_["optional"] else Column[column_["type"]]
            body[name] = column(kw_only=True, **options, **self.changes.get(name, {}))
        return type("Thing", (Model,), {"__annotations__": annotations, **body}, allow_drop=self.dropped)  # type: ignore[call-overload, no-any-return]


def insert(db: Database, walk: Walk) -> None:
    names = [name for name, one in walk.columns.items() if not one["optional"] or walk.random.random() < 0.7]
    values = {int: 5, str: "text", float: 2.5, bytes: b"\x01"}
    places = ", ".join("?" for _ in names)
    if names:
        chosen = [values[walk.columns[name]["type"]] for name in names]
        db.execute(f"INSERT INTO thing ({', '.join(names)}) VALUES ({places})", chosen)
    else:
        db.execute("INSERT INTO thing DEFAULT VALUES")


@pytest.mark.parametrize("seed", range(SEEDS))
def test_sync_ends_where_a_fresh_file_begins(path: Path, seed: int) -> None:
    walk = Walk(seed)
    with Database(path) as db:
        for version in range(8):
            model = walk.model()
            db.sync(model)
            assert not db.sync(model), f"a second sync, version {version}"
            assert not db.plan(model), f"a plan after sync, version {version}"
            assert db.schema() == Schema.of(model), f"version {version}: {Plan.between(db.schema(), Schema.of(model))}"
            assert db.query("SELECT count(*) FROM thing").fetch_all() == [(version,)]
            insert(db, walk)
            walk.step()
    check(path)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_steps_end_where_a_fresh_file_begins_and_lead_back(path: Path, tmp_path: Path, seed: int) -> None:
    walk, folder = Walk(seed), tmp_path / "migrations"
    with Database(path) as db:
        schemas = []
        for version in range(6):
            model = walk.model()
            if not Bundle.generate(folder, f"v{version}", model):
                walk.step()
                continue
            Bundle(folder).apply(db, allow_lossy=True)
            assert db.schema() == Schema.of(model), f"version {version}"
            schemas.append(db.schema())
            insert(db, walk)
            walk.step()
        count = rows(path, "SELECT count(*) FROM thing")
        ids = [state.id for state in Bundle(folder).status(db)]
        for place in range(len(ids) - 2, -1, -1):
            Bundle(folder).revert(db, ids[place], allow_lossy=True)
            assert db.schema() == schemas[place], f"back to {ids[place]}"
            assert rows(path, "SELECT count(*) FROM thing") == count
        check(path)
        Bundle(folder).revert(db, None, allow_lossy=True)
        assert db.schema() == Schema.parse("")
