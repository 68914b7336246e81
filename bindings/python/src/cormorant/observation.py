"""Being told of what is committed: in tables, rows and queries, by this process and by others.

callback: called with each event on the thread that has just committed, when no lock is held, or on a thread of the
library for what others commit. It may use the database and cancel its observer; while it runs nobody else is told
of anything, so it hands long work to another thread. What it raises goes to sys.unraisablehook. Without a callback
events wait to be taken. on_error: called instead where a live query cannot be run.
"""

from __future__ import annotations

import atexit
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from ._model_info import ModelInfo, info_of
from ._native import abi
from ._native import observation as native_observation
from ._native.handle import ObserverHandle
from ._query import dump_query_values, has_sql, limit_option, option, related_attributes, related_query
from ._shape import TupleShape
from ._waiting import Nothing, Waiting
from .column import MISSING
from .error import Error, ProgrammingError
from .model import Model
from .statement import Query
from .value import Bindings

if TYPE_CHECKING:
    from typing_extensions import Self

    from .database import Database

M = TypeVar("M", bound=Model)
R = TypeVar("R")
E = TypeVar("E")
V = TypeVar("V")
KeyLoader = Callable[[tuple[Any, ...]], tuple[Any, ...]]

ChangeKind = Literal["unknown", "insert", "update", "delete"]
_KINDS: dict[int, ChangeKind] = {
    abi.CORM_CHANGE_UNKNOWN: "unknown",
    abi.CORM_CHANGE_INSERT: "insert",
    abi.CORM_CHANGE_UPDATE: "update",
    abi.CORM_CHANGE_DELETE: "delete",
}
_watches: weakref.WeakSet[_Watch[Any]] = weakref.WeakSet()


class Region:
    """A table, or a view, and those of its columns whose updates count; none: all. Names as in the file."""

    def __init__(self, table: str, *columns: str) -> None:
        self.table = table
        self.columns = columns


@dataclass(frozen=True)
class RowChange(Generic[R]):
    """A row that changed: of a table, or of the result of a live query.

    kind: "unknown" stands for the whole table: another connection committed, and its rows are not known. table: None in
    a live query. row_id: 0 in a table WITHOUT ROWID, and in a live query. key: the primary key, or else the rowid; in a
    live query what tells its rows apart. Where a model is watched it has the values of records, so that find(model,
    *key) takes it; else those of the file. old, new: the row before and after, where asked for. position: where the row
    stands in a live query's new result; None where it left it, and in a table.
    """

    kind: ChangeKind
    table: str | None
    row_id: int
    key: tuple[Any, ...]
    old: R | None
    new: R | None
    position: int | None


@dataclass(frozen=True)
class Event(Generic[R]):
    """What one transaction did, of what is watched.

    is_foreign: another connection committed, in this process or another one. changes: each row once; of a live query
    first those that left its result, then the others in its order. rows: the new result of a live query, else [].
    """

    is_foreign: bool
    changes: list[RowChange[R]]
    rows: list[R]


class _Watch(Waiting[ObserverHandle, E]):
    """What observers of rows and of values have alike."""

    _instead = "begin another with observe() or observe_live()"

    def __init__(self, database: Database) -> None:
        super().__init__()
        # The database lives as long as somebody listens.
        self._database = database

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.cancel()

    def __del__(self) -> None:
        if self._handle:
            if self._database._open:
                warnings.warn(
                    f"observer of {self._database!r} not cancelled", ResourceWarning, source=self, stacklevel=2
                )
            self.cancel()

    def _descriptor_of(self, handle: ObserverHandle) -> int:
        return native_observation.descriptor(handle)


