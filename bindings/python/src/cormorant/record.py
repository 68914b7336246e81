"""Methods of Database that insert, save, update, delete and find records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from itertools import chain, groupby, islice
from threading import get_ident
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

from ._assigned import forget_others, settle, settle_all
from ._model_info import ModelInfo, info_of, info_of_records, record_for_model
from ._native import abi
from ._native import record as native_record
from ._native.call import owned_error
from ._native.python import finder
from ._writer import Writer, writer
from .column import MISSING, Column
from .error import DataError, Error, IntegrityError, NoRecordError, ProgrammingError, StaleRecordError
from .model import Model, ModelType
from .transaction import Transaction
from .value import type_name

if TYPE_CHECKING:
    from .database import Database


M = TypeVar("M", bound=Model)
Conflict: TypeAlias = Literal["abort", "ignore", "replace", "fail", "rollback"]
"""What an insert does when a constraint refuses a row: https://www.sqlite.org/lang_conflict.html"""

Property: TypeAlias = str | Column[Any]
"""A property of a model: its column, such as Person.age, or its name."""

_CONFLICTS: dict[str, int] = {
    "abort": abi.CORM_CONFLICT_ABORT,
    "ignore": abi.CORM_CONFLICT_IGNORE,
    "replace": abi.CORM_CONFLICT_REPLACE,
    "fail": abi.CORM_CONFLICT_FAIL,
    "rollback": abi.CORM_CONFLICT_ROLLBACK,
}
# A batch crosses in parts of this many records, so that its rows need not be in memory all at once.
_PART = 1_000
# Ways to update a model that are kept ready: a program that writes what has changed may have one for each set of
# columns.
_MOST_UPDATERS = 64


class _Upsert(NamedTuple):
    on: Property | Sequence[Property]
    keep: Property | Sequence[Property]


def _names(model: type[Model], properties: Property | Sequence[Property]) -> tuple[str, ...]:
    """The names of properties, which may be columns of the model."""
    if isinstance(properties, str) or not isinstance(properties, Sequence):
        properties = (properties,)
    return tuple([item if isinstance(item, str) else _name(model, item) for item in properties])


def _name(model: type[Model], column: Column[Any]) -> str:
    if isinstance(column, Column):
        # A variant of a model has the columns of its base, too.
        name = column.name
        for base in model.__mro__:
            if base.__dict__.get("__fields__", {}).get(name) is column:
                return name
        message = f"{column!r} is no column of {model.__name__}"
    else:
        message = f"{type_name(column)} is no property of {model.__name__}"
    raise ProgrammingError(message, hint=f"give a column, such as {model.__name__}.name, or a property's name")


def _parts(key: Any, more: tuple[Any, ...]) -> tuple[Any, ...]:
    return () if key is MISSING else (key, *more)


def insert(database: Database, record: Model, conflict: Conflict = "abort") -> bool:
    """Inserts a record. False when conflict="ignore" skipped it.

    The generated key, defaults and computed columns come back into the record.
    """
    if conflict == "abort":
        write = database._inserters.get(type(record)) or _prepared(
            database, database._inserters, record, abi.CORM_WRITE_INSERT
        )
        if write and (done := write(record)) is not None:
            return done
    return write_one(database, record, abi.CORM_WRITE_INSERT, conflict_number(conflict)) > 0


def insert_many(database: Database, records: Iterable[Model], conflict: Conflict = "abort") -> int:
    """Inserts records of one model in one transaction; how many went in. The first error takes back all.

    Of classes that a discriminator tells apart, which share a table, there may be several; the same of what follows.
    """
    return _write_many(database, records, abi.CORM_WRITE_INSERT, conflict_number(conflict))


def save(database: Database, record: Model) -> None:
    """Inserts the record or, when its primary key is there, updates that row, in one statement."""
    write = database._savers.get(type(record)) or _prepared(database, database._savers, record, abi.CORM_WRITE_SAVE)
    if write is None or write(record) is None:
        write_one(database, record, abi.CORM_WRITE_SAVE)


def save_many(database: Database, records: Iterable[Model]) -> int:
    """Saves records of one model in one transaction; how many there were."""
    return _write_many(database, records, abi.CORM_WRITE_SAVE)


