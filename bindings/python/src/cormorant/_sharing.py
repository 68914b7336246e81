"""What several threads may use at a time."""

from __future__ import annotations


def share(instance: object) -> None:
    """Has the instance's `__dict__` made by the thread that makes the instance; called in __init__.

    CPython 3.11 makes it when it is first asked for, as cached_property and copy.copy do. Where the collector runs in
    the midst of that, another thread or a finalizer that asks as well gets a second one of the same values, and the
    first to go frees them under the other. Of records, which are too many for this, the package asks only while the
    collector is paused.
    """
    vars(instance)
