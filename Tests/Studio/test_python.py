"""The studio from programs: db.studio() in Python, and a pipe in C."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import BUILD, ENVIRONMENT, ROOT, make

PACKAGE = ROOT / "bindings/python/src"


def run(folder: Path, program: str) -> str:
    environment = ENVIRONMENT | {"PYTHONPATH": str(PACKAGE), "PATH": f"{BUILD.resolve()}:{os.environ['PATH']}"}
    if "CORMORANT_LIBRARY" in os.environ:
        environment["CORMORANT_LIBRARY"] = os.environ["CORMORANT_LIBRARY"]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_address_is_printed_and_answers(tmp_path: Path) -> None:
    out = run(
        tmp_path,
        """
import urllib.request, cormorant
with cormorant.Database("a.db") as db:
    db.execute("CREATE TABLE t (x)")
    with db.studio() as studio:
        assert "corm studio" in urllib.request.urlopen(studio.url).read().decode()
        assert studio.url in studio._repr_html_()
    try:
        urllib.request.urlopen(studio.url)
    except OSError:
        print("ended")
    try:
        cormorant.Database(":memory:").studio()
    except cormorant.ProgrammingError as error:
        print(error.message)
""",
    ).splitlines()
    assert out[0].startswith("http://127.0.0.1:")
    assert out[1:] == ["ended", "the database ':memory:' is no file that another process could open"]


def test_the_file_is_the_one_that_was_opened(tmp_path: Path) -> None:
    out = run(
        tmp_path,
        """
import os, cormorant
os.mkdir("other")
cormorant.Database("other/a.db").close()
with cormorant.Database("a.db") as db:
    db.execute("CREATE TABLE t (x)")
    os.chdir("other")
    with db.studio() as studio:
        print(studio._process.args[2])
""",
    ).splitlines()
    assert out[1] == str(tmp_path / "a.db")


def test_it_ends_with_the_program(tmp_path: Path) -> None:
    out = run(
        tmp_path,
        """
import os, cormorant
db = cormorant.Database("a.db")
db.execute("CREATE TABLE t (x)")
studio = db.studio()
print(studio._process.pid, flush=True)
os._exit(0)
""",
    ).splitlines()
    process = Path(f"/proc/{out[1]}")
    end = time.monotonic() + 5
    while process.exists() and "State:\tZ" not in (process / "status").read_text() and time.monotonic() < end:
        time.sleep(0.05)
    if process.exists() and "State:\tZ" not in (process / "status").read_text():
        pytest.fail("corm studio is left behind")


def test_the_program_in_c(tmp_path: Path) -> None:
    make(tmp_path / "app.db", "CREATE TABLE t (x)")
    subprocess.run(["cc", "-Wall", "-Werror", "-o", "studio", ROOT / "examples/c/studio.c"], cwd=tmp_path, check=True)
    environment = ENVIRONMENT | {"PATH": f"{BUILD.resolve()}:{os.environ['PATH']}"}
    done = subprocess.run(
        [tmp_path / "studio"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=20
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("http://127.0.0.1:")
