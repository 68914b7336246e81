"""The library: found, declared, of the right version."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import cormorant
from cormorant._native import abi
from cormorant._native import call as native_call
from cormorant._native import library as native_library

PACKAGE = Path(cormorant.__file__).parent
ROOT = Path(__file__).parents[2]


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment},
        check=False,
    )


def test_versions() -> None:
    assert cormorant.version() == cormorant.__version__ == abi.CORM_VERSION
    assert re.fullmatch(r"3\.\d+\.\d+", cormorant.sqlite_version())


def test_status_names_are_the_headers() -> None:
    statuses = {name: value for name, value in vars(abi).items() if name == "CORM_OK" or name.startswith("CORM_E_")}
    assert len(statuses) > 25
    for name, value in statuses.items():
        assert native_call.status_name(value) == name
    assert native_call.status_name(-12345) == "CORM_UNKNOWN"


def test_structs_are_laid_out_as_the_ledger_says() -> None:
    ledger = json.loads((Path(__file__).parents[4] / "docs" / "abi.json").read_text(encoding="utf-8"))
    for name, layout in ledger["structs"].items():
        kind = native_library.TYPES[name]
        assert ctypes.sizeof(kind) == layout["size"], name
        for member, place in layout["members"].items():
            if "." not in member:
                assert getattr(kind, member).offset == place["offset"], f"{name}.{member}"


def test_ctypes_is_in_the_native_modules_only() -> None:
    using = {
        path.parent for path in PACKAGE.rglob("*.py") if re.search(r"^\s*(import|from) ctypes", path.read_text(), re.M)
    }
    assert using == {PACKAGE / "_native"}


def test_the_library_can_be_chosen() -> None:
    chosen = python("import cormorant; print(cormorant.version())", CORMORANT_LIBRARY=native_library.library._name)
    assert chosen.stdout.strip() == abi.CORM_VERSION


def test_a_library_that_is_not_there() -> None:
    run = python("import cormorant", CORMORANT_LIBRARY="/nowhere/libcormorant.so")
    assert run.returncode == 1
    assert "ImportError: cannot load /nowhere/libcormorant.so" in run.stderr
    assert "set CORMORANT_LIBRARY" in run.stderr


def test_an_sqlite_that_is_too_old_is_named(tmp_path: Path) -> None:
    old = tmp_path / "libsqlite3.so.0"
    subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-o", old, "-Wl,-soname,libsqlite3.so.0"], check=True)
    run = python("import cormorant", LD_LIBRARY_PATH=str(tmp_path))
    assert run.returncode == 1
    assert "ImportError: cannot load" in run.stderr
    assert "is older than 3.38" in run.stderr


def test_another_library() -> None:
    run = python("import cormorant", CORMORANT_LIBRARY="libc.so.6")
    assert run.returncode == 1
    assert "ImportError" in run.stderr


def test_importing_it_imports_nothing_that_is_seldom_needed() -> None:
    seldom = (
        "asyncio",
        "shutil",
        "socket",
        "cormorant.metadata",
        "sqlalchemy",
        "pydantic",
        "pyarrow",
        "numpy",
        "opentelemetry",
        "pytest",
    )
    run = python(f"import cormorant, sys; print([name for name in {seldom!r} if name in sys.modules])")
    assert run.stdout == "[]\n"
