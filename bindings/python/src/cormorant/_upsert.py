"""What upserts a record by a unique key, or reads the row that has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ._assigned import forget_others, settle
from ._model_info import ModelInfo, info_of_records
from ._native import abi
from ._native import record as native_record
from ._write import Property, note, property_names, write_one
from .error import DataError, IntegrityError
from .transaction import Transaction

if TYPE_CHECKING:
    from .database import Database
    from .model import Model


class Upsert(NamedTuple):
    on: Property | Sequence[Property]
    keep: Property | Sequence[Property] = ()
    keep_row: bool = False


def upsert_one(
    database: Database,
    record: Model,
    on: Property | Sequence[Property],
    keep: Property | Sequence[Property],
    keep_row: bool = False,
    in_batch: bool = False,
) -> int:
    cls = type(record)
    info = info_of_records(cls)
    named, kept = property_names(cls, on), property_names(cls, keep)
    if info.hooks is None:
        return _upsert_row(database, info, record, named, kept, keep_row)
    if not keep_row:
        return info.hooks.around(
            database,
            record,
            abi.CORM_WRITE_SAVE,
            (),
            lambda _: _upsert_row(database, info, record, named, kept, False),
            in_batch,
        )
    # Most are there, and to look takes no lock of the file.
    if _fetch_by(database, info, record, named):
        return 0
    with Transaction(database):
        if _fetch_by(database, info, record, named):
            return 0
        if count := write_one(database, record, abi.CORM_WRITE_INSERT, in_batch=True):
            return count
        raise IntegrityError(
            f'a trigger of "{info.table}" skipped the row, so it is not saved',
            code="CORM_E_CONSTRAINT",
            hint="look for RAISE(IGNORE) in the table's triggers",
            table=info.table,
        )


def _fetch_by(database: Database, info: ModelInfo, record: Model, on: tuple[str, ...]) -> bool:
    """Reads the row with the record's values of a unique key into the record; False where there is none."""
    if record.__assigned__:
        settle(database._innermost, record, on or info.key, looks_up=True)
    row = native_record.lookup(database._handle, info.handle, on, info.dump((record,)))
    if row is None:
        return False
    if database._innermost:
        note(database, info, (record,))
    info.fill(record, row)
    forget_others(record)
    return True


def _upsert_row(
    database: Database, info: ModelInfo, record: Model, on: tuple[str, ...], keep: tuple[str, ...], keep_row: bool
) -> int:
    if record.__assigned__:
        settle(database._innermost, record)
    rows = info.dump((record,), None)
    try:
        items, count = native_record.upsert(database._handle, info.handle, on, keep, keep_row, rows)
    except DataError as error:
        raise info.explain_write(error, (record,)) from None
    if items[0] is not None:
        if database._innermost:
            note(database, info, (record,))
        info.take_back(record, items[0])
        forget_others(record)
    return count
