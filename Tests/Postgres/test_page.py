"""The programs of docs/postgresql.md, in each language, print the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from cormorant import Column, Database, Model, column

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
5 accounts
roll back and begin again, which connects anew
5 accounts
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


class Song(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    name: Column[str] = column()


def test_the_moves_of_the_page(url: str, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "postgresql.md").read_text()
    section = page.split("\n## Moving\n")[1].split("\n## ")[0]
    block = re.search(r"```\w*\n(corm .*?)```", section, re.DOTALL)
    assert block is not None
    user, place = url.removeprefix("postgresql://").split("@")
    host, name = place.split("/")
    (tmp_path / "services").write_text(f"[shop]\nuser={user}\nhost={host.replace('%2F', '/')}\ndbname={name}\n")
    with Database(tmp_path / "shop.db") as db:
        db.create_tables(Song)
        db.insert_many([Song("a"), Song("b")])
    paths = {"PATH": f"{ROOT / 'build'}:{os.environ['PATH']}", "PGSERVICEFILE": str(tmp_path / "services")}
    done = subprocess.run(
        ["bash", "-ec", block[1]], cwd=tmp_path, env=os.environ | paths, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with Database(tmp_path / "back.db") as db, Database(url) as server:
        assert [db.count(Song), server.count(Song)] == [2, 2]
