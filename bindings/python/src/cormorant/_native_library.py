"""The library: found, loaded and declared, and how its functions are called. For the _native modules only.

The library is loaded with CDLL, so the GIL is released during every call.
"""

from __future__ import annotations

import ctypes
import functools
import marshal
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from . import _abi
from ._native_handle import Handle, set_member
from .error import DataError, Error, error_class

H = TypeVar("H", bound=Handle)

# --- Finding and declaring ---


def _candidates() -> list[str]:
    if chosen := os.environ.get("CORMORANT_LIBRARY"):
        return [chosen]
    here = os.path.dirname(os.path.abspath(__file__))
    files = [
        os.path.join(here, "libcormorant.so"),
        os.path.normpath(os.path.join(here, "../../../../build/libcormorant.so")),
    ]
    return [*filter(os.path.exists, files), "libcormorant.so.0"]


def _load() -> ctypes.CDLL:
    name = _candidates()[0]
    try:
        library = ctypes.CDLL(name)
        library.corm_version.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"cannot load {name}: {error}; set CORMORANT_LIBRARY to the path of libcormorant.so"
        ) from None
    version: str = library.corm_version().decode()
    if version.split(".")[:2] != _abi.CORM_VERSION.split(".")[:2]:
        raise ImportError(f"{name} is version {version}, but this package needs {_abi.CORM_VERSION}")
    return library


TraceFunction = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p)

TYPES: dict[str, Any] = {
    "void": None,
    "bool": ctypes.c_bool,
    "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "size": ctypes.c_size_t,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "text": ctypes.c_char_p,
    "pointer": ctypes.c_void_p,
    "callback": TraceFunction,
}


def _type(name: str) -> Any:
    if name.startswith("union:"):
        members = [(kind, _type(kind)) for kind in name.removeprefix("union:").split(",")]
        return type("union", (ctypes.Union,), {"_fields_": members})
    if name.startswith("uint8["):
        return ctypes.c_uint8 * int(name.removeprefix("uint8[").removesuffix("]"))
    return TYPES[name]


def _declare() -> None:
    for name, members in _abi.STRUCTS.items():
        fields = [(member, _type(kind)) for member, kind in members]
        TYPES[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    for name, (result, parameters) in _abi.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = TYPES[result]
        function.argtypes = [TYPES[kind] for kind in parameters]
    for handle in Handle.__subclasses__():
        handle._free = getattr(library, handle.freed_by) if handle.freed_by else staticmethod(lambda _: None)


library = _load()
_declare()


# --- Scratch memory: what one call needs, kept for the next call ---

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
    try:
        return _named(_error(pointer, status), arguments)
    finally:
        library.corm_error_free(pointer)


def owned_error(pointer: int, *arguments: object) -> Error:
    """The exception of an error that the library gave away."""
    try:
        return _named(to_error(pointer), arguments)
    finally:
        library.corm_error_free(pointer)


def _named(error: Error, arguments: Sequence[object]) -> Error:
    """The error, which says what is closed: the library knows no more of a handle than that."""
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
    return error_class(code)(
        to_text(library.corm_error_message(pointer)) or "",
        code=code,
        sqlite_code=library.corm_error_sqlite_code(pointer),
        hint=to_text(library.corm_error_hint(pointer)),
        sql=to_text(library.corm_error_sql(pointer)),
        offset=library.corm_error_offset(pointer),
        table=to_text(library.corm_error_table(pointer)),
        columns=to_text(library.corm_error_columns(pointer)),
        constraint=to_text(library.corm_error_constraint(pointer)),
        record_index=library.corm_error_record_index(pointer),
    )


def status_name(status: int) -> str:
    return to_text(library.corm_status_name(status)) or ""


def to_text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


def utf8(text: str, what: str | None = None) -> bytes:
    """Text for a `const char *`, which ends at the first NUL. `what` is what errors call a name."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"text is not valid Unicode: {error}", code="CORM_E_ENCODING") from None
    except AttributeError:
        raise TypeError(f"a str is wanted, not {type(text).__name__}") from None
    if b"\0" in data:
        if what:
            raise DataError(f"{what} holds a NUL character", code="CORM_E_ENCODING", hint="give another name")
        raise DataError(
            "SQL, names and paths cannot hold a NUL character", code="CORM_E_ENCODING", hint="bind values with ?"
        )
    return data


def text_array(texts: Sequence[str]) -> tuple[Any, int]:
    """An array of texts and its count; NULL when empty. Names of properties come again and again, so it is kept."""
    return _kept_text_array(tuple(texts)) if texts else (None, 0)


@functools.lru_cache(maxsize=256)
def _kept_text_array(texts: tuple[str, ...]) -> tuple[Any, int]:
    return (ctypes.c_char_p * len(texts))(*map(utf8, texts)), len(texts)


# Functions that return a status, by the kind of what they give beside it.


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


# --- Structs ---

# Array member: the type of its items, where they are structs, and the member that counts them.
_ARRAYS = {
    "corm_model_def": {
        "columns": ("corm_column_def", "column_count"),
        "keys": ("corm_key_def", "key_count"),
        "references": ("corm_reference_def", "reference_count"),
        "checks": ("", "check_count"),
        "column_order": ("", "column_order_count"),
        "module_arguments": ("", "module_argument_count"),
        "allow_drop": ("", "allow_drop_count"),
    },
    "corm_key_def": {"columns": ("", "column_count")},
    # table_columns has as many items as columns, so it has no count of its own.
    "corm_reference_def": {"columns": ("", "column_count"), "table_columns": ("", "")},
    "corm_relation_def": {"columns": ("", "column_count"), "target_columns": ("", "target_column_count")},
    "corm_query": {"order_by": ("", "order_by_count")},
    "corm_region": {"columns": ("", "column_count")},
    "corm_observe_options": {
        "regions": ("corm_region", "region_count"),
        "key_columns": ("", "key_column_count"),
    },
    "corm_migration_options": {"allow_drop": ("", "allow_drop_count")},
}


def make_struct(name: str, members: Mapping[str, Any]) -> Any:
    """A struct by its members, which holds all that it points to; structs in it are mappings, arrays are lists."""
    struct: Any = TYPES[name]()
    keep = struct.keep = []
    for member, value in members.items():
        if isinstance(value, str):
            setattr(struct, member, utf8(value))
        elif isinstance(value, list):
            kind, counter = _ARRAYS[name][member]
            array: Any
            if kind:
                items = [make_struct(kind, item) for item in value]
                array = (TYPES[kind] * len(value))(*items)
                keep.append(items)
            else:
                array = (ctypes.c_char_p * len(value))(*map(utf8, value))
            keep.append(array)
            setattr(struct, member, ctypes.addressof(array) if value else None)
            if counter:
                setattr(struct, counter, len(value))
        elif isinstance(value, Handle):
            set_member(struct, member, value)
        else:
            setattr(struct, member, value)
    return struct
