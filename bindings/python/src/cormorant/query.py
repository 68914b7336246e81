"""Database methods that fetch, stream and count records, and run raw SQL that gives rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from . import _native
from .error import ProgrammingError
from .model import Model, ModelInfo
from .record import RecordMethods, info_of
from .result import Result, read_all
from .value import Bindings, dump_bindings

M = TypeVar("M", bound=Model)


class QueryMethods(RecordMethods):
    """The part of Database that is about queries.

    Which records: either `sql`, a whole SELECT whose columns are matched to the model by name, with its bindings; or
    attributes that must be equal (None equals NULL), as keywords or as the mapping `bindings`, with order_by
    (properties, a leading "-" means descending), limit (0: all) and offset. Nothing said means every record, in no
    promised order.
    """

    def fetch_all(
        self,
        model: type[M],
        sql: str | None = None,
        bindings: Bindings = (),
        *,
        order_by: str | Sequence[str] = (),
        limit: int = 0,
        offset: int = 0,
        **attributes: Any,
    ) -> list[M]:
        """The records of a query as a list."""
        info = info_of(model)
        cursor = self._start(info, sql, bindings, attributes, order_by, limit, offset)
        try:
            return read_all(cursor, info.load)
        finally:
            _native.close_cursor(cursor)

    def fetch_one(
        self,
        model: type[M],
        sql: str | None = None,
        bindings: Bindings = (),
        *,
        order_by: str | Sequence[str] = (),
        offset: int = 0,
        **attributes: Any,
    ) -> M | None:
        """The first record of a query; None when there is none."""
        info = info_of(model)
        cursor = self._start(info, sql, bindings, attributes, order_by, 0 if sql else 1, offset)
        try:
            found: list[M] = info.load(_native.next_rows(cursor, 1))
        finally:
            _native.close_cursor(cursor)
        return found[0] if found else None

    def cursor(
        self,
        model: type[M],
        sql: str | None = None,
        bindings: Bindings = (),
        *,
        order_by: str | Sequence[str] = (),
        limit: int = 0,
        offset: int = 0,
        **attributes: Any,
    ) -> Result[M]:
        """The records of a query, streamed in constant memory; its tuples() and dicts() give rows in those forms."""
        info = info_of(model)
        cursor = self._start(info, sql, bindings, attributes, order_by, limit, offset)
        return Result(self, cursor, tuple(item.name for item in info.columns), info.load, info.load_rows)

    def count(
        self, model: type[Model] | None = None, sql: str | None = None, bindings: Bindings = (), **attributes: Any
    ) -> int:
        """How many records a query has. Without a model: how many rows any SELECT has."""
        info = None if model is None else info_of(model)
        data = _dump(info, sql, bindings, attributes)
        return _native.count(self._handle, info.handle if info else None, sql, data)

    def page_count(
        self,
        model: type[Model] | None = None,
        sql: str | None = None,
        bindings: Bindings = (),
        *,
        page_size: int,
        **attributes: Any,
    ) -> int:
        """How many pages of `page_size` records; page p, from 0, is limit=page_size, offset=p * page_size."""
        if page_size < 1:
            raise ProgrammingError(f"the page size is {page_size}", hint="give 1 or more")
        return -(-self.count(model, sql, bindings, **attributes) // page_size)

    def max_key(self, model: type[Model]) -> Any:
        """The greatest primary key; None for an empty table."""
        info = info_of(model)
        key = _native.max_key(self._handle, info.handle)
        return None if key is None else info.decode_key(key)

    def query(self, sql: str, bindings: Bindings = ()) -> Result[tuple[Any, ...]]:
        """Runs raw SQL and streams its rows as tuples. It runs as far as its rows are read."""
        cursor = _native.open_cursor(self._handle, None, sql, dump_bindings(bindings))
        return Result(self, cursor, _native.cursor_columns(cursor), None, None)

    def _start(
        self,
        info: ModelInfo,
        sql: str | None,
        bindings: Bindings,
        attributes: dict[str, Any],
        order_by: str | Sequence[str],
        limit: int,
        offset: int,
    ) -> int:
        data = _dump(info, sql, bindings, attributes)
        names = (order_by,) if isinstance(order_by, str) else order_by
        return _native.open_cursor(self._handle, info.handle, sql, data, names, limit, offset)


def _dump(info: ModelInfo | None, sql: str | None, bindings: Bindings, attributes: dict[str, Any]) -> bytes | None:
    """Bindings of the SQL or, without SQL, the attributes."""
    if sql is not None:
        if attributes:
            raise ProgrammingError(
                f"attributes with SQL: {', '.join(attributes)}", hint="put conditions into the SQL and its bindings"
            )
        return dump_bindings(bindings)
    if isinstance(bindings, Mapping):
        attributes = {**bindings, **attributes}
    elif bindings:
        raise ProgrammingError("bindings without SQL", hint="give attributes as keywords or as a dict")
    if not attributes:
        return None
    if info is None:
        raise ProgrammingError("attributes without a model", hint="give a model, or sql with its bindings")
    return info.dump_attributes(attributes)
