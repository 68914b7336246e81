"""The calls of the library on functions and collations of the program's, which SQL calls."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from . import abi
from .call import call, failed, ran
from .handle import DatabaseHandle
from .kept import keep, kept, release
from .library import TYPES, int64, library, utf8
from .struct import make_struct


class Aggregate(Protocol):
    """The rows of one group."""

    def step(self, arguments: Sequence[Any]) -> object: ...

    def inverse(self, arguments: Sequence[Any]) -> object: ...

    def value(self) -> Any: ...


_pointers = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Call = ctypes.CFUNCTYPE(ctypes.c_int32, *_pointers)
_Step = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p
)
_Value = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Compare = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_void_p,
)
_VALUE = TYPES["corm_value"]


# A signal's handler is called before a function's first line, and what it raises ends it there: ctypes tells nobody,
# and gives the library whatever lay in memory.
library.corm_python_set_confirming(release)


def _arguments(address: int | None, count: int) -> list[Any]:
    return [_value(value) for value in (_VALUE * count).from_address(address)] if address else []


def _value(value: Any) -> Any:
    kind = value.type
    if kind == abi.CORM_VALUE_INTEGER:
        return ctypes.c_int64.from_address(_union(value)).value
    if kind == abi.CORM_VALUE_REAL:
        return ctypes.c_double.from_address(_union(value)).value
    if kind == abi.CORM_VALUE_NULL:
        return None
    data = ctypes.c_void_p.from_address(_union(value)).value
    size = ctypes.c_size_t.from_address(_union(value) + ctypes.sizeof(ctypes.c_void_p)).value
    found = ctypes.string_at(data, size) if data else b""
    return found.decode() if kind == abi.CORM_VALUE_TEXT else found


def _union(value: Any) -> int:
    return ctypes.addressof(value) + ctypes.sizeof(_VALUE) - 2 * ctypes.sizeof(ctypes.c_void_p)


def _give(answer: int | None, given: Any) -> None:
    value = _VALUE()
    place = _union(value)
    if given is None:
        pass
    elif isinstance(given, int):
        number = int64(given, "an integer that it returns", "return a smaller one, a float or a text")
        value.type = abi.CORM_VALUE_INTEGER
        ctypes.c_int64.from_address(place).value = number
    elif isinstance(given, float):
        value.type = abi.CORM_VALUE_REAL
        ctypes.c_double.from_address(place).value = given
    else:
        value.type = abi.CORM_VALUE_TEXT if isinstance(given, str) else abi.CORM_VALUE_BLOB
        data = given.encode() if isinstance(given, str) else given
        buffer = ctypes.create_string_buffer(data, len(data) + 1)
        ctypes.c_void_p.from_address(place).value = ctypes.addressof(buffer)
        ctypes.c_size_t.from_address(place + ctypes.sizeof(ctypes.c_void_p)).value = len(data)
    call(library.corm_answer_set, answer, ctypes.byref(value))


def _call(name: str, function: Callable[[list[Any]], Any]) -> Any:
    def run(arguments: int | None, count: int, answer: int | None, _context: object, out_error: int | None) -> int:
        try:
            _give(answer, function(_arguments(arguments, count)))
            return ran(out_error)
        except BaseException as error:
            return failed(name, error, out_error)

    return _Call(run)


def _changing(name: str, make: Callable[[], Aggregate], change: Callable[[Aggregate, list[Any]], object]) -> Any:
    def run(state: int | None, arguments: int | None, count: int, _context: object, out_error: int | None) -> int:
        try:
            place = ctypes.c_void_p.from_address(state or 0)
            if not place.value:
                place.value = keep(make())
            change(kept[place.value or 0], _arguments(arguments, count))
            return ran(out_error)
        except BaseException as error:
            return failed(name, error, out_error)

    return _Step(run)


def _valuing(name: str, make: Callable[[], Aggregate]) -> Any:
    def run(state: int | None, answer: int | None, _context: object, out_error: int | None) -> int:
        try:
            _give(answer, (kept[state] if state else make()).value())
            return ran(out_error)
        except BaseException as error:
            return failed(name, error, out_error)

    return _Value(run)


def _register(database: DatabaseHandle, members: dict[str, Any], functions: dict[str, Any]) -> None:
    pointers = {member: ctypes.cast(function, ctypes.c_void_p).value for member, function in functions.items()}
    if functions:
        pointers |= {"context": keep(functions), "release": release}
    call(
        library.corm_database_register_function,
        database,
        ctypes.byref(make_struct("corm_function", {**members, **pointers})),
    )


def register_function(
    database: DatabaseHandle, members: dict[str, Any], function: Callable[[list[Any]], Any] | None
) -> None:
    """members: those of a corm_function that say what it is like. None takes it away."""
    _register(
        database, members, {} if function is None else {"call": _call(f"the function {members['name']}", function)}
    )


def register_aggregate(
    database: DatabaseHandle, members: dict[str, Any], make: Callable[[], Aggregate], slides: bool
) -> None:
    name = f"the aggregate {members['name']}"
    functions = {
        "step": _changing(name, make, lambda group, arguments: group.step(arguments)),
        "value": _valuing(name, make),
    }
    if slides:
        functions["inverse"] = _changing(name, make, lambda group, arguments: group.inverse(arguments))
    _register(database, {**members, "release_state": release}, functions)


def register_collation(database: DatabaseHandle, name: str, compare: Callable[[str, str], int] | None) -> None:
    if compare is None:
        call(library.corm_database_register_collation, database, utf8(name), None, None, None)
        return
    compared = compare

    def run(left: int, left_size: int, right: int, right_size: int, _context: object, out_error: int | None) -> int:
        try:
            order = compared(_text(left, left_size), _text(right, right_size))
            ran(out_error)
            return (order > 0) - (order < 0)
        except BaseException as error:
            failed(f"the collation {name}", error, out_error)
            return 0

    function = _Compare(run)
    pointer = ctypes.cast(function, ctypes.c_void_p).value
    call(library.corm_database_register_collation, database, utf8(name), pointer, keep(function), release)


def _text(address: int, size: int) -> str:
    # What is no UTF-8 stays apart from all else.
    return ctypes.string_at(address, size).decode("utf-8", "surrogateescape")
