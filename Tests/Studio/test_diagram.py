"""The diagram: laid out in the browser, as `corm diagram` draws it."""

from __future__ import annotations

import itertools
import re
import resource
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from browsers import Page, audit, complaints, picture
from running import COMMAND, ENVIRONMENT, make
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from studio_server import Start, tables_with_random_references

# Circles, a table that refers to itself, one that is not there, keys of two columns, names that are hard to measure.
ODD = """
CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b (id), self INTEGER REFERENCES a (id));
CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER UNIQUE NOT NULL REFERENCES a (id), lost REFERENCES gone (x));
CREATE TABLE "c<&>""'" (x TEXT, y TEXT COLLATE NOCASE, PRIMARY KEY (x, y));
CREATE TABLE d (x TEXT, Y TEXT, long_name_of_a_column_that_is_wider_than_any_box_may_be VARCHAR(255) NOT NULL,
  FOREIGN KEY (x, Y) REFERENCES "C<&>""'" (X, y));
CREATE TABLE "日本 🎉 ❤️ e\u0301" ("\x1b[31m" TEXT, "line
break" INTEGER REFERENCES a, "क्षि" 日本語);
CREATE UNIQUE INDEX u ON d (x, y) WHERE x > 'a';
CREATE VIRTUAL TABLE v USING fts5 (words);
CREATE VIEW w AS SELECT 1;
CREATE TABLE alone (id INTEGER PRIMARY KEY);
CREATE TABLE wide (id INTEGER PRIMARY KEY, double AS (id * 2));
"""


@pytest.fixture
def start(start: Start) -> Start:
    """The browser is the one that enters."""
    return partial(start, enter=False)


def command(path: Path, *arguments: str) -> str:
    done = subprocess.run(
        [str(COMMAND), "diagram", str(path), "--format", "svg", *arguments],
        env=ENVIRONMENT | {"PATH": "/nonexistent"},
        capture_output=True,
        check=True,
        timeout=60,
    )
    return done.stdout.decode()


def boxes(browser: Page, count: int) -> None:
    browser.until(lambda: len(browser.all(".box")) == count, "the tables")


def place(browser: Page, table: str) -> tuple[float, float]:
    transform = browser.one(f'.box[data-table="{table}"]').get_attribute("transform")
    x, y = re.findall(r"-?[\d.]+", transform or "")
    return float(x), float(y)


def test_it_is_what_the_command_draws(start: Start, browser: Page, chinook: Path, tmp_path: Path) -> None:
    odd = make(tmp_path / "odd.db", ODD)
    many = make(tmp_path / "many.db", tables_with_random_references(500))
    browser.open(start(chinook, odd, many).url)
    for file, path in enumerate((chinook, odd, many)):
        for columns in ("all", "keys", "none"):
            browser.go(f"file={file}&view=diagram&columns={columns}")
            browser.until(
                lambda columns=columns: browser.one("[aria-label='Columns shown']").get_property("value") == columns,
                "columns",
            )  # type: ignore[misc]
            drawn = command(path, "--columns", columns)
            boxes(browser, drawn.count("<rect") - 1)
            browser.press("Export SVG")
            assert browser.downloaded("diagram.svg") == drawn, (path, columns)
    assert complaints(browser) == []


