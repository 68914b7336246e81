"""What stands in expressions: their nodes, and those of values beside them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Flag
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeGuard

from ._annotation import own_transform
from ._json_check import unchecked
from ._native import abi
from ._native.abi import CORM_NODE_VALUE
from ._native.expression import Node
from ._parameter import Beside, parameter_node
from .error import DataError, ProgrammingError
from .value import (
    COLUMN_TYPES,
    PLAIN,
    as_plain,
    encode_offset_datetime,
    file_value,
    named_value,
    plain_value,
    type_name,
)

if TYPE_CHECKING:
    from .column import Column
    from .function import Parameter


class Operand:
    """What every expression is, also where its type is not known yet."""

    __slots__ = ("_column", "_node")

    # The expression as tree.h has it.
    _node: Node
    # The column whose values this has: it encodes what is compared with them and decodes what comes back.
    _column: Column[Any] | None


def is_parameter(value: object) -> TypeGuard[Parameter]:
    return isinstance(value, Operand) and value._node[0] == abi.CORM_NODE_PARAMETER


def columns_of_query(query: Any) -> tuple[Any, ...]:
    """What a query's rows are made of; nothing where it does not say."""
    columns: tuple[Any, ...] = getattr(getattr(query, "_shape", None), "columns", ())
    return columns


def operand(value: Any) -> Node:
    """The node of an expression or of a value."""
    if type(value) in PLAIN:
        return CORM_NODE_VALUE, value, 0
    if isinstance(value, Operand):
        return value._node
    if hasattr(value, "_tree"):
        raise ProgrammingError("a query stands where a value is wanted", hint="write scalar(query)")
    if hasattr(value, "_parts") and hasattr(value, "_pairs"):
        raise ProgrammingError("a row of values stands where one is wanted", hint="compare it with another row")
    return CORM_NODE_VALUE, plain_value(value), abi.CORM_DECIMAL if isinstance(value, Decimal) else 0


def term_node(term: Any, where: str) -> Node:
    """The node of what rows are sorted or grouped by, which no value does: it is the same for all of them."""
    node = operand(term)
    if not isinstance(term, Operand):
        raise ProgrammingError(
            f"{where} is given a value of type {type_name(term)}, which is the same for all rows",
            hint="give columns or other expressions; select().order_by() and group_by() take labels, too, as str",
        )
    return node


def term_nodes(terms: Any, where: str) -> list[Node]:
    """The nodes of one term, or of several."""
    several = isinstance(terms, Iterable) and not isinstance(terms, Operand | str | bytes)
    return [term_node(term, where) for term in (terms if several else (terms,))]


def _encode_exactly(value: Any) -> Any:
    if value is None or type(value) is int or isinstance(value, Decimal):
        return plain_value(value)
    raise DataError(
        f"a decimal is compared with a value of type {type(value).__name__}",
        code="CORM_E_TYPE",
        hint="give a Decimal or an int",
    )


# Stands for the column of decimals that are calculated.
_DECIMALS: Any = SimpleNamespace(
    type_name="decimal", transform=COLUMN_TYPES["decimal"].transform, _encode=_encode_exactly, _node=(0, 0)
)


def decimals_of(*operands: Any) -> Any:
    """The column whose values are decimals that are calculated from the operands; None for other results."""
    found = None
    for item in operands:
        column = item._column if isinstance(item, Operand) else _DECIMALS if isinstance(item, Decimal) else None
        if column is not None and column.type_name == "decimal":
            if column.transform is not _DECIMALS.transform:
                return column
            found = _DECIMALS
    return found


# Stand for the columns of values that SQL holds in another form.
_KINDS: Any = {
    kind: SimpleNamespace(type_name=name, transform=COLUMN_TYPES[name].transform, _encode=None, _node=(0, 0))
    for name, kind in (
        ("datetime", datetime),
        ("date", date),
        ("time", time),
        ("duration", timedelta),
        ("uuid", uuid.UUID),
        ("bool", bool),
    )
}
# Stands for the column of what conditions give.
TRUTHS: Any = _KINDS[bool]
_NULL: Node = CORM_NODE_VALUE, None, 0


def durations_of(*operands: Any) -> Any:
    """The column whose values are durations that are calculated from the operands; None for other results."""
    for item in operands:
        column = item._column if isinstance(item, Operand) else None
        if isinstance(item, timedelta) or (
            column is not None and column.type_name == "duration" and not _converts(column)
        ):
            return _KINDS[timedelta]
    return None


def _converts(column: Any) -> bool:
    """Whether its values have no form of their own that SQL takes: those of JSON, and of a column's own transform."""
    return column.type_name == "json" or own_transform(column.type_name, column.transform)


