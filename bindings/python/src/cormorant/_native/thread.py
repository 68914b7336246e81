"""The calls of the library on threads."""

from __future__ import annotations

from .handle import DatabaseHandle
from .library import library


def thread_id() -> int:
    return int(library.corm_thread_id())


def cancel_thread(database: DatabaseHandle, thread: int) -> None:
    library.corm_thread_cancel(database, thread)


def resume_thread() -> None:
    library.corm_thread_resume()


def be_patient() -> None:
    """This thread waits for a reader as long as it takes."""
    library.corm_python_set_patient(True)
