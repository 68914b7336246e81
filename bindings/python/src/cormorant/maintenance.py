"""Looking after a file: a copy while it is in use, what keeps it small and fast, and what is left of a damaged one."""

from __future__ import annotations

import os
from dataclasses import dataclass
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


@dataclass(frozen=True)
class RepairedTable:
    """What was saved of a table.

    name: the table's. rows: those that stand in the new file. lost_rows: rows that were seen and are not in the new
    table: cut off, out of order, or refused by a constraint that they no longer meet; what can be read of them is in
    the table lost_and_found. lost_pages: pages that could not be read, were none of the table or no longer lead to all
    that they had: the rows on them are lost, unless they were found elsewhere. problem: what could not be made again:
    the table itself, or one of its indexes, triggers or views; None: nothing.
    """

    name: str
    rows: int
    lost_rows: int
    lost_pages: int
    problem: str | None


@dataclass(frozen=True)
class RepairReport:
    """What was saved of a file.

    unreadable_pages: pages of it that cannot be read: altered, where it is encrypted; cut off; or none, where others
    lead to one. One more where its write-ahead log has transactions behind a page that was altered: those are left out.
    found_rows: rows of which is not known to what table they belong, and what was read of rows that are
    not whole: those of lost_and_found. tables: the tables of the new file.
    """

    unreadable_pages: int
    found_rows: int
    tables: list[RepairedTable]

    @property
    def is_whole(self) -> bool:
        """Whether nothing was lost, as far as that can be known."""
        losses = (table.lost_rows or table.lost_pages or table.problem for table in self.tables)
        return not (self.unreadable_pages or self.found_rows or any(losses))


def backup(
    database: Database,
    path: str | os.PathLike[str],
    *,
    cipher: Cipher | None = None,
    progress: ProgressCallback | bool | None = None,
) -> None:
    """Writes a copy of the database, as it was last committed, to a file that is not there.

    Other threads and processes may read and write meanwhile; without a write-ahead log, writes that have made the
    copy begin anew wait for its end. The copy is whole or not there, and needs no other file beside it; restore() is
    the way back. cipher: what the copy is encrypted with, which holds this handle up; None: what the database is,
    plain or with its key. decrypt() makes a copy of an encrypted file plain. progress: a function of a Progress,
    whose rows are pages, called on this thread; False from it cancels. True shows a bar on stderr where that is a
    terminal.

    OperationalError: CORM_E_CANNOT_OPEN where something is at the path, CORM_E_BUSY where another one is writing to
    it, CORM_E_INTERRUPTED when cancelled.
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


def repair(
    path: str | os.PathLike[str],
    new_path: str | os.PathLike[str],
    *,
    cipher: Cipher | None = None,
    schema: str | None = None,
    progress: ProgressCallback | bool | None = None,
) -> RepairReport:
    """Writes a new file of what can be read of a damaged one, page by page and past SQLite.

    The damaged file stays as it is; BusyError where somebody wrote to it meanwhile. Its write-ahead log or journal
    counts. Rows are of the table whose tree leads to their page; where that is broken, of the one table that lacks rows
    of their shape there; else they are in a table lost_and_found, with the number of their page (page), their rowid
    (id) and their values (c0, c1, ...). Where page 1 is lost, so is the list of free pages: rows that were deleted may
    come back then.

    cipher: what the file is encrypted with, and the new one will be. schema: CREATE statements, for tables whose own
    cannot be read, such as those that a program keeps with its backups; those of the file come first. None: those of
    the copy that keep_schema left beside the file, if there is one. progress: as in Database.sync().
    """
    with telling(progress) as told:
        unreadable, found, tables = native_maintenance.repair(
            path_text(path), path_text(new_path), None if cipher is None else options_of(cipher), schema, told
        )
    return RepairReport(unreadable, found, [RepairedTable(*table) for table in tables])
