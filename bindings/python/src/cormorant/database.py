"""Databases: opening and closing files, raw SQL, tracing, interrupting."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, overload

from ._model_info import info_of
from ._native import abi
from ._native import database as native_database
from ._native import model as native_model
from ._native import statement as native_statement
from ._native import transaction as native_transaction
from ._native.handle import DatabaseHandle
from ._owner import Owner
from ._path import path_text
from .cache import CacheMethods
from .change import Change, OnConflict
from .cipher import Cipher, CipherMethods, options_of
from .error import ProgrammingError
from .json import JsonMethods
from .maintenance import MaintenanceMethods
from .migration import MigrationMethods
from .model import Model
from .observation import ObservationMethods
from .queue import QueueMethods
from .select import Select
from .statement import Statement
from .store import StoreMethods
from .thread import ThreadMethods
from .transaction import Transaction, TransactionKind
from .value import Bindings, dump_binding_rows, dump_bindings, type_name

if TYPE_CHECKING:
    from typing_extensions import Self

    from .registry import Registry

_MODES = {
    "create": abi.CORM_OPEN_CREATE,
    "read_write": abi.CORM_OPEN_READ_WRITE,
    "read_only": abi.CORM_OPEN_READ_ONLY,
}
_JOURNAL_MODES = {
    None: abi.CORM_JOURNAL_DEFAULT,
    "wal": abi.CORM_JOURNAL_WAL,
    "delete": abi.CORM_JOURNAL_DELETE,
    "truncate": abi.CORM_JOURNAL_TRUNCATE,
    "persist": abi.CORM_JOURNAL_PERSIST,
    "memory": abi.CORM_JOURNAL_MEMORY,
    "off": abi.CORM_JOURNAL_OFF,
}
_SYNCHRONOUS = {
    None: abi.CORM_SYNCHRONOUS_DEFAULT,
    "off": abi.CORM_SYNCHRONOUS_OFF,
    "normal": abi.CORM_SYNCHRONOUS_NORMAL,
    "full": abi.CORM_SYNCHRONOUS_FULL,
    "extra": abi.CORM_SYNCHRONOUS_EXTRA,
}
_INT32_MAX = 2**31 - 1

Mode: TypeAlias = Literal["create", "read_write", "read_only"]
JournalMode: TypeAlias = Literal["wal", "delete", "truncate", "persist", "memory", "off"]
Synchronous: TypeAlias = Literal["off", "normal", "full", "extra"]


class OpenOptions(TypedDict, total=False):
    """How to open a database: the keywords of Database."""

    mode: Mode
    template: str | os.PathLike[str] | None
    busy_timeout: float
    journal_mode: JournalMode | None
    synchronous: Synchronous | None
    foreign_keys: bool
    statement_cache_size: int
    reader_count: int
    auto_sync: bool
    cipher: Cipher | None


class Database(
    Owner,
    CipherMethods,
    JsonMethods,
    MigrationMethods,
    StoreMethods,
    MaintenanceMethods,
    ThreadMethods,
    ObservationMethods,
    CacheMethods,
    QueueMethods,
):
    """An open database file, or memory with the path ":memory:"; a path that begins with "file:" is a URI of SQLite's.
    Use it in a `with` block, or close() it.

    mode: "create" makes the file if it is not there. template: a database file that is copied into place when the file
    is not there. busy_timeout: seconds to wait for another connection's lock, or for other threads. journal_mode: None
    is WAL. synchronous: None is NORMAL. statement_cache_size: how many prepared statements of SQL are kept; 0: none.
    reader_count: how many connections at most read beside the writer; 0: none, so that calls run one at a time.
    auto_sync: whether sync() runs for a model, with those that its relations lead to, before it is first used with the
    database: by a call on records, or a statement that selects from it first or changes it. Inside a transaction it
    does only what rebuilds no table (CORM_E_TRANSACTION), and is rolled back with it. Inside one that only reads, in a
    file open for reading, and for tables of attached files and views it does nothing.
    cipher: what the file is encrypted with; None for a plain file. What is deleted is overwritten where that costs no
    I/O; PRAGMA secure_delete = ON overwrites freed pages, too.

    Threads may share it: writes run one at a time, reads beside them on snapshots, and a transaction belongs to the
    thread that began it. After a fork the child opens its own.
    """

    _instead = "open it anew in the other process, by its path; threads may share it"
    _open = False
    _registry: Registry | None = None

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        mode: Mode = "create",
        template: str | os.PathLike[str] | None = None,
        busy_timeout: float = 5.0,
        journal_mode: JournalMode | None = None,
        synchronous: Synchronous | None = None,
        foreign_keys: bool = True,
        statement_cache_size: int = 64,
        reader_count: int = 4,
        auto_sync: bool = False,
        cipher: Cipher | None = None,
    ) -> None:
        self._trace: object = None
        self.path = path_text(path)
        members = open_members(
            mode=mode,
            template=template,
            busy_timeout=busy_timeout,
            journal_mode=journal_mode,
            synchronous=synchronous,
            foreign_keys=foreign_keys,
            statement_cache_size=statement_cache_size,
            reader_count=reader_count,
            auto_sync=auto_sync,
            cipher=cipher,
        )
        self._handle, kept = native_database.open_database(self.path, *members)
        self._ciphers: list[object] = [kept]
        self._finders = {}
        self._innermost = {}
        self._open = True

    @classmethod
    def _of_registry(cls, registry: Registry, handle: DatabaseHandle, owned: bool = True) -> Self:
        """One that a registry has open; owned: close() gives it back."""
        database = cls.__new__(cls)
        database.path = native_database.database_path(handle)
        database._trace = None
        database._handle = handle
        database._finders = {}
        database._innermost = {}
        # What is attached stays with the file, whoever uses it.
        database._ciphers = registry._ciphers
        database._registry = registry
        database._open = owned
        return database

    def close(self) -> None:
        """Closes the database and, first, its queues; open results end, an open transaction is rolled back.

        A second close does nothing; one that is refused can be tried again. One of a registry is given back instead:
        see Registry.use().
        """
        if self._open:
            if self._registry is not None and self._trace is not None:
                # Others may go on with the file.
                self.set_trace(None)
            # The handle stays: the library knows a closed one and says so.
            native_database.close_database(self._handle)
            self._open = False
            self._handle.closed_as = f"the database {self.path!r}"
            self._trace = None
            self._close_workers()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if self._open:
            warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self, stacklevel=2)
            self.close()

    def __repr__(self) -> str:
        return f"<Database {self.path!r}{'' if self._open else ' closed'}>"

    # --- Tables ---

    def create_tables(self, *models: type[Model]) -> None:
        """Creates the tables and indexes that are missing, referenced tables first, in one transaction."""
        native_model.create_tables(self._handle, [info_of(model).handle for model in models])

    def table_exists(self, model: type[Model]) -> bool:
        """Whether the model's table is in the file."""
        return native_model.table_exists(self._handle, info_of(model).handle)

    # --- Statements that write, and raw SQL; see also query() ---

    @overload
    def execute(self, change: Change[Any], /, *, bindings: Mapping[str, Any] = ..., **parameters: Any) -> int: ...
    @overload
    def execute(self, sql: str, /, bindings: Bindings = ()) -> int: ...
    def execute(self, sql: Any, /, bindings: Bindings = (), **parameters: Any) -> int:
        """Runs SQL, or what update(), delete() or insert() made, to its end; how many rows it changed."""
        if isinstance(sql, Statement):
            if isinstance(sql, Select):
                raise ProgrammingError("a query is executed", hint="fetch its rows, with fetch_all(query)")
            data = sql._parameters(bindings, parameters)
            return native_statement.execute(self._handle, sql._compile().handle, data)
        if isinstance(sql, OnConflict):
            raise ProgrammingError(
                "an insert that does not say what it does on a conflict",
                hint="add do_nothing(), which leaves the row that is there, or do_update(), which sets its properties",
            )
        if not isinstance(sql, str):
            raise ProgrammingError(
                f"{type_name(sql)} is no statement", hint="give SQL, or what update(), delete() or insert() made"
            )
        if parameters:
            raise ProgrammingError("keywords with SQL", hint="give them as bindings")
        return native_database.execute(self._handle, sql, dump_bindings(bindings, as_list=True))

    def execute_many(self, sql: str, rows: Iterable[Bindings]) -> int:
        """Runs one statement for each row of bindings, in one transaction; how many rows it changed."""
        rows = rows if isinstance(rows, list) else list(rows)
        return native_database.execute(self._handle, sql, dump_binding_rows(rows)) if rows else 0

    def execute_script(self, sql: str) -> None:
        """Runs any number of statements without bindings, up to the first error; what came before it stays done."""
        native_database.execute_script(self._handle, sql)

    # --- Transactions ---

    def transaction(self, kind: TransactionKind = "immediate") -> Transaction:
        """A transaction for a `with` block: commits at its end, rolls back when an exception leaves it.

        Inside another it is a savepoint. It belongs to this thread; writes of other threads wait until it ends. See
        also read().
        """
        return Transaction(self, kind)

    @property
    def transaction_depth(self) -> int:
        """How many transactions and savepoints this thread has open."""
        return native_transaction.depth(self._handle)

    # --- State ---

    @property
    def last_insert_id(self) -> int:
        """The rowid of the newest insert; 0 before the first."""
        return native_database.last_insert_id(self._handle)

    @property
    def changes(self) -> int:
        """Rows changed by the newest INSERT, UPDATE or DELETE."""
        return native_database.changes(self._handle)

    @property
    def total_changes(self) -> int:
        """Rows changed since the database was opened."""
        return native_database.total_changes(self._handle)

    def set_trace(self, callback: Callable[[str, float], object] | None) -> None:
        """Calls `callback(sql, seconds)` after every statement; None stops.

        It runs on the thread of the call and must not use this database.
        """
        self._trace = native_database.set_trace(self._handle, callback)

    def interrupt(self) -> None:
        """Stops what all threads do now on the database: those calls raise OperationalError. Any thread may call it."""
        native_database.interrupt(self._handle)


