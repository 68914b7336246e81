"""Rebuilding every table of a random schema, there and back, leaves the schema and all rows as they were."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from conftest import dump, make
from cormorant import Database, Plan, Schema
from random_schemas import RandomSchema

SEEDS = int(os.environ.get("CORMORANT_SEEDS", "200"))
PER_TEST = 20


@pytest.mark.parametrize("first", range(0, SEEDS, PER_TEST))
def test_a_rebuild_loses_nothing(tmp_path: Path, first: int) -> None:
    for seed in range(first, min(first + PER_TEST, SEEDS)):
        path = tmp_path / f"{seed}.db"
        schema = RandomSchema(seed)
        make(path, schema.sql)
        connection = sqlite3.connect(path)
        schema.fill(connection)
        connection.close()
        there_and_back(path, schema, seed)


def there_and_back(path: Path, schema: RandomSchema, seed: int) -> None:
    before = dump(path)
    with Database(path) as db:
        assert db.schema() == Schema.parse(schema.sql), f"seed {seed}"
        for target in (schema.changed, schema.sql):
            may_go = [f"check:{table}" for table, _ in schema.tables]
            plan = Plan.between(db.schema(), Schema.parse(target), database=db, allow_drop=may_go)
            assert len(plan.steps) == len(schema.tables), f"seed {seed}: {plan}"
            plan.apply(db)
            assert db.schema() == Schema.parse(target), f"seed {seed}"
    assert dump(path) == before, f"seed {seed}"
