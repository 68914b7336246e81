"""What writes records of one model, or of one table, in one transaction."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from contextlib import nullcontext
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any

from ._assigned import forget_others, settle_all
from ._model_info import info_of_records
from ._native import abi
from ._native import record as native_record
from ._path import is_url
from ._upsert import Upsert, upsert_one
from ._write import Property, note, property_names, write_one
from .error import DataError, Error, IntegrityError, NoRecordError, ProgrammingError, StaleRecordError
from .model import Model
from .transaction import Transaction
from .value import type_name

if TYPE_CHECKING:
    from .database import Database

# A batch crosses in parts of this many records, so that its rows need not be in memory all at once. To a server each is
# a round trip more; to a file so few are as fast, and Python keeps their tuples for those of the next part.
_PART, _SERVER_PART = 1_000, 4_000

# Errors about a record, also where it is the only one.
_OF_RECORDS = (IntegrityError, DataError, NoRecordError, StaleRecordError)


def write_many(
    database: Database,
    records: Iterable[Model],
    operation: int | Upsert,
    conflict: int = 0,
    properties: tuple[Property, ...] | None = None,
) -> int:
    source = iter(records)
    is_file = not is_url(database.path)
    size = _PART if is_file else _SERVER_PART
    part, start, total = list(islice(source, size)), 0, 0
    if part and not hasattr(part[0], "__model__") and hasattr(records, "__arrow_c_stream__"):
        raise ProgrammingError(
            f"{type_name(records)} is no iterable of records",
            hint="give it to insert_arrow(Model, ...), or make records of its rows",
        )
    made: list[tuple[list[Model], list[Any], bool]] = []
    cls = type(part[0]) if part else Model
    kinds = _kinds(cls)
    if any(kind.__model__.hooks for kind in kinds):
        return _write_each(database, kinds, chain(part, source), operation, conflict, properties)
    seen: set[int] = set()
    is_several = len(part) == size or len(kinds) > 1
    is_part = is_several and is_file
    with Transaction(database) if is_several else nullcontext():
        while part:
            if operation == abi.CORM_WRITE_SAVE and kinds:
                _refuse_again(cls.__model__.key, part, start, seen, is_last=len(part) < size)
            for kind, run in [(cls, part)] if len(kinds) < 2 else _runs(part):
                names = None if properties is None else property_names(kind, properties)
                items, count = _write_part(database, kinds, kind, run, start, operation, conflict, names, is_part)
                if operation != abi.CORM_WRITE_DELETE and items.count(None) < len(items):
                    made.append((run, items, bool(names)))
                total, start = total + count, start + len(run)
            part = list(islice(source, size))
    # Only now is it certain that the rows stay.
    for run, items, is_part in made:
        info = info_of_records(type(run[0]))
        if database._innermost:
            note(database, info, run)
        for record, item in zip(run, items):
            info.take_back(record, item, is_part=is_part)
            if isinstance(operation, Upsert):
                forget_others(record)
    return total


def _refuse_again(key: tuple[str, ...], part: list[Model], start: int, seen: set[int], is_last: bool) -> None:
    """A record that is to get its key from the table is inserted once: it has none before the batch is over.

    seen: the ids of such records in the parts before, which are kept for their keys; those of this part come to it.
    """
    ids = set(map(id, part))
    if len(ids) == len(part) and is_last and seen.isdisjoint(ids):
        return
    if not any(getattr(record, name, 0) is None for name in key for record in part):
        return
    for index, record in enumerate(part):
        if any(getattr(record, name, 0) is None for name in key):
            if id(record) in seen:
                message = f"record {start + index} of the batch, which has no key yet, is in it before"
                raise ProgrammingError(message, hint="give it once")
            seen.add(id(record))


def _write_part(
    database: Database,
    family: tuple[type[Model], ...],
    cls: type[Model],
    part: list[Model],
    start: int,
    operation: int | Upsert,
    conflict: int,
    properties: tuple[str, ...] | None,
    is_part: bool,
) -> tuple[list[Any], int]:
    info = info_of_records(cls)
    if len(kinds := set(map(type, part))) > 1 or cls not in family:
        raise _several({*kinds, family[0]})
    if info.has_to_one and operation != abi.CORM_WRITE_DELETE:
        settle_all(database._innermost, part, properties, start)
    try:
        # A model without a key has no part that tells the row.
        if properties is not None and info.key and not isinstance(operation, Upsert):
            values, columns = info.dump_part(part, properties)
            return native_record.write(
                database._handle, info.handle, operation, conflict, properties, values, columns, is_part=is_part
            )
        rows = info.dump(part, properties)
        if isinstance(operation, Upsert):
            on, keep = property_names(cls, operation.on), property_names(cls, operation.keep)
            return native_record.upsert(
                database._handle, info.handle, on, keep, operation.keep_row, rows, is_part=is_part
            )
        return native_record.write(
            database._handle, info.handle, operation, conflict, properties or (), rows, is_part=is_part
        )
    except Error as error:
        # The library counts within what it is given, and not where that is one record, which others may have begun.
        is_one = len(part) == 1 and (start or isinstance(error, _OF_RECORDS))
        if (index := 0 if is_one else error.record_index) < 0:
            raise
        if isinstance(error, StaleRecordError):
            first = next((place for place, record in enumerate(part[:index]) if record is part[index]), None)
            if first is not None:
                message = f"record {start + index} of the batch is record {start + first} again"
                raise ProgrammingError(message, hint="give it once: its version has counted up by then") from None
        known = info.explain_write(error, part) if isinstance(error, DataError) else error
        known.record_index = start + index
        raise known from error.__cause__


def _write_each(
    database: Database,
    kinds: tuple[type[Model], ...],
    records: Iterable[Model],
    operation: int | Upsert,
    conflict: int,
    properties: tuple[Property, ...] | None,
) -> int:
    """A batch of records that have hooks, each between its own."""
    total = 0
    names: dict[type[Model], tuple[str, ...] | None] = {}
    with Transaction(database):
        for index, record in enumerate(records):
            kind = type(record)
            if kind not in names:
                if kind not in kinds:
                    raise _several({*names, kind})
                names[kind] = None if properties is None else property_names(kind, properties)
            try:
                if isinstance(operation, Upsert):
                    total += upsert_one(database, record, *operation, in_batch=True)
                else:
                    total += write_one(database, record, operation, conflict, names[kind], in_batch=True)
            except Error as error:
                error.record_index = index
                raise
            except Exception as error:
                _note_place(error, f"record {index} of the batch, of {kind.__name__}")
                raise
    return total


def _note_place(error: Exception, place: str) -> None:
    """Says which record it was where a hook raised an exception of its own, from Python 3.11 on."""
    # It may be of a class that takes none.
    with contextlib.suppress(Exception):
        if place not in getattr(error, "__notes__", ()):
            getattr(error, "add_note", lambda _: None)(place)


def _kinds(cls: type[Model]) -> tuple[type[Model], ...]:
    """The models whose records can be in a batch with those of one: it alone, or all of its table."""
    family = getattr(cls, "__family__", None)
    kinds: tuple[type[Model], ...] = () if family is None else (family.whole, *family.parts.values())
    return kinds if cls in kinds else (cls,) if hasattr(cls, "__model__") else ()


def _runs(records: list[Model]) -> list[tuple[type[Model], list[Model]]]:
    """Records of one model after the other."""
    return [(kind, list(run)) for kind, run in groupby(records, type)]


def _several(kinds: set[type[Model]]) -> ProgrammingError:
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    return ProgrammingError(f"the records are of several models: {names}", hint="write one model at a time")
