"""What a thread does, cancelled from others."""

from __future__ import annotations

import os
import threading

from ._native import thread as native_thread
from ._native.handle import DatabaseHandle

# A call of the library lets other threads go on, and comes back late where they do.
_known = threading.local()
os.register_at_fork(after_in_child=lambda: vars(_known).clear())


def _thread_id() -> int:
    """The library's number of this thread."""
    number: int | None = getattr(_known, "number", None)
    if number is None:
        number = _known.number = native_thread.thread_id()
    return number


def _works() -> list[Work]:
    """What this thread does, one within the other."""
    works: list[Work] | None = getattr(_known, "works", None)
    if works is None:
        works = _known.works = []
    return works


def is_cancelled() -> bool:
    """Whether what this thread does was cancelled."""
    works: list[Work] = getattr(_known, "works", [])
    return any(work._cancelled for work in works)


class Work:
    """What one thread does in a `with` block, which other threads can cancel at any time."""

    def __init__(self, database: DatabaseHandle | None) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._cancelled = False

    def __enter__(self) -> None:
        _works().append(self)
        with self._lock:
            self._thread = _thread_id()
            if self._cancelled:
                self._cancel(self._thread)

    def __exit__(self, *_: object) -> None:
        _works().remove(self)
        with self._lock:
            self._thread = None
            if self._cancelled:
                native_thread.resume_thread()
        if self._cancelled:
            # One that it is inside of may be cancelled, too.
            for work in _works():
                if work._cancelled:
                    work._cancel(_thread_id())

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._thread is not None:
                self._cancel(self._thread)

    def _cancel(self, thread: int) -> None:
        if self._database is not None:
            native_thread.cancel_thread(self._database, thread)
