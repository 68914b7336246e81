"""Methods of Database that fetch, stream and count records and rows, and run raw SQL that gives rows.

Which records: a query, such as Person.where(Person.age > 35), with its parameters as keywords or as the mapping
`bindings`; then `into` makes each row into what it gives for the columns as keywords: a dataclass, a NamedTuple,
any callable, or another model.

Or a model, with either `sql`, a whole SELECT whose columns are matched to the model by name, with its bindings; or
attributes that must be equal (None equals NULL), as keywords or as the mapping `bindings`, with order_by
(properties, a leading "-" means descending), limit (None: all) and offset; attributes of these names go into bindings.
Nothing said means every record, in no promised order.

Or SQL alone, such as sql() makes, with its bindings after it: rows come as tuples, as of query(), or as `into` makes
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._model_info import ModelInfo
from ._native import result as native_result
from ._native import statement as native_statement
from ._query import has_sql, start, start_sql, start_values, without_loads
from ._shape import TupleShape
from .column import MISSING
from .error import ProgrammingError
from .graph import load_all
from .model import Model
from .result import Result, converted, read_all
from .statement import Query, Statement
from .transaction import Transaction
from .value import Bindings, type_name

if TYPE_CHECKING:
    from .database import Database


M = TypeVar("M", bound=Model)
R = TypeVar("R")
N = TypeVar("N")


@overload
def fetch_all(
    database: Database, query: Query[R], /, *, bindings: Mapping[str, Any] = ..., into: None = None, **parameters: Any
) -> list[R]: ...
@overload
def fetch_all(
    database: Database,
    query: Query[Any],
    /,
    *,
    bindings: Mapping[str, Any] = ...,
    into: Callable[..., N],
    **parameters: Any,
) -> list[N]: ...
@overload
def fetch_all(
    database: Database,
    model: type[M],
    /,
    sql: str | None = None,
    bindings: Bindings = (),
    *,
    order_by: str | Sequence[str] = (),
    limit: int | None = None,
    offset: int = 0,
    **attributes: Any,
) -> list[M]: ...
@overload
def fetch_all(
    database: Database, sql: str, bindings: Bindings = ..., /, *, into: None = None
) -> list[tuple[Any, ...]]: ...
@overload
def fetch_all(database: Database, sql: str, bindings: Bindings = ..., /, *, into: Callable[..., N]) -> list[N]: ...
def fetch_all(
    database: Database,
    model: Any,
    /,
    sql: Any = MISSING,
    bindings: Bindings = (),
    *,
    order_by: str | Sequence[str] = MISSING,
    limit: int | None = MISSING,
    offset: int = MISSING,
    into: Any = MISSING,
    **attributes: Any,
) -> list[Any]:
    """The records of a query as a list."""
    if isinstance(model, Query) and model._loads:
        if into is not MISSING and into is not None:
            model._refuse_loads("`into`")
        with Transaction(database, "read"):
            plain: Any = without_loads(model)
            records = fetch_all(database, plain, bindings=bindings, **attributes)
            load_all(database, records, model._loads)
            return records
    cursor, shape = start(database, model, sql, bindings, attributes, order_by, limit, offset, into)
    return read_all(cursor, shape.load)


@overload
def fetch_one(
    database: Database, query: Query[R], /, *, bindings: Mapping[str, Any] = ..., into: None = None, **parameters: Any
) -> R | None: ...
@overload
def fetch_one(
    database: Database,
    query: Query[Any],
    /,
    *,
    bindings: Mapping[str, Any] = ...,
    into: Callable[..., N],
    **parameters: Any,
) -> N | None: ...
@overload
def fetch_one(
    database: Database,
    model: type[M],
    /,
    sql: str | None = None,
    bindings: Bindings = (),
    *,
    order_by: str | Sequence[str] = (),
    offset: int = 0,
    **attributes: Any,
) -> M | None: ...
@overload
def fetch_one(
    database: Database, sql: str, bindings: Bindings = ..., /, *, into: None = None
) -> tuple[Any, ...] | None: ...
@overload
def fetch_one(database: Database, sql: str, bindings: Bindings = ..., /, *, into: Callable[..., N]) -> N | None: ...
def fetch_one(
    database: Database,
    model: Any,
    /,
    sql: Any = MISSING,
    bindings: Bindings = (),
    *,
    order_by: str | Sequence[str] = MISSING,
    offset: int = MISSING,
    into: Any = MISSING,
    **attributes: Any,
) -> Any:
    """The first record of a query; None when there is none."""
    if isinstance(model, Query) and model._loads:
        if into is not MISSING and into is not None:
            model._refuse_loads("`into`")
        with Transaction(database, "read"):
            plain: Any = without_loads(model)
            record = fetch_one(database, plain, bindings=bindings, **attributes)
            if record is not None:
                load_all(database, record, model._loads)
            return record
    most = 0 if has_sql(sql) or isinstance(model, Query) else 1
    cursor, shape = start(database, model, sql, bindings, attributes, order_by, MISSING, offset, into, most)
    try:
        rows = native_result.next_rows(cursor, 1)
        found = converted(rows, shape.load, 0) if shape.load else rows
    finally:
        cursor.free()
    return found[0] if found else None


@overload
def fetch_value(
    database: Database, query: Query[tuple[R]], /, *, bindings: Mapping[str, Any] = ..., **parameters: Any
) -> R | None: ...
@overload
def fetch_value(database: Database, sql: str, bindings: Bindings = ..., /) -> Any: ...
def fetch_value(
    database: Database, query: Any, given: Bindings = (), /, *, bindings: Any = (), **parameters: Any
) -> Any:
    """The value of the first row of a query or of raw SQL that gives one column; None when there is no row."""
    cursor, convert = start_values(database, query, given, bindings, parameters)
    try:
        rows = native_result.next_rows(cursor, 1)
        found = converted(rows, convert, 0) if convert else rows
    finally:
        cursor.free()
    return found[0][0] if found else None


@overload
def fetch_values(
    database: Database, query: Query[tuple[R]], /, *, bindings: Mapping[str, Any] = ..., **parameters: Any
) -> list[R]: ...
@overload
def fetch_values(database: Database, sql: str, bindings: Bindings = ..., /) -> list[Any]: ...
def fetch_values(
    database: Database, query: Any, given: Bindings = (), /, *, bindings: Any = (), **parameters: Any
) -> list[Any]:
    """The values of a query or of raw SQL that gives one column, as a list."""
    return [value for (value,) in read_all(*start_values(database, query, given, bindings, parameters))]


@overload
def cursor(
    database: Database, query: Query[R], /, *, bindings: Mapping[str, Any] = ..., into: None = None, **parameters: Any
) -> Result[R]: ...
@overload
def cursor(
    database: Database,
    query: Query[Any],
    /,
    *,
    bindings: Mapping[str, Any] = ...,
    into: Callable[..., N],
    **parameters: Any,
) -> Result[N]: ...
@overload
def cursor(
    database: Database,
    model: type[M],
    /,
    sql: str | None = None,
    bindings: Bindings = (),
    *,
    order_by: str | Sequence[str] = (),
    limit: int | None = None,
    offset: int = 0,
    **attributes: Any,
) -> Result[M]: ...
@overload
def cursor(
    database: Database, sql: str, bindings: Bindings = ..., /, *, into: None = None
) -> Result[tuple[Any, ...]]: ...
@overload
def cursor(database: Database, sql: str, bindings: Bindings = ..., /, *, into: Callable[..., N]) -> Result[N]: ...
def cursor(
    database: Database,
    model: Any,
    /,
    sql: Any = MISSING,
    bindings: Bindings = (),
    *,
    order_by: str | Sequence[str] = MISSING,
    limit: int | None = MISSING,
    offset: int = MISSING,
    into: Any = MISSING,
    **attributes: Any,
) -> Result[Any]:
    """The records of a query, streamed in constant memory; its tuples() and dicts() give rows in those forms. What
    writes has written then.
    """
    if isinstance(model, Query):
        model._refuse_loads("a cursor")
    cursor, shape = start(database, model, sql, bindings, attributes, order_by, limit, offset, into)
    model = shape if isinstance(shape, ModelInfo) else None
    result: Result[Any] = Result(database, cursor, shape.names, shape.load, shape.load_rows, model)
    if isinstance(shape, TupleShape) and shape.has_records:
        result._flat_names = shape.flat_names
    return result._begin()


@overload
def query(database: Database, sql: str, bindings: Bindings = ..., *, into: None = None) -> Result[tuple[Any, ...]]: ...
@overload
def query(database: Database, sql: str, bindings: Bindings = ..., *, into: Callable[..., N]) -> Result[N]: ...
def query(
    database: Database, sql: str, bindings: Bindings = (), *, into: Callable[..., Any] | None = None
) -> Result[Any]:
    """Runs raw SQL and streams its rows as tuples. What writes has written then; what only reads runs as far as it is
    read.

    into: makes each row into what it gives for the columns as keywords, with values as SQLite has them: a dataclass, a
    NamedTuple, any callable; a model makes records.
    """
    if isinstance(sql, Statement):
        hint = "give select() to fetch_all(), fetch_one() or cursor(), and what changes rows to execute()"
        raise ProgrammingError("query() runs SQL, and this is a statement of its own", hint=hint)
    if hasattr(sql, "__model__"):
        name = sql.__name__ if isinstance(sql, type) else type_name(sql)
        hint = f"write fetch_all({name}) for its records, or cursor({name}) for one after another"
        raise ProgrammingError(f"query() runs SQL, and {name} is a model", hint=hint)
    opened, shape = start_sql(database, sql, bindings, into)
    model = shape if isinstance(shape, ModelInfo) else None
    return Result(database, opened, shape.names, shape.load, shape.load_rows, model)._begin()


def explain(database: Database, query: Statement) -> str:
    """The engine's plan for a query as an indented tree, a line per step: SQLite's
    (https://www.sqlite.org/eqp.html), or PostgreSQL's with what it thinks each step costs."""
    if not isinstance(query, Statement):
        raise ProgrammingError(
            f"{type_name(query)} is no statement",
            hint="give what select(), update(), delete() or insert() made; of SQL ask query('EXPLAIN QUERY PLAN ...')",
        )
    return native_statement.explain(database._handle, query._compile().handle)
