"""The calls of the library on databases."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .call import call, call_handle, call_number
from .cipher import CipherOptions, Options, ciphered
from .handle import DatabaseHandle
from .kept import keep, kept
from .libpq import bring_libpq
from .library import TraceFunction, library, to_text, utf8
from .sqlite_copy import tell_of_another
from .struct import make_sized, set_plain

T = TypeVar("T")


def open_database(
    path: str, options: Mapping[str, Any], cipher: Mapping[str, Any] | None
) -> tuple[DatabaseHandle, CipherOptions | None]:
    """The handle, and what must live as long as it does."""
    tell_of_another(library, path)
    bring_libpq(path)
    return open_with(
        options, cipher, lambda given: call_handle(DatabaseHandle, library.corm_database_open, utf8(path), given)
    )


def open_with(
    options: Mapping[str, Any], cipher: Mapping[str, Any] | None, call: Callable[[Any], T]
) -> tuple[T, CipherOptions | None]:
    """What call(options) gives with a corm_open_options, and what must live as long as that is used."""
    values = make_sized("corm_open_options")
    for name, value in options.items():
        if isinstance(value, str):
            setattr(values, name, utf8(value))
        elif callable(value):
            function: Any = value
            setattr(values, name, ctypes.cast(function, ctypes.c_void_p))
        else:
            set_plain(values, name, value)

    def run(given: Any) -> T:
        values.cipher = None if given is None else ctypes.cast(given, ctypes.c_void_p)
        return call(ctypes.byref(values))

    return ciphered(cipher, run)


def database_path(database: DatabaseHandle) -> str:
    return to_text(library.corm_database_path(database)) or ""


def reopen_database(database: DatabaseHandle) -> None:
    call(library.corm_database_reopen, database)


def close_database(database: DatabaseHandle) -> None:
    call(library.corm_database_close, database)


def execute(database: DatabaseHandle, sql: str, bindings: bytes | None, *, is_part: bool = False) -> int:
    size = len(bindings) if bindings else 0
    return call_number(library.corm_block_execute, database, utf8(sql), bindings, size, is_part)


def is_plain(rows: bytes) -> bool:
    """Whether marshalled tuples hold only None, int, float, str and bool."""
    return bool(library.corm_block_is_plain(rows, len(rows)))


def execute_script(database: DatabaseHandle, sql: str) -> None:
    call(library.corm_database_execute_script, database, utf8(sql))


def last_insert_id(database: DatabaseHandle) -> int:
    return int(library.corm_database_last_insert_id(database))


def changes(database: DatabaseHandle) -> int:
    return int(library.corm_database_changes(database))


def total_changes(database: DatabaseHandle) -> int:
    return int(library.corm_database_total_changes(database))


def interrupt(database: DatabaseHandle) -> None:
    library.corm_database_interrupt(database)


class Trace:
    """Whom the library tells of statements, and asks whether anybody wants it, as long as somebody holds this."""

    def __init__(self, told: Callable[[str, float], object], is_wanted: Callable[[], bool]) -> None:
        self.number = keep((told, is_wanted))

    def __del__(self) -> None:
        kept.pop(self.number, None)


def _tell(sql: bytes, nanoseconds: int, number: int | None) -> None:
    if trace := kept.get(number or 0):
        trace[0](sql.decode("utf-8", "replace"), nanoseconds / 1e9)


def _is_wanted(number: int | None) -> bool:
    trace = kept.get(number or 0)
    return trace is not None and trace[1]()


# One for all, so that none goes that the library may still call.
_tell_function = TraceFunction(_tell)
_is_wanted_function = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(_is_wanted)


def set_trace(database: DatabaseHandle, trace: Trace) -> None:
    """Tells of statements, or stops to, as the trace wants it once none runs and no other thread sets it."""
    call(library.corm_block_set_trace, database, _tell_function, _is_wanted_function, trace.number)


def attach(database: DatabaseHandle, path: str, name: str, cipher: Options | None) -> CipherOptions | None:
    function = library.corm_database_attach
    return ciphered(cipher, lambda given: call(function, database, utf8(path), utf8(name), given))[1]
