"""Rows that are found by key, kept in memory: off by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._model_info import info_of
from ._native import cache as native_cache
from .model import Model

if TYPE_CHECKING:
    from .database import Database


@dataclass(frozen=True)
class CacheStatistics:
    """What the cache of a model did, and what it holds.

    hits, misses: finds that it answered, and those that went to the file. count, bytes: rows that it holds, and about
    how much memory they take.
    """

    hits: int
    misses: int
    count: int
    bytes: int


def set_cache(database: Database, model: type[Model], *, max_count: int, max_bytes: int) -> None:
    """Keeps rows of a model that are found by key, so that finding them again reads no file; 0 for both stops.

    A row is never older than what a read would give: what changes through this database goes at once, and all of it
    when another connection commits. Inside a transaction, while a result is open, and beside a
    thread that writes, finds read the file. On a server, which must have an outbox (``outbox=install`` in the URL),
    what others commit is seen when the outbox is next read: every ``poll`` milliseconds, or at once with
    ``notify=on``.
    """
    native_cache.set_cache(database._handle, info_of(model).handle, max_count, max_bytes)


def cache_statistics(database: Database, model: type[Model]) -> CacheStatistics:
    """What the cache of a model did since it was set; all 0 without one."""
    return CacheStatistics(*native_cache.cache_statistics(database._handle, info_of(model).handle))
