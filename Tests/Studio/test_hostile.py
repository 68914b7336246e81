"""A file whose author means ill, in real browsers: it shows what it is, and does nothing."""

from __future__ import annotations

import sqlite3
import time
from functools import partial
from pathlib import Path

import pytest
from browsers import Page, audit, complaints
from running import make
from selenium.webdriver.common.keys import Keys
from studio_server import Start

MARKUP = "<img src=x onerror=\"document.title='owned'\">"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=\'owned\'"><script>alert(1)</script></svg>'


@pytest.fixture
def start(start: Start) -> Start:
    """The browser is the one that enters."""
    return partial(start, enter=False)


def test_names_and_values_are_no_markup(start: Start, browser: Page, tmp_path: Path) -> None:
    name = MARKUP.replace('"', '""')
    path = make(
        tmp_path / "hostile.db",
        f"""
        CREATE TABLE "{name}" (
          id INTEGER PRIMARY KEY, "{name}" TEXT, j JSON, other INTEGER REFERENCES "{name}" (id)
        );
        INSERT INTO "{name}" VALUES (1, '{MARKUP.replace("'", "''")}', '{{"<b>": "<script>"}}', 1);""",
    )
    browser.open(start(path, "--write").url)
    browser.rows_are(lambda cells: cells[0] == MARKUP, 1)
    browser.click_cell(0, 0)
    browser.keys(Keys.ENTER)
    browser.one(".cell-input")
    browser.keys(Keys.ESCAPE)
    browser.until(lambda: not browser.all(".cell-input"), "no field")
    browser.press("Filter")
    browser.until(lambda: browser.all(".filter"), "a condition")
    for view in ("diagram", "sql", "health"):
        browser.go(f"view={view}")
        browser.until(lambda view=view: browser.all(f".{view.replace('sql', 'sql-view')}"), view)  # type: ignore[misc]
    browser.shows("onerror")
    assert "owned" not in browser.driver.title
    assert not browser.all("main img, .side img")
    assert complaints(browser) == []


def test_names_hide_nothing(start: Start, browser: Page, tmp_path: Path) -> None:
    """What a terminal would obey, and what turns a line around."""
    make(tmp_path / "a.db", 'CREATE TABLE "\x1b[31mred\u202egnp.exe" ("\x07\u2066bell" TEXT, "two\nlines" TEXT)')
    browser.open(start(tmp_path / "a.db").url)
    browser.shows(r"\u{1b}[31mred\u{202e}gnp.exe")
    browser.shows(r"\u{7}\u{2066}bell")
    browser.shows(r"two\nlines")
    browser.go("view=diagram")
    browser.until(lambda: r"\u{1b}[31mred" in browser.one(".box-name").text, "the name")
    for hidden in ("\x1b", "\u202e", "\u2066", "\x07"):
        assert hidden not in browser.js("return document.body.textContent")


def test_links_pictures_and_formulas_are_values(start: Start, browser: Page, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, link TEXT, picture BLOB, formula TEXT)")
    connection = sqlite3.connect(path)
    html = b"\x89PNG\r\n\x1a\n<script>document.title='owned'</script>"
    connection.executemany(
        "INSERT INTO t VALUES (?, ?, ?, ?)",
        [
            (1, "javascript:document.title='owned'", SVG, "=cmd|' /C calc'!A0"),
            (2, "https://evil.example/", html, "@SUM(1)"),
            (3, "data:text/html,<script>alert(1)</script>", b"GIF89a" + SVG, "-1"),
        ],
    )
    connection.commit()
    browser.open(start(path).url)
    for row in range(3):
        browser.rows_are(lambda cells: cells == ["1", "2", "3"])
        browser.click_cell(row, 0)
        browser.keys(Keys.ENTER)
        browser.until(lambda: browser.all(".detail .hex"), "the bytes")
        browser.until(lambda: not browser.all(".detail img"), "no picture")
        assert all(
            link.get_attribute("href").split("/", 4)[4].startswith("#")  # type: ignore[union-attr]
            for link in browser.all("a[href]")
        )
        browser.keys(Keys.ESCAPE)
    assert "owned" not in browser.driver.title
    browser.press("Export")
    browser.press("All rows as CSV for a spreadsheet, which runs no formula of it", ".menu")
    assert [line.split(",")[-1] for line in browser.downloaded("t.csv").splitlines()[1:]] == [
        "'=cmd|' /C calc'!A0",
        "'@SUM(1)",
        "'-1",
    ]
    browser.press("Export")
    browser.press("All rows as CSV", ".menu")
    assert browser.downloaded("t.csv").splitlines()[1].endswith(",=cmd|' /C calc'!A0")
    # A picture that is none is refused by the browser, which says so.
    assert [told for told in complaints(browser) if "blob:" not in told] == []


def test_two_thousand_columns(start: Start, browser: Page, tmp_path: Path) -> None:
    columns = ", ".join(f"c{number}" for number in range(2000))
    path = make(tmp_path / "a.db", f"CREATE TABLE wide ({columns}); INSERT INTO wide (c0, c59, c1999) VALUES (1, 2, 3)")
    browser.open(start(path).url)
    browser.rows_are(lambda cells: cells == ["1"])
    browser.shows("1940 hidden")
    browser.click_cell(0, 0)
    browser.control(Keys.END)
    browser.press("Columns · 1940 hidden")
    browser.one(".dialog [aria-label='Find a column']").send_keys("c1999")
    browser.one('.dialog input[value="c1999"]').click()
    browser.press("Show these")
    browser.rows_are(lambda cells: cells == ["3"], 60)
    browser.press("Columns · 1939 hidden")
    browser.press("All", ".dialog")
    browser.press("Show these")
    browser.shows("300 columns at most")
    audit(browser)


def test_a_view_without_end(start: Start, browser: Page, tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db",
        "CREATE TABLE t (x); INSERT INTO t VALUES ('here');"
        "CREATE VIEW endless AS WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS m FROM n;"
        "CREATE VIEW nested AS SELECT count(*) FROM endless AS a JOIN endless AS b;",
    )
    studio = start(path)
    browser.open(studio.url, "view=rows&table=endless")
    browser.shows("counting")
    # Another table is there at once, and what was begun is stopped.
    browser.go("view=rows&table=t")
    browser.rows_are(lambda cells: cells == ["here"])
    time.sleep(1)
    begin = studio.processor_time
    time.sleep(1)
    assert studio.processor_time - begin < 300
    browser.go("view=rows&table=nested")
    browser.shows("stopped after 10 seconds", 20)


def test_a_value_of_a_gigabyte(start: Start, browser: Page, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "PRAGMA page_size = 65536; CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB, s TEXT);")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("INSERT INTO t VALUES (1, zeroblob(999999900), 'short')")
    connection.execute("INSERT INTO t VALUES (2, x'01', CAST(zeroblob(100000000) AS TEXT))")
    connection.commit()
    connection.close()
    studio = start(path)
    browser.open(studio.url)
    browser.rows_are(lambda cells: cells == ["1.0 GB", "1 B"], 1)
    assert browser.cells(2) == ["short", "too long to show here"]
    browser.click_cell(0, 0)
    browser.keys(Keys.ENTER)
    browser.shows("256 of 999,999,900 bytes")
    browser.press("Show more", ".detail")
    browser.shows("4,352 of 999,999,900 bytes")
    browser.keys(Keys.ESCAPE)
    browser.click_cell(1, 0)
    browser.keys(Keys.ENTER)
    browser.shows("20 kB of 100 MB")
    assert studio.memory < 60_000_000
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM t")
    connection.commit()
    browser.shows("No rows yet")
    path.unlink()
