"""Documents: values that pydantic makes JSON of. They come back equal, or are refused."""

from __future__ import annotations

import copy
import importlib
import math
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from .error import ProgrammingError
from .value import PLAIN, Transform, type_name

Step = str | int
_UNSET: Any = object()


def place_of(steps: Iterable[Step]) -> str:
    """A place in a document, as messages about JSON have it: $[3].price."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


class Lossy(TypeError):
    """A value that is not what would be read of it."""

    def __init__(self, message: str, steps: tuple[Step, ...], hint: str) -> None:
        super().__init__(f"{message} at {place_of(steps)}" if steps else message)
        self.hint = hint


def document_transform(annotation: Any, where: str) -> Transform:
    """The conversion of a column of documents; where: for messages."""
    try:
        pydantic: Any = importlib.import_module("pydantic")
    except ImportError:
        raise ProgrammingError(
            f"{where} has a type whose values pydantic would make JSON of, and it is not installed",
            code="CORM_E_MODEL",
            hint="install it with: pip install pydantic; or give column(json=True, transform=Transform(...))",
        ) from None
    adapters: list[tuple[Any, bool]] = []

    def adapter() -> tuple[Any, bool]:
        # Made when first used: what the annotation names may not be complete before.
        if not adapters:
            made = pydantic.TypeAdapter(annotation)
            adapters.append((made, _has_sets(made.core_schema)))
        return adapters[0]

    def encode(value: Any) -> str:
        try:
            documents, has_sets = adapter()
            ordered = _ordered(value) if has_sets else value
            text: bytes = documents.dump_json(ordered, by_alias=True, warnings="error")
        except pydantic.PydanticSchemaGenerationError as error:
            raise TypeError(f"JSON has no form of its type: {error.message}") from None
        except ValueError:
            raise TypeError(f"got {type_name(value)}, which is not what the annotation says") from None
        try:
            back = documents.validate_json(text)
        except pydantic.ValidationError as error:
            raise Lossy(f"it could not be read: {_misfit(error)}", (), _HINT) from None
        if not _is_equal(value, back):
            _require_same(value, back, ())
        return text.decode()

    def decode(text: str) -> Any:
        try:
            return adapter()[0].validate_json(text)
        except pydantic.ValidationError as error:
            raise ValueError(f"the document does not fit: {_misfit(error)}") from None

    return Transform(encode, decode)


def _misfit(error: Any) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    place = f" at {place_of(first['loc'])}" if first["loc"] else ""
    return f"{first['msg']}{place}"


# --- What comes back ---

_HINT = "give its class a serializer and a validator that keep it, or the column a transform"
_CLASS_HINT = "annotate the column with the class itself, and tell the classes of a union apart by a discriminator"
_FLOAT_HINT = "give None, or the class ConfigDict(ser_json_inf_nan='strings')"
_SECRET_HINT = (
    "give the field a serializer that writes what it hides, such as "
    "PlainSerializer(lambda it: it.get_secret_value(), when_used='json')"
)


def _is_equal(given: Any, back: Any) -> bool | None:
    """Whether they compare as equal; None where they do not say."""
    try:
        equal = given == back
        return bool(equal.all() if hasattr(equal, "all") else equal)  # of arrays
    except Exception:
        return None


def _require_same(given: Any, back: Any, steps: tuple[Step, ...]) -> None:
    """Refuses what is another in what was read, by its parts: equality may be that of objects, or of more than these.

    Called of what does not compare as equal.
    """
    names = _fields(given)
    if names is not None and type(given) is type(back):
        names += getattr(given, "__pydantic_extra__", None) or ()
        parts: Iterable[tuple[Step, Any, Any]] = (
            (name, getattr(given, name, _UNSET), getattr(back, name, _UNSET)) for name in names
        )
    elif isinstance(given, dict) and isinstance(back, dict) and given.keys() == back.keys():
        parts = ((name, item, back[name]) for name, item in given.items())
    elif any(isinstance(given, each) and isinstance(back, each) for each in (list, tuple, set | frozenset)):
        if len(given) != len(back):
            raise _lossy(given, back, steps)
        pair: Any = map(_sorted, (given, back)) if isinstance(given, set | frozenset) else (given, back)
        parts = ((number, *items) for number, items in enumerate(zip(*pair, strict=True)))
    elif _is_same(given, back):
        return
    else:
        raise _lossy(given, back, steps)
    for step, item, other in parts:
        if not _is_equal(item, other):
            _require_same(item, other, (*steps, step))


def _fields(value: Any) -> list[str] | None:
    """The fields of a dataclass or of pydantic's model, whose private attributes are no part of the document."""
    kind: Any = type(value)
    if (fields := getattr(kind, "__pydantic_fields__", None)) is not None:
        return list(fields)
    if not hasattr(kind, "__dataclass_fields__"):
        return None
    from dataclasses import fields as fields_of  # which takes long to import

    return [field.name for field in fields_of(value)]


