"""Statements by chance: what is built of expressions answers as the SQL does that is written beside it.

Each is made twice from the same numbers, as expressions and as a text of SQL that says the same with every pair of
parentheses, and Python's sqlite3 runs the text on the same file. CORMORANT_STATEMENTS says how many, CORMORANT_SEED the
how manieth so many; what differs is seen again by CORMORANT_STATEMENTS=1 and the seed that the failure names.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cormorant import Column, Database, Expression, Model, case, column, exists, func, key, literal, scalar, select

STATEMENTS = int(os.environ.get("CORMORANT_STATEMENTS", "4000"))
SEED = int(os.environ.get("CORMORANT_SEED", "1"))


class Left(Model):
    id: Column[int] = key()
    n: Column[int | None]
    r: Column[float | None]
    t: Column[str | None]


class Right(Model):
    id: Column[int] = key()
    left_id: Column[int | None] = column(references=Left)
    n: Column[int | None]
    t: Column[str | None]


class Both(NamedTuple):
    """An expression, and the SQL of the same with its values in their order."""

    made: Any
    sql: str
    values: tuple[Any, ...] = ()


WORDS = ["", "a", "A", "ab", "a%b", "a_b", "a\\b", "ä", "Ä", "0", "10", "9", "x'y", '"', "NULL", " a ", "abc"]
NUMBERS = [-7, -1, 0, 1, 2, 3, 10, 255, 2**31, -(2**40), 2**53 + 1]
REALS = [-2.5, -0.5, 0.0, 0.1, 0.5, 1.0, 3.75, 1e10, 1e-7]


def joined(separator: str, *parts: Both) -> tuple[str, tuple[Any, ...]]:
    return separator.join(part.sql for part in parts), sum((part.values for part in parts), ())


class Maker:
    """Expressions over the tables of one SELECT."""

    def __init__(self, chance: random.Random, has_right: bool) -> None:
        self.chance = chance
        self.tables: list[tuple[Any, str, list[str]]] = [(Left, "left", ["id", "n"])]
        if has_right:
            self.tables.append((Right, "right", ["id", "left_id", "n"]))

    def pick(self, *ways: Callable[[], Both]) -> Both:
        return self.chance.choice(ways)()

    def column(self, names: list[str] | None = None) -> Both:
        model, table, own = self.chance.choice(self.tables)
        name = self.chance.choice(names or own)
        return Both(getattr(model, name), f'"{table}"."{name}"')

    # Values ----------------------------------------------------------------------------------------------------------

    def integer(self, depth: int) -> Both:
        def value() -> Both:
            number = self.chance.choice(NUMBERS)
            return Both(literal(number), "?", (number,))

        def binary() -> Both:
            left, right = self.integer(depth - 1), self.integer(depth - 1)
            sign = self.chance.choice("+-*/%")
            sql, values = joined(f" {sign} ", left, right)
            a, b = left.made, right.made
            made = {"+": a + b, "-": a - b, "*": a * b, "/": a / b, "%": a % b}[sign]
            # What leaves 64 bits becomes a floating-point number.
            return Both(func.coalesce(made.cast(int), 0), f"coalesce(CAST(({sql}) AS INTEGER), 0)", values)

        def negated() -> Both:
            inner = self.integer(0)
            return Both(-inner.made, f"(- {inner.sql})", inner.values)

        def length() -> Both:
            text = self.text(depth - 1)
            return Both(func.length(text.made), f"length({text.sql})", text.values)

        def subquery() -> Both:
            made = select(func.count(Right.n)).where(Right.left_id == Left.id)
            sql = '(SELECT count("s"."n") FROM "right" AS "s" WHERE "s"."left_id" = "left"."id")'
            return Both(scalar(made), sql)

        if depth <= 0:
            return self.pick(value, self.column, self.column)
        ways = [
            value,
            self.column,
            self.column,
            binary,
            binary,
            negated,
            length,
            lambda: self.cased(self.integer, depth),
        ]
        if len(self.tables) == 1:
            ways.append(subquery)
        return self.pick(*ways)

    def real(self, depth: int) -> Both:
        def value() -> Both:
            number = self.chance.choice(REALS)
            return Both(literal(number), "?", (number,))

        def own() -> Both:
            return Both(Left.r, '"left"."r"')

        def binary() -> Both:
            left, right = self.real(depth - 1), self.real(depth - 1)
            sign = self.chance.choice("+-*/")
            sql, values = joined(f" {sign} ", left, right)
            a, b = left.made, right.made
            return Both({"+": a + b, "-": a - b, "*": a * b, "/": a / b}[sign], f"({sql})", values)

        if depth <= 0:
            return self.pick(value, own)
        return self.pick(value, own, binary, lambda: self.cased(self.real, depth))

    def text(self, depth: int) -> Both:
        def value() -> Both:
            word = self.chance.choice(WORDS)
            return Both(literal(word), "?", (word,))

        def own() -> Both:
            return self.column(["t"])

        def called() -> Both:
            name, inner = self.chance.choice(["upper", "lower", "trim"]), self.text(depth - 1)
            return Both(getattr(func, name)(inner.made), f"{name}({inner.sql})", inner.values)

        def concat() -> Both:
            left, right = self.text(depth - 1), self.text(depth - 1)
            sql, values = joined(" || ", left, right)
            return Both(left.made.concat(right.made), f"({sql})", values)

        def cast() -> Both:
            inner = self.integer(depth - 1)
            return Both(inner.made.cast(str), f"CAST({inner.sql} AS TEXT)", inner.values)

        def coalesced() -> Both:
            inner, other = self.text(depth - 1), value()
            sql, values = joined(", ", inner, other)
            return Both(func.coalesce(inner.made, other.made), f"coalesce({sql})", values)

        if depth <= 0:
            return self.pick(value, own, own)
        return self.pick(value, own, called, concat, cast, coalesced, lambda: self.cased(self.text, depth))

    def cased(self, make: Callable[[int], Both], depth: int) -> Both:
        condition, then, other = self.truth(depth - 1), make(depth - 1), make(depth - 1)
        sql = f"(CASE WHEN {condition.sql} THEN {then.sql} ELSE {other.sql} END)"
        made = case((condition.made, then.made), else_=other.made)
        return Both(made, sql, condition.values + then.values + other.values)

    # Conditions ------------------------------------------------------------------------------------------------------

    def truth(self, depth: int) -> Both:
        kind = self.chance.choice([self.integer, self.real, self.text])

        def compared() -> Both:
            left, right = kind(depth - 1), kind(depth - 1)
            sign = self.chance.choice(["=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"])
            sql, values = joined(f" {sign} ", left, right)
            a, b = left.made, right.made
            made = {
                "=": lambda: a == b,
                "<>": lambda: a != b,
                "<": lambda: a < b,
                "<=": lambda: a <= b,
                ">": lambda: a > b,
                ">=": lambda: a >= b,
                "IS": lambda: a.is_(b),
                "IS NOT": lambda: a.is_not(b),
            }[sign]()
            return Both(made, f"({sql})", values)

        def missing() -> Both:
            inner = kind(depth - 1)
            if self.chance.random() < 0.5:
                return Both(inner.made == None, f"({inner.sql} IS NULL)", inner.values)  # noqa: E711
            return Both(inner.made != None, f"({inner.sql} IS NOT NULL)", inner.values)  # noqa: E711

        def between() -> Both:
            inner, low, high = kind(depth - 1), kind(0), kind(0)
            sql = f"({inner.sql} BETWEEN {low.sql} AND {high.sql})"
            return Both(inner.made.between(low.made, high.made), sql, inner.values + low.values + high.values)

        def listed() -> Both:
            inner = self.column(["n", "id"])
            values = tuple(self.chance.choices(NUMBERS, k=self.chance.randrange(4)))
            has_null = self.chance.random() < 0.3
            sql = f"({inner.sql} IN ({', '.join('?' * len(values))}))"
            # None asks for NULL.
            if has_null:
                sql = f"({sql} OR {inner.sql} IS NULL)"
            if not values and not has_null:
                sql = "(1 = 0)"
            return Both(inner.made.in_([*values, None] if has_null else [*values]), sql, values)

        def selected() -> Both:
            inner, least = self.column(["n", "id"]), self.chance.choice(NUMBERS)
            made = select(Right.left_id).where(Right.id > least, Right.left_id.is_not_null())
            sql = 'SELECT "s"."left_id" FROM "right" AS "s" WHERE "s"."id" > ? AND "s"."left_id" IS NOT NULL'
            return Both(inner.made.in_(made), f"({inner.sql} IN ({sql}))", (least,))

        def there() -> Both:
            least = self.chance.choice(NUMBERS)
            made = exists(select(Right).where(Right.left_id == Left.id, Right.n > least))
            sql = '(EXISTS (SELECT 1 FROM "right" AS "s" WHERE "s"."left_id" = "left"."id" AND "s"."n" > ?))'
            return Both(made, sql, (least,))

        def alike() -> Both:
            inner, word = self.text(depth - 1), self.chance.choice(WORDS)
            escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            made, pattern = self.chance.choice(
                [
                    (inner.made.has_prefix(word), escaped + "%"),
                    (inner.made.has_suffix(word), "%" + escaped),
                    (inner.made.contains(word), "%" + escaped + "%"),
                ]
            )
            return Both(made, f"({inner.sql} LIKE ? ESCAPE '\\')", (*inner.values, pattern))

        def patterned() -> Both:
            inner, word = self.text(depth - 1), self.chance.choice(["%", "a%", "_", "%b%", "A_"])
            return Both(inner.made.like(word), f"({inner.sql} LIKE ?)", (*inner.values, word))

        def combined() -> Both:
            left, right = self.truth(depth - 1), self.truth(depth - 1)
            sign = self.chance.choice(["AND", "OR"])
            sql, values = joined(f" {sign} ", left, right)
            return Both(left.made & right.made if sign == "AND" else left.made | right.made, f"({sql})", values)

        def opposite() -> Both:
            inner = self.truth(depth - 1)
            return Both(~inner.made, f"(NOT {inner.sql})", inner.values)

        ways = [compared, compared, missing, between, listed, alike, patterned]
        if depth > 0:
            ways += [combined, combined, opposite]
            if len(self.tables) == 1:
                ways += [selected, there]
        return self.pick(*ways)

    def windowed(self) -> Both:
        inner, part = self.column(["n", "id"]), self.text(1)
        terms = [(Left.id, '"left"."id"')]
        if len(self.tables) > 1:
            terms.append((Right.id, '"right"."id"'))
        order = ", ".join(sql for _, sql in terms)
        over = {"partition_by": part.made, "order_by": [made for made, _ in terms]}
        window = f"OVER (PARTITION BY {part.sql} ORDER BY {order})"
        name = self.chance.choice(["sum", "lag", "row_number", "count"])
        if name == "row_number":
            return Both(func.row_number().over(**over), f"row_number() {window}", part.values)
        return Both(getattr(func, name)(inner.made).over(**over), f"{name}({inner.sql}) {window}", part.values)

    def any(self, depth: int) -> Both:
        if depth == 3 and self.chance.random() < 0.3:
            return self.windowed()
        return self.chance.choice([self.integer, self.real, self.text, self.truth])(depth)


def statement(chance: random.Random) -> tuple[Any, str, tuple[Any, ...], bool]:
    """A query, the SQL of the same, its values, and whether the rows have an order."""
    if chance.random() < 0.15:
        return (*compound(chance), False)
    join = chance.choice(["", "", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
    maker = Maker(chance, bool(join))
    columns = [maker.any(chance.randrange(4)) for _ in range(chance.randrange(1, 4))]
    grouped = " OVER (" not in columns[0].sql and chance.random() < 0.25
    if grouped:
        function = chance.choice(["count", "sum", "min", "max", "total", "avg"])
        inner = maker.column(["n", "id"]) if function != "avg" else Both(Left.r, '"left"."r"')
        made = getattr(func, function)(inner.made)
        if chance.random() < 0.3:
            columns[1:] = [Both(made.distinct(), f"{function}(DISTINCT {inner.sql})")]
        else:
            columns[1:] = [Both(made, f"{function}({inner.sql})")]
    list_sql, values = joined(", ", *columns)
    query: Any = select(*(each.made for each in columns)).from_(Left)
    is_distinct = not grouped and chance.random() < 0.2
    if is_distinct:
        query = query.distinct()
    sql = f'SELECT {"DISTINCT " if is_distinct else ""}{list_sql} FROM "left"'
    if join:
        condition = chance.choice(
            [
                Both(Right.left_id == Left.id, '("right"."left_id" = "left"."id")'),
                Both(Right.n == Left.n, '("right"."n" = "left"."n")'),
            ]
        )
        kinds = {"JOIN": {}, "LEFT JOIN": {"left": True}, "RIGHT JOIN": {"right": True}, "FULL JOIN": {"full": True}}
        query = query.join(Right, condition.made, **kinds[join])
        sql += f' {join} "right" ON {condition.sql}'
    conditions = [maker.truth(chance.randrange(4)) for _ in range(chance.randrange(3))]
    if conditions:
        query = query.where(*(each.made for each in conditions))
        where, bound = joined(" AND ", *conditions)
        sql += f" WHERE {where}"
        values += bound
    if grouped:
        # A value alone is no term.
        term = Both(Left.id, '"left"."id"') if columns[0].sql == "?" else columns[0]
        query = query.group_by(term.made)
        sql += f" GROUP BY {term.sql}"
        values += term.values
        if chance.random() < 0.5:
            query = query.having(func.count() > 1)
            sql += " HAVING (count(*) > 1)"
    is_ordered = not grouped and not is_distinct and chance.random() < 0.4
    if is_ordered:
        query = query.order_by(Left.id.desc(), *([Right.id] if join else []))
        sql += ' ORDER BY "left"."id" DESC' + (', "right"."id"' if join else "")
        count, start = chance.randrange(6), chance.randrange(4)
        query = query.limit(count).offset(start)
        sql += " LIMIT ? OFFSET ?"
        values += (count, start)
    return query, sql, values, is_ordered


def compound(chance: random.Random) -> tuple[Any, str, tuple[Any, ...]]:
    """Two SELECTs, or three, whose rows are combined from left to right."""
    maker = Maker(chance, False)
    make = chance.choice([maker.integer, maker.text, maker.real])

    def one() -> tuple[Any, str, tuple[Any, ...]]:
        value, condition = make(2), maker.truth(2)
        query = select(value.made).from_(Left).where(condition.made)
        sql = f'SELECT {value.sql} FROM "left" WHERE {condition.sql}'
        return query, sql, value.values + condition.values

    query, sql, values = one()
    for _ in range(chance.randrange(1, 3)):
        other, text, bound = one()
        word = chance.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"])
        ways = {
            "UNION": query.union,
            "UNION ALL": query.union_all,
            "INTERSECT": query.intersect,
            "EXCEPT": query.except_,
        }
        query, sql, values = ways[word](other), f"{sql} {word} {text}", values + bound
    return query, sql, values


@pytest.fixture
def filled(path: Path) -> Any:
    chance = random.Random(1)

    def one(values: list[Any]) -> Any:
        return None if chance.random() < 0.25 else chance.choice(values)

    with Database(path) as db:
        db.create_tables(Left, Right)
        db.insert_many([Left(one(NUMBERS), one(REALS), one(WORDS)) for _ in range(12)])
        keys = list(range(1, 13))
        db.insert_many([Right(one(keys), one(NUMBERS), one(WORDS)) for _ in range(15)])
        yield db


def comparable(rows: list[Any], is_ordered: bool) -> list[Any]:
    plain = [tuple(int(value) if isinstance(value, bool) else value for value in row) for row in rows]
    return plain if is_ordered else sorted(plain, key=repr)


def test_statements_by_chance(filled: Database, path: Path) -> None:
    other = sqlite3.connect(path)
    done = 0
    for seed in range(SEED * STATEMENTS, (SEED + 1) * STATEMENTS):
        query, sql, values, is_ordered = statement(random.Random(seed))
        expected = comparable(other.execute(sql, values).fetchall(), is_ordered)
        found = comparable(filled.fetch_all(query), is_ordered)
        assert found == expected, f"seed {seed}: {query.sql}\n{sql} {values}"
        done += len(expected) > 0
        assert filled.count(query) == len(expected), f"seed {seed}: {query.sql}"
    other.close()
    # Not of nothing: rows came of most of them.
    assert done >= STATEMENTS // 3
    print(f"\nstatements by chance beside sql: {STATEMENTS} runs")


def test_the_same_expression_is_made_by_the_same_seed() -> None:
    assert statement(random.Random(7))[1:] == statement(random.Random(7))[1:]
    assert isinstance(Left.n + 1, Expression)
