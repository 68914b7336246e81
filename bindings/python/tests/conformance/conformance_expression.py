"""Expressions of conformance scenarios; Tests/Conformance/README.md says what they mean."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, cast

from conformance_model import Failure, Json, held, members, value

import cormorant
from cormorant import (
    Expression,
    Model,
    RowValue,
    ToMany,
    alias,
    all_of,
    any_of,
    case,
    exists,
    func,
    name,
    param,
    raw,
    scalar,
    tuple_,
)

Models = dict[str, type[Model]]

UNARY: dict[str, Callable[[Any], Any]] = {
    "not": operator.invert,
    "negate": operator.neg,
    "bitNot": Expression.bit_not,
    "isNull": Expression.is_null,
    "isNotNull": Expression.is_not_null,
}
# Not the operators: those turn around what stands before a Column, which is a kind of Expression.
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "equal": Expression.__eq__,
    "notEqual": Expression.__ne__,
    "less": Expression.__lt__,
    "lessEqual": Expression.__le__,
    "greater": Expression.__gt__,
    "greaterEqual": Expression.__ge__,
    "is": Expression.is_,
    "isNot": Expression.is_not,
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "remainder": operator.mod,
    "concat": Expression.concat,
    "bitAnd": Expression.bit_and,
    "bitOr": Expression.bit_or,
    "shiftLeft": Expression.shift_left,
    "shiftRight": Expression.shift_right,
    "like": Expression.like,
    "notLike": Expression.not_like,
    "glob": Expression.glob,
    "notGlob": Expression.not_glob,
    "regexp": Expression.regexp,
    "match": Expression.match,
    "hasPrefix": Expression.has_prefix,
    "hasSuffix": Expression.has_suffix,
    "contains": Expression.contains,
    "jsonAt": Expression.json_object,
    "jsonValueAt": Expression.json,
}
# Of rows.
ROWS = {"equal": "__eq__", "notEqual": "__ne__", "less": "__lt__", "lessEqual": "__le__", "greater": "__gt__",
        "greaterEqual": "__ge__"}  # fmt: skip
CASTS = {"int64": int, "double": float, "float": float, "text": str, "blob": bytes}


def values(given: Any) -> list[Any]:
    """A list of values, or so many of one form."""
    if isinstance(given, dict):
        members(given, "count value", "values")
        return [value(given["value"], number) for number in range(given["count"])]
    return [value(item) for item in given]


def held_by(expression: Expression[Any], given: Any) -> Any:
    """A value beside an expression; a text is an offset datetime or a decimal where it is beside one."""
    kind = expression._column.type_name if expression._column is not None else ""
    return held(kind, given) if kind in ("offset_datetime", "decimal") else given


def make_record(model: type[Model], given: Json, number: int = -1) -> Model:
    kinds = {item.name: item.type_name for item in model.__model__.columns}
    members(given, " ".join(kinds), "a record")
    return model(**{name: held(kinds[name], value(item, number)) for name, item in given.items()})


class Expressions:
    """Makes Python's expressions of a scenario's."""

    def __init__(self, models: Models) -> None:
        self.models = models

    def expression(self, given: Json) -> Any:
        """An expression, also where a value stands alone; or a row of them."""
        made = self.operand(given)
        return made if isinstance(made, Expression | RowValue) else cormorant.literal(made)

    def operand(self, given: Json) -> Any:
        """An expression or a plain value."""
        for kind, (make, others) in KINDS.items():
            if kind in given:
                members(given, f"{kind} {others}", kind)
                return make(self, given)
        (kind, operands), *more = given.items()
        if more or (kind not in UNARY and kind not in BINARY):
            raise Failure(f"an expression of no kind that is known: {', '.join(given)}")
        if kind in UNARY:
            return UNARY[kind](self.expression(operands))
        left, right = operands
        if "row" in left or "row" in right:
            other = self.select(right["select"]) if "select" in right else self.operand(right)
            compare: Callable[[Any, Any], Any] = getattr(RowValue, ROWS[kind])
            return compare(self.expression(left), other)
        return BINARY[kind](self.expression(left), self.operand(right))

    def expressions(self, given: list[Json]) -> list[Expression[Any]]:
        return [self.expression(item) for item in given]

    def model(self, name: str, under: str | None) -> Any:
        return alias(self.models[name], under) if under else self.models[name]

    def attribute(self, path: str, given: Json) -> Any:
        """What "Album.artist.name" is on the class, or on its alias."""
        first, *names = path.split(".")
        found = self.model(first, given.get("of"))
        for part in names:
            found = getattr(found, part)
        return found

    def value(self, given: Json) -> Any:
        return held(given.get("type", ""), value(given["value"]))

    def contained(self, given: Json) -> Expression[bool]:
        left = self.expression(given["in"])
        if "list" in given:
            return cast("Expression[bool]", left.in_(param(given["list"])))
        if "rows" in given:
            return cast("Expression[bool]", left.in_([tuple(map(value, row)) for row in given["rows"]]))
        items = [held_by(left, item) for item in values(given.get("values", []))]
        found = left.in_(self.select(given["select"]) if "select" in given else items)
        return cast("Expression[bool]", found)

    def case(self, given: Json) -> Expression[Any]:
        pairs = [(self.operand(when), self.operand(then)) for when, then in given["case"]]
        otherwise = self.operand(given["otherwise"]) if "otherwise" in given else None
        base = self.expression(given["base"]) if "base" in given else None
        return case(*pairs, base=base, else_=otherwise)

    def call(self, given: Json) -> Expression[Any]:
        call = getattr(func, given["call"])(*map(self.operand, given.get("arguments", [])))
        if given.get("distinct"):
            call = call.distinct()
        if "orderBy" in given:
            call = call.order_by(*self.expressions(given["orderBy"]))
        if "filter" in given:
            call = call.filter(self.expression(given["filter"]))
        if "over" in given:
            over = given["over"]
            members(over, "partitionBy orderBy frame", "over")
            partition, order = (self.expressions(over.get(member, [])) for member in ("partitionBy", "orderBy"))
            call = call.over(partition_by=partition, order_by=order, frame=over.get("frame"))
        return cast("Expression[Any]", call)

    def order(self, given: Json) -> Expression[Any]:
        operand = self.expression(given["order"])
        nulls = given.get("nulls")
        return cast("Expression[Any]", operand.desc(nulls) if given.get("descending") else operand.asc(nulls))

    def related(self, given: Json) -> Expression[bool]:
        condition = self.expression(given["where"]) if "where" in given else None
        return cast("Expression[bool]", self.attribute(given["related"], given).any(condition))

    def is_related(self, given: Json) -> Any:
        relation = self.attribute(given["isRelated"], given)
        record = None if given["record"] is None else make_record(self.models[given["model"]], given["record"])
        return relation.contains(record) if isinstance(relation, ToMany) else relation == record

    def aggregate(self, given: Json) -> Expression[Any]:
        condition = self.expression(given["where"]) if "where" in given else None
        aggregate = getattr(self.attribute(given["aggregate"], given), given["function"])
        arguments = [given["property"], condition] if "property" in given else [condition]
        return cast("Expression[Any]", aggregate(*arguments))

    def select(self, given: Json) -> Any:
        raise NotImplementedError


Make = Callable[[Expressions, Json], Any]

# What makes each kind of expression, and its other members.
KINDS: dict[str, tuple[Make, str]] = {
    "column": (lambda b, given: b.attribute(given["column"], given), "of"),
    "value": (Expressions.value, "type"),
    "parameter": (lambda b, given: param(given["parameter"]), ""),
    "all": (lambda b, given: all_of(*b.expressions(given["all"])), ""),
    "any": (lambda b, given: any_of(*b.expressions(given["any"])), ""),
    "between": (lambda b, given: b.expression(given["between"][0]).between(*map(b.operand, given["between"][1:])), ""),
    "row": (lambda b, given: tuple_(*b.expressions(given["row"])), ""),
    "in": (Expressions.contained, "values select rows list"),
    "case": (Expressions.case, "base otherwise"),
    "cast": (lambda b, given: b.expression(given["cast"]).cast(CASTS[given["type"]]), "type"),
    "collate": (lambda b, given: b.expression(given["collate"]).collate(given["collation"]), "collation"),
    "call": (Expressions.call, "arguments distinct orderBy filter over"),
    "select": (lambda b, given: scalar(b.select(given["select"])), ""),
    "exists": (lambda b, given: exists(b.select(given["exists"])), ""),
    "raw": (lambda b, given: raw(given["raw"], *values(given.get("values", []))), "values"),
    "order": (Expressions.order, "descending nulls"),
    "as": (lambda b, given: b.expression(given["as"]).label(given["name"]), "name"),
    "related": (Expressions.related, "of where"),
    "isRelated": (Expressions.is_related, "of model record"),
    "aggregate": (Expressions.aggregate, "of function property where"),
    "name": (lambda b, given: name(given.get("source"), given["name"]), "source"),
}
