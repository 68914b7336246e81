"""The calls of the library on caches of records."""

from __future__ import annotations

import ctypes

from .call import call
from .handle import DatabaseHandle, ModelHandle
from .library import library
from .struct import make_sized


def set_cache(database: DatabaseHandle, model: ModelHandle, count: int, size: int) -> None:
    limits = [max(-1, min(limit, 2**63 - 1)) for limit in (count, size)]
    call(library.corm_database_set_cache, database, model, *limits)


def cache_statistics(database: DatabaseHandle, model: ModelHandle) -> tuple[int, int, int, int]:
    struct = make_sized("corm_cache_statistics")
    call(library.corm_database_cache_statistics, database, model, ctypes.byref(struct))
    return struct.hits, struct.misses, struct.count, struct.bytes
