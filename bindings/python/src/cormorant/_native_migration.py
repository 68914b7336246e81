"""The calls of the library on schemas, plans, bundles and versions.

What a migration is told is a mapping of the members of a corm_migration_options, of
which `progress` is a function of the members of a corm_progress.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from ._native_handle import (
    BundleHandle,
    DatabaseHandle,
    MetadataHandle,
    ModelHandle,
    PlanHandle,
    SchemaHandle,
    StatesHandle,
    array_of,
)
from ._native_library import TYPES, call, call_handle, library, make_struct, to_text, utf8
from .error import Error

T = TypeVar("T")
Options = Mapping[str, Any]

# Both kinds of callbacks get a context after this, which a function that has no use for it may leave where it is.
_Function = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)
_Progress = TYPES["corm_progress"]


# --- Callbacks ---


class Listener:
    """A Python function that the library calls. What it raises is kept for take(), and the library told false."""

    def __init__(self, function: Callable[[int], object]) -> None:
        self._raised: list[BaseException | None] = [None]
        listening = _listen(function, self._raised)
        next(listening)
        self._function = _Function(listening.send)
        self.pointer = ctypes.cast(self._function, ctypes.c_void_p).value

    def take(self) -> BaseException | None:
        """What was raised since the last time."""
        raised, self._raised[0] = self._raised[0], None
        return raised


def _listen(function: Callable[[int], object], raised: list[BaseException | None]) -> Generator[bool, int, None]:
    # A generator, for it waits inside `try`. A signal's handler runs when Python code begins to: in a function that is
    # before its first line, and what the handler raises, such as KeyboardInterrupt, would leave the callback. There it
    # is lost, and the library gets whatever lay in memory for an answer. It also runs after calls: none stand outside.
    address = 0
    answer = True
    while True:
        try:
            while True:
                address = 0
                address = yield answer
                answer = function(address) is not False
        except GeneratorExit as error:
            if not address:
                return
            raised[0] = error
            answer = False
        except BaseException as error:
            raised[0] = error
            answer = False


def listening(listeners: Sequence[Listener], call: Callable[[], T]) -> T:
    """What call() gives; what a listener raised meanwhile is raised in place of the library's error about it."""
    try:
        result = call()
    except Error as error:
        raised = taken(listeners)
        if raised is None:
            raise
        if sys.version_info >= (3, 11):
            raised.add_note(str(error))
    else:
        raised = taken(listeners)
        if raised is None:
            return result
    # Out here, for the library's error is no context of it.
    raise raised


def taken(listeners: Sequence[Listener]) -> BaseException | None:
    """What one of them raised since the last time."""
    taken = [listener.take() for listener in listeners]
    return next((raised for raised in taken if raised is not None), None)


def _migrating(options: Options, call: Callable[[Any], T], listeners: Sequence[Listener] = ()) -> T:
    """call(options) with a corm_migration_options."""
    members = dict(options)
    listener = progress_listener(members.pop("progress", None))
    struct = make_struct("corm_migration_options", members)
    struct.struct_size = ctypes.sizeof(struct)
    struct.progress = listener.pointer
    return listening([*listeners, listener], lambda: call(ctypes.byref(struct)))


def progress_listener(told: Callable[..., object] | None) -> Listener:
    """Tells a function the members of a corm_progress."""

    def progress(address: int) -> object:
        if told is None:
            return True
        raw = _Progress.from_address(address)
        return told(to_text(raw.step) or "", raw.index, raw.count, raw.done, raw.total)

    # There is one even when nobody is told: signals are handled in it, so that Ctrl-C cancels.
    return Listener(progress)


def _optional(text: str | None) -> bytes | None:
    return None if text is None else utf8(text)


# --- schema.h ---


def read_schema(database: DatabaseHandle) -> SchemaHandle:
    return call_handle(SchemaHandle, library.corm_schema_read, database)


def parse_schema(sql: str) -> SchemaHandle:
    return call_handle(SchemaHandle, library.corm_schema_parse, utf8(sql))


def create_schema(models: Sequence[ModelHandle]) -> SchemaHandle:
    return call_handle(SchemaHandle, library.corm_schema_create, array_of(models), len(models))


