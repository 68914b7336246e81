"""Methods of Database that look after a file: a copy while it is in use, and what keeps it small and fast."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, NamedTuple

from ._native import abi
from ._native import maintenance as native_maintenance
from ._path import path_text
from .cipher import Cipher, options_of
from .error import ProgrammingError
from .progress import ProgressCallback, telling

if TYPE_CHECKING:
    from .database import Database


_MODES = {
    "passive": abi.CORM_CHECKPOINT_PASSIVE,
    "full": abi.CORM_CHECKPOINT_FULL,
    "restart": abi.CORM_CHECKPOINT_RESTART,
    "truncate": abi.CORM_CHECKPOINT_TRUNCATE,
}


class CheckpointPages(NamedTuple):
    """What a checkpoint found and did; -1 each for a file without a write-ahead log.

    log: pages in the log. copied: how many of these are in the file.
    """

    log: int
    copied: int


def backup(
    database: Database,
    path: str | os.PathLike[str],
    *,
    cipher: Cipher | None = None,
    progress: ProgressCallback | bool | None = None,
) -> None:
    """Writes a copy of the database, as it was last committed, to a file that is not there.

    Other threads and processes may read and write meanwhile. The copy is whole or not there, and needs no other
    file beside it; restore() is the way back. cipher: what the copy is encrypted with, which holds this handle up;
    None: what the database is, plain or with its key. decrypt() makes a copy of an encrypted file plain. progress:
    a function of a Progress, whose rows are pages, called on this thread; False from it cancels. True shows a bar
    on stderr where that is a terminal.

    OperationalError: CORM_E_CANNOT_OPEN where something is at the path, CORM_E_INTERRUPTED when cancelled.
    """
    given = None if cipher is None else options_of(cipher)
    with telling(progress) as told:
        native_maintenance.backup(database._handle, path_text(path), given, told)


def vacuum(database: Database) -> None:
    """Writes the file anew without the room that deleted rows left. Takes as much free disk, holds writers up."""
    native_maintenance.vacuum(database._handle)


def optimize(database: Database) -> None:
    """Looks at tables whose rows have changed much, so that queries are planned well.

    For programs to call now and then, and before closing; takes milliseconds when there is little to do.
    """
    native_maintenance.optimize(database._handle)


def checkpoint(
    database: Database, mode: Literal["passive", "full", "restart", "truncate"] = "passive"
) -> CheckpointPages:
    """Copies pages from the write-ahead log into the file.

    SQLite does so by itself, as "passive" (as far as nobody is in the way), once the log has 1,000 pages. "full"
    waits for writers and readers of older states and copies everything; "restart" also waits until the next writer
    can begin the log anew; "truncate" makes the log an empty file, too. BusyError when the wait was too long.
    """
    if mode not in _MODES:
        raise ProgrammingError(f"mode is {mode!r}", hint=f"use one of {', '.join(_MODES)}")
    return CheckpointPages(*native_maintenance.checkpoint(database._handle, _MODES[mode]))
