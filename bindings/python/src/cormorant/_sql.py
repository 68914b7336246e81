"""SQL of one's own with values among it, which are bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import Formatter
from typing import TYPE_CHECKING, Any, Protocol

from ._native.expression import quoted
from .error import ProgrammingError
from .value import Bindings, type_name

if TYPE_CHECKING:
    from collections.abc import Mapping


class Template(Protocol):
    """A t-string of Python 3.14: string.templatelib.Template."""

    @property
    def strings(self) -> tuple[str, ...]: ...
    @property
    def interpolations(self) -> tuple[Any, ...]: ...


class SQL(str):
    """What sql() makes: SQL with the values that are bound to it, for whatever takes SQL."""

    values: tuple[Any, ...]

    def __new__(cls, text: str, values: Iterable[Any] = ()) -> SQL:
        made = super().__new__(cls, text)
        made.values = tuple(values)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.values

    def __repr__(self) -> str:
        return f"SQL({str(self)!r}, {self.values!r})"


def sql(text: str | Template, /, **values: Any) -> SQL:
    """SQL in which values stand that are bound, never pasted into the text, so that no data becomes SQL.

    `sql("SELECT * FROM people WHERE age > {age} AND id IN {ids:list}", age=35, ids=[1, 2])`, or of Python 3.14 on a
    t-string: `sql(t"SELECT * FROM people WHERE age > {age}")`. `{x:list}` is the values of an IN, of which there may be
    none, in parentheses of their own or of the SQL's; `{x:name}` the name of a table or column, quoted; a model is its
    table, and SQL of sql() stands as it is, with its values. A brace of the SQL's own is doubled. The result goes
    wherever SQL is taken, without bindings beside it.
    """
    written: list[str] = []
    bound: list[Any] = []
    fields = list(_of_text(text, values) if isinstance(text, str) else _of_template(text, values))
    for position, (literal, field) in enumerate(fields):
        written.append(literal)
        if field is not None:
            after = fields[position + 1][0] if position + 1 < len(fields) else ""
            is_enclosed = literal.rstrip().endswith("(") and after.lstrip().startswith(")")
            _write(*field, is_enclosed, written, bound)
    return SQL("".join(written), bound)


def bindings_of(text: str | None, bindings: Bindings) -> Bindings:
    """What is bound to SQL: what is given beside it, or the values of sql()."""
    if type(text) is not SQL:
        return bindings
    if bindings:
        raise ProgrammingError("bindings beside sql(), which has its own", hint="give all values in sql()")
    return text.values


def refuse_values(text: str, what: str) -> None:
    """Of what takes no values with its SQL."""
    if type(text) is SQL and text.values:
        raise ProgrammingError(f"{what} takes no values in its SQL", hint="run each statement by execute(sql(...))")


_Field = tuple[str, Any, str]
_DOUBLE = "double a brace of the SQL: {{ and }}"


def _of_text(text: str, values: Mapping[str, Any]) -> Iterator[tuple[str, _Field | None]]:
    unused = set(values)
    try:
        parts = list(Formatter().parse(text))
    except ValueError as error:
        raise ProgrammingError(f"sql() cannot read its text: {error}", hint=_DOUBLE) from None
    for literal, name, form, conversion in parts:
        if name is None:
            yield literal, None
            continue
        if name not in values:
            raise ProgrammingError(
                f"sql() has no value for {{{name}}}",
                hint=f"give it as a keyword, or {_DOUBLE}",
            )
        unused.discard(name)
        yield literal, (_form(name, form or "", conversion), values[name], name)
    if unused:
        raise ProgrammingError(f"sql() has no place for {', '.join(sorted(unused))}", hint="write {name} in the SQL")


def _of_template(template: Any, values: Mapping[str, Any]) -> Iterator[tuple[str, _Field | None]]:
    strings, fields = getattr(template, "strings", None), getattr(template, "interpolations", None)
    if not isinstance(strings, tuple) or not isinstance(fields, tuple):
        raise ProgrammingError(f"{type_name(template)} is no SQL", hint="give a text, or a t-string")
    if values:
        raise ProgrammingError("keywords with a t-string", hint="write the values into it")
    for literal, field in zip(strings, fields):
        yield literal, (_form(field.expression, field.format_spec, field.conversion), field.value, field.expression)
    yield strings[-1], None


def _form(name: str, form: str, conversion: str | None) -> str:
    if conversion or form not in ("", "list", "name"):
        shown = f"!{conversion}" if conversion else f":{form}"
        raise ProgrammingError(f"sql() knows no {{{name}{shown}}}", hint="write {x}, {x:list} or {x:name}")
    return form


def _write(form: str, value: Any, name: str, is_enclosed: bool, written: list[str], bound: list[Any]) -> None:
    if form == "name":
        if not isinstance(value, str) or not value or "\0" in value:
            raise ProgrammingError(f"{{{name}:name}} is no name", hint="give a text")
        written.append(quoted(value))
    elif form == "list":
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise ProgrammingError(f"{{{name}:list}} is no list", hint="give the values of the IN as a list")
        items = list(value)
        bound += items
        marks = ", ".join("?" * len(items))
        # In two pairs several are a row of values, and none are NULL.
        written.append(marks if is_enclosed else f"({marks})")
    elif type(value) is SQL:
        bound += value.values
        written.append(value)
    elif hasattr(value, "__model__"):
        written.append(quoted(value.__model__.table))
    elif isinstance(value, list | tuple | set | frozenset):
        raise ProgrammingError(f"{{{name}}} is a list", hint=f"write {{{name}:list}} for the values of an IN")
    else:
        bound.append(value)
        written.append("?")
