"""The example programs and the code of the README run, and the guide shows what they do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT.parent.parent / "examples" / "python"


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
    lines = run(EXAMPLES / "people.py", cwd=tmp_path).splitlines()
    assert lines[0] == "4 people inserted, Dan has key 4"
    assert lines[1] == "refused: departments.name must be unique"
    assert lines[2].startswith("refused: ")
    assert [line.split()[0] for line in lines[3:7]] == ["Ada", "Cleo", "Ben", "Dan"]
    assert lines[7:] == ["{'name': 'Sales', 'people': 3}", "{'name': 'Research', 'people': 1}"]
    assert list(tmp_path.iterdir()) == []


# Those that have tests of their own.
OTHERS = ("people", "music", "postgresql")


@pytest.mark.parametrize("name", [path.stem for path in EXAMPLES.glob("*.py") if path.stem not in OTHERS])
def test_the_examples_of_the_guide_run(tmp_path: Path, name: str) -> None:
    assert run(EXAMPLES / f"{name}.py", cwd=tmp_path)


def test_the_guide_shows_the_sql_of_each_expression(tmp_path: Path) -> None:
    page = (ROOT.parent.parent / "docs" / "expressions.md").read_text()
    shown = [sql.replace("\\|", "|") for sql in re.findall(r"^\| `(.+?)` \|", page, re.MULTILINE)]
    lines = run(EXAMPLES / "expressions.py", cwd=tmp_path).splitlines()
    assert len(shown) > 60
    assert [line for sql, line in zip(shown, lines) if not line.startswith(f"{sql} (")] == []


def test_the_guide_shows_the_sql_of_a_query(tmp_path: Path) -> None:
    page = (ROOT.parent.parent / "docs" / "selecting.md").read_text()
    shown = re.findall(r"```sql\n(.*?)\n```", page, re.DOTALL)
    assert [sql.replace("\n", " ") for sql in shown] == run(EXAMPLES / "selecting.py", cwd=tmp_path).splitlines()[:1]


def test_the_code_of_the_readme_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        run("-c", block, cwd=tmp_path)


def test_the_first_blocks_of_the_front_page_run_one_after_the_other(tmp_path: Path) -> None:
    page = (ROOT.parent.parent / "README.md").read_text().split("\nPython:\n")[1].split("\nC, ")[0]
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) > 1
    use = """
with Database("people.db", auto_sync=True) as db:
    Department("Sales").insert(db)
    db.insert_many([Person("Ben", 1, 3100), Person("Dan", None)])
    change(db)
    assert [(person.salary, person.department) for person in db.fetch_all(Person)] == [(3300, 1), (0, 1)]
"""
    run("-c", "".join([*blocks, use]), cwd=tmp_path)
