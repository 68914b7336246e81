"""The pages about other libraries: both sides of each row give the same and leave the same in a file."""

from __future__ import annotations

import importlib
import re
import shutil
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import PYTHON, ROOT, printed

FOLDER = PYTHON / "coming_from"
sys.path[:0] = [str(ROOT / "bindings" / "python" / "src"), str(FOLDER)]

from cormorant import Database, UniqueViolation  # noqa: E402

ours = importlib.import_module("ours")
DEFINED = re.compile(r"^def (\w+)\(\w+: \w+\) -> Any:", re.MULTILINE)
PAIRS = [
    (path.stem, topic) for path in sorted(FOLDER.glob("*_theirs.py")) for topic in DEFINED.findall(path.read_text())
]
COLUMNS = ("id", "name", "title", "year", "price", "artist_id")


def plain(value: Any) -> Any:
    """What both libraries' rows and records are compared as."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if type(value).__name__ in ("Artist", "Album", "Tag"):
        return [(name, getattr(value, name)) for name in COLUMNS if hasattr(value, name)]
    if isinstance(value, Mapping):
        return dict(value)
    return [plain(part) for part in value]


def contents(path: Path) -> list[str]:
    with sqlite3.connect(path) as connection:
        return list(connection.iterdump())


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("music") / "music.db"
    with Database(path, journal_mode="delete") as db:
        db.execute_script((FOLDER / "music.sql").read_text())
    return path


@pytest.mark.parametrize(("library", "topic"), PAIRS)
def test_both_do_the_same(library: str, topic: str, music: Path, tmp_path: Path) -> None:
    theirs = importlib.import_module(library)
    left, right = shutil.copy(music, tmp_path / "left.db"), shutil.copy(music, tmp_path / "right.db")
    with theirs.opened(str(left)) as session:
        expected = plain(getattr(theirs, topic)(session))
    with Database(right) as db:
        assert plain(getattr(ours, topic)(db)) == expected
    assert contents(right) == contents(left)


def test_the_models_are_those_of_the_file(music: Path) -> None:
    with Database(music, mode="read_only") as db:
        assert not db.plan(ours.Artist, ours.Album, ours.Tag, ours.AlbumTag)


def test_both_use_one_file_side_by_side(music: Path, tmp_path: Path) -> None:
    path = shutil.copy(music, tmp_path / "music.db")
    theirs = importlib.import_module("sqlalchemy_theirs")
    with Database(path) as db, theirs.opened(str(path)) as session:
        db.insert(ours.Tag("of ours"))
        session.add(theirs.Tag(name="of theirs"))
        session.commit()
        db.insert(ours.Tag("of ours again"))
        assert session.query(theirs.Tag).count() == db.count(ours.Tag) == 6
        with pytest.raises(UniqueViolation):
            db.insert(ours.Tag("of theirs"))


def test_models_are_generated_for_the_file(music: Path, tmp_path: Path) -> None:
    """What "how to move a project" says first."""
    printed(f"corm generate {music} --language python --out . --name models", tmp_path)
    program = f"from models import *; from cormorant import Database; assert not Database({str(music)!r}).plan(*MODELS)"
    printed(f'python -c "{program}"', tmp_path)
