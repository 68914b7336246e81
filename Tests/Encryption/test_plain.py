"""A plain file costs next to nothing: SQLite's own VFS reads, writes, syncs and locks it, mostly without a detour."""

from __future__ import annotations

import ctypes
import ctypes.util
from pathlib import Path

from cormorant import Database

OPEN_READ_WRITE = 2
FILE_POINTER = 7
JOURNAL_POINTER = 28

sqlite = ctypes.CDLL(ctypes.util.find_library("sqlite3"))
sqlite.sqlite3_vfs_find.restype = ctypes.c_void_p
sqlite.sqlite3_file_control.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]


class VFS(ctypes.Structure):
    """The beginning of sqlite3_vfs, https://sqlite.org/c3ref/vfs.html."""


VFS._fields_ = [
    ("version", ctypes.c_int),
    ("file_size", ctypes.c_int),
    ("path_size", ctypes.c_int),
    ("next", ctypes.POINTER(VFS)),
    ("name", ctypes.c_char_p),
]


def vfs_of_the_library() -> bytes:
    each = ctypes.cast(sqlite.sqlite3_vfs_find(None), ctypes.POINTER(VFS))
    while not (each.contents.name or b"").startswith(b"corm-"):
        each = each.contents.next
    return bytes(each.contents.name)


# Of sqlite3_io_methods, https://sqlite.org/c3ref/io_methods.html: what comes behind the version.
METHODS = (
    *(
        "close",
        "read",
        "write",
        "truncate",
        "sync",
        "file_size",
        "lock",
        "unlock",
        "check_reserved_lock",
        "file_control",
    ),
    *("sector_size", "device_characteristics", "shm_map", "shm_lock", "shm_barrier", "shm_unmap", "fetch", "unfetch"),
)
# By these, writers take turns and are refused a file that has moved.
OWN = {"close", "lock", "shm_map", "shm_lock", "shm_unmap"}
# By these what SQLite forgets to complete in the log is seen.
OWN_OF_LOG = {"close", "read", "write"}


def methods(path: Path, vfs: bytes | None) -> tuple[dict[str, int], dict[str, int]]:
    """Where the functions of the file and of its log are."""
    connection = ctypes.c_void_p()
    assert sqlite.sqlite3_open_v2(bytes(path), ctypes.byref(connection), OPEN_READ_WRITE, vfs) == 0
    found = []
    # The log is there from the first read on.
    assert sqlite.sqlite3_exec(connection, b"SELECT count(*) FROM t", None, None, None) == 0
    for pointer in (FILE_POINTER, JOURNAL_POINTER):
        file = ctypes.POINTER(ctypes.POINTER(ctypes.c_size_t))()
        assert sqlite.sqlite3_file_control(connection, b"main", pointer, ctypes.byref(file)) == 0
        table = file[0]
        found.append({name: table[1 + place] for place, name in enumerate(METHODS)})
    sqlite.sqlite3_close(connection)
    return found[0], found[1]


def test_a_plain_file_is_given_to_the_default_vfs_but_for_the_turns_of_writers(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    with Database(path) as database:
        database.execute("CREATE TABLE t (a)")
        (file, log), (plain, plain_log) = methods(path, vfs_of_the_library()), methods(path, None)
        assert {name for name in METHODS if log[name] != plain_log[name]} == OWN_OF_LOG
        assert {name for name in METHODS if file[name] != plain[name]} == OWN
        assert plain["read"] != 0