def schema_sql(schema: SchemaHandle) -> str:
    return to_text(library.corm_schema_sql(schema)) or ""


def schema_hash(schema: SchemaHandle) -> str:
    return to_text(library.corm_schema_hash(schema)) or ""


# --- metadata.h ---


def read_metadata(database: DatabaseHandle) -> str:
    """The metadata of a database as JSON."""
    return _metadata_json(call_handle(MetadataHandle, library.corm_metadata_read, database))


def create_metadata(schema: SchemaHandle) -> str:
    """The metadata of a schema as JSON."""
    return _metadata_json(call_handle(MetadataHandle, library.corm_metadata_create, schema))


def _metadata_json(metadata: MetadataHandle) -> str:
    return to_text(library.corm_metadata_json(metadata)) or ""


# --- migration.h ---


def sync(database: DatabaseHandle, models: Sequence[ModelHandle], options: Options) -> PlanHandle:
    """The plan that was carried out."""
    function = library.corm_migration_sync
    return _migrating(
        options, lambda given: call_handle(PlanHandle, function, database, array_of(models), len(models), given)
    )


def make_plan(database: DatabaseHandle, models: Sequence[ModelHandle], options: Options) -> PlanHandle:
    function = library.corm_migration_plan
    return _migrating(
        options, lambda given: call_handle(PlanHandle, function, database, array_of(models), len(models), given)
    )


def create_plan(database: DatabaseHandle | None, old: SchemaHandle, new: SchemaHandle, options: Options) -> PlanHandle:
    return _migrating(
        options, lambda given: call_handle(PlanHandle, library.corm_plan_create, database, old, new, given)
    )


def apply_plan(plan: PlanHandle, database: DatabaseHandle, options: Options) -> None:
    _migrating(options, lambda given: call(library.corm_plan_apply, database, plan, given))


def plan_text(plan: PlanHandle) -> str:
    return to_text(library.corm_plan_text(plan)) or ""


def plan_sql(plan: PlanHandle) -> str:
    return to_text(library.corm_plan_sql(plan)) or ""


def plan_json(plan: PlanHandle) -> str:
    return to_text(library.corm_plan_json(plan)) or ""


# --- bundle.h ---

# SQL, or a function that gets the database's handle.
Action = str | Callable[[DatabaseHandle], object] | None


def open_bundle(folder: str | None) -> BundleHandle:
    return call_handle(BundleHandle, library.corm_bundle_create, _optional(folder))


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
            listeners.append(Listener(partial(_run, action)))
            members[way] = listeners[-1].pointer
    struct = make_struct(name, members)
    struct.struct_size = ctypes.sizeof(struct)
    return struct


def _run(action: Callable[[DatabaseHandle], object], database: int) -> object:
    return action(DatabaseHandle(database))


def apply_bundle(
    bundle: BundleHandle, database: DatabaseHandle, last: str | None, options: Options, steps: Sequence[Listener]
) -> None:
    function = library.corm_bundle_apply
    _migrating(options, lambda given: call(function, bundle, database, _optional(last), given), steps)


def revert_bundle(
    bundle: BundleHandle, database: DatabaseHandle, last: str | None, options: Options, steps: Sequence[Listener]
) -> None:
    function = library.corm_bundle_revert
    _migrating(options, lambda given: call(function, bundle, database, _optional(last), given), steps)


def adopt_bundle(bundle: BundleHandle, database: DatabaseHandle, last: str | None) -> None:
    call(library.corm_bundle_adopt, database, bundle, _optional(last))


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
    return _migrating(
        options, lambda given: call_handle(PlanHandle, function, *texts, array_of(models), len(models), given)
    )


def generate_step_to(folder: str, name: str, schema: SchemaHandle, options: Options) -> PlanHandle:
    texts = utf8(folder), utf8(name)
    return _migrating(
        options, lambda given: call_handle(PlanHandle, library.corm_bundle_generate_to, *texts, schema, given)
    )


def seal_bundle(folder: str) -> None:
    call(library.corm_bundle_seal, utf8(folder))


def squash_bundle(folder: str, last: str | None) -> None:
    call(library.corm_bundle_squash, utf8(folder), _optional(last))


# --- Versions ---


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
    _migrating(options, lambda given: call(function, database, array, len(structs), version, given), listeners)
