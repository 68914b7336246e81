"""Columns of Arrow written as records."""

from __future__ import annotations

import importlib
import marshal
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal

from ._inheritance import refuse_unreadable
from ._model_info import ModelInfo, info_of
from ._native import record as native_record
from ._path import is_url
from ._write import Conflict, conflict_number
from .column import MISSING, Column
from .error import DataError, Error, ProgrammingError, count_from
from .transaction import Transaction
from .value import encode_json

if TYPE_CHECKING:
    from .database import Database
    from .model import Model

# So many rows cross at once.
_PART = 10_000


def insert_arrow(database: Database, model: type[Model], table: Any, conflict: Conflict = "abort") -> int:
    """Inserts the rows of an Arrow table or stream in one transaction; how many went in. The first error takes back
    all.

    table: of pyarrow, pandas, polars, duckdb, a result of a query: whatever has __arrow_c_stream__. Its columns are
    those of the model by property or by name in the table: one that the model has not is refused, one that is missing
    has its default, or None. Times without a zone are UTC. What would be cut, such as a fraction in a column of
    integers or a time finer than microseconds, raises DataError. No record is made, so that a column with a transform
    takes what it stores, and a computed one is left out. Needs pyarrow.
    """
    try:
        pyarrow: Any = importlib.import_module("pyarrow")
    except ImportError:
        raise ImportError("pyarrow is not installed; install it with: pip install pyarrow") from None
    info = info_of(model)
    if hooks := info.row_hooks:
        hooks.refuse_rows("the table would be written", "make records of its rows, and insert these")
    if not hasattr(table, "__arrow_c_stream__"):
        raise ProgrammingError(
            f"{type(table).__name__} has no columns of Arrow",
            hint="give a table or a stream, such as pyarrow.table(...)",
        )
    stream = pyarrow.RecordBatchReader.from_stream(table)
    sources = _sources(info, stream.schema.names)
    number, written, start = conflict_number(conflict), 0, 0
    is_part = not is_url(database.path)
    with Transaction(database):
        for batch in _parts(stream):
            try:
                columns = [_values(pyarrow, info, *each, batch) for each in zip(info.columns, sources)]
                values = list(zip(*columns))
                refuse_unreadable(model, values)
                rows = marshal.dumps(values, 2)
                written += native_record.insert_rows(database._handle, info.handle, number, rows, is_part)
            except Error as error:
                count_from(start, error, batch.num_rows)
                raise
            start += batch.num_rows
    return written


def _parts(stream: Any) -> Iterator[Any]:
    for batch in stream:
        for begin in range(0, batch.num_rows, _PART):
            yield batch.slice(begin, _PART)


def _sources(info: ModelInfo, names: Sequence[str]) -> list[int | None]:
    """Where in the table each column of the model is."""
    places: dict[str, int] = {}
    for index, name in enumerate(names):
        # A property's name before another one's column.
        matches = [item for item in info.columns if name == item.name]
        matches += [item for item in info.columns if name == item.column_name]
        column = matches[0] if matches else None
        if column is None:
            known = ", ".join(item.name for item in info.columns)
            raise ProgrammingError(f"{info.name} has no column {name!r}", hint=f"it has {known}; drop or rename it")
        if column.name in places:
            raise ProgrammingError(f"two columns of the table are {info.name}.{column.name}", hint="drop one of them")
        places[column.name] = index
    return [places.get(column.name) for column in info.columns]


def _values(pyarrow: Any, info: ModelInfo, column: Column[Any], source: int | None, batch: Any) -> Iterable[Any]:
    """The values of a column as rows have them."""
    if source is None:
        return _defaults(info, column, batch.num_rows)
    array = batch.column(source)
    kind = array.type
    try:
        array = _plain(pyarrow, array)
        kind = array.type
        values = [None] * len(array) if pyarrow.types.is_null(kind) else _READERS[column.type_name](pyarrow, array)
    except (pyarrow.ArrowException, ValueError, TypeError):
        values = None
    if values is None:
        raise DataError(
            f"{info.name}.{column.name}: values of Arrow's type {kind} do not go into a column of type "
            f"{column.type_name}, or not without loss",
            code="CORM_E_TYPE",
            hint="cast them first, such as with pyarrow.compute.cast()",
            table=info.table,
            columns=(column.column_name,),
        )
    if column._choices:
        _refuse_other_values(info, column, values)
    return values


def _refuse_other_values(info: ModelInfo, column: Column[Any], values: Iterable[Any]) -> None:
    """What is none of the values of an enum or a Literal could not be read."""
    assert column.transform is not None
    known = dict.fromkeys(values)
    known.pop(None, None)
    for value in known:
        try:
            column.transform.decode(value)
        except Exception as error:
            raise DataError(
                f"{info.name}.{column.name}: {value!r}: {error}",
                code="CORM_E_TYPE",
                hint="give what the column stores, the values of its members",
                table=info.table,
                columns=(column.column_name,),
            ) from None


def _plain(pyarrow: Any, array: Any) -> Any:
    """The values themselves, where an array is of codes for them, of a type of somebody's, or of views."""
    types = pyarrow.types
    if types.is_dictionary(array.type):
        array = pyarrow.DictionaryArray.from_arrays(array.indices, _plain(pyarrow, array.dictionary))
        return array.dictionary_decode()
    if isinstance(array, pyarrow.ExtensionArray):
        array = array.storage
    if types.is_binary_view(array.type):
        return array.cast(pyarrow.large_binary())
    return array.cast(pyarrow.large_string()) if types.is_string_view(array.type) else array


