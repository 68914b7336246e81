"""The tutorial's program, made of its page alone: each block in its turn, a file written or a command run."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from conftest import PYTHON, ROOT, printed, shows

BLOCK = re.compile(r"(?:<!-- (?P<path>\S+) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
PORT = "8000"


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def test_the_tutorial(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "python" / "tutorial.md").read_text()
    port, output = free_port(), ""
    for block in BLOCK.finditer(page):
        if block["path"]:
            path = ROOT / block["path"]
            assert f"`{path.name}`" in page[: block.start()], f"the page does not say how {path.name} is called"
            assert block["text"] == path.read_text(), f"{path} has more than its block"
            (tmp_path / path.name).write_text(block["text"])
        elif block["language"] == "sh":
            output = printed(block["text"].replace(PORT, port), tmp_path)
        elif block["language"] == "text":
            assert shows(block["text"], output), f"the page shows\n{block['text']}\nand this was printed\n{output}"
    for path in [*(PYTHON / "toolshed").glob("*.py"), *(PYTHON / "toolshed").glob("*.service")]:
        assert (tmp_path / path.name).read_text() == path.read_text()
