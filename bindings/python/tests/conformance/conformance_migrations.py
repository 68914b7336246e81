"""The steps of conformance scenarios about migrations; Tests/Conformance/README.md says what they mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance_engine import ENGINE
from conformance_metadata import METADATA_LISTS, metadata_lines
from conformance_model import Json, members, value

from cormorant import Bundle, Model, Plan, Progress, Schema, VersionStep

if TYPE_CHECKING:
    from conformance import Scenario

ALLOWED = "allowDrop"
OPTIONS = "allowDrop snapshot dropSnapshot cancelAt"
PLAN = "steps risk rows problems contains lacks progress"


def _models(self: Scenario, names: list[str]) -> list[type[Model]]:
    return [self.models[name] for name in names]


def _allowed(step: Json) -> Json:
    return {"allow_drop": step.get("allowDrop", [])}


def _lossy(step: Json) -> Json:
    return {"allow_lossy": step.get("allowLossy", False)}


class Progressing:
    """Progress that is told, each step once in a row, and stopped where the scenario says so."""

    def __init__(self, step: Json) -> None:
        self.told: list[str] = []
        self.calls = 0
        self.cancel_at = step.get("cancelAt")
        self.is_asked = self.cancel_at is not None or "progress" in step.get("expect", {})

    def __call__(self, progress: Progress) -> bool:
        if self.told[-1:] != [progress.step]:
            self.told.append(progress.step)
        self.calls += 1
        return self.cancel_at is None or self.calls <= self.cancel_at

    @property
    def options(self) -> Json:
        return {"progress": self} if self.is_asked else {}


def _options(self: Scenario, step: Json) -> Json:
    snapshot = self.folder / step["snapshot"] if "snapshot" in step else None
    return {"snapshot": snapshot, "drop_snapshot": step.get("dropSnapshot", False)}


def _told(plan: Plan) -> Json:
    return {
        "steps": [step.summary for step in plan.steps],
        "risk": plan.risk,
        "rows": sum(-1 if step.rows is None else step.rows for step in plan.steps),
        "problems": [f"{problem.message}: {problem.annotation}" for problem in plan.problems],
        "sql": plan.sql,
    }


def _sync(self: Scenario, step: Json) -> Json:
    progress = Progressing(step)
    models = _models(self, step["models"])
    plan = self.db.sync(*models, **_allowed(step), **_options(self, step), **progress.options)
    return _told(plan) | {"progress": progress.told}


def _plan_sync(self: Scenario, step: Json) -> Json:
    return _told(self.db.plan(*_models(self, step["models"]), **_allowed(step)))


def _schema(self: Scenario, given: Any) -> Schema:
    if given is None:
        return self.db.schema()
    if isinstance(given, str):
        return Schema.parse(given)
    members(given, "models", "a schema")
    return Schema.of(*_models(self, given["models"]))


def _schema_step(self: Scenario, step: Json) -> Json:
    schema = _schema(self, step.get("of"))
    return {"sql": schema.sql} | ({"same": schema == _schema(self, step["with"])} if "with" in step else {})


def _plan(self: Scenario, step: Json) -> Json:
    old, new = _schema(self, step.get("from")), _schema(self, step["to"])
    plan = Plan.between(old, new, database=None if "from" in step else self.db, **_allowed(step))
    progress = Progressing(step)
    if step.get("apply", False):
        plan.apply(self.db, **_options(self, step), **progress.options)
    return _told(plan) | {"progress": progress.told}


def _folder(self: Scenario) -> Path:
    return self.folder / "migrations"


def _bundle(self: Scenario, step: Json) -> None:
    self.bundle = Bundle()
    for item in step["steps"]:
        members(item, "id up down call", "a step")
        up = _function(item["call"]) if "call" in item else item["up"]
        self.bundle.add(item["id"], up=up, down=item.get("down"))


def _function(sql: str) -> Callable[[Any], None]:
    return lambda database: database.execute_script(sql)


def _write_files(self: Scenario, step: Json) -> None:
    for name, text in step["files"].items():
        path = _folder(self) / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value(text).encode())


def _open_bundle(self: Scenario, step: Json) -> None:
    self.bundle = Bundle(_folder(self))


def _generate(self: Scenario, step: Json) -> Json:
    if "to" in step:
        return _told(Bundle.generate_to(_folder(self), step["name"], _schema(self, step["to"]), **_allowed(step)))
    models = _models(self, step["models"])
    server = self.db if ENGINE == "postgres" else None
    return _told(Bundle.generate(_folder(self), step["name"], *models, **_allowed(step), server=server))


def _apply(self: Scenario, step: Json) -> Json:
    progress = Progressing(step)
    call = self.bundle.revert if step["do"] == "revert" else self.bundle.apply
    call(self.db, step.get("last"), **_lossy(step), **_options(self, step), **progress.options)
    return {"progress": progress.told}


def _set_version(self: Scenario, step: Json) -> Json:
    steps = []
    for item in step["steps"]:
        members(item, "version up down call", "a step")
        up = _function(item["call"]) if "call" in item else item["up"]
        steps.append(VersionStep(item["version"], up, item.get("down")))
    progress = Progressing(step)
    self.db.set_version(steps, step.get("version"), **_options(self, step), **progress.options)
    return {"progress": progress.told}


def _metadata(self: Scenario, step: Json) -> Json:
    return metadata_lines((_schema(self, step["of"]) if "of" in step else self.db).metadata())


def _none(call: Callable[[Scenario, Json], object]) -> Callable[[Scenario, Json], Json]:
    def run(self: Scenario, step: Json) -> Json:
        call(self, step)
        return {}

    return run


MIGRATION_STEPS: dict[str, tuple[Callable[[Scenario, Json], Json], str, str]] = {
    "schema": (_schema_step, "of with", "same contains lacks"),
    "sync": (_sync, f"models {OPTIONS}", PLAN),
    "planSync": (_plan_sync, f"models {ALLOWED}", PLAN),
    "plan": (_plan, f"from to apply {OPTIONS}", PLAN),
    "restore": (_none(lambda s, step: s.db.restore(s.folder / step["snapshot"])), "snapshot", ""),
    "fileExists": (lambda s, step: {"found": (s.folder / step["file"]).exists()}, "file", "found"),
    "bundle": (_none(_bundle), "steps", ""),
    "writeFiles": (_none(_write_files), "files", ""),
    "seal": (_none(lambda s, _: Bundle.seal(_folder(s))), "", ""),
    "openBundle": (_none(_open_bundle), "", ""),
    "generate": (_generate, f"name models to {ALLOWED}", PLAN),
    "squash": (_none(lambda s, step: Bundle.squash(_folder(s), step.get("last"))), "last", ""),
    "apply": (_apply, "last allowLossy snapshot dropSnapshot cancelAt", "progress"),
    "revert": (_apply, "last allowLossy snapshot dropSnapshot cancelAt", "progress"),
    "adopt": (_none(lambda s, step: s.bundle.adopt(s.db, step.get("last"))), "last", ""),
    "resolve": (_none(lambda s, step: s.bundle.resolve(s.db, step["id"], step["applied"])), "id applied", ""),
    "status": (lambda s, _: {"states": [[one.id, one.state] for one in s.bundle.status(s.db)]}, "", "states"),
    "drift": (lambda s, _: _told(s.bundle.drift(s.db)), "", PLAN),
    "setVersion": (_set_version, "steps version snapshot dropSnapshot cancelAt", "progress"),
    "version": (lambda s, _: {"value": s.db.version}, "", "value"),
    "metadata": (_metadata, "of", f"{' '.join(METADATA_LISTS)} problems contains lacks"),
}
