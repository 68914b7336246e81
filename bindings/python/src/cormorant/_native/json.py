"""The calls of the library on JSON."""

from __future__ import annotations

import ctypes
import marshal
from collections.abc import Mapping
from typing import Any

from . import abi
from .call import call, call_handle, call_number, failure, give_back, take
from .handle import DatabaseHandle, ModelHandle, ReaderHandle
from .library import library, utf8
from .record import Row
from .struct import make_sized, set_plain

# The level above, the relation, a flat tuple of positions and counts, the rows marshalled, what was missing.
Level = tuple[int | None, str | None, tuple[int, ...], bytes, tuple[int, ...]]


def _options(options: Mapping[str, Any]) -> Any:
    values = make_sized("corm_json_options")
    for name, value in options.items():
        set_plain(values, name, utf8(value) if isinstance(value, str) else value)
    return ctypes.byref(values)


def create_reader(model: ModelHandle, options: Mapping[str, Any]) -> ReaderHandle:
    return call_handle(ReaderHandle, library.corm_json_reader_create, model, _options(options))


def feed(reader: ReaderHandle, data: bytes) -> None:
    """Takes the next bytes; none are the end."""
    if data:
        call(library.corm_json_reader_feed, reader, data, len(data))
    else:
        call(library.corm_json_reader_end, reader)


def read_levels(reader: ReaderHandle, max_records: int) -> list[Level]:
    """The next records with those within them; none when no more are complete."""
    scratch = take()
    status = library.corm_block_read_json(reader, max_records, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    levels: list[Level] = scratch.read() if status == abi.CORM_ROW else []
    give_back(scratch)
    return levels


def import_records(reader: ReaderHandle, database: DatabaseHandle, operation: int) -> int:
    return call_number(library.corm_json_reader_import, database, reader, operation)


def write_rows(model: ModelHandle, rows: list[Row]) -> str:
    """The objects of rows of a model, with commas between them."""
    options = {"names": abi.CORM_JSON_PROPERTIES, "lines": False}
    return write_levels([(None, None, [], [(model, marshal.dumps(rows, 2))], [])], options)[1:-1]


# The level above, the relation, a flat list of positions and counts, the rows of each model marshalled, and of which of
# the models each record is; nothing where there is one.
Written = tuple["int | None", "str | None", "list[int]", "list[tuple[ModelHandle, bytes]]", "list[int]"]


def write_levels(levels: list[Written], options: Mapping[str, Any]) -> str:
    data = marshal.dumps(levels, 2)
    scratch = take()
    status = library.corm_block_write_json(data, len(data), _options(options), scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    text: str = scratch.read()
    give_back(scratch)
    return text
