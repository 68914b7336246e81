"""Result methods that give all rows at once in another form: as columns or as JSON."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from operator import length_hint
from typing import TYPE_CHECKING, Any

from ._native.columns import BLOBS, TEXTS, Buffers, Columns, open_columns
from ._native.handle import CursorHandle
from ._native.json import write_rows
from ._native.result import cursor_columns, next_rows, read_json
from .error import ProgrammingError

if TYPE_CHECKING:
    from ._model_info import ModelInfo

# So many records cross at once.
_PART = 1_000

# Format of Arrow: the type in numpy, and how many bytes a value has; 0 is a bit, below that are texts and blobs.
_NUMPY_TYPES = {
    "l": ("int64", 8),
    "i": ("int32", 4),
    "L": ("uint64", 8),
    "I": ("uint32", 4),
    "b": ("bool", 0),
    "g": ("float64", 8),
    "f": ("float32", 4),
    "tsu:UTC": ("datetime64[us]", 8),
    "tdD": ("datetime64[D]", 4),
    "ttu": ("timedelta64[us]", 8),
    "tDu": ("timedelta64[us]", 8),
    "u": ("object", TEXTS),
    "z": ("object", BLOBS),
    "n": ("object", BLOBS),
}

# What stands for NULL among days.
_NO_DAY = -(2**31)


class ColumnMethods:
    """The part of Result that is about columns and JSON.

    Each method reads the rows that are left and ends the result, so call it in place of reading rows. Values are as the
    library knows them: a column of a model has its type, one of a table its declared type, any other the type found in
    its rows; what Python makes of them, such as Decimal or a type of your own, is not in play. A value that does not
    fit its column raises DataError, which names column and row. Of records side by side each column is there by both
    names, such as "Order.id".
    """

    # Of rows with records in them: the columns one by one.
    _flat_names: Callable[[CursorHandle], tuple[str, ...]] | None = None
    _name_columns: Callable[[CursorHandle], tuple[str, ...]]
    _cursor: CursorHandle | None
    _given_out: CursorHandle | None
    _failure: Exception | None
    # The one whose records these are.
    _model: ModelInfo | None
    _block: Iterator[Any]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A capsule of an Arrow stream, so that pyarrow.table(result), polars.DataFrame(result), duckdb and
        pandas.DataFrame.from_arrow(result) take the result as it is, in batches of 65,536 rows.
        """
        if self._given_out is None:
            self._given_out = self._take_over()
        # Once more, for those that read the schema first, such as duckdb; as long as no rows are read.
        return open_columns(self._given_out, self._column_names)

    def numpy(self) -> dict[str, Any]:
        """The columns as numpy arrays by name. Texts and blobs are arrays of str and bytes objects, and so are the
        texts of UUIDs, Decimals and JSON.

        NULL is NaN among floats, NaT among dates, times and durations, and None among objects; other columns with NULL
        are masked arrays. A time of day is a timedelta64 since midnight. Up to 65,536 rows of numbers are not copied.
        Needs numpy. ProgrammingError for two columns of one name.
        """
        try:
            numpy: Any = importlib.import_module("numpy")
        except ImportError:
            raise ImportError("numpy is not installed; install it with: pip install numpy") from None
        asked = self._column_names
        reader = Columns(self._take_over(), asked)
        try:
            names = reader.names
            if twice := [name for name in names if names.count(name) > 1]:
                raise ProgrammingError(f"two columns are called {twice[0]!r}", hint="give one of them another name")
            types = [_NUMPY_TYPES[form] for form in reader.formats]
            batches = list(reader.batches([(index, width) for index, (_, width) in enumerate(types)]))
        finally:
            reader.close()
        return {
            name: _array(numpy, types[index][0], [batch[index] for batch in batches])
            for index, name in enumerate(names)
        }

    def json(self) -> str:
        """The rows as one JSON array of objects: records as write_json() writes them, other rows by column name, their
        values as SQLite holds them: truth values are 1 and 0, times and JSON texts.

        A blob is its base64, an infinity 9e999 or -9e999.
        """
        cursor = self._take_over(keep=True)
        try:
            if self._model is None:
                return read_json(cursor, self._column_names)
            parts: list[str] = []
            while rows := next_rows(cursor, _PART):
                parts.append(write_rows(self._model.handle, rows))
            return f"[{','.join(parts)}]"
        finally:
            self._end()

    @property
    def columns(self) -> tuple[str, ...]:
        raise NotImplementedError

    def _end(self) -> None:
        raise NotImplementedError

    @property
    def _column_names(self) -> tuple[str, ...]:
        """Empty: those of the statement, which are not asked for: where it has no rows, that would end it, and with it
        what is known of their types.
        """
        if self._name_columns is cursor_columns:
            return ()
        cursor = self._cursor or self._given_out
        return self._flat_names(cursor) if self._flat_names and cursor else self.columns

    def _take_over(self, keep: bool = False) -> CursorHandle:
        """The cursor, which no row has been read ahead of."""
        if self._cursor is None and self._failure is not None:
            raise self._failure
        if self._cursor is None or length_hint(self._block):
            raise ProgrammingError("the rows were read, or the result is closed", hint="run the query again")
        cursor = self._cursor
        if not keep:
            self._cursor = None
            self._failure = ProgrammingError(
                "the rows were given out, by dicts(), tuples(), numpy() or to a reader of Arrow",
                hint="read them there, or run the query again",
            )
        return cursor


def _array(numpy: Any, kind: str, parts: list[Buffers]) -> Any:
    values = [_values(numpy, kind, part) for part in parts]
    joined = values[0] if len(values) == 1 else numpy.concatenate([numpy.empty(0, kind), *values])
    if kind.startswith(("float", "datetime", "timedelta", "object")) or not any(part.null_count for part in parts):
        return joined
    return numpy.ma.MaskedArray(joined, numpy.concatenate([_mask(numpy, part) for part in parts]))


def _values(numpy: Any, kind: str, part: Buffers) -> Any:
    if kind == "bool":
        return _bits(numpy, part.values, part.length).view("bool")
    if kind == "object":
        values = numpy.empty(part.length, kind)
        values[:] = part.values
        return values
    if kind == "datetime64[D]":
        days = numpy.frombuffer(part.values, "int32").astype("int64")
        days[days == _NO_DAY] = numpy.iinfo("int64").min
        return days.view(kind)
    return numpy.frombuffer(part.values, kind)


def _mask(numpy: Any, part: Buffers) -> Any:
    if part.validity is None:
        return numpy.zeros(part.length, "bool")
    return _bits(numpy, part.validity, part.length) == 0


def _bits(numpy: Any, data: Any, count: int) -> Any:
    return numpy.unpackbits(numpy.frombuffer(data, "uint8"), count=count, bitorder="little")