def _defaults(info: ModelInfo, column: Column[Any], count: int) -> Iterable[Any]:
    options, encode = column._options, info.encode_values[column.name]
    if (factory := options.get("default_factory", MISSING)) is not MISSING:
        return [encode(factory()) for _ in range(count)]
    default = options.get("default", MISSING)
    return repeat(None if default is MISSING else encode(default), count)


# What makes the values of an array those of a column of a type; None where there is no way.
_Reader = Callable[[Any, Any], "list[Any] | None"]


def _numbers(array: Any, code: Literal["q", "d"]) -> list[Any]:
    """The values of an array of 8 bytes each."""
    if array.null_count:
        values: list[Any] = array.to_pylist()
        return values
    numbers: memoryview[Any] = memoryview(array.buffers()[1]).cast(code)
    return numbers[array.offset : array.offset + len(array)].tolist()


def _integers(pyarrow: Any, array: Any) -> list[Any] | None:
    types = pyarrow.types
    if not (types.is_integer(array.type) or types.is_floating(array.type) or types.is_decimal(array.type)):
        return None
    return _numbers(array.cast(pyarrow.int64()), "q")


def _truths(pyarrow: Any, array: Any) -> list[Any] | None:
    # The library refuses other numbers than 0 and 1.
    return array.to_pylist() if pyarrow.types.is_boolean(array.type) else _integers(pyarrow, array)


def _reals(pyarrow: Any, array: Any) -> list[Any] | None:
    types = pyarrow.types
    if types.is_decimal(array.type):
        values = array.to_pylist()
        reals = [None if value is None else float(value) for value in values]
        # Of more digits than a float tells apart.
        same = all(value is None or Decimal(repr(real)) == value for real, value in zip(reals, values))
        return reals if same else None
    if not (types.is_integer(array.type) or types.is_floating(array.type)):
        return None
    return _numbers(array.cast(pyarrow.float64()), "d")


def _is_text(pyarrow: Any, kind: Any) -> bool:
    types = pyarrow.types
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_blob(pyarrow: Any, kind: Any) -> bool:
    types = pyarrow.types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


def _texts(pyarrow: Any, array: Any) -> list[Any] | None:
    return array.to_pylist() if _is_text(pyarrow, array.type) else None


def _blobs(pyarrow: Any, array: Any) -> list[Any] | None:
    return array.to_pylist() if _is_blob(pyarrow, array.type) else None


def _times(pyarrow: Any, array: Any) -> list[Any] | None:
    if not (pyarrow.types.is_timestamp(array.type) or pyarrow.types.is_date(array.type)):
        return None
    zone = getattr(array.type, "tz", None)
    return _numbers(array.cast(pyarrow.timestamp("us", zone)).cast(pyarrow.int64()), "q")


def _offset_times(pyarrow: Any, array: Any) -> list[Any] | None:
    """Of an array with a time zone, whose offset then it is; of ISO 8601."""
    if _is_text(pyarrow, array.type):
        return _texts(pyarrow, array)
    if getattr(array.type, "tz", None) is None:
        return None
    values = array.cast(pyarrow.timestamp("us", array.type.tz)).to_pylist()
    return [None if value is None else value.isoformat() for value in values]


def _dates(pyarrow: Any, array: Any) -> list[Any] | None:
    if not (pyarrow.types.is_timestamp(array.type) or pyarrow.types.is_date(array.type)):
        return None
    if getattr(array.type, "tz", None) is not None:
        # The day is that of its zone.
        array = importlib.import_module("pyarrow.compute").local_timestamp(array)
    dates = array.cast(pyarrow.date32())
    if pyarrow.types.is_timestamp(array.type) and not dates.cast(array.type).equals(array):
        return None
    days: list[Any] = dates.cast(pyarrow.int32()).to_pylist()
    return days


def _times_of_day(pyarrow: Any, array: Any) -> list[Any] | None:
    if not pyarrow.types.is_time(array.type):
        return None
    return _numbers(array.cast(pyarrow.time64("us")).cast(pyarrow.int64()), "q")


def _durations(pyarrow: Any, array: Any) -> list[Any] | None:
    if not pyarrow.types.is_duration(array.type):
        return None
    return _numbers(array.cast(pyarrow.duration("us")).cast(pyarrow.int64()), "q")


def _uuids(pyarrow: Any, array: Any) -> list[Any] | None:
    if _is_text(pyarrow, array.type):
        return _texts(pyarrow, array)
    if not _is_blob(pyarrow, array.type):
        return None
    return [None if value is None else str(uuid.UUID(bytes=value)) for value in array.to_pylist()]


def _decimals(pyarrow: Any, array: Any) -> list[Any] | None:
    if pyarrow.types.is_decimal(array.type):
        return [None if value is None else format(value, "f") for value in array.to_pylist()]
    if pyarrow.types.is_integer(array.type):
        return [None if value is None else str(value) for value in array.to_pylist()]
    return _texts(pyarrow, array)


def _documents(pyarrow: Any, array: Any) -> list[Any] | None:
    """Texts are JSON already; structs, lists and numbers become it."""
    if _is_text(pyarrow, array.type):
        return _texts(pyarrow, array)
    return [None if value is None else encode_json(value) for value in array.to_pylist()]


_READERS: dict[str, _Reader] = {
    "int64": _integers,
    "int32": _integers,
    "bool": _truths,
    "double": _reals,
    "float": _reals,
    "text": _texts,
    "varchar": _texts,
    "blob": _blobs,
    "datetime": _times,
    "date": _dates,
    "time": _times_of_day,
    "offset_datetime": _offset_times,
    "duration": _durations,
    "uuid": _uuids,
    "decimal": _decimals,
    "json": _documents,
}
