from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import encrypted  # noqa: F401  # before anything opens a file
import pytest
from models import Department, Entry, Everything, Note, Person, Setting

from cormorant import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "test.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(Person, Department, Everything, Setting, Note, Entry)
        yield database


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tells how many scenarios and steps of Tests/Conformance were not for the engine, by reason."""
    reports = [report for kind in ("passed", "failed", "skipped") for report in terminalreporter.stats.get(kind, [])]
    reasons = [value for report in reports for name, value in report.user_properties if name == "left out"]
    for reason, count in Counter(reasons).items():
        terminalreporter.write_line(f"not on this engine, {reason}: {count}")
