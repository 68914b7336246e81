"""Database methods that insert, save, update, delete and find records."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from itertools import islice
from typing import Any, Literal, TypeAlias, TypeVar

from . import _abi, _native
from .error import DataError, IntegrityError, NoRecordError, ProgrammingError
from .model import Model, ModelInfo
from .transaction import Transaction

M = TypeVar("M", bound=Model)
Conflict: TypeAlias = Literal["abort", "ignore", "replace", "fail", "rollback"]

_CONFLICTS: dict[str, int] = {
    "abort": _abi.CORM_CONFLICT_ABORT,
    "ignore": _abi.CORM_CONFLICT_IGNORE,
    "replace": _abi.CORM_CONFLICT_REPLACE,
    "fail": _abi.CORM_CONFLICT_FAIL,
    "rollback": _abi.CORM_CONFLICT_ROLLBACK,
}
# A batch crosses in parts of this many records, so that its rows need not be in memory all at once.
_PART = 1_000


def info_of(model: type[Model]) -> ModelInfo:
    """The description of a model class; an error for anything else."""
    try:
        return model.__model__
    except AttributeError:
        name = getattr(model, "__name__", repr(model))
        raise ProgrammingError(f"{name} is no model", hint="derive it from cormorant.Model") from None


class RecordMethods:
    """The part of Database that is about records."""

    _handle: int
    _finders: dict[type[Model], Callable[[int], Any]]

    def insert(self, record: Model, conflict: Conflict = "abort") -> bool:
        """Inserts a record. False when conflict="ignore" skipped it.

        The generated key, defaults and computed columns come back into the record.
        """
        return self._write_one(record, _abi.CORM_WRITE_INSERT, conflict_number(conflict)) > 0

    def insert_many(self, records: Iterable[Model], conflict: Conflict = "abort") -> int:
        """Inserts records of one model in one transaction; how many went in. The first error takes back all."""
        return self._write_many(records, _abi.CORM_WRITE_INSERT, conflict_number(conflict))

    def save(self, record: Model) -> None:
        """Inserts the record or, when its primary key is there, updates that row, in one statement."""
        self._write_one(record, _abi.CORM_WRITE_SAVE)

    def save_many(self, records: Iterable[Model]) -> int:
        """Saves records of one model in one transaction; how many there were."""
        return self._write_many(records, _abi.CORM_WRITE_SAVE)

    def update(self, record: Model, *properties: str) -> None:
        """Writes the record, or only the properties, to the row with its key. NoRecordError when there is none."""
        self._write_one(record, _abi.CORM_WRITE_UPDATE, 0, properties or None)

    def update_many(self, records: Iterable[Model], *properties: str) -> int:
        """Updates records of one model in one transaction; how many there were."""
        return self._write_many(records, _abi.CORM_WRITE_UPDATE, 0, properties or None)

    def delete(self, record: Model) -> bool:
        """Deletes the row with the record's key; False when there was none."""
        return self._write_one(record, _abi.CORM_WRITE_DELETE, 0, ()) > 0

    def delete_many(self, records: Iterable[Model]) -> int:
        """Deletes the rows of records of one model in one transaction; how many there were."""
        return self._write_many(records, _abi.CORM_WRITE_DELETE, 0, ())

    def delete_key(self, model: type[Model], *key: Any) -> bool:
        """Deletes the row with a primary key, one value per column of the key; False when there was none."""
        info = info_of(model)
        return _native.delete_key(self._handle, info.handle, info.dump_key(key))

    def delete_all(self, model: type[Model]) -> int:
        """Deletes every row of the table; how many there were."""
        return _native.delete_all(self._handle, info_of(model).handle)

    def find(self, model: type[M], *key: Any) -> M | None:
        """The record with a primary key, one value per column of the key; None when there is none."""
        try:
            (value,) = key
            find = self._finders[model]
        except (ValueError, KeyError, TypeError):
            return self._find_first(model, key)
        record: M | None = find(value) if type(value) is int else self._find_any(info_of(model), key)
        return record

    def _find_first(self, model: type[M], key: tuple[Any, ...]) -> M | None:
        info = info_of(model)
        # There may be many variants of a model, which are to go when nobody else uses them.
        if "__handle__" not in model.__dict__:
            self._finders[model] = self._finder(info)
        record: M | None = self._find_any(info, key)
        return record

    def _find_any(self, info: ModelInfo, key: tuple[Any, ...]) -> Any:
        row = self._find(info, key)
        return None if row is None else info.load_one(row)

    def exists(self, model: type[Model], /, *key: Any) -> bool:
        """Whether a row has this primary key."""
        return self._find(info_of(model), key) is not None

    def refresh(self, record: Model) -> None:
        """Reads the record anew by its key. NoRecordError when it is not in the table."""
        info = info_of(type(record))
        row = _native.find(self._handle, info.handle, info.dump_key_of(record))
        if row is None:
            raise NoRecordError(
                f"{info.table} has no row with this key",
                code="CORM_E_NO_RECORD",
                table=info.table,
                hint="insert it first",
            )
        info.fill(record, row)

    def _find(self, info: ModelInfo, key: tuple[Any, ...]) -> _native.Row | None:
        return _native.find(self._handle, info.handle, info.dump_key(key))

    def _finder(self, info: ModelInfo) -> Callable[[int], Any]:
        """What finds by a key of one integer; without a reference to the database, which keeps it."""
        database = self._handle
        if info.plain_key:
            return _native.finder(database, info.handle, info.load_one)

        def find(value: int) -> Any:
            row = _native.find(database, info.handle, info.dump_key((value,)))
            return None if row is None else info.load_one(row)

        return find

    # properties: those to write besides the key; None means all, and so does update() without any.

    def _write_one(
        self, record: Model, operation: int, conflict: int = 0, properties: tuple[str, ...] | None = None
    ) -> int:
        info = info_of(type(record))
        rows = info.dump((record,), properties)
        items, count = _native.write(self._handle, info.handle, operation, conflict, properties or (), rows)
        if operation != _abi.CORM_WRITE_DELETE:
            info.take_back(record, items[0])
        return count

    def _write_many(
        self, records: Iterable[Model], operation: int, conflict: int = 0, properties: tuple[str, ...] | None = None
    ) -> int:
        source = iter(records)
        part, start, total = list(islice(source, _PART)), 0, 0
        made: list[tuple[list[Model], list[Any]]] = []
        cls = type(part[0]) if part else Model
        with Transaction(self) if len(part) == _PART else nullcontext():
            while part:
                items, count = self._write_part(cls, part, start, operation, conflict, properties)
                if operation != _abi.CORM_WRITE_DELETE and items.count(None) < len(items):
                    made.append((part, items))
                total, start = total + count, start + len(part)
                part = list(islice(source, _PART))
        # Only now is it certain that the rows stay.
        for part, items in made:
            take_back = cls.__model__.take_back
            for record, item in zip(part, items):
                take_back(record, item)
        return total

    def _write_part(
        self,
        cls: type[Model],
        part: list[Model],
        start: int,
        operation: int,
        conflict: int,
        properties: tuple[str, ...] | None,
    ) -> tuple[list[Any], int]:
        info = info_of(cls)
        if len(kinds := set(map(type, part))) > 1:
            names = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise ProgrammingError(f"the records are of several models: {names}", hint="write one model at a time")
        try:
            return _native.write(
                self._handle, info.handle, operation, conflict, properties or (), info.dump(part, properties)
            )
        except (IntegrityError, DataError, NoRecordError) as error:
            error.record_index = start + max(error.record_index, 0)
            raise


def conflict_number(name: str) -> int:
    if name not in _CONFLICTS:
        raise ProgrammingError(f"there is no conflict policy {name!r}", hint=f"use one of {', '.join(_CONFLICTS)}")
    return _CONFLICTS[name]
