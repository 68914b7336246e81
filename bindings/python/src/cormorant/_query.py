"""How a query begins: what calls that read are given becomes a cursor, and what makes records or values of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ._model_info import ModelInfo, info_of
from ._native import abi
from ._native import query as native_query
from ._native import result as native_result
from ._native import statement as native_statement
from ._native.handle import CursorHandle
from ._shape import IntoShape, Shape, TupleShape
from ._sql import bindings_of
from ._text_option import refuse_no_names
from .column import MISSING
from .error import ProgrammingError
from .expression import Expression
from .model import Model
from .relation import Path, ToOne
from .result import Convert
from .select import Select
from .statement import Query
from .value import Bindings, dump_bindings

if TYPE_CHECKING:
    from .database import Database


_ATTRIBUTES = "give attributes as keywords or as a dict"

M = TypeVar("M", bound=Model)
R = TypeVar("R")
N = TypeVar("N")


def start(
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
    if isinstance(model, str):
        refuse_beside_sql(attributes, order_by, limit, offset)
        return start_sql(database, model, sql_bindings(sql, bindings), None if into is MISSING else into)
    if isinstance(model, Query):
        if has_sql(sql) or any(given is not MISSING for given in (order_by, limit, offset)):
            raise ProgrammingError(
                "SQL, order_by, limit or offset with a query",
                hint="use the query's methods; give parameters of these names in bindings",
            )
        return _run(database, model, model._parameters(bindings, attributes), None if into is MISSING else into)
    if into is not MISSING:
        attributes = {**attributes, "into": into}
    info = info_of(model)
    sql = option(info, "sql", sql, None)
    related = related_attributes(info, sql, bindings, attributes)
    data = None if related else dump_query_values(info, sql, bindings, attributes)
    order_by = option(info, "order_by", order_by, ())
    limit = limit_option(info, limit, most)
    offset = option(info, "offset", offset, 0)
    names = (order_by,) if isinstance(order_by, str) else order_by
    if isinstance(names, Expression) or any(isinstance(name, Expression) for name in names):
        raise ProgrammingError(
            "order_by is given an expression",
            hint=f'give the names of properties, such as "-id", or a query: select({info.name}).order_by(...)',
        )
    if isinstance(order_by, str) and "," in order_by:
        listed = ", ".join(repr(name.strip()) for name in order_by.split(","))
        raise ProgrammingError(f"order_by is the one text {order_by!r}", hint=f"give a list: [{listed}]")
    if related:
        return _run(database, related_query(info, related, names, limit, offset), None, None)
    return native_query.open_cursor(database._handle, info.handle, sql, data, names, limit, offset), info


def start_sql(database: Database, sql: str, bindings: Bindings, into: Any) -> tuple[CursorHandle, Shape]:
    """Raw SQL that runs, and what its rows become: tuples of values as the database has them, or what `into` makes."""
    info = info_of(into) if hasattr(into, "__model__") else None
    handle = info.handle if info else None
    cursor = native_query.open_cursor(database._handle, handle, sql, dump_bindings(bindings_of(sql, bindings)))
    if info:
        return cursor, info
    if into is None:
        return cursor, TupleShape(())
    try:
        return cursor, IntoShape(TupleShape(()), into, cursor)
    except ProgrammingError:
        cursor.free()
        raise


def sql_bindings(given: Any, bindings: Bindings) -> Bindings:
    """The bindings of SQL that stands where a model may: after it, or as a keyword."""
    if not has_sql(given):
        return bindings
    if bindings:
        raise ProgrammingError("bindings are given twice", hint="give the SQL, and one tuple or dict of its bindings")
    found: Bindings = given
    return found


def refuse_beside_sql(attributes: Mapping[str, Any], *options: Any) -> None:
    """Refuses what is for models and queries."""
    if attributes:
        raise ProgrammingError("parameters with SQL", hint="give its bindings as a tuple or a dict")
    if any(given is not MISSING for given in options):
        raise ProgrammingError("order_by, limit or offset with SQL", hint="write them in the SQL")


def limit_option(info: ModelInfo | None, given: Any, most: int) -> int:
    """A limit as the library has it, where 0 is all."""
    if given is None:
        given = MISSING
    limit: int = option(info, "limit", given, most)
    if limit < 0:
        raise ProgrammingError("limit is below 0", hint="give None for all")
    return abi.CORM_LIMIT_NO_ROWS if limit == 0 and given is not MISSING else limit


def start_values(
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


def without_loads(query: Query[R]) -> Query[R]:
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
            hint=f'ask for the property with bindings={{"{name}": value}}, and '
            + (
                f"run SQL by query(sql, into={info.name})"
                if name == "sql"
                else f"use the option as a method of select({info.name})"
            ),
        )
    return value


def has_sql(sql: Any) -> bool:
    """Whether SQL is given, of which nothing stands for none as None does."""
    return sql is not None and sql is not MISSING


def related_attributes(
    info: ModelInfo, sql: str | None, bindings: Bindings, attributes: Mapping[str, Any]
) -> dict[str, Any]:
    """The attributes where relations are among them; else none."""
    if sql is not None or not (attributes or bindings):
        return {}
    relations = info.relations
    if bindings and not isinstance(bindings, Mapping):
        # Which is refused there.
        return {}
    given = {**bindings, **attributes} if isinstance(bindings, Mapping) else attributes
    return {} if relations.keys().isdisjoint(given) else dict(given)


def related_query(
    info: ModelInfo, attributes: Mapping[str, Any], order_by: Sequence[str] = (), limit: int = 0, offset: int = 0
) -> Query[Any]:
    """The query of the records with these attributes, relations to one among them."""
    columns = {item.name: item for item in info.columns}
    conditions: list[Expression[bool | None]] = []
    for name, value in attributes.items():
        link = info.relations.get(name)
        if link is None:
            # Where there is none of that name, the library says so.
            column = Expression[Any]((abi.CORM_NODE_COLUMN, info.handle, None, name), columns.get(name))
            conditions.append(column == value)
        elif isinstance(link, ToOne):
            conditions.append(Path((link,)) == value)
        else:
            raise ProgrammingError(
                f"{link!r} leads to many records, and is equal to none",
                hint=f"ask whether one is among them: select({info.name}).where({info.name}.{name}.contains(record))",
            )
    query: Select[Any] = Select(abi.CORM_SELECT, info, None, (), info).where(*conditions).order_by(*order_by)
    if limit:
        query = query.limit(0 if limit == abi.CORM_LIMIT_NO_ROWS else limit)
    return query.offset(offset) if offset else query


def dump_query_values(
    info: ModelInfo | None, sql: str | None, bindings: Bindings, attributes: dict[str, Any]
) -> bytes | None:
    """Bindings of the SQL or, without SQL, the attributes."""
    if sql is not None and not isinstance(sql, str):
        what = f"a query: select({info.name}).where(...)" if info is not None else "a query, made by select()"
        raise TypeError(f"{sql!r} is not a str, and so no SQL; give conditions in {what}")
    if sql is not None:
        if attributes:
            raise ProgrammingError(
                f"attributes with SQL: {', '.join(attributes)}", hint="put conditions into the SQL and its bindings"
            )
        return dump_bindings(bindings_of(sql, bindings))
    if isinstance(bindings, Mapping):
        refuse_no_names("attributes are a dict of properties and values", bindings)
        attributes = {**bindings, **attributes}
    elif bindings:
        is_property = info is not None and "bindings" in info.encode_values
        hint = 'ask for the property with bindings={"bindings": value}' if is_property else _ATTRIBUTES
        raise ProgrammingError("bindings without SQL", hint=hint)
    if not attributes:
        return None
    if info is None:
        raise ProgrammingError("attributes without a model", hint="give a model, or sql with its bindings")
    return info.dump_attributes(attributes)
