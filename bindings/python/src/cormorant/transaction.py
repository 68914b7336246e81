"""Transactions as `with` blocks; nested ones are savepoints."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Literal, TypeAlias

from . import _abi, _native
from .error import Error, ProgrammingError

if TYPE_CHECKING:
    from typing_extensions import Self

    from .record import RecordMethods

TransactionKind: TypeAlias = Literal["immediate", "deferred", "exclusive"]

_KINDS: dict[str, int] = {
    "immediate": _abi.CORM_TRANSACTION_IMMEDIATE,
    "deferred": _abi.CORM_TRANSACTION_DEFERRED,
    "exclusive": _abi.CORM_TRANSACTION_EXCLUSIVE,
    "read": _abi.CORM_TRANSACTION_READ,
}


class Transaction:
    """What transaction() and read() give: committed at the end of its `with` block, rolled back by an exception.

    commit() and rollback() end it before that. It belongs to the thread that entered the block.
    """

    def __init__(self, database: RecordMethods, kind: str = "immediate") -> None:
        if kind not in _KINDS:
            raise ProgrammingError(f"there is no transaction kind {kind!r}", hint=f"use one of {', '.join(_KINDS)}")
        self._database = database
        self._kind = _KINDS[kind]
        self._open = False

    def __enter__(self) -> Self:
        _native.begin(self._database._handle, self._kind)
        self._open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._open:
            return
        if error is not None:
            self._undo()
            return
        try:
            self.commit()
        except Error:
            self._undo()
            raise

    def commit(self) -> None:
        """Commits now. When that fails, with a lock or a deferred foreign key, the transaction stays open."""
        _native.commit(self._database._handle)
        self._open = False

    def rollback(self) -> None:
        """Rolls back now."""
        self._open = False
        _native.rollback(self._database._handle)

    def _undo(self) -> None:
        # When SQLite has rolled back by itself or the database is closed, the exception under way says more.
        with suppress(Error):
            self.rollback()
