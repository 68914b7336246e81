"""The steps of conformance scenarios; Tests/Conformance/README.md says what they mean."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from conformance_database import DATABASE_STEPS
from conformance_migrations import MIGRATION_STEPS
from conformance_model import Failure, Json, calls, make_model, members, value
from conformance_observation import OBSERVATION_STEPS
from conformance_queue import QUEUE_STEPS
from conformance_statement import Builder, filed
from conformance_store import STORE_STEPS

from cormorant import Database, Model, NotLoadedError, ToMany, read_json, write_json

if TYPE_CHECKING:
    from conformance import Scenario

QUERY = "model sql bindings statement parameters where orderBy limit offset"
RECORDS = "model records generate"
COMPILED = "sql bindings"
JSON = "model text path names refuseUnknown lines"


def bindings(step: Json) -> Any:
    given = step.get("bindings", [])
    if isinstance(given, dict):
        return {name: value(item) for name, item in given.items()}
    return [value(item) for item in given]


Step = Callable[["Scenario", Json], Json]


def _listed(step: Json) -> list[list[str]]:
    """The list of properties, where there is one."""
    return [step["properties"]] if "properties" in step else []


def _after(call: Callable[..., object]) -> Step:
    """A step that returns its record as it is after the call."""

    def run(self: Scenario, step: Json) -> Json:
        record = self.record(step, step["record"])
        call(self.db, record, *_listed(step))
        return {"record": record}

    return run


def _after_many(call: Callable[..., object]) -> Step:
    def run(self: Scenario, step: Json) -> Json:
        records = self.records(step)
        return {"count": call(self.db, records, *_listed(step)), "records": records}

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


def _update_changes(self: Scenario, step: Json) -> Json:
    record, since = self.record(step, step["record"]), self.record(step, step["since"])
    changed = self.db.update_changes(record, since)
    return {"record": record, "changed": ", ".join(changed) or None}


def _upsert(self: Scenario, step: Json) -> Json:
    record = self.record(step, step["record"])
    self.db.upsert(record, step.get("unique", ()), step.get("keep", ()))
    return {"record": record}


def _upsert_many(self: Scenario, step: Json) -> Json:
    records = self.records(step)
    self.db.upsert_many(records, step.get("unique", ()), step.get("keep", ()))
    return {"records": records}


def _get_or_create(self: Scenario, step: Json) -> Json:
    record, created = self.db.get_or_create(self.record(step, step["record"]), step.get("unique", ()))
    return {"record": record, "found": not created}


def _get_or_create_many(self: Scenario, step: Json) -> Json:
    records = self.records(step)
    return {"count": self.db.get_or_create_many(records, step.get("unique", ())), "records": records}


def _fetch_all(self: Scenario, step: Json) -> Json:
    found = self.db.fetch_all(self.source(step), **self.query(step), **into(self, step))
    return {"records": found, "count": len(found)}


def _fetch_one(self: Scenario, step: Json) -> Json:
    return _found(self.db.fetch_one(self.source(step), **self.query(step), **into(self, step)))


def _stream(self: Scenario, step: Json) -> Json:
    found = list(self.db.cursor(self.source(step), **self.query(step), **into(self, step)))
    return {"records": found, "count": len(found)}


def _open_cursor(self: Scenario, step: Json) -> None:
    query = self.query(step)
    if "model" not in step and self.statement is None:
        self.cursors[step["as"]] = None, self.db.query(query["sql"], query["bindings"])
        return
    if "model" in step:
        self.cursors[step["as"]] = step["model"], self.db.cursor(self.source(step), **query, **into(self, step))
    else:
        self.cursors[step["as"]] = None, self.db.cursor(self.statement, **query).tuples()


def _next(self: Scenario, step: Json) -> Json:
    model, cursor = self.cursors[step["of"]]
    row = cursor.fetch_one()
    found = {"found": row is not None, "row": row}
    return found if model is None else found | {"model": model, "record": row}


def _one(self: Scenario, step: Json) -> Json:
    return {"record": self.db.one(self.source(step), **into(self, step), **self.query(step))}


def _one_value(self: Scenario, step: Json) -> Json:
    if self.statement is not None:
        return {"value": filed(self.db.one_value(self.statement, **self.query(step)))}
    return {"value": self.db.one_value(value(step["sql"]), bindings(step))}


def _hook_calls(self: Scenario, step: Json) -> Json:
    told = [*calls]
    calls.clear()
    return {"calls": told}


def _found(record: Model | None) -> Json:
    return {"record": record, "found": record is not None}


def _max_key(self: Scenario, step: Json) -> Json:
    found = self.db.max_key(self.model(step))
    return {"found": found is not None, "value": str(found) if isinstance(found, uuid.UUID | Decimal) else found}


def _count(self: Scenario, step: Json) -> Json:
    return {"count": self.db.count(self.source(step), **self.query(step))}


def _page_count(self: Scenario, step: Json) -> Json:
    return {"count": self.db.page_count(self.source(step), page_size=step["pageSize"], **self.query(step))}


def _describe(self: Scenario, step: Json) -> Json:
    info = self.model(step).__model__
    return {
        "table": info.table,
        "columns": [item.column_name for item in info.columns],
        "properties": [item.name for item in info.columns],
        "key": list(info.key),
        "generatesKey": info.generates_key,
    }


def into(self: Scenario, step: Json) -> Json:
    """A statement with columns of its own gives records of the step's model all the same."""
    return {"into": self.model(step)} if "columns" in step.get("statement", {}) else {}


