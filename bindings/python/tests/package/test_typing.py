"""Type checkers see in a model what there is. That the package is clean is of `./dev check`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "typing"


Places = set[tuple[str, int]]


def mypy(*arguments: object) -> tuple[Places, str]:
    """Files and lines with errors, and the whole report."""
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *map(str, arguments)],
        cwd=ROOT,
        env={"MYPYPATH": "src", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"(\w+\.py):(\d+): error:", run.stdout)
    return {(name, int(line)) for name, line in found}, run.stdout + run.stderr


def pyright(*arguments: object) -> tuple[Places, str]:
    if find_spec("basedpyright") is None:
        pytest.skip("basedpyright is not installed")
    run = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--outputjson", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = [item for item in json.loads(run.stdout)["generalDiagnostics"] if item["severity"] == "error"]
    return {(Path(item["file"]).name, item["range"]["start"]["line"] + 1) for item in found}, run.stdout


CHECKERS = pytest.mark.parametrize("check", [mypy, pyright])


def marked(files: list[Path]) -> Places:
    return {
        (path.name, number)
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.endswith("  # error")
    }


@CHECKERS
def test_what_must_be_accepted_is(check: object) -> None:
    errors, report = check(*CORPUS.glob("accept*.py"))  # type: ignore[operator]
    assert errors == set(), report


@CHECKERS
def test_what_must_be_refused_is_and_nothing_else(check: object) -> None:
    files = sorted(CORPUS.glob("reject*.py"))
    errors, report = check(*files)  # type: ignore[operator]
    assert errors == marked(files), report
    assert len(errors) > 60