def upsert(
    database: Database, record: Model, on: Property | Sequence[Property] = (), keep: Property | Sequence[Property] = ()
) -> None:
    """Inserts the record or, where a row has its values of a unique key, updates that row, in one statement.

    on: properties that the model makes unique together, such as User.email; none: the primary key. None in the key is
    the same as no other. keep: properties that a row which is there keeps, besides its primary key.
    The row as it then is comes back into the record: its key, what it kept, defaults and computed columns.
    """
    _upsert_one(database, record, on, keep)


def upsert_many(
    database: Database,
    records: Iterable[Model],
    on: Property | Sequence[Property] = (),
    keep: Property | Sequence[Property] = (),
) -> int:
    """Upserts records of one model in one transaction; how many there were. The first error takes back all."""
    return _write_many(database, records, _Upsert(on, keep))


def get_or_create(database: Database, record: M, on: Property | Sequence[Property] = ()) -> tuple[M, bool]:
    """Reads the row with the record's values of a unique key into the record or, when there is none, inserts it.

    on: as of upsert(). The record, and whether it was inserted. Of threads and processes that ask at once, one inserts.
    """
    return record, _upsert_one(database, record, on, (), keep_row=True) > 0


def update(database: Database, record: Model, *properties: Property) -> None:
    """Writes the record, or only the properties, to the row with its key. NoRecordError when there is none.

    properties: columns, such as Person.age, or their names.
    """
    names: tuple[str, ...] | None = None
    try:
        write: Writer | None = database._updaters[type(record)][properties]
    except (KeyError, TypeError):
        names = _names(type(record), properties)
        write = _prepared_update(database, record, properties, names)
    if write is None or write(record) is None:
        names = _names(type(record), properties) if names is None else names
        write_one(database, record, abi.CORM_WRITE_UPDATE, 0, names or None)


def update_many(database: Database, records: Iterable[Model], *properties: Property) -> int:
    """Updates records of one model in one transaction; how many there were. properties: as of update()."""
    return _write_many(database, records, abi.CORM_WRITE_UPDATE, 0, properties or None)


def update_changes(database: Database, record: M, since: M) -> tuple[str, ...]:
    """Writes the properties that differ from those of an earlier copy of the record; what record.changes(since) gives.

    Where none differs nothing is run. NoRecordError when no row has the record's key.
    """
    info = info_of_records(type(record))
    if record.__assigned__:
        settle(database._innermost, record)
    names = info.changes(record, since)
    if names:
        update(database, record, *names)
    return names


def delete(database: Database, record: Model) -> bool:
    """Deletes the row with the record's key; False when there was none."""
    write = database._deleters.get(type(record)) or _prepared(
        database, database._deleters, record, abi.CORM_WRITE_DELETE
    )
    if write and (done := write(record)) is not None:
        return done
    return write_one(database, record, abi.CORM_WRITE_DELETE, 0, ()) > 0


def delete_many(database: Database, records: Iterable[Model]) -> int:
    """Deletes the rows of records of one model in one transaction; how many there were."""
    return _write_many(database, records, abi.CORM_WRITE_DELETE, 0, ())


def delete_key(database: Database, model: type[Model], *key: Any) -> bool:
    """Deletes the row with a primary key, one value per column of the key; False when there was none."""
    info = info_of(model)
    return native_record.delete_key(database._handle, info.handle, info.dump_key(key))


def delete_all(database: Database, model: type[Model]) -> int:
    """Deletes every row of the table; how many there were."""
    return native_record.delete_all(database._handle, info_of(model).handle)


def find(database: Database, model: type[M], key: Any = MISSING, *more: Any) -> M | None:
    """The record with a primary key, one value per column of the key; None when there is none."""
    # `*key` would make each call pay for a tuple.
    try:
        find, load, _ = database._finders[model]
    except (KeyError, TypeError):
        return _find_first(database, model, _parts(key, more))
    row = find(key) if type(key) is int and not more else _find(database, info_of(model), _parts(key, more))
    if type(row) is tuple:
        record: M = load(row)
        return record
    if type(row) is int:
        raise owned_error(row, database._handle)
    return None


