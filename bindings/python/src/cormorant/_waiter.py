"""How whoever runs waits for another thread: a task of asyncio or of trio without holding up its loop, or a thread."""

from __future__ import annotations

import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

from ._task import current_task, is_in_loop
from .error import ProgrammingError

if TYPE_CHECKING:
    import asyncio


# The tasks of asyncio whose cancellation was put off and has not come yet.
_put_off: weakref.WeakSet[Any] = weakref.WeakSet()


class Waiter:
    """What one task or one thread waits for, once. wake() is of any thread, the rest of who waits."""

    # Of who hands out turns: whether it was this one's.
    has_turn = False

    def wake(self) -> bool:
        """Ends the wait; False where nobody can wait any more, because the loop is closed."""
        raise NotImplementedError

    async def wait(self, seconds: float | None = None) -> bool:
        """Waits until it is woken, or for so long; whether it was."""
        raise NotImplementedError

    async def wait_to_end(self) -> BaseException | None:
        """Waits until it is woken, whatever cancels the task meanwhile: that comes back, to be raised."""
        raise NotImplementedError

    def put_off(self, cancelled: BaseException) -> bool:
        """Has the task cancelled at its next await instead of now; False where it has to be now."""
        raise NotImplementedError


class _OfAsyncio(Waiter):
    def __init__(self) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[None] = self._loop.create_future()
        self._woken = False
        # How often its task was cancelled by then.
        task: Any = current_task()
        self._before: int = task.cancelling() if hasattr(task, "cancelling") else 0

    def wake(self) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._end)
        except RuntimeError:
            return False
        return True

    def _end(self) -> None:
        self._woken = True
        self._stop()

    def _stop(self) -> None:
        if not self._future.done():
            self._future.set_result(None)

    async def wait(self, seconds: float | None = None) -> bool:
        if self._woken:
            return True
        if self._future.done():
            self._future = self._loop.create_future()
        timer = None if seconds is None else self._loop.call_later(seconds, self._stop)
        try:
            await self._future
        finally:
            if timer is not None:
                timer.cancel()
        return self._woken

    async def wait_to_end(self) -> BaseException | None:
        import asyncio

        cancelled: BaseException | None = None
        while not self._woken:
            try:
                await self.wait()
            except asyncio.CancelledError as error:
                cancelled = error
        return cancelled

    def put_off(self, cancelled: BaseException) -> bool:
        import asyncio

        task: Any = asyncio.current_task()
        # Before Python 3.11 nobody knows whether it is still to be cancelled.
        if task is None or not hasattr(task, "uncancel"):
            return False
        before = min(self._before, task.cancelling() - 1)

        def cancel() -> None:
            _put_off.discard(task)
            # Not where who asked for it, such as a time limit, has seen that the task is done with what it was of.
            if not task.done() and task.cancelling() > before:
                task.cancel(*cancelled.args)
                task.uncancel()

        self._loop.call_soon(cancel)
        _put_off.add(task)
        return True


class _OfTrio(Waiter):
    def __init__(self, trio: Any) -> None:
        self._trio = trio
        self._token = trio.lowlevel.current_trio_token()
        self._event = trio.Event()

    def wake(self) -> bool:
        try:
            self._token.run_sync_soon(self._event.set)
        except self._trio.RunFinishedError:
            return False
        return True

    async def wait(self, seconds: float | None = None) -> bool:
        with self._trio.move_on_after(float("inf") if seconds is None else seconds):
            await self._event.wait()
        return bool(self._event.is_set())

    async def wait_to_end(self) -> BaseException | None:
        with self._trio.CancelScope(shield=True):
            await self._event.wait()
        # trio tells of a cancellation at the next await.
        return None

    def put_off(self, cancelled: BaseException) -> bool:
        return True


class ThreadWaiter(Waiter):
    """Of a thread, which waits itself."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def wake(self) -> bool:
        self._event.set()
        return True

    def block(self, seconds: float | None = None) -> bool:
        """wait(), without a loop."""
        return self._event.wait(seconds)


def task_waiter() -> Waiter:
    """For the task that runs."""
    if is_in_loop():
        return _OfAsyncio()
    if trio := _trio():
        return _OfTrio(trio)
    raise _no_loop()


def _no_loop() -> ProgrammingError:
    return ProgrammingError("a call is awaited where no loop of asyncio or trio runs", hint="await it in asyncio.run()")


async def checkpoint() -> None:
    """Raises a cancellation that was put off, so that its task begins nothing more; also where no loop runs."""
    if not is_in_loop():
        if (trio := _trio()) is None:
            raise _no_loop()
        await trio.lowlevel.checkpoint_if_cancelled()
    elif _put_off:
        import asyncio

        # The cancellation, of this task or another, is the loop's next step.
        await asyncio.sleep(0)


def caller() -> object:
    """Who calls: the task that runs, or else the thread."""
    if task := current_task():
        return task
    if not is_in_loop() and (trio := _trio()):
        return trio.lowlevel.current_task()
    return threading.get_ident()


def _trio() -> Any:
    """trio, where its loop runs on this thread."""
    trio = sys.modules.get("trio")
    return trio if trio is not None and hasattr(trio, "lowlevel") and trio.lowlevel.in_trio_task() else None
