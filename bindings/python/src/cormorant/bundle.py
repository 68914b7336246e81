"""Versioned migrations: ordered steps, kept as a folder of files or brought by the program."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ._either import either
from ._model_info import handles_of
from ._native import bundle as native_bundle
from ._native import callback as native_callback
from ._native.handle import DatabaseHandle
from ._owner import Owner
from ._path import path_text
from ._text_option import refuse_no_text
from .error import ProgrammingError
from .migration import StepAction, bound
from .model import Model
from .plan import Plan
from .progress import ProgressCallback, migration_options
from .schema import Schema

if TYPE_CHECKING:
    from .database import Database

Folder: TypeAlias = "str | os.PathLike[str]"


class BundleState(NamedTuple):
    """Where one step stands.

    state: "pending"; "applied"; "modified": applied, and changed since; "missing": applied, and not in the bundle;
    "order": pending, before one that is applied; "dirty": begun and not finished; "newer": applied, later than all of
    the bundle. started, finished: when, in UTC; None: not yet.
    """

    id: str
    state: Literal["pending", "applied", "modified", "missing", "order", "dirty", "newer"]
    started: datetime | None
    finished: datetime | None


class Bundle(Owner):
    """A list of steps, in the order of their ids as bytes, so that ids begin with a number of fixed length.

        bundle = Bundle("migrations")
        bundle.add("0007_split_names", up=split_names)
        bundle.apply(db)

    folder: one folder per step, such as 0001_create_people, with up.sql and, where there is a way back, down.sql; the
    files are read now. None: without files. Bundle.generate makes steps of models; after a step was written by hand,
    Bundle.seal accepts the files.

    Each step runs in a transaction of its own together with its record in the table corm_migrations, with foreign keys
    off, which are checked before it is committed. Its SQL must not begin or end transactions, attach files or set
    PRAGMAs other than defer_foreign_keys and legacy_alter_table. A step whose up.sql begins with the line
    "-- outside transaction" runs without one, for VACUUM and PRAGMAs; when it is cut short, the file is dirty until
    resolve() says what became of it. On a server the line may stand anywhere: what is above it is one transaction, what
    is below runs statement by statement, and when that is cut short, apply() goes on with it.

    MigrationModifiedError for a file that differs from the manifest, MigrationMissingError for one that only the
    manifest has. A bundle is for one call at a time.
    """

    _instead = "make one of the folder where it is needed"

    def __init__(self, folder: Folder | None = None) -> None:
        self._folder = None if folder is None else path_text(folder)
        self._handle = native_bundle.open_bundle(self._folder)
        self._functions: list[native_callback.Listener] = []
        self._active = _ActiveCall()

    def add(self, id: str, up: StepAction, down: StepAction | None = None, *, schema: Schema | None = None) -> None:
        """Adds a step of the program's own.

        up, down: SQL, or a function of the Database, which runs inside the step's transaction and must not end it; what
        it raises rolls the step back, and records that it wrote are as they were. down None: there is no way back.
        schema: what the step leaves, with which adopt() and drift() compare files. MigrationError for an id that is
        taken, or a step that does nothing.
        """
        refuse_no_text("Bundle.add()", "id", id)
        active = self._active
        ways = bound(up, active.database), bound(down, active.database)
        self._functions += native_bundle.add_step(self._handle, id, *ways, schema.sql if schema else None)

    @either(writes=True)
    def apply(
        self,
        database: Database,
        last: str | None = None,
        *,
        snapshot: str | os.PathLike[str] | None = None,
        drop_snapshot: bool = False,
        allow_lossy: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> None:
        """Applies the steps that the file lacks, up to and with `last` (None: all).

        Processes that come together each wait for the other, as long as their busy timeouts let them (BusyError), and
        every step runs once. snapshot, drop_snapshot and progress are as in Database.sync.

        allow_lossy: whether steps may drop tables and columns that hold something; else MigrationError counts what
        would go, and the step is not run.

        Before anything is done: MigrationModifiedError, MigrationMissingError, MigrationOrderError,
        MigrationDirtyError, MigrationNewerError and MigrationDriftError. MigrationError for a statement that a step may
        not hold. What a step's function or `progress` raises is raised. The step that failed is rolled back; those
        before it stay.
        """
        with (
            self._active.of(lambda _: database),
            migration_options(snapshot, drop_snapshot, progress, (), allow_lossy) as options,
        ):
            native_bundle.apply_bundle(self._handle, database._handle, last, options, self._functions)

    @either(writes=True)
    def revert(
        self,
        database: Database,
        last: str | None,
        *,
        snapshot: str | os.PathLike[str] | None = None,
        drop_snapshot: bool = False,
        allow_lossy: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> None:
        """Takes steps back, the last first, until `last` is the last that is applied (None: all go).

        allow_lossy and errors are as of apply(), and MigrationError for a step without a way back; then none is taken
        back. Steps that came late are no hindrance.
        """
        with (
            self._active.of(lambda _: database),
            migration_options(snapshot, drop_snapshot, progress, (), allow_lossy) as options,
        ):
            native_bundle.revert_bundle(self._handle, database._handle, last, options, self._functions)

    @either(writes=True)
    def adopt(self, database: Database, last: str | None = None) -> None:
        """Records the steps up to and with `last` (None: all) as applied in a file that was made without them.

        The file must have no history. MigrationDriftError, with what differs, when its schema is not the one that
        `last` leaves.
        """
        native_bundle.adopt_bundle(self._handle, database._handle, last)

    @either(writes=True)
    def resolve(self, database: Database, id: str, applied: bool) -> None:
        """Says what became of the step that was cut short outside a transaction: applied, or not.

        MigrationError when the step is not dirty.
        """
        native_bundle.resolve_step(self._handle, database._handle, id, applied)

    @either(writes=False)
    def status(self, database: Database) -> list[BundleState]:
        """The steps of the bundle and of the file's history, in order."""
        states: list[dict[str, Any]] = json.loads(native_bundle.bundle_status(self._handle, database._handle))
        return [
            BundleState(item["id"], item["state"], _moment(item["started"]), _moment(item["finished"]))
            for item in states
        ]

    @either(writes=False)
    def drift(self, database: Database) -> Plan:
        """What has changed in the file since its last step: a plan back to the schema that the step left.

        False, as a plan with nothing to do, where there is no drift.
        """
        return Plan(native_bundle.bundle_drift(self._handle, database._handle))

    # --- Writing folders ---

    @staticmethod
    def generate(
        folder: Folder, name: str, *models: type[Model], allow_drop: Sequence[str] = (), server: Database | None = None
    ) -> Plan:
        """Writes the step that leads from the folder's last schema to the models, and seals it; what the step does.

        The folder is made where it is missing, in one that is there. name: letters, digits and underscores; its number
        comes before it. The plan is False when the models had not changed, and then nothing was written. down.sql leads
        back as far as the schema goes; dropped values do not come back. MigrationError when changes need a decision.

        server: a database of PostgreSQL, for which the step then has SQL of its own beside that for files; the plan is
        the one for it. The bundle's steps are run there in a schema of their own, in a transaction that is taken back.
        What would keep others from a table that was there before stands outside the step's transaction: indexes are
        made CONCURRENTLY, checks and foreign keys validated when they are there.
        """
        handles = handles_of(models)
        with migration_options(None, False, None, allow_drop, server=server) as options:
            return Plan(native_bundle.generate_step(path_text(folder), name, handles, options))

    @staticmethod
    def generate_to(folder: Folder, name: str, schema: Schema, *, allow_drop: Sequence[str] = ()) -> Plan:
        """The same to any schema, such as another file's."""
        with migration_options(None, False, None, allow_drop) as options:
            return Plan(native_bundle.generate_step_to(path_text(folder), name, schema._handle, options))

    @staticmethod
    def seal(folder: Folder) -> None:
        """Accepts the files as they are, after a step was written or changed by hand.

        Runs all steps on an empty database in memory, writes each one's schema.sql anew, and the manifest. Steps that
        the program adds are not run: the files' SQL must do without them. The error of a step that fails names it.
        """
        native_bundle.seal_bundle(path_text(folder))

    @staticmethod
    def squash(folder: Folder, last: str | None = None) -> None:
        """Makes one step of the first ones, up to and with `last` (None: all), named after `last`.

        Files that have applied them all go on as if they had applied it; a file that stands between them must be
        brought to `last` by the former bundle first. The folders of the replaced steps are removed; steps that the
        program adds must stand behind them. What a step does on a server outside a transaction is then done plainly, in
        the one, to tables that steps have made; MigrationError where one of them runs anything else outside.
        """
        native_bundle.squash_bundle(path_text(folder), last)

    def _raised(self) -> Exception | None:
        """What a step's function raised since this was asked last."""
        raised = native_callback.taken(self._functions)
        if raised is None or isinstance(raised, Exception):
            return raised
        raise raised

    def __repr__(self) -> str:
        return f"<Bundle {self._folder!r}>" if self._folder is not None else "<Bundle>"


class _ActiveCall:
    """The call that runs: the functions of a bundle serve one call at a time, and get its database."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._database: Callable[[DatabaseHandle], Database] | None = None

    @contextmanager
    def of(self, database: Callable[[DatabaseHandle], Database]) -> Iterator[None]:
        """database: of a handle."""
        # Waiting could be for ever: this call may come from a step of the other, or hold what the other waits for.
        if not self._lock.acquire(blocking=False):
            raise ProgrammingError("the bundle is in use by another call", hint="open the bundle again for this one")
        try:
            self._database = database
            yield
        finally:
            self._database = None
            self._lock.release()

    def database(self, handle: DatabaseHandle) -> Database:
        if self._database is None:
            raise ProgrammingError("no call uses the bundle", code="CORM_E_INTERNAL")
        return self._database(handle)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=timezone.utc)
