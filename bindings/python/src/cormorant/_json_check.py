"""Whether the values of JSON columns are what their annotations say, such as list[str] or dict[str, int | None]."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints, is_typeddict

from ._annotation import UNIONS, unwrapped
from ._document import place_of
from .value import COLUMN_TYPES, JSON_NULL, OPTIONAL_JSON, Transform, encode_json, type_name

# Raises what does not fit.
Check: TypeAlias = Callable[[Any], None]

# As type checkers have it, an int is a float.
_SCALARS: dict[Any, tuple[type, ...]] = {
    str: (str,), int: (int,), float: (float, int), bool: (bool,), type(None): (type(None),),
}  # fmt: skip


class _Misfit(TypeError):
    """A value in a document that is not what is said of it."""

    def __init__(self, said: Any, value: Any) -> None:
        self.said = repr(said) if get_origin(said) else type_name(said)
        self.found = f"got {type_name(value)}"
        self.place: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        return f"expected {self.said}{f' at {place_of(self.place)}' if self.place else ''}, {self.found}"


class _Checked(Transform):
    """A conversion of what an annotation says alone; plain: the same of any JSON."""

    plain: Transform


def json_transform(annotation: Any, nullable: bool) -> Transform:
    """The conversion of a column of what JSON holds as it is. annotation: without the None of one that may be NULL."""
    plain = OPTIONAL_JSON if nullable else COLUMN_TYPES["json"].transform
    check = _check(annotation)
    assert plain is not None
    if check is None:
        return plain
    decode_plain = plain.decode

    def encode(value: Any) -> str:
        if not nullable or value is not JSON_NULL:
            check(value)
        return encode_json(value)

    def decode(text: str) -> Any:
        value = decode_plain(text)
        if not nullable or value is not JSON_NULL:
            check(value)
        return value

    made = _Checked(encode, decode)
    made.plain = plain
    return made


def unchecked(transform: Transform) -> Transform:
    return transform.plain if isinstance(transform, _Checked) else transform


def _check(said: Any) -> Check | None:
    """What checks values of which this is said; None where it says nothing."""
    said = unwrapped(said)
    kinds = _scalars(said)
    if kinds:

        def check(value: Any) -> None:
            if not isinstance(value, kinds):
                raise _Misfit(said, value)

        return check
    origin: Any = get_origin(said)
    if origin in UNIONS:
        return _check_union(said)
    if is_typeddict(said):
        return _check_typed_dict(said)
    return _check_items(said, origin or said) if (origin or said) in (list, dict) else None


def _scalars(said: Any) -> tuple[type, ...]:
    """The types of values that have none in them; () where there are others."""
    if get_origin(said) not in UNIONS:
        return _SCALARS.get(said, ())
    parts = [_scalars(unwrapped(part)) for part in get_args(said)]
    return tuple(kind for part in parts for kind in part) if all(parts) else ()


def _check_items(said: Any, kind: type[Any]) -> Check:
    items = get_args(said)[-1:]
    check_item = _check(items[0]) if items else None
    # What a list mostly holds is seen without a call for each.
    exact = frozenset(_scalars(unwrapped(items[0]))) if items else frozenset()

    def check(value: Any) -> None:
        if not isinstance(value, kind):
            raise _Misfit(said, value)
        if check_item is None or exact.issuperset(map(type, value if kind is list else value.values())):
            return
        _check_each(enumerate(value) if kind is list else value.items(), lambda step: check_item)

    return check


def _check_each(items: Iterable[tuple[Any, Any]], check_of: Callable[[Any], Check | None]) -> None:
    for step, item in items:
        check = check_of(step)
        if check is not None:
            try:
                check(item)
            except _Misfit as error:
                error.place = (step, *error.place)
                raise


def _check_union(said: Any) -> Check | None:
    checks = [part for item in get_args(said) if (part := _check(item))]
    if len(checks) < len(get_args(said)):
        return None

    def check(value: Any) -> None:
        deepest = _Misfit(said, value)
        for check_part in checks:
            try:
                check_part(value)
                return
            except _Misfit as error:
                if len(error.place) > len(deepest.place):
                    deepest = error
        raise deepest

    return check


def _check_typed_dict(said: Any) -> Check:
    members: dict[str, Check | None] = {}

    def check(value: Any) -> None:
        if not isinstance(value, dict):
            raise _Misfit(said, value)
        # Made when first used: what the annotation names may not be complete before.
        # Of a class in a function it may stay unknown.
        if not members:
            with suppress(NameError):
                members.update({name: _check(item) for name, item in get_type_hints(said).items()})
        if missing := said.__required_keys__ - value.keys():
            error = _Misfit(said, value)
            error.found = f"got a dict without {min(missing)!r}"
            raise error
        _check_each(value.items(), members.get)

    return check
