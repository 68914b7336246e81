"""Methods of Database that fetch, stream and count records and rows, and run raw SQL that gives rows.

Which records: a query, such as Person.where(Person.age > 35), with its parameters as keywords or as the mapping
`bindings`; then `into` makes each row into what it gives for the columns as keywords: a dataclass, a NamedTuple,
any callable, or another model.

Or a model, with either `sql`, a whole SELECT whose columns are matched to the model by name, with its bindings; or
attributes that must be equal (None equals NULL), as keywords or as the mapping `bindings`, with order_by
(properties, a leading "-" means descending), limit (None: all) and offset; attributes of these names go into bindings.
Nothing said means every record, in no promised order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._model_info import ModelInfo, info_of
from ._native import abi
from ._native import query as native_query
from ._native import result as native_result
from ._native import statement as native_statement
from ._native.handle import CursorHandle
from ._shape import IntoShape, Shape, TupleShape
from ._sql import bindings_of
from .column import MISSING
from .error import NoRowsError, ProgrammingError, SeveralRowsError
from .graph import load
from .model import Model
from .record import has_key
from .result import Convert, Result, read_all
from .statement import Query, Statement
from .transaction import Transaction
from .value import Bindings, dump_bindings, type_name

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
def fetch_all(
    database: Database,
    model: Any,
    /,
    sql: str | None = None,
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
            plain: Any = _without_loads(model)
            records = fetch_all(database, plain, bindings=bindings, **attributes)
            load(database, records, *model._loads)
            return records
    cursor, shape = _start(database, model, sql, bindings, attributes, order_by, limit, offset, into)
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
def fetch_one(
    database: Database,
    model: Any,
    /,
    sql: str | None = None,
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
            plain: Any = _without_loads(model)
            record = fetch_one(database, plain, bindings=bindings, **attributes)
            if record is not None:
                load(database, record, *model._loads)
            return record
    most = 0 if sql or isinstance(model, Query) else 1
    cursor, shape = _start(database, model, sql, bindings, attributes, order_by, MISSING, offset, into, most)
    try:
        rows = native_result.next_rows(cursor, 1)
        found = shape.load(rows) if shape.load else rows
    finally:
        cursor.free()
    return found[0] if found else None


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
def one(
    database: Database,
    model: Any,
    /,
    sql: str | None = None,
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
            plain: Any = _without_loads(model)
            record = one(database, plain, bindings=bindings, **attributes)
            load(database, record, *model._loads)
            return record
    most = 0 if sql or isinstance(model, Query) else 2

    def rows() -> list[Any]:
        cursor, shape = _start(database, model, sql, bindings, attributes, MISSING, MISSING, MISSING, into, most)
        return _read_two(cursor, shape.load)

    return _only(database, sql if sql is not None else model, rows)


def _only(database: Database, statement: Any, rows: Callable[[], list[Any]]) -> Any:
    """The one row that there is."""
    writes = not _only_reads(statement)
    with Transaction(database) if writes else nullcontext():
        found = rows()
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


def _only_reads(statement: Any) -> bool:
    """Whether it surely writes nothing."""
    if isinstance(statement, str):
        return statement.lstrip()[:6].upper() in ("SELECT", "VALUES")
    return not isinstance(statement, Query) or statement._kind == abi.CORM_SELECT


def _read_two(cursor: CursorHandle, convert: Convert | None) -> list[Any]:
    """The first two rows that there are; frees the cursor."""
    try:
        rows = native_result.next_rows(cursor, 2)
        return convert(rows) if convert else rows
    finally:
        cursor.free()


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
    cursor, convert = _start_values(database, query, given, bindings, parameters)
    try:
        rows = native_result.next_rows(cursor, 1)
        found = convert(rows) if convert else rows
    finally:
        cursor.free()
    return found[0][0] if found else None


@overload
def one_value(
    database: Database, query: Query[tuple[R]], /, *, bindings: Mapping[str, Any] = ..., **parameters: Any
) -> R: ...
@overload
def one_value(database: Database, sql: str, bindings: Bindings = ..., /) -> Any: ...
def one_value(database: Database, query: Any, given: Bindings = (), /, *, bindings: Any = (), **parameters: Any) -> Any:
    """The value of the only row of a query or of raw SQL that gives one column, which may be NULL; as one()."""

    def rows() -> list[Any]:
        return _read_two(*_start_values(database, query, given, bindings, parameters))

    return _only(database, query, rows)[0]


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
    return [value for (value,) in read_all(*_start_values(database, query, given, bindings, parameters))]


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
def cursor(
    database: Database,
    model: Any,
    /,
    sql: str | None = None,
    bindings: Bindings = (),
    *,
    order_by: str | Sequence[str] = MISSING,
    limit: int | None = MISSING,
    offset: int = MISSING,
    into: Any = MISSING,
    **attributes: Any,
) -> Result[Any]:
    """The records of a query, streamed in constant memory; its tuples() and dicts() give rows in those forms."""
    if isinstance(model, Query):
        model._refuse_loads("a cursor")
    cursor, shape = _start(database, model, sql, bindings, attributes, order_by, limit, offset, into)
    model = shape if isinstance(shape, ModelInfo) else None
    result: Result[Any] = Result(database, cursor, shape.names, shape.load, shape.load_rows, model)
    if isinstance(shape, TupleShape) and shape.has_records:
        result._flat_names = shape.flat_names
    return result


@overload
def count(database: Database, query: Query[Any], /, *, bindings: Mapping[str, Any] = ..., **parameters: Any) -> int: ...
@overload
def count(
    database: Database,
    model: type[Model] | None = None,
    /,
    sql: str | None = None,
    bindings: Bindings = (),
    **attributes: Any,
) -> int: ...
def count(
    database: Database, model: Any = None, /, sql: str | None = None, bindings: Bindings = (), **attributes: Any
) -> int:
    """How many records a query has. Without a model: how many rows any SELECT has."""
    if isinstance(model, Query):
        data = model._parameters(bindings, attributes)
        return native_statement.count(database._handle, model._compile().handle, data)
    info = None if model is None else info_of(model)
    data = dump_query_values(info, sql, bindings, attributes)
    return native_query.count(database._handle, info.handle if info else None, sql, data)


@overload
def page_count(
    database: Database, query: Query[Any], /, *, page_size: int, bindings: Mapping[str, Any] = ..., **parameters: Any
) -> int: ...
@overload
def page_count(
    database: Database,
    model: type[Model] | None = None,
    /,
    sql: str | None = None,
    bindings: Bindings = (),
    *,
    page_size: int,
    **attributes: Any,
) -> int: ...
def page_count(
    database: Database,
    model: Any = None,
    /,
    sql: str | None = None,
    bindings: Bindings = (),
    *,
    page_size: int,
    **attributes: Any,
) -> int:
    """How many pages of `page_size` records; page p, from 0, is limit=page_size, offset=p * page_size."""
    if page_size < 1:
        raise ProgrammingError(f"the page size is {page_size}", hint="give 1 or more")
    return -(-database.count(model, sql, bindings, **attributes) // page_size)


@overload
def exists(
    database: Database, query: Query[Any], /, *, bindings: Mapping[str, Any] = ..., **parameters: Any
) -> bool: ...
@overload
def exists(database: Database, model: type[Model], /, *key: Any) -> bool: ...
def exists(database: Database, model: Any, /, *key: Any, bindings: Bindings = (), **parameters: Any) -> bool:
    """Whether a query has any row; of a model, whether a row has this primary key."""
    if isinstance(model, Query):
        if key:
            raise ProgrammingError("a key with a query", hint="give parameters as keywords")
        data = model._parameters(bindings, parameters)
        return native_statement.exists(database._handle, model._compile().handle, data)
    if bindings or parameters:
        raise ProgrammingError("attributes with a key", hint="ask a query: db.exists(Person.where(...))")
    return has_key(database, model, *key)


def explain(database: Database, query: Statement) -> str:
    """SQLite's plan for a query as an indented tree, a line per step: https://www.sqlite.org/eqp.html"""
    if not isinstance(query, Statement):
        raise ProgrammingError(
            f"{type_name(query)} is no statement",
            hint="give what select(), update(), delete() or insert() made; of SQL ask query('EXPLAIN QUERY PLAN ...')",
        )
    return native_statement.explain(database._handle, query._compile().handle)