class Observer(_Watch[Event[R]]):
    """A watch, given by Database.observe() and observe_live(). Ended by cancel(), `with` or its database's close.

    Without a callback its events wait to be taken: by next(), a `for` loop, which waits for them, or an `async for`.
    """

    def __init__(self, database: Database, load: Callable[[list[Any]], list[R]] | None, key: KeyLoader | None) -> None:
        super().__init__(database)
        self._load = load
        self._load_key = key

    def _begin(
        self,
        options: Mapping[str, Any],
        query: Mapping[str, Any] | None,
        values: bytes | None,
        callback: Callable[[Event[R]], object] | None,
        on_error: Callable[[Error], object] | None,
    ) -> Self:
        tell = None if callback is None else _teller(self._event, callback, on_error)
        self._handle = native_observation.observe(self._database._handle, options, query, values, tell)
        _watches.add(self)
        return self

    def _take_from(self, handle: ObserverHandle) -> Event[R] | Nothing:
        event = native_observation.next_event(handle)
        if isinstance(event, bool):
            return Nothing.EVER if event else Nothing.YET
        return self._event(event)

    def _event(self, event: native_observation.Event) -> Event[R]:
        is_foreign, changes, rows = event
        return Event(is_foreign, [self._change(change) for change in changes], self._rows(rows or []))

    def _change(self, change: native_observation.Change) -> RowChange[R]:
        kind, table, row_id, key, old, new, position = change
        before, after = self._row(old), self._row(new)
        if self._load_key and key:
            key = self._load_key(key)
        return RowChange(_KINDS[kind], table or None, row_id, key, before, after, None if position < 0 else position)

    def _row(self, row: tuple[Any, ...] | None) -> R | None:
        return None if row is None else self._rows([row])[0]

    def _rows(self, rows: list[Any]) -> list[R]:
        return self._load(rows) if self._load and rows else rows


class ValueObserver(_Watch[V]):
    """A watch on what a function reads, given by Database.observe(). Ended by cancel(), `with` or the database's close.

    Without a callback its values wait to be taken, of several the newest: by next(), a `for` loop, which waits for
    them, or an `async for`. What the function raises is raised there.
    """

    def __init__(self, database: Database, body: Callable[[Database], V]) -> None:
        super().__init__(database)
        self._body = body
        # Read, and to be told; and what was told last.
        self._kept: V | Exception | Any = MISSING
        self._told: V | Any = MISSING
        self._failure: Exception | None = None

    def _begin(self, callback: Callable[[V], object] | None, on_error: Callable[[Exception], object] | None) -> Self:
        itself = weakref.ref(self)

        def read() -> bool:
            watch = itself()
            return watch is not None and watch._read()

        def tell(event: native_observation.Event | Error) -> None:
            watch = itself()
            if watch is None or callback is None:
                return
            value = watch._newest(event if isinstance(event, Error) else None)
            if not isinstance(value, _Raised):
                if value is not MISSING:
                    callback(value)
            elif on_error is None:
                raise value.error
            else:
                on_error(value.error)

        teller = None if callback is None else tell
        try:
            self._handle = native_observation.observe(self._database._handle, {}, None, None, teller, read)
        except Error as error:
            # What a sync refuses that the body asked for is no failure of the body's.
            if self._failure is None or error.code != "CORM_E_CALLBACK":
                raise
            raise self._failure from None
        _watches.add(self)
        return self

    def _read(self) -> bool:
        """Whether there is something to tell."""
        try:
            value: Any = self._body(self._database)
        except Exception as error:
            if self._handle is None and self._told is MISSING:
                self._failure = error
                raise
            value = _Raised(error)
        told = self._told
        is_new = isinstance(value, _Raised) or told is MISSING or isinstance(told, _Raised) or not bool(value == told)
        self._kept = value if is_new else MISSING
        return is_new

    def _newest(self, error: Error | None = None) -> Any:
        """What was read and is to be told, once; MISSING: nothing."""
        kept, self._kept = (self._kept, MISSING) if error is None else (_Raised(error), MISSING)
        if kept is not MISSING:
            self._told = kept
        return kept

    def _take_from(self, handle: ObserverHandle) -> V | Nothing:
        while True:
            event = native_observation.next_event(handle)
            if isinstance(event, bool):
                return Nothing.EVER if event else Nothing.YET
            value = self._newest()
            if isinstance(value, _Raised):
                raise value.error
            if value is not MISSING:
                taken: V = value
                return taken


