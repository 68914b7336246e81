"""Which copy of SQLite a process runs on. Two of them must not have one file open: each forgets the locks of the other
(https://www.sqlite.org/howtocorrupt.html, 2.2.1)."""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from typing import TypeVar

SONAME = "libsqlite3.so.0"


L = TypeVar("L", bound=ctypes.CDLL)


def load(kind: type[L], name: str, beside: str) -> L:
    """Loads the library, as an object of a kind. It runs on the SQLite that the process or the system has; where there
    is none, on the one that the wheel put into the folder `beside`."""
    try:
        return kind(name)
    except OSError as error:
        fallback = os.path.join(beside, SONAME)
        if "sqlite3" not in str(error) or not os.path.exists(fallback) or _is_loaded():
            raise
    # It is found by its soname then, and stays.
    ctypes.CDLL(fallback)
    return kind(name)


def _is_loaded() -> bool:
    try:
        ctypes.CDLL(SONAME, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return False
    return True


_is_told = False


def tell_of_another(library: ctypes.CDLL, path: str | None = None) -> None:
    """Warns, once in a process, where a file is opened and the module sqlite3 has brought a SQLite of its own."""
    global _is_told
    module = sys.modules.get("_sqlite3")
    if _is_told or module is None or path == ":memory:":
        return
    _is_told = True
    try:
        # A module without a file is part of the interpreter.
        theirs = _address(ctypes.CDLL(getattr(module, "__file__", None)))
    except OSError:
        return  # it was loaded from elsewhere than it says, as bundlers do: nothing can be told
    if theirs == _address(library):
        return
    warnings.warn(
        "this Python's sqlite3 module has a SQLite of its own, beside the one that cormorant runs on. Open no file "
        "with both in one process: closing it in one drops the locks that the other holds, and writers can damage it. "
        "Open such files with cormorant.dbapi, or in another process",
        RuntimeWarning,
        stacklevel=4,
    )


def _address(library: ctypes.CDLL) -> int | None:
    """Where a library, or one that it was linked to, has SQLite; None where it shows none to others."""
    try:
        return ctypes.cast(library.sqlite3_libversion, ctypes.c_void_p).value
    except AttributeError:
        return None
