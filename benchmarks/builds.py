"""What a program pays before it runs: a user's first build of Cormorant and of GRDB, and Python's imports.

A program with one model and one query in a new package is built from nothing. Processor time counts, which other work
on the machine does not change much. GRDB, with its sources fetched before, is built as its guide says. Fails where
Cormorant fetches something or warns.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import report
from contestants import ROOT

TITLES = {"cormorant": "Cormorant", "grdb": "GRDB"}
# Seconds of processor time.
BUDGETS = {("cormorant", "debug"): 60, ("cormorant", "release"): 120}
# Milliseconds of it.
IMPORT_BUDGETS = {"cormorant": 80}
MODULES = ["sqlite3", "cormorant", "cormorant.dbapi", "peewee", "sqlalchemy", "sqlalchemy.orm", "django.db.models"]
PACKAGES = {
    "cormorant": (f'.package(name: "cormorant", path: "{ROOT}")', '.product(name: "Cormorant", package: "cormorant")'),
    "grdb": (
        '.package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0")',
        '.product(name: "GRDB", package: "GRDB.swift")',
    ),
}
MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "first", platforms: [.macOS(.v13)], dependencies: [{package}],
    targets: [.executableTarget(name: "first", dependencies: [{product}])])
"""
PROGRAMS = {
    "cormorant": """\
import Cormorant

@Model struct Person {
    @Key var id: Int64?
    var name: String
}

let database = try Database(path: ":memory:")
try database.createTables(Person.self)
_ = try database.inserted(Person(name: "Ada"))
print(try database.fetchOne(Person.self, Query(["name": "Ada"]))?.name ?? "nobody")
""",
    "grdb": """\
import GRDB

struct Person: Codable, FetchableRecord, PersistableRecord {
    var id: Int64?
    var name: String
}

let database = try DatabaseQueue()
try database.write { connection in
    try connection.create(table: "person") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("name", .text).notNull()
    }
    try Person(id: nil, name: "Ada").insert(connection)
    print(try Person.filter(Column("name") == "Ada").fetchOne(connection)?.name ?? "nobody")
}
""",
}


def swift(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["swift", *arguments, "--package-path", str(folder)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"swift {' '.join(arguments)}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout + done.stderr


def measure() -> list[dict]:
    """One line per figure: what, its value, its unit and its budget."""
    lines = []
    for mode in ("debug", "release"):
        for name, title in TITLES.items():
            report.progress(f"{title}: first build for {mode}")
            lines.append(_line(f"{title}, first build for {mode}", _build(name, mode), "s", BUDGETS.get((name, mode))))
    report.progress("imports")
    for module, seconds in _imports().items():
        lines.append(_line(f"Python's import of {module}", 1000 * seconds, "ms", IMPORT_BUDGETS.get(module)))
    return lines


def _line(title: str, value: float, unit: str, budget: float | None) -> dict:
    return {"title": title, "value": value, "unit": unit, "budget": budget}


def _build(name: str, mode: str) -> float:
    """Seconds of all processors."""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        package, product = PACKAGES[name]
        (folder / "Package.swift").write_text(MANIFEST.format(package=package, product=product))
        (folder / "Sources/first").mkdir(parents=True)
        (folder / "Sources/first/main.swift").write_text(PROGRAMS[name])
        swift(folder, "package", "resolve")
        if name == "cormorant" and (folder / "Package.resolved").exists():
            sys.exit(f"cormorant has dependencies:\n{(folder / 'Package.resolved').read_text()}")
        before = _processor_time()
        said = swift(folder, "build", "-c", mode)
        seconds = _processor_time() - before
        if name == "cormorant" and "warning:" in said:
            sys.exit(f"cormorant warns:\n{said}")
        if (printed := subprocess.check_output([folder / ".build" / mode / "first"], text=True)) != "Ada\n":
            sys.exit(f"{name} finds {printed}")
    return seconds


def _processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _imports() -> dict[str, float]:
    """Seconds over those of an empty program, medians of 20 rounds in which all take turns, after one that compiles."""
    times: dict[str, list[float]] = {module: [] for module in ["", *MODULES]}
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings/python/src")}
    # Installed packages have their byte code, which this variable would keep ours from having.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as cache:
        environment["PYTHONPYCACHEPREFIX"] = cache
        for turn in range(21):
            for module, seconds in times.items():
                before = _processor_time()
                program = f"import {module}" if module else "pass"
                subprocess.run([sys.executable, "-c", program], check=True, env=environment)
                if turn > 0:
                    seconds.append(_processor_time() - before)
    empty = statistics.median(times.pop(""))
    return {module: statistics.median(seconds) - empty for module, seconds in times.items()}
