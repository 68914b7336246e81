"""The calls of the library on threads."""

from __future__ import annotations

from typing import Final

from .handle import DatabaseHandle
from .library import library

# How patient a thread is that waits for a reader: one of a pool, whose work ends by itself, and one that may keep what
# it takes while the program does something else.
WORK: Final = 1
KEEPING: Final = 2


def thread_id() -> int:
    return int(library.corm_thread_id())


def cancel_thread(database: DatabaseHandle, thread: int) -> None:
    library.corm_thread_cancel(database, thread)


def resume_thread() -> None:
    library.corm_thread_resume()


def set_patience(patience: int) -> None:
    """How this thread waits for a reader from now on."""
    library.corm_python_set_patience(patience)
