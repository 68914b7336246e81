"""Shapes: what the rows of a query become. Records are the shape of a ModelInfo, which has the same members."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Protocol

from . import _codegen
from ._native import abi
from ._native import record as native_record
from ._native import result as native_result
from ._native.handle import CursorHandle, ModelHandle
from ._sharing import share
from .column import Column
from .error import DataError, ProgrammingError
from .expression import Expression
from .result import Convert
from .value import file_decoder

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


class TupleShape:
    """Rows become tuples, whose values are decoded as those of the columns that they come from."""

    handle = None

    def __init__(self, columns: Sequence[Expression[Any]]) -> None:
        self.columns = columns
        self._decoders = [_decoder(expression._column) for expression in columns]
        self._is_plain = not any(self._decoders)
        self._names: tuple[str, ...] | None = None
        share(self)

    @property
    def load(self) -> Convert | None:
        return None if self._is_plain else self._decode

    load_rows = load

    def _decode(self, rows: list[native_record.Row]) -> list[native_record.Row]:
        try:
            return self._decode_rows(rows)
        except Exception as error:
            raise self._unreadable(rows) from error

    @cached_property
    def _decode_rows(self) -> Convert:
        return _codegen.make_decode(self._decoders)

    def names(self, cursor: CursorHandle) -> tuple[str, ...]:
        if self._names is None:
            found = native_result.cursor_columns(cursor)
            known = map(_name, self.columns) if self.columns else found
            self._names = tuple(mine or name for mine, name in zip(known, found))
        return self._names

    def labels(self) -> Collection[str]:
        """The names that columns got by label()."""
        return [column._node[2] for column in self.columns if column._node[0] == abi.CORM_NODE_AS]

    def _unreadable(self, rows: list[native_record.Row]) -> Exception:
        """Which value could not be read: the fast way does not know."""
        for row in rows:
            for expression, decode, value in zip(self.columns, self._decoders, row):
                try:
                    if decode and value is not None:
                        decode(value)
                except Exception as error:
                    column = expression._column
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
        self.names = shape.names
        names, self.load_rows = shape.names(cursor), shape.load_rows
        for position, name in enumerate(names):
            if not name.isidentifier() or iskeyword(name) or name in names[:position]:
                raise ProgrammingError(
                    f"column {position + 1} cannot be given as a parameter {name!r}", hint="name it with label()"
                )
        self._make = _codegen.make_into(into, names)

    def load(self, rows: list[native_record.Row]) -> list[Any]:
        return self._make(self.load_rows(rows) if self.load_rows else rows)


def _decoder(column: Column[Any] | None) -> Callable[[Any], Any] | None:
    return None if column is None else file_decoder(column.type_name, column.transform)


def _name(column: Expression[Any]) -> str | None:
    """What a result column is called, as far as its expression says."""
    if column._node[0] == abi.CORM_NODE_AS:
        name: str = column._node[2]
        return name
    return column.name if isinstance(column, Column) else None
