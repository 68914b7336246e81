"""Runs the scenarios of Tests/Conformance; its README says what they mean."""

from __future__ import annotations

import shutil
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from conformance_engine import Place
from conformance_expression import make_record
from conformance_model import EPOCH, Failure, Json, calls, held, known, members, same, value
from conformance_statement import Builder, bindings_of
from conformance_steps import STEPS, Step, bindings

from cormorant import Bundle, Database, Error, Model, Observer, Registry, Result, Transaction

FOLDER = Path(__file__).parents[4] / "Tests" / "Conformance"


# What steps compare themselves.
CHECKED_BY_STEP = {"storeGet": ("value",), "storeScan": ("keys", "values"), "events": ("events",)}

# What is compared as it stands.
PLAIN = (
    "steps",
    "problems",
    "states",
    "results",
    "names",
    "told",
    "formats",
    "batches",
    "ran",
    "progress",
    "changed",
    "calls",
)


class Scenario:
    """One scenario on a database of its own."""

    folder: Path
    place: Place
    models: dict[str, type[Model]]
    # That of a step's `on`, while the step runs.
    db: Database
    # Those that steps opened or used, by their names.
    others: dict[str, Database]
    registry: Registry
    # What was told of damage.
    damages: list[str]
    observers: dict[str, Observer[Any]]
    # Those that steps left open, and the models of their records.
    cursors: dict[str, tuple[str | None, Result[Any]]]
    transactions: list[Transaction]
    # Of the steps about bundles.
    bundle: Bundle
    # The version that the last storeGet found.
    version: int
    # Of the step that runs, or None.
    statement: Any

    def __init__(self, models: dict[str, type[Model]]) -> None:
        self.damages = []
        self.models = models
        known.update(models)
        calls.clear()
        self.folder = Path(tempfile.mkdtemp())
        self.place = Place(self.folder)
        self.db = Database(self.place.path)
        self.others = {}
        self.observers = {}
        self.cursors = {}
        self.transactions = []
        self.statement = None

    def close(self) -> None:
        for _, cursor in self.cursors.values():
            cursor.close()
        for observer in self.observers.values():
            observer.cancel()
        for database in self.others.values():
            database.close()
        if hasattr(self, "registry"):
            self.registry.close()
        self.db.close()
        self.place.remove()
        shutil.rmtree(self.folder)

    def run(self, steps: list[Json]) -> None:
        for number, step in enumerate(steps):
            try:
                self.step(step)
            except Failure as failure:
                raise Failure(f"step {number}, {step.get('do')}: {failure}") from None
            except Error as error:
                raise Failure(f"step {number}, {step.get('do')}: unexpected {error.code}: {error}") from error

    def step(self, step: Json) -> None:
        if step["do"] not in STEPS:
            raise Failure("unknown step")
        function, allowed, results = STEPS[step["do"]]
        expect = step.get("expect", {})
        members(step, f"do on expect {allowed}", "the step")
        members(expect, f"error ran {results}", "expect")
        if "error" not in expect:
            found = self.perform(function, step)
            for name in set(expect) - {"note", "because", *CHECKED_BY_STEP.get(step["do"], ())}:
                self.check(step, name, found, expect[name])
            return
        try:
            self.perform(function, step)
        except Error as error:
            check_error(error, expect["error"])
        else:
            raise Failure(f"no error, expected {expect['error']}")

    def perform(self, function: Step, step: Json) -> Json:
        self.statement = Builder(self.models).statement(step["statement"]) if "statement" in step else None
        own = self.db
        self.db = self.others[step["on"]] if "on" in step else own
        try:
            found = self.traced(function, step) if "ran" in step.get("expect", {}) else function(self, step)
        finally:
            self.db = own if "on" in step else self.db
        return found if self.statement is None else found | dict(zip(("sql", "bindings"), self.statement.sql))

    def traced(self, function: Step, step: Json) -> Json:
        ran: list[str] = []
        with self.db.tracing(lambda sql, _: ran.append(sql)):
            return function(self, step) | {"ran": ran}

    def check(self, step: Json, name: str, found: Json, expected: Any) -> None:
        if name == "record":
            self.compare(found if "model" in found else step, found["record"], expected)
        elif name == "records":
            if len(found["records"]) != len(expected):
                raise Failure(f"{len(found['records'])} records, expected {len(expected)}: {found['records']}")
            for record, wanted in zip(found["records"], expected):
                self.compare(step, record, wanted)
        elif name == "related":
            self.check_related(found["related"], expected)
        elif name in PLAIN:
            if found[name] != expected:
                raise Failure(f"{name} are {found[name]}, expected {expected}")
        elif name in ("contains", "lacks"):
            text = found["tree"] if "tree" in found else found["sql"]
            for part in expected:
                if (value(part) in text) != (name == "contains"):
                    raise Failure(f"{name} {part!r} does not hold for {text}")
        elif name == "bindings":
            wanted = bindings_of(expected)
            if len(found[name]) != len(wanted) or not all(map(same, found[name], wanted)):
                raise Failure(f"bindings {found[name]}, expected {wanted}")
        elif name == "row":
            if found["row"] is None or not all(map(same, found["row"], map(value, expected))):
                raise Failure(f"the row is {found['row']}, expected {expected}")
        elif name == "rows" and isinstance(expected, list):
            rows = [[value(item) for item in row] for row in expected]
            if len(rows) != len(found["rows"]) or not all(
                same(*pair) for row, wanted in zip(found["rows"], rows) for pair in zip(list(row), wanted, strict=True)
            ):
                raise Failure(f"rows {found['rows']}, expected {rows}")
        elif not same(found[name], value(expected)):
            raise Failure(f"{name} is {found[name]!r}, expected {expected!r}")

    def check_related(self, found: list[Any], expected: list[Any]) -> None:
        """Lists of records, of pairs of a record and the list below it, or of such lists."""
        if len(found) != len(expected):
            raise Failure(f"{len(found)} are related, expected {len(expected)}: {found}")
        for item, wanted in zip(found, expected):
            if isinstance(item, list):
                self.check_related(item, wanted)
                continue
            record, below = item if isinstance(item, tuple) else (item, None)
            if below is not None:
                wanted = dict(wanted)
                self.check_related(below, wanted.pop("related"))
            self.compare({"model": type(record).__name__}, record, wanted)

    def compare(self, step: Json, record: Model | None, expected: Json) -> None:
        kinds = self.kinds(step["model"])
        for name, wanted in expected.items():
            if name in ("note", "because"):
                continue
            if wanted == {"now": True}:
                found = getattr(record, name)
                if not isinstance(found, datetime) or abs(datetime.now(EPOCH.tzinfo) - found) > timedelta(minutes=1):
                    raise Failure(f"{name} is {found!r}, expected the time, in {record!r}")
                continue
            found, wanted = getattr(record, name), held(kinds[name], value(wanted))
            if not same(found, wanted):
                raise Failure(f"{name} is {found!r}, expected {wanted!r}, in {record!r}")

    # What steps name.

    def model(self, step: Json) -> type[Model]:
        return self.models[step["model"]]

    def kinds(self, model: str) -> dict[str, str]:
        return {item.name: item.type_name for item in self.models[model].__model__.columns}

    def record(self, step: Json, given: Json, number: int = -1) -> Model:
        return make_record(self.model(step), given, number)

    def records(self, step: Json) -> list[Model]:
        if "records" in step:
            return [self.record(step, item) for item in step["records"]]
        generate = step["generate"]
        members(generate, "count record except", "generate")
        other = {item["at"]: item["record"] for item in generate.get("except", [])}
        return [self.record(step, {**generate["record"], **other.get(i, {})}, i) for i in range(generate["count"])]

    def key(self, step: Json) -> list[Any]:
        info, kinds = self.model(step).__model__, self.kinds(step["model"])
        names = [*info.key, *[""] * len(step["key"])]
        return [held(kinds.get(name, ""), value(item)) for name, item in zip(names, step["key"])]

    def source(self, step: Json) -> Any:
        """What is queried: a statement, a model, or None for SQL alone."""
        if self.statement is not None:
            return self.statement
        return self.model(step) if "model" in step else None

    def query(self, step: Json) -> Json:
        options: Json = {}
        if self.statement is not None:
            return {"bindings": {name: parameter(item) for name, item in step.get("parameters", {}).items()}}
        if "sql" in step:
            options["sql"] = value(step["sql"])
            options["bindings"] = bindings(step)
        elif "where" in step:
            kinds = self.kinds(step["model"])
            options["bindings"] = {name: held(kinds.get(name, ""), value(item)) for name, item in step["where"].items()}
        names = {"orderBy": "order_by", "limit": "limit", "offset": "offset"}
        return options | {names[name]: step[name] for name in names if name in step}


def parameter(given: Any) -> Any:
    return list(map(value, given)) if isinstance(given, list) else value(given)


def check_error(error: Error, expected: Json) -> None:
    members(expected, "code table columns constraint recordIndex offset hasHint messageContains hintContains", "error")
    found = {
        "code": error.code, "table": error.table, "constraint": error.constraint,
        "columns": ", ".join(error.columns) or None,
        "recordIndex": error.record_index, "offset": error.offset, "hasHint": error.hint is not None,
    }  # fmt: skip
    for name, wanted in expected.items():
        if name == "messageContains":
            if missing := [part for part in map(value, wanted) if part not in error.message]:
                raise Failure(f"no {missing} in the message {error.message!r}")
        elif name == "hintContains":
            if missing := [part for part in wanted if part not in (error.hint or "")]:
                raise Failure(f"no {missing} in the hint {error.hint!r}")
        elif name != "note" and not same(found[name], value(wanted)):
            raise Failure(f"the error's {name} is {found[name]!r}, expected {wanted!r}: {error}")
