"""Shapes: what the rows of a query become. Records are the shape of a ModelInfo, which has the same members."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Protocol

from . import _codegen
from ._native import abi
from ._native import record as native_record
from ._native import result as native_result
from ._native.expression import Node
from ._native.handle import CursorHandle, ModelHandle
from ._sharing import share
from .column import Column
from .error import DataError, ProgrammingError
from .expression import Expression
from .result import Convert
from .value import COLUMN_TYPES, file_decoder

if TYPE_CHECKING:
    from ._model_info import ModelInfo


class Shape(Protocol):
    """handle: the model whose rows the library makes; None: rows come as the file has them."""

    @property
    def handle(self) -> ModelHandle | None: ...
    @property
    def load(self) -> Convert | None:
        """Makes of rows what they become; None: they are that already."""

    @property
    def load_rows(self) -> Convert | None:
        """Decodes the values of rows."""

    def names(self, cursor: CursorHandle) -> tuple[str, ...]:
        """What the columns are called, in dicts and for `into`."""
        ...


class RecordPart:
    """A record that is a part of each row, made of its columns side by side; name: what the query calls its model."""

    def __init__(self, info: ModelInfo, alias: str | None, is_optional: bool) -> None:
        self.info = info
        self.name = alias or info.name
        self.part: Node = (info.handle, is_optional)
        self.nodes: list[Node] = [(abi.CORM_NODE_COLUMN, info.handle, alias, item.name) for item in info.columns]


class TupleShape:
    """Rows become tuples, whose values are decoded as those of the columns that they come from.

    parts: what the library makes of each part of a row; None: all come as the file has them.
    """

    handle = None
    parts: list[Node | int | None] | None = None

    def __init__(self, columns: Sequence[Expression[Any] | RecordPart]) -> None:
        self.columns = columns
        self.has_records = any(isinstance(column, RecordPart) for column in columns)
        parts = [_part(column) for column in columns]
        if any(part is not None for part in parts):
            self.parts = parts
        self._decoders = [_decoder(column) for column in columns]
        self._is_plain = not any(self._decoders)
        self._names: tuple[str, ...] | None = None
        share(self)

    @property
    def load(self) -> Convert | None:
        return None if self._is_plain else self._decode

    load_rows = load

    @property
    def load_stored(self) -> Convert | None:
        """The same of rows that come as the file has them, where the query says nothing of their parts."""
        if self.parts is None:
            return self.load
        decoders = [_stored_decoder(part) for part in self.columns if not isinstance(part, RecordPart)]
        return None if decoders.count(None) == len(decoders) else _codegen.make_decode(decoders)

    def _decode(self, rows: list[native_record.Row]) -> list[native_record.Row]:
        try:
            return self._decode_rows(rows)
        except Exception as error:
            raise self._unreadable(rows) from error

    @cached_property
    def _decode_rows(self) -> Convert:
        return _codegen.make_decode(self._decoders)

    def names(self, cursor: CursorHandle) -> tuple[str, ...]:
        if self._names is not None:
            return self._names
        names = tuple(column if record is None else record.name for record, column in self._places(cursor))
        if self.columns:
            self._names = names
        return names

    def flat_names(self, cursor: CursorHandle) -> tuple[str, ...]:
        """What the result's own columns are called: those of a record by both names, such as "Order.id"."""
        names: list[str] = []
        for record, column in self._places(cursor):
            names += [column] if record is None else [f"{record.name}.{item.name}" for item in record.info.columns]
        return tuple(names)

    def _places(self, cursor: CursorHandle) -> Iterator[tuple[RecordPart | None, str]]:
        """Each part: the record that it is, or the name of its column."""
        found = native_result.cursor_columns(cursor)
        position = 0
        for column in self.columns or found:
            if isinstance(column, RecordPart):
                yield column, ""
                position += len(column.nodes)
            else:
                known = None if isinstance(column, str) else _name(column)
                yield None, known or found[position]
                position += 1

    def labels(self) -> Collection[str]:
        """The names that columns got by label()."""
        return [
            column._node[2]
            for column in self.columns
            if not isinstance(column, RecordPart) and column._node[0] == abi.CORM_NODE_AS
        ]

    def _unreadable(self, rows: list[native_record.Row]) -> Exception:
        """Which value could not be read: the fast way does not know."""
        for row in rows:
            for part, decode, value in zip(self.columns, self._decoders, row):
                try:
                    if decode and value is not None:
                        decode(value)
                except Exception as error:
                    if isinstance(part, RecordPart):
                        return error  # which says all
                    column = part._column
                    if isinstance(column, Column):
                        info: ModelInfo = column._node[1].info
                        return info.unreadable_value(column, error)
                    kind = column.type_name if column else "value"
                    return DataError(f"{value!r} is no {kind} that Python knows", code="CORM_E_TYPE")
        return ProgrammingError("rows changed while they were read")


class IntoShape:
    """Rows become what a callable gives for their values by name."""

    handle = None

    def __init__(self, shape: Shape, into: Callable[..., Any], cursor: CursorHandle) -> None:
        self.names, self.load_rows = shape.names, shape.load_rows
        self._into = into
        self._given = self._prepare(shape.names(cursor))
        self._cursor: CursorHandle | None = cursor

    def _prepare(self, names: tuple[str, ...]) -> tuple[str, ...]:
        for position, name in enumerate(names):
            if not name.isidentifier() or iskeyword(name) or name in names[:position]:
                raise ProgrammingError(
                    f"column {position + 1} cannot be given as a parameter {name!r}", hint="name it with label()"
                )
        self._make = _codegen.make_into(self._into, names)
        return names

    def load(self, rows: list[native_record.Row]) -> list[Any]:
        if rows and self._cursor is not None:
            # What writes learns only now that another program has renamed a column.
            names, self._cursor = self.names(self._cursor), None
            if names != self._given:
                self._prepare(names)
        return self._make(self.load_rows(rows) if self.load_rows else rows)


def _part(part: Expression[Any] | RecordPart) -> Node | int | None:
    """What the library makes of a part: of a column's values what records have, of others what the file has."""
    if isinstance(part, RecordPart):
        return part.part
    column = part._column
    node = part._node[1] if part._node[0] == abi.CORM_NODE_AS else part._node
    if column is None or node[0] not in (abi.CORM_NODE_COLUMN, abi.CORM_NODE_PATH):
        return None
    number: int = COLUMN_TYPES[column.type_name].number
    return -number if column._options.get("unsigned") else number


def _decoder(part: Expression[Any] | RecordPart) -> Callable[[Any], Any] | None:
    if isinstance(part, RecordPart):
        return part.info.load_one
    column = part._column
    if column is None:
        return None
    if _part(part) is not None:
        return column.transform.decode if column.transform else None
    return file_decoder(column.type_name, column.transform)


def _stored_decoder(part: Expression[Any]) -> Callable[[Any], Any] | None:
    column = part._column
    if column is None or _part(part) is None:
        return _decoder(part)
    if column._options.get("unsigned"):
        return _unsigned
    return file_decoder(column.type_name, column.transform)


def _unsigned(value: int) -> int:
    if value < 0:
        raise DataError(
            f"{value} does not fit into an unsigned type", code="CORM_E_RANGE", hint="make the property signed"
        )
    return value


def _name(column: Expression[Any]) -> str | None:
    """What a result column is called, as far as its expression says."""
    if column._node[0] == abi.CORM_NODE_AS:
        name: str = column._node[2]
        return name
    return column.name if isinstance(column, Column) else None
