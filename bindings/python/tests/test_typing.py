"""Type checkers: the package is clean, and they see in a model what there is."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "tests" / "typing"


def mypy(*arguments: object) -> tuple[set[int], str]:
    """Lines with errors, and the whole report."""
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *map(str, arguments)],
        cwd=ROOT,
        env={"MYPYPATH": "src", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return {int(line) for line in re.findall(r":(\d+): error:", run.stdout)}, run.stdout + run.stderr


def pyright(*arguments: object) -> tuple[set[int], str]:
    if find_spec("basedpyright") is None:
        pytest.skip("basedpyright is not installed")
    run = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(run.stdout)["generalDiagnostics"]
    return {item["range"]["start"]["line"] + 1 for item in found if item["severity"] == "error"}, run.stdout


CHECKERS = pytest.mark.parametrize("check", [mypy, pyright])


def marked() -> set[int]:
    lines = (CORPUS / "reject.py").read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("  # error")}


@CHECKERS
def test_the_package_is_clean(check: object) -> None:
    errors, report = check()  # type: ignore[operator]
    assert errors == set(), report


@CHECKERS
def test_what_must_be_accepted_is(check: object) -> None:
    errors, report = check(CORPUS / "accept.py")  # type: ignore[operator]
    assert errors == set(), report


@CHECKERS
def test_what_must_be_refused_is_and_nothing_else(check: object) -> None:
    errors, report = check(CORPUS / "reject.py")  # type: ignore[operator]
    assert errors == marked(), report
    assert len(errors) > 20
