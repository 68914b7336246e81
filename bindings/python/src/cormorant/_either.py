"""Methods that take a Database, and are awaited where they are given an AsyncDatabase."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

if TYPE_CHECKING:
    from .aio import AsyncDatabase
    from .database import Database

S = TypeVar("S")
T = TypeVar("T")
P = ParamSpec("P")


class Either(Generic[P, T]):
    """What such a method is for type checkers."""

    if TYPE_CHECKING:

        @overload
        def __call__(self, database: Database, *args: P.args, **keywords: P.kwargs) -> T: ...
        @overload
        def __call__(self, database: AsyncDatabase, *args: P.args, **keywords: P.kwargs) -> Awaitable[T]: ...
        def __call__(self, database: Any, *args: Any, **keywords: Any) -> Any: ...
        def __get__(self, instance: object, owner: type) -> Either[P, T]: ...


def either(*, writes: bool) -> Callable[[Callable[Concatenate[S, Database, P], T]], Either[P, T]]:
    """Makes a method one of both kinds of databases: of an AsyncDatabase it is called on a thread."""

    def made(method: Any) -> Any:
        @wraps(method)
        def call(self: Any, database: Any, *args: Any, **keywords: Any) -> Any:
            run = getattr(database, "_run", None)
            if run is None:
                return method(self, database, *args, **keywords)
            return run(lambda plain: method(self, plain, *args, **keywords), writes)

        return call

    return made
