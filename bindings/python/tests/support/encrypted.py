"""Has the tests run on encrypted files: with CORMORANT_TEST_KEY, every file that they open without a cipher and that is
not there already as a plain one is encrypted with that key."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from cormorant import Cipher, Database, Registry

KEY = os.environ.get("CORMORANT_TEST_KEY")
plain_only = pytest.mark.skipif(KEY is not None, reason="another SQLite reads the file, which is encrypted now")


def encrypt_files(key: str) -> None:
    opened = Database.__init__

    def init(self: Database, path: Any, **options: Any) -> None:
        is_plain = str(path) in ("", ":memory:") or options.get("cipher") is not None
        files = [file for file in (path, options.get("template")) if isinstance(file, (str, os.PathLike))]
        if not is_plain and not any(file and begins_plain(Path(file)) for file in files):
            options["cipher"] = Cipher(key)
        opened(self, path, **options)

    attached = Database.attach

    def attach(self: Database, path: Any, name: str, **options: Any) -> None:
        is_given = options.get("cipher") is not None or begins_plain(Path(path))
        attached(self, path, name, **(options if is_given else {"cipher": Cipher(key)}))

    of_registry, registered = Registry.__init__, Registry.register

    def init_registry(self: Registry, pattern: Any = None, **options: Any) -> None:
        of_registry(self, pattern, **{"cipher": Cipher(key), **options})

    def register(self: Registry, name: str, path: Any, **options: Any) -> None:
        registered(self, name, path, **({"cipher": Cipher(key), **options} if options else {}))

    Database.__init__ = init  # type: ignore[method-assign]
    Database.attach = attach  # type: ignore[assignment]
    Registry.__init__ = init_registry  # type: ignore[method-assign]
    Registry.register = register  # type: ignore[method-assign]


def begins_plain(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except (OSError, ValueError):
        return False


if KEY:
    encrypt_files(KEY)
