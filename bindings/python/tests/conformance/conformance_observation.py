"""The steps of conformance scenarios about observers, caches and columns; Tests/Conformance/README.md says what they
mean."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any

from conformance_model import EPOCH, Failure, Json, members, same, value
from conformance_statement import filed

from cormorant import Event, Model, Region, RowChange

if TYPE_CHECKING:
    from conformance import Scenario

# It has no types.
pyarrow: Any = importlib.import_module("pyarrow")
FORMATS = {
    "int64": "l", "int32": "i", "uint64": "L", "uint32": "I", "bool": "b", "double": "g", "float": "f",
    "string": "u", "binary": "z", "timestamp[us, tz=UTC]": "tsu:UTC", "null": "n",
    "date32[day]": "tdD", "time64[us]": "ttu", "duration[us]": "tDu",
}  # fmt: skip


def _bindings(self: Scenario, step: Json) -> Any:
    """Of SQL; a statement's are named."""
    given = step.get("parameters" if self.statement is not None else "bindings", [])
    if isinstance(given, dict):
        return {name: value(item) for name, item in given.items()}
    return [value(item) for item in given]


def _observe(self: Scenario, step: Json) -> Json:
    options: Json = {"latest_only": step["latestOnly"]} if "latestOnly" in step else {}
    if step.get("live"):
        observer: Any = self.db.observe_live(
            None, value(step["sql"]), _bindings(self, step), key=step.get("keyColumns", ())
        )
    elif "reads" in step:
        counted = [self.model(step)] if "model" in step else []
        observer = self.db.observe(
            lambda db: [
                object(),
                *(db.count(model) for model in counted),
                *(db.query(sql).fetch_all() for sql in step["reads"]),
            ]
        )
    elif "model" in step:
        options |= {"key": tuple(self.key(step))} if "key" in step else {}
        observer = self.db.observe(self.model(step), values=step.get("values", False), **options)
    elif "regions" in step:
        for region in step["regions"]:
            members(region, "table columns", "a region")
        regions = [Region(region["table"], *region.get("columns", ())) for region in step["regions"]]
        observer = self.db.observe(regions, values=step.get("values", False), **options)
    else:
        what = self.statement if self.statement is not None else value(step["sql"])
        observer = self.db.observe(what, _bindings(self, step), **options)
    self.observers[step["as"]] = observer
    return {}


def _check_row(self: Scenario, found: Any, expected: Any) -> bool:
    if isinstance(found, Model) and isinstance(expected, dict):
        self.compare({"model": type(found).__name__}, found, expected)
        return True
    if found is None or expected is None:
        return found is expected
    return len(found) == len(expected) and all(same(filed(one), value(other)) for one, other in zip(found, expected))


def _check_change(self: Scenario, change: RowChange[Any], expected: Json) -> None:
    members(expected, "kind table key old new position", "a change")
    for name, wanted in expected.items():
        found = getattr(change, name)
        if name == "position":
            found = -1 if found is None else found
        if not (_check_row(self, found, wanted) if name in ("key", "old", "new") else found == wanted):
            raise Failure(f"{name} is {found!r}, expected {wanted!r}, in {change}")


def _check_event(self: Scenario, event: Event[Any] | list[Any], expected: Json) -> None:
    members(expected, "foreign changes rows", "an event")
    if isinstance(event, list):
        # Values, which say nothing of whose commit it was.
        return
    if event.is_foreign != expected.get("foreign", False):
        raise Failure(f"foreign is {event.is_foreign}")
    if "changes" in expected:
        if len(event.changes) != len(expected["changes"]):
            raise Failure(f"changes are {event.changes}")
        for change, wanted in zip(event.changes, expected["changes"]):
            _check_change(self, change, wanted)
    if "rows" in expected and (
        len(event.rows) != len(expected["rows"])
        or not all(_check_row(self, row, wanted) for row, wanted in zip(event.rows, expected["rows"]))
    ):
        raise Failure(f"rows are {event.rows}")


def _events(self: Scenario, step: Json) -> Json:
    observer = self.observers[step["of"]]
    found = []
    event = observer.next(10 if step.get("wait") else 0)
    if event is None and step.get("wait"):
        raise Failure("no event came")
    while event is not None:
        found.append(event)
        event = observer.next(0)
    wanted = step.get("expect", {}).get("events")
    if wanted is not None:
        if len(found) != len(wanted):
            raise Failure(f"events are {found}")
        for one, expected in zip(found, wanted):
            _check_event(self, one, expected)
    return {}


def _cancel(self: Scenario, step: Json) -> Json:
    self.observers[step["of"]].cancel()
    return {}


def _set_cache(self: Scenario, step: Json) -> Json:
    self.db.set_cache(self.model(step), max_count=step["maxCount"], max_bytes=step["maxBytes"])
    return {}


def _cache_statistics(self: Scenario, step: Json) -> Json:
    found = self.db.cache_statistics(self.model(step))
    return {"hits": found.hits, "misses": found.misses, "count": found.count}


def _cursor(self: Scenario, step: Json) -> Any:
    if self.statement is not None:
        return self.db.cursor(self.statement, bindings=_bindings(self, step))
    if "model" in step:
        return self.db.cursor(self.model(step))
    return self.db.query(value(step["sql"]), _bindings(self, step))


def _plain(found: Any) -> Any:
    """A value of Arrow as SQLite holds it."""
    if isinstance(found, datetime):
        return (found.astimezone(timezone.utc) - EPOCH) // timedelta(microseconds=1)
    if isinstance(found, date):
        return (found - EPOCH.date()).days
    if isinstance(found, time):
        return (datetime.combine(datetime.min, found) - datetime.min) // timedelta(microseconds=1)
    if isinstance(found, timedelta):
        return found // timedelta(microseconds=1)
    return int(found) if isinstance(found, bool) else found


def _columns(self: Scenario, step: Json) -> Json:
    table = pyarrow.table(_cursor(self, step))
    columns = [[_plain(item) for item in column.to_pylist()] for column in table.columns]
    return {
        "formats": [FORMATS[str(field.type)] + ("?" if field.nullable else "") for field in table.schema],
        "columns": list(table.schema.names),
        "rows": [list(row) for row in zip(*columns)],
        "batches": [len(batch) for batch in table.to_batches()],
    }


def _query_json(self: Scenario, step: Json) -> Json:
    return {"text": _cursor(self, step).json()}


SQL = "sql bindings statement parameters"
OBSERVATION_STEPS: dict[str, tuple[Callable[[Scenario, Json], Json], str, str]] = {
    "observe": (_observe, f"as model key regions reads {SQL} live keyColumns values latestOnly", "sql bindings"),
    "events": (_events, "of wait", "events"),
    "cancel": (_cancel, "of", ""),
    "setCache": (_set_cache, "model maxCount maxBytes", ""),
    "cacheStatistics": (_cache_statistics, "model", "hits misses count"),
    "columns": (_columns, f"model {SQL}", "formats columns rows batches sql bindings"),
    "queryJson": (_query_json, SQL, "text sql bindings"),
}
