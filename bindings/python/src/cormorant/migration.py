"""Methods of Database that bring a file to its models, to a schema or to a version, with nothing lost unasked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ._model_info import handles_of
from ._native import bundle as native_bundle
from ._native import migration as native_migration
from ._native import schema as native_schema
from ._native.handle import DatabaseHandle, ModelHandle
from ._path import path_text
from .cipher import Cipher, options_of
from .error import ProgrammingError
from .model import Model
from .plan import Plan
from .progress import ProgressCallback, migration_options
from .schema import Schema
from .thread import call_plain
from .transaction import noting

if TYPE_CHECKING:
    from .database import Database
    from .metadata import Metadata

# Quoted: Database is known to type checkers only.
StepAction: TypeAlias = "str | Callable[[Database], object]"


class VersionStep(NamedTuple):
    """One step of a file whose schema has a number (PRAGMA user_version).

    version: to which it leads, from the one before; 0 sets an empty file up at the newest version at once. up, down:
    SQL, or a function of the Database, which runs inside the step's transaction and must not end it. down None: there
    is no way back.
    """

    version: int
    up: StepAction
    down: StepAction | None = None


def schema(database: Database) -> Schema:
    """The schema of the file as it is now. ProgrammingError (CORM_E_SCHEMA) for a statement that cannot be read."""
    return Schema(native_schema.read_schema(database._handle))


def metadata(database: Database) -> Metadata:
    """Everything that introspection knows about the file, without the tables that migrations keep for themselves.

    What cannot be understood is one of its problems; a table among them has the columns that SQLite tells.
    """
    from .metadata import Metadata  # whose classes take long to make

    return Metadata._of_database(database._handle)


def sync(
    database: Database,
    *models: type[Model],
    allow_drop: Sequence[str] = (),
    snapshot: str | os.PathLike[str] | None = None,
    drop_snapshot: bool = False,
    progress: ProgressCallback | bool | None = None,
) -> Plan:
    """Brings the file's tables to what the models say, in one transaction; gives the plan that was carried out.

    Makes what is missing; renames, converts and drops where annotations say so: column(renamed_from=, convert_sql=,
    default_sql=) and the class keywords renamed_from and allow_drop. Tables of other models, and views, triggers,
    indexes, CHECKs and foreign keys that no model declared, stay as they are. A second sync does nothing.

    allow_drop: tables, and columns as "table.column", that may go with their data. snapshot: where a copy of the
    file is made before it is changed, at a path where nothing is; drop_snapshot: the copy goes after success.
    progress: a function of a Progress, called on this thread, which must not use the database; False from it
    cancels. True shows a bar on stderr where that is a terminal.

    MigrationError when changes need a decision: it lists each with its annotation, and nothing is done.
    OperationalError (CORM_E_INTERRUPTED) when cancelled. What `progress` raises cancels too and is raised, as is
    the KeyboardInterrupt of Ctrl-C. After any exception the file is as it was.
    """
    handles = _handles(models)
    with migration_options(snapshot, drop_snapshot, progress, allow_drop) as options:
        return Plan(native_migration.sync(database._handle, handles, options))


def plan(database: Database, *models: type[Model], allow_drop: Sequence[str] = ()) -> Plan:
    """What sync() would do, its problems included. Changes nothing."""
    handles = _handles(models)
    with migration_options(None, False, None, allow_drop) as options:
        return Plan(native_migration.make_plan(database._handle, handles, options))


def restore(database: Database, snapshot: str | os.PathLike[str], *, cipher: Cipher | None = None) -> None:
    """Puts the file back to what a snapshot or backup holds, rows and all; a crash leaves the one or the other.

    cipher: what the copy is encrypted with; None where it is as the database, plain or with its very key and salt,
    as snapshots and backups are that were given nothing else.
    """
    given = None if cipher is None else options_of(cipher)
    native_migration.restore(database._handle, path_text(snapshot), given)


def set_version(
    database: Database,
    steps: Iterable[VersionStep],
    version: int | None = None,
    *,
    snapshot: str | os.PathLike[str] | None = None,
    drop_snapshot: bool = False,
    progress: ProgressCallback | bool | None = None,
) -> None:
    """Brings the file from its version to another, each step with its number in one transaction.

    steps: of the versions 1, 2, ... without a gap, in any order, and of 0 where there is a setup. version: where
    to, also back; None: the newest. snapshot, drop_snapshot and progress are as in sync().

    MigrationNewerError for a file beyond the newest version, MigrationError for a gap or a step without a way back.
    What a step's function raises takes that step back and is raised; the steps before it stay.
    """
    if version is not None and not 0 <= version < 2**31:
        raise ProgrammingError(f"version {version} cannot be", hint="versions count from 0")
    actions = [
        (_number(step), bound(step.up, lambda _: database), bound(step.down, lambda _: database)) for step in steps
    ]
    with migration_options(snapshot, drop_snapshot, progress) as options:
        native_bundle.set_version(database._handle, actions, -1 if version is None else version, options)


def bound(action: StepAction | None, database: Callable[[DatabaseHandle], Database]) -> native_bundle.Action:
    """A step's action for the _native calls; its function gets the database in place of its handle."""
    if action is None or isinstance(action, str):
        return action
    if not callable(action):
        raise ProgrammingError(f"a step's action is {action!r}", hint="give SQL or a function of the Database")
    return partial(_run, action, database)


def _run(
    action: Callable[[Database], object], database: Callable[[DatabaseHandle], Database], handle: DatabaseHandle
) -> None:
    given = database(handle)
    noting(given, lambda: call_plain(action, given))


def _number(step: VersionStep) -> int:
    if not 0 <= step.version < 2**31:  # ctypes would cut it
        raise ProgrammingError(f"version {step.version} cannot be", hint="versions count from 0")
    return step.version


def _handles(models: Sequence[type[Model]]) -> list[ModelHandle]:
    return handles_of(models)
