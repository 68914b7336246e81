"""Options that are texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_SQL = frozenset({"default_sql", "check", "computed", "convert_sql", "scope", "seed_sql", "where"})


def refuse_no_text(what: str, option: str, value: object) -> None:
    """Refuses an option that is neither a str nor None, be it a false one. what: whose option it is."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{what}: {option} is {value!r}, not a str; {_instead(option, value)}")


def text_argument(call: str, what: str, value: Any) -> Any:
    """The text that a call takes as its argument. what: what it is of the call."""
    if not isinstance(value, str):
        raise TypeError(f"{call} takes {what}; {value!r} is not a str")
    return value


def refuse_no_names(what: str, names: Iterable[object]) -> None:
    """Refuses keys of a dict that are no names. what: what the dict is to be."""
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what}; {name!r} is not a str")


def refuse_no_texts(what: str, options: Mapping[str, Any], *names: str) -> None:
    """The same of several."""
    for name in names:
        refuse_no_text(what, name, options[name])


def _instead(option: str, value: object) -> str:
    if option == "checks":
        return 'give a list of SQL texts: checks=["..."]'
    if option == "table" and isinstance(value, bool):
        return 'a model\'s table is named by table="..."; leave it out for the default'
    if isinstance(value, bool) and option in _SQL:
        return f'write {option}="{str(value).upper()}"'
    if option == "json_key" and isinstance(value, int) and not value:
        return 'json_key="" keeps the column out of JSON'
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f'write {option}="{value}"'
    return f'give {"its SQL as a text" if option in _SQL else "a text"}: {option}="..."'
