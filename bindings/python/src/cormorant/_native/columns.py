"""The calls of the library on results as columns, and what reads Arrow's structs.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..error import error_class
from . import abi
from .call import call
from .handle import CursorHandle
from .library import TYPES, library, text_array, to_text
from .python import address_of, is_loaded

_ArrowSchema = TYPES["ArrowSchema"]
_ArrowArray = TYPES["ArrowArray"]
_ArrowArrayStream = TYPES["ArrowArrayStream"]
# With functions of plain addresses: a capsule that is being destroyed must not become an object again.
_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_GetLastError = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)

_CAPSULE_NAME = b"arrow_array_stream"
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)

_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)

_allocate = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(("PyMem_Malloc", ctypes.pythonapi))
_free = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyMem_Free", ctypes.pythonapi))


# For interpreters other than CPython. The defaults keep what it needs when the interpreter empties the modules before
# the last capsules go.
def _destroy(
    capsule: int,
    pointer: Any = _capsule_pointer,
    name: bytes = _CAPSULE_NAME,
    struct: Any = _ArrowArrayStream,
    function: Any = _Release,
    free: Any = _free,
) -> None:
    address = pointer(capsule, name)
    stream = struct.from_address(address)
    if stream.release:
        function(stream.release)(address)
    free(address)


def _destructor_address() -> int | None:
    if is_loaded:
        # Not a function of Python: it is called while an exception may be on its way, which must stay.
        return address_of(library.corm_python_destroy_stream)
    destructor: Any = _Release(_destroy)
    # Never freed: capsules may outlive this module.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(destructor))
    return address_of(destructor)


_destructor = _destructor_address()


def open_columns(cursor: CursorHandle, names: Sequence[str]) -> Any:
    """The rows that are left as a capsule of an Arrow stream, which outlives the cursor."""
    address = _allocate(ctypes.sizeof(_ArrowArrayStream))
    try:
        call(library.corm_block_columns, cursor, *text_array(names), address)
        return _new_capsule(address, _CAPSULE_NAME, _destructor)
    except BaseException:
        _free(address)
        raise


# In the place of a width.
TEXTS, BLOBS = -1, -2


class Buffers(NamedTuple):
    """One column of a batch: bit per row (None: no NULL) and values, each of which keeps the batch's memory."""

    length: int
    null_count: int
    validity: Any
    values: Any


class _Batch:
    """The memory of one batch, freed with its last view."""

    def __init__(self) -> None:
        self.array = _ArrowArray()

    def __del__(self) -> None:
        _release(self.array)

    def column(self, index: int, width: int) -> Buffers:
        child = _ArrowArray.from_address(_pointer(self.array.children, index))
        if width < 0:
            return Buffers(child.length, child.null_count, None, _objects(child, width == TEXTS))
        bits = _pointer(child.buffers, 0) if child.null_count else None
        values = _pointer(child.buffers, 1)
        size = child.length * width if width else (child.length + 7) // 8
        return Buffers(
            child.length,
            child.null_count,
            self._view(bits, (child.length + 7) // 8) if bits else None,
            self._view(values, size),
        )

    def _view(self, address: int, size: int) -> Any:
        view: Any = (ctypes.c_uint8 * size).from_address(address)
        view.batch = self
        return view


def _objects(array: Any, are_texts: bool) -> list[str | bytes | None]:
    """Texts or blobs; None for NULL."""
    if array.n_buffers < 3 or not array.length:  # a column without any value
        return [None] * array.length
    validity, offsets, data = (_pointer(array.buffers, index) for index in range(3))
    bounds = (ctypes.c_int32 * (array.length + 1)).from_address(offsets)
    values: list[Any] = [
        ctypes.string_at(data + start, end - start) if end > start else b"" for start, end in pairwise(bounds)
    ]
    if are_texts:
        values = [value.decode() for value in values]
    if array.null_count:
        bits = (ctypes.c_uint8 * ((array.length + 7) // 8)).from_address(validity)
        values = [value if bits[row >> 3] >> (row & 7) & 1 else None for row, value in enumerate(values)]
    return values


class Columns:
    """The rows that are left of a cursor as columns. Closed at its end or by close()."""

    def __init__(self, cursor: CursorHandle, names: Sequence[str]) -> None:
        self._stream = _ArrowArrayStream()
        call(library.corm_block_columns, cursor, *text_array(names), ctypes.byref(self._stream))
        schema = _ArrowSchema()
        try:
            self._run(self._stream.get_schema, schema)
            children = [
                _ArrowSchema.from_address(_pointer(schema.children, index)) for index in range(schema.n_children)
            ]
            self.formats = [to_text(child.format) or "" for child in children]
            self.names = [to_text(child.name) or "" for child in children]
        finally:
            _release(schema)

    def batches(self, wanted: Sequence[tuple[int, int]]) -> Iterator[list[Buffers]]:
        """Of each batch the columns with these indexes, whose values have so many bytes (0: they are bits; TEXTS and
        BLOBS: objects)."""
        while True:
            batch = _Batch()
            self._run(self._stream.get_next, batch.array)
            if not batch.array.release:
                return
            yield [batch.column(index, width) for index, width in wanted]

    def close(self) -> None:
        _release(self._stream)

    def _run(self, function: int, out: Any) -> None:
        if _GetNext(function)(ctypes.addressof(self._stream), ctypes.addressof(out)):
            text = _GetLastError(self._stream.get_last_error)(ctypes.addressof(self._stream))
            code, _, message = (to_text(text) or "").partition(": ")
            known = code if code.startswith("CORM_E_") and hasattr(abi, code) else "CORM_E_INTERNAL"
            raise error_class(known)(message, code=known)


def _release(struct: Any) -> None:
    if struct.release:
        _Release(struct.release)(ctypes.addressof(struct))


def _pointer(array: int, index: int) -> int:
    value: int = ctypes.c_void_p.from_address(array + index * ctypes.sizeof(ctypes.c_void_p)).value or 0
    return value
