"""What an annotation says of a column: its type, and the conversion of its values where rows hold another."""

from __future__ import annotations

import types
from enum import Enum, Flag
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, is_typeddict

from ._document import document_transform
from .error import ProgrammingError
from .value import COLUMN_TYPES, PYTHON_TYPES, Transform, type_name


class Kind(NamedTuple):
    """The type of a column; the conversion where it is not that of the type; the values that there are, where few."""

    type_name: str
    transform: Transform | None = None
    choices: tuple[Any, ...] = ()


# What is JSON as it is, and comes back as it went.
_JSON_TYPES = (dict, list, str, int, float, bool, type(None), Any)
UNIONS = (Union, types.UnionType)


def unwrapped(annotation: Any) -> Any:
    """Of NewType("UserId", int) and of `type Name = str` what stands behind it."""
    while (inner := getattr(annotation, "__supertype__", None) or getattr(annotation, "__value__", None)) is not None:
        if isinstance(annotation, type):
            break
        annotation = inner
    return annotation


def kind_of(annotation: Any, where: str) -> Kind | None:
    """What a column of an annotation without None is; None where no column has such values."""
    origin: Any = get_origin(annotation)
    if origin in UNIONS:
        parts = [unwrapped(part) for part in get_args(annotation)]
        enums = [part for part in parts if _is_enum(part)]
        others = [part for part in parts if not _is_enum(part)]
        if len(enums) == 1 and len(others) == 1:
            kind = _enum(enums[0], where, keeps=others[0])
            return kind if PYTHON_TYPES.get(others[0]) == kind.type_name else None
        return (
            Kind("json", document_transform(annotation, where)) if any(_is_structured(part) for part in parts) else None
        )
    if _is_enum(annotation):
        return _enum(annotation, where)
    if origin is Literal:
        return _literal(get_args(annotation), where)
    if _is_structured(annotation):
        return Kind("json", document_transform(annotation, where))
    name = PYTHON_TYPES.get(origin or annotation)
    return None if name is None else Kind(name)


def json_kind(annotation: Any, where: str) -> Kind:
    """What a column is that holds the values of an annotation as JSON."""
    return Kind("json", document_transform(annotation, where)) if _is_structured(annotation) else Kind("json")


def own_transform(name: str, transform: Transform | None) -> bool:
    """Whether a conversion is not that of the column's type."""
    return transform is not None and transform is not COLUMN_TYPES[name].transform


# --- Enums and Literal ---


def _is_enum(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Enum)


def _stored_type(values: tuple[Any, ...], where: str) -> str:
    for kind, name in ((str, "text"), (int, "int64")):
        if values and all(isinstance(value, kind) and not isinstance(value, bool) for value in values):
            return name
    raise ProgrammingError(
        f"{where} has values that are neither all texts nor all integers",
        code="CORM_E_MODEL",
        hint="give column(type=..., transform=Transform(...))",
    )


def _enum(enum: type[Enum], where: str, keeps: type | None = None) -> Kind:
    """keeps: the type that unknown values of the file are left in."""
    members = {member.value: member for member in enum}
    name = _stored_type(tuple(members), where)

    def encode(value: Any) -> Any:
        if isinstance(value, enum):
            return value.value
        if keeps is not None and isinstance(value, keeps):
            return value
        raise TypeError(f"expected {enum.__name__}, got {type_name(value)}")

    def decode(value: Any) -> Any:
        member = members.get(value)
        if member is not None:
            return member
        try:
            return enum(value)  # what Flag and _missing_ make of it
        except ValueError:
            if keeps is None:
                raise ValueError(f"the value is no {enum.__name__}") from None
            return value

    # Of a Flag members are joined, so that there are more values.
    return Kind(name, Transform(encode, decode), () if issubclass(enum, Flag) else tuple(members))


def _literal(values: tuple[Any, ...], where: str) -> Kind:
    name = _stored_type(values, where)
    known = frozenset(values)

    def check(value: Any) -> Any:
        if type(value) is bool or value not in known:
            raise ValueError(f"the value is none of {', '.join(map(repr, values))}")
        return value

    return Kind(name, Transform(check, check), values)


# --- Values that JSON has another form of ---


def _is_structured(annotation: Any) -> bool:
    """Whether JSON has its values in another form: those of dataclasses, pydantic's models, tuples and sets, and what
    holds any of them."""
    annotation = unwrapped(annotation)
    origin: Any = get_origin(annotation)
    if origin in (list, dict, *UNIONS):
        return any(not _is_json(item) for item in get_args(annotation))
    kind: Any = origin or annotation
    if not isinstance(kind, type):
        return False
    return (
        issubclass(kind, tuple | set | frozenset)
        or hasattr(kind, "__dataclass_fields__")
        or hasattr(kind, "__pydantic_validator__")
    )


def _is_json(annotation: Any) -> bool:
    annotation = unwrapped(annotation)
    origin: Any = get_origin(annotation)
    if origin in (list, dict, *UNIONS):
        return all(map(_is_json, get_args(annotation)))
    return annotation in _JSON_TYPES or is_typeddict(annotation)
