"""Key-value stores: values by key, in the same file and the same transactions as models."""

from __future__ import annotations

import json
from collections.abc import Generator, ItemsView, Iterable, Iterator, Mapping, MutableMapping, ValuesView
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ._native import key_value as native_key_value
from ._native import result as native_result
from ._owner import Owner
from .error import DataError, Error, ProgrammingError
from .value import encode_json, type_name

if TYPE_CHECKING:
    from .database import Database

Expiry: TypeAlias = "datetime | timedelta | float | None"
"""When an entry stops being there: a time, or how long it lives (a number is seconds); None for never."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND: Final = timedelta(milliseconds=1)
# So many entries cross at once.
_PAGE: Final = 1_000
# What pop() is given when it is given none.
_RAISES: Final = object()
_PLAIN: Final = frozenset({type(None), int, float, str, bytes})


class StoreEntry(NamedTuple):
    """An entry of a store.

    version: another number after each write, for compare_and_set(). expires: when it stops being there; None for never.
    """

    key: str
    value: Any
    created: datetime
    updated: datetime
    expires: datetime | None
    version: int


class Store(Owner, MutableMapping[str, Any]):
    """A store of a database, by its name: a dict that lies in the file. Database.store() gives it.

    A key is any str. A value is None, an int, a float, a str or bytes, or what JSON holds: a bool, a dict, a list. It
    comes back as it went in. An entry may have a time at which it stops being there, see put().

    Each call is a transaction, or part of the one that its thread has open. Threads may share a store. Iterating reads
    a page at a time, so that entries may be put and deleted meanwhile; in a transaction it sees one state.
    """

    _instead = "copy its entries with dict(store.items()), and open it anew elsewhere"

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self.name = name
        self._handle = native_key_value.open_store(database._handle, name)

    def __repr__(self) -> str:
        return f"<Store {self.name!r} of {self._database!r}>"

    # --- One entry ---

    def __getitem__(self, key: str) -> Any:
        row = native_key_value.get(self._handle, _bytes(key))
        if row is None:
            raise KeyError(key)
        return _value((key, *row))

    def entry(self, key: str) -> StoreEntry | None:
        """The value with its times and version; None where there is none."""
        row = native_key_value.get(self._handle, _bytes(key))
        return None if row is None else _entry((key, *row))

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and native_key_value.contains(self._handle, _bytes(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self.put(key, value)

    def put(self, key: str, value: Any, *, expires: Expiry = None) -> None:
        """Writes a value in place of what the key has, its expiry too.

        DataError for a key or value that no store holds.
        """
        self._put([(key, value)], expires, None)

    def put_many(self, entries: Mapping[str, Any] | Iterable[tuple[str, Any]], *, expires: Expiry = None) -> None:
        """Writes entries in one transaction. An error has .record_index, and none is written."""
        pairs: Iterable[Any] = entries.items() if isinstance(entries, Mapping) else entries
        self._put(pairs, expires, None, is_batch=True)

    def compare_and_set(self, key: str, value: Any, version: int, *, expires: Expiry = None) -> bool:
        """put() where the entry has this version still, or is not there for 0; whether it was written."""
        return self._put([(key, value)], expires, version) == 1

    def __delitem__(self, key: str) -> None:
        if not self.delete(key):
            raise KeyError(key)

    def delete(self, key: str) -> bool:
        """Deletes an entry; whether there was one."""
        return native_key_value.delete(self._handle, _bytes(key))

    def pop(self, key: str, default: Any = _RAISES) -> Any:
        """As of a dict: the value, whose entry is deleted; without one the default, or KeyError."""
        if key in self:
            with self._together(), suppress(KeyError):
                value = self[key]
                if self.delete(key):
                    return value
        if default is _RAISES:
            _bytes(key)
            raise KeyError(key)
        return default

    def popitem(self) -> tuple[str, Any]:
        """As of a dict, of the entry with the first key."""
        if any(True for _ in self.scan(limit=1)):
            with self._together():
                for row in self._rows({}, 1):
                    self.delete(row[0])
                    return row[0], _value(row)
        raise KeyError(f"the store {self.name!r} is empty")

    def setdefault(self, key: str, default: Any = None) -> Any:
        """As of a dict: the value, or else the default, which is put."""
        entry = self.entry(key)
        if entry is not None:
            return entry.value
        with self._together():
            return super().setdefault(key, default)

    def _together(self) -> AbstractContextManager[object]:
        """A transaction; where raw SQL has begun one, that."""
        database = self._database
        is_raw = not database.transaction_depth and native_result.in_transaction(database._handle)
        return nullcontext() if is_raw else database.transaction()

    # --- Many ---

    def scan(
        self,
        *,
        prefix: str | None = None,
        start: str | None = None,
        end: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> Iterator[StoreEntry]:
        """Entries in the order of their keys' UTF-8, as they come.

        prefix: keys that begin with it. start: the first key. end: the key before which it stops. after: the last key
        of the page before. limit: how many at most.
        """
        if limit is not None and limit < 0:
            raise ProgrammingError("limit is below 0", hint="give None for all")
        return map(_entry, self._rows(_range(prefix, start, end, after), limit))

    def __iter__(self) -> Iterator[str]:
        return (row[0] for row in self._rows({}, None))

    def items(self) -> ItemsView[str, Any]:
        """Keys and values, in the order of the keys."""
        return _Items(self)

    def values(self) -> ValuesView[Any]:
        """Values, in the order of their keys."""
        return _Values(self)

    def __len__(self) -> int:
        return self.count()

    def count(
        self, *, prefix: str | None = None, start: str | None = None, end: str | None = None, after: str | None = None
    ) -> int:
        """How many entries a range has; see scan()."""
        return native_key_value.count(self._handle, _range(prefix, start, end, after))

    def update(self, *others: Any, **entries: Any) -> None:
        """As of a dict, in one transaction."""
        self.put_many(dict(*others, **entries))

    def clear(
        self, *, prefix: str | None = None, start: str | None = None, end: str | None = None, after: str | None = None
    ) -> None:
        """Deletes the entries of a range, all without one; see scan()."""
        native_key_value.clear(self._handle, _range(prefix, start, end, after))

    def purge(self) -> int:
        """Deletes what has expired, which is never seen but takes room; how many rows went."""
        return native_key_value.purge(self._handle)

    def adopt(self, table: str) -> int:
        """Copies the entries of a table that YTKKeyValueStore made; how many.

        The table stays as it is, and so do entries that the store has already: a second call copies what is new.
        """
        return native_key_value.adopt(self._handle, table)

    def _put(
        self, entries: Iterable[tuple[str, Any]], expires: Expiry, version: int | None, *, is_batch: bool = False
    ) -> int:
        time = _time(expires)
        rows = [_put_row(key, value, time, version, index) for index, (key, value) in enumerate(entries)]
        try:
            return native_key_value.put(self._handle, rows) if rows else 0
        except Error as error:
            # One alone is written as put() writes it.
            if is_batch and len(rows) == 1:
                error.record_index = 0
            raise

    def _rows(self, members: dict[str, bytes], limit: int | None) -> Generator[tuple[Any, ...]]:
        members = dict(members)
        while limit is None or limit > 0:
            wanted = _PAGE if limit is None else min(limit, _PAGE)
            rows = native_key_value.scan(self._handle, members, wanted)
            yield from rows
            if len(rows) < wanted:
                return
            members["after"] = rows[-1][0].encode()
            limit = None if limit is None else limit - wanted


class _Items(ItemsView[str, Any]):
    _mapping: Store

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return ((row[0], _value(row)) for row in self._mapping._rows({}, None))


class _Values(ValuesView[Any]):
    _mapping: Store

    def __iter__(self) -> Iterator[Any]:
        return (_value(row) for row in self._mapping._rows({}, None))


def store(database: Database, name: str) -> Store:
    """The store of a name, which needs no making: it is there once something is put into it.

    ProgrammingError (CORM_E_SCHEMA) when the file's table corm_key_value is another program's.
    """
    return Store(database, name)


def _value(row: tuple[Any, ...]) -> Any:
    if not row[2]:
        return row[1]
    try:
        return json.loads(row[1])
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(
            f"the value of key {row[0]!r} is no JSON: {error}",
            code="CORM_E_JSON",
            hint="the file was damaged, or written by another program; put the value anew",
        ) from None


def _entry(row: tuple[Any, ...]) -> StoreEntry:
    key, _, _, created, updated, expires, version = row
    return StoreEntry(
        key,
        _value(row),
        _datetime(created),
        _datetime(updated),
        None if expires is None else _datetime(expires),
        version,
    )


def _datetime(milliseconds: int) -> datetime:
    try:
        return _EPOCH + milliseconds * _MILLISECOND
    except OverflowError:  # C may say it
        return datetime.max.replace(tzinfo=timezone.utc)


def _bytes(key: str) -> bytes:
    try:
        return key.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"the key is not valid Unicode: {error}", code="CORM_E_ENCODING") from None
    except AttributeError:
        raise _wrong_key(key, -1) from None


def _wrong_key(key: object, index: int) -> DataError:
    return DataError(
        f"a key is of type {type(key).__name__}", code="CORM_E_TYPE", hint="give a str", record_index=index
    )


def _range(prefix: str | None, start: str | None, end: str | None, after: str | None) -> dict[str, bytes]:
    texts = {"prefix": prefix, "start": start, "end": end, "after": after}
    return {name: _bytes(text) for name, text in texts.items() if text is not None}


def _time(expires: Expiry) -> int | None:
    if expires is None:
        return None
    if isinstance(expires, datetime):
        if expires.tzinfo is None:
            raise DataError(
                "the expiry has no time zone", code="CORM_E_TYPE", hint="give it one, or say how long the entry lives"
            )
        return (expires - _EPOCH) // _MILLISECOND
    try:
        milliseconds = int(expires / _MILLISECOND if isinstance(expires, timedelta) else expires * 1000)
    except OverflowError:  # An infinity, of a number: timedeltas have none.
        milliseconds = 2**63 if expires > 0 else -(2**63)  # type: ignore[operator]
    except ValueError:  # NaN
        milliseconds = 0
    # ctypes would cut it.
    return native_key_value.expiry(min(max(milliseconds, -(2**63)), 2**63 - 1))


def _put_row(key: str, value: Any, expires: int | None, version: int | None, index: int) -> native_key_value.PutRow:
    if type(key) is not str:
        if not isinstance(key, str):
            raise _wrong_key(key, index)
        key = str(key)
    if type(value) in _PLAIN:
        if value != value:
            hint = "put None where a number is missing"
            raise DataError(
                "the value is NaN, which cannot be stored", code="CORM_E_RANGE", hint=hint, record_index=index
            )
        return key, False, expires, version, value
    if isinstance(value, bool | dict | list):
        try:
            return key, True, expires, version, encode_json(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise DataError(f"the value is no JSON: {error}", code="CORM_E_JSON", record_index=index) from None
    raise DataError(
        f"a value is of type {type_name(value)}",
        code="CORM_E_TYPE",
        hint="give None, int, float, str, bytes, bool, dict or list",
        record_index=index,
    )
