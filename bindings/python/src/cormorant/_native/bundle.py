"""The calls of the library on bundles of migration steps, and on numbered versions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .call import call, call_handle
from .callback import Listener, StepListener
from .handle import BundleHandle, DatabaseHandle, ModelHandle, PlanHandle, SchemaHandle, StatesHandle, array_of
from .library import TYPES, library, optional_utf8, to_text, utf8
from .migration import Options, migrating
from .struct import make_struct

# SQL, or a function that gets the database's handle.
Action = str | Callable[[DatabaseHandle], object] | None


def open_bundle(folder: str | None) -> BundleHandle:
    return call_handle(BundleHandle, library.corm_bundle_create, optional_utf8(folder))


def add_step(bundle: BundleHandle, id: str, up: Action, down: Action, schema_sql: str | None) -> list[Listener]:
    """Adds a step. What comes back must live as long as the bundle, and be given where the bundle is applied."""
    listeners: list[Listener] = []
    struct = _step("corm_bundle_step", {"id": id, "schema_sql": schema_sql}, up, down, listeners)
    call(library.corm_bundle_add, bundle, ctypes.byref(struct))
    return listeners


def _step(name: str, members: dict[str, Any], up: Action, down: Action, listeners: list[Listener]) -> Any:
    for way, action in (("up", up), ("down", down)):
        if action is None or isinstance(action, str):
            members[f"{way}_sql"] = action
        else:
            listeners.append(StepListener(partial(_run, action)))
            members[way] = listeners[-1].pointer
    return make_struct(name, members)


def _run(action: Callable[[DatabaseHandle], object], database: int) -> object:
    return action(DatabaseHandle(database))


def apply_bundle(
    bundle: BundleHandle, database: DatabaseHandle, last: str | None, options: Options, steps: Sequence[Listener]
) -> None:
    function = library.corm_bundle_apply
    migrating(options, lambda given: call(function, database, bundle, optional_utf8(last), given), steps)


def revert_bundle(
    bundle: BundleHandle, database: DatabaseHandle, last: str | None, options: Options, steps: Sequence[Listener]
) -> None:
    function = library.corm_bundle_revert
    migrating(options, lambda given: call(function, database, bundle, optional_utf8(last), given), steps)


def adopt_bundle(bundle: BundleHandle, database: DatabaseHandle, last: str | None) -> None:
    call(library.corm_bundle_adopt, database, bundle, optional_utf8(last))


def resolve_step(bundle: BundleHandle, database: DatabaseHandle, id: str, applied: bool) -> None:
    call(library.corm_bundle_resolve, database, bundle, utf8(id), applied)


def bundle_status(bundle: BundleHandle, database: DatabaseHandle) -> str:
    """A JSON document."""
    states = call_handle(StatesHandle, library.corm_bundle_status, database, bundle)
    return to_text(library.corm_bundle_states_json(states)) or ""


def bundle_drift(bundle: BundleHandle, database: DatabaseHandle) -> PlanHandle:
    return call_handle(PlanHandle, library.corm_bundle_drift, database, bundle)


def generate_step(folder: str, name: str, models: Sequence[ModelHandle], options: Options) -> PlanHandle:
    texts = utf8(folder), utf8(name)
    function = library.corm_bundle_generate
    return migrating(
        options, lambda given: call_handle(PlanHandle, function, *texts, array_of(models), len(models), given)
    )


def generate_step_to(folder: str, name: str, schema: SchemaHandle, options: Options) -> PlanHandle:
    texts = utf8(folder), utf8(name)
    return migrating(
        options, lambda given: call_handle(PlanHandle, library.corm_bundle_generate_to, *texts, schema, given)
    )


def seal_bundle(folder: str) -> None:
    call(library.corm_bundle_seal, utf8(folder))


def squash_bundle(folder: str, last: str | None) -> None:
    call(library.corm_bundle_squash, utf8(folder), optional_utf8(last))


def version(database: DatabaseHandle) -> int:
    number = ctypes.c_int32()
    call(library.corm_migration_version, database, ctypes.byref(number))
    return number.value


def set_version(
    database: DatabaseHandle, steps: Sequence[tuple[int, Action, Action]], version: int, options: Options
) -> None:
    """steps: version, up and down."""
    listeners: list[Listener] = []
    structs = [_step("corm_version_step", {"version": number}, up, down, listeners) for number, up, down in steps]
    array = (TYPES["corm_version_step"] * len(structs))(*structs)
    function = library.corm_migration_set_version
    migrating(options, lambda given: call(function, database, array, len(structs), version, given), listeners)
