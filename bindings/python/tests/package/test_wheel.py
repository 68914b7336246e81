"""The wheel: built, installed into an empty environment without network, used from an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
from auditwheel.wheel_abi import analyze_wheel_abi

from cormorant._native import sqlite_copy

ROOT = Path(__file__).parents[2]

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
    assert platform == f"manylinux_2_34_{os.uname().machine}"


def test_its_tag_is_what_it_asks_of_a_system(wheel: Path) -> None:
    """As auditwheel has it, but for SQLite, which the wheel brings along for systems that have none."""
    found = analyze_wheel_abi(
        Libc.GLIBC,
        Architecture.detect(),
        wheel,
        frozenset([sqlite_copy.SONAME]),
        disable_isa_ext_check=False,
        allow_graft=False,
    )
    assert found.overall_policy.name == wheel.stem.split("-")[-1]


def test_an_index_takes_it(wheel: Path) -> None:
    assert "PASSED" in run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", wheel, cwd=wheel.parent)


def test_it_holds_the_package_the_library_and_the_command_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.startswith("cormorant-")}
        command = {name for name in archive.namelist() if name.startswith("cormorant-0.1.0.data/")}
        size = archive.getinfo("cormorant/libcormorant.so").file_size
        metadata = archive.read("cormorant-0.1.0.dist-info/METADATA").decode()
        entry_points = archive.read("cormorant-0.1.0.dist-info/entry_points.txt").decode()
    sources = ROOT / "src"
    package = {
        str(path.relative_to(sources))
        for path in (sources / "cormorant").rglob("*.py*")
        if path.suffix in (".py", ".pyi")
    }
    assert names == package | {"cormorant/py.typed", "cormorant/libcormorant.so", "cormorant/libsqlite3.so.0"}
    assert command == {
        "cormorant-0.1.0.data/scripts/corm",
        "cormorant-0.1.0.data/data/lib/cormorant/libsqlite3.so.0",
    }
    assert size < 10_300_000
    assert "sqlite.cormorant = cormorant.sqlalchemy:CormorantDialect" in entry_points
    assert "cormorant = cormorant.pytest_plugin" in entry_points
    # What others are needed for is asked for by name.
    assert all("extra ==" in line for line in metadata.splitlines() if line.startswith("Requires-Dist"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    return folder


def test_it_works_in_an_empty_environment(environment: Path, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    python = environment / "bin" / "python"
    assert run(python, "-c", PROGRAM, cwd=folder) == "['n2', 'n1', 'n0']\n"
    assert {path.name for path in folder.glob("*.db")} == {"people.db"}
    command = environment / "bin" / "corm"
    assert run(command, "--version", cwd=folder) == "0.1.0\n"
    assert run(command, "query", "people.db", "SELECT count(*) AS n FROM person", "--csv", cwd=folder) == "n\n3\n"


SQLITE_IN_USE = """
import ctypes, sys
import cormorant
paths = {line.split()[-1] for line in open("/proc/self/maps") if "libsqlite3" in line}
print(*(path.replace(sys.prefix, "PREFIX").replace(f"python3.{sys.version_info.minor}", "python3") for path in paths))
"""


def test_it_runs_on_the_systems_sqlite(environment: Path, tmp_path: Path) -> None:
    [path] = run(environment / "bin" / "python", "-c", SQLITE_IN_USE, cwd=tmp_path).split()
    assert not path.startswith("PREFIX")


def test_where_there_is_none_it_runs_on_its_own(environment: Path, tmp_path: Path) -> None:
    """Where nothing is a library of that name: root, or who may make a namespace of its own, sees to it."""
    python, corm = environment / "bin" / "python", environment / "bin" / "corm"
    [system] = run(python, "-c", SQLITE_IN_USE, cwd=tmp_path).split()
    alone = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "bash", "-e", "-c"]
    hide = f"mount --bind /dev/null {system}; "
    if subprocess.run([*alone, hide], capture_output=True, check=False).returncode != 0:
        pytest.skip("no mount namespace can be made here")
    used = run(*alone, f'{hide} exec "$0" -c "$1"', python, SQLITE_IN_USE, cwd=tmp_path)
    assert used == "PREFIX/lib/python3/site-packages/cormorant/libsqlite3.so.0\n"
    assert run(*alone, f'{hide} exec "$0" -c "$1"', python, PROGRAM, cwd=tmp_path) == "['n2', 'n1', 'n0']\n"
    assert run(*alone, f'{hide} exec "$0" query people.db "$1"', corm, "SELECT count(*) FROM person", cwd=tmp_path)


OTHER = """
import sys, types, warnings
import cormorant
registry = cormorant.Registry("{name}.db")
OPENINGS = {"database": lambda: cormorant.Database("a.db").close(), "registry": lambda: registry.use("b").close()}
if len(sys.argv) > 2:
    sys.modules["_sqlite3"] = types.ModuleType("_sqlite3")
    sys.modules["_sqlite3"].__file__ = sys.argv[2]
else:
    import sqlite3
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    cormorant.Database(":memory:").close()
    print(len(told))
    for opening in (sys.argv[1], *OPENINGS):
        OPENINGS[opening]()
    print(*[warning.message for warning in told])
"""


def test_a_second_sqlite_in_the_process_is_told_once(environment: Path, tmp_path: Path) -> None:
    python = environment / "bin" / "python"
    assert run(python, "-c", OTHER, "database", cwd=tmp_path) == "0\n\n"
    other = tmp_path / "_sqlite3.so"
    code = "const char *sqlite3_libversion(void) { return 0; }"
    for visibility in ("default", "hidden"):
        options = ["-shared", "-fPIC", f"-fvisibility={visibility}", "-x", "c", "-", "-o", str(other)]
        subprocess.run(["gcc", *options], input=code, text=True, check=True)
        for opening in ("database", "registry"):
            told = run(python, "-c", OTHER, opening, other, cwd=tmp_path)
            assert told.startswith("0\nthis Python's sqlite3 module has a SQLite of its own")
            assert told.count("SQLite of its own") == 1
    assert run(python, "-c", OTHER, "database", "/nowhere/_sqlite3.so", cwd=tmp_path) == "0\n\n"