def _exists(self: Scenario, step: Json) -> Json:
    if self.statement is not None:
        return {"found": self.db.exists(self.statement, **self.query(step))}
    return {"found": self.db.exists(self.model(step), *self.key(step))}


def _execute(self: Scenario, step: Json) -> Json:
    if self.statement is not None:
        return {"changes": self.db.execute(self.statement, **self.query(step))}
    return {"changes": self.db.execute(value(step["sql"]), bindings(step))}


def _expression(self: Scenario, step: Json) -> Json:
    return dict(zip(("sql", "bindings"), Builder(self.models).expression(step["expression"]).sql))


def _query(self: Scenario, step: Json) -> Json:
    if self.statement is not None:
        rows = self.db.cursor(self.statement, **self.query(step)).tuples()
        return {"columns": list(rows.columns), "rows": [[filed(item) for item in row] for row in rows]}
    result = self.db.query(value(step["sql"]), bindings(step))
    return {"columns": list(result.columns), "rows": result.fetch_all()}


def _chunks(step: Json) -> list[bytes]:
    text = step["text"].encode()
    return [text[at : at + 7] for at in range(0, len(text), 7)]


def _json_options(step: Json) -> Json:
    given = {"path": "path", "names": "names", "refuseUnknown": "refuse_unknown", "lines": "lines"}
    return {name: step[member] for member, name in given.items() if member in step}


def _read_json(self: Scenario, step: Json) -> Json:
    options = _json_options(step)
    found = list(read_json(self.model(step), _chunks(step), **options))
    writing = {name: value for name, value in options.items() if name in ("names", "lines")}
    return {"records": found, "count": len(found), "text": write_json(found, **writing)}


def _import_json(self: Scenario, step: Json) -> Json:
    save = step.get("save", False)
    return {"count": self.db.import_json(self.model(step), _chunks(step), save=save, **_json_options(step))}


def _begin(self: Scenario, step: Json) -> Json:
    kind = step.get("kind", "immediate")
    transaction = self.db.read() if kind == "read" else self.db.transaction(kind)
    transaction.__enter__()
    self.transactions.append(transaction)
    return {}


def _reopen(self: Scenario, step: Json) -> Json:
    modes: Json = {"create": "create", "readWrite": "read_write", "readOnly": "read_only"}
    self.db.close()
    mode = modes[step.get("mode", "create")]
    untrusted = step.get("untrusted", False)
    self.db = Database(self.place.path, mode=mode, auto_sync=step.get("autoSync", False), untrusted=untrusted)
    return {}


def _load(self: Scenario, step: Json) -> Json:
    owners = self.records(step)
    levels: list[list[Model]] = [list(owners)]
    statements: list[str] = []
    self.db.set_trace(lambda sql, _: statements.append(sql))
    try:
        for level in step["levels"]:
            levels.append(_load_level(self, level, levels[-1], self.model(step)))
    finally:
        self.db.set_trace(None)
    names = [level["relation"] for level in step["levels"]]
    return {
        "related": [_related(owner, names) for owner in owners],
        "count": sum(len(_related(owner, names[:1])) for owner in owners),
        "statements": sum("FROM" in sql for sql in statements),
    }


def _load_level(self: Scenario, level: Json, owners: list[Model], model: type[Model]) -> list[Model]:
    members(level, "relation where orderBy limit", "a level")
    for owner in owners:
        model = type(owner)
        try:
            getattr(owner, level["relation"])
        except NotLoadedError:
            continue
        raise Failure(f"{level['relation']} of {owner!r} seems to be loaded")
    where = {"where": Builder(self.models).expression(level["where"])} if "where" in level else {}
    relation = getattr(model, level["relation"])
    return self.db.load(owners, relation, order_by=level.get("orderBy", ()), limit=level.get("limit"), **where)


def _related(owner: Model, names: list[str]) -> list[Any]:
    """The related records of one, each with the lists below it."""
    found = getattr(owner, names[0])
    records = found if isinstance(found, list) else [] if found is None else [found]
    return [(record, _related(record, names[1:]) if len(names) > 1 else None) for record in records]


