"""Values: which Python type goes into which column, and how it is written at the boundary."""

from __future__ import annotations

import json
import marshal
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ._native import abi
from ._native.database import is_plain
from ._text_option import refuse_no_names
from .error import DataError, ProgrammingError

if TYPE_CHECKING:
    from typing_extensions import Self

Json: TypeAlias = Any
"""The annotation of a JSON column that may hold anything: `Column[Json]`. dict and list do as well."""


class _JsonNull:
    def __repr__(self) -> str:
        return "JSON_NULL"

    def __bool__(self) -> bool:
        return False

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> str:
        return "JSON_NULL"


JSON_NULL: Final[Any] = _JsonNull()
"""JSON's null in a JSON column that may be NULL, where None is NULL. It is falsy."""

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
        raise TypeError(f"expected a datetime, got {type_name(value)}")
    if type(value) is not datetime:
        _refuse_of_pandas(value)
    if value.tzinfo is None or value.utcoffset() is None:
        raise TypeError(
            "the datetime has no time zone: give it one, such as datetime.now(timezone.utc), or the column a transform "
            "that knows it (cookbook, Local times)"
        )
    return (value - _EPOCH) // _MICROSECOND


def _refuse_of_pandas(value: Any) -> None:
    """A datetime of a type of its own may be none, or finer than microseconds."""
    if value != value:
        raise TypeError(f"{value} is no time: give None")
    if getattr(value, "nanosecond", 0) or getattr(value, "nanoseconds", 0):
        raise ValueError("the time is finer than microseconds: round it, such as with value.round('us')")


def _decode_datetime(value: int) -> datetime:
    return _EPOCH + timedelta(microseconds=value)


def encode_offset_datetime(value: datetime) -> str:
    """ISO 8601, offset and all."""
    _encode_datetime(value)  # refuses what is none, and what has no zone
    offset = value.utcoffset()
    if offset is not None and offset.microseconds:
        raise ValueError("the datetime's offset from UTC has a fraction of a second, which no column keeps")
    return value.isoformat()


def _offset_datetime(text: str) -> str:
    """ISO 8601 of the form that the file has: the time in UTC, and the offset behind it."""
    zone = datetime.fromisoformat(f"1970-01-01T00:00:00{text[28:-1]}").tzinfo
    return datetime.fromisoformat(f"{text[:26]}+00:00").astimezone(zone).isoformat()


_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()


def _encode_date(value: date) -> int:
    if isinstance(value, datetime) or not isinstance(value, date):
        hint = ": give its date()" if isinstance(value, datetime) else ""
        raise TypeError(f"expected a date, got {type_name(value)}{hint}")
    return value.toordinal() - _EPOCH_DAY


def _decode_date(value: int) -> date:
    return date.fromordinal(value + _EPOCH_DAY)


def _encode_time(value: time) -> int:
    if not isinstance(value, time):
        raise TypeError(f"expected a time, got {type_name(value)}")
    if value.tzinfo is not None:
        raise TypeError("a time of day has a time zone, which no column of times keeps: give it without")
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * 1_000_000 + value.microsecond


