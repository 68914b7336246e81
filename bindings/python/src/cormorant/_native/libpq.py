"""PostgreSQL's client library, where the system has none: the one that psycopg's binary wheel brings."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import glob
import os
import sys

from .._path import is_url


def bring_libpq(path: str | None) -> None:
    """Loads it before a URL is opened, without importing psycopg: the library takes what the process has."""
    if path is not None and is_url(path) and sys.platform == "linux":
        _load()


@functools.cache
def _load() -> None:
    if os.environ.get("CORMORANT_LIBPQ"):
        return
    with contextlib.suppress(OSError):
        ctypes.CDLL("libpq.so.5")
        return
    from importlib.util import find_spec

    wheel = find_spec("psycopg_binary")
    for package in wheel.submodule_search_locations or () if wheel else ():
        for file in glob.glob(os.path.join(glob.escape(f"{package}.libs"), "libpq-*.so*")):
            with contextlib.suppress(OSError):
                ctypes.CDLL(file)
                return
