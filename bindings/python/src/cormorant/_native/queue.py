"""The calls of the library on write queues. A completion comes as a tuple."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..error import Error
from . import abi
from .call import call, call_handle, call_next, call_number, failed, give_error, to_error
from .handle import BatchHandle, DatabaseHandle, ListenerHandle, ModelHandle, QueueHandle
from .kept import keep, kept, release
from .library import TYPES, info_of, library, name_list, to_text, utf8
from .struct import make_struct

# Rows changed, the key that was made or 0, what kept it from being done.
Result = tuple[int, int, Error | None]
# Number, tag, error, results.
Completion = tuple[int, str | None, Error | None, list[Result]]


class Write(Protocol):
    """What is called on the queue's thread. Neither raises; a status below 0 has the write rolled back."""

    def run(self) -> int: ...

    def told(self, completion: Completion) -> None: ...


class Part(Protocol):
    """A part of a batch that is not the library's to write."""

    def run(self) -> tuple[int, int]:
        """Called on the queue's thread: how many rows were written, and the key that was made or 0."""
        ...


_Body = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_Part = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)

# What the library will call once, by the number it knows it by.
_writes: dict[int, Write] = {}
_numbers = itertools.count(1)


def _run(_database: int | None, context: int | None, _error: int | None) -> int:
    try:
        return _writes[context or 0].run()
    except BaseException:
        # ctypes would print it, and go on as if the write were done.
        return abi.CORM_E_CALLBACK


def _tell(completion: int | None, context: int | None) -> None:
    write = _writes.pop(context or 0, None)
    if write is not None and completion is not None:
        write.told(_read(completion))


def _run_part(context: int | None, out_changes: int | None, out_key: int | None, out_error: int | None) -> int:
    try:
        changes, key = kept[context or 0].run()
        ctypes.c_int64.from_address(out_changes or 0).value = changes
        ctypes.c_int64.from_address(out_key or 0).value = key
        return abi.CORM_OK
    except Error as error:
        return give_error(error.message, error, out_error, error.status, error.hint)
    except BaseException as error:
        return failed("a hook", error, out_error)


_part_function = _Part(_run_part)
_run_function = _Body(_run)
_tell_function = _Callback(_tell)


def _read(completion: int) -> Completion:
    info = info_of("corm_completion", completion)
    results = [_result(completion, index) for index in range(info.result_count)]
    return info.number, to_text(info.tag), info.error and to_error(info.error), results


def _result(completion: int, index: int) -> Result:
    item = TYPES["corm_write_result"].from_address(library.corm_completion_result_get(completion, index))
    return item.changes, item.generated_key, None if item.error is None else to_error(item.error)


def open_queue(database: DatabaseHandle, capacity: int) -> QueueHandle:
    options = make_struct("corm_queue_options", {"capacity": capacity})
    return call_handle(QueueHandle, library.corm_queue_open, database, ctypes.byref(options))


def close_queue(queue: QueueHandle) -> None:
    call(library.corm_queue_close, queue)


def flush(queue: QueueHandle) -> None:
    call(library.corm_queue_flush, queue)


def count(queue: QueueHandle) -> int:
    return int(library.corm_queue_count(queue))


def _handing_over(write: Write, tag: str | None, wait: bool, hand_over: Callable[[Any, int], int]) -> tuple[int, int]:
    context = next(_numbers)
    options = make_struct("corm_write_options", {"busy_timeout": 0 if wait else -1, "context": context})
    options.tag = None if tag is None else utf8(tag)
    options.callback = ctypes.cast(_tell_function, ctypes.c_void_p)
    _writes[context] = write
    try:
        return hand_over(ctypes.byref(options), context), context
    except BaseException:
        _writes.pop(context, None)
        raise


def add(queue: QueueHandle, write: Write, tag: str | None, wait: bool) -> tuple[int, int]:
    """The write's number in the queue, and that by which it is known here."""
    function = ctypes.cast(_run_function, ctypes.c_void_p)
    return _handing_over(
        write,
        tag,
        wait,
        lambda options, context: call_number(library.corm_queue_add, queue, function, context, options),
    )


def cancel(queue: QueueHandle, number: int, context: int) -> bool:
    """False when it has begun or ended."""
    if call(library.corm_queue_cancel, queue, number) != abi.CORM_OK:
        return False
    _writes.pop(context, None)
    return True


def begin(queue: QueueHandle) -> BatchHandle:
    return call_handle(BatchHandle, library.corm_batch_create, queue)


def batch_count(batch: BatchHandle) -> int:
    return int(library.corm_batch_count(batch))


def batch_execute(batch: BatchHandle, sql: str, bindings: bytes | None) -> None:
    call(library.corm_block_batch_execute, batch, utf8(sql), bindings, len(bindings) if bindings else 0)


def batch_write(
    batch: BatchHandle,
    model: ModelHandle,
    operation: int,
    conflict: int,
    properties: Sequence[str] | None,
    rows: bytes,
) -> None:
    """properties: None is no list, of an update all of them; an empty one is of none."""
    names = None if properties is None else name_list(properties) or b""
    call(library.corm_block_batch_write, batch, model, operation, conflict, names, rows, len(rows))


def batch_add(batch: BatchHandle, part: Part) -> None:
    context = keep(part)
    try:
        call(library.corm_block_batch_add, batch, ctypes.cast(_part_function, ctypes.c_void_p), context, release)
    except BaseException:
        kept.pop(context, None)
        raise


def commit(batch: BatchHandle, write: Write, policy: int, tag: str | None, wait: bool) -> tuple[int, int]:
    return _handing_over(
        write, tag, wait, lambda options, _: call_number(library.corm_batch_commit, batch, policy, options)
    )


def listen(queue: QueueHandle, tag: str | None, callback: Callable[[Completion], object] | None) -> ListenerHandle:
    members: Mapping[str, Any] = {} if tag is None else {"tag": tag}
    options = make_struct("corm_listen_options", members)
    if callback is not None:
        function = _Callback(lambda completion, _: callback(_read(completion)))
        options.callback = ctypes.cast(function, ctypes.c_void_p)
        options.context = keep(function)
        options.release = release
    return call_handle(ListenerHandle, library.corm_listener_open, queue, ctypes.byref(options))


def next_completion(listener: ListenerHandle) -> Completion | bool:
    """The next one; False when none waits, True when none will come."""
    return call_next(library.corm_listener_next, listener, _read, library.corm_completion_free)


def descriptor(listener: ListenerHandle) -> int:
    number = ctypes.c_int32()
    call(library.corm_listener_descriptor, listener, ctypes.byref(number))
    return number.value
