"""The steps of conformance scenarios about key-value stores; Tests/Conformance/README.md says what they mean."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from conformance_model import Failure, Json, members, same, value

from cormorant import Store

if TYPE_CHECKING:
    from conformance import Scenario

RANGE = "prefix start end after"


def _stored(given: Any) -> Any:
    if isinstance(given, dict) and "json" in given:
        return json.loads(given["json"])
    return value(given)


def _range(step: Json) -> Json:
    return {name: value(step[name]) for name in (*RANGE.split(), "limit") if name in step}


def _expires(step: Json) -> timedelta | None:
    return timedelta(milliseconds=step["expiresIn"]) if "expiresIn" in step else None


def _put(self: Scenario, store: Store, step: Json) -> Json:
    if "entries" not in step:
        store.put(value(step["key"]), _stored(step["value"]), expires=_expires(step))
        return {}
    for entry in step["entries"]:
        members(entry, "key value expiresIn", "an entry")
    # All of put_many live as long: the entries of each lifetime go together.
    with self.db.transaction():
        for lifetime in dict.fromkeys(entry.get("expiresIn") for entry in step["entries"]):
            chosen = [entry for entry in step["entries"] if entry.get("expiresIn") == lifetime]
            store.put_many(
                [(value(entry["key"]), _stored(entry["value"])) for entry in chosen], expires=_expires(chosen[0])
            )
    return {}


def _get(self: Scenario, store: Store, step: Json) -> Json:
    entry = store.entry(value(step["key"]))
    if entry is None:
        return {"found": False}
    self.version = entry.version
    wanted = step.get("expect", {})
    if "value" in wanted:
        _check(entry.value, wanted["value"])
    if not same(entry.value, store[value(step["key"])]):
        raise Failure("store[key] is another value than the entry's")
    return {"found": True, "value": entry.value}


def _check(found: Any, wanted: Any) -> None:
    expected = _stored(wanted)
    if isinstance(expected, dict | list) and found == expected:
        return
    if not same(found, expected):
        raise Failure(f"the value is {found!r}, expected {expected!r}")


def _scan(_: Scenario, store: Store, step: Json) -> Json:
    entries = list(store.scan(**_range(step)))
    wanted = step.get("expect", {})
    for name, found in (("keys", [entry.key for entry in entries]), ("values", [entry.value for entry in entries])):
        if name in wanted:
            if len(wanted[name]) != len(found):
                raise Failure(f"{name} are {found}")
            for one, other in zip(found, wanted[name]):
                _check(one, other)
    return {}


def _compare_and_set(self: Scenario, store: Store, step: Json) -> Json:
    version = self.version if step["version"] == "read" else 0
    return {"found": store.compare_and_set(value(step["key"]), _stored(step["value"]), version)}


def _clear(_: Scenario, store: Store, step: Json) -> Json:
    store.clear(**_range(step))
    return {}


def _wait(_: Scenario, step: Json) -> Json:
    time.sleep(step["milliseconds"] / 1000)
    return {}


def _with_store(call: Callable[[Scenario, Store, Json], Json]) -> Callable[[Scenario, Json], Json]:
    return lambda self, step: call(self, self.db.store(value(step["store"])), step)


STORE_STEPS: dict[str, tuple[Callable[[Scenario, Json], Json], str, str]] = {
    "storePut": (_with_store(_put), "store key value expiresIn entries", ""),
    "storeGet": (_with_store(_get), "store key", "found value"),
    "storeContains": (_with_store(lambda _, t, s: {"found": value(s["key"]) in t}), "store key", "found"),
    "storeDelete": (_with_store(lambda _, t, s: {"found": t.delete(value(s["key"]))}), "store key", "found"),
    "storeScan": (_with_store(_scan), f"store {RANGE} limit", "keys values"),
    "storeCount": (_with_store(lambda _, t, s: {"count": t.count(**_range(s))}), f"store {RANGE}", "count"),
    "storeClear": (_with_store(_clear), f"store {RANGE}", ""),
    "storePurge": (_with_store(lambda _, t, s: {"count": t.purge()}), "store", "count"),
    "storeAdopt": (_with_store(lambda _, t, s: {"count": t.adopt(s["table"])}), "store table", "count"),
    "compareAndSet": (_with_store(_compare_and_set), "store key value version", "found"),
    "wait": (_wait, "milliseconds", ""),
}
