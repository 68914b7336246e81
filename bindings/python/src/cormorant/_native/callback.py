"""Functions of Python that the library calls while one of its own runs."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from ..error import Error
from . import abi
from .library import TYPES, to_text

T = TypeVar("T")

# Both kinds of callbacks get a context after this, which a function that has no use for it may leave where it is.
_Asked = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)
_Step = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
_Progress = TYPES["corm_progress"]


class Listener:
    """A Python function that the library asks whether to go on. What it raises is kept for take(), and stops it."""

    _kind: type[Any] = _Asked
    # What the library is told when it may go on, and when not.
    _answers: tuple[int, int] = (True, False)

    def __init__(self, function: Callable[[int], object]) -> None:
        self._raised: list[BaseException | None] = [None]
        listening = _listen(function, self._raised, *self._answers)
        next(listening)
        self._function = self._kind(listening.send)
        self.pointer = ctypes.cast(self._function, ctypes.c_void_p).value

    def take(self) -> BaseException | None:
        """What was raised since the last time."""
        raised, self._raised[0] = self._raised[0], None
        return raised


class StepListener(Listener):
    """A Python function that is a step of a migration: it gives a status."""

    _kind = _Step
    _answers = (abi.CORM_OK, abi.CORM_E_CALLBACK)


def _listen(
    function: Callable[[int], object], raised: list[BaseException | None], yes: int, no: int
) -> Generator[int, int, None]:
    # A generator, for it waits inside `try`. A signal's handler runs when Python code begins to: in a function that is
    # before its first line, and what the handler raises, such as KeyboardInterrupt, would leave the callback. There it
    # is lost, and the library gets whatever lay in memory for an answer. It also runs after calls: none stand outside.
    address = 0
    answer = yes
    while True:
        try:
            while True:
                address = 0
                address = yield answer
                answer = no if function(address) is False else yes
        except GeneratorExit as error:
            if not address:
                return
            raised[0] = error
            answer = no
        except BaseException as error:
            raised[0] = error
            answer = no


def listening(listeners: Sequence[Listener], call: Callable[[], T]) -> T:
    """What call() gives; what a listener raised meanwhile is raised in place of the library's error about it."""
    try:
        result = call()
    except Error as error:
        raised = taken(listeners)
        if raised is None:
            raise
        if sys.version_info >= (3, 11):
            raised.add_note(str(error))
    else:
        raised = taken(listeners)
        if raised is None:
            return result
    # Out here, for the library's error is no context of it.
    raise raised


def taken(listeners: Sequence[Listener]) -> BaseException | None:
    """What one of them raised since the last time."""
    taken = [listener.take() for listener in listeners]
    return next((raised for raised in taken if raised is not None), None)


def progress_listener(told: Callable[..., object] | None) -> Listener:
    """Tells a function the members of a corm_progress."""

    def progress(address: int) -> object:
        if told is None:
            return True
        raw = _Progress.from_address(address)
        return told(to_text(raw.step) or "", raw.index, raw.count, raw.done, raw.total)

    # There is one even when nobody is told: signals are handled in it, so that Ctrl-C cancels.
    return Listener(progress)