def _save_related(self: Scenario, step: Json) -> Json:
    record = self.record(step, step["record"])
    names = step["relation"].split(".")
    _relate(self, record, names, step["related"])
    self.db.save_graph(record, delete_removed=step.get("removed", "keep") == "delete")
    return {"record": record, "related": _related(record, names)}


def _relate(self: Scenario, record: Model, names: list[str], items: list[Json]) -> None:
    """Gives a record its related records, and these theirs, which they have as `related`."""
    link = type(record).__relations__[names[0]]
    target = {"model": link._target().__name__}
    related = []
    for item in items:
        values = dict(item)
        below = values.pop("related", None)
        related.append(self.record(target, values))
        if below is not None:
            _relate(self, related[-1], names[1:], below)
    setattr(record, link.name, related if isinstance(link, ToMany) else related[0] if related else None)


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
    "upsert": (_upsert, "model record unique keep", "record"),
    "upsertMany": (_upsert_many, f"{RECORDS} unique keep", "records"),
    "getOrCreate": (_get_or_create, "model record unique", "found record"),
    "getOrCreateMany": (_get_or_create_many, f"{RECORDS} unique", "count records"),
    "refresh": (_after(Database.refresh), "model record", "record"),
    "update": (_after(Database.update), "model record properties", "record"),
    "updateChanges": (_update_changes, "model record since", "changed record"),
    "delete": (lambda s, step: {"found": s.db.delete(s.record(step, step["record"]))}, "model record", "found"),
    "insertMany": (_insert_many, f"{RECORDS} conflict", "count records"),
    "saveMany": (_after_many(Database.save_many), RECORDS, "records"),
    "updateMany": (_after_many(Database.update_many), f"{RECORDS} properties", "records"),
    "deleteMany": (_after_many(Database.delete_many), RECORDS, "count"),
    "deleteKey": (lambda s, step: {"found": s.db.delete_key(s.model(step), *s.key(step))}, "model key", "found"),
    "exists": (_exists, "model key statement parameters", f"found {COMPILED}"),
    "find": (lambda s, step: _found(s.db.find(s.model(step), *s.key(step))), "model key", "found record"),
    "deleteAll": (lambda s, step: {"count": s.db.delete_all(s.model(step))}, "model", "count"),
    "fetchAll": (_fetch_all, QUERY, f"records count {COMPILED}"),
    "fetchOne": (_fetch_one, QUERY, f"found record {COMPILED}"),
    "one": (_one, QUERY, f"record {COMPILED}"),
    "oneValue": (_one_value, "sql bindings statement parameters", f"value {COMPILED}"),
    "stream": (_stream, QUERY, f"records count {COMPILED}"),
    "openCursor": (_none(_open_cursor), f"as {QUERY}", COMPILED),
    "next": (_next, "of", "found row record"),
    "closeCursor": (_none(lambda s, step: s.cursors[step["of"]][1].close()), "of", ""),
    "count": (_count, QUERY, f"count {COMPILED}"),
    "pageCount": (_page_count, f"{QUERY} pageSize", f"count {COMPILED}"),
    "maxKey": (_max_key, "model", "found value"),
    "readJson": (_read_json, f"{JSON} relations", "records count text"),
    "importJson": (_import_json, f"{JSON} save", "count"),
    "execute": (_execute, "sql bindings statement parameters", f"changes {COMPILED}"),
    "executeScript": (_none(lambda s, step: s.db.execute_script(value(step["sql"]))), "sql", ""),
    "query": (_query, "sql bindings statement parameters", f"columns rows {COMPILED}"),
    "expression": (_expression, "expression", COMPILED),
    "explain": (lambda s, step: {"tree": s.db.explain(s.statement)}, "statement", f"contains lacks {COMPILED}"),
    "load": (_load, f"{RECORDS} levels", "related count statements"),
    "saveRelated": (_save_related, "model record relation related removed", "record related"),
    "begin": (_begin, "kind", ""),
    "commit": (_none(lambda s, _: s.transactions.pop().__exit__(None, None, None)), "", ""),
    "rollback": (_none(lambda s, _: s.transactions.pop().rollback()), "", ""),
    "hookCalls": (_hook_calls, "", "calls"),
    "lastInsertId": (lambda s, _: {"value": s.db.last_insert_id}, "", "value"),
    "changes": (lambda s, _: {"value": s.db.changes}, "", "value"),
    "reopen": (_reopen, "mode autoSync untrusted", ""),
    **MIGRATION_STEPS,
    **STORE_STEPS,
    **QUEUE_STEPS,
    **DATABASE_STEPS,
    **OBSERVATION_STEPS,
}  # fmt: skip
