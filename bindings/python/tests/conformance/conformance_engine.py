"""On which engine scenarios run: SQLite, or the PostgreSQL server of CORMORANT_TEST_POSTGRES, each in a schema of its
own."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance_model import Json

from cormorant import Database

SERVER = os.environ.get("CORMORANT_TEST_POSTGRES")
ENGINE = "postgres" if SERVER else "sqlite"
_numbers = itertools.count()


def for_engine(given: Any, tell: Callable[[str], object]) -> Any:
    """What of a scenario file is for this engine, with what its members `postgres` say.

    tell: is told why something is left out.
    """
    if isinstance(given, list):
        kept_items = [item for item in given if not isinstance(item, dict) or _is_for_this_engine(item, tell)]
        return [for_engine(item, tell) for item in kept_items]
    if not isinstance(given, dict):
        return given
    kept = {name: item for name, item in given.items() if name not in ("postgres", "engines")}
    if "scenarios" in given and "engines" in given:
        # The engines of a file are those of its scenarios that name none themselves.
        of_file = {"engines": given["engines"], "because": given["because"]}
        kept["scenarios"] = [of_file | scenario for scenario in given["scenarios"]]
    if SERVER and "postgres" in given:
        kept |= given["postgres"]
    return {name: for_engine(item, tell) for name, item in kept.items()}


def _is_for_this_engine(given: Json, tell: Callable[[str], object]) -> bool:
    if ENGINE in given.get("engines", [ENGINE]):
        return True
    tell(f"{'scenarios' if 'steps' in given else 'steps'}: {given['because']}")
    return False


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