def max_key(database: Database, model: type[Model]) -> Any:
    """The greatest primary key; None for an empty table."""
    info = info_of(model)
    key = native_query.max_key(database._handle, info.handle)
    return None if key is None else info.decode_key(key)


@overload
def query(database: Database, sql: str, bindings: Bindings = ..., *, into: None = None) -> Result[tuple[Any, ...]]: ...
@overload
def query(database: Database, sql: str, bindings: Bindings = ..., *, into: Callable[..., N]) -> Result[N]: ...
def query(
    database: Database, sql: str, bindings: Bindings = (), *, into: Callable[..., Any] | None = None
) -> Result[Any]:
    """Runs raw SQL and streams its rows as tuples. It runs as far as its rows are read.

    into: makes each row into what it gives for the columns as keywords, with values as SQLite has them: a dataclass, a
    NamedTuple, any callable; a model makes records.
    """
    if hasattr(into, "__model__"):
        model: Any = into
        return cursor(database, model, sql, bindings)
    opened = native_query.open_cursor(database._handle, None, sql, dump_bindings(bindings_of(sql, bindings)))
    if into is None:
        return Result(database, opened, native_result.cursor_columns, None, None)
    try:
        shape = IntoShape(TupleShape(()), into, opened)
    except ProgrammingError:
        opened.free()
        raise
    return Result(database, opened, shape.names, shape.load, None)


