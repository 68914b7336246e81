from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/src"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    from files import tried

    for what, count in tried.items():
        terminalreporter.write_line(f"{what}: {count} runs")
