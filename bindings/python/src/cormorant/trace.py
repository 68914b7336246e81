"""Telling what a database runs: to callbacks, to logging, to OpenTelemetry, to tests that count."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from weakref import ref

from ._native import database as native_database
from ._path import is_url
from .error import BusyError

if TYPE_CHECKING:
    import logging

    from .database import Database

TraceCallback: TypeAlias = Callable[[str, float], object]
# By the id of the database that has it, and a key of its own.
_Told: TypeAlias = "dict[tuple[int, object], tuple[ref[Database], TraceCallback]]"

# What begins and ends transactions, and what the library asks of a schema when it first uses a table: whether it does,
# no program decides.
_NOT_COUNTED = frozenset(("BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA"))
_SCHEMA_WORDS = ("pragma_", "sqlite_schema", "/* cormorant looks at")


def set_trace(database: Database, callback: TraceCallback | None) -> None:
    """Calls `callback(sql, seconds)` after every statement; None stops.

    It runs on the thread of the call and must not use this database.
    """
    if callback is None:
        database._tracers.remove(database, "set_trace")
    else:
        database._tracers.add(database, "set_trace", callback)


@contextmanager
def tracing(database: Database, callback: TraceCallback) -> Iterator[None]:
    """Calls `callback(sql, seconds)` after every statement in a `with` block, on whatever thread, beside other
    callbacks; as set_trace().
    """
    key = object()
    database._tracers.add(database, key, callback)
    try:
        yield
    finally:
        # Nobody is told any more, also where the library cannot be stopped from telling.
        with suppress(BusyError):
            if not database._handle.closed_as:
                database._tracers.remove(database, key)


class Tracers:
    """Who is told of the statements of a file, by all who have it of a registry."""

    def __init__(self) -> None:
        # A new dict each time: a statement of another thread may be telling the old one at this moment.
        self._told: _Told = {}
        self._lock = RLock()
        # Another one each time that the library is set to tell, which the databases that know have, too; None: it does
        # not tell.
        self._on: object = None
        self._trace: native_database.Trace | None = None

    def add(self, database: Database, key: object, callback: TraceCallback) -> None:
        """Has it called after every statement, until it is removed, or another one of this database has the key."""
        with self._lock:
            others = self._without(database, key)
            self._told = {**others, (id(database), key): (ref(database), callback)}
            # Who has the file open keeps it as it is.
            if self._on and any(has._open and has._traced is self._on for has in (database, *_databases(others))):
                database._traced = self._on
                return
        try:
            self._set(database)
        except BaseException:
            with self._lock:
                self._told = self._without(database, key)
            raise

    def remove(self, database: Database, *keys: object) -> None:
        """Tells nobody any more of these keys of a database; without any, of all that it has."""
        with self._lock:
            self._told = self._without(database, *keys)
            if self._told or not self._on:
                return
        self._set(database)

    def _set(self, database: Database) -> None:
        with self._lock:
            if self._trace is None:
                # The library holds no database, so that one that nobody holds any more can end.
                of = ref(self)
                self._trace = native_database.Trace(lambda *told: _tell(of(), *told), lambda: _is_wanted(of()))
        # Without the lock: it waits for what runs, whose threads may come here.
        native_database.set_trace(database._handle, self._trace)

    def _is_wanted(self) -> bool:
        """Asked where the library begins or stops to tell, by one thread at a time."""
        with self._lock:
            databases = _databases(self._told)
            self._on = object() if databases else None
            for database in databases:
                database._traced = self._on
            return bool(databases)

    def _without(self, database: Database, *keys: object) -> _Told:
        """Those of databases that are there, but for these."""
        return {
            (of, key): told
            for (of, key), told in self._told.items()
            if told[0]() is not None and (of != id(database) or (keys and key not in keys))
        }


def _databases(told: _Told) -> list[Database]:
    return [database for of, _ in told.values() if (database := of()) is not None]


def _is_wanted(tracers: Tracers | None) -> bool:
    return tracers is not None and tracers._is_wanted()


def _tell(tracers: Tracers | None, sql: str, seconds: float) -> None:
    for of, callback in tracers._told.values() if tracers else ():
        if of() is not None:
            callback(sql, seconds)


def operation_of(sql: str) -> str:
    """The word that a statement begins with, in capitals."""
    words = sql.lstrip(" \t\r\n(").split(maxsplit=1)
    return words[0].rstrip(";").upper() if words else ""


# --- Counting ---


class TracedStatement(NamedTuple):
    """A statement that ran: its SQL, without bound values, and how long it took."""

    sql: str
    seconds: float

    @property
    def is_counted(self) -> bool:
        """Whether it reads or writes rows: it is not about transactions or the schema."""
        return operation_of(self.sql) not in _NOT_COUNTED and not any(word in self.sql for word in _SCHEMA_WORDS)


@contextmanager
def counting(database: Database, at_most: int | None = None) -> Iterator[list[TracedStatement]]:
    """Lists the statements of a `with` block as they run, on whatever thread: `with counting(db, at_most=3) as seen:`.

    at_most: AssertionError at the end of a block that ran more, with all of them; what is about transactions or the
    schema does not count.
    """
    seen: list[TracedStatement] = []
    with tracing(database, lambda sql, seconds: seen.append(TracedStatement(sql, seconds))):
        yield seen
    counted = [statement for statement in seen if statement.is_counted]
    if at_most is not None and len(counted) > at_most:
        listed = "".join(f"\n  {number}. {statement.sql}" for number, statement in enumerate(counted, 1))
        raise AssertionError(f"{len(counted)} statements ran, {at_most} at most were to:{listed}")


# --- Telling others ---


@contextmanager
def logging_statements(
    database: Database, logger: logging.Logger | str = "cormorant", level: int = 10, *, slower_than: float = 0
) -> Iterator[None]:
    """Logs each statement of a `with` block with its time, without bound values.

    level: of logging; DEBUG as long as none is said. slower_than: seconds; quicker statements are left out. Handlers
    run inside of the call and must not use the database.
    """
    import logging

    log = logging.getLogger(logger) if isinstance(logger, str) else logger

    def tell(sql: str, seconds: float) -> None:
        if seconds >= slower_than:
            log.log(level, "%.3f ms %s", seconds * 1000, sql, extra={"sql": sql, "seconds": seconds})

    with tracing(database, tell):
        yield


@contextmanager
def opentelemetry_spans(database: Database, tracer_provider: Any = None) -> Iterator[None]:
    """Makes a span of OpenTelemetry of each statement of a `with` block that runs to its end, inside the current one.

    Attributes are those of its conventions for databases; bound values are none of them. tracer_provider: the global
    one as long as none is said. What exports spans must not use the database. Needs opentelemetry-api.
    """
    try:
        from opentelemetry import trace
    except ImportError:
        raise ImportError("opentelemetry is not installed; install it with: pip install opentelemetry-api") from None
    from ._native.base import version

    tracer = trace.get_tracer("cormorant", version(), tracer_provider)

    def tell(sql: str, seconds: float) -> None:
        end = time.time_ns()
        operation = operation_of(sql)
        attributes = {
            "db.system.name": "postgresql" if is_url(database.path) else "sqlite",
            "db.namespace": database.path,
            "db.operation.name": operation,
            "db.query.text": sql,
        }
        span = tracer.start_span(
            operation, kind=trace.SpanKind.CLIENT, attributes=attributes, start_time=end - int(seconds * 1e9)
        )
        span.end(end)

    with tracing(database, tell):
        yield