def _start(
    database: Database,
    model: Any,
    /,
    sql: str | None,
    bindings: Bindings,
    attributes: dict[str, Any],
    order_by: str | Sequence[str],
    limit: int | None,
    offset: int,
    into: Any,
    most: int = 0,
) -> tuple[CursorHandle, Shape]:
    """A running statement, and what its rows become. most: the limit where none is given."""
    if isinstance(model, Query):
        if sql is not None or any(given is not MISSING for given in (order_by, limit, offset)):
            raise ProgrammingError(
                "SQL, order_by, limit or offset with a query",
                hint="use the query's methods; give parameters of these names in bindings",
            )
        return _run(database, model, model._parameters(bindings, attributes), None if into is MISSING else into)
    if into is not MISSING:
        attributes = {**attributes, "into": into}
    info = info_of(model)
    data = dump_query_values(info, sql, bindings, attributes)
    order_by = option(info, "order_by", order_by, ())
    limit = limit_option(info, limit, most)
    offset = option(info, "offset", offset, 0)
    names = (order_by,) if isinstance(order_by, str) else order_by
    return native_query.open_cursor(database._handle, info.handle, sql, data, names, limit, offset), info


def limit_option(info: ModelInfo | None, given: Any, most: int) -> int:
    """A limit as the library has it, where 0 is all."""
    if given is None:
        given = MISSING
    limit: int = option(info, "limit", given, most)
    if limit < 0:
        raise ProgrammingError(f"limit is {limit}", hint="give None for all")
    return abi.CORM_LIMIT_NO_ROWS if limit == 0 and given is not MISSING else limit


def _start_values(
    database: Database, query: Any, given: Bindings, bindings: Bindings, parameters: dict[str, Any]
) -> tuple[CursorHandle, Convert | None]:
    """A running statement of one column, and what decodes its rows."""
    if isinstance(query, str):
        if bindings or parameters:
            raise ProgrammingError("parameters with SQL", hint="give its bindings as a tuple or a dict")
        data = dump_bindings(bindings_of(query, given))
        cursor, convert = native_query.open_cursor(database._handle, None, query, data), None
    elif isinstance(query, Query):
        cursor, shape = _run(database, query, query._parameters(bindings or given, parameters), None)
        convert = shape.load_rows
    else:
        raise ProgrammingError(
            f"{query!r} is no query", hint="select one column, such as select(Person.age), or give SQL"
        )
    count = len(native_result.cursor_columns(cursor))
    if count != 1:
        cursor.free()
        raise ProgrammingError(f"the query gives {count} columns, not one value", hint="select one column")
    return cursor, convert


def _without_loads(query: Query[R]) -> Query[R]:
    return query._with(_loads=())


def _run(database: Database, query: Query[Any], parameters: bytes | None, into: Any) -> tuple[CursorHandle, Shape]:
    model: ModelInfo | None = None if into is None else getattr(into, "__model__", None)
    shape = model or query._shape
    statement, parts = query._compile().handle, None if model else getattr(shape, "parts", None)
    if parts is None:
        cursor = native_statement.open_cursor(database._handle, shape.handle, statement, parameters)
    else:
        cursor = native_statement.open_parts(database._handle, parts, statement, parameters)
    if into is None or model:
        return cursor, shape
    try:
        return cursor, IntoShape(shape, into, cursor)
    except ProgrammingError:
        cursor.free()
        raise


def option(info: ModelInfo | None, name: str, value: Any, default: Any) -> Any:
    """An option that stands among attributes, such as limit; a property of its name could be meant as well."""
    if value is MISSING:
        return default
    if type(default) is int and not isinstance(value, int) and not hasattr(value, "__index__"):
        raise ProgrammingError(f"{name} is {value!r}", hint="give an int; 0 is none")
    if info is not None and name in info.encode_values:
        raise ProgrammingError(
            f"{name} is an option, and a property of {info.name}",
            hint=f'ask for the property with bindings={{"{name}": value}}, and use the option as a method of '
            f"select({info.name})",
        )
    return value


def dump_query_values(
    info: ModelInfo | None, sql: str | None, bindings: Bindings, attributes: dict[str, Any]
) -> bytes | None:
    """Bindings of the SQL or, without SQL, the attributes."""
    if sql is not None:
        if attributes:
            raise ProgrammingError(
                f"attributes with SQL: {', '.join(attributes)}", hint="put conditions into the SQL and its bindings"
            )
        return dump_bindings(bindings_of(sql, bindings))
    if isinstance(bindings, Mapping):
        attributes = {**bindings, **attributes}
    elif bindings:
        raise ProgrammingError("bindings without SQL", hint="give attributes as keywords or as a dict")
    if not attributes:
        return None
    if info is None:
        raise ProgrammingError("attributes without a model", hint="give a model, or sql with its bindings")
    return info.dump_attributes(attributes)
