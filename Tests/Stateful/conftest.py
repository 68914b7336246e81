from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/src"))

# How often each operation was done.
done: dict[str, int] = {}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if done:
        terminalreporter.write_line(", ".join(f"{name} {count}" for name, count in sorted(done.items())))
        terminalreporter.write_line(f"calls against a model: {sum(done.values())} runs")
