"""One connection of a database: set up when it is opened, or lent for what only SQLite's own calls can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ._native import connection as native_connection
from ._owner import Owner
from .error import Error, OperationalError, ProgrammingError

if TYPE_CHECKING:
    from .database import Database

_Result = TypeVar("_Result")


class RawConnection(Owner):
    """One connection of a database, which a function is given: good until that returns, on its thread."""

    _instead = "use it in the function that it was given to"

    def __init__(self, number: int) -> None:
        self._number = number

    @property
    def is_reader(self) -> bool:
        """Whether it reads beside the connection that writes."""
        return native_connection.is_reader(self._number)

    def execute_script(self, sql: str) -> None:
        """Runs any number of statements without bindings, up to the first error; rows are dropped."""
        native_connection.execute_script(self._number, sql)

    @property
    def sqlite3(self) -> int:
        """The address of SQLite's own handle, an `sqlite3 *`, for ctypes or an extension module.

        It is of the SQLite that the library is linked with (see cormorant.sqlite_version()). The library no longer does
        what it promises once a program closes the handle, finalizes statements that are not its own, sets the update,
        pre-update, commit, rollback or log hook, the authorizer, the trace, the progress or the busy handler, leaves a
        transaction or a statement open, or makes what only this connection has.
        """
        address = native_connection.sqlite3(self._number)
        if address is None:
            raise ProgrammingError("the connection was lent to a function that has returned", hint=self._instead)
        return address


def use_connection(database: Database, function: Callable[[RawConnection], _Result]) -> _Result:
    """Lends the connection that writes: function(connection) runs on this thread, and what it returns is returned.

    Writes of other threads wait meanwhile. It runs in the transaction that the thread has open, if any, and may use the
    database, but not close it; observers are told of what it changes. A transaction that it leaves open is rolled back
    (ProgrammingError). What it raises is raised here.
    """
    results: list[_Result] = []

    def run(number: int) -> None:
        results.append(function(RawConnection(number)))

    try:
        native_connection.use_connection(database._handle, native_connection.callback("the function", run))
    except Error as error:
        if error.code == "CORM_E_CALLBACK" and error.__cause__ is not None:
            raise error.__cause__ from None
        raise
    if not results:
        raise OperationalError(
            "the function did not run, because the handler of a signal raised in its place",
            code="CORM_E_INTERRUPTED",
            hint="call it again, if the program is to go on",
        )
    return results[0]


def set_up_function(function: Callable[[RawConnection], object] | None) -> Any:
    """The option of a database, as the library takes it; it must live as long as the database."""
    if function is None:
        return None
    given = function
    return native_connection.callback("set_up", lambda number: given(RawConnection(number)))
