"""What PEP 249 has for types: constructors, objects that stand for types, and what values are bound as."""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from time import localtime
from typing import Any

from ..value import PLAIN, plain_value


class Warning(Exception):
    """PEP 249 has it; nothing raises it."""


Date = date
"""The constructor of a date."""
Time = time
"""The constructor of a time of day."""
Timestamp = datetime
"""The constructor of a point in time."""
Binary = bytes
"""The constructor of bytes."""


def DateFromTicks(ticks: float) -> date:
    """The local date of so many seconds since 1970."""
    return date(*localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> time:
    """The local time of day of so many seconds since 1970."""
    return time(*localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> datetime:
    """The local time, without a zone, of so many seconds since 1970."""
    return datetime(*localtime(ticks)[:6])


class TypeObject:
    """Stands for types of columns: equal to the declared type, Cursor.description[i][1], of each that is one of
    them.
    """

    def __init__(self, name: str, words: tuple[str, ...], but: tuple[str, ...] = ()) -> None:
        self._name = name
        self._words = words
        self._but = but

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return self is other
        declared = other.upper()
        return any(word in declared for word in self._words) and not any(word in declared for word in self._but)

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return self._name


_TIMES = ("DATE", "TIME")
_TEXTS = ("CHAR", "CLOB", "TEXT", "JSON", "UUID")
STRING = TypeObject("STRING", _TEXTS, _TIMES)
"""Equal to the declared types of texts."""
BINARY = TypeObject("BINARY", ("BLOB", "BINARY"))
"""Equal to the declared types of bytes."""
NUMBER = TypeObject("NUMBER", ("INT", "REAL", "FLOA", "DOUB", "DEC", "NUM", "BOOL"), (*_TIMES, *_TEXTS))
"""Equal to the declared types of numbers."""
DATETIME = TypeObject("DATETIME", _TIMES)
"""Equal to the declared types of dates and times."""
ROWID = TypeObject("ROWID", ("ROWID",))
"""Equal to the declared types of row numbers."""


def plain(value: Any) -> Any:
    """A value as SQL holds it. Dates and times are ISO 8601; a datetime with a zone is written in UTC, without one as
    it stands, both in the form of datetime columns.
    """
    if (kind := type(value)) in PLAIN:
        return value
    if kind is datetime and value.tzinfo is None:
        return value.isoformat(" ")
    if isinstance(value, datetime):
        return plain_value(value if value.tzinfo else value.replace(tzinfo=timezone.utc))
    if isinstance(value, date | time):
        return value.isoformat()
    return plain_value(value)
