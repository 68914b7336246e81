"""Transactions that threads share: for frameworks that enter, use and leave one on any threads."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Generator
from itertools import islice
from types import FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ._later import Later
from ._scope import Node, begin_blocking
from .error import ProgrammingError
from .key_value import _PAGE, Store
from .result import Result
from .transaction import Transaction, TransactionKind

if TYPE_CHECKING:
    from typing_extensions import Self

    from .database import Database

T = TypeVar("T")
Run = Callable[[Callable[[], Any]], Any]


class SharedTransaction:
    """What Database.shared_transaction() gives, for a `with` block: a Database whose calls are part of it, on whatever
    thread, one at a time. One that is dropped before it has ended is rolled back, with a ResourceWarning.
    """

    _node: Node | None = None

    def __init__(self, database: Database, kind: TransactionKind) -> None:
        self._database = database
        self._transaction = Transaction(database, kind)

    def __enter__(self) -> Database:
        if self._node is not None and self._node.is_open:
            raise ProgrammingError(
                "the transaction is open already", hint="make one for each block, with shared_transaction()"
            )
        self._node = begin_blocking(self._database, None, self._transaction)
        return shared_database(self._node)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._node is not None:
            _leave(self._node, self._transaction, kind, error)

    def __del__(self) -> None:
        node = self._node
        if node is not None and node.is_open:
            node.scope.abandon(node)
            warnings.warn(
                f"dropped a shared transaction of {self._database.path!r}, which is rolled back",
                ResourceWarning,
                source=self,
                stacklevel=2,
            )


def shared_transaction(database: Database, kind: TransactionKind = "immediate") -> SharedTransaction:
    """A transaction for a `with` block that any threads enter, use and leave, as a framework's dependency is: it gives
    a Database whose calls are part of it, one at a time. `with db.shared_transaction() as tx: yield tx`.

    It has a thread of its own, which makes the calls; calls of the database that it is of are not part of it, and wait
    for its end where they write. Commits at its end, rolls back when an exception leaves it.
    """
    return SharedTransaction(database, kind)


def _leave(node: Node, transaction: Transaction, kind: type[BaseException] | None, error: BaseException | None) -> None:
    if node.is_open:
        node.scope.end_blocking(node, lambda: transaction.__exit__(kind, error, None))
    else:
        transaction.__exit__(kind, error, None)


class _Inner:
    """transaction() of a shared database, for a `with` block."""

    _node: Node | None = None

    def __init__(self, around: Node, kind: str) -> None:
        self._around = around
        self._transaction = Transaction(around.scope.database, kind)

    def __enter__(self) -> Self:
        scope = self._around.scope
        if scope.is_worker():
            self._transaction.__enter__()
        else:
            around = scope.innermost(self._around)
            self._node = begin_blocking(scope.database, around, self._transaction)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._node is None:
            self._transaction.__exit__(kind, error, traceback)
        else:
            _leave(self._node, self._transaction, kind, error)

    def commit(self) -> None:
        self._end(self._transaction.commit)

    def rollback(self) -> None:
        self._end(self._transaction.rollback)

    def _end(self, leave: Callable[[], None]) -> None:
        if self._node is None or not self._node.is_open:
            leave()
        else:
            self._node.scope.end_blocking(self._node, leave)


def shared_database(node: Node) -> Database:
    """A database whose calls are part of a transaction, whichever thread makes them."""
    kind: Any = type(node.scope.database)
    shared: Database = object.__new__(_shared_class(kind))
    vars(shared).update(_node=node, path=node.scope.database.path)
    return shared


class _Shared:
    """What is not made of the methods of Database. `_open` stays False: it closes nothing."""

    _node: Node
    path: str
    _open = False

    def _run_shared(self, body: Callable[[], T]) -> T:
        scope = self._node.scope
        return scope.run_blocking(scope.innermost(self._node), body)

    @property
    def _handle(self) -> NoReturn:
        raise ProgrammingError(
            "what is called takes no database of a shared transaction",
            hint="call the methods of the database; for anything else, make its calls in a transaction() of one thread",
        )

    def transaction(self, kind: TransactionKind = "immediate") -> Any:
        return _Inner(self._node, kind)

    shared_transaction = transaction

    def read(self) -> Any:
        return _Inner(self._node, "read")

    def cursor(self, *args: Any, **keywords: Any) -> Any:
        return _shared_result(self, lambda database: database.cursor(*args, **keywords))

    def query(self, *args: Any, **keywords: Any) -> Any:
        return _shared_result(self, lambda database: database.query(*args, **keywords))

    async def perform(self, body: Callable[..., T], /, *args: Any, **keywords: Any) -> T:
        scope = self._node.scope
        return await scope.run(self._node, lambda: body(scope.database, *args, **keywords))

    def store(self, name: str) -> Store:
        opened: _SharedStore = _SharedStore.__new__(_SharedStore)
        opened.__dict__.update(self._run_shared(lambda: self._node.scope.database.store(name)).__dict__)
        opened._run = self._run_shared
        return opened

    def timeout(self, seconds: float) -> NoReturn:
        raise ProgrammingError("a shared transaction has no time limit", hint="await its calls, with one of asyncio's")

    def close(self) -> NoReturn:
        raise ProgrammingError("a transaction is no database to close", hint="end its block, and close the database")

    def __enter__(self) -> NoReturn:
        self.close()

    def __del__(self) -> None:
        """Nothing is closed."""

    def __repr__(self) -> str:
        return f"<Database {self.path!r} in a shared transaction{'' if self._node.is_open else ' that has ended'}>"


@functools.cache
def _shared_class(kind: Any) -> Any:
    members: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        for name, member in vars(base).items():
            if name[0] == "_" or name in vars(_Shared):
                continue
            if isinstance(member, FunctionType | Later):
                members[name] = _called(name)
            elif isinstance(member, property):
                members[name] = property(_got(name))
    return type(f"Shared{kind.__name__}", (_Shared, kind), members)


def _called(name: str) -> Any:
    def call(self: Any, /, *args: Any, **keywords: Any) -> Any:
        return self._run_shared(lambda: getattr(self._node.scope.database, name)(*args, **keywords))

    call.__name__ = name
    return call


def _got(name: str) -> Any:
    return lambda self: self._run_shared(lambda: getattr(self._node.scope.database, name))


class _SharedStore(Store):
    """A store that is used where its transaction is."""

    _run: Run

    def _rows(self, members: dict[str, bytes], limit: int | None) -> Generator[tuple[Any, ...]]:
        rows = super()._rows(members, limit)
        while page := self._run(lambda: list(islice(rows, _PAGE))):
            yield from page


def _called_on_store(name: str) -> Any:
    return lambda self, *args, **keywords: self._run(lambda: getattr(Store, name)(self, *args, **keywords))


_STORE = (
    "__contains__",
    "__delitem__",
    "__getitem__",
    "_put",
    "adopt",
    "clear",
    "count",
    "delete",
    "entry",
    "pop",
    "popitem",
    "purge",
    "setdefault",
)
for _name in _STORE:
    setattr(_SharedStore, _name, _called_on_store(_name))


class _SharedResult(Result[T]):
    """A result that is read where its transaction is."""

    _run: Run

    def _advance(self) -> bool:
        return bool(self._run(super()._advance))

    def fetch_all(self) -> list[T]:
        found: list[T] = self._run(super().fetch_all)
        return found

    @property
    def columns(self) -> tuple[str, ...]:
        names: tuple[str, ...] = self._run(lambda: Result.columns.fget(self))  # type: ignore[attr-defined]
        return names

    def numpy(self) -> dict[str, Any]:
        arrays: dict[str, Any] = self._run(super().numpy)
        return arrays

    def json(self) -> str:
        text: str = self._run(super().json)
        return text

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise ProgrammingError(
            "a result of a shared transaction is no stream of Arrow", hint="take numpy(), or fetch its rows"
        )

    def _as(self, convert: Any) -> Result[Any]:
        return _shared(super()._as(convert), self._run)


def _shared_result(shared: _Shared, open_result: Callable[[Database], Result[T]]) -> Result[T]:
    run = shared._run_shared
    return _shared(run(lambda: open_result(shared._node.scope.database)), run)


def _shared(result: Result[T], run: Run) -> Result[T]:
    made: _SharedResult[T] = _SharedResult.__new__(_SharedResult)
    made.__dict__.update(result.__dict__)
    made._run = run
    return made
