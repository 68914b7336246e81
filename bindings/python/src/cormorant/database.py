"""Databases: opening and closing files, raw SQL, tracing, interrupting."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from itertools import islice
from threading import TIMEOUT_MAX, get_ident
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

from . import _function
from . import arrow as _arrow
from . import cipher as _cipher
from . import count as _count
from . import exactly_one as _exactly_one
from . import graph as _graph
from . import json as _json
from . import key_value as _key_value
from . import query as _query
from . import record as _record
from . import thread as _thread
from . import trace as _tracing
from ._elsewhere import OF_DATABASE, no_attribute
from ._later import add_methods
from ._model_info import handles_of, info_of
from ._native import bundle as native_bundle
from ._native import database as native_database
from ._native import model as native_model
from ._native import result as native_result
from ._native import statement as native_statement
from ._native import transaction as native_transaction
from ._native.handle import DatabaseHandle
from ._native.python import Find
from ._native.record import Row
from ._open_options import OpenOptions, open_members
from ._owner import Owner
from ._path import is_url, path_text, shown_path
from ._sql import bindings_of, refuse_values
from .change import Change, OnConflict
from .error import Error, ProgrammingError, count_from, note_refusal
from .model import Model
from .select import Select
from .statement import Statement
from .thread import close_workers
from .transaction import Innermost, Transaction, TransactionKind
from .value import Bindings, dump_binding_rows, dump_bindings, type_name

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from . import cache as _cache
    from . import connection as _connection
    from . import maintenance as _maintenance
    from . import migration as _migration
    from . import observation as _observation
    from . import queue as _queue
    from . import shared as _shared
    from . import studio as _studio
    from ._worker import Workers
    from ._writer import Writer
    from .registry import Registry

# Rows of bindings cross in parts of so many, so that they need not be in memory all at once.
_PART = 1_000


class Database(Owner):
    """An open database file, or memory with the path ":memory:"; a path that begins with "file:" is a URI of SQLite's.
    Use it in a `with` block, or close() it.

    mode: "create", as long as nothing is said, makes the file if it is not there; "read_write" and "read_only" do not.
    template: a database file that is copied into place when the file is not there. busy_timeout (5.0): seconds to wait
    for another connection's lock, or for other threads. journal_mode ("wal"), synchronous ("normal" in WAL mode,
    "full" with another journal): as SQLite's PRAGMAs; "wal" is refused on network file systems. foreign_keys (True):
    whether they are checked. statement_cache_size (64): how many prepared statements of SQL are kept; 0: none.
    reader_count (4): how many connections at most read beside the writer; 0: none, so that calls run one at a time.
    worker_count (32): how many threads at most do what is awaited, by AsyncDatabase and perform(), beside as many for
    what is kept open, cursors and snapshots, and one that writes; they are started when needed.
    auto_sync (False): whether sync() runs for a model, with those that its relations and references=Class lead to,
    before it is first used with the database: by a call on records, or a statement that selects from it first or
    changes it. Inside a transaction it does only what rebuilds no table (CORM_E_TRANSACTION), and is rolled back with
    it. Inside one that only reads, in a file open for reading, and for tables of attached files and views it does
    nothing.
    untrusted (False): whether the file may have been made, or altered, to do harm. What its schema says then calls no
    function with effects beyond its result (trusted_schema = OFF, unless SQLite took its JSON functions for such, as
    3.40 does), SQL cannot damage the file (no writable_schema, no writes to what virtual tables keep, no journal_mode
    "off"), pages are looked at before they are used (cell_size_check = ON), and statements have bounds: 1,000,000 bytes
    of SQL, depth 500 of expressions, 200 SELECTs in a compound one, 1,000,000 operations, depth 100 of triggers, 10,000
    bytes of a pattern of LIKE. Foreign keys, checks and triggers run as ever.
    set_up: a function that is called with each connection that is opened to the file, a RawConnection: first the one
    that writes, then, when threads need them, those that read beside it. For settings and attached files, which all
    connections must have alike: `set_up=lambda connection: connection.execute_script("PRAGMA cache_size = -20000")`. It
    runs after the other options but for journal_mode, on the thread whose call needs the connection, and must not use
    the database. Connections that read cannot write. What it raises is the `__cause__` of the error of Database() or,
    for one that reads, of the call that needs it.
    heap_limit: bytes of memory that SQLite may have, as sqlite3_hard_heap_limit64 says; what needs more raises
    CORM_E_NO_MEMORY and is undone. It is the whole process's, not the database's: the newest one counts. 0: no limit;
    None: as it is. keep_schema (False): whether a copy of the schema is kept beside the file, as PATH-corm-schema,
    encrypted as the file is, for a repair() that cannot read the file's own. It is brought up to date when the database
    is opened, migrated and closed, where it can be written; whoever removes the file removes it, too. damaged: a
    function that is told of damage that statements meet, a Damage: of each page once, or of each code where the page is
    not known. It runs on a thread of the library's own, and may use the database and close it; close() waits for it.
    What it raises goes to sys.excepthook. What opening meets is raised.
    cipher: what the file is encrypted with; None for a plain file. What is deleted is overwritten where that costs no
    I/O; PRAGMA secure_delete = ON overwrites freed pages, too.

    A path that begins with "postgresql://" or "postgres://" is the URL of a PostgreSQL database, as libpq reads it.
    Then mode, busy_timeout (also lock_timeout), synchronous ("off" is synchronous_commit = off), statement_cache_size,
    reader_count, worker_count and set_up count; other options, and calls for what only files have, are
    NotSupportedError. writer_count (4): how many connections at most write at once there, when threads or tasks share
    the database; of a file one writes, whatever is given. Where another transaction wrote what this one reads or
    writes, ConflictError is raised, and it
    can be run again.

    Threads may share it: writes run one at a time, on a server at once, reads beside them on snapshots, and a
    transaction belongs to the thread that began it. After a fork the child opens its own, or reopens this one.
    """

    _instead = "open it anew in the other process, by its path; threads may share it"
    _open = False
    _registry: Registry | None = None
    # The thread that took it from its registry, and how many transactions it had open then.
    _taken: tuple[int, int] | None = None
    # What the library calls as long as it is open.
    _kept: object = None
    _workers: Workers | None = None
    # Of the options what is not the library's, or is needed here, too.
    _worker_count = 32
    # How many calls that write are made at once.
    _writer_count = 1
    _busy_timeout = 5.0

    def __init__(self, path: str | os.PathLike[str], **options: Unpack[OpenOptions]) -> None:
        given = path_text(path)
        self.path = shown_path(given)
        members, cipher = open_members(**options)
        self._take_options(options)
        handle, kept = native_database.open_database(given, members, cipher)
        self._begin(handle, [kept])
        self._kept = members.get("set_up"), members.get("damaged")
        self._open = True

    def _take_options(self, options: OpenOptions) -> None:
        self._worker_count = options.get("worker_count", self._worker_count)
        if is_url(self.path):
            self._writer_count = max(1, min(options.get("writer_count", 4), 64))
        self._busy_timeout = max(0.001, min(options.get("busy_timeout", self._busy_timeout), TIMEOUT_MAX))

    def _begin(self, handle: DatabaseHandle, ciphers: list[object]) -> None:
        self._handle = handle
        # What must live as long as the files that are open.
        self._ciphers = ciphers
        # What finds by a key of one integer, what loads the row, and what both need.
        self._finders: dict[type[Model], tuple[Find, Callable[[Row], Any], object]] = {}
        # What writes one record, by its model; what updates one, by the properties after the first and the first.
        self._inserters: dict[type[Model], Writer] = {}
        self._savers: dict[type[Model], Writer] = {}
        self._updaters: dict[type[Model], dict[tuple[Any, ...], dict[Any, Writer]]] = {}
        self._deleters: dict[type[Model], Writer] = {}
        # What is told of statements.
        self._tracers = _tracing.Tracers()
        # That of the tracers while the library tells, as far as it is known here.
        self._traced: object = None
        # The innermost open transaction of each thread.
        self._innermost = Innermost()
        # How many writes of records are waiting for their hooks, by threads.
        self._hook_depths: dict[int, int] = {}

    @classmethod
    def _of_registry(cls, registry: Registry, handle: DatabaseHandle, owned: bool = True) -> Self:
        """One that a registry has open; owned: close() gives it back."""
        database = cls.__new__(cls)
        database.path = native_database.database_path(handle)
        # What is attached stays with the file, whoever uses it.
        database._begin(handle, registry._ciphers)
        # Others may have it open, too: what they write is part of the thread's transaction.
        database._innermost, database._tracers = registry._shared_of(database.path)
        database._taken = get_ident(), database._innermost.depth()
        database._registry = registry
        database._take_options(registry._options_of(database.path))
        database._open = owned
        return database

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise no_attribute(self, name, OF_DATABASE)

    def reopen(self) -> None:
        """Opens the database anew in the child of a fork, for all who have this object: with the options, the key, the
        functions and the collations that it has in the parent, whose own stays as it is. Results, queues, observers,
        caches, tracers and attached files are the child's to make again.

        ProgrammingError (CORM_E_MISUSE) in the process that opened it, for memory, and for one of a registry, of which
        the child makes its own. Call it before other threads of the child use the database, as
        `os.register_at_fork(after_in_child=db.reopen)` does.
        """
        native_database.reopen_database(self._handle)
        self._workers = None
        self._begin(self._handle, self._ciphers)

    def close(self) -> None:
        """Closes the database and, first, its queues; open results end, an open transaction is rolled back.

        A second close does nothing; one that is refused can be tried again. One of a registry is given back instead:
        see Registry.use().
        """
        if self._open:
            if self._registry is not None:
                # Others may go on with the file.
                self._tracers.remove(self)
            # The handle stays: the library knows a closed one and says so.
            native_database.close_database(self._handle)
            self._open = False
            self._handle.closed_as = f"the database {self.path!r}"
            close_workers(self)
            thread, depth = self._taken or (get_ident(), 0)
            # What it has begun since then has been rolled back.
            if thread == get_ident():
                self._innermost.roll_back(depth)

    def __enter__(self) -> Self:
        if not self._open:
            raise ProgrammingError(f"the database {self.path!r} is closed", hint="open another one")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Error as refused:
            if error is None:
                raise
            note_refusal(error, refused)

    def __del__(self) -> None:
        if self._open:
            warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self, stacklevel=2)
            self.close()

    def __repr__(self) -> str:
        return f"<Database {self.path!r}{'' if self._open else ' closed'}>"

    # --- What the other modules have, by topic ---

    insert = _record.insert
    insert_many = _record.insert_many
    save = _record.save
    save_many = _record.save_many
    upsert = _record.upsert
    upsert_many = _record.upsert_many
    get_or_create = _record.get_or_create
    get_or_create_many = _record.get_or_create_many
    update = _record.update
    update_many = _record.update_many
    update_changes = _record.update_changes
    delete = _record.delete
    delete_many = _record.delete_many
    delete_key = _record.delete_key
    delete_all = _record.delete_all
    find = _record.find
    refresh = _record.refresh

    fetch_all = _query.fetch_all
    fetch_one = _query.fetch_one
    one = _exactly_one.one
    fetch_value = _query.fetch_value
    one_value = _exactly_one.one_value
    fetch_values = _query.fetch_values
    cursor = _query.cursor
    count = _count.count
    page_count = _count.page_count
    exists = _count.exists
    max_key = _count.max_key
    explain = _query.explain
    query = _query.query

    load = _graph.load
    save_graph = _graph.save_graph

    import_json = _json.import_json
    insert_arrow = _arrow.insert_arrow

    read = _thread.read
    transact = _thread.transact
    timeout = _thread.timeout
    perform = _thread.perform

    store = _key_value.store

    # At run time add_methods gives these.
    if TYPE_CHECKING:
        observe = _observation.observe
        observe_live = _observation.observe_live
        set_cache = _cache.set_cache
        cache_statistics = _cache.cache_statistics
        queue = _queue.queue
        shared_transaction = _shared.shared_transaction

        schema = _migration.schema
        metadata = _migration.metadata
        plan = _migration.plan
        sync = _migration.sync
        set_version = _migration.set_version
        restore = _migration.restore

        backup = _maintenance.backup
        vacuum = _maintenance.vacuum
        optimize = _maintenance.optimize
        checkpoint = _maintenance.checkpoint

        use_connection = _connection.use_connection
        studio = _studio.studio

    set_trace = _tracing.set_trace
    tracing = _tracing.tracing
    logging_statements = _tracing.logging_statements
    opentelemetry_spans = _tracing.opentelemetry_spans

    register_function = _function.register_function
    register_aggregate = _function.register_aggregate
    register_collation = _function.register_collation
    remove_function = _function.remove_function

    attach = _cipher.attach
    check_pages = _cipher.check_pages

    # --- Tables ---

    def create_tables(self, *models: type[Model]) -> None:
        """Creates the tables and indexes that are missing, referenced tables first, in one transaction."""
        native_model.create_tables(self._handle, handles_of(models))

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
        data = dump_bindings(bindings_of(sql, bindings), as_list=True)
        return native_database.execute(self._handle, sql, data)

    def execute_many(self, sql: str, rows: Iterable[Bindings]) -> int:
        """Runs one statement for each row of bindings, in one transaction; how many rows it changed."""
        refuse_values(sql, "execute_many()")
        source = iter(rows)
        part, start, changed = list(islice(source, _PART)), 0, 0
        is_several = len(part) == _PART
        if is_several and not self._innermost.depth() and native_result.in_transaction(self._handle):
            # Raw SQL has begun it: there a batch in one part is a savepoint, and no transaction is begun by calls.
            part.extend(source)
            is_several = False
        is_part = is_several and not is_url(self.path)
        with Transaction(self) if is_several else nullcontext():
            while part:
                try:
                    data = dump_binding_rows(part)
                    changed += native_database.execute(self._handle, sql, data, is_part=is_part)
                except Error as error:
                    if start:
                        count_from(start, error, len(part))
                    raise
                start += len(part)
                part = list(islice(source, _PART))
        return changed

    def execute_script(self, sql: str) -> None:
        """Runs any number of statements without bindings, up to the first error; what came before it stays done."""
        refuse_values(sql, "execute_script()")
        native_database.execute_script(self._handle, sql)

    # --- Transactions ---

    def transaction(self, kind: TransactionKind = "immediate") -> Transaction:
        """A transaction for a `with` block: commits at its end, rolls back when an exception leaves it.

        Inside another it is a savepoint. It belongs to this thread; writes of other threads wait until it ends. See
        also read(), and transact(), which runs a function again where other transactions were in its way.
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

    @property
    def version(self) -> int:
        """The file's number, PRAGMA user_version, which set_version() changes."""
        return native_bundle.version(self._handle)

    def interrupt(self) -> None:
        """Stops what all threads do now on the database: those calls raise OperationalError. Any thread may call it."""
        native_database.interrupt(self._handle)


add_methods(Database, ".observation", "observe", "observe_live")
add_methods(Database, ".connection", "use_connection")
add_methods(Database, ".cache", "set_cache", "cache_statistics")
add_methods(Database, ".queue", "queue")
add_methods(Database, ".shared", "shared_transaction")
add_methods(Database, ".migration", "schema", "metadata", "plan", "sync", "set_version", "restore")
add_methods(Database, ".maintenance", "backup", "vacuum", "optimize", "checkpoint")
add_methods(Database, ".studio", "studio")