def _is_same(given: Any, back: Any) -> bool:
    """Whether values are the same that do not compare as equal."""
    if isinstance(given, datetime) and isinstance(back, datetime):
        # Unequal by Python where clocks go back.
        return given.utcoffset() is not None and given.utcoffset() == back.utcoffset() and not given - back
    if isinstance(given, float) and isinstance(back, float):
        return math.isnan(given) and math.isnan(back)
    # Of objects that compare by identity, or not at all, nobody can tell.
    equals: Any = type(given).__eq__
    return type(given) is type(back) and (equals is object.__eq__ or _is_equal(given, back) is None)


def _lossy(given: Any, back: Any, steps: tuple[Step, ...]) -> Lossy:
    if isinstance(given, float) and not math.isfinite(given):
        return Lossy("a float that JSON has not,", steps, _FLOAT_HINT)
    known, found = type_name(given), type_name(back)
    hint = _HINT
    if _fields(given) is not None and known != found:
        hint = _CLASS_HINT
    elif hasattr(given, "get_secret_value"):
        hint = _SECRET_HINT
    if known == found:
        return Lossy(f"a value of type {known} would come back as another", steps, hint)
    return Lossy(f"{known} would come back as {found}", steps, hint)


# --- Sets: those that are equal are one text ---


def _has_sets(schema: Any) -> bool:
    """Whether values of pydantic's schema may have sets in them."""
    if isinstance(schema, dict):
        return schema.get("type") in ("set", "frozenset") or any(map(_has_sets, schema.values()))
    return isinstance(schema, list | tuple) and any(map(_has_sets, schema))


class _OrderedSet(set[Any]):
    """A set that is written in one order."""

    def __iter__(self) -> Iterator[Any]:
        return iter(_sorted(super().__iter__()))


class _OrderedFrozenset(frozenset[Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter(_sorted(super().__iter__()))


def _sorted(items: Iterable[Any]) -> list[Any]:
    """Numbers and texts by their value, others by their JSON."""
    items = list(items)
    if set(map(type, items)) in ({int}, {str}, {float}):
        return sorted(items)
    to_json: Callable[..., bytes] = importlib.import_module("pydantic_core").to_json
    return sorted(items, key=lambda item: to_json(item, fallback=str))


def _ordered(value: Any) -> Any:
    """The same with its sets in order."""
    if isinstance(value, list | tuple | set | frozenset):
        has_others = not PLAIN.issuperset(map(type, value))
        items: Any = list(map(_ordered, value)) if has_others else value
        if isinstance(value, set | frozenset):
            return (_OrderedSet if isinstance(value, set) else _OrderedFrozenset)(items)
        return value if items is value else items if isinstance(value, list) else tuple.__new__(type(value), items)
    if isinstance(value, dict):
        return dict(zip(map(_ordered, value), map(_ordered, value.values()), strict=True))
    names = _fields(value)
    if names is None:
        return value
    made = copy.copy(value)
    for name in names:
        if (item := getattr(value, name, _UNSET)) is not _UNSET:
            object.__setattr__(made, name, _ordered(item))
    return made
