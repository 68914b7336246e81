"""Methods of Database that read exactly one row; another number of them is an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from ._native import abi
from ._native import result as native_result
from ._native.handle import CursorHandle
from ._query import has_sql, start, start_values, without_loads
from .column import MISSING
from .error import NoRowsError, SeveralRowsError
from .graph import load_all
from .model import Model
from .result import Convert, converted
from .statement import Query
from .transaction import Transaction
from .value import Bindings

if TYPE_CHECKING:
    from .database import Database


# A running statement, and what converts its rows.
Opened: TypeAlias = tuple[CursorHandle, Convert | None]

M = TypeVar("M", bound=Model)
R = TypeVar("R")
N = TypeVar("N")


@overload
def one(
    database: Database, query: Query[R], /, *, bindings: Mapping[str, Any] = ..., into: None = None, **parameters: Any
) -> R: ...
@overload
def one(
    database: Database,
    query: Query[Any],
    /,
    *,
    bindings: Mapping[str, Any] = ...,
    into: Callable[..., N],
    **parameters: Any,
) -> N: ...
@overload
def one(
    database: Database,
    model: type[M],
    /,
    sql: str | None = None,
    bindings: Bindings = (),
    **attributes: Any,
) -> M: ...
@overload
def one(database: Database, sql: str, bindings: Bindings = ..., /, *, into: None = None) -> tuple[Any, ...]: ...
@overload
def one(database: Database, sql: str, bindings: Bindings = ..., /, *, into: Callable[..., N]) -> N: ...
def one(
    database: Database,
    model: Any,
    /,
    sql: Any = MISSING,
    bindings: Bindings = (),
    *,
    into: Any = MISSING,
    **attributes: Any,
) -> Any:
    """The only record or row of a query; NoRowsError where there is none, SeveralRowsError where there are more.

    What a statement that writes has written is then taken back.
    """
    if isinstance(model, Query) and model._loads:
        if into is not MISSING and into is not None:
            model._refuse_loads("`into`")
        with Transaction(database, "read"):
            plain: Any = without_loads(model)
            record = one(database, plain, bindings=bindings, **attributes)
            load_all(database, record, model._loads)
            return record
    most = 0 if has_sql(sql) or isinstance(model, Query) else 2

    def opened() -> Opened:
        cursor, shape = start(database, model, sql, bindings, attributes, MISSING, MISSING, MISSING, into, most)
        return cursor, shape.load

    return _only(database, sql if has_sql(sql) and not isinstance(model, str) else model, opened)


def _only(database: Database, statement: Any, opened: Callable[[], Opened]) -> Any:
    """The one row that there is of what is opened, which runs when its rows are read."""
    is_sql = isinstance(statement, str)
    # Records of a model are selected.
    if is_sql or not isinstance(statement, Query) or statement._kind == abi.CORM_SELECT:
        cursor, convert = opened()
        if not is_sql or native_result.only_reads(cursor):
            return _only_row(cursor, convert, statement)
        cursor.free()
    with Transaction(database):
        return _only_row(*opened(), statement)


def _only_row(cursor: CursorHandle, convert: Convert | None, statement: Any) -> Any:
    found = _read_two(cursor, convert)
    if len(found) == 1:
        return found[0]
    sql = statement if isinstance(statement, str) else statement.sql[0] if isinstance(statement, Query) else None
    if found:
        raise SeveralRowsError(
            "the query has several rows, where exactly one is expected",
            code="CORM_E_SEVERAL_ROWS",
            hint="narrow its conditions, or ask for the first row with fetch_one()",
            sql=sql,
        )
    raise NoRowsError(
        "the query has no row, where exactly one is expected",
        code="CORM_E_NO_ROWS",
        hint="ask with fetch_one() where there may be none",
        sql=sql,
    )


def _read_two(cursor: CursorHandle, convert: Convert | None) -> list[Any]:
    """The first two rows that there are; frees the cursor."""
    try:
        rows = native_result.next_rows(cursor, 2)
        return converted(rows, convert, 0) if convert else rows
    finally:
        cursor.free()


@overload
def one_value(
    database: Database, query: Query[tuple[R]], /, *, bindings: Mapping[str, Any] = ..., **parameters: Any
) -> R: ...
@overload
def one_value(database: Database, sql: str, bindings: Bindings = ..., /) -> Any: ...
def one_value(database: Database, query: Any, given: Bindings = (), /, *, bindings: Any = (), **parameters: Any) -> Any:
    """The value of the only row of a query or of raw SQL that gives one column, which may be NULL; as one()."""

    return _only(database, query, lambda: start_values(database, query, given, bindings, parameters))[0]
