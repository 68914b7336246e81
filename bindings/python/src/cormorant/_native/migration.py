"""The calls of the library on migrations and their plans.

Options are a mapping of the members of a corm_migration_options, of which `progress` is a function of the members of a
corm_progress.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from .call import call, call_handle
from .callback import Listener, listening, progress_listener
from .cipher import ciphered
from .handle import DatabaseHandle, ModelHandle, PlanHandle, SchemaHandle, array_of
from .library import info_of, library, to_text, utf8
from .struct import make_struct

T = TypeVar("T")
Options = Mapping[str, Any]


def migrating(options: Options, call: Callable[[Any], T], listeners: Sequence[Listener] = ()) -> T:
    """call(options) with a corm_migration_options."""
    members = dict(options)
    listener = progress_listener(members.pop("progress", None))
    struct = make_struct("corm_migration_options", members)
    struct.progress = listener.pointer
    return listening([*listeners, listener], lambda: call(ctypes.byref(struct)))


def sync(database: DatabaseHandle, models: Sequence[ModelHandle], options: Options) -> PlanHandle:
    """The plan that was carried out."""
    function = library.corm_migration_sync
    return migrating(
        options, lambda given: call_handle(PlanHandle, function, database, array_of(models), len(models), given)
    )


def make_plan(database: DatabaseHandle, models: Sequence[ModelHandle], options: Options) -> PlanHandle:
    function = library.corm_migration_plan
    return migrating(
        options, lambda given: call_handle(PlanHandle, function, database, array_of(models), len(models), given)
    )


def create_plan(database: DatabaseHandle | None, old: SchemaHandle, new: SchemaHandle, options: Options) -> PlanHandle:
    return migrating(
        options, lambda given: call_handle(PlanHandle, library.corm_plan_create, database, old, new, given)
    )


def apply_plan(plan: PlanHandle, database: DatabaseHandle, options: Options) -> None:
    migrating(options, lambda given: call(library.corm_plan_apply, database, plan, given))


def plan_text(plan: PlanHandle) -> str:
    return to_text(info_of("corm_plan", plan).text) or ""


def plan_sql(plan: PlanHandle) -> str:
    return to_text(info_of("corm_plan", plan).sql) or ""


def plan_json(plan: PlanHandle) -> str:
    return to_text(info_of("corm_plan", plan).json) or ""


def restore(database: DatabaseHandle, snapshot: str, cipher: Options | None) -> None:
    ciphered(cipher, lambda given: call(library.corm_migration_restore, database, utf8(snapshot), given))