def _find_first(database: Database, model: type[M], key: tuple[Any, ...]) -> M | None:
    if isinstance(model, Model):
        raise record_for_model(model)
    info = info_of(model)
    # There may be many variants of a model, which are to go when nobody else uses them.
    if "__handle__" not in model.__dict__ and info.plain_key and finder:
        find, table = finder(database._handle, info.handle)
        database._finders[model] = find, info.load_one, table
    row = _find(database, info, key)
    record: M | None = None if row is None else info.load_one(row)
    return record


def has_key(database: Database, model: type[Model], /, *key: Any) -> bool:
    """Whether a row has this primary key."""
    info = info_of(model)
    return native_record.exists(database._handle, info.handle, info.dump_key(key))


def refresh(database: Database, record: Model) -> None:
    """Reads the record anew by its key. NoRecordError when it is not in the table."""
    info = info_of_records(type(record))
    row = native_record.find(database._handle, info.handle, info.dump_key_of(record))
    if row is None:
        raise NoRecordError(
            f"{info.table} has no row with this key",
            code="CORM_E_NO_RECORD",
            table=info.table,
            hint="insert it first",
        )
    info.fill(record, row)
    forget_others(record)


def _find(database: Database, info: ModelInfo, key: tuple[Any, ...]) -> native_record.Row | None:
    return native_record.find(database._handle, info.handle, info.dump_key(key))


def _prepared(database: Database, writers: dict[type[Model], Writer], record: Model, operation: int) -> Writer | None:
    """What writes records of this type from now on; None where they are marshalled instead."""
    kind = type(record)
    made = writer(database, kind, operation) if isinstance(kind, ModelType) else None
    if made:
        writers[kind] = made
    return made


def _prepared_update(
    database: Database, record: Model, properties: tuple[Property, ...], names: tuple[str, ...]
) -> Writer | None:
    """The same for an update of these properties."""
    kind = type(record)
    made = writer(database, kind, abi.CORM_WRITE_UPDATE, names) if isinstance(kind, ModelType) else None
    if made:
        kept = database._updaters.setdefault(kind, {})
        if len(kept) >= _MOST_UPDATERS:
            kept.clear()
        kept[properties] = made
    return made


def write_one(
    database: Database,
    record: Model,
    operation: int,
    conflict: int = 0,
    properties: tuple[str, ...] | None = None,
    in_batch: bool = False,
) -> int:
    """Writes a record between its hooks; how many rows that were."""
    info = info_of_records(type(record))
    if info.hooks is None:
        return _write_row(database, info, record, operation, conflict, properties)
    return info.hooks.around(
        database,
        record,
        operation,
        properties or (),
        lambda names: _write_row(database, info, record, operation, conflict, names or properties),
        in_batch,
    )


def _write_row(
    database: Database,
    info: ModelInfo,
    record: Model,
    operation: int,
    conflict: int,
    properties: tuple[str, ...] | None,
) -> int:
    if record.__assigned__ and operation != abi.CORM_WRITE_DELETE:
        settle(database._innermost, record, properties)
    rows = info.dump((record,), properties)
    try:
        items, count = native_record.write(database._handle, info.handle, operation, conflict, properties or (), rows)
    except DataError as error:
        raise info.explain_write(error, (record,)) from None
    if operation != abi.CORM_WRITE_DELETE and (item := items[0]) is not None:
        if database._innermost:
            _note(database, info, (record,))
        info.take_back(record, item, is_part=bool(properties))
    return count


def _upsert_one(
    database: Database,
    record: Model,
    on: Property | Sequence[Property],
    keep: Property | Sequence[Property],
    keep_row: bool = False,
    in_batch: bool = False,
) -> int:
    cls = type(record)
    info = info_of_records(cls)
    named, kept = _names(cls, on), _names(cls, keep)
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
        settle(database._innermost, record, on or info.key)
    row = native_record.lookup(database._handle, info.handle, on, info.dump((record,)))
    if row is None:
        return False
    if database._innermost:
        _note(database, info, (record,))
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
            _note(database, info, (record,))
        info.take_back(record, items[0])
        forget_others(record)
    return count


