"""Connections of PEP 249."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Literal, TypeAlias

from .. import error
from .._native import result as native_result
from .._native.call import owned_error
from .._native.library import utf8
from .._native.python import Ran, runner
from ..cipher import Cipher, Key
from ..connection import RawConnection, use_connection
from ..database import Database
from ..value import Bindings
from .cursor import Cursor
from .types import Warning

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from .._open_options import OpenOptions

IsolationLevel: TypeAlias = Literal["DEFERRED", "IMMEDIATE", "EXCLUSIVE"]

_BEGIN: dict[IsolationLevel, bytes] = {
    "DEFERRED": b"BEGIN DEFERRED",
    "IMMEDIATE": b"BEGIN IMMEDIATE",
    "EXCLUSIVE": b"BEGIN EXCLUSIVE",
}


def connect(
    database: str | os.PathLike[str],
    *,
    key: Key | None = None,
    autocommit: bool = False,
    isolation_level: IsolationLevel | None = "DEFERRED",
    **options: Unpack[OpenOptions],
) -> Connection:
    """Opens a file, or memory with the path ":memory:".

    key: of an encrypted file; in place of it, cipher=Cipher(...) says more. autocommit, isolation_level: see
    Connection. options: those of cormorant.Database, such as busy_timeout, mode, template and foreign_keys, but no
    reader_count and no writer_count.
    """
    for option, what in (("reader_count", "readers"), ("writer_count", "other writers")):
        if option in options:
            raise error.ProgrammingError(f"a connection has no {what}", hint=f"give no {option}, or open a Database")
    options["reader_count"], options["writer_count"] = 0, 1
    if key is not None:
        if options.get("cipher") is not None:
            raise error.ProgrammingError("key and cipher are both given", hint="give the key to the Cipher")
        options["cipher"] = Cipher(key)
    del key
    return Connection(Database(database, **options), autocommit, isolation_level)


class Connection:
    """A connection to a database file, of its own. It belongs to no thread: threads may share it, one call at a time,
    and pools may hand it from one to another with a transaction open. Those who share it share its transaction, too.

    database: what it runs on, for what SQL does not have, such as set_trace(), backup() and models; its transaction()
    is refused while a transaction of the connection is open. The connection closes it.
    """

    Warning = Warning
    Error = error.Error
    InterfaceError = error.InterfaceError
    DatabaseError = error.DatabaseError
    DataError = error.DataError
    OperationalError = error.OperationalError
    IntegrityError = error.IntegrityError
    InternalError = error.InternalError
    ProgrammingError = error.ProgrammingError
    NotSupportedError = error.NotSupportedError

    _isolation_level: IsolationLevel = "DEFERRED"

    def __init__(
        self, database: Database, autocommit: bool = False, isolation_level: IsolationLevel | None = "DEFERRED"
    ) -> None:
        self.database = database
        self._handle = database._handle
        self._run = runner(database._handle)
        # What begins a transaction, where statements do.
        self._begin: bytes | None = None
        self._is_autocommit = False
        # The thread whose executemany() runs, where that is more than one call.
        self._whole: int | None = None
        self.isolation_level = isolation_level
        if autocommit:
            self.autocommit = True

    @property
    def autocommit(self) -> bool:
        """False: the first statement begins a transaction, which commit() and rollback() end; a PRAGMA, VACUUM, ATTACH
        or DETACH begins none. True: each statement commits by itself, until SQL says BEGIN. Setting it to True commits.
        """
        return self._is_autocommit

    @autocommit.setter
    def autocommit(self, value: bool) -> None:
        if value and not self._is_autocommit:
            self.commit()
        self._is_autocommit = value
        self._begin = None if value else _BEGIN[self._isolation_level]

    @property
    def isolation_level(self) -> IsolationLevel | None:
        """How transactions begin: "DEFERRED" locks what a statement needs, "IMMEDIATE" the file against other writers,
        "EXCLUSIVE" as SQLite says it. In each, what is read is one snapshot (serializable). None: no statement begins
        one, as with autocommit.
        """
        return None if self._is_autocommit else self._isolation_level

    @isolation_level.setter
    def isolation_level(self, value: IsolationLevel | None) -> None:
        if value is None:
            self.autocommit = True
            return
        if value not in _BEGIN:
            raise error.ProgrammingError(
                f"there is no isolation level {value!r}",
                hint=f"use one of {', '.join(_BEGIN)}; or None, with which no statement begins a transaction",
            )
        self._isolation_level = value
        self._is_autocommit = False
        self._begin = _BEGIN[value]

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open. It waits for the calls of other threads, up to the busy timeout."""
        return not self.is_closed and native_result.in_transaction(self._handle)

    @property
    def is_closed(self) -> bool:
        """Whether close() was called."""
        return not self.database._open

    def cursor(self) -> Cursor:
        """A cursor. Those of one connection see each other's changes."""
        self._check()
        return Cursor(self)

    def execute(self, operation: str, parameters: Bindings = ()) -> Cursor:
        """Cursor.execute() of a new cursor, which it gives."""
        return Cursor(self).execute(operation, parameters)

    def executemany(self, operation: str, seq_of_parameters: Iterable[Bindings]) -> Cursor:
        """Cursor.executemany() of a new cursor, which it gives."""
        return self.cursor().executemany(operation, seq_of_parameters)

    def commit(self) -> None:
        """Commits; without a transaction it does nothing. When it fails, with BusyError or a deferred foreign key, the
        transaction stays open.
        """
        self._finish("COMMIT")

    def rollback(self) -> None:
        """Rolls back; without a transaction it does nothing."""
        self._finish("ROLLBACK")

    def interrupt(self) -> None:
        """Stops what it does now: that call raises OperationalError. Any thread may call it."""
        self.database.interrupt()

    def close(self) -> None:
        """Closes it; an open transaction is rolled back. A second close does nothing."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Commits at the end of the `with` block, rolls back when an exception leaves it; the connection stays open."""
        if kind is not None:
            self.rollback()
            return
        try:
            self.commit()
        except error.Error:
            self.rollback()
            raise

    def __repr__(self) -> str:
        return f"<Connection {self.database.path!r}{' closed' if self.is_closed else ''}>"

    def _ran(self, ran: Ran | int | None, sql: object) -> Ran:
        """What _run gave, or its error."""
        if isinstance(ran, tuple):
            return ran
        failed = None if ran is None else owned_error(ran, self._handle)
        self._check()
        if failed is not None:
            raise failed
        if isinstance(sql, str):
            utf8(sql)
        raise error.ProgrammingError(f"{type(sql).__name__} is no statement", hint="give SQL as str")

    def _execute(self, sql: str, begin: bytes | None = None) -> None:
        self._ran(self._run(sql, None, begin, 1), sql)

    def _finish(self, word: str) -> None:
        self._check()
        if self._whole == threading.get_ident():
            raise error.ProgrammingError(
                f"{word} comes while executemany() runs, from what gives its parameters", hint="end it afterwards"
            )
        if self.in_transaction:
            # A script, which takes back even while a query that was interrupted is open.
            self.database.execute_script(word)

    def _as_a_whole(self, run: Callable[[], None]) -> None:
        """Runs what is done as a whole or not at all; the calls of other threads wait meanwhile."""

        def within(_: RawConnection) -> bool:
            if begin and not self.in_transaction:
                return False
            self._execute("SAVEPOINT corm_many")
            try:
                self._whole = threading.get_ident()
                run()
                if not self.in_transaction:
                    raise error.ProgrammingError(
                        "the transaction was ended by what gives the parameters", hint="end it after executemany()"
                    )
            except BaseException:
                if self.in_transaction:
                    self.database.execute_script("ROLLBACK TO corm_many; RELEASE corm_many")
                raise
            finally:
                self._whole = None
            self._execute("RELEASE corm_many")
            return True

        begin = self._begin
        while True:
            # Before the connection is lent, which would take back what was begun meanwhile; another thread may end it.
            if begin and not self.in_transaction:
                self._execute(begin.decode())
            if use_connection(self.database, within):
                return

    def _check(self) -> None:
        if self.is_closed:
            raise error.ProgrammingError("the connection is closed", hint="open another with connect()")
