"""Databases by name: a file per user, opened when it is used, closed when too many are open, migrated together."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakValueDictionary

from ._native import registry as native_registry
from ._open_options import OpenOptions, open_members
from ._owner import Owner
from ._path import is_url, path_text, shown_path
from .bundle import Bundle
from .database import Database
from .error import Error
from .trace import Tracers
from .transaction import Innermost

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


@dataclass(frozen=True)
class RegistryMigration:
    """What became of one database of a fleet.

    index, count: its place among them, from 0, and how many they are. steps: how many were applied; 0: it had them all.
    error: what went wrong; None: nothing.
    """

    name: str
    index: int
    count: int
    steps: int
    error: Exception | None


RegistryProgress: TypeAlias = Callable[[RegistryMigration], "bool | None"]


class Registry(Owner):
    """Databases by name. Use it in a `with` block, or close() it.

        users = Registry("users/{name}.db")
        with users.use("ida") as db:
            ...

    Each is opened when it is first used, once for all threads, and stays open while anybody holds it; of those that
    nobody holds, the one used longest ago is closed when another is needed and the limit is reached.

    pattern: which files are databases without being registered, with {name} once, in the file's name; None: none. A
    path that does not begin with a slash is meant from the working folder of now. Names cannot lead out of the folder:
    slashes, backslashes, control characters, a dot at the file's beginning, links, the endings of SQLite's own files
    and more than 230 bytes are refused. Any other name makes a file: give mode="read_write" where names come from
    outside. limit: how many databases are open at once at most; each has its file, its log, and these once more for
    each reader that its threads have needed. The rest is as in Database, for all of them; a key that is a function is
    given the path of each file that is opened. busy_timeout is also how long use() waits when all that may be open are
    held.

    Threads may share it. After a fork the child opens its own.
    """

    _instead = "open it anew in the other process; threads may share it"
    _open = False

    def __init__(
        self,
        pattern: str | os.PathLike[str] | None = None,
        *,
        limit: int = 64,
        **options: Unpack[OpenOptions],
    ) -> None:
        self._pattern = None if pattern is None else path_text(pattern)
        # 0 is the library's word for its default.
        limit = max(-1, min(limit, 2**31 - 1)) or -1
        members, cipher = open_members(**options)
        self._handle, kept = native_registry.open_registry(self._pattern, limit, members, cipher)
        self._ciphers: list[object] = [] if kept is None else [kept]
        # What the library calls as long as it is open.
        self._set_ups: list[object] = [(members.get("set_up"), members.get("damaged"))]
        self._options = options
        # Of those that are registered with their own, by path, as a database has it.
        self._own_options: dict[str, OpenOptions] = {}
        # A signal's handler, too, may use a database while its thread does.
        self._lock = threading.RLock()
        # Of the files that somebody has.
        self._innermost: WeakValueDictionary[str, Innermost] = WeakValueDictionary()
        self._tracers: WeakValueDictionary[str, Tracers] = WeakValueDictionary()
        self._open = True

    def register(self, name: str, path: str | os.PathLike[str], **options: Unpack[OpenOptions]) -> None:
        """Gives a file a name of its own. It need not be there yet, and may be in any folder.

        options: as in Database; without any, those of the registry. ProgrammingError for a name that is taken, a file
        that has a name already, and ":memory:".
        """
        members, cipher = open_members(**options) if options else (None, None)
        given = path_text(path)
        kept: object = native_registry.register(self._handle, name, given, members, cipher)
        if options:
            self._own_options[shown_path(given) if is_url(given) else os.path.join(os.getcwd(), given)] = options
        if members is not None:
            self._set_ups.append((members.get("set_up"), members.get("damaged")))
        if kept is not None:
            self._ciphers.append(kept)

    def use(self, name: str | None = None) -> Database:
        """A database, which is opened if it is not. None: the current one.

        It stays open until its close(), or the end of its `with` block, gives it back: then transactions that the
        thread has begun in between are rolled back, and the file stays open for the next who asks, as long as there is
        room. Its queues are closed first. Observers, caches and cursors live as long as the file is open: hold the
        database for as long. One that raw SQL or an attached file left with settings of its own (ATTACH, temporary
        tables, PRAGMA) is closed when nobody holds it any more. A file that was removed or replaced while nobody held
        it is opened anew.

        BusyError when as many databases as may be open are held for longer than busy_timeout, by this thread, too.
        ProgrammingError for a name that is not registered, with the nearest ones, or that no file can have.
        """
        return Database._of_registry(self, native_registry.use(self._handle, name, self._ciphers))

    def _options_of(self, path: str) -> OpenOptions:
        return self._own_options.get(shown_path(path), self._options)

    def _shared_of(self, path: str) -> tuple[Innermost, Tracers]:
        """What all who have a file share."""
        with self._lock:
            return self._innermost.setdefault(path, Innermost()), self._tracers.setdefault(path, Tracers())

    @property
    def default(self) -> str | None:
        """The name that is used where none is given and none is current."""
        return native_registry.default(self._handle)

    @default.setter
    def default(self, name: str | None) -> None:
        native_registry.set_default(self._handle, name)

    @property
    def current(self) -> str | None:
        """The name that is used where none is given, by all threads; the default one where it is None."""
        return native_registry.current(self._handle)

    @current.setter
    def current(self, name: str | None) -> None:
        native_registry.set_current(self._handle, name)

    def names(self) -> list[str]:
        """All databases, in order: those registered, and those in the folder whose files are there."""
        return native_registry.names(self._handle)

    @property
    def open_count(self) -> int:
        """How many databases are open now."""
        return native_registry.open_count(self._handle)

    def close_file(self, name: str) -> None:
        """Closes a database's file where it is open: to move, copy or remove it.

        Waits up to a second for those who hold it; ProgrammingError when they do not give it back.
        """
        native_registry.close_file(self._handle, name)

    def attach(self, name: str, database: Database, schema: str) -> None:
        """Attaches a database of the registry to another one, as Database.attach with its path and key.

        It is attached until the other is closed; it does not count among the open ones.
        """
        native_registry.attach(self._handle, name, database._handle, schema)

    def migrate(
        self,
        bundle: Bundle,
        *names: str,
        last: str | None = None,
        allow_lossy: bool = False,
        progress: RegistryProgress | None = None,
    ) -> dict[str, Exception]:
        """Applies the steps of a bundle that each database lacks, as Bundle.apply; gives the failures by name.

        A failure does not stop the others. What is done stays done: after a crash, or when it was stopped, the same
        call goes on, and passes by those that lack nothing. Those that were not open are closed again, so that the ones
        in use stay open.

        names: none: all whose files are there. last: the step to go to; None: all. allow_lossy: whether steps may
        drop tables and columns that hold something; else MigrationError is the failure where they would. progress: told
        of each; False from it stops: OperationalError (CORM_E_INTERRUPTED). It must not use the registry.
        """
        failures: dict[str, Exception] = {}

        def tell(name: str, index: int, count: int, steps: int, error: Error | None) -> object:
            reason: Exception | None = error
            if error is not None:
                reason = failures[name] = bundle._raised() or error
            return None if progress is None else progress(RegistryMigration(name, index, count, steps, reason))

        with bundle._active.of(lambda handle: Database._of_registry(self, handle, owned=False)):
            native_registry.migrate(self._handle, bundle._handle, names, last, allow_lossy, tell)
        return failures

    def close(self) -> None:
        """Closes the registry and its databases. A second close does nothing.

        Waits up to a second for those who hold databases; when they do not give them back, ProgrammingError says which
        are held, and the registry stays open.
        """
        if self._open:
            native_registry.close_registry(self._handle)
            self._open = False
            self._handle.closed_as = "the registry"

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
        return f"<Registry{'' if self._pattern is None else f' {self._pattern!r}'}{'' if self._open else ' closed'}>"
