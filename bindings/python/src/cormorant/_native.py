"""The calls of the library on databases, models and records; _native_tree.py has those on statements.

Everything above the _native modules passes and gets plain Python values and handles.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from . import _abi
from ._native_cipher import CipherOptions, ciphered
from ._native_handle import CursorHandle, DatabaseHandle, ModelHandle, array_of
from ._native_library import (
    TYPES,
    TraceFunction,
    call,
    call_handle,
    call_number,
    failure,
    give_back,
    library,
    make_struct,
    status_name,
    take,
    text_array,
    to_text,
    utf8,
)
from .error import DataError

__all__ = ["status_name"]

Row = tuple[Any, ...]
T = TypeVar("T")


# --- base.h ---


def version() -> str:
    return to_text(library.corm_version()) or ""


def sqlite_version() -> str:
    return to_text(library.corm_sqlite_version()) or ""


# --- database.h ---


def open_database(
    path: str, options: Mapping[str, Any], cipher: Mapping[str, Any] | None
) -> tuple[DatabaseHandle, CipherOptions | None]:
    """The handle, and what must live as long as it does."""
    return open_with(
        options, cipher, lambda given: call_handle(DatabaseHandle, library.corm_database_open, utf8(path), given)
    )


def open_with(
    options: Mapping[str, Any], cipher: Mapping[str, Any] | None, call: Callable[[Any], T]
) -> tuple[T, CipherOptions | None]:
    """What call(options) gives with a corm_open_options, and what must live as long as that is used."""
    values: Any = TYPES["corm_open_options"]()
    library.corm_open_options_init(ctypes.byref(values))
    for name, value in options.items():
        setattr(values, name, utf8(value) if isinstance(value, str) else value)

    def run(given: Any) -> T:
        values.cipher = None if given is None else ctypes.cast(given, ctypes.c_void_p)
        return call(ctypes.byref(values))

    return ciphered(cipher, run)


def database_path(database: DatabaseHandle) -> str:
    return to_text(library.corm_database_path(database)) or ""


def close_database(database: DatabaseHandle) -> None:
    call(library.corm_database_close, database)


def execute(database: DatabaseHandle, sql: str, bindings: bytes | None) -> int:
    size = len(bindings) if bindings else 0
    return call_number(library.corm_block_execute, database, utf8(sql), bindings, size)


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


def thread_id() -> int:
    return int(library.corm_thread_id())


def cancel_thread(database: DatabaseHandle, thread: int) -> None:
    library.corm_thread_cancel(database, thread)


def resume_thread() -> None:
    library.corm_thread_resume()


def be_patient() -> None:
    """This thread waits for a reader as long as it takes."""
    library.corm_thread_set_patient(True)


def set_trace(database: DatabaseHandle, callback: Callable[[str, float], object] | None) -> object:
    """Sets the callback; what comes back must live as long as it is set."""
    if callback is None:
        function = TraceFunction()
    else:
        told = callback
        function = TraceFunction(lambda sql, nanoseconds, _: told(sql.decode("utf-8", "replace"), nanoseconds / 1e9))
    call(library.corm_database_set_trace, database, function, None)
    return function


# --- transaction.h ---


TaskFunction = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


def task_function(current: Callable[[], int]) -> Any:
    """What tells the library which task runs; it must live as long as it is used."""
    return TaskFunction(lambda _: current())


def open_transaction(database: DatabaseHandle, kind: int, task: Any) -> int:
    return call_number(library.corm_transaction_open, database, kind, task, None)


def close_transaction(database: DatabaseHandle, transaction: int, commit: bool) -> None:
    call(library.corm_transaction_close, database, transaction, commit)


def depth(database: DatabaseHandle) -> int:
    return int(library.corm_transaction_depth(database))


# --- model.h ---


def create_model(definition: Mapping[str, Any]) -> ModelHandle:
    """Makes a model from a corm_model_def, its members by name; structs in it are mappings, arrays are lists."""
    struct = make_struct("corm_model_def", definition)
    struct.struct_size = ctypes.sizeof(struct)
    struct.column_def_size = ctypes.sizeof(TYPES["corm_column_def"])
    struct.key_def_size = ctypes.sizeof(TYPES["corm_key_def"])
    struct.reference_def_size = ctypes.sizeof(TYPES["corm_reference_def"])
    return call_handle(ModelHandle, library.corm_model_create, ctypes.byref(struct))


def create_suffixed_model(model: ModelHandle, suffix: str) -> ModelHandle:
    return call_handle(ModelHandle, library.corm_model_create_suffixed, model, utf8(suffix))


def create_attached_model(model: ModelHandle, name: str) -> ModelHandle:
    return call_handle(ModelHandle, library.corm_model_create_attached, model, utf8(name))


def model_table(model: ModelHandle) -> str:
    return to_text(library.corm_model_table(model)) or ""


def model_column_name(model: ModelHandle, column: int) -> str:
    return to_text(library.corm_model_column_name(model, column)) or ""


def model_key(model: ModelHandle) -> list[int]:
    count = library.corm_model_key_count(model)
    return [library.corm_model_key_column(model, position) for position in range(count)]


def model_generates_key(model: ModelHandle) -> bool:
    return bool(library.corm_model_generates_key(model))


def model_create_sql(model: ModelHandle) -> str:
    return to_text(library.corm_model_create_sql(model)) or ""


def create_tables(database: DatabaseHandle, models: Sequence[ModelHandle]) -> None:
    call(library.corm_model_create_tables, database, array_of(models), len(models))


def table_exists(database: DatabaseHandle, model: ModelHandle) -> bool:
    return call(library.corm_model_table_exists, database, model) == _abi.CORM_OK


# --- record.h and block.h: rows cross in blocks, one call per operation ---

_find = library.corm_block_find
_write = library.corm_block_write
_next = library.corm_block_cursor_next
_delete_key = library.corm_block_delete_key

# ctypes is quicker with an argument that is of the very type.
for _function in (_find, _write, _delete_key):
    _function.argtypes = (DatabaseHandle, ModelHandle, *_function.argtypes[2:])


def find(database: DatabaseHandle, model: ModelHandle, key: bytes) -> Row | None:
    scratch = take()
    status = _find(database, model, key, len(key), scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status, database)
    row: Row | None = scratch.read() if status == 0 else None
    give_back(scratch)
    return row


def write(
    database: DatabaseHandle, model: ModelHandle, operation: int, conflict: int, properties: Sequence[str], rows: bytes
) -> tuple[list[Any], int]:
    """Writes rows; what came back for each, and how many were written."""
    names, count = text_array(properties)
    scratch = take()
    status = _write(
        database, model, operation, conflict, names, count, rows, len(rows),
        scratch.block_ref, scratch.number_ref, scratch.error_ref,
    )  # fmt: skip
    if status < 0:
        raise failure(scratch, status, database)
    answer = scratch.read(), scratch.number.value
    give_back(scratch)
    return answer


def delete_key(database: DatabaseHandle, model: ModelHandle, key: bytes) -> bool:
    return call(_delete_key, database, model, key, len(key)) == _abi.CORM_OK


def delete_all(database: DatabaseHandle, model: ModelHandle) -> int:
    return call_number(library.corm_record_delete_all, database, model)


# --- query.h and result.h ---


def count(database: DatabaseHandle, model: ModelHandle | None, sql: str | None, bindings: bytes | None) -> int:
    statement = None if sql is None else utf8(sql)
    return call_number(library.corm_block_count, database, model, statement, bindings, len(bindings) if bindings else 0)


def max_key(database: DatabaseHandle, model: ModelHandle) -> Any:
    scratch = take()
    status = library.corm_block_max_key(database, model, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status, database)
    key = scratch.read() if status == _abi.CORM_OK else None
    give_back(scratch)
    return key


def open_cursor(
    database: DatabaseHandle,
    model: ModelHandle | None,
    sql: str | None,
    bindings: bytes | None,
    order_by: Sequence[str] = (),
    limit: int = 0,
    offset: int = 0,
) -> CursorHandle:
    statement = None if sql is None else utf8(sql)
    names, count = text_array(order_by)
    size = len(bindings) if bindings else 0
    for number in (limit, offset):
        if not -(2**63) <= number < 2**63:  # ctypes would cut it
            raise DataError(f"limit or offset {number} is beyond 64 bits", code="CORM_E_RANGE")
    return call_handle(
        CursorHandle,
        library.corm_block_cursor_open,
        database,
        model,
        statement,
        bindings,
        size,
        names,
        count,
        limit,
        offset,
    )


def next_rows(cursor: CursorHandle, max_rows: int) -> list[Row]:
    """The next rows; none at the end."""
    scratch = take()
    status = _next(cursor, max_rows, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    rows: list[Row] = scratch.read() if status == _abi.CORM_ROW else []
    give_back(scratch)
    return rows


def cursor_columns(cursor: CursorHandle) -> tuple[str, ...]:
    count = library.corm_block_cursor_column_count(cursor)
    return tuple(to_text(library.corm_block_cursor_column_name(cursor, column)) or "" for column in range(count))
