"""How a database is opened: the keywords of Database and Registry, and what the library gets of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from operator import not_
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from ._native import abi
from ._path import path_text
from .cipher import Cipher, options_of
from .damage import DamageCallback, damage_function
from .error import ProgrammingError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .connection import RawConnection

_MODES = {
    "create": abi.CORM_OPEN_CREATE,
    "read_write": abi.CORM_OPEN_READ_WRITE,
    "read_only": abi.CORM_OPEN_READ_ONLY,
}
_JOURNAL_MODES = {
    None: abi.CORM_JOURNAL_DEFAULT,
    "wal": abi.CORM_JOURNAL_WAL,
    "delete": abi.CORM_JOURNAL_DELETE,
    "truncate": abi.CORM_JOURNAL_TRUNCATE,
    "persist": abi.CORM_JOURNAL_PERSIST,
    "memory": abi.CORM_JOURNAL_MEMORY,
    "off": abi.CORM_JOURNAL_OFF,
}
_SYNCHRONOUS = {
    None: abi.CORM_SYNCHRONOUS_DEFAULT,
    "off": abi.CORM_SYNCHRONOUS_OFF,
    "normal": abi.CORM_SYNCHRONOUS_NORMAL,
    "full": abi.CORM_SYNCHRONOUS_FULL,
    "extra": abi.CORM_SYNCHRONOUS_EXTRA,
}
_INT32_MAX = 2**31 - 1

Mode: TypeAlias = Literal["create", "read_write", "read_only"]
JournalMode: TypeAlias = Literal["wal", "delete", "truncate", "persist", "memory", "off"]
Synchronous: TypeAlias = Literal["off", "normal", "full", "extra"]


class OpenOptions(TypedDict, total=False):
    """How to open a database: the keywords of Database and of Registry. What is not given is as the library has it."""

    mode: Mode
    template: str | os.PathLike[str] | None
    busy_timeout: float
    journal_mode: JournalMode | None
    synchronous: Synchronous | None
    foreign_keys: bool
    statement_cache_size: int
    reader_count: int
    writer_count: int
    worker_count: int
    auto_sync: bool
    untrusted: bool
    heap_limit: int | None
    keep_schema: bool
    damaged: DamageCallback | None
    set_up: Callable[[RawConnection], object] | None
    cipher: Cipher | None


def _choice(option: str, numbers: dict[Any, int]) -> Callable[[Any], int]:
    def number(value: Any) -> int:
        if value not in numbers:
            names = ", ".join(name for name in numbers if name)
            raise ProgrammingError(f"{option} is {value!r}", hint=f"use one of {names}")
        return numbers[value]

    return number


def _positive(number: float) -> int:
    """0 is the library's word for its default, below 0 is none."""
    return -1 if number < 1 else int(min(number, _INT32_MAX))


def _set_up(function: Callable[[RawConnection], object] | None) -> Any:
    from .connection import set_up_function

    return set_up_function(function)


# The members of a corm_open_options that the options become, and how.
_MEMBERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "mode": ("mode", _choice("mode", _MODES)),
    "template": ("template_path", lambda path: None if path is None else path_text(path)),
    "busy_timeout": ("busy_timeout", lambda seconds: _positive(seconds * 1000)),
    "journal_mode": ("journal_mode", _choice("journal_mode", _JOURNAL_MODES)),
    "synchronous": ("synchronous", _choice("synchronous", _SYNCHRONOUS)),
    "foreign_keys": ("foreign_keys_off", not_),
    "statement_cache_size": ("statement_cache_size", _positive),
    "reader_count": ("reader_count", _positive),
    "writer_count": ("writer_count", _positive),
    "auto_sync": ("auto_sync", bool),
    "untrusted": ("untrusted", bool),
    "heap_limit": ("heap_limit", lambda limit: 0 if limit is None else limit or -1),
    "keep_schema": ("keep_schema", bool),
    "damaged": ("damaged", damage_function),
    "set_up": ("set_up", _set_up),
}


def open_members(**options: Unpack[OpenOptions]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The members of a corm_open_options, and those of its cipher. What is not given stays as the library has it."""
    given = dict(options)
    count: Any = given.pop("worker_count", 1)
    if count < 1:
        raise ProgrammingError(f"worker_count is {count}", hint="give 1 or more")
    cipher: Any = given.pop("cipher", None)
    for name in given:
        if name not in _MEMBERS:
            raise TypeError(f"a database has no option {name!r}; it has {', '.join(OpenOptions.__annotations__)}")
    members = {member: convert(given[name]) for name, (member, convert) in _MEMBERS.items() if name in given}
    return members, None if cipher is None else options_of(cipher)
