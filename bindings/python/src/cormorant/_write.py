"""What writes one record whose values are marshalled, between its hooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import get_ident
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from ._assigned import settle
from ._model_info import ModelInfo, info_of_records
from ._native import abi
from ._native import record as native_record
from .column import Column
from .error import DataError, ProgrammingError
from .value import type_name

if TYPE_CHECKING:
    from .database import Database
    from .model import Model


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


def conflict_number(name: str) -> int:
    if name not in _CONFLICTS:
        raise ProgrammingError(f"there is no conflict policy {name!r}", hint=f"use one of {', '.join(_CONFLICTS)}")
    return _CONFLICTS[name]


def property_names(model: type[Model], properties: Property | Sequence[Property]) -> tuple[str, ...]:
    """The names of properties, which may be columns of the model."""
    if isinstance(properties, str) or not isinstance(properties, Sequence):
        properties = (properties,)
    return tuple([item if isinstance(item, str) else _name(model, item) for item in properties])


def updated_names(model: type[Model], properties: tuple[Property | Sequence[Property], ...]) -> tuple[str, ...] | None:
    """The names of properties to update, as update() is given them; None: all but the key; (): a list of none."""
    return property_names(model, listed(properties)) if properties else None


def listed(properties: tuple[Property | Sequence[Property], ...]) -> Sequence[Property]:
    """Properties that are given one by one or in a list."""
    one = properties[0] if len(properties) == 1 else ""
    return one if isinstance(one, Sequence) and not isinstance(one, str) else cast("tuple[Property, ...]", properties)


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
            note(database, info, (record,))
        info.take_back(record, item, is_part=bool(properties))
    return count


def note(database: Database, info: ModelInfo, records: Iterable[Model]) -> None:
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
