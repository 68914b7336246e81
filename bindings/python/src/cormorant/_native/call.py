"""How functions of the library are called: with memory that is kept for it, and their error as an exception."""

from __future__ import annotations

import ctypes
import marshal
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..error import Error, error_class
from . import abi
from .handle import Handle
from .kept import keep, kept, release
from .library import TYPES, info_of, library, to_text

H = TypeVar("H", bound=Handle)
T = TypeVar("T")

_SCRATCH_SIZE = 262_144
loads = marshal.loads
_free_block = library.corm_block_free


class Scratch:
    """A block with memory of its own, an error, a number and a handle, with their references made once."""

    __slots__ = (
        "block",
        "block_ref",
        "buffer",
        "error",
        "error_ref",
        "handle",
        "handle_ref",
        "number",
        "number_ref",
    )

    def __init__(self) -> None:
        self.buffer = ctypes.create_string_buffer(_SCRATCH_SIZE)
        self.block: Any = TYPES["corm_block"]()
        self.block.data, self.block.capacity = ctypes.addressof(self.buffer), _SCRATCH_SIZE
        self.block_ref = ctypes.byref(self.block)
        self.error = ctypes.c_void_p()
        self.error_ref = ctypes.byref(self.error)
        self.handle = ctypes.c_void_p()
        self.handle_ref = ctypes.byref(self.handle)
        self.number = ctypes.c_int64()
        self.number_ref = ctypes.byref(self.number)

    def read(self) -> Any:
        """The value in the block. marshal ignores what follows it in the buffer."""
        block = self.block
        if not block.owned:
            return loads(self.buffer)
        try:
            return loads(ctypes.string_at(block.data, block.size))
        finally:
            _free_block(self.block_ref)
            block.data, block.capacity = ctypes.addressof(self.buffer), _SCRATCH_SIZE


# pop and append are atomic, so threads share the list without a lock.
pool: list[Scratch] = []
give_back = pool.append


def take() -> Scratch:
    try:
        return pool.pop()
    except IndexError:
        return Scratch()


def failure(scratch: Scratch, status: int, *arguments: object) -> Error:
    """The exception for a failed call with these arguments; gives the scratch back."""
    pointer, scratch.error.value = scratch.error.value, None
    give_back(scratch)
    return _freed(pointer, status, arguments)


def owned_error(pointer: int, *arguments: object) -> Error:
    """The exception of an error that the library gave away."""
    return _freed(pointer, library.corm_error_code(pointer), arguments)


def _freed(pointer: int | None, status: int, arguments: Sequence[object]) -> Error:
    try:
        error = _named(_error(pointer, status), arguments)
        if isinstance(error.__cause__, Exception) or error.__cause__ is None:
            return error
        # As KeyboardInterrupt: it ends what was called, whoever handles errors of databases.
        raise error.__cause__
    finally:
        library.corm_error_free(pointer)


# What knows more of why a database is busy, once there is something to know.
explain_busy: list[Callable[[Error], Error]] = []


def _named(error: Error, arguments: Sequence[object]) -> Error:
    """The error, which says what is closed: the library knows no more of a handle than that."""
    if error.code == "CORM_E_BUSY":
        for explain in explain_busy:
            error = explain(error)
    for handle in arguments:
        if isinstance(handle, Handle) and handle.closed_as and error.code == "CORM_E_MISUSE":
            return error_class(error.code)(f"{handle.closed_as} is closed", code=error.code, hint="open another one")
    return error


def to_error(pointer: int | None) -> Error:
    """The exception of an error that the library lends."""
    return _error(pointer, library.corm_error_code(pointer))


def _error(pointer: int | None, status: int) -> Error:
    code = status_name(status)
    if pointer is None:
        return error_class(code)("the library gave no details", code=code)
    cause = kept.get(library.corm_error_cause(pointer) or 0)
    error = _error_of(pointer, code)
    error.__cause__ = cause
    return error


def _error_of(pointer: int, code: str) -> Error:
    info = info_of("corm_error", pointer)
    columns = ctypes.cast(info.columns, ctypes.POINTER(ctypes.c_char_p))
    return error_class(code)(
        to_text(library.corm_error_message(pointer)) or "",
        code=code,
        sqlite_code=info.sqlite_code,
        hint=to_text(library.corm_error_hint(pointer)),
        sql=to_text(info.sql),
        offset=info.offset,
        table=to_text(info.table),
        columns=tuple(to_text(columns[index]) or "" for index in range(info.column_count)),
        constraint=to_text(info.constraint),
        record_index=info.record_index,
    )


def keep_cause(pointer: int | None, cause: BaseException) -> None:
    """Says of an error which exception it comes from."""
    library.corm_error_set_cause(pointer, keep(cause), release)


def failed(what: str, error: BaseException, out_error: int | None) -> int:
    """Hands what a function of the program raised to the library, which it fails with; the status to return.

    what: raised it, such as "the function f".
    """
    return give_error(f"{what} raised {type(error).__name__}: {error}", error, out_error)


def ran(out_error: int | None) -> int:
    """Tells the library that a function of the program has run; the status to return."""
    if out_error:
        ctypes.c_void_p.from_address(out_error).value = None
    return abi.CORM_OK


def give_error(
    text: str, cause: BaseException, out_error: int | None, status: int = abi.CORM_E_CALLBACK, hint: str | None = None
) -> int:
    """The same with the message, status and hint of the error."""
    message, more = (item and item.replace("\0", " ").encode("utf-8", "replace") for item in (text, hint))
    pointer = library.corm_error_create(status, message, more)
    keep_cause(pointer, cause)
    if out_error:
        ctypes.c_void_p.from_address(out_error).value = pointer
    return status


def status_name(status: int) -> str:
    return to_text(library.corm_status_name(status)) or ""


def call(function: Any, *arguments: Any) -> int:
    """function(arguments..., out_error); the status, or the exception."""
    scratch = take()
    status: int = function(*arguments, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status, *arguments)
    give_back(scratch)
    return status


def call_number(function: Any, *arguments: Any) -> int:
    """function(arguments..., out_number, out_error); the number."""
    scratch = take()
    status = function(*arguments, scratch.number_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status, *arguments)
    number: int = scratch.number.value
    give_back(scratch)
    return number


def call_handle(kind: type[H], function: Any, *arguments: Any) -> H:
    """function(arguments..., out_handle, out_error); the handle."""
    scratch = take()
    status = function(*arguments, scratch.handle_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status, *arguments)
    handle = kind(scratch.handle.value)
    give_back(scratch)
    return handle


def call_next(function: Any, handle: Handle, read: Callable[[int], T], free: Callable[[int], object]) -> T | bool:
    """What read() gives of the next one that waits, which is freed; False when none waits, True when none will come."""
    scratch = take()
    status = function(handle, scratch.handle_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    item = scratch.handle.value
    give_back(scratch)
    if status != abi.CORM_ROW or item is None:
        return bool(status == abi.CORM_DONE)
    try:
        return read(item)
    finally:
        free(item)