def _note(database: Database, info: ModelInfo, records: Iterable[Model]) -> None:
    """Records that are about to get their keys lose them again if this thread's transaction is rolled back."""
    transaction = database._innermost.get(get_ident())
    if transaction is not None and info.counted:
        for record in records:
            transaction._note_counted(record, info.counted)
    if transaction is not None and len(info.key) == 1:
        key = info.key[0]
        for record in records:
            if getattr(record, key, 0) is None:
                transaction._note(record)


def _write_many(
    database: Database,
    records: Iterable[Model],
    operation: int | _Upsert,
    conflict: int = 0,
    properties: tuple[Property, ...] | None = None,
) -> int:
    source = iter(records)
    part, start, total = list(islice(source, _PART)), 0, 0
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
    with Transaction(database) if len(part) == _PART or len(kinds) > 1 else nullcontext():
        while part:
            for kind, run in [(cls, part)] if len(kinds) < 2 else _runs(part):
                names = None if properties is None else _names(kind, properties)
                items, count = _write_part(database, kinds, kind, run, start, operation, conflict, names)
                if operation != abi.CORM_WRITE_DELETE and items.count(None) < len(items):
                    made.append((run, items, bool(names)))
                total, start = total + count, start + len(run)
            part = list(islice(source, _PART))
    # Only now is it certain that the rows stay.
    for run, items, is_part in made:
        info = info_of_records(type(run[0]))
        if database._innermost:
            _note(database, info, run)
        for record, item in zip(run, items):
            info.take_back(record, item, is_part=is_part)
    return total


def _kinds(cls: type[Model]) -> tuple[type[Model], ...]:
    """The models whose records can be in a batch with those of one: it alone, or all of its table."""
    family = getattr(cls, "__family__", None)
    kinds: tuple[type[Model], ...] = () if family is None else (family.whole, *family.parts.values())
    return kinds if cls in kinds else (cls,) if hasattr(cls, "__model__") else ()


def _runs(records: list[Model]) -> list[tuple[type[Model], list[Model]]]:
    """Records of one model after the other."""
    return [(kind, list(run)) for kind, run in groupby(records, type)]


def _write_each(
    database: Database,
    kinds: tuple[type[Model], ...],
    records: Iterable[Model],
    operation: int | _Upsert,
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
                names[kind] = None if properties is None else _names(kind, properties)
            try:
                if isinstance(operation, _Upsert):
                    total += _upsert_one(database, record, operation.on, operation.keep, in_batch=True)
                else:
                    total += write_one(database, record, operation, conflict, names[kind], in_batch=True)
            except Error as error:
                error.record_index = index
                raise
    return total


def _several(kinds: set[type[Model]]) -> ProgrammingError:
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    return ProgrammingError(f"the records are of several models: {names}", hint="write one model at a time")


def _write_part(
    database: Database,
    family: tuple[type[Model], ...],
    cls: type[Model],
    part: list[Model],
    start: int,
    operation: int | _Upsert,
    conflict: int,
    properties: tuple[str, ...] | None,
) -> tuple[list[Any], int]:
    info = info_of_records(cls)
    if len(kinds := set(map(type, part))) > 1 or cls not in family:
        raise _several({*kinds, family[0]})
    if info.has_to_one and operation != abi.CORM_WRITE_DELETE:
        settle_all(database._innermost, part, properties, start)
    try:
        rows = info.dump(part, properties)
        if isinstance(operation, _Upsert):
            on, keep = _names(cls, operation.on), _names(cls, operation.keep)
            return native_record.upsert(database._handle, info.handle, on, keep, False, rows)
        return native_record.write(database._handle, info.handle, operation, conflict, properties or (), rows)
    except (IntegrityError, DataError, NoRecordError, StaleRecordError) as error:
        known = info.explain_write(error, part) if isinstance(error, DataError) else error
        known.record_index = start + max(error.record_index, 0)
        raise known from None


def conflict_number(name: str) -> int:
    if name not in _CONFLICTS:
        raise ProgrammingError(f"there is no conflict policy {name!r}", hint=f"use one of {', '.join(_CONFLICTS)}")
    return _CONFLICTS[name]
