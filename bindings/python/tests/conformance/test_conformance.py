"""The scenarios that C, Python and Swift share, and the runner's own strictness."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance import FOLDER, Scenario
from conformance_engine import ENGINE, for_engine
from conformance_model import Failure, Json, make_model, members
from encrypted import KEY

from cormorant import sqlite_version

# Scenarios about encryption say themselves what is encrypted, and those about damage that nothing is.
NONE = (
    ("edge-values.json", "encryption.json", "damaged-files.json", "plain-files.json") if KEY else ("edge-values.json",)
)
FILES = sorted(path for path in FOLDER.glob("*.json") if path.name not in NONE)
CASES = [(path, scenario["name"]) for path in FILES for scenario in json.loads(path.read_text())["scenarios"]]


def run(document: Json, name: str, tell: Callable[[str], object] = str) -> None:
    members(document, "models setup scenarios engines", "the file")
    document["scenarios"] = [item for item in document["scenarios"] if item["name"] == name]
    document = for_engine(document, tell)
    if not document["scenarios"]:
        pytest.skip(f"not on {ENGINE}")
    scenario = document["scenarios"][0]
    members(scenario, "name steps sqlite", "the scenario")
    if "sqlite" in scenario:
        word, limit = scenario["sqlite"].split()
        if (word == "from") != (_numbers(sqlite_version()) >= _numbers(limit)):
            pytest.skip(f"SQLite is {sqlite_version()}")
    running = Scenario({item["name"]: make_model(item) for item in document.get("models", [])})
    try:
        running.run([*document.get("setup", []), *scenario["steps"]])
    finally:
        running.close()


def _numbers(version: str) -> list[int]:
    return list(map(int, version.split(".")))


@pytest.mark.parametrize(("path", "name"), CASES, ids=[f"{path.stem}: {name}" for path, name in CASES])
def test_scenario(path: Path, name: str, record_property: Callable[[str, object], None]) -> None:
    run(json.loads(path.read_text()), name, lambda reason: record_property("left out", reason))


def _reasons(item: Any, kind: str) -> set[str]:
    """What the objects say that are for one engine (kind: engines), or have other members on PostgreSQL (postgres)."""
    found: set[str] = set()
    if isinstance(item, dict):
        if kind in item:
            found.add(str((item["postgres"] if kind == "postgres" else item)["because"]))
        item = list(item.values())
    return found.union(*(_reasons(part, kind) for part in item)) if isinstance(item, list) else found


HEADS = {"Differences": "matter", "What only SQLite has": "not on PostgreSQL"}


def _lines(page: str, title: str) -> set[str]:
    """The first column of the table under a title."""
    section = page.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return {line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")} - {HEADS[title]}


def test_what_differs_on_postgresql_stands_in_its_page() -> None:
    """And nothing else: each reason of a scenario is a line of its tables, and each line the reason of a scenario."""
    page = (FOLDER.parents[1] / "docs" / "postgresql.md").read_text()
    differences, lacks = _lines(page, "Differences"), _lines(page, "What only SQLite has")
    documents = [json.loads(path.read_text()) for path in FOLDER.glob("*.json") if path.name != "edge-values.json"]
    own = {"SQL as written"}
    of_one = set[str]().union(*(_reasons(document, "engines") for document in documents)) - own
    otherwise = set[str]().union(*(_reasons(document, "postgres") for document in documents)) - own
    assert otherwise <= differences
    assert of_one | otherwise == differences | lacks


def test_there_are_scenarios() -> None:
    assert len(CASES) > 50


def test_edge_values_are_written_and_read(path: Path) -> None:
    program = Path(__file__).parents[1] / "support" / "edge_values.py"
    for command in ("write", "read"):
        done = subprocess.run([sys.executable, program, command, path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("ok ")
    missing = subprocess.run([sys.executable, program, "read", path.parent / "x.db"], capture_output=True, check=False)
    assert missing.returncode == 1


LOAD: Json = {"do": "load", "model": "Person", "records": [{"id": 1}], "levels": [{"relation": "friends"}]}


@pytest.mark.parametrize(
    "step",
    [
        {"do": "dance"},
        {"do": "count", "model": "Person", "extra": 1},
        {"do": "count", "model": "Person", "expect": {"sum": 1}},
        {"do": "count", "model": "Person", "expect": {"count": 1}},
        {"do": "count", "model": "Person", "expect": {"error": {"code": "CORM_E_SQL"}}},
        {"do": "insert", "model": "Person", "record": {"unknown": 1}},
        {"do": "insert", "model": "Person", "record": {"name": "a"}, "expect": {"record": {"id": 2}}},
        {"do": "insert", "model": "Person", "record": {}, "expect": {"error": {"code": "CORM_E_UNIQUE"}}},
        {"do": "query", "sql": "SELECT 1.0", "expect": {"rows": [[1]]}},
        {"do": "query", "sql": "SELECT 1", "expect": {"rows": [[1], [1]]}},
        {"do": "fetchAll", "model": "Person", "expect": {"records": [{}]}},
        {**LOAD, "expect": {"statements": 2}},
        {**LOAD, "expect": {"count": 1}},
        {**LOAD, "expect": {"related": []}},
        {**LOAD, "expect": {"related": [[{"id": 1}]]}},
        {**LOAD, "levels": [{"relation": "friends", "order": []}]},
    ],
)
def test_a_scenario_that_does_not_hold_fails(step: Any) -> None:
    columns = [{"name": "id", "type": "int64", "primaryKey": True}, {"name": "name", "type": "text", "notNull": True}]
    columns.append({"name": "friendId", "type": "int64", "referencesTable": "person"})
    friends = {"name": "friends", "kind": "toMany", "target": "Person"}
    models = [{"name": "Person", "columns": columns, "relations": [friends]}]
    steps = [{"do": "createTables", "models": ["Person"]}, step]
    with pytest.raises(Failure, match="step 1"):
        run({"models": models, "scenarios": [{"name": "wrong", "steps": steps}]}, "wrong")
