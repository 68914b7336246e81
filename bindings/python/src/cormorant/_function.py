"""Functions and collations of the program's own, which SQL calls."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints, overload

from ._native import function as native_function
from ._text_option import refuse_no_text
from .error import DataError, ProgrammingError
from .value import COLUMN_TYPES, PYTHON_TYPES, encode_json, file_decoder, plain_value, type_name

if TYPE_CHECKING:
    from .database import Database

F = TypeVar("F", bound=Callable[..., Any])


class Aggregate(Protocol):
    """What Database.register_aggregate() takes: a class of which each group of rows has an instance.

    inverse(), which it need not have, takes the row out again that came first: with it the aggregate may stand over any
    window.
    """

    def value(self) -> Any:
        """The value of the rows that came, and were not taken out."""
        ...


A = TypeVar("A", bound=type[Aggregate])
_GREATEST_COUNT = 127


@overload
def register_function(
    database: Database, function: F, /, *, name: str | None = ..., deterministic: bool = ..., in_schema: bool = ...
) -> F: ...
@overload
def register_function(
    database: Database, /, *, name: str | None = ..., deterministic: bool = ..., in_schema: bool = ...
) -> Callable[[F], F]: ...
def register_function(
    database: Database,
    function: Any = None,
    /,
    *,
    name: str | None = None,
    deterministic: bool = False,
    in_schema: bool = False,
) -> Any:
    """Makes a function known to SQL, in place of one of its name and numbers of arguments; also as a decorator.

    Arguments come as they are annotated: int, float, bool, str, bytes, datetime, UUID, Decimal, dict or list (of JSON),
    each also `| None`; one that is something else, or NULL, is a DataError. Without an annotation they come as the file
    has them, and times, UUIDs and decimals are texts. What it returns is taken as a binding is. What it raises is the
    `__cause__` of the error of the statement, which is rolled back; it must not use this database.

    name: its own by default. deterministic: whether the same arguments always give the same value, so that SQLite may
    call it once for many rows; an index, a computed column and a CHECK take no other. in_schema: whether triggers,
    views, indexes, computed columns and CHECKs of the file may call it. Then the file can be changed only by programs
    that have the function.

    It is called on the thread of whoever runs the statement, by several at once, and lives as long as the database.
    """
    if function is None:
        return lambda given: register_function(
            database, given, name=name, deterministic=deterministic, in_schema=in_schema
        )
    called = _name(function) if name is None else name
    counts, hints = _signature(function, called)
    returned = hints.pop("return", None)
    decoders = _Decoders(called, function, hints)

    def run(arguments: Sequence[Any]) -> Any:
        return _encode(function(*decoders.decode(arguments)), returned)

    for count in counts:
        native_function.register_function(database._handle, _members(called, count, deterministic, in_schema), run)
    return function


@overload
def register_aggregate(
    database: Database, kind: A, /, *, name: str | None = ..., deterministic: bool = ..., in_schema: bool = ...
) -> A: ...
@overload
def register_aggregate(
    database: Database, /, *, name: str | None = ..., deterministic: bool = ..., in_schema: bool = ...
) -> Callable[[A], A]: ...
def register_aggregate(
    database: Database,
    kind: Any = None,
    /,
    *,
    name: str | None = None,
    deterministic: bool = False,
    in_schema: bool = False,
) -> Any:
    """Makes an aggregate known to SQL: a class with step(arguments...) and value(), of which each group of rows has an
    instance; also as a decorator. With inverse(arguments...), which takes the row out that came first, it may stand
    over any window. Types and all else are as in register_function(), by the annotations of step() and value().
    """
    if kind is None:
        return lambda given: register_aggregate(
            database, given, name=name, deterministic=deterministic, in_schema=in_schema
        )
    called = _name(kind) if name is None else name
    if not (callable(getattr(kind, "step", None)) and callable(getattr(kind, "value", None))):
        raise ProgrammingError(
            f"the aggregate {called} lacks step() or value()",
            hint="give a class that has both, or a function of one row",
        )
    counts, hints = _signature(kind.step, called, skipped=1)
    returned = _hints(kind.value).get("return")
    decoders = _Decoders(called, kind.step, hints, skipped=1)

    class Group:
        def __init__(self) -> None:
            self.of = kind()

        def step(self, arguments: Sequence[Any]) -> object:
            return self.of.step(*decoders.decode(arguments))

        def inverse(self, arguments: Sequence[Any]) -> object:
            return self.of.inverse(*decoders.decode(arguments))

        def value(self) -> Any:
            return _encode(self.of.value(), returned)

    slides = callable(getattr(kind, "inverse", None))
    for count in counts:
        members = _members(called, count, deterministic, in_schema)
        native_function.register_aggregate(database._handle, members, Group, slides)
    return kind


def remove_function(database: Database, name: str, arguments: int = -1) -> None:
    """Takes a function or an aggregate away; arguments: how many it has, -1 for one that takes any number."""
    native_function.register_function(database._handle, _members(name, arguments, False, False), None)


def register_collation(database: Database, name: str, compare: Callable[[str, str], int] | None) -> None:
    """Makes an order of texts known to SQL: compare(left, right) is below 0, 0 or above 0, as locale.strcoll() is. None
    takes it away.

    It must always agree with itself: an index that a collation made which does not loses rows. Every program needs it
    that reads or writes a table with such an index or column. A statement in which it raises fails and changes nothing;
    one that writes takes the transaction that it is in with it.
    """
    native_function.register_collation(database._handle, name, compare)


def _members(name: str, count: int, deterministic: bool, in_schema: bool) -> dict[str, Any]:
    refuse_no_text("the function", "name", name)
    return {"name": name, "argument_count": count, "is_deterministic": deterministic, "in_schema": in_schema}


def _name(function: Any) -> str:
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or not name.isidentifier():
        raise ProgrammingError(f"{function!r} has no name that SQL could call it by", hint='give name="..."')
    return name


def _hints(function: Any) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except Exception:
        # Of what has none, as functions written in C, or names that only a type checker knows.
        return {}


def _signature(function: Any, name: str, skipped: int = 0) -> tuple[Sequence[int], dict[str, Any]]:
    """The numbers of arguments that it can be called with, and its annotations."""
    if not callable(function):
        raise ProgrammingError(f"the function {name} is {type_name(function)}", hint="give what can be called")
    try:
        from inspect import signature  # which takes long to import

        parameters = list(signature(function).parameters.values())[skipped:]
    except ValueError:
        raise ProgrammingError(
            f"{name} does not say what arguments it has", hint="wrap it: lambda value: ..., with name=..."
        ) from None
    positional = [item for item in parameters if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]
    required = [item.name for item in parameters if item.kind is item.KEYWORD_ONLY and item.default is item.empty]
    if required:
        raise ProgrammingError(
            f"the function {name} needs {required[0]} by keyword, which SQL cannot give", hint="give it a default"
        )
    if any(item.kind is item.VAR_POSITIONAL for item in parameters):
        return (-1,), _hints(function)
    least = sum(item.default is item.empty for item in positional)
    if len(positional) > _GREATEST_COUNT:
        raise ProgrammingError(f"the function {name} has {len(positional)} arguments", hint="SQLite takes 127")
    return range(least, len(positional) + 1), _hints(function)


class _Decoders:
    """What makes of values of SQL those that a function's annotations name."""

    def __init__(self, name: str, function: Any, hints: dict[str, Any], skipped: int = 0) -> None:
        self._name = name
        from inspect import signature  # which takes long to import

        parameters = list(signature(function).parameters.values())[skipped:]
        self._kinds = [_kind(hints.get(item.name)) for item in parameters if item.kind is not item.VAR_POSITIONAL]
        others = [item for item in parameters if item.kind is item.VAR_POSITIONAL]
        self._others = _kind(hints.get(others[0].name)) if others else None
        self._is_plain = self._others is None and not any(self._kinds)

    def decode(self, arguments: Sequence[Any]) -> Sequence[Any]:
        if self._is_plain:
            return arguments
        return [self._decoded(position, value) for position, value in enumerate(arguments)]

    def _decoded(self, position: int, value: Any) -> Any:
        kind = self._kinds[position] if position < len(self._kinds) else self._others
        if kind is None:
            return value
        expected, optional = kind
        if value is None:
            if optional:
                return None
            raise self._wrong(position, "NULL", expected, f"annotate it {expected.__name__} | None to take NULL")
        if expected is float and type(value) is int:
            return float(value)
        column = PYTHON_TYPES[expected]
        stored: Any = {"int64": int, "bool": int, "double": float, "blob": bytes}.get(column, str)
        decode = file_decoder(column, COLUMN_TYPES[column].transform)
        fits = type(value) is stored and not (expected is bool and value not in (0, 1))
        try:
            if fits:
                return decode(value) if decode else value
        except (ValueError, ArithmeticError):
            pass
        raise self._wrong(position, repr(value)[:100], expected, "give such a value, or CAST it")

    def _wrong(self, position: int, value: str, expected: type, hint: str) -> DataError:
        return DataError(
            f"argument {position + 1} of {self._name} is {value}, not {type_name(expected)}",
            code="CORM_E_TYPE",
            hint=hint,
        )


def _kind(annotation: Any) -> tuple[Any, bool] | None:
    """A type that columns have, and whether it may be None; None where values stay as they are."""
    optional = False
    if get_origin(annotation) in (Union, types.UnionType):
        others = [item for item in get_args(annotation) if item is not type(None)]
        optional = len(others) < len(get_args(annotation))
        annotation = others[0] if len(others) == 1 else None
    annotation = get_origin(annotation) or annotation
    has_type = annotation is not Any and isinstance(annotation, type) and annotation in PYTHON_TYPES
    return (annotation, optional) if has_type else None


def _encode(value: Any, annotation: Any) -> Any:
    kind = _kind(annotation)
    if value is not None and kind and kind[0] in (dict, list):
        return encode_json(value)
    return plain_value(value)
