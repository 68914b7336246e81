"""What suites that run the command share: where it is, with what it runs, and files for it.

CORMORANT_BUILD names the folder with `corm` in it; without it the one that is installed is taken, build/corm.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("CORMORANT_BUILD", ROOT / "build"))
COMMAND = BUILD.resolve() / "corm"
CHINOOK = ROOT.parent / "shared" / "data" / "chinook.sqlite"
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}
# What this process ignores the command would, too, and a shell has its background jobs ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


def make(path: Path, script: str) -> Path:
    """A file as any other program would make it."""
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.commit()
    connection.close()
    return path


def copy_chinook(folder: Path) -> Path:
    """A copy of the example database: a program that opens it for writing makes it a file in WAL mode."""
    if not CHINOOK.exists():
        pytest.skip(f"{CHINOOK} is not there")
    return Path(shutil.copyfile(CHINOOK, folder / CHINOOK.name))
