"""What the built site holds: every page of the guide, every symbol of the three languages, and no link to nowhere."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any

import c_reference
import griffe
import hook
import pytest
import python_reference
import swift_reference
from conftest import ROOT

GUIDE = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name != "README.md"]


def built(site: Path, page: Path) -> str:
    name = page.relative_to(ROOT / "docs").with_suffix("")
    return (site / (name.parent if name.name == "index" else name) / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def found(site: Path) -> dict[str, str]:
    """What search has: the title of each place."""
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    return {entry["location"]: unescape(re.sub(r"<[^>]+>", "", entry["title"])) for entry in index["docs"]}


@pytest.mark.parametrize(
    ("place", "title"),
    [
        ("c/reference/record/#corm_record_insert", "corm_record_insert"),
        ("python/reference/databases/#cormorant.Database.insert_many", "insert_many"),
        ("swift/reference/#Cormorant.Database", "Database"),
    ],
)
def test_search_finds_symbols_of_each_language(found: dict[str, str], place: str, title: str) -> None:
    assert title in found[place]


def test_titles_tell_pages_apart(found: dict[str, str]) -> None:
    """Search shows no more of a page than its title: not the section, nor the language."""
    titles = Counter(title for place, title in found.items() if "#" not in place)
    assert [title for title, count in titles.items() if count > 1] == []


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_blocks_of_several_languages_are_tabs(site: Path, page: Path) -> None:
    markdown, html = page.read_text(encoding="utf-8"), built(site, page)
    expected = [line[5:-1] for line in hook.as_tabs(markdown).splitlines() if re.fullmatch(r'=== "\w+"', line)]
    labels = re.findall(r'<div class="tabbed-labels">(.*?)</div>', html, re.DOTALL)
    assert re.findall(r"<label[^>]*>(\w+)</label>", "".join(labels)) == expected
    # Each block of the page is there, and none is left in a row with those of other languages.
    for language in hook.LANGUAGES:
        blocks = len(re.findall(rf"^```{language}$", markdown, re.MULTILINE))
        assert html.count(f'class="language-{language} highlight"') == blocks
    assert not re.search(
        r"^```\n+(Python|C|Swift):\n(?s:.*?)^```\n+(?!\1)(Python|C|Swift):$", outside_tabs(markdown), re.M
    )


def outside_tabs(markdown: str) -> str:
    return "\n".join(line for line in hook.as_tabs(markdown).splitlines() if not line.startswith("    "))


def test_tables_show_no_backslash_before_a_bar(site: Path) -> None:
    assert "<code>recent || cheap</code>" in built(site, ROOT / "docs/expressions.md")


def test_every_name_of_the_c_library_has_its_place(site: Path, tmp_path: Path) -> None:
    ledger = json.loads((ROOT / "docs/abi.json").read_text(encoding="utf-8"))
    functions = set(ledger["functions"])
    pages = "".join(page.read_text(encoding="utf-8") for page in (site / "c/reference").rglob("*.html"))
    assert {name for kind in ledger.values() for name in kind if name[:5] in ("corm_", "CORM_")} <= set(
        re.findall(r'id="(\w+)"', pages)
    )
    command = [sys.executable, ROOT / "cmake/manual_c.py", "0", "2026-01-01", ROOT / "include", tmp_path]
    subprocess.run(command, check=True)
    assert {page.stem for page in tmp_path.glob("*.3")} == functions


def test_what_a_header_says_of_several_functions_stands_in_each_manual(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "cmake/manual_c.py", "0", "2026-01-01", ROOT / "include", tmp_path]
    subprocess.run(command, check=True)
    manual = (tmp_path / "corm_record_insert.3").read_text(encoding="utf-8")
    assert re.search(r"^\.I arena\nwhere texts that come back live", manual, re.MULTILINE)
    assert re.search(r"^\.PP\nStatuses: CORM_E_MISUSE \(bad handle", manual, re.MULTILINE)
    manual = (tmp_path / "corm_json_write.3").read_text(encoding="utf-8")
    assert re.search(r"^\.nf\n  integers       numbers .*\n  bool           true, false$", manual, re.MULTILINE)
    pages = c_reference.pages(ROOT / "include")
    assert "where texts that come back live" in pages["record.md"]
    assert "  bool           true, false" in pages["json.md"]


def test_every_public_name_of_python_has_its_place(found: dict[str, str]) -> None:
    package = python_reference.load(str(ROOT / "bindings/python/src"))
    names = {f"cormorant.{name}" for name in python_reference.exported(package) if not name.startswith("__")}
    assert names <= {place.partition("#")[2] for place in found if place.startswith("python/reference/")}


def test_every_page_of_docc_is_there(site: Path) -> None:
    symbols = swift_reference.symbols(ROOT / "build/symbols", "Cormorant")
    types = {symbol.path for symbol in symbols if len(symbol.path) == 1 and symbol.path[0].isalnum()}
    assert ("Database",) in types
    for path in types:
        place = swift_reference.address("Cormorant", path)
        assert (site / "swift/reference/documentation" / place / "index.html").is_file()


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text('<a href="a/#here">1</a> <a href="b/">2</a> <a href="https://x.org/">3</a>')
    (tmp_path / "a/index.html").write_text('<h1 id="there"><a href="../">4</a> <a href="../../">5</a></h1>')
    broken: Any = runpy.run_path(str(ROOT / "scripts/check-site"))["broken"]
    assert broken(tmp_path, "/docs/") == [
        "/docs/a/: ../../ leads out of the site",
        "/docs/: a/#here names a place that is not there",
        "/docs/: b/ is not there",
    ]


def test_links_of_markdown_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One: two, `three`\n\n# One\n\n# One\n\n```\n# No\n[x](no.md)\n```\n")
    page = tmp_path / "b.md"
    page.write_text(
        "[1](a.md#one-two-three) [2](a.md#one-1) [3](a.md#no) [4](c.md) `[5](no.md)` [6](#b) [7](https://x.org/y)\n\n"
        "[r]: d.md\n"
    )
    failures: Any = runpy.run_path(str(ROOT / "scripts/check-links"))["failures"]
    assert failures(page, tmp_path) == [
        "b.md: a.md#no names a heading that a.md does not have",
        "b.md: c.md is not there",
        "b.md: #b names a heading that b.md does not have",
        "b.md: d.md is not there",
    ]


def test_symbols_of_swift_that_nobody_wrote_a_word_about_are_found(tmp_path: Path) -> None:
    place = {"uri": "file:///x/Sources/Cormorant/A.swift", "position": {"line": 4, "character": 0}}
    symbols = [
        {"pathComponents": ["A"], "kind": {"displayName": "Structure"}, "location": place},
        {"pathComponents": ["A", "init(rawValue:)"], "kind": {"displayName": "Initializer"}},
        {
            "pathComponents": ["B"],
            "kind": {"displayName": "Structure"},
            "location": place,
            "docComment": {"lines": [{"text": "Words."}]},
        },
    ]
    (tmp_path / "Cormorant.symbols.json").write_text(json.dumps({"symbols": symbols}))
    assert list(swift_reference.undocumented(tmp_path)) == ["Cormorant/A.swift:5: A"]


def test_names_that_nobody_wrote_a_word_about_are_found(tmp_path: Path) -> None:
    package = tmp_path / "cormorant"
    package.mkdir()
    (package / "__init__.py").write_text('from .a import f, C\n__all__ = ["f", "C"]\n')
    (package / "a.py").write_text('def f(): ...\n\n\nclass C:\n    """Words."""\n\n    def g(self): ...\n')
    for module in python_reference.MODULES:
        (package / f"{module.removeprefix('cormorant.')}.py").write_text("")
    loaded = python_reference.load(str(tmp_path))
    assert isinstance(loaded, griffe.Module)
    assert list(python_reference.undocumented(loaded)) == ["cormorant.f", "cormorant.C.g"]


def test_a_docstring_of_python_becomes_markdown() -> None:
    given = """One of *many*. See Model.

    size = f(*a)

size (4): how many, as `a_b` has it. mode ("wal"), key: these. 0: none.
"""
    assert python_reference.markdown(given.strip()) == (
        "One of \\*many\\*. See Model.\n\n```python\nsize = f(*a)\n```\n\n- `size` (4): how many, as `a_b` has it.\n"
        '- `mode` ("wal"), `key`: these. 0: none.'
    )


def test_a_comment_of_c_becomes_markdown() -> None:
    entry = c_reference.Entry(
        ["corm_a_b"],
        "Does a thing, as `x_y` says: a < b.\n\n    a_b();\n\nout_x owned (corm_a_free).\nStatuses: CORM_OK.",
        "",
    )
    places = {"corm_a_free": "a.md#corm_a_free", "corm_a_b": "a.md#corm_a_b"}
    assert c_reference.body(entry.comment, {"out_x"}, places, "corm_a_b") == [
        "Does a thing, as `x_y` says: a \\< b.",
        "",
        *("```c", "a_b();", "```", ""),
        "- `out_x`: owned ([`corm_a_free`](a.md#corm_a_free)).",
        "",
        "**Statuses:** `CORM_OK`.",
        "",
    ]
