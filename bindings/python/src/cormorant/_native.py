"""The library: found, loaded and declared here, and called from here only.

Everything above this file passes and gets plain Python values; a database, model or cursor is an int, its address.
The library is loaded with CDLL, so the GIL is released during every call.
"""

from __future__ import annotations

import ctypes
import functools
import marshal
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _abi
from .error import DataError, Error, error_class

Row = tuple[Any, ...]
Handle = int | None


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


_TraceFunction = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p)

_TYPES: dict[str, Any] = {
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
    "callback": _TraceFunction,
    "uint8[16]": ctypes.c_uint8 * 16,
}


def _type(name: str) -> Any:
    if name.startswith("union:"):
        members = [(kind, _type(kind)) for kind in name.removeprefix("union:").split(",")]
        return type("union", (ctypes.Union,), {"_fields_": members})
    return _TYPES[name]


def _declare() -> None:
    for name, members in _abi.STRUCTS.items():
        fields = [(member, _type(kind)) for member, kind in members]
        _TYPES[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    for name, (result, parameters) in _abi.FUNCTIONS.items():
        function = getattr(_library, name)
        function.restype = _TYPES[result]
        function.argtypes = [_TYPES[kind] for kind in parameters]


_library = _load()
_declare()


# --- Scratch memory: what one call needs, kept for the next call ---

_SCRATCH_SIZE = 262_144
_loads = marshal.loads
_free_block = _library.corm_block_free


class _Scratch:
    """A block with memory of its own, an error pointer and a number, with their references made once."""

    __slots__ = ("block", "block_ref", "buffer", "error", "error_ref", "number", "number_ref")

    def __init__(self) -> None:
        self.buffer = ctypes.create_string_buffer(_SCRATCH_SIZE)
        self.block: Any = _TYPES["corm_block"](ctypes.addressof(self.buffer), 0, _SCRATCH_SIZE, False)
        self.block_ref = ctypes.byref(self.block)
        self.error = ctypes.c_void_p()
        self.error_ref = ctypes.byref(self.error)
        self.number = ctypes.c_int64()
        self.number_ref = ctypes.byref(self.number)

    def read(self) -> Any:
        """The value in the block. marshal ignores what follows it in the buffer."""
        block = self.block
        if not block.owned:
            return _loads(self.buffer)
        try:
            return _loads(ctypes.string_at(block.data, block.size))
        finally:
            _free_block(self.block_ref)
            block.data, block.capacity = ctypes.addressof(self.buffer), _SCRATCH_SIZE


# pop and append are atomic, so threads share the list without a lock.
_pool: list[_Scratch] = []


def _take() -> _Scratch:
    try:
        return _pool.pop()
    except IndexError:
        return _Scratch()


def _failure(scratch: _Scratch, status: int) -> Error:
    """The exception for a failed call; gives the scratch back."""
    pointer, scratch.error.value = scratch.error.value, None
    _pool.append(scratch)
    try:
        return _error(pointer, status)
    finally:
        _library.corm_error_free(pointer)


def _error(pointer: int | None, status: int) -> Error:
    code = status_name(status)
    if pointer is None:
        return error_class(code)("the library gave no details", code=code)
    return error_class(code)(
        _text(_library.corm_error_message(pointer)) or "",
        code=code,
        sqlite_code=_library.corm_error_sqlite_code(pointer),
        hint=_text(_library.corm_error_hint(pointer)),
        sql=_text(_library.corm_error_sql(pointer)),
        offset=_library.corm_error_offset(pointer),
        table=_text(_library.corm_error_table(pointer)),
        columns=_text(_library.corm_error_columns(pointer)),
        constraint=_text(_library.corm_error_constraint(pointer)),
        record_index=_library.corm_error_record_index(pointer),
    )


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


def _utf8(text: str) -> bytes:
    """Text for a `const char *`, which ends at the first NUL."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"text is not valid Unicode: {error}", code="CORM_E_ENCODING") from None
    if b"\0" in data:
        raise DataError(
            "SQL, names and paths cannot hold a NUL character", code="CORM_E_ENCODING", hint="bind values with ?"
        )
    return data


def _texts(texts: Sequence[str]) -> tuple[Any, int]:
    """An array of texts and its count; NULL when empty. Names of properties come again and again, so it is kept."""
    return _text_array(tuple(texts)) if texts else (None, 0)


@functools.lru_cache(maxsize=256)
def _text_array(texts: tuple[str, ...]) -> tuple[Any, int]:
    return (ctypes.c_char_p * len(texts))(*map(_utf8, texts)), len(texts)


# Functions that return a status, by the kind of what they give beside it.


def _call(function: Any, *arguments: Any) -> int:
    """function(arguments..., out_error); the status, or the exception."""
    scratch = _take()
    status: int = function(*arguments, scratch.error_ref)
    if status < 0:
        raise _failure(scratch, status)
    _pool.append(scratch)
    return status


def _call_number(function: Any, *arguments: Any) -> int:
    """function(arguments..., out_number, out_error); the number."""
    scratch = _take()
    status = function(*arguments, scratch.number_ref, scratch.error_ref)
    if status < 0:
        raise _failure(scratch, status)
    number: int = scratch.number.value
    _pool.append(scratch)
    return number


def _call_handle(function: Any, *arguments: Any) -> int:
    """function(arguments..., out_handle, out_error); the handle."""
    handle = ctypes.c_void_p()
    _call(function, *arguments, ctypes.byref(handle))
    assert handle.value is not None
    return handle.value


# --- base.h ---


def status_name(status: int) -> str:
    return _text(_library.corm_status_name(status)) or ""


def version() -> str:
    return _text(_library.corm_version()) or ""


def sqlite_version() -> str:
    return _text(_library.corm_sqlite_version()) or ""


# --- database.h ---


def open_database(path: str, options: Mapping[str, Any]) -> int:
    values: Any = _TYPES["corm_open_options"]()
    _library.corm_open_options_init(ctypes.byref(values))
    for name, value in options.items():
        setattr(values, name, _utf8(value) if isinstance(value, str) else value)
    return _call_handle(_library.corm_database_open, _utf8(path), ctypes.byref(values))


def close_database(database: int) -> None:
    _call(_library.corm_database_close, database)


def execute(database: int, sql: str, bindings: bytes | None) -> int:
    size = len(bindings) if bindings else 0
    return _call_number(_library.corm_block_execute, database, _utf8(sql), bindings, size)


def execute_script(database: int, sql: str) -> None:
    _call(_library.corm_database_execute_script, database, _utf8(sql))


def last_insert_id(database: int) -> int:
    return int(_library.corm_database_last_insert_id(database))


def changes(database: int) -> int:
    return int(_library.corm_database_changes(database))


def total_changes(database: int) -> int:
    return int(_library.corm_database_total_changes(database))


def interrupt(database: int) -> None:
    _library.corm_database_interrupt(database)


def set_trace(database: int, callback: Callable[[str, float], object] | None) -> object:
    """Sets the callback; what comes back must live as long as it is set."""
    if callback is None:
        function = _TraceFunction()
    else:
        call = callback
        function = _TraceFunction(lambda sql, nanoseconds, _: call(sql.decode("utf-8", "replace"), nanoseconds / 1e9))
    _call(_library.corm_database_set_trace, database, function, None)
    return function


# --- transaction.h ---


def begin(database: int, kind: int) -> None:
    _call(_library.corm_transaction_begin, database, kind)


def commit(database: int) -> None:
    _call(_library.corm_transaction_commit, database)


def rollback(database: int) -> None:
    _call(_library.corm_transaction_rollback, database)


def depth(database: int) -> int:
    return int(_library.corm_transaction_depth(database))


# --- model.h ---


def create_model(definition: Mapping[str, Any]) -> int:
    """Makes a model from a corm_model_def, its members by name; structs in it are mappings, arrays are lists."""
    keep: list[object] = []
    struct = _struct("corm_model_def", definition, keep)
    struct.struct_size = ctypes.sizeof(struct)
    struct.column_def_size = ctypes.sizeof(_TYPES["corm_column_def"])
    struct.key_def_size = ctypes.sizeof(_TYPES["corm_key_def"])
    struct.reference_def_size = ctypes.sizeof(_TYPES["corm_reference_def"])
    return _call_handle(_library.corm_model_create, ctypes.byref(struct))


# Array member: the type of its items, where they are structs, and the member that counts them.
_ARRAYS = {
    "corm_model_def": {
        "columns": ("corm_column_def", "column_count"),
        "keys": ("corm_key_def", "key_count"),
        "references": ("corm_reference_def", "reference_count"),
        "checks": ("", "check_count"),
        "column_order": ("", "column_order_count"),
    },
    "corm_key_def": {"columns": ("", "column_count")},
    # table_columns has as many items as columns, so it has no count of its own.
    "corm_reference_def": {"columns": ("", "column_count"), "table_columns": ("", "")},
}


def _struct(name: str, members: Mapping[str, Any], keep: list[object]) -> Any:
    struct: Any = _TYPES[name]()
    for member, value in members.items():
        if isinstance(value, str):
            setattr(struct, member, _utf8(value))
        elif isinstance(value, list):
            kind, counter = _ARRAYS[name][member]
            array: Any
            if kind:
                array = (_TYPES[kind] * len(value))(*[_struct(kind, item, keep) for item in value])
            else:
                array = (ctypes.c_char_p * len(value))(*map(_utf8, value))
            keep.append(array)
            setattr(struct, member, ctypes.addressof(array) if value else None)
            if counter:
                setattr(struct, counter, len(value))
        else:
            setattr(struct, member, value)
    keep.append(struct)
    return struct


def free_model(model: Handle) -> None:
    _library.corm_model_free(model)


def model_table(model: int) -> str:
    return _text(_library.corm_model_table(model)) or ""


def model_column_name(model: int, column: int) -> str:
    return _text(_library.corm_model_column_name(model, column)) or ""


def model_key(model: int) -> list[int]:
    count = _library.corm_model_key_count(model)
    return [_library.corm_model_key_column(model, position) for position in range(count)]


def model_generates_key(model: int) -> bool:
    return bool(_library.corm_model_generates_key(model))


def model_create_sql(model: int) -> str:
    return _text(_library.corm_model_create_sql(model)) or ""


def create_tables(database: int, models: Sequence[int]) -> None:
    array = (ctypes.c_void_p * len(models))(*models)
    _call(_library.corm_model_create_tables, database, array, len(models))


def table_exists(database: int, model: int) -> bool:
    return _call(_library.corm_model_table_exists, database, model) == _abi.CORM_OK


# --- record.h and block.h: rows cross in blocks, one call per operation ---

_find = _library.corm_block_find
_find_int64 = _library.corm_block_find_int64
_write = _library.corm_block_write
_next = _library.corm_block_cursor_next


def find(database: int, model: int, key: bytes) -> Row | None:
    scratch = _take()
    status = _find(database, model, key, len(key), scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise _failure(scratch, status)
    row: Row | None = scratch.read() if status == 0 else None
    _pool.append(scratch)
    return row


def find_int64(database: int, model: int, key: int) -> Row | None:
    """find for a key that fits 64 bits: ctypes would cut another one."""
    # The hottest call there is: _take() and read() stand here in full.
    try:
        scratch = _pool.pop()
    except IndexError:
        scratch = _Scratch()
    status = _find_int64(database, model, key, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise _failure(scratch, status)
    row: Row | None = None
    if status == 0:
        row = scratch.read() if scratch.block.owned else _loads(scratch.buffer)
    _pool.append(scratch)
    return row


def write(
    database: int, model: int, operation: int, conflict: int, properties: Sequence[str], rows: bytes
) -> tuple[list[Any], int]:
    """Writes rows; what came back for each, and how many were written."""
    names, count = _texts(properties)
    scratch = _take()
    status = _write(
        database, model, operation, conflict, names, count, rows, len(rows),
        scratch.block_ref, scratch.number_ref, scratch.error_ref,
    )  # fmt: skip
    if status < 0:
        raise _failure(scratch, status)
    answer = scratch.read(), scratch.number.value
    _pool.append(scratch)
    return answer


def delete_key(database: int, model: int, key: bytes) -> bool:
    return _call(_library.corm_block_delete_key, database, model, key, len(key)) == _abi.CORM_OK


def delete_all(database: int, model: int) -> int:
    return _call_number(_library.corm_record_delete_all, database, model)


# --- query.h and result.h ---


def count(database: int, model: Handle, sql: str | None, bindings: bytes | None) -> int:
    text = None if sql is None else _utf8(sql)
    return _call_number(_library.corm_block_count, database, model, text, bindings, len(bindings) if bindings else 0)


def max_key(database: int, model: int) -> Any:
    scratch = _take()
    status = _library.corm_block_max_key(database, model, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise _failure(scratch, status)
    key = scratch.read() if status == _abi.CORM_OK else None
    _pool.append(scratch)
    return key


def open_cursor(
    database: int,
    model: Handle,
    sql: str | None,
    bindings: bytes | None,
    order_by: Sequence[str] = (),
    limit: int = 0,
    offset: int = 0,
) -> int:
    text = None if sql is None else _utf8(sql)
    names, count = _texts(order_by)
    size = len(bindings) if bindings else 0
    for number in (limit, offset):
        if not -(2**63) <= number < 2**63:  # ctypes would cut it
            raise DataError(f"limit or offset {number} is beyond 64 bits", code="CORM_E_RANGE")
    return _call_handle(
        _library.corm_block_cursor_open, database, model, text, bindings, size, names, count, limit, offset
    )


def next_rows(cursor: int, max_rows: int) -> list[Row]:
    """The next rows; none at the end."""
    scratch = _take()
    status = _next(cursor, max_rows, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise _failure(scratch, status)
    rows: list[Row] = scratch.read() if status == _abi.CORM_ROW else []
    _pool.append(scratch)
    return rows


def cursor_columns(cursor: int) -> tuple[str, ...]:
    count = _library.corm_block_cursor_column_count(cursor)
    return tuple(_text(_library.corm_block_cursor_column_name(cursor, column)) or "" for column in range(count))


def close_cursor(cursor: int) -> None:
    _library.corm_block_cursor_close(cursor)
