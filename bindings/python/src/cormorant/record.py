"""Methods of Database that insert, save, update, delete and find records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ._assigned import forget_others, settle
from ._inheritance import FamilyInfo
from ._model_info import ModelInfo, info_of, info_of_records, record_for_model
from ._native import abi
from ._native import record as native_record
from ._native.call import owned_error
from ._native.python import finder
from ._upsert import Upsert, upsert_one
from ._write import Conflict, Property, conflict_number, listed, updated_names, write_one
from ._write_many import write_many
from ._writer import Writer, prepared, prepared_update
from .column import MISSING
from .error import NoRecordError
from .model import Model

if TYPE_CHECKING:
    from .database import Database


M = TypeVar("M", bound=Model)


def _parts(key: Any, more: tuple[Any, ...]) -> tuple[Any, ...]:
    return () if key is MISSING else (key, *more)


def insert(database: Database, record: Model, conflict: Conflict = "abort") -> bool:
    """Inserts a record. False when conflict="ignore" skipped it.

    The generated key, defaults and computed columns come back into the record.
    """
    if conflict == "abort":
        write = database._inserters.get(type(record)) or prepared(
            database, database._inserters, record, abi.CORM_WRITE_INSERT
        )
        if write and (done := write(record)) is not None:
            return done
    return write_one(database, record, abi.CORM_WRITE_INSERT, conflict_number(conflict)) > 0


def insert_many(database: Database, records: Iterable[Model], conflict: Conflict = "abort") -> int:
    """Inserts records of one model in one transaction; how many went in. The first error takes back all.

    Of classes that a discriminator tells apart, which share a table, there may be several; the same of what follows.
    """
    return write_many(database, records, abi.CORM_WRITE_INSERT, conflict_number(conflict))


def save(database: Database, record: Model) -> None:
    """Inserts the record or, when its primary key is there, updates that row, in one statement."""
    write = database._savers.get(type(record)) or prepared(database, database._savers, record, abi.CORM_WRITE_SAVE)
    if write is None or write(record) is None:
        write_one(database, record, abi.CORM_WRITE_SAVE)


def save_many(database: Database, records: Iterable[Model]) -> int:
    """Saves records of one model in one transaction; how many there were."""
    return write_many(database, records, abi.CORM_WRITE_SAVE)


def upsert(
    database: Database, record: Model, on: Property | Sequence[Property] = (), keep: Property | Sequence[Property] = ()
) -> None:
    """Inserts the record or, where a row has its values of a unique key, updates that row, in one statement.

    on: properties that the model makes unique together, such as User.email; none: the primary key. None in the key is
    the same as no other. keep: properties that a row which is there keeps, besides its primary key.
    The row as it then is comes back into the record: its key, what it kept, defaults and computed columns.
    """
    upsert_one(database, record, on, keep)


def upsert_many(
    database: Database,
    records: Iterable[Model],
    on: Property | Sequence[Property] = (),
    keep: Property | Sequence[Property] = (),
) -> int:
    """Upserts records of one model in one transaction; how many there were. The first error takes back all."""
    return write_many(database, records, Upsert(on, keep))


def get_or_create(database: Database, record: M, on: Property | Sequence[Property] = ()) -> tuple[M, bool]:
    """Reads the row with the record's values of a unique key into the record or, when there is none, inserts it.

    on: as of upsert(). The record, and whether it was inserted. Of threads and processes that ask at once, one inserts.
    """
    return record, upsert_one(database, record, on, (), keep_row=True) > 0


def get_or_create_many(database: Database, records: Iterable[Model], on: Property | Sequence[Property] = ()) -> int:
    """get_or_create() for records of one model in one transaction; how many were inserted.

    Of two with the same values of the key the second is read. The first error takes back all.
    """
    return write_many(database, records, Upsert(on, keep_row=True))


def update(
    database: Database,
    record: Model,
    properties: Property | Sequence[Property] = MISSING,
    *more: Property | Sequence[Property],
) -> None:
    """Writes the record, or only the properties, to the row with its key. NoRecordError when there is none.

    properties: columns, such as Person.age, or their names; or one list of them. Of an empty list nothing is run:
    write update(record, names), because update(record, *names) without a name is one of all properties.
    """
    # As in find(): one property needs no tuple, whose hash and comparison cost more than its own.
    try:
        write: Writer | None = database._updaters[type(record)][more][properties]
    except (KeyError, TypeError):
        write = _updater(database, record, properties, more)
    if write is None or write(record) is None:
        names = updated_names(type(record), _parts(properties, more))
        if names != ():
            write_one(database, record, abi.CORM_WRITE_UPDATE, 0, names)


def _updater(database: Database, record: Model, properties: Any, more: tuple[Any, ...]) -> Writer | None:
    """What updates these properties from now on; None: as of prepared(), or there is nothing to update."""
    known = properties
    if type(properties) is list:
        # It has no hash.
        known = tuple(properties)
        try:
            return database._updaters[type(record)][more][known]
        except (KeyError, TypeError):
            pass
    elif isinstance(properties, Sequence) and not isinstance(properties, (str, tuple)):
        # Of what may hold others by the next time, nothing is kept.
        return None
    names = updated_names(type(record), _parts(properties, more))
    return None if names == () else prepared_update(database, record, known, more, names or ())


def update_many(database: Database, records: Iterable[Model], *properties: Property | Sequence[Property]) -> int:
    """Updates records of one model in one transaction; how many there were. properties: as of update()."""
    names = tuple(listed(properties))
    return 0 if properties and not names else write_many(database, records, abi.CORM_WRITE_UPDATE, 0, names or None)


def update_changes(database: Database, record: M, since: M) -> tuple[str, ...]:
    """Writes the properties that differ from those of an earlier copy of the record; what record.changes(since) gives.

    Where none differs nothing is run. NoRecordError when no row has the record's key.
    """
    info = info_of_records(type(record))
    if record.__assigned__:
        settle(database._innermost, record)
    names = info.changes(record, since)
    if names:
        update(database, record, names)
    return names


def delete(database: Database, record: Model) -> bool:
    """Deletes the row with the record's key; False when there was none."""
    write = database._deleters.get(type(record)) or prepared(
        database, database._deleters, record, abi.CORM_WRITE_DELETE
    )
    if write and (done := write(record)) is not None:
        return done
    return write_one(database, record, abi.CORM_WRITE_DELETE, 0, ()) > 0


def delete_many(database: Database, records: Iterable[Model]) -> int:
    """Deletes the rows of records of one model in one transaction; how many there were."""
    return write_many(database, records, abi.CORM_WRITE_DELETE, 0, ())


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
        if isinstance(info, FamilyInfo):
            info.family.finders.add(database)
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
            hint="insert it first, if no scope of the model hides it",
        )
    info.fill(record, row)
    forget_others(record)


def _find(database: Database, info: ModelInfo, key: tuple[Any, ...]) -> native_record.Row | None:
    return native_record.find(database._handle, info.handle, info.dump_key(key))