def open_members(
    *,
    mode: Mode = "create",
    template: str | os.PathLike[str] | None = None,
    busy_timeout: float = 5.0,
    journal_mode: JournalMode | None = None,
    synchronous: Synchronous | None = None,
    foreign_keys: bool = True,
    statement_cache_size: int = 64,
    reader_count: int = 4,
    auto_sync: bool = False,
    cipher: Cipher | None = None,
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The members of a corm_open_options, and those of its cipher."""
    milliseconds = int(min(busy_timeout * 1000, _INT32_MAX))
    members = {
        "mode": _choice("mode", mode, _MODES),
        "template_path": None if template is None else path_text(template),
        # 0 is the library's word for its default, below 0 is not to wait.
        "busy_timeout": milliseconds if milliseconds > 0 else -1,
        "journal_mode": _choice("journal_mode", journal_mode, _JOURNAL_MODES),
        "synchronous": _choice("synchronous", synchronous, _SYNCHRONOUS),
        "foreign_keys_off": not foreign_keys,
        # As with the timeout.
        "statement_cache_size": _positive(statement_cache_size),
        "reader_count": _positive(reader_count),
        "auto_sync": auto_sync,
    }
    return members, None if cipher is None else options_of(cipher)


def _positive(count: int) -> int:
    return min(count, _INT32_MAX) if count > 0 else -1


def _choice(option: str, value: Any, numbers: dict[Any, int]) -> int:
    if value not in numbers:
        names = ", ".join(name for name in numbers if name)
        raise ProgrammingError(f"{option} is {value!r}", hint=f"use one of {names}")
    return numbers[value]
