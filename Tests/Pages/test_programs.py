"""The programs of the pages run, and print what the pages show."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import PYTHON, ROOT, printed, shows

# A program of a page, and what the page says that it prints.
SHOWN = re.compile(r"<!-- (\S+) -->\n```python\n(?:(?!^```).)*^```\n\n```text\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = [ROOT / "docs" / "python" / name for name in ("index.md", "cookbook.md")]
OUTPUTS = {ROOT / path: text for page in PAGES if page.exists() for path, text in SHOWN.findall(page.read_text())}


@pytest.mark.parametrize("path", sorted((PYTHON / "cookbook").glob("*.py")), ids=lambda path: path.stem)
def test_the_program(path: Path, tmp_path: Path) -> None:
    output = printed(f"python -W error {path}", tmp_path)
    if path in OUTPUTS:
        assert shows(OUTPUTS[path], output), f"the page shows\n{OUTPUTS[path]}\nand this was printed\n{output}"
    else:
        assert not output, f"{path.name} prints what no page shows\n{output}"
    if any(tmp_path.iterdir()):
        printed(f"python -W error {path}", tmp_path)  # a file that is there is no obstacle


def test_programs_in_c_name_members_in_their_order() -> None:
    """What is copied from them into C++ compiles there, where another order than that of the struct is an error."""
    clang = subprocess.check_output([ROOT / "scripts" / "swift-clang"], text=True).strip()
    command = [clang, "-x", "c++", "-std=c++20", "-fsyntax-only", "-ferror-limit=0", "-Wno-everything"]
    command += ["-Wreorder-init-list", "-fno-caret-diagnostics", f"-I{ROOT / 'include'}", f"-I{ROOT / 'examples/c'}"]
    sources = sorted((ROOT / "examples" / "c").rglob("*.c"))
    done = subprocess.run([*command, *sources], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if "-Wreorder-init-list" in line] == []