def column_of(*values: Any) -> Any:
    """The column whose values all of these have; None where they differ, or SQL has them as they are."""
    if (found := decimals_of(*values)) is not None:
        return found
    # A parameter is encoded as what stands beside it.
    known: list[Any] = [
        item._column for item in values if isinstance(item, Operand) and item._node != _NULL and not is_parameter(item)
    ]
    others = [item for item in values if item is not None and not isinstance(item, Operand)]
    found = known[0] if known else _KINDS.get(type(others[0])) if others else None
    if found is None or any(item is None for item in known):
        return None
    if _converts(found):
        if all(item.transform is found.transform for item in known):
            return found
        plain = unchecked(found.transform)
        same = all(unchecked(item.transform) is plain for item in known)
        return SimpleNamespace(type_name="json", transform=plain, _encode=plain.encode, _node=(0, 0)) if same else None
    kind: Any = next((kind for kind, column in _KINDS.items() if column.type_name == found.type_name), None)
    if found.type_name == "offset_datetime":
        kind = datetime
    same = all(item.type_name == found.type_name and not _converts(item) for item in known)
    return found if kind and same and all(isinstance(item, kind) for item in others) else None


def value_node(value: Any, column: Any) -> Node:
    """The node of what is a value of a column, or an expression."""
    if column is not None and is_parameter(value):
        return parameter_node(value._node, Beside(column, partial(_encode_value, value, column), _converts(column)))
    if column is None or value is None or isinstance(value, Operand):
        return operand(value)
    is_own = _converts(column)
    if column.type_name == "offset_datetime" and (is_own or isinstance(value, datetime)):
        # By itself a datetime is one without its offset.
        text = column._encode(value) if is_own else encode_offset_datetime(value)
        return CORM_NODE_VALUE, text, abi.CORM_OFFSET_DATETIME
    if not is_own:
        return operand(value)
    return CORM_NODE_VALUE, file_value(column.type_name, column._encode(value)), 0


def _encode_value(parameter: Parameter, column: Any, value: Any) -> Any:
    """The same of a value that a parameter is given."""
    if value is None:
        return None
    if column.type_name == "offset_datetime" and isinstance(value, datetime) and not _converts(column):
        return file_value(column.type_name, encode_offset_datetime(value))
    if _converts(column):
        return file_value(column.type_name, column._encode(value))
    where = f"parameter {parameter._name!r}"
    plain = named_value(where, value)
    kind = {"bool": bool, "duration": timedelta}.get(column.type_name)
    # Whatever came back would be read as one.
    if kind is not None and not isinstance(value, kind) and not (kind is bool and as_plain(value) in (0, 1)):
        raise DataError(
            f"{where} is given a {type_name(value)} among values of type {column.type_name}",
            code="CORM_E_TYPE",
            hint=f"give a {kind.__name__}",
        )
    return plain


def beside_node(expression: Operand, parameter: Parameter) -> Node:
    """The node of a parameter that is compared with an expression."""
    return parameter_node(parameter._node, beside(expression))


def beside(expression: Operand) -> Beside:
    """What a parameter stands beside that is compared with an expression."""
    column = expression._column
    if column is None:
        return Beside(None, None, False)
    # Of what is given among decimals the library sees whether it is one.
    is_plain = column._encode is None or column is _DECIMALS
    encode = None if is_plain else partial(_encode_compared, column)
    return Beside(column, encode, _converts(column))


def _encode_compared(column: Any, value: Any) -> Any:
    return file_value(column.type_name, column._encode(value))


def encode_values(expression: Operand, values: Iterable[Any]) -> list[Any]:
    """Values that stand beside an expression, without nodes of their own."""
    items = list(values)
    column = expression._column
    if column is not None and column._encode is not None:
        items = list(map(column._encode, items))
        if expression is not column and column.type_name in ("datetime", "date", "time"):
            # The library does not see what this is compared with.
            return [file_value(column.type_name, item) for item in items]
        return items
    return items if PLAIN.issuperset(map(type, items)) else list(map(plain_value, items))


def condition_node(condition: Any) -> Node:
    if not isinstance(condition, Operand):
        raise no_condition(condition)
    return condition._node


def no_condition(found: object) -> ProgrammingError:
    hint = "put each comparison in parentheses: (Person.age > 35) & (Person.name == name)"
    if isinstance(found, bool):
        hint = (
            "Python compared, not SQL: ask column.is_null() instead of `is None`, compare what the model's class has "
            "(Album.year == 2004, Album.artist == artist), and put each comparison in parentheses"
        )
    elif isinstance(found, int | Flag):
        hint = (
            "& and | join conditions: put each comparison in parentheses, (Person.age > 35) & (Person.id < 9); of bits "
            "there are column.bit_and(2) and column.bit_or(2)"
        )
    elif isinstance(found, str):
        hint = 'compare columns, or give SQL as raw("title = ?", value)'
    return ProgrammingError(f"a value of type {type_name(found)} is no condition", hint=hint)