def test_it_is_clicked_through(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=diagram")
    boxes(browser, 11)
    assert len(browser.all(".line")) == 11
    audit(browser)
    picture(browser, "diagram")
    # Larger and smaller.
    scale = (
        "return Number(document.querySelector('.drawing > g').getAttribute('transform').match(/scale\\((.*)\\)/)[1])"
    )
    fitted = browser.js(scale)
    browser.one("[aria-label=Larger]").click()
    assert browser.js(scale) > fitted
    browser.one("[aria-label=Smaller]").click()
    browser.press("Fit")
    assert browser.js(scale) == pytest.approx(fitted)
    # What is found, and what a table is near.
    browser.one("[aria-label='Find a table'].input").send_keys("invoiceline")
    browser.until(lambda: len(browser.all(".box.found")) == 1, "what is found")
    # Some of the tables, which the address says.
    browser.press("Tables")
    browser.press("None", ".dialog")
    for name in ("Album", "Artist", "Track"):
        browser.one(f'.dialog input[value="{name}"]').click()
    browser.press("Show these")
    boxes(browser, 3)
    assert len(browser.all(".line")) == 2
    browser.shows("Tables · 3 of 11")
    browser.driver.refresh()
    boxes(browser, 3)
    # Firefox clicks on no group.
    browser.one('.box[data-table="Artist"] text').click()
    browser.until(lambda: browser.all(".rows .grid"), "the rows")
    # Back to what was shown.
    browser.press("Diagram", ".switch") if browser.all(".switch button") else browser.driver.find_element(
        By.LINK_TEXT, "Diagram"
    ).click()
    boxes(browser, 3)
    assert complaints(browser) == []


def test_tables_are_moved(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=diagram")
    boxes(browser, 11)
    before = place(browser, "Artist")
    line = (
        "return [...document.querySelectorAll('.line')].find((line) => line.textContent.includes('Album.ArtistId'))"
        ".firstChild.getAttribute('d')"
    )
    path = browser.js(line)
    ActionChains(browser.driver).drag_and_drop_by_offset(browser.one('.box[data-table="Artist"]'), 60, 90).perform()
    after = place(browser, "Artist")
    assert after[0] - before[0] > 50
    assert after[1] - before[1] > 80
    assert browser.js(line) != path
    assert "moved" in browser.driver.current_url
    # To the left and above of all others: the file that is kept has room for it.
    ActionChains(browser.driver).drag_and_drop_by_offset(
        browser.one('.box[data-table="Playlist"]'), -400, -300
    ).perform()
    left, top = place(browser, "Playlist")
    browser.press("Export SVG")
    kept = browser.downloaded("diagram.svg")
    view = [float(part) for part in re.search(r'viewBox="([^"]*)"', kept)[1].split()]  # type: ignore[index]
    assert view[:2] == [min(0, left - 24), min(0, top - 24)]
    assert f'<rect x="{left:g}" y="{top:g}"' in kept
    browser.driver.refresh()
    boxes(browser, 11)
    assert place(browser, "Artist") == after
    browser.press("Arrange anew")
    browser.until(lambda: place(browser, "Artist") == before, "the first arrangement")
    assert not browser.one(".toolbar .button.quiet").is_displayed()


def test_by_keyboard(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=diagram")
    boxes(browser, 11)
    focused = "return document.activeElement.dataset.table ?? document.activeElement.className"
    browser.js("document.querySelector('.canvas').focus()")
    transform = "return document.querySelector('.drawing > g').getAttribute('transform')"
    before = browser.js(transform)
    browser.keys(Keys.ARROW_RIGHT, "+", "-")
    assert browser.js(transform) != before
    browser.keys("0")
    assert browser.js(transform) == before
    # One stop for all tables; arrows lead from one to the next.
    browser.keys(Keys.TAB)
    first = browser.js(focused)
    assert first in {box.get_attribute("data-table") for box in browser.all(".box")}
    seen = {first}
    for key in (Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_LEFT):
        browser.keys(key)
        seen.add(browser.js(focused))
    assert len(seen) >= 3
    name = browser.js(focused)
    said = browser.js("return document.activeElement.getAttribute('aria-label')")
    assert said.startswith(name)
    assert "refer" in said
    at = place(browser, name)
    ActionChains(browser.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_DOWN).key_up(Keys.SHIFT).perform()
    assert place(browser, name) == (round(at[0]), round(at[1] + 20))
    browser.keys(Keys.ENTER)
    browser.until(lambda: browser.one(".toolbar h1").text == name, "its rows")


def test_500_tables(start: Start, browser: Page, tmp_path: Path) -> None:
    path = make(tmp_path / "many.db", tables_with_random_references(500))
    browser.open(start(path).url)
    browser.shows("t499")
    for columns in ("keys", "all"):
        browser.go("view=health")
        browser.until(lambda: browser.all(".health"), "another view")
        computed = browser.computed()
        begin = time.monotonic()
        # Nobody asks the page meanwhile, which would cost it time.
        browser.driver.execute_async_script(
            """
            const [columns, done] = arguments;
            const look = () => (document.querySelectorAll('.box').length === 500
              ? requestAnimationFrame(() => setTimeout(done)) : setTimeout(look, 20));
            location.hash = `view=diagram&columns=${columns}`;
            look();
            """,
            columns,
        )
        taken = time.monotonic() - begin
        computed = browser.computed() - computed
        print(f"\n{browser.name}: 500 tables, {columns}: {taken * 1000:.0f} ms, computed {computed * 1000:.0f} ms")
        # Others may have the processors, and its caches.
        assert computed < 2
    browser.js("const f = document.querySelector('.find'); f.value = 't499'; f.dispatchEvent(new Event('input'))")
    browser.until(lambda: len(browser.all(".table-link")) == 1, "one table")


def test_tables_are_apart(tmp_path: Path) -> None:
    path = make(tmp_path / "many.db", tables_with_random_references(500))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    drawn = command(path, "--columns", "all")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    computed = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"\n500 tables, drawn by the command: computed {computed * 1000:.0f} ms")
    assert computed < 1
    found = re.findall(r'<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)" rx', drawn)
    places = [(float(x), float(y), float(x) + float(w), float(y) + float(h)) for x, y, w, h in found]
    assert len(places) == 500
    for first, second in itertools.combinations(places, 2):
        apart = first[2] <= second[0] or second[2] <= first[0] or first[3] <= second[1] or second[3] <= first[1]
        assert apart, (first, second)
