"""Code that the command generates: compiled, checked and run.

CORMORANT_BUILD names the folder with `corm` in it, as in Tests/Command; CORMORANT_SWIFT_BUILD the scratch path of the
Swift tests, so that the library is compiled once.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from running import COMMAND, ROOT

HERE = Path(__file__).resolve().parent
SWIFT_BUILD = Path(os.environ.get("CORMORANT_SWIFT_BUILD", ROOT / ".build" / "test")).resolve()
LIBRARY = Path(os.environ.get("CORMORANT_LIBRARY", ROOT / "build" / "libcormorant.so")).resolve()
ENVIRONMENT = os.environ | {
    "SWIFT_BACKTRACE": "enable=no",
    "CORMORANT_LIBRARY": str(LIBRARY),
    "LD_LIBRARY_PATH": str(LIBRARY.parent),
    "PYTHONPATH": str(ROOT / "bindings/python/src"),
}


def run(*command: object, cwd: Path | None = None, path: str = "") -> str:
    """What a program prints; one that fails fails the test. path: to be looked into for Python modules, too."""
    environment = ENVIRONMENT | {"PYTHONPATH": f"{ENVIRONMENT['PYTHONPATH']}:{path}"}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def generate(source: Path, language: str, out: Path, *options: str) -> Path:
    run(COMMAND, "generate", source, "--language", language, "--out", out, *options)
    return out


def compile_c(folder: Path) -> Path:
    """The copying program with the generated models, which C and C++ take without a warning."""
    warnings = ["-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", f"-I{folder}"]
    run("g++", "-fsyntax-only", *warnings, "-x", "c++", folder / "models.h")
    program = folder / "copy"
    # As the Swift package has it, the library is looked for under its soname.
    soname = folder / "libcormorant.so.0"
    soname.symlink_to(LIBRARY)
    sources = [HERE / "copy.c", folder / "models.c"]
    run("gcc", "-std=c11", *warnings, *sources, LIBRARY, f"-Wl,-rpath,{folder},-rpath,{LIBRARY.parent}", "-o", program)
    return program


def swift_build(package: Path, *options: str) -> None:
    """Planned anew, for other packages are built in the same folder, too."""
    folder = ("--scratch-path", SWIFT_BUILD, "--disable-build-manifest-caching")
    run("swift", "build", "--package-path", package, *folder, *options)


def build_swift() -> None:
    """What generated sources import."""
    swift_build(ROOT, "--target", "Cormorant")


# As `swift build` compiles a module: 25 files at a time, or all at once.
DEBUG = ["-Onone", "-enable-batch-mode"]
RELEASE = ["-O", "-whole-module-optimization", "-num-threads", "2"]


def compile_swift(folder: Path, mode: list[str] = DEBUG, built: Path = SWIFT_BUILD / "debug") -> None:
    """The generated sources as a module of their own, without a warning, in the language mode of Swift 6. built: where
    the modules are that they import."""
    language = ["-swift-version", "6", "-warnings-as-errors"]
    build = [*mode, "-j2", "-c", "-module-name", "generated"]
    macros = ["-load-plugin-executable", f"{built / 'CormorantMacros-tool'}#CormorantMacros"]
    imported = [
        part
        for name in ("CSQLite", "CThreads")
        for part in ("-Xcc", f"-fmodule-map-file={ROOT / 'Sources' / name / 'module.modulemap'}")
    ]
    files = sorted(folder.glob("*.swift"))
    objects = folder / "objects"
    objects.mkdir()
    run("swiftc", *language, *build, "-I", built / "Modules", *macros, *imported, *files, cwd=objects)


def check_python(folder: Path) -> None:
    """Two type checkers, as strict as they are."""
    module = folder / "models.py"
    project = ROOT / "bindings/python"
    run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder / "cache", module, cwd=project)
    run(sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, module, cwd=project)


def contents(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """The rows of every table."""
    connection = sqlite3.connect(path)
    found = {}
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('corm_models', 'sqlite_sequence')"
    for (table,) in connection.execute(tables).fetchall():
        found[table] = connection.execute(f'SELECT * FROM "{table}" ORDER BY 1, 2').fetchall()
    connection.close()
    return found
