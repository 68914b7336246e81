from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/src"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    from counts import done

    if done:
        terminalreporter.write_line(", ".join(f"{name} {count}" for name, count in sorted(done.items())))
        asked = sum(count for name, count in done.items() if name not in ("compared", "rows of writers beside"))
        terminalreporter.write_line(f"calls against a model: {asked} runs")
