"""Generated models of the example database: they are checked, agree with the file, and copy every row of it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from generated_code import HERE, SWIFT_BUILD, check_python, compile_c, contents, generate, run, swift_build


def test_python(chinook: Path, tmp_path: Path) -> None:
    folder = generate(chinook, "python", tmp_path / "out")
    check_python(folder)
    assert run(sys.executable, HERE / "copy_rows.py", chinook, tmp_path / "copy.db", path=str(folder)) == ""
    assert contents(tmp_path / "copy.db") == contents(chinook)


def test_c(chinook: Path, tmp_path: Path) -> None:
    program = compile_c(generate(chinook, "c", tmp_path / "out"))
    assert run(program, chinook, tmp_path / "copy.db") == ""
    assert contents(tmp_path / "copy.db") == contents(chinook)


def test_swift(chinook: Path, tmp_path: Path) -> None:
    """Without a warning, in the language mode of Swift 6."""
    sources = HERE / "swift/Sources/copy/Generated"
    shutil.rmtree(sources, ignore_errors=True)
    generate(chinook, "swift", sources)
    swift_build(HERE / "swift")
    assert run(SWIFT_BUILD / "debug/copy", chinook, tmp_path / "copy.db") == ""
    assert contents(tmp_path / "copy.db") == contents(chinook)


@pytest.mark.parametrize("language", ["swift", "c", "python"])
def test_the_same_again(chinook: Path, tmp_path: Path, language: str) -> None:
    """Neither where the file lies nor when it is read is in the code."""
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(chinook, tmp_path / "elsewhere")
    one = generate(chinook, language, tmp_path / "one")
    two = generate(tmp_path / "elsewhere" / chinook.name, language, tmp_path / "two")
    assert {path.name: path.read_text() for path in one.iterdir()} == {
        path.name: path.read_text() for path in two.iterdir()
    }
