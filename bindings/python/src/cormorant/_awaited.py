"""The calls of Database and Store that are awaited: made of theirs, and told to type checkers by _awaited.pyi, which
scripts/check-awaited writes.
"""

from __future__ import annotations

from functools import update_wrapper
from types import FunctionType
from typing import Any

from ._later import Later
from .database import Database
from .key_value import Store

# What is not of one call, or does not wait: AsyncDatabase and AsyncStore have a form of their own, or it is there in
# plain code alone.
APART = {
    "Database": (
        "close",
        "interrupt",
        "logging_statements",
        "opentelemetry_spans",
        "perform",
        "queue",
        "read",
        "reopen",
        "shared_transaction",
        "store",
        "studio",
        "timeout",
        "tracing",
        "transact",
        "transaction",
    ),
    "Store": ("items", "scan", "values"),
}
# What gives rows as they come: it is not awaited itself.
STREAMED = ("cursor", "query")


class Awaited:
    """A method that makes the call of this name of another class, and is awaited; one that gives rows is not."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = owner
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        made = _method(getattr(self._kind, self._name), self._name)
        # From now on it is found without this.
        setattr(self._owner, self._name, made)
        return made.__get__(instance, owner)


def _method(function: Any, name: str) -> Any:
    def begin(self: Any, /, *args: Any, **keywords: Any) -> Any:
        return self._open_result(name, args, keywords)

    async def call(self: Any, /, *args: Any, **keywords: Any) -> Any:
        return await self._call(name, args, keywords)

    return update_wrapper(begin if name in STREAMED else call, function)


def _calls(kind: type) -> dict[str, Any]:
    return {
        name: Awaited(kind)
        for name, member in vars(kind).items()
        if isinstance(member, FunctionType | Later) and name[0] != "_" and name not in APART[kind.__name__]
    }


DatabaseCalls = type("DatabaseCalls", (), _calls(Database))
StoreCalls = type("StoreCalls", (), _calls(Store))
