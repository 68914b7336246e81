"""Result methods that give all rows at once in another form: as columns or as JSON."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from operator import length_hint
from typing import Any

from ._native_columns import Buffers, Columns, open_columns, read_json
from .error import ProgrammingError

# Format of Arrow: the type in numpy, and how many bytes a value has; 0 is a bit.
_NUMPY_TYPES = {
    "l": ("int64", 8),
    "i": ("int32", 4),
    "L": ("uint64", 8),
    "I": ("uint32", 4),
    "b": ("bool", 0),
    "g": ("float64", 8),
    "f": ("float32", 4),
    "tsu:UTC": ("datetime64[us]", 8),
}


class ColumnMethods:
    """The part of Result that is about columns and JSON.

    Each method reads the rows that are left and ends the result, so call it in place of reading rows. Values are as the
    library knows them: a column of a model has its type, one of a table its declared type, any other the type found in
    its rows; what Python makes of them, such as Decimal or a type of your own, is not in play. A value that does not
    fit its column raises DataError, which names column and row.
    """

    columns: tuple[str, ...]
    _cursor: int | None
    _block: Iterator[Any]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A capsule of an Arrow stream, so that pyarrow.table(result), polars.DataFrame(result), duckdb and
        pandas.DataFrame.from_arrow(result) take the result as it is, in batches of 65,536 rows.
        """
        return open_columns(self._take_over(), self.columns)

    def numpy(self) -> dict[str, Any]:
        """The columns of numbers, truth values and times as numpy arrays by name; others are left out.

        NULL is NaN among floats and NaT among times; other columns with NULL are masked arrays. Up to 65,536 rows are
        not copied. Needs numpy.
        """
        try:
            numpy: Any = importlib.import_module("numpy")
        except ImportError:
            raise ImportError("numpy is not installed; install it with: pip install numpy") from None
        reader = Columns(self._take_over(), self.columns)
        try:
            found = [
                (index, name, *_NUMPY_TYPES[form])
                for index, (name, form) in enumerate(zip(self.columns, reader.formats))
                if form in _NUMPY_TYPES
            ]
            batches = list(reader.batches([(index, width) for index, _, _, width in found]))
        finally:
            reader.close()
        arrays: dict[str, Any] = {}
        for position, (_, name, kind, _) in enumerate(found):
            arrays.setdefault(name, _array(numpy, kind, [batch[position] for batch in batches]))
        return arrays

    def json(self) -> str:
        """The rows as one JSON array of objects by column name, their values as SQLite holds them.

        A blob is its base64, an infinity 9e999 or -9e999.
        """
        cursor = self._take_over(keep=True)
        try:
            return read_json(cursor, self.columns)
        finally:
            self.close()

    def close(self) -> None:
        raise NotImplementedError

    def _take_over(self, keep: bool = False) -> int:
        """The cursor, which no row has been read ahead of."""
        if self._cursor is None or length_hint(self._block):
            raise ProgrammingError("the rows were read, or the result is closed", hint="run the query again")
        cursor = self._cursor
        if not keep:
            self._cursor = None
        return cursor


def _array(numpy: Any, kind: str, parts: list[Buffers]) -> Any:
    values = [_values(numpy, kind, part) for part in parts]
    joined = values[0] if len(values) == 1 else numpy.concatenate([numpy.empty(0, kind), *values])
    if kind.startswith(("float", "datetime")) or not any(part.null_count for part in parts):
        return joined
    return numpy.ma.MaskedArray(joined, numpy.concatenate([_mask(numpy, part) for part in parts]))


def _values(numpy: Any, kind: str, part: Buffers) -> Any:
    if kind == "bool":
        return _bits(numpy, part.values, part.length).view("bool")
    return numpy.frombuffer(part.values, kind)


def _mask(numpy: Any, part: Buffers) -> Any:
    if part.validity is None:
        return numpy.zeros(part.length, "bool")
    return _bits(numpy, part.validity, part.length) == 0


def _bits(numpy: Any, data: Any, count: int) -> Any:
    return numpy.unpackbits(numpy.frombuffer(data, "uint8"), count=count, bitorder="little")
