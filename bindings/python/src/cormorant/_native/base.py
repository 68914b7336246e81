"""The calls of the library on itself."""

from __future__ import annotations

from .library import library, to_text


def version() -> str:
    """The version of the library, such as "0.1.0"."""
    return to_text(library.corm_version()) or ""


def sqlite_version() -> str:
    """The version of SQLite that the library runs on, such as "3.40.1"."""
    return to_text(library.corm_sqlite_version()) or ""
