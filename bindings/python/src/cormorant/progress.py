"""How far a migration is: told to the program, or shown on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from ._definition import drop_list
from ._path import path_text
from .error import ProgrammingError

if TYPE_CHECKING:
    from .database import Database


@dataclass(frozen=True)
class Progress:
    """How far a migration is.

    step: what is being done, "waiting for another connection" too. index: of this step, counted from 0. count: how many
    steps there are, 0 while it waits. done: rows that the step has written, or pages of a copy. total: all of them; 0
    where that is not known.
    """

    step: str
    index: int
    count: int
    done: int
    total: int


ProgressCallback: TypeAlias = Callable[[Progress], "bool | None"]


@contextmanager
def telling(progress: ProgressCallback | bool | None) -> Iterator[Callable[..., object] | None]:
    """A function of a Progress's members for the _native calls; the progress bar goes at the end of the block."""
    bar = ProgressBar(sys.stderr) if progress is True else None
    callback = bar.show if bar else progress or None
    if callback is not None and not callable(callback):
        raise ProgrammingError(f"progress is {progress!r}", hint="give True or a function of a Progress")
    told = callback
    try:
        yield None if told is None else lambda *members: told(Progress(*members))
    finally:
        if bar:
            bar.clear()


@contextmanager
def migration_options(
    snapshot: str | os.PathLike[str] | None,
    drop_snapshot: bool,
    progress: ProgressCallback | bool | None,
    allow_drop: Sequence[str] = (),
    allow_lossy: bool = False,
    server: Database | None = None,
) -> Iterator[dict[str, Any]]:
    """What a migration is told, for the _native calls."""
    with telling(progress) as told:
        yield {
            "allow_drop": drop_list(allow_drop),
            "snapshot": None if snapshot is None else path_text(snapshot),
            "drop_snapshot": drop_snapshot,
            "allow_lossy": allow_lossy,
            "server": None if server is None else server._handle,
            "progress": told,
        }


class ProgressBar:
    """A line on the terminal; nothing where the stream is none."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._shown = False

    def show(self, progress: Progress) -> None:
        import shutil  # which costs more than the rest of this module

        count, total = progress.count, progress.total
        done = min(progress.done / total, 1.0) if total else 0.0
        share = (progress.index + done) / count if count else done
        bar = f"[{'#' * int(share * 24):-<24}] {share:4.0%} "
        place = f"{progress.index + 1}/{count} " if count > 1 else ""
        # Names may hold anything, also what a terminal would obey.
        name = "".join(character if character.isprintable() else "?" for character in progress.step)
        self._write(f"\r\x1b[K{f'{bar}{place}{name}'[: shutil.get_terminal_size().columns - 1]}")
        self._shown = True

    def clear(self) -> None:
        """Leaves the line as empty as it was."""
        if self._shown:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        # A terminal that went away is no reason to stop.
        if self._stream:
            with suppress(OSError):
                self._stream.write(text)
                self._stream.flush()
