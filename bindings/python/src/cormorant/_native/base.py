"""The calls of the library on itself."""

from __future__ import annotations

from .library import library, to_text


def version() -> str:
    return to_text(library.corm_version()) or ""


def sqlite_version() -> str:
    return to_text(library.corm_sqlite_version()) or ""