def _decode_time(value: int) -> time:
    seconds, microsecond = divmod(value, 1_000_000)
    minutes, second = divmod(seconds, 60)
    return time(minutes // 60, minutes % 60, second, microsecond)


def _encode_duration(value: timedelta) -> int:
    if not isinstance(value, timedelta):
        raise TypeError(f"expected a timedelta, got {type_name(value)}")
    if type(value) is not timedelta:
        _refuse_of_pandas(value)
    microseconds = value // _MICROSECOND
    if not -(2**63) <= microseconds < 2**63:
        raise ValueError("the timedelta is beyond 64 bits of microseconds: give one of less than 292,000 years")
    return microseconds


def _decode_duration(value: int) -> timedelta:
    return timedelta(microseconds=value)


def _encode_uuid(value: uuid.UUID) -> str:
    if not isinstance(value, uuid.UUID):
        raise TypeError(f"expected a UUID, got {type_name(value)}")
    return str(value)


def _encode_decimal(value: Decimal) -> str:
    if not isinstance(value, Decimal):
        raise TypeError(f"expected a Decimal, got {type_name(value)}")
    # str() writes small numbers as 1E-21; the other faces and people write and expect the digits.
    return format(value, "f") if -100 < value.adjusted() < 100 and value.is_finite() else str(value)


_json_encoder: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode_json(value: Any) -> str:
    if value is JSON_NULL:
        return "null"
    text = _json_encoder.encode(value)
    # Other keys would come back as texts. What json takes has no circles.
    pending = [value]
    for item in pending:
        if isinstance(item, dict):
            for key in item:
                if not isinstance(key, str):
                    raise TypeError(f"a key of JSON is a text, and {key!r} is none")
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
    return text


def decode_json(text: Any) -> Any:
    return json.loads(text)


def _decode_optional_json(text: Any) -> Any:
    value = json.loads(text)
    return JSON_NULL if value is None else value


class ColumnType(NamedTuple):
    """A column type: its number, and its conversion; None where rows hold the value itself."""

    number: int
    transform: Transform | None = None


COLUMN_TYPES: Final[dict[str, ColumnType]] = {
    "int64": ColumnType(abi.CORM_INT64),
    "int32": ColumnType(abi.CORM_INT32),
    "bool": ColumnType(abi.CORM_BOOL),
    "double": ColumnType(abi.CORM_DOUBLE),
    "float": ColumnType(abi.CORM_FLOAT),
    "text": ColumnType(abi.CORM_TEXT),
    "varchar": ColumnType(abi.CORM_VARCHAR),
    "blob": ColumnType(abi.CORM_BLOB),
    "datetime": ColumnType(abi.CORM_DATETIME, Transform(_encode_datetime, _decode_datetime)),
    "date": ColumnType(abi.CORM_DATE, Transform(_encode_date, _decode_date)),
    "time": ColumnType(abi.CORM_TIME, Transform(_encode_time, _decode_time)),
    "offset_datetime": ColumnType(abi.CORM_OFFSET_DATETIME, Transform(encode_offset_datetime, datetime.fromisoformat)),
    "duration": ColumnType(abi.CORM_DURATION, Transform(_encode_duration, _decode_duration)),
    "uuid": ColumnType(abi.CORM_UUID, Transform(_encode_uuid, uuid.UUID)),
    "decimal": ColumnType(abi.CORM_DECIMAL, Transform(_encode_decimal, Decimal)),
    "json": ColumnType(abi.CORM_JSON, Transform(encode_json, decode_json)),
}

OPTIONAL_JSON: Final = Transform(encode_json, _decode_optional_json)
"""Of a JSON column that may be NULL."""

PYTHON_TYPES: Final[dict[Any, str]] = {
    int: "int64",
    bool: "bool",
    float: "double",
    str: "text",
    bytes: "blob",
    datetime: "datetime",
    date: "date",
    time: "time",
    timedelta: "duration",
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
    for kind in (datetime, date, time, timedelta, uuid.UUID, Decimal):
        if isinstance(value, kind):
            name = PYTHON_TYPES[kind]
            transform = COLUMN_TYPES[name].transform
            assert transform is not None
            try:
                return file_value(name, transform.encode(value))
            except (TypeError, ValueError) as error:
                code = "CORM_E_TYPE" if isinstance(error, TypeError) else "CORM_E_RANGE"
                raise DataError(str(error), code=code) from None
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    plain = as_plain(value)
    if type(plain) in PLAIN:
        return plain
    hint = "give None, int, float, str, bytes, bool, datetime, date, time, timedelta, UUID or Decimal, "
    hint += "or stand it beside its column"
    if hasattr(value, "__model__"):
        hint = "compare a relation, such as Album.artist == artist, or a key, such as Album.artist_id == artist.id, "
        hint += "and select columns, such as select(Order.id)"
    elif isinstance(value, type):
        hint = "give a value, not a class"
    elif isinstance(value, Enum):
        hint = f"give {type(value).__name__}.{value.name}.value, or stand it beside its column"
    elif isinstance(value, list | tuple | set | frozenset | dict):
        hint = "give one value, ask column.in_(values) for several, or stand JSON beside its column"
    raise DataError(f"a value is of type {type_name(value)}, which SQL has not", code="CORM_E_TYPE", hint=hint)


def as_plain(value: Any) -> Any:
    """A number, text or blob of a type of its own, such as numpy's or an IntEnum's, as Python's own."""
    if type(value) in PLAIN:
        return value
    # numpy's, which is not imported for this.
    if getattr(value, "shape", None) == () and hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()
        if type(value) in PLAIN:
            return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return bytes(value)
    return next((kind(value) for kind in (int, float) if isinstance(value, kind)), value)


def type_name(value: object) -> str:
    """A type's name for messages: with its module, but for Python's own."""
    kind = value if isinstance(value, type) else type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def file_value(type_name: str, value: Any) -> Any:
    """A value of a row in the form that the file has."""
    if type_name == "datetime" and type(value) is int:
        try:
            return _decode_datetime(value).replace(tzinfo=None).isoformat(" ")
        except OverflowError:  # a time that its own zone takes there
            raise DataError(
                "a time is beyond the years 1 to 9999 in UTC", code="CORM_E_RANGE", hint="give a time within them"
            ) from None
    if type_name in ("date", "time") and type(value) is int:
        return str(_decode_date(value) if type_name == "date" else _decode_time(value))
    if type_name == "offset_datetime" and type(value) is str:
        # What is no such time the library refuses.
        with suppress(ValueError):
            return _file_offset_datetime(datetime.fromisoformat(value))
    return value


def _file_offset_datetime(value: datetime) -> str:
    """The time in UTC, and the offset behind it."""
    offset = value.utcoffset()
    if offset is None:
        raise ValueError("the datetime has no offset")
    try:
        moment = value.replace(tzinfo=None) - offset
    except OverflowError:
        raise DataError(
            "a time is beyond the years 1 to 9999 in UTC", code="CORM_E_RANGE", hint="give a time within them"
        ) from None
    return f"{moment.isoformat(' ', 'microseconds')}Z[{value.isoformat(timespec='microseconds')[26:]}]"


def _microseconds(text: str) -> int:
    # An offset datetime is a moment, too.
    moment = datetime.fromisoformat(_offset_datetime(text) if text.endswith("]") else text)
    return ((moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)) - _EPOCH) // _MICROSECOND


# What makes the file's form of a value that of rows, where the two differ.
_FROM_FILE: Final[dict[str, Callable[[Any], Any]]] = {
    "bool": bool,
    "datetime": _microseconds,
    "date": lambda text: _encode_date(date.fromisoformat(text)),
    "time": lambda text: _encode_time(time.fromisoformat(text)),
    "offset_datetime": _offset_datetime,
}


def file_decoder(type_name: str, transform: Transform | None) -> Callable[[Any], Any] | None:
    """What decodes a column's value from the form that the file has; None where that is the value itself."""
    read = _FROM_FILE.get(type_name)
    if read is None or transform is None:
        return read or (transform.decode if transform else None)
    decode = transform.decode
    return lambda value: decode(read(value))


def dump_bindings(bindings: Bindings, as_list: bool = False, plain: Callable[[Any], Any] = plain_value) -> bytes | None:
    """Bindings of one run, or a list of them; None for none. `plain` makes of a value what SQL holds as it is."""
    if not bindings:
        return None
    row = _binding_row(bindings, -1, plain)
    return marshal.dumps([row] if as_list else row, 2)


def dump_parameters(values: Mapping[str, Any], encoders: Mapping[str, Callable[[Any], Any]]) -> bytes:
    """Values of a query's parameters; `encoders` has what encodes some of them."""
    if not encoders and PLAIN.issuperset(map(type, values.values())):
        return marshal.dumps(dict(values), 2)
    plain = {
        name: encoders[name](value) if name in encoders else named_value(f"parameter {name!r}", value, -1)
        for name, value in values.items()
    }
    return marshal.dumps(plain, 2)


def dump_binding_rows(rows: Sequence[Bindings], plain: Callable[[Any], Any] = plain_value) -> bytes:
    """Bindings of many runs."""
    if type(rows) is not list:
        rows = list(rows)
    if set(map(type, rows)) == {tuple}:
        # What marshal does not take is named below, and so is what it would take for a blob, as numbers of numpy.
        with suppress(ValueError):
            data = marshal.dumps(rows, 2)
            if is_plain(data) or PLAIN.issuperset(map(type, chain.from_iterable(rows))):
                return data
    return marshal.dumps([_binding_row(row, index, plain) for index, row in enumerate(rows)], 2)


def can_dump(value: Any) -> bool:
    """Whether marshal takes a value, so that the library can judge it."""
    try:
        marshal.dumps(value, 2)
    except ValueError:
        return False
    return True


def _binding_row(
    bindings: Bindings, index: int, plain: Callable[[Any], Any]
) -> tuple[Any, ...] | list[Any] | dict[Any, Any]:
    kind = type(bindings)
    if kind is tuple or kind is list:
        values: Any = bindings
    elif isinstance(bindings, Mapping):
        refuse_no_names("bindings by name are a dict of names and values", bindings)
        if PLAIN.issuperset(map(type, bindings.values())):
            return dict(bindings)
        return {name: named_value(f"binding {name}", value, index, plain) for name, value in bindings.items()}
    elif isinstance(bindings, str | bytes) or not isinstance(bindings, Iterable):
        what = "text" if isinstance(bindings, str | bytes) else type_name(bindings)
        raise ProgrammingError(
            f"the bindings are one {what}", code="CORM_E_BINDING", hint="write (value,) for one value"
        )
    elif isinstance(bindings, Set):
        raise ProgrammingError(
            "the bindings are a set, which has no order", code="CORM_E_BINDING", hint="give a tuple or a list"
        )
    else:
        values = tuple(bindings)
    try:
        return tuple(map(plain, values))
    except DataError:
        return tuple(named_value(f"binding {number}", value, index, plain) for number, value in enumerate(values, 1))


def named_value(name: str, value: Any, index: int = -1, plain: Callable[[Any], Any] = plain_value) -> Any:
    """plain(value), whose error says what the value is of."""
    try:
        return plain(value)
    except DataError as error:
        raise DataError(f"{name}: {error.message}", code=error.code, hint=error.hint, record_index=index) from None
