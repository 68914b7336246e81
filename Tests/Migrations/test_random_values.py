"""A plan that is called safe changes no value: types, affinities, defaults and computed columns at random."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from pathlib import Path

import pytest
from conftest import make
from cormorant import Database, Plan, Schema

SEEDS = int(os.environ.get("CORMORANT_SEEDS", "200"))
PER_TEST = 50
TYPES = ["INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC", "VARCHAR(20)", "", "DOUBLE"]
STRICT_TYPES = ["INTEGER", "TEXT", "REAL", "BLOB", "ANY", "INT"]
VALUES = [
    None, 0, 1, -5, 2**62, 2**53 + 1, 1.5, 7.0, 1e300, float("inf"), "text", "7", "007", " 7 ", "1e5",
    "9007199254740993.0", "7\0", "", b"\x00\xff", b"7", b"",
]  # fmt: skip
CHANGES = ["", "NOT NULL DEFAULT 'n/a'", "NOT NULL", "UNIQUE", "COLLATE NOCASE", "CHECK (typeof(a) <> 'blob')"]


def table(pick: random.Random, former: list[str] | None = None) -> tuple[list[str], bool, str]:
    """The columns' types, whether it is STRICT, and the statement."""
    strict = pick.random() < 0.3
    types = [pick.choice(STRICT_TYPES if strict else TYPES) for _ in range(3)]
    if former and pick.random() < 0.7:
        types = [old if not strict or old in STRICT_TYPES else new for old, new in zip(former, types, strict=True)]
    more = [pick.choice(CHANGES) if former and pick.random() < 0.4 else "" for _ in types]
    if former and not strict and pick.random() < 0.1:
        more[2] = "AS (b)"
    columns = ", ".join(f"{name} {kind} {end}" for name, kind, end in zip("abc", types, more, strict=True))
    return types, strict, f"CREATE TABLE t (id INTEGER PRIMARY KEY, {columns}) {'STRICT' if strict else ''};"


def stored(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute(
        "SELECT typeof(a), quote(a), typeof(b), quote(b), typeof(c), quote(c) FROM t ORDER BY id"
    )
    rows = found.fetchall()
    connection.close()
    return rows


def fill(path: Path, pick: random.Random) -> None:
    connection = sqlite3.connect(path)
    for _ in range(pick.randint(0, 8)):
        with contextlib.suppress(sqlite3.IntegrityError):
            connection.execute("INSERT INTO t (a, b, c) VALUES (?, ?, ?)", [pick.choice(VALUES) for _ in "abc"])
    connection.commit()
    connection.close()


def same(before: tuple[object, object], after: tuple[object, object]) -> bool:
    """Whether a value that is stored as another type still says all that it said."""
    if before == after:
        return True
    texts = [str(text).strip("'") for _, text in (before, after)]
    if texts[0] == texts[1]:
        return True
    return "'" not in str(before[1]) and "'" not in str(after[1]) and float(texts[0]) == float(texts[1])


@pytest.mark.parametrize("first", range(0, SEEDS, PER_TEST))
def test_what_is_safe_changes_no_value(tmp_path: Path, first: int) -> None:
    outcomes = {"refused": 0, "safe": 0, "annotated": 0}
    for seed in range(first, min(first + PER_TEST, SEEDS)):
        pick, path = random.Random(seed), tmp_path / f"{seed}.db"
        types, _, sql = table(pick)
        make(path, sql)
        fill(path, pick)
        wanted, _, target = table(pick, types)
        before = stored(path)
        with Database(path) as db:
            plan = Plan.between(db.schema(), Schema.parse(target), database=db, allow_drop=["check:t", "unique:t"])
            if plan.problems:
                outcomes["refused"] += 1
                continue
            plan.apply(db)
            assert not Plan.between(db.schema(), Schema.parse(target), database=db)
        outcomes[plan.risk] += 1
        after = stored(path)
        assert len(before) == len(after)
        for old, new in zip(before, after, strict=True):
            for place, kinds in enumerate(zip(types, wanted, strict=True)):
                pair = (old[2 * place], old[2 * place + 1]), (new[2 * place], new[2 * place + 1])
                filled = plan.risk == "annotated" and pair[0][0] == "null"
                kept = pair[0] == pair[1] if kinds[0] == kinds[1] else same(*pair)
                assert kept or filled, f"seed {seed}: {pair} by {sql} -> {target}"
    assert min(outcomes["refused"], outcomes["safe"]) > 0, outcomes
