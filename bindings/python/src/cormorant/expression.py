"""Expressions: conditions, computed columns and order terms as values, without SQL text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, TypeVar, overload
from uuid import UUID

from ._arithmetic import Arithmetic, Integer, PresentInteger, T_co
from ._native import abi
from ._native import expression as native_expression
from ._native.abi import CORM_NODE_BINARY, CORM_NODE_UNARY, CORM_NODE_VALUE
from ._native.expression import Node
from ._operand import (
    TRUTHS,
    beside,
    beside_node,
    columns_of_query,
    condition_node,
    decimals_of,
    durations_of,
    encode_values,
    is_parameter,
    no_condition,
    operand,
)
from ._parameter import parameter_node
from ._text_option import text_argument
from .error import Error, ProgrammingError
from .value import PLAIN, type_name

if TYPE_CHECKING:
    from typing_extensions import Self

    from .column import Column
    from .function import Parameter
    from .statement import Query

U = TypeVar("U")
# Of other types, as of your own, nobody can say that they have no None in them.
PresentValue: TypeAlias = (
    "str | int | float | bytes | date | time | timedelta | Decimal | UUID | Enum | list[Any] | dict[Any, Any]"
)
Present: TypeAlias = "Expression[PresentValue]"
Text: TypeAlias = "Expression[str | None]"
PresentText: TypeAlias = "Expression[str]"
Condition: TypeAlias = "Expression[bool | None]"
PresentCondition: TypeAlias = "Expression[bool]"
Nulls: TypeAlias = Literal["first", "last"]

_NULLS = {None: abi.CORM_NULLS_LEAST, "first": abi.CORM_NULLS_FIRST, "last": abi.CORM_NULLS_LAST}
_CASTS: dict[type, int] = {
    int: abi.CORM_INT64,
    float: abi.CORM_DOUBLE,
    str: abi.CORM_TEXT,
    bytes: abi.CORM_BLOB,
}


class Expression(Arithmetic[T_co]):
    """An SQL expression, made by operators on columns and other expressions; it never changes.

    == != < <= > >= compare; `== None` asks for NULL. + - * / % are SQL's: integers divide to integers. Decimals are
    added, subtracted and multiplied exactly; what is not exact of them, / and % among it, is refused. & | ~ join
    conditions, each in parentheses: (Person.age > 35) & ~Person.name.like("B%"). A value beside a column is encoded as
    the column's own. Everything else is a method.

    Types say `| None` of what is made of something that may be NULL, and of comparisons with types of your own, of
    which nobody can say that they hold no None. They cannot know of a left join, of a division by zero, and of a
    foreign key that may be None on the way of Album.artist.name: say optional() there.
    """

    __slots__ = ()

    def __init__(self, node: Node, column: Column[Any] | None = None) -> None:
        self._node = node
        self._column = column

    @property
    def sql(self) -> tuple[str, tuple[Any, ...]]:
        """SQL text and what is bound to its `?`, in order; a parameter stands there as a tuple of its name."""
        return native_expression.expression_sql(self._node)

    def __repr__(self) -> str:
        try:
            return f"<Expression {self.sql[0]}>"
        except Error as error:
            return f"<Expression: {error}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an expression cannot be pickled: it refers to models of this process")

    # It never changes, so its copy is itself.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    # --- Comparisons ---

    @overload  # type: ignore[override]
    def __eq__(self, other: None) -> Expression[bool]: ...
    @overload
    def __eq__(self: Present, other: T_co | Expression[T_co]) -> Expression[bool]: ...
    @overload
    def __eq__(self, other: T_co | Expression[T_co | None]) -> Expression[bool | None]: ...
    def __eq__(self, other: Any) -> Expression[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        if other is None and not self._encodes_none():
            return self.is_null()
        return self._compare(abi.CORM_OP_EQUAL, other)

    @overload  # type: ignore[override]
    def __ne__(self, other: None) -> Expression[bool]: ...
    @overload
    def __ne__(self: Present, other: T_co | Expression[T_co]) -> Expression[bool]: ...
    @overload
    def __ne__(self, other: T_co | Expression[T_co | None]) -> Expression[bool | None]: ...
    def __ne__(self, other: Any) -> Expression[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        if other is None and not self._encodes_none():
            return self.is_not_null()
        return self._compare(abi.CORM_OP_NOT_EQUAL, other)

    # Like every object's: == makes a condition, so it cannot say what is equal.
    __hash__ = object.__hash__

    @overload
    def __lt__(self: Present, other: T_co | Expression[T_co]) -> Expression[bool]: ...
    @overload
    def __lt__(self, other: T_co | Expression[T_co | None]) -> Expression[bool | None]: ...
    def __lt__(self, other: Any) -> Expression[Any]:
        return self._compare(abi.CORM_OP_LESS, other)

    @overload
    def __le__(self: Present, other: T_co | Expression[T_co]) -> Expression[bool]: ...
    @overload
    def __le__(self, other: T_co | Expression[T_co | None]) -> Expression[bool | None]: ...
    def __le__(self, other: Any) -> Expression[Any]:
        return self._compare(abi.CORM_OP_LESS_EQUAL, other)

    @overload
    def __gt__(self: Present, other: T_co | Expression[T_co]) -> Expression[bool]: ...
    @overload
    def __gt__(self, other: T_co | Expression[T_co | None]) -> Expression[bool | None]: ...
    def __gt__(self, other: Any) -> Expression[Any]:
        return self._compare(abi.CORM_OP_GREATER, other)

    @overload
    def __ge__(self: Present, other: T_co | Expression[T_co]) -> Expression[bool]: ...
    @overload
    def __ge__(self, other: T_co | Expression[T_co | None]) -> Expression[bool | None]: ...
    def __ge__(self, other: Any) -> Expression[Any]:
        return self._compare(abi.CORM_OP_GREATER_EQUAL, other)

    def is_(self, other: T_co | Expression[T_co | None] | None) -> Expression[bool]:
        """Equal, where NULL equals NULL."""
        return self._compare(abi.CORM_OP_IS, other)

    def is_not(self, other: T_co | Expression[T_co | None] | None) -> Expression[bool]:
        """Not equal, where NULL equals NULL."""
        return self._compare(abi.CORM_OP_IS_NOT, other)

    def is_null(self) -> Expression[bool]:
        """IS NULL."""
        return self._unary(abi.CORM_OP_IS_NULL, TRUTHS)

    def is_not_null(self) -> Expression[bool]:
        """IS NOT NULL."""
        return self._unary(abi.CORM_OP_IS_NOT_NULL, TRUTHS)

    @overload
    def between(self: Present, low: T_co | Expression[T_co], high: T_co | Expression[T_co]) -> Expression[bool]: ...
    @overload
    def between(
        self, low: T_co | Expression[T_co | None], high: T_co | Expression[T_co | None]
    ) -> Expression[bool | None]: ...
    def between(self, low: Any, high: Any) -> Expression[Any]:
        """From low to high, both included."""
        node = self._node
        bound = next((item for item in (low, high) if isinstance(item, Expression) and not is_parameter(item)), None)
        if is_parameter(self) and bound is not None:
            node = beside_node(bound, self)
        return Expression((abi.CORM_NODE_BETWEEN, node, self._beside(low), self._beside(high)), TRUTHS)

    @overload
    def in_(self: Present, values: Iterable[T_co | None] | Query[tuple[T_co]] | Parameter) -> Expression[bool]: ...
    @overload
    def in_(self, values: Iterable[T_co | None] | Query[tuple[T_co | None]] | Parameter) -> Expression[bool | None]: ...
    def in_(self, values: Any) -> Expression[Any]:
        """One of the values, of which there may be any number, and where None asks for NULL; or of the one column of a
        query, the opposite of which holds for no row where the query gives a NULL. A parameter is given a list of
        values when the query runs: Person.id.in_(param("ids")).
        """
        if tree := getattr(values, "_tree", None):
            node = self._node
            columns = columns_of_query(values)
            if is_parameter(self) and columns and isinstance(columns[0], Expression):
                node = beside_node(columns[0], self)
            return Expression((abi.CORM_NODE_IN_SELECT, node, tree()), TRUTHS)
        if is_parameter(values):
            given = parameter_node(values._node, beside(self), is_list=True)
            return Expression((CORM_NODE_BINARY, abi.CORM_OP_IN, self._node, given), TRUTHS)
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise ProgrammingError(
                f"the values of in_() are one {type(values).__name__}",
                hint="give a list of them, a query, or a parameter that is given a list",
            )
        return Expression((abi.CORM_NODE_IN, self._node, encode_values(self, values)), TRUTHS)

    @overload
    def not_in(self: Present, values: Iterable[T_co | None] | Query[tuple[T_co]] | Parameter) -> Expression[bool]: ...
    @overload
    def not_in(
        self, values: Iterable[T_co | None] | Query[tuple[T_co | None]] | Parameter
    ) -> Expression[bool | None]: ...
    def not_in(self, values: Any) -> Expression[Any]:
        """None of the values. A NULL among those of a query makes that unknown, as SQL has it."""
        return ~self.in_(values)

    # --- Texts ---

    @overload
    def like(self: PresentText, pattern: str | PresentText) -> Expression[bool]: ...
    @overload
    def like(self: Text, pattern: str | Text) -> Expression[bool | None]: ...
    def like(self, pattern: Any) -> Expression[Any]:
        """% stands for any text, _ for any character; the case of ASCII letters is ignored."""
        return self._text(abi.CORM_OP_LIKE, pattern)

    @overload
    def not_like(self: PresentText, pattern: str | PresentText) -> Expression[bool]: ...
    @overload
    def not_like(self: Text, pattern: str | Text) -> Expression[bool | None]: ...
    def not_like(self, pattern: Any) -> Expression[Any]:
        """The pattern of like() does not fit; NULL where one is."""
        return self._text(abi.CORM_OP_NOT_LIKE, pattern)

    @overload
    def glob(self: PresentText, pattern: str | PresentText) -> Expression[bool]: ...
    @overload
    def glob(self: Text, pattern: str | Text) -> Expression[bool | None]: ...
    def glob(self, pattern: Any) -> Expression[Any]:
        """* stands for any text, ? for any character, [...] for one of these; minds case."""
        return self._text(abi.CORM_OP_GLOB, pattern)

    @overload
    def not_glob(self: PresentText, pattern: str | PresentText) -> Expression[bool]: ...
    @overload
    def not_glob(self: Text, pattern: str | Text) -> Expression[bool | None]: ...
    def not_glob(self, pattern: Any) -> Expression[Any]:
        """The pattern of glob() does not fit; NULL where one is."""
        return self._text(abi.CORM_OP_NOT_GLOB, pattern)

    @overload
    def regexp(self: PresentText, pattern: str | PresentText) -> Expression[bool]: ...
    @overload
    def regexp(self: Text, pattern: str | Text) -> Expression[bool | None]: ...
    def regexp(self, pattern: Any) -> Expression[Any]:
        """A regular expression fits somewhere in the text: `. * + ? {n,m} [...] (...) | ^ $`, and `b d s w` after a
        backslash with their opposites, of characters; at its beginning `(?i)` ignores the case of ASCII letters.

        `text REGEXP pattern` in SQL is the same, but not in a file's schema; a function `regexp` of the program's takes
        its place. A pattern that is none is a ProgrammingError.
        """
        return self._text(abi.CORM_OP_REGEXP, pattern)

    @overload
    def has_prefix(self: PresentText, text: str | PresentText) -> Expression[bool]: ...
    @overload
    def has_prefix(self: Text, text: str | Text) -> Expression[bool | None]: ...
    def has_prefix(self, text: Any) -> Expression[Any]:
        """Begins with the text, in which % and _ stand for themselves; the case of ASCII letters is ignored."""
        return self._text(abi.CORM_OP_HAS_PREFIX, text)

    @overload
    def has_suffix(self: PresentText, text: str | PresentText) -> Expression[bool]: ...
    @overload
    def has_suffix(self: Text, text: str | Text) -> Expression[bool | None]: ...
    def has_suffix(self, text: Any) -> Expression[Any]:
        """Ends with the text, as has_prefix."""
        return self._text(abi.CORM_OP_HAS_SUFFIX, text)

    @overload
    def contains(self: PresentText, text: str | PresentText) -> Expression[bool]: ...
    @overload
    def contains(self: Text, text: str | Text) -> Expression[bool | None]: ...
    def contains(self, text: Any) -> Expression[Any]:
        """Has the text in it, as has_prefix."""
        column = self._column
        if column is not None and column.type_name == "json":
            raise ProgrammingError(
                "contains() looks into a text, and this is JSON",
                hint="take json_each() for its elements, or cast(str) for its text",
            )
        return self._text(abi.CORM_OP_CONTAINS, text)

    @overload
    def match(self: PresentText, query: str | PresentText) -> Expression[bool]: ...
    @overload
    def match(self: Text, query: str | Text) -> Expression[bool | None]: ...
    def match(self, query: Any) -> Expression[Any]:
        """Full-text search in a column of an FTS5 table, or in name(None, table) for all its columns."""
        return self._text(abi.CORM_OP_MATCH, query)

    @overload
    def concat(self: Present, *others: PresentValue | Present) -> Expression[str]: ...
    @overload
    def concat(self, *others: object) -> Expression[str | None]: ...
    def concat(self, *others: object) -> Expression[Any]:
        """This and the others as one text; NULL where one of them is."""
        node = self._node
        for other in others:
            node = (CORM_NODE_BINARY, abi.CORM_OP_CONCAT, node, operand(other))
        return Expression(node)

    def collate(self, name: str) -> Expression[T_co]:
        """Compared and sorted by a collation: BINARY, NOCASE, RTRIM, one of your own, or corm_nocase, which minds the
        case of no letter of Unicode; like(), has_prefix(), has_suffix() and contains() of that mind none either.
        """
        return Expression(
            (abi.CORM_NODE_COLLATE, self._node, text_argument("collate()", "the name of a collation", name)),
            self._column,
        )

    def json(self, path: str) -> Expression[Any]:
        """What JSON holds at a path such as "$.a[0]", or '$."a.b"' of a key with other signs, as a value of SQL: ->>.
        One word is a key; else what does not begin with $ is a ProgrammingError when the statement is made."""
        return self._text(abi.CORM_OP_JSON_VALUE_AT, path, None)

    def json_object(self, path: str) -> Expression[Any]:
        """What JSON holds at a path, as json() takes it, as JSON text: ->."""
        return self._text(abi.CORM_OP_JSON_AT, path, None)

    # --- Bits, other types ---

    @overload
    def bit_and(self: PresentInteger, other: int | PresentInteger) -> Expression[int]: ...
    @overload
    def bit_and(self: Integer, other: int | Integer) -> Expression[int | None]: ...
    def bit_and(self, other: Any) -> Expression[Any]:
        """The bits that both have."""
        return self._calculate(abi.CORM_OP_BIT_AND, self, other)

    @overload
    def bit_or(self: PresentInteger, other: int | PresentInteger) -> Expression[int]: ...
    @overload
    def bit_or(self: Integer, other: int | Integer) -> Expression[int | None]: ...
    def bit_or(self, other: Any) -> Expression[Any]:
        """The bits that one of them has."""
        return self._calculate(abi.CORM_OP_BIT_OR, self, other)

    @overload
    def bit_not(self: PresentInteger) -> Expression[int]: ...
    @overload
    def bit_not(self: Integer) -> Expression[int | None]: ...
    def bit_not(self) -> Expression[Any]:
        """The bits that it has not."""
        return self._unary(abi.CORM_OP_BIT_NOT)

    @overload
    def shift_left(self: PresentInteger, other: int | PresentInteger) -> Expression[int]: ...
    @overload
    def shift_left(self: Integer, other: int | Integer) -> Expression[int | None]: ...
    def shift_left(self, other: Any) -> Expression[Any]:
        """The bits moved to the left, and to the right by a negative number."""
        return self._calculate(abi.CORM_OP_SHIFT_LEFT, self, other)

    @overload
    def shift_right(self: PresentInteger, other: int | PresentInteger) -> Expression[int]: ...
    @overload
    def shift_right(self: Integer, other: int | Integer) -> Expression[int | None]: ...
    def shift_right(self, other: Any) -> Expression[Any]:
        """The bits moved to the right, and to the left by a negative number."""
        return self._calculate(abi.CORM_OP_SHIFT_RIGHT, self, other)

    @overload
    def cast(self: Present, type: type[U]) -> Expression[U]: ...
    @overload
    def cast(self, type: type[U]) -> Expression[U | None]: ...
    def cast(self, type: type[U]) -> Expression[Any]:
        """CAST to int, float, str or bytes."""
        if type not in _CASTS:
            raise ProgrammingError(f"there is no cast to {type!r}", hint="cast to int, float, str or bytes")
        return Expression((abi.CORM_NODE_CAST, self._node, _CASTS[type]))

    # --- Conditions ---

    @overload
    def __and__(self: PresentCondition, other: PresentCondition) -> Expression[bool]: ...
    @overload
    def __and__(self: Condition, other: Condition) -> Expression[bool | None]: ...
    def __and__(self, other: Any) -> Expression[Any]:
        return _joined(abi.CORM_NODE_ALL, self, other)

    @overload
    def __or__(self: PresentCondition, other: PresentCondition) -> Expression[bool]: ...
    @overload
    def __or__(self: Condition, other: Condition) -> Expression[bool | None]: ...
    def __or__(self, other: Any) -> Expression[Any]:
        return _joined(abi.CORM_NODE_ANY, self, other)

    @overload
    def __invert__(self: PresentCondition) -> Expression[bool]: ...
    @overload
    def __invert__(self: Condition) -> Expression[bool | None]: ...
    def __invert__(self) -> Expression[Any]:
        return self._unary(abi.CORM_OP_NOT, TRUTHS)

    if not TYPE_CHECKING:

        def __rand__(self, other):
            raise no_condition(other)

        __ror__ = __rand__

        def __bool__(self):
            raise ProgrammingError(
                "an expression is neither true nor false before a query runs it",
                hint="join conditions with & and |, not with `and`, `or` or a < b < c, negate them with ~, "
                "and ask column.in_(values) instead of `in`",
            )

        def __contains__(self, item):
            raise ProgrammingError("`in` asks an expression now", hint="write column.in_(values)")

        __iter__ = None

    # --- In clauses ---

    def asc(self, nulls: Nulls | None = None) -> Expression[T_co]:
        """An order term. NULLs come first unless `nulls` says otherwise."""
        return self._ordered(False, nulls)

    def desc(self, nulls: Nulls | None = None) -> Expression[T_co]:
        """A descending order term. NULLs come last unless `nulls` says otherwise."""
        return self._ordered(True, nulls)

    def optional(self) -> Expression[T_co | None]:
        """The same expression where it may also be NULL, as in a left join, for type checkers."""
        return self

    def label(self, name: str) -> Expression[T_co]:
        """A result column with this name."""
        return Expression(
            (abi.CORM_NODE_AS, self._node, text_argument("label()", "the name of the result column", name)),
            self._column,
        )

    # --- Making nodes ---

    def _beside(self, other: Any) -> Node:
        """The node of what is compared with this."""
        column = self._column
        if is_parameter(other):
            return beside_node(self, other)
        if column is None or column._encode is None or isinstance(other, Expression):
            return operand(other)
        return CORM_NODE_VALUE, encode_values(self, [other])[0], 0

    def _is_text(self) -> bool:
        column = self._column
        return column is not None and column.type_name in ("text", "varchar")

    def _encodes_none(self) -> bool:
        """Whether None is a value like others here: JSON's null in a column that cannot be NULL."""
        column = self._column
        return column is not None and column._encode is not None and column._encode(None) is not None

    def _compare(self, operation: int, other: Any) -> Expression[bool]:
        # The commonest case stands here in full: a plain value beside a column that takes it as it is.
        column = self._column
        if type(other) in PLAIN and (column is None or column._encode is None):
            return Expression((CORM_NODE_BINARY, operation, self._node, (CORM_NODE_VALUE, other, 0)), TRUTHS)
        # Of a parameter on the left the other side says what it is.
        left = other._beside(self) if isinstance(other, Expression) else self._node
        return Expression((CORM_NODE_BINARY, operation, left, self._beside(other)), TRUTHS)

    def _text(self, operation: int, other: str | Expression[Any], column: Any = TRUTHS) -> Expression[Any]:
        return Expression((CORM_NODE_BINARY, operation, self._node, operand(other)), column)

    def _unary(self, operation: int, column: Any = None) -> Expression[Any]:
        return Expression((CORM_NODE_UNARY, operation, self._node), column)

    def _calculate(self, operation: int, left: Any, right: Any) -> Expression[Any]:
        for side in (left, right):
            if type(side) is str or (isinstance(side, Expression) and side._is_text()):
                raise ProgrammingError("a text is no number", hint="join texts with concat(), or cast them to int")
            if isinstance(side, date | time | UUID):
                raise ProgrammingError(
                    f"a {type_name(side)} is no number",
                    hint="compare it; times are calculated with in the program, or by func.unixepoch() and the like",
                )
        column = decimals_of(left, right)
        if column is None and (column := durations_of(left, right)) is not None:
            _require_durations(operation, left, right)
        return Expression((CORM_NODE_BINARY, operation, operand(left), operand(right)), column)

    def _ordered(self, descending: bool, nulls: Nulls | None) -> Expression[T_co]:
        if nulls not in _NULLS:
            raise ProgrammingError(f"nulls is {nulls!r}", hint='use "first", "last" or None')
        return Expression((abi.CORM_NODE_ORDER, self._node, descending, _NULLS[nulls]), self._column)


def _require_durations(operation: int, *sides: Any) -> None:
    """Refuses what a duration is not calculated with: its microseconds are nobody's business but the file's."""
    if operation not in (abi.CORM_OP_ADD, abi.CORM_OP_SUBTRACT):
        raise ProgrammingError(
            "a duration is no number", hint="add and subtract durations, or cast one to int for its microseconds"
        )
    for side in sides:
        if isinstance(side, Expression):
            if side._column is None or durations_of(side):
                continue
            what = f"a value of type {side._column.type_name}"
        elif side is None or isinstance(side, timedelta):
            continue
        else:
            what = repr(side)
        hint = "give a timedelta, or a column of durations; times are calculated with in the program"
        raise ProgrammingError(f"{what} is no duration", hint=hint)


def _joined(code: int, left: Expression[Any], right: Any) -> Expression[bool]:
    """AND or OR; a chain of them stays flat however long it is."""
    parts: list[Node] = []
    for node in (left._node, condition_node(right)):
        parts += node[1] if node[0] == code else [node]
    return Expression((code, parts), TRUTHS)
