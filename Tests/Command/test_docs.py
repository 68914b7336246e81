"""The commands of README.md and docs/**.md do what the pages show.

A block of ```console is run in a folder that all blocks of its page share: lines that begin with "$ " are commands, and
what follows is what they print, "..." standing for what is left out. A block with a comment before it that names a
file, <!-- shop.sql -->, is that file, unless the tree has one of that name. Tutorials, <!-- file: shop.c -->, are
followed by Tests/Pages.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from running import COMMAND, ENVIRONMENT, ROOT

PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if "```console" in page.read_text() and "<!-- file: " not in page.read_text()
]
BLOCK = re.compile(r"(?:<!-- (?P<path>[^ ]+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)


def matches(shown: str, printed: str) -> bool:
    """Whether that was printed, but for what is left out and spaces at the ends of lines."""
    pattern = "".join(
        "(?s:.*)" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r" *\n"
        for line in shown.splitlines()
    )
    return re.fullmatch(pattern, printed) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of(page: Path, tmp_path: Path) -> None:
    path = f"{COMMAND.parent}{os.pathsep}{ENVIRONMENT['PATH']}"
    for block in BLOCK.finditer(page.read_text()):
        if block["path"] is not None and not (ROOT / block["path"]).exists():
            (tmp_path / block["path"]).write_text(block["text"])
        if block["language"] != "console":
            continue
        for step in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
            command, _, shown = step.partition("\n")
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env=ENVIRONMENT | {"PATH": path},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=60,
            )
            assert matches(shown, done.stdout), f"$ {command}\n{done.stdout}"
