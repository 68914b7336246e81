"""The wheel: built, installed into an empty environment without network, used from an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PROGRAM = """
import cormorant, sys
from pathlib import Path
from cormorant import Column, Database, Model, column

assert str(Path(cormorant.__file__)).startswith(sys.prefix), cormorant.__file__
assert cormorant._native.library.library._name == str(Path(cormorant.__file__).parent / "libcormorant.so")

class Person(Model):
    name: Column[str]
    id: Column[int | None] = column(primary_key=True, default=None)

with Database("people.db") as db:
    db.create_tables(Person)
    db.insert_many(Person(f"n{i}") for i in range(3))
    print([person.name for person in db.fetch_all(Person, order_by="-id")])
"""


def run(*command: object, cwd: Path) -> str:
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(cwd)}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, ROOT / "build_wheel.py", folder, cwd=folder)
    [wheel] = folder.glob("*.whl")
    return wheel


def test_its_name_says_what_it_runs_on(wheel: Path) -> None:
    name, version, python, abi, platform = wheel.stem.split("-")
    assert (name, version, python, abi) == ("cormorant", "0.1.0", "py3", "none")
    assert platform.startswith("linux_")


def test_it_holds_the_package_the_library_and_the_command_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.startswith("cormorant-")}
        command = {name for name in archive.namelist() if name.startswith("cormorant-0.1.0.data/")}
        size = archive.getinfo("cormorant/libcormorant.so").file_size
        metadata = archive.read("cormorant-0.1.0.dist-info/METADATA").decode()
        entry_points = archive.read("cormorant-0.1.0.dist-info/entry_points.txt").decode()
    sources = ROOT / "src"
    package = {str(path.relative_to(sources)) for path in (sources / "cormorant").rglob("*.py")}
    assert names == package | {"cormorant/py.typed", "cormorant/libcormorant.so"}
    assert command == {"cormorant-0.1.0.data/scripts/corm"}
    assert size < 8 << 20
    assert "sqlite.cormorant = cormorant.sqlalchemy:CormorantDialect" in entry_points
    assert "cormorant = cormorant.pytest_plugin" in entry_points
    # What others are needed for is asked for by name.
    assert all("extra ==" in line for line in metadata.splitlines() if line.startswith("Requires-Dist"))


def test_it_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    environment, folder = tmp_path / "environment", tmp_path / "empty"
    folder.mkdir()
    run(sys.executable, "-m", "venv", environment, cwd=folder)
    python = environment / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    assert run(python, "-c", PROGRAM, cwd=folder) == "['n2', 'n1', 'n0']\n"
    assert {path.name for path in folder.glob("*.db")} == {"people.db"}
    command = environment / "bin" / "corm"
    assert run(command, "--version", cwd=folder) == "0.1.0\n"
    assert run(command, "query", "people.db", "SELECT count(*) AS n FROM person", "--csv", cwd=folder) == "n\n3\n"