class _Raised:
    """What a body raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _teller(
    make: Callable[[native_observation.Event], Event[R]],
    callback: Callable[[Event[R]], object],
    on_error: Callable[[Error], object] | None,
) -> Callable[[native_observation.Event | Error], object]:
    def tell(event: native_observation.Event | Error) -> object:
        if not isinstance(event, Error):
            return callback(make(event))
        if on_error is None:
            raise event
        return on_error(event)

    return tell


@overload
def observe(  # type: ignore[overload-overlap]
    database: Database,
    what: type[M],
    /,
    *,
    key: Any = ...,
    values: bool = ...,
    latest_only: bool = ...,
    callback: Callable[[Event[M]], object] | None = ...,
) -> Observer[M]: ...
@overload
def observe(
    database: Database,
    what: Callable[[Database], V],
    /,
    *,
    callback: Callable[[V], object] | None = ...,
    on_error: Callable[[Exception], object] | None = ...,
) -> ValueObserver[V]: ...
@overload
def observe(
    database: Database,
    what: Query[Any] | Region | Sequence[Region] | str,
    bindings: Bindings = ...,
    /,
    *,
    values: bool = ...,
    latest_only: bool = ...,
    callback: Callable[[Event[tuple[Any, ...]]], object] | None = ...,
    **parameters: Any,
) -> Observer[tuple[Any, ...]]: ...
def observe(
    database: Database,
    what: Any,
    bindings: Bindings = (),
    /,
    *,
    key: Any = None,
    values: bool = False,
    latest_only: bool = False,
    callback: Callable[[Any], object] | None = None,
    on_error: Callable[[Exception], object] | None = None,
    **parameters: Any,
) -> Observer[Any] | ValueObserver[Any]:
    """Begins a watch: each transaction that changes what is watched gives one event, once it is committed.

    what: a model, and with key its one record (a tuple for a key of several columns); a region, or a list of them;
    or a query or SQL, with its parameters, for what it reads; or a function of the database that reads.

    A function is called now, and again after each commit that changes what its statements read, by this program or
    another one: on one snapshot, on the thread that has committed, or on one of the library. Its values are told in
    place of events, those that are equal to the one before left out; what it raises at first is raised here, later
    given to on_error or to who takes the next value.

    values: changes come with the row before and after: as records of the model that is watched, else as tuples.
    latest_only: one event of all that have not been taken, each row with what became of it.
    """
    if callable(what) and not isinstance(what, type):
        if bindings or parameters or key is not None or values or latest_only:
            raise ProgrammingError(
                "options beside a function that reads",
                hint="let the function have them, and give callback and on_error",
            )
        return ValueObserver(database, what)._begin(callback, on_error)
    if on_error is not None:
        raise ProgrammingError("on_error without a function that reads", hint="give it to observe_live()")
    options: dict[str, Any] = {"values": values, "latest_only": latest_only}
    query: dict[str, Any] | None = None
    data: bytes | None = None
    load = load_key = None
    if not isinstance(what, Query | str) and (bindings or parameters):
        raise ProgrammingError(
            "parameters of what is no query",
            hint="give several regions as a list, and parameters to a query or SQL",
        )
    if not isinstance(what, type) and key is not None:
        raise ProgrammingError("a key without a model", hint="give the key of a model's record")
    if isinstance(what, Query):
        query, data = _query_of(what), what._parameters(bindings, parameters)
    elif isinstance(what, str):
        query, data = {"sql": what}, dump_query_values(None, what, bindings, parameters)
    elif isinstance(what, type):
        info = info_of(what)
        options["model"], load, load_key = info.handle, info.load, info.key_loader()
        if key is not None:
            data = info.dump_key(key if isinstance(key, tuple) else (key,))
    else:
        regions = [what] if isinstance(what, Region) else list(what)
        if wrong := [item for item in regions if not isinstance(item, Region)]:
            raise ProgrammingError(f"{wrong[0]!r} is no Region", hint="watch several models with an observer each")
        options["regions"] = [{"table": item.table, "columns": list(item.columns)} for item in regions]
    return Observer(database, load, load_key)._begin(options, query, data, callback, None)


@overload
def observe_live(
    database: Database,
    query: Query[R],
    /,
    *,
    key: Sequence[str] = ...,
    callback: Callable[[Event[R]], object] | None = ...,
    on_error: Callable[[Error], object] | None = ...,
    bindings: Mapping[str, Any] = ...,
    **parameters: Any,
) -> Observer[R]: ...
@overload
def observe_live(
    database: Database,
    model: type[M],
    /,
    sql: str | None = ...,
    bindings: Bindings = ...,
    *,
    key: Sequence[str] = ...,
    callback: Callable[[Event[M]], object] | None = ...,
    on_error: Callable[[Error], object] | None = ...,
    order_by: str | Sequence[str] = ...,
    limit: int | None = ...,
    offset: int = ...,
    **attributes: Any,
) -> Observer[M]: ...
@overload
def observe_live(
    database: Database,
    model: None,
    /,
    sql: str,
    bindings: Bindings = ...,
    *,
    key: Sequence[str] = ...,
    callback: Callable[[Event[tuple[Any, ...]]], object] | None = ...,
    on_error: Callable[[Error], object] | None = ...,
) -> Observer[tuple[Any, ...]]: ...
def observe_live(
    database: Database,
    model: Any,
    /,
    sql: str | None = MISSING,
    bindings: Bindings = (),
    *,
    key: Sequence[str] = (),
    callback: Callable[[Event[Any]], object] | None = None,
    on_error: Callable[[Error], object] | None = None,
    order_by: str | Sequence[str] = MISSING,
    limit: int | None = MISSING,
    offset: int = MISSING,
    **attributes: Any,
) -> Observer[Any]:
    """Runs a query, as fetch_all takes it, now and after each change of what it reads.

    Its result is told where it is another than before. Without a model SQL gives tuples.

    key: columns of the result that tell its rows apart; () is the model's key, or else the whole row.
    """
    options: dict[str, Any] = {"live": True, "key_columns": list(key)}
    info: ModelInfo | None
    if isinstance(model, Query):
        if has_sql(sql) or any(given is not MISSING for given in (order_by, limit, offset)):
            raise ProgrammingError(
                "SQL, order_by, limit or offset with a query",
                hint="use the query's methods; give parameters of these names in bindings",
            )
        model._refuse_loads("a live query")
        if getattr(model._shape, "has_records", False):
            raise ProgrammingError(
                "a live query gives records of one model, or columns",
                hint="select the model that matters most, and load() those of others when it changes",
            )
        query, data = _query_of(model), model._parameters(bindings, attributes)
        options["model"] = model._shape.handle
        load = model._shape.load_stored if isinstance(model._shape, TupleShape) else model._shape.load
        info = model._shape if isinstance(model._shape, ModelInfo) else None
    else:
        info = None if model is None else info_of(model)
        sql = option(info, "sql", sql, None)
        related = related_attributes(info, sql, bindings, attributes) if info else {}
        data = None if related else dump_query_values(info, sql, bindings, attributes)
        order_by = option(info, "order_by", order_by, ())
        names = [order_by] if isinstance(order_by, str) else list(order_by)
        query = {"sql": sql, "order_by": names}
        query |= {"limit": limit_option(info, limit, 0), "offset": option(info, "offset", offset, 0)}
        if related and info:
            asked = related_query(info, related, names, query["limit"], query["offset"])
            query = _query_of(asked)
        if info is None and sql is None:
            raise ProgrammingError("neither a model nor SQL to watch", hint="give one of them")
        options["model"] = info.handle if info else None
        load = info.load if info else None
    load_key = info.row_key_loader(key) if info else None
    return Observer(database, load, load_key)._begin(options, query, data, callback, on_error)


def _query_of(query: Query[Any]) -> dict[str, Any]:
    return {"statement": query._compile().handle}


@atexit.register
def _cancel_all() -> None:
    """The library's thread must not call into an interpreter that ends."""
    with ExitStack() as cancelling:
        for observer in list(_watches):
            cancelling.callback(observer.cancel)
