"""The calls of the library on observers. An event comes as a tuple."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

from ..error import Error
from . import abi
from .call import call, call_handle, call_next, failed, failure, give_back, take, to_error
from .handle import DatabaseHandle, ObserverHandle
from .kept import keep, release
from .library import library
from .struct import make_struct

Row = tuple[Any, ...]
# Kind, table, rowid, key, old and new values, position.
Change = tuple[int, str, int, Row, Row | None, Row | None, int]
# Whether it is foreign, the changes, and the rows of a live query.
Event = tuple[bool, list[Change], list[Row] | None]

_Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Reads = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def observe(
    database: DatabaseHandle,
    options: Mapping[str, Any],
    query: Mapping[str, Any] | None,
    values: bytes | None,
    callback: Callable[[Event | Error], object] | None,
    reads: Callable[[], bool] | None = None,
) -> ObserverHandle:
    """An observer. options and query: members of the structs of these names. reads: whether they have something new."""
    struct = make_struct("corm_observe_options", options)
    if query is not None:
        given = make_struct("corm_query", query)
        struct.query = ctypes.addressof(given)
    functions: list[Any] = []
    if callback is not None:
        functions.append(_Callback(lambda event, error, _: _tell(callback, event, error)))
        struct.callback = ctypes.cast(functions[-1], ctypes.c_void_p)
    if reads is not None:
        functions.append(_Reads(lambda _database, _context, out_error: _read_again(reads, out_error)))
        struct.reads = ctypes.cast(functions[-1], ctypes.c_void_p)
    if functions:
        struct.context = keep(functions)
        struct.release = release
    size = len(values) if values else 0
    return call_handle(ObserverHandle, library.corm_block_observe, database, ctypes.byref(struct), values, size)


def _tell(callback: Callable[[Event | Error], object], event: int | None, error: int | None) -> None:
    callback(to_error(error) if event is None else _read(event))


def _read_again(reads: Callable[[], bool], out_error: int | None) -> int:
    try:
        return abi.CORM_OK if reads() else abi.CORM_AGAIN
    except BaseException as error:
        return failed("the body that is watched", error, out_error)


def _read(event: int) -> Event:
    scratch = take()
    status = library.corm_block_event(event, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    answer: Event = scratch.read()
    give_back(scratch)
    return answer


def next_event(observer: ObserverHandle) -> Event | bool:
    """The next event; False when none waits, True when none will come."""
    return call_next(library.corm_observer_next, observer, _read, library.corm_event_free)


def descriptor(observer: ObserverHandle) -> int:
    number = ctypes.c_int32()
    call(library.corm_observer_descriptor, observer, ctypes.byref(number))
    return number.value
