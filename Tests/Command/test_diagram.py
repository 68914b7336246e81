"""corm diagram."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_runs import Corm
from running import make

SCHEMA = """
CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE album (id INTEGER PRIMARY KEY, artist INTEGER NOT NULL REFERENCES artist (id), price DECIMAL(10,2));
CREATE TABLE cover (
  album INTEGER PRIMARY KEY REFERENCES album (id), previous INTEGER REFERENCES cover (album), lost REFERENCES gone (x)
);
"""
NAMES = ['a"b', "日本 🎉", "../evil", "100% <b>&</b> \\", "line\nbreak", "pk", "9", "é", "e\u0301", "end", "a'b"]

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz's dot is not there")


def test_mermaid(corm: Corm) -> None:
    (corm.folder / "schema.sql").write_text(SCHEMA)
    assert (
        corm.run("diagram", "schema.sql").out
        == """\
erDiagram
    "artist" {
        INTEGER id PK
        TEXT name
    }
    "album" {
        INTEGER id PK
        INTEGER artist FK
        DECIMAL(10_2) price
    }
    "cover" {
        INTEGER album PK, FK
        INTEGER previous FK
        any lost FK
    }
    "gone"
    "artist" ||--o{ "album" : "artist"
    "album" ||--o| "cover" : "album"
    "cover" |o--o{ "cover" : "previous"
    "gone" |o--o{ "cover" : "lost"
"""
    )


def test_columns(corm: Corm) -> None:
    (corm.folder / "schema.sql").write_text(SCHEMA)
    assert "name" not in corm.run("diagram", "schema.sql", "--columns", "keys").out
    assert "INTEGER" not in corm.run("diagram", "schema.sql", "--columns", "none").out


def hostile(corm: Corm) -> Path:
    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    first = quoted(NAMES[0])
    columns = [f"{quoted(name)} {quoted(name)}" for name in NAMES]
    script = f"CREATE TABLE {first} (id INTEGER PRIMARY KEY, {', '.join(columns)});"
    for name in NAMES[1:]:
        script += f"CREATE TABLE {quoted(name)} (x, {quoted(name)} REFERENCES {first} ({first}));"
    return make(corm.folder / "hostile.db", script)


def test_hostile_names_stay_within_the_grammar_of_mermaid(corm: Corm) -> None:
    hostile(corm)
    lines = corm.run("diagram", "hostile.db").out.splitlines()
    table = r'"[^"%\\\n]+"'
    word = r"(?!(?:pk|fk|uk)(?![a-z0-9_]))[A-Za-z_\u00c0-\U0010ffff][A-Za-z0-9_()\u00c0-\U0010ffff]*"
    column = rf'        {word} {word}(?: (?:PK|FK|UK)(?:, (?:PK|FK|UK))*)?(?: "[^"]+")?'
    for line in lines[1:]:
        assert re.fullmatch(
            rf"    {table}(?: {{)?|    }}|{column}|    {table} \|[|o]--o[|{{] {table} : \"[^\"]+\"", line
        ), line
    assert len({line for line in lines if line.endswith(" {")}) == len(NAMES)
    assert '    "a\'b" {' in lines
    assert '    "a\'b (2)" {' in lines


@needs_dot
def test_png(corm: Corm) -> None:
    hostile(corm)
    corm.run("diagram", "hostile.db", "--out", "picture.png")
    assert (corm.folder / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in corm.folder.iterdir()) == ["hostile.db", "picture.png"]


def test_svg_is_drawn_without_graphviz(corm: Corm) -> None:
    hostile(corm)
    corm.run("diagram", "hostile.db", "--out", "picture.svg", PATH="/nonexistent")
    picture = ElementTree.fromstring((corm.folder / "picture.svg").read_bytes())
    texts = {element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"日本 🎉", "100% <b>&</b> \\", "line\\nbreak", 'a"b'} <= texts
    assert sorted(path.name for path in corm.folder.iterdir()) == ["hostile.db", "picture.svg"]
    lines = [element for element in picture.iter() if element.find("{http://www.w3.org/2000/svg}title") is not None]
    assert len(lines) == len(NAMES) - 1


@needs_dot
def test_dot_is_drawn_without_a_word(corm: Corm) -> None:
    hostile(corm)
    dot = corm.run("diagram", "hostile.db", "--format", "dot").out
    drawn = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, timeout=60)
    assert (drawn.returncode, drawn.stderr) == (0, b"")


def test_without_dot_it_says_what_to_install(corm: Corm) -> None:
    (corm.folder / "schema.sql").write_text(SCHEMA)
    assert "install graphviz" in corm.fails("diagram", "schema.sql", "--out", "a.png", PATH="/nonexistent")
    assert not (corm.folder / "a.png").exists()


def test_mistakes(corm: Corm) -> None:
    (corm.folder / "schema.sql").write_text(SCHEMA)
    assert "--format" in corm.fails("diagram", "schema.sql", "--out", "a.jpg", status=64)
    assert "cannot be written" in corm.fails("diagram", "schema.sql", "--out", "nowhere/a.dot")
    assert "a terminal shows no PNG" in corm.terminal("diagram", "schema.sql", "--format", "png", status=1)
