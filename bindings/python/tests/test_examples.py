"""The example program and the code of the README run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def run(*arguments: object, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_example_runs(tmp_path: Path) -> None:
    lines = run(ROOT.parent.parent / "examples" / "python" / "people.py", cwd=tmp_path).splitlines()
    assert lines[0] == "4 people inserted, Dan has key 4"
    assert lines[1] == "refused: departments.name must be unique"
    assert lines[2].startswith("refused: ")
    assert [line.split()[0] for line in lines[3:7]] == ["Ada", "Cleo", "Ben", "Dan"]
    assert lines[7:] == ["{'name': 'Sales', 'people': 3}", "{'name': 'Research', 'people': 1}"]
    assert list(tmp_path.iterdir()) == []


def test_the_code_of_the_readme_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        run("-c", block, cwd=tmp_path)
