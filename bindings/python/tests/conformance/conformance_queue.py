"""The step of conformance scenarios about write queues; Tests/Conformance/README.md says what it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from conformance_model import Failure, Json, members, value

if TYPE_CHECKING:
    from conformance import Scenario

    from cormorant import Batch


def _add(self: Scenario, batch: Batch, part: Json) -> None:
    members(part, "do model record conflict properties sql bindings", "a part")
    if part["do"] == "execute":
        given = part.get("bindings", [])
        if isinstance(given, dict):
            batch.execute(value(part["sql"]), {name: value(item) for name, item in given.items()})
        else:
            batch.execute(value(part["sql"]), [value(item) for item in given])
        return
    record = self.record(part, part["record"])
    if part["do"] == "insert":
        batch.insert(record, part.get("conflict", "abort"))
    elif part["do"] == "save":
        batch.save(record)
    elif part["do"] == "update":
        batch.update(record, *([part["properties"]] if "properties" in part else []))
    elif part["do"] == "delete":
        batch.delete(record)
    else:
        raise Failure(f"unknown part {part['do']}")


def _batch(self: Scenario, step: Json) -> Json:
    with self.db.queue() as queue:
        batch = queue.begin()
        for part in step["parts"]:
            _add(self, batch, part)
        results = batch.commit(on_error=step.get("onError", "rollback")).result(60)
    found = [[one.changes, one.generated_key, one.error and one.error.code] for one in results]
    return {"results": found}


QUEUE_STEPS: dict[str, tuple[Callable[[Scenario, Json], Json], str, str]] = {
    "batch": (_batch, "parts onError", "results"),
}
