"""Where programs of the pages run: with the package and the command of this tree, and nothing left behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "examples" / "python"
ENVIRONMENT = {
    **os.environ,
    "PATH": os.pathsep.join([str(ROOT / "build"), str(Path(sys.executable).parent), os.environ["PATH"]]),
    "PYTHONPATH": str(ROOT / "bindings" / "python" / "src"),
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTEST_PLUGINS": "cormorant.pytest_plugin",
}
# What pytest tells its workers is not for the pytest of a page.
for variable in [name for name in ENVIRONMENT if name.startswith("PYTEST_XDIST")]:
    del ENVIRONMENT[variable]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-pages", action="store_true", help="write what tutorials make to examples/")


def printed(command: str, folder: Path, variables: dict[str, str] = ENVIRONMENT) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def shows(shown: str, output: str) -> bool:
    """Whether a page shows that output, but for spaces at the ends of lines; "..." stands for anything, alone on a line
    for lines."""
    pattern = "".join(
        "(?s:.*)" if line == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r" *\n"
        for line in shown.rstrip().splitlines()
    )
    return re.fullmatch(pattern, output.rstrip("\n") + "\n" if output else "") is not None
