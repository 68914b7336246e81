"""Follows the tutorials in empty folders, as a reader does, who has nothing but the page.

A block with a comment before it, <!-- file: station.c -->, goes to the end of that file, which is made where it is not
there; a block of ```diff is applied to it. One that names a file under examples/ is that file, whole. A block of
```console is run: a line that begins with "$ " is a command, which succeeds, and what follows is what it prints; one of
```sh is run whole, and the ```text after it is what it prints; "..." stands for what is left out. At the end the folder
has the files that stand in examples/, which the formatters and the reader's eyes see; with --update-pages they are
written there.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import ENVIRONMENT, ROOT, printed, shows

SCRATCH = ROOT / ".build" / "test"
BLOCK = re.compile(
    r"(?:<!-- (?:file: (?P<path>[^ ]+)|(?P<kept>[^ ]+)) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```",
    re.DOTALL | re.MULTILINE,
)
# `swift` of a reader, but that the library is built once for all tests.
SWIFT = """#!/usr/bin/env bash
exec {swift} "$1" --scratch-path {scratch} "${{@:2}}"
"""
# What `sh` blocks say is done; `bash` is for what changes the machine, and is not.
PORT = "8000"


class Tutorial(NamedTuple):
    page: Path
    # The folder of its program.
    kept: Path
    # What differs in that folder: where the library is.
    library: str | None = None


TUTORIALS = {
    "c": Tutorial(ROOT / "docs/c/tutorial.md", ROOT / "examples/c/station"),
    "python": Tutorial(ROOT / "docs/python/tutorial.md", ROOT / "examples/python/toolshed"),
    "swift": Tutorial(ROOT / "docs/swift/tutorial.md", ROOT / "examples/swift/tutorial", '"../cormorant"'),
}


def environment(language: str, folder: Path) -> dict[str, str]:
    """That of a reader who has installed the library, for C and Python, or cloned it, for Swift."""
    if language == "python":
        return ENVIRONMENT
    prefix, tools = folder / "prefix", folder / "tools"
    tools.mkdir()
    found = shutil.which("swift")
    if found is not None:
        (tools / "swift").write_text(SWIFT.format(swift=found, scratch=SCRATCH))
        (tools / "swift").chmod(0o755)
    subprocess.run(["cmake", "--install", ROOT / "build", "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    return os.environ | {
        "PATH": f"{tools}:{prefix}/bin:{os.environ['PATH']}",
        "CMAKE_PREFIX_PATH": str(prefix),
        "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig",
        "LD_LIBRARY_PATH": f"{prefix}/lib",
        "SWIFT_BACKTRACE": "enable=no",
    }


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def put(path: Path, text: str, language: str) -> None:
    """Adds a block to a file, or makes it, or changes it as a difference says."""
    before = path.read_text() + "\n" if path.exists() else ""
    if language == "diff":
        before = path.read_text()
        for hunk in re.split(r"^\.\.\.\n", text, flags=re.MULTILINE):
            lines = hunk.splitlines(keepends=True)
            old, new = ("".join(line[1:] for line in lines if line[0] != sign) for sign in "+-")
            assert before.count(old) == 1, f"{path.name} has not once what is to change:\n{hunk}"
            before, text = before.replace(old, new), ""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before + text)


def follow(tutorial: Tutorial, folder: Path, variables: dict[str, str]) -> None:
    page = tutorial.page.read_text()
    port, output = free_port(), ""
    for block in BLOCK.finditer(page):
        text, path = block["text"], block["path"]
        if block["kept"]:
            path = Path(block["kept"]).name
            assert f"`{path}`" in page[: block.start()], f"the page does not say how {path} is called"
            assert text == (ROOT / block["kept"]).read_text(), f"{block['kept']} has more than its block"
            (folder / path).write_text(text)
        elif path:
            if tutorial.library is not None:
                text = text.replace(tutorial.library, f'"{ROOT}"')
            put(folder / path, text, block["language"])
        elif block["language"] == "console":
            for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, shown = step.partition("\n")
                output = printed(command, folder, variables)
                assert shows(shown, output), f"$ {command}\n{output}"
        elif block["language"] == "sh":
            output = printed(text.replace(PORT, port), folder, variables)
        elif block["language"] == "text":
            assert shows(text, output), f"the page shows\n{text}\nand this was printed\n{output}"


def compare(tutorial: Tutorial, folder: Path, update: bool) -> None:
    """The files of the page's blocks are those that are kept."""
    names = {block["path"] for block in BLOCK.finditer(tutorial.page.read_text()) if block["path"]}
    if not names:
        kept = [*tutorial.kept.glob("*.py"), *tutorial.kept.glob("*.service")]
        names = {path.name for path in kept}
    for name in sorted(names):
        text = (folder / name).read_text()
        if tutorial.library is not None:
            text = text.replace(f'"{ROOT}"', f'"{os.path.relpath(ROOT, tutorial.kept)}"')
        path = tutorial.kept / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"{tutorial.page} makes {path}"
        assert path.read_text() == text, f"{path} is not what {tutorial.page} makes"


@pytest.mark.parametrize("language", TUTORIALS)
def test_words_before_each_block_name_its_file(language: str) -> None:
    """The comment that names it is seen by nobody who reads the page."""
    page, end = TUTORIALS[language].page.read_text(), 0
    for block in BLOCK.finditer(page):
        if block["path"]:
            assert Path(block["path"]).name in page[end : block.start()], f"nothing says that this is {block[0]}"
        end = block.end()


@pytest.mark.parametrize("language", TUTORIALS)
def test_the_tutorial(language: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    tutorial = TUTORIALS[language]
    folder = tmp_path / tutorial.kept.name
    folder.mkdir()
    if language == "swift":
        (folder / ".build").symlink_to(SCRATCH)
    follow(tutorial, folder, environment(language, tmp_path))
    compare(tutorial, folder, request.config.getoption("--update-pages"))
