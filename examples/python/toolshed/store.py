"""The shed's file, and the steps that bring it up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from cormorant import Bundle, Database

from models import MODELS

MIGRATIONS = Path(__file__).parent / "migrations"


def open_shed(path: Path | str) -> Database:
    """The file, made or brought up to date."""
    db = Database(path)
    Bundle(MIGRATIONS).apply(db)
    return db


if __name__ == "__main__":
    print(Bundle.generate(MIGRATIONS, sys.argv[1], *MODELS), end="")
