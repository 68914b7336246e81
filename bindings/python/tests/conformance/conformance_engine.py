"""On which engine scenarios run: SQLite, or the PostgreSQL server of CORMORANT_TEST_POSTGRES, each in a schema of its
own."""

from __future__ import annotations

import functools
import itertools
import os
from pathlib import Path
from typing import Any

from conformance_model import Json

from cormorant import Database

SERVER = os.environ.get("CORMORANT_TEST_POSTGRES")
ENGINE = "postgres" if SERVER else "sqlite"
_numbers = itertools.count()


def reason_against(given: Json) -> str | None:
    """Why it is not for this engine."""
    if ENGINE in given.get("engines", [ENGINE]):
        return None
    return str(given["because"])


def for_engine(given: Any) -> Any:
    """What of a scenario file is for this engine, with what its members `postgres` say."""
    if isinstance(given, list):
        return [for_engine(item) for item in given if not isinstance(item, dict) or reason_against(item) is None]
    if not isinstance(given, dict):
        return given
    kept = {name: item for name, item in given.items() if name not in ("postgres", "engines")}
    if SERVER and "postgres" in given:
        kept |= given["postgres"]
    return {name: for_engine(item) for name, item in kept.items()}


@functools.cache
def _server() -> Database:
    return Database(SERVER or "")


class Place:
    """Where the database of a scenario is."""

    def __init__(self, folder: Path) -> None:
        self.path: str | Path = folder / "test.db"
        self._schema = f"scenario_{os.getpid()}_{next(_numbers)}"
        if SERVER:
            _server().execute(f"CREATE SCHEMA {self._schema}")
            self.path = f"{SERVER}{'&' if '?' in SERVER else '?'}options=-csearch_path%3D{self._schema}"

    def remove(self) -> None:
        if SERVER:
            _server().execute(f"DROP SCHEMA {self._schema} CASCADE")
