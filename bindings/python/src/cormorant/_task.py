"""The task of asyncio that runs, where asyncio is in use: importing it costs as much as the rest of the package."""

from __future__ import annotations

import sys
from typing import Any


def current_task() -> Any:
    """The task that runs on this thread; None outside of asyncio, and in callbacks of its loop."""
    return sys.modules["asyncio"].current_task() if is_in_loop() else None


def is_in_loop() -> bool:
    """Whether a loop of asyncio runs on this thread."""
    # Another thread may be importing it at this moment: then it has no loop that runs.
    running = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
    return running is not None and running() is not None
