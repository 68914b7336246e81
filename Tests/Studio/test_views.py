"""What each view has beside its first look: columns, copies, undo, a bundle's steps, what SQL offers."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from functools import partial
from pathlib import Path

import pytest
from browsers import Page, complaints
from running import COMMAND, ENVIRONMENT, make
from selenium.webdriver.common.keys import Keys
from studio_server import Start


@pytest.fixture
def start(start: Start) -> Start:
    """The browser is the one that enters."""
    return partial(start, enter=False)


def test_columns_are_hidden_and_pinned(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=rows&table=Customer")
    browser.rows_are(lambda cells: cells[0] == "1")
    heads = "return [...document.querySelectorAll('.head-sort')].map((head) => head.innerText.trim())"
    assert browser.js(heads)[:3] == ["CustomerId", "FirstName", "LastName"]
    browser.js("document.querySelector('[aria-label=\"Column Email\"]').click()")
    browser.press("Pin to the left", ".menu")
    browser.until(lambda: browser.js(heads)[:2] == ["Email", "CustomerId"], "the pinned column")
    browser.js("document.querySelector('[aria-label=\"Column FirstName\"]').click()")
    browser.press("Hide", ".menu")
    browser.until(lambda: "FirstName" not in browser.js(heads), "one column less")
    browser.shows("1 hidden")
    # A pinned column stays when the others are scrolled.
    browser.rows_are(lambda cells: "@" in cells[0])
    left = "return document.querySelector('.grid-body .pinned').getBoundingClientRect().left"
    before = browser.js(left)
    browser.js("document.querySelector('.grid').scrollLeft = 400")
    assert browser.js(left) == before
    # It is all in the address, for another tab.
    address = browser.driver.current_url
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(address)
    browser.until(lambda: browser.js(heads)[:3] == ["Email", "CustomerId", "LastName"], "the same columns")
    browser.driver.close()
    browser.driver.switch_to.window(browser.driver.window_handles[0])


def test_copies_and_exports(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=rows&table=Genre")
    browser.rows_are(lambda cells: cells[0] == "1")

    def copied(how: str) -> str:
        browser.go("view=rows&table=Genre")
        browser.rows_are(lambda cells: cells[0] == "1")
        browser.click_cell(0, 1)
        browser.chord(Keys.SHIFT, Keys.ARROW_DOWN)
        if how == "keys":
            browser.control("c")
        else:
            browser.chord(Keys.SHIFT, Keys.F10)
            browser.press(f"Copy the rows as {how}", ".menu")
        browser.shows("2 rows copied")
        browser.go("view=sql")
        browser.one(".editor").click()
        browser.control("a")
        browser.control("v")
        return str(browser.until(lambda: browser.one(".editor").get_property("value"), "what was copied"))

    assert copied("keys") == copied("CSV") == "GenreId,Name\n1,Rock\n2,Jazz"
    assert json.loads(copied("JSON")) == [{"GenreId": 1, "Name": "Rock"}, {"GenreId": 2, "Name": "Jazz"}]
    assert copied("SQL").splitlines()[1] == """INSERT INTO "Genre" ("GenreId", "Name") VALUES (2, 'Jazz');"""
    browser.go('view=rows&table=Genre&filters=[{"c":"Name","op":"starts","v":"R"}]')
    browser.shows("filtered")
    for name, end, first in (
        ("CSV", "csv", "1,Rock"),
        ("JSON", "json", '{"GenreId":1,"Name":"Rock"}'),
        ("SQL", "sql", "'Rock');"),
    ):
        browser.press("Export")
        browser.press(f"All filtered rows as {name}", ".menu")
        text = browser.downloaded(f"Genre.{end}")
        assert first in text.replace(" ", "") or first in text
        assert "Jazz" not in text
        assert text.count("\n") > 3


CASCADE = """
CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT);
CREATE TABLE photo (id INTEGER PRIMARY KEY, album INTEGER REFERENCES album (id) ON DELETE CASCADE, raw BLOB);
CREATE TABLE frame (id INTEGER PRIMARY KEY, photo INTEGER REFERENCES photo (id) ON DELETE SET NULL);
INSERT INTO album VALUES (1, 'Summer'), (2, 'Winter');
INSERT INTO photo VALUES (1, 1, x'00ff'), (2, 1, NULL), (3, 2, x'01');
INSERT INTO frame VALUES (1, 1), (2, 3);
"""


def test_what_goes_along_comes_back(start: Start, browser: Page, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", f"PRAGMA journal_mode = WAL; {CASCADE}")
    look = sqlite3.connect(path, isolation_level=None)

    def everything() -> list[object]:
        return [look.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in ("album", "photo", "frame")]

    before = everything()
    browser.open(start(path, "--write").url, "view=rows&table=album")
    browser.rows_are(lambda cells: cells == ["Summer", "Winter"], 1)

    def delete_the_first() -> None:
        browser.click_cell(0, 1)
        browser.keys(Keys.DELETE)
        browser.shows("1 change to save")
        browser.press("Review and save")

    delete_the_first()
    browser.shows("Along with it: 2 rows of photo deleted, 1 row of frame changed")
    assert "cannot be taken back" not in browser.text()
    browser.press("Save 1 change")
    browser.rows_are(lambda cells: cells == ["Winter"], 1)
    assert everything() == [[(2, "Winter")], [(3, 2, b"\x01")], [(1, None), (2, 3)]]
    # Another set, and both are taken back, the last one first.
    browser.click_cell(0, 1)
    browser.keys(Keys.ENTER)
    browser.one(".cell-input")
    browser.control("a")
    browser.keys("Snow", Keys.ENTER)
    browser.press("Review and save")
    browser.press("Save 1 change")
    browser.rows_are(lambda cells: cells == ["Snow"], 1)
    browser.press("Undo the last save")
    browser.rows_are(lambda cells: cells == ["Winter"], 1)
    browser.press("Undo the last save")
    browser.rows_are(lambda cells: cells == ["Summer", "Winter"], 1)
    assert everything() == before
    browser.until(lambda: "Undo" not in browser.text(), "nothing to take back")
    # Too many to be kept: that is said before.
    look.execute(
        "WITH n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n LIMIT 10001) INSERT INTO photo SELECT i, 1, NULL FROM n"
    )
    delete_the_first()
    browser.shows("Along with it: at least 10001 rows of photo deleted")
    browser.shows("this cannot be taken back, nor what was saved before")
    browser.press("Save 1 change")
    browser.rows_are(lambda cells: cells == ["Winter"], 1)
    assert "Undo" not in browser.text()
    assert complaints(browser) == []


def test_an_undo_that_would_take_more_is_refused(start: Start, browser: Page, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", CASCADE)
    browser.open(start(path, "--write").url, "view=rows&table=album")
    browser.rows_are(lambda cells: cells == ["Summer", "Winter"], 1)
    browser.press("New row")
    browser.keys(Keys.ENTER)
    browser.one(".cell-input").send_keys("Mine", Keys.ENTER)
    browser.press("Review and save")
    browser.press("Save 1 change")
    browser.rows_are(lambda cells: cells == ["Summer", "Winter", "Mine"], 1)
    make(path, "INSERT INTO photo (album) VALUES (3)")
    browser.press("Undo the last save")
    browser.shows('rows of "photo" refer to what would be taken back')
    assert sqlite3.connect(path).execute("SELECT title FROM album WHERE id = 3").fetchone() == ("Mine",)


def test_a_bundle_is_applied(start: Start, browser: Page, tmp_path: Path) -> None:
    (tmp_path / "one.sql").write_text("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, fax TEXT)")
    (tmp_path / "two.sql").write_text("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    for arguments in (
        ["generate-migration", "steps", "one", "one.sql"],
        ["generate-migration", "steps", "two", "two.sql", "--allow-drop", "t.fax"],
        ["migrate", "a.db", "steps", "--create", "--to", "0001_one"],
    ):
        subprocess.run([str(COMMAND), *arguments], cwd=tmp_path, env=ENVIRONMENT, check=True, timeout=60)
    make(tmp_path / "a.db", "INSERT INTO t VALUES (1, 'a', '12'), (2, 'b', '13')")
    browser.open(start(tmp_path / "a.db", "--write", "--bundle", "steps").url, "view=health")
    browser.shows("Steps of the bundle")
    browser.until(lambda: [tag.text for tag in browser.all(".steps .tag")][:2] == ["applied", "pending"], "the states")
    browser.shows('loses 2 values of "t.fax"')
    browser.press("Apply 1 step")
    browser.shows("This is lost:")
    assert [loss.text for loss in browser.all(".losses li")] == ['2 values of "t.fax"']
    assert not browser.button("Apply 1 step", ".dialog").is_enabled()
    browser.one(".dialog input").send_keys("lose it")
    browser.press("Apply 1 step", ".dialog")
    browser.shows("The file has all steps.")
    assert [row[1] for row in sqlite3.connect(tmp_path / "a.db").execute("PRAGMA table_info(t)")] == ["id", "a"]


def test_reading_offers_no_change(start: Start, browser: Page, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", CASCADE)
    (tmp_path / "new.sql").write_text("CREATE TABLE other (id INTEGER PRIMARY KEY)")
    browser.open(start(path, "--schema", "new.sql").url, "view=rows&table=album")
    browser.rows_are(lambda cells: cells == ["Summer", "Winter"], 1)
    browser.shows("read only")
    browser.click_cell(0, 1)
    browser.keys(Keys.F2)
    browser.shows("Referred to by")
    browser.keys(Keys.ESCAPE, Keys.DELETE)
    assert not browser.all(".cell-input, .deleted")
    for word in ("New row", "Delete", "to save"):
        assert word not in browser.text()
    browser.go("view=health")
    browser.shows("Start corm studio with --write to apply it.")


def test_what_sql_offers(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=sql")
    browser.one(".editor").send_keys("SELECT *\nFROM Artist\nWHERE Nmae = ?1")
    browser.one('.parameters input[name="1"]').send_keys("AC/DC", Keys.ENTER)
    browser.until(lambda: browser.all(".problem-place"), "the place")
    line, mark = browser.one(".problem-place").get_property("textContent").split("\n")
    assert line == "WHERE Nmae = ?1"
    assert mark.index("^") == line.index("Nmae")
    # A limit of time, which is kept without a stop.
    browser.choose("[aria-label='Time limit']", "5")
    browser.js(
        "document.querySelector('.editor').value ="
        "'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n'"
    )
    browser.press("Run")
    browser.shows("stopped after 5 seconds", 12)
    # The plan is a tree: what belongs to a part of it stands under that.
    browser.js(
        "document.querySelector('.editor').value ="
        "'SELECT * FROM Album WHERE ArtistId IN (SELECT ArtistId FROM Artist WHERE Name > 3) UNION SELECT * FROM Album'"
    )
    browser.press("Run")
    browser.until(lambda: browser.all(".plan li li"), "a tree")
    browser.press("History")
    browser.until(lambda: len(browser.all(".history")) == 1, "what ran")
    browser.keys(Keys.ESCAPE)
    browser.js("document.querySelector('.editor').value = 'SELECT 1'")
    browser.press("Run")
    browser.rows_are(lambda cells: cells == ["1"])
    browser.press("History")
    browser.until(lambda: len(browser.all(".history")) == 2, "both that ran")
    browser.all(".history")[1].click()
    browser.until(lambda: "UNION" in browser.one(".editor").get_property("value"), "the statement")
