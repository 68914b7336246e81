"""Files made by real SQLCiphers, kept with their keys in ../shared/data/sqlcipher beside the checkout."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE, PASSPHRASE, RAW, RAW_SALT, check
from cormorant import Cipher, Database

FOLDERS = [each / "shared/data/sqlcipher" for each in HERE.parents]
FOLDER = next((each for each in FOLDERS if each.exists()), HERE)

pytestmark = pytest.mark.skipif(FOLDER == HERE, reason="no ../shared/data/sqlcipher beside the checkout")


@pytest.mark.parametrize(
    ("name", "key", "settings"),
    [
        ("pass_4.19", PASSPHRASE, {}),
        ("pass_4.6.1", PASSPHRASE, {}),
        ("raw64", RAW, {}),
        ("raw96", RAW_SALT, {}),
        ("page8192", RAW, {"page_size": 8192}),
        ("plainhdr32", RAW_SALT, {"plain_header_size": 32}),
        ("compat3", PASSPHRASE, {"compatibility": 3}),
        ("autovac", RAW, {}),
        ("wal_uncheckpointed", RAW, {}),
        ("hot_journal", RAW, {}),
    ],
)
def test_a_fixture_is_read_and_written(tmp_path: Path, name: str, key: str, settings: dict[str, Any]) -> None:
    for file in FOLDER.glob(f"{name}.db*"):
        shutil.copy(file, tmp_path)
    path = tmp_path / f"{name}.db"
    mode: Any = "wal" if name == "wal_uncheckpointed" else "delete"
    with Database(path, cipher=Cipher(key, **settings), journal_mode=mode) as database:
        rows = database.query("SELECT b FROM t ORDER BY rowid").fetch_all()
        prefixes = ["WAL" if mode == "wal" and number <= 100 else "FIXTURE" for number in range(1, 201)]
        assert rows == [(f"{prefix}_{number}",) for number, prefix in enumerate(prefixes, start=1)]
        database.execute("UPDATE t SET b = upper(b) || '!'")
    check(path, key, settings, mode)
