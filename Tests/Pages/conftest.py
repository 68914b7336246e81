"""Where programs of the pages run: with the package and the command of this tree, and nothing left behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

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


def printed(command: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def shows(shown: str, output: str) -> bool:
    """Whether a page shows that output, but for spaces at the ends of lines; "..." stands for anything."""
    pattern = "\n".join(re.escape(line).replace(r"\.\.\.", ".*") + " *" for line in shown.rstrip().split("\n"))
    return re.fullmatch(pattern, output.rstrip("\n")) is not None
