"""A phone, a page that is zoomed into by 200 %, and a keyboard alone."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from browsers import Page, audit, complaints
from running import COMMAND, ENVIRONMENT
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from studio_server import Start


@pytest.fixture
def start(start: Start) -> Start:
    """The browser is the one that enters."""
    return partial(start, enter=False)


# A phone, and a window of 1280 by 800 at 200 %; Firefox makes no window that is narrower than 450.
@pytest.fixture(params=[(390, 844), (640, 400)], ids=["phone", "zoomed"])
def small(browser: Page, request: pytest.FixtureRequest) -> Iterator[Page]:
    browser.scale(*request.param)
    yield browser
    browser.unscale()


def fits(browser: Page) -> None:
    """Nothing stands out of the window, which shows no bar for that."""
    wide, room = browser.js("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide <= room
    beyond = browser.js(
        """
        const apart = '.skip, .grid, .canvas, .tabs, .hex, pre, .side, .editor-box, table';
        const isShown = (element) => element.checkVisibility({visibilityProperty: true}) && element.offsetWidth > 1;
        const isBeyond = ({left, right}) => right > innerWidth + 1 || left < -1;
        return [...document.querySelectorAll('button, input, select, a, h1')]
          .filter((element) => isShown(element) && !element.closest(apart))
          .filter((element) => isBeyond(element.getBoundingClientRect()))
          .map((element) => element.outerHTML.slice(0, 120));
        """
    )
    assert beyond == []


def test_every_view_fits(start: Start, small: Page, chinook: Path) -> None:
    subprocess.run(
        [str(COMMAND), "kv", "put", str(chinook), "settings", "theme", "dark"], env=ENVIRONMENT, check=True, timeout=60
    )
    small.open(start(chinook, "--write").url, "view=rows&table=Track")
    small.rows_are(lambda cells: cells[0] == "1")
    fits(small)
    assert len(small.cells(0)) >= 3
    audit(small)
    # The tables lie over the rest, and go once one is chosen.
    assert not small.one(".side").is_displayed()
    small.one(".menu-button").click()
    small.until(lambda: small.one(".side").is_displayed(), "the tables")
    audit(small)
    small.driver.find_element(By.LINK_TEXT, "Album").click()
    small.rows_are(lambda cells: cells[0].startswith("For Those"), 1)
    assert not small.one(".side").is_displayed()
    small.press("Filter")
    small.until(lambda: small.all(".filter"), "the condition")
    fits(small)
    small.press("Clear")
    small.click_cell(0, 0)
    small.js(
        "document.querySelector('.grid-body .focus').dispatchEvent(new MouseEvent('contextmenu', {bubbles: true}))"
    )
    small.press("Show the row", ".menu")
    small.shows("Referred to by")
    fits(small)
    audit(small)
    small.one("[aria-label='Close the row']").click()
    small.until(lambda: not small.all(".detail"), "the rows alone")
    small.click_cell(0, 1)
    small.keys(Keys.ENTER)
    small.one(".cell-input").send_keys("x", Keys.ENTER)
    small.press("Review and save")
    small.shows("UPDATE main")
    fits(small)
    small.press("Not yet")
    for view, selector in (
        ("diagram", ".box"),
        ("sql&sql=SELECT+*+FROM+Track", ".editor"),
        ("health", ".facts"),
        ("store&store=settings", ".store-key"),
    ):
        small.go(f"view={view}")
        small.until(lambda selector=selector: small.all(selector), view)  # type: ignore[misc]
        if selector == ".editor":
            small.press("Run")
            small.until(lambda: small.all(".result .grid-body .grid-row") and small.all(".plan li"), "the rows")
            assert len(small.cells(0)) >= 2
        fits(small)
        audit(small)
    assert complaints(small) == []


def test_by_keyboard_alone(start: Start, browser: Page, chinook: Path) -> None:
    """From the address to a change that is saved and taken back, without a mouse."""
    browser.open(start(chinook, "--write").url)
    browser.rows_are(lambda cells: cells[0].startswith("For Those"), 1)
    focused = "return document.activeElement.innerText"
    browser.js("document.activeElement.blur()")
    browser.keys(Keys.TAB)
    assert browser.js(focused) == "To what is shown"
    browser.keys(Keys.ENTER)
    browser.until(lambda: browser.js(focused) == "1", "the first cell")
    # Titles are above the first row.
    browser.keys(Keys.ARROW_RIGHT, Keys.ARROW_UP)
    browser.until(lambda: "Title" in browser.js(focused), "the title")
    browser.keys(Keys.ENTER)
    browser.rows_are(lambda cells: cells[0].startswith("...And"), 1)
    browser.until(lambda: "Title" in browser.js(focused), "the title still")
    width = "return document.activeElement.closest('[role=columnheader]').offsetWidth"
    before = browser.js(width)
    browser.chord(Keys.SHIFT, Keys.ARROW_RIGHT)
    assert browser.js(width) == before + 16
    browser.chord(Keys.SHIFT, Keys.F10)
    browser.until(lambda: browser.js(focused) == "Sort ascending", "the menu")
    browser.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert browser.js(focused) == "Pin to the left"
    browser.keys(Keys.ENTER)
    browser.rows_are(lambda cells: cells[0].startswith("...And"), 0)
    assert browser.all(".grid-head .pinned")
    browser.go("view=rows&table=Album")
    browser.rows_are(lambda cells: cells[0].startswith("For Those"), 1)
    browser.keys("/", Keys.ESCAPE)
    browser.until(lambda: browser.js(focused) == "1", "the first cell")
    browser.keys(Keys.ARROW_RIGHT, Keys.F2)
    browser.one(".cell-input")
    browser.control("a")
    browser.keys("typed", Keys.ENTER)
    browser.until(lambda: browser.js(focused) == "typed", "the cell")
    browser.control("s")
    browser.shows("UPDATE main")
    for _ in range(6):
        if browser.js(focused) == "Save 1 change":
            break
        browser.keys(Keys.TAB)
    browser.keys(Keys.ENTER)
    browser.shows("All is saved")
    assert sqlite3.connect(chinook).execute("SELECT Title FROM Album WHERE AlbumId = 1").fetchone() == ("typed",)
    for _ in range(30):
        if browser.js(focused) == "Undo the last save":
            break
        browser.keys(Keys.TAB)
    browser.keys(Keys.ENTER)
    browser.rows_are(lambda cells: cells[0].startswith("For Those"), 1)
    # Rows are chosen, and what can be done with them is a menu.
    browser.keys("/", Keys.ESCAPE)
    browser.chord(Keys.SHIFT, Keys.ARROW_DOWN)
    browser.chord(Keys.SHIFT, Keys.F10)
    browser.shows("Copy the rows as SQL")
    browser.keys(Keys.ESCAPE)
    browser.until(lambda: not browser.all(".menu"), "no menu")
    assert complaints(browser) == []
