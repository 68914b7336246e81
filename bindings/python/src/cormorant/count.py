"""Methods of Database that count and look up, without reading records.

What is counted: a query, a model with attributes, or SQL with its bindings, as in query.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._model_info import info_of
from ._native import query as native_query
from ._native import statement as native_statement
from ._query import dump_query_values, option, refuse_beside_sql, related_attributes, related_query, sql_bindings
from ._sql import bindings_of
from .column import MISSING
from .error import ProgrammingError
from .model import Model
from .record import has_key
from .statement import Query
from .value import Bindings, dump_bindings

if TYPE_CHECKING:
    from .database import Database


M = TypeVar("M", bound=Model)
R = TypeVar("R")
N = TypeVar("N")


@overload
def count(database: Database, query: Query[Any], /, *, bindings: Mapping[str, Any] = ..., **parameters: Any) -> int: ...
@overload
def count(database: Database, sql: str, bindings: Bindings = ..., /) -> int: ...
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
    database: Database, model: Any = None, /, sql: Any = MISSING, bindings: Bindings = (), **attributes: Any
) -> int:
    """How many records a query has. Without a model: how many rows any SELECT has."""
    if isinstance(model, Query):
        data = model._parameters(bindings, attributes)
        return native_statement.count(database._handle, model._compile().handle, data)
    if isinstance(model, str):
        refuse_beside_sql(attributes)
        data = dump_bindings(bindings_of(model, sql_bindings(sql, bindings)))
        return native_query.count(database._handle, None, model, data)
    info = None if model is None else info_of(model)
    sql = option(info, "sql", sql, None)
    if info is not None and (related := related_attributes(info, sql, bindings, attributes)):
        return native_statement.count(database._handle, related_query(info, related)._compile().handle, None)
    data = dump_query_values(info, sql, bindings, attributes)
    return native_query.count(database._handle, info.handle if info else None, sql, data)


@overload
def page_count(
    database: Database, query: Query[Any], /, *, page_size: int, bindings: Mapping[str, Any] = ..., **parameters: Any
) -> int: ...
@overload
def page_count(database: Database, sql: str, bindings: Bindings = ..., /, *, page_size: int) -> int: ...
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
    sql: Any = MISSING,
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
def exists(database: Database, sql: str, bindings: Bindings = ..., /) -> bool: ...
@overload
def exists(database: Database, model: type[Model], /, *key: Any) -> bool: ...
def exists(database: Database, model: Any, /, *key: Any, bindings: Bindings = (), **parameters: Any) -> bool:
    """Whether a query has any row; of a model, whether a row has this primary key."""
    if isinstance(model, str):
        if len(key) > 1:
            raise ProgrammingError("a key with SQL", hint="give its bindings as a tuple or a dict")
        read: Any = database.fetch_one
        return read(model, *key, bindings=bindings, **parameters) is not None
    if isinstance(model, Query):
        if key:
            raise ProgrammingError("a key with a query", hint="give parameters as keywords")
        data = model._parameters(bindings, parameters)
        return native_statement.exists(database._handle, model._compile().handle, data)
    if bindings or parameters:
        name = info_of(model).name
        raise ProgrammingError(
            f"exists({name}, ...) takes a key, and no attributes", hint=f"ask a query: exists({name}.where(...))"
        )
    return has_key(database, model, *key)


def max_key(database: Database, model: type[Model]) -> Any:
    """The greatest primary key; None for an empty table."""
    info = info_of(model)
    key = native_query.max_key(database._handle, info.handle)
    return None if key is None else info.decode_key(key)
