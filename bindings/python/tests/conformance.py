"""Runs the scenarios of Tests/Conformance; its README says what they mean."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from conformance_model import Failure, Json, held, make_model, members, same, value

from cormorant import Database, Error, Model, Transaction

FOLDER = Path(__file__).parents[3] / "Tests" / "Conformance"

QUERY = "model sql bindings where orderBy limit offset"
RECORDS = "model records generate"


class Scenario:
    """One scenario on a database of its own."""

    def __init__(self, models: dict[str, type[Model]]) -> None:
        self.models = models
        self.folder = Path(tempfile.mkdtemp())
        self.db = Database(self.folder / "test.db")
        self.transactions: list[Transaction] = []

    def close(self) -> None:
        self.db.close()
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
        members(step, f"do expect {allowed}", "the step")
        members(expect, f"error {results}", "expect")
        if "error" not in expect:
            found = function(self, step)
            for name in set(expect) - {"note"}:
                self.check(step, name, found, expect[name])
            return
        try:
            function(self, step)
        except Error as error:
            check_error(error, expect["error"])
        else:
            raise Failure(f"no error, expected {expect['error']}")

    def check(self, step: Json, name: str, found: Json, expected: Any) -> None:
        if name == "record":
            self.compare(step, found["record"], expected)
        elif name == "records":
            if len(found["records"]) != len(expected):
                raise Failure(f"{len(found['records'])} records, expected {len(expected)}: {found['records']}")
            for record, wanted in zip(found["records"], expected):
                self.compare(step, record, wanted)
        elif name == "contains":
            for part in expected:
                if value(part) not in found["sql"]:
                    raise Failure(f"no {part!r} in {found['sql']}")
        elif name == "lacks":
            for part in expected:
                if value(part) in found["sql"]:
                    raise Failure(f"{part!r} in {found['sql']}")
        elif name == "rows":
            rows = [[value(item) for item in row] for row in expected]
            if len(rows) != len(found["rows"]) or not all(
                same(*pair) for row, wanted in zip(found["rows"], rows) for pair in zip(list(row), wanted, strict=True)
            ):
                raise Failure(f"rows {found['rows']}, expected {rows}")
        elif not same(found[name], value(expected)):
            raise Failure(f"{name} is {found[name]!r}, expected {expected!r}")

    def compare(self, step: Json, record: Model | None, expected: Json) -> None:
        kinds = self.kinds(step["model"])
        for name, wanted in expected.items():
            if name == "note":
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
        kinds = self.kinds(step["model"])
        members(given, " ".join(kinds), "a record")
        return self.model(step)(**{name: held(kinds[name], value(item, number)) for name, item in given.items()})

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

    def query(self, step: Json) -> Json:
        options: Json = {}
        if "sql" in step:
            options["sql"] = value(step["sql"])
            options["bindings"] = bindings(step)
        elif "where" in step:
            kinds = self.kinds(step["model"])
            options["bindings"] = {name: held(kinds.get(name, ""), value(item)) for name, item in step["where"].items()}
        names = {"orderBy": "order_by", "limit": "limit", "offset": "offset"}
        return options | {names[name]: step[name] for name in names if name in step}


def bindings(step: Json) -> Any:
    given = step.get("bindings", [])
    if isinstance(given, dict):
        return {name: value(item) for name, item in given.items()}
    return [value(item) for item in given]


def check_error(error: Error, expected: Json) -> None:
    members(expected, "code table columns constraint recordIndex offset hasHint messageContains", "error")
    found = {
        "code": error.code, "table": error.table, "columns": error.columns, "constraint": error.constraint,
        "recordIndex": error.record_index, "offset": error.offset, "hasHint": error.hint is not None,
    }  # fmt: skip
    for name, wanted in expected.items():
        if name == "messageContains":
            if missing := [part for part in map(value, wanted) if part not in error.message]:
                raise Failure(f"no {missing} in the message {error.message!r}")
        elif name != "note" and not same(found[name], value(wanted)):
            raise Failure(f"the error's {name} is {found[name]!r}, expected {wanted!r}: {error}")


Step = Callable[[Scenario, Json], Json]


def _after(call: Callable[..., object]) -> Step:
    """A step that returns its record as it is after the call."""

    def run(self: Scenario, step: Json) -> Json:
        record = self.record(step, step["record"])
        call(self.db, record, *step.get("properties", []))
        return {"record": record}

    return run


def _after_many(call: Callable[..., object]) -> Step:
    def run(self: Scenario, step: Json) -> Json:
        records = self.records(step)
        return {"count": call(self.db, records, *step.get("properties", [])), "records": records}

    return run


def _insert(self: Scenario, step: Json) -> Json:
    record = self.record(step, step["record"])
    ignored = not self.db.insert(record, step.get("conflict", "abort"))
    if ignored and "ignored" not in step.get("expect", {}):
        raise Failure("ignored")
    return {"record": record, "ignored": ignored}


def _insert_many(self: Scenario, step: Json) -> Json:
    records = self.records(step)
    return {"count": self.db.insert_many(records, step.get("conflict", "abort")), "records": records}


def _fetch_all(self: Scenario, step: Json) -> Json:
    found = self.db.fetch_all(self.model(step), **self.query(step))
    return {"records": found, "count": len(found)}


def _stream(self: Scenario, step: Json) -> Json:
    found = list(self.db.cursor(self.model(step), **self.query(step)))
    return {"records": found, "count": len(found)}


def _found(record: Model | None) -> Json:
    return {"record": record, "found": record is not None}


def _max_key(self: Scenario, step: Json) -> Json:
    found = self.db.max_key(self.model(step))
    return {"found": found is not None, "value": str(found) if isinstance(found, uuid.UUID | Decimal) else found}


def _count(self: Scenario, step: Json) -> Json:
    return {"count": self.db.count(self.model(step) if "model" in step else None, **self.query(step))}


def _page_count(self: Scenario, step: Json) -> Json:
    model = self.model(step) if "model" in step else None
    return {"count": self.db.page_count(model, page_size=step["pageSize"], **self.query(step))}


def _describe(self: Scenario, step: Json) -> Json:
    info = self.model(step).__model__
    return {
        "table": info.table,
        "columns": [item.column_name for item in info.columns],
        "properties": [item.name for item in info.columns],
        "key": list(info.key),
        "generatesKey": info.generates_key,
    }


def _query(self: Scenario, step: Json) -> Json:
    result = self.db.query(value(step["sql"]), bindings(step))
    return {"columns": list(result.columns), "rows": result.fetch_all()}


def _begin(self: Scenario, step: Json) -> Json:
    transaction = self.db.transaction(step.get("kind", "immediate"))
    transaction.__enter__()
    self.transactions.append(transaction)
    return {}


def _reopen(self: Scenario, step: Json) -> Json:
    modes: Json = {"create": "create", "readWrite": "read_write", "readOnly": "read_only"}
    self.db.close()
    self.db = Database(self.folder / "test.db", mode=modes[step.get("mode", "create")])
    return {}


def _none(call: Callable[[Scenario, Json], object]) -> Step:
    def run(self: Scenario, step: Json) -> Json:
        call(self, step)
        return {}

    return run


# Each step: what runs it, its members, the members of its `expect`.
STEPS: dict[str, tuple[Step, str, str]] = {
    "createTables": (_none(lambda s, step: s.db.create_tables(*[s.models[n] for n in step["models"]])), "models", ""),
    "tableExists": (lambda s, step: {"found": s.db.table_exists(s.model(step))}, "model", "found"),
    "makeModel": (_none(lambda s, step: make_model(step["definition"])), "definition", ""),
    "describe": (_describe, "model", "table columns properties key generatesKey"),
    "createSQL": (lambda s, step: {"sql": s.model(step).__model__.create_sql}, "model", "contains lacks"),
    "insert": (_insert, "model record conflict", "record ignored"),
    "save": (_after(Database.save), "model record", "record"),
    "refresh": (_after(Database.refresh), "model record", "record"),
    "update": (_after(Database.update), "model record properties", "record"),
    "delete": (lambda s, step: {"found": s.db.delete(s.record(step, step["record"]))}, "model record", "found"),
    "insertMany": (_insert_many, f"{RECORDS} conflict", "count records"),
    "saveMany": (_after_many(Database.save_many), RECORDS, "records"),
    "updateMany": (_after_many(Database.update_many), f"{RECORDS} properties", "records"),
    "deleteMany": (_after_many(Database.delete_many), RECORDS, "count"),
    "deleteKey": (lambda s, step: {"found": s.db.delete_key(s.model(step), *s.key(step))}, "model key", "found"),
    "exists": (lambda s, step: {"found": s.db.exists(s.model(step), *s.key(step))}, "model key", "found"),
    "find": (lambda s, step: _found(s.db.find(s.model(step), *s.key(step))), "model key", "found record"),
    "deleteAll": (lambda s, step: {"count": s.db.delete_all(s.model(step))}, "model", "count"),
    "fetchAll": (_fetch_all, QUERY, "records count"),
    "fetchOne": (lambda s, step: _found(s.db.fetch_one(s.model(step), **s.query(step))), QUERY, "found record"),
    "stream": (_stream, QUERY, "records count"),
    "count": (_count, QUERY, "count"),
    "pageCount": (_page_count, f"{QUERY} pageSize", "count"),
    "maxKey": (_max_key, "model", "found value"),
    "execute": (lambda s, t: {"changes": s.db.execute(value(t["sql"]), bindings(t))}, "sql bindings", "changes"),
    "executeScript": (_none(lambda s, step: s.db.execute_script(value(step["sql"]))), "sql", ""),
    "query": (_query, "sql bindings", "columns rows"),
    "begin": (_begin, "kind", ""),
    "commit": (_none(lambda s, _: s.transactions.pop().__exit__(None, None, None)), "", ""),
    "rollback": (_none(lambda s, _: s.transactions.pop().rollback()), "", ""),
    "lastInsertId": (lambda s, _: {"value": s.db.last_insert_id}, "", "value"),
    "changes": (lambda s, _: {"value": s.db.changes}, "", "value"),
    "reopen": (_reopen, "mode", ""),
}  # fmt: skip
