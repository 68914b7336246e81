"""Values: which Python type goes into which column, and how it is written at the boundary."""

from __future__ import annotations

import json
import marshal
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Final, NamedTuple, TypeAlias

from . import _abi
from .error import DataError, ProgrammingError

Json: TypeAlias = Any
"""The annotation of a JSON column that may hold anything: `Column[Json]`. dict and list do as well."""

Bindings: TypeAlias = Sequence[Any] | Mapping[str, Any]
"""Values of a statement: by position, or by name with or without `:`, `@` or `$`."""


class Transform(NamedTuple):
    """Own conversion of a column: encode gives what is stored, decode takes it back. Neither sees None."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND: Final = timedelta(microseconds=1)


def _encode_datetime(value: datetime) -> int:
    if not isinstance(value, datetime):
        raise TypeError(f"expected a datetime, got {type(value).__name__}")
    if value.tzinfo is None or value.utcoffset() is None:
        raise TypeError("the datetime has no time zone: give it one, such as datetime.now(timezone.utc)")
    return (value - _EPOCH) // _MICROSECOND


def _decode_datetime(value: int) -> datetime:
    return _EPOCH + timedelta(microseconds=value)


def _encode_uuid(value: uuid.UUID) -> str:
    if not isinstance(value, uuid.UUID):
        raise TypeError(f"expected a UUID, got {type(value).__name__}")
    return str(value)


def _encode_decimal(value: Decimal) -> str:
    if not isinstance(value, Decimal):
        raise TypeError(f"expected a Decimal, got {type(value).__name__}")
    # str() writes small numbers as 1E-21; the other faces and people write and expect the digits.
    return format(value, "f") if -100 < value.adjusted() < 100 and value.is_finite() else str(value)


_json_encoder: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class ColumnType(NamedTuple):
    """A column type: its number, and its conversion; None where rows hold the value itself."""

    number: int
    transform: Transform | None = None


COLUMN_TYPES: Final[dict[str, ColumnType]] = {
    "int64": ColumnType(_abi.CORM_INT64),
    "int32": ColumnType(_abi.CORM_INT32),
    "bool": ColumnType(_abi.CORM_BOOL),
    "double": ColumnType(_abi.CORM_DOUBLE),
    "float": ColumnType(_abi.CORM_FLOAT),
    "text": ColumnType(_abi.CORM_TEXT),
    "varchar": ColumnType(_abi.CORM_VARCHAR),
    "blob": ColumnType(_abi.CORM_BLOB),
    "datetime": ColumnType(_abi.CORM_DATETIME, Transform(_encode_datetime, _decode_datetime)),
    "uuid": ColumnType(_abi.CORM_UUID, Transform(_encode_uuid, uuid.UUID)),
    "decimal": ColumnType(_abi.CORM_DECIMAL, Transform(_encode_decimal, Decimal)),
    "json": ColumnType(_abi.CORM_JSON, Transform(_json_encoder.encode, json.loads)),
}

PYTHON_TYPES: Final[dict[Any, str]] = {
    int: "int64",
    bool: "bool",
    float: "double",
    str: "text",
    bytes: "blob",
    datetime: "datetime",
    uuid.UUID: "uuid",
    Decimal: "decimal",
    dict: "json",
    list: "json",
    Any: "json",
}


PLAIN: Final = frozenset({type(None), bool, int, float, str, bytes})
"""Types whose values SQL holds as they are."""


def plain_value(value: Any) -> Any:
    """A value as the file holds it, where nothing but its own type says how."""
    if type(value) in PLAIN:
        return value
    for kind in (datetime, uuid.UUID, Decimal):
        if isinstance(value, kind):
            name = PYTHON_TYPES[kind]
            transform = COLUMN_TYPES[name].transform
            assert transform is not None
            try:
                return file_value(name, transform.encode(value))
            except TypeError as error:
                raise DataError(str(error), code="CORM_E_TYPE") from None
    raise DataError(
        f"a value of type {type(value).__name__} stands where SQL takes none",
        code="CORM_E_TYPE",
        hint="give None, int, float, str, bytes, bool, datetime, UUID or Decimal, or stand it beside its column",
    )


def file_value(type_name: str, value: Any) -> Any:
    """A value of a row in the form that the file has."""
    if type_name == "datetime" and type(value) is int:
        return _decode_datetime(value).replace(tzinfo=None).isoformat(" ")
    return value


def _microseconds(text: str) -> int:
    moment = datetime.fromisoformat(text)
    return ((moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)) - _EPOCH) // _MICROSECOND


# What makes the file's form of a value that of rows, where the two differ.
_FROM_FILE: Final[dict[str, Callable[[Any], Any]]] = {"bool": bool, "datetime": _microseconds}


def file_decoder(type_name: str, transform: Transform | None) -> Callable[[Any], Any] | None:
    """What decodes a column's value from the form that the file has; None where that is the value itself."""
    read = _FROM_FILE.get(type_name)
    if read is None or transform is None:
        return read or (transform.decode if transform else None)
    decode = transform.decode
    return lambda value: decode(read(value))


def dump_bindings(bindings: Bindings, as_list: bool = False) -> bytes | None:
    """Bindings of one run, or a list of them; None for none."""
    if not bindings:
        return None
    row = _binding_row(bindings)
    try:
        return marshal.dumps([row] if as_list else row, 2)
    except ValueError:
        raise _unbindable(row, -1) from None


def dump_parameters(values: dict[str, Any], encoders: Mapping[str, Callable[[Any], Any]]) -> bytes:
    """Values of a query's parameters; `encoders` has what encodes some of them."""
    if not encoders:
        with suppress(ValueError):  # one of them is to be encoded by its type
            return marshal.dumps(values, 2)
    return marshal.dumps({name: encoders.get(name, plain_value)(value) for name, value in values.items()}, 2)


def dump_binding_rows(rows: Sequence[Bindings]) -> bytes:
    """Bindings of many runs."""
    if not set(map(type, rows)) <= {tuple, dict}:
        rows = [_binding_row(row) for row in rows]
    try:
        return marshal.dumps(rows if type(rows) is list else list(rows), 2)
    except ValueError:
        for index, row in enumerate(rows):
            if not can_dump(row):
                raise _unbindable(row, index) from None
        raise


def can_dump(value: Any) -> bool:
    """Whether marshal takes a value, so that the library can judge it."""
    try:
        marshal.dumps(value, 2)
    except ValueError:
        return False
    return True


def _binding_row(bindings: Bindings) -> tuple[Any, ...] | dict[str, Any]:
    if isinstance(bindings, Mapping):
        return dict(bindings)
    if isinstance(bindings, str | bytes):
        raise ProgrammingError("the bindings are one text", code="CORM_E_BINDING", hint="write (value,) for one value")
    return tuple(bindings)


def _unbindable(row: Bindings, index: int) -> DataError:
    named = row.items() if isinstance(row, Mapping) else enumerate(row, 1)
    name, value = next((name, value) for name, value in named if not can_dump(value))
    return DataError(
        f"binding {name} is of type {type(value).__name__}",
        code="CORM_E_TYPE",
        hint="bind None, int, float, str, bytes or bool",
        record_index=index,
    )
