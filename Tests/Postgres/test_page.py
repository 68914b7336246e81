"""The programs of docs/postgresql.md, in each language, print the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

BUILT = Path(os.environ.get("CORMORANT_TEST_SWIFT", ROOT / ".build/test")) / "debug" / "postgresql"
PROGRAMS = {
    "C": [ROOT / "build/examples/c/postgresql"],
    "Python": [sys.executable, ROOT / "examples/python/postgresql.py"],
    "Swift": [BUILT],
}
PRINTED = """\
Ada 100
[70, 50]
UNIQUE constraint failed: account.owner
4 accounts
CORM_E_UNSUPPORTED
update by this program
update by others
add column "account.currency": "currency" text COLLATE "C" NOT NULL DEFAULT 'EUR'::text - safe
create index "account_currency_index" - safe
0 steps are left
applied
"""


@pytest.mark.parametrize("language", PROGRAMS)
def test_the_program(language: str, url: str) -> None:
    done = subprocess.run([*PROGRAMS[language], url], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (PRINTED, "", 0)
