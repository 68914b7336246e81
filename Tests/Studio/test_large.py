"""The page on a file of many rows, ten million in `./dev soak`: each view is clicked through."""

from __future__ import annotations

import sqlite3
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from browsers import Page, complaints, picture
from running import COMMAND, ENVIRONMENT, make
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from studio_server import ROWS, Start


@pytest.fixture
def start(start: Start) -> Start:
    """The browser is the one that enters."""
    return partial(start, enter=False)


def jump(browser: Page, row: int) -> None:
    browser.one(".jump").send_keys(str(row), Keys.ENTER)


def test_rows_at_any_place(start: Start, browser: Page, large: Path) -> None:
    browser.open(start(large).url, "view=rows&table=event")
    browser.rows_are(lambda cells: cells[0] == "1")
    browser.shows(f"{ROWS:,} rows")
    rows = len(browser.all(".grid-body .grid-row"))
    assert rows < 60
    target = ROWS * 9 // 10
    begin = time.monotonic()
    jump(browser, target)
    browser.rows_are(lambda cells: cells[0] == str(target))
    print(f"\n{browser.name}: row {target:,} is there {(time.monotonic() - begin) * 1000:.0f} ms after it was typed")
    assert len(browser.all(".grid-body .grid-row")) <= rows + 2
    assert browser.js(
        "return document.querySelector('.grid-layer').getBoundingClientRect().top"
        " - document.querySelector('.grid').getBoundingClientRect().top"
    ) == pytest.approx(0, abs=1), "the rows are where they are seen"
    # On from there, and to the end.
    browser.click_cell(target - 1, 0)
    browser.keys(Keys.PAGE_DOWN, Keys.PAGE_DOWN, Keys.PAGE_DOWN, Keys.PAGE_DOWN, Keys.PAGE_DOWN, Keys.PAGE_DOWN)
    browser.rows_are(lambda cells: cells[0].isdigit() and int(cells[0]) > target + 50)
    cells = browser.cells(0)
    assert [int(cell) for cell in cells] == list(range(int(cells[0]), int(cells[0]) + len(cells)))
    browser.control(Keys.END)
    browser.rows_are(lambda cells: cells[-1] == str(ROWS))
    browser.control(Keys.HOME)
    browser.rows_are(lambda cells: cells[0] == "1")
    # By the bar.
    browser.js("const s = document.querySelector('.grid'); s.scrollTop = s.scrollHeight / 2")
    browser.rows_are(lambda cells: cells[0].isdigit() and abs(int(cells[0]) - ROWS / 2) < ROWS / 50)
    picture(browser, "many")
    # Sorted by a column with an index, and by one without.
    browser.go('view=rows&table=event&sort=[{"c":"source","d":true}]')
    browser.rows_are(lambda cells: cells[0].startswith("1000"), 5)
    browser.go('view=rows&table=event&sort=[{"c":"amount","d":false}]')
    browser.until(lambda: browser.all(".problem") or browser.cells(3)[0] == "0", "an answer", 20)
    assert complaints(browser) == []


def test_filters_and_relations(start: Start, browser: Page, large: Path) -> None:
    each = f"{ROWS // 1000:,}"
    browser.open(start(large).url, "view=rows&table=source")
    browser.until(lambda: browser.cells(2)[0].strip() == each, "the count of events")
    browser.cell(6, 2).find_element(By.CSS_SELECTOR, "a").click()
    browser.shows(f"{each} rows")
    browser.rows_are(lambda cells: len(cells) > 10 and all(cell.startswith("7") for cell in cells), 5)
    browser.until(lambda: "source 7" in browser.cells(5)[0], "what it is called")
    # One condition more, typed: what the last rows of the source are.
    browser.press("Filter")
    browser.until(lambda: len(browser.all(".filter")) == 2, "the condition")
    browser.choose(".filter:nth-of-type(2) [aria-label=Column]", "id")
    browser.choose(".filter:nth-of-type(2) [aria-label=Operator]", ">")
    browser.all(".filter-value")[-1].send_keys(str(ROWS - 5000), Keys.ENTER)
    browser.shows("5 rows")
    assert browser.cells(0) == [str(ROWS - 5000 + 6 + 1000 * place) for place in range(5)]
    # Texts without an index: the whole table is looked through.
    look = sqlite3.connect(large)
    note = look.execute("SELECT note FROM event WHERE id = 99999").fetchone()[0]
    browser.go(f'view=rows&table=event&filters=[{{"c":"note","op":"=","v":"{note}"}}]')
    wanted = look.execute("SELECT id FROM event WHERE note = ? LIMIT 10", (note,)).fetchall()
    browser.rows_are(lambda cells: cells[: len(wanted)] == [str(row[0]) for row in wanted])


def test_edits_and_commits_of_others(start: Start, browser: Page, large: Path) -> None:
    row = ROWS - ROWS // 10 + 1
    look = sqlite3.connect(large, isolation_level=None)
    note = look.execute("SELECT note FROM event WHERE id = ?", (row,)).fetchone()[0]
    browser.open(start(large, "--write").url, "view=rows&table=event")
    browser.shows(f"{ROWS:,} rows")
    jump(browser, row)
    browser.rows_are(lambda cells: cells[0] == str(row))
    browser.until(lambda: browser.all(".pulse-dot.on"), "the connection")
    try:
        look.execute("UPDATE event SET note = 'changed elsewhere' WHERE id = ?", (row,))
        begin = time.monotonic()
        browser.until(lambda: browser.cells(4)[0] == "changed elsewhere", "the change", 3)
        assert time.monotonic() - begin < 1
        assert browser.all(".flash")
        browser.click_cell(row - 1, 4)
        browser.keys(Keys.ENTER)
        browser.one(".cell-input")
        browser.control("a")
        browser.keys("changed here", Keys.ENTER)
        browser.press("Review and save")
        browser.shows('UPDATE main."event" SET "note" = ? WHERE "id" = ? AND "note" IS ?')
        browser.press("Save 1 change")
        browser.shows("All is saved")
        assert look.execute("SELECT note FROM event WHERE id = ?", (row,)).fetchone() == ("changed here",)
        browser.press("Undo the last save")
        browser.until(lambda: browser.cells(4)[0] == "changed elsewhere", "the change taken back", 3)
    finally:
        look.execute("UPDATE event SET note = ? WHERE id = ?", (note, row))


def test_what_goes_along_is_told_before(start: Start, browser: Page, large: Path) -> None:
    """A row that ten thousand others refer to cannot go: nothing is changed, and it is said why."""
    browser.open(start(large, "--write").url, "view=rows&table=source")
    browser.rows_are(lambda cells: cells[0] == "1")
    browser.click_cell(0, 0)
    browser.keys(Keys.DELETE)
    browser.press("Review and save")
    browser.shows('DELETE FROM main."source"')
    browser.press("Save 1 change")
    browser.until(lambda: browser.all(".dialog .problem"), "the refusal")
    browser.keys(Keys.ESCAPE)
    browser.press("Discard")
    browser.press("Discard", ".dialog")


def test_sql_diagram_and_health(start: Start, browser: Page, large: Path, tmp_path: Path) -> None:
    secret = make(tmp_path / "secret.db", "CREATE TABLE t (x); INSERT INTO t VALUES ('nobody knows');")
    subprocess.run(
        [str(COMMAND), "encrypt", str(secret)], env=ENVIRONMENT | {"CORM_KEY": "correct horse"}, check=True, timeout=60
    )
    subprocess.run(
        [str(COMMAND), "kv", "put", "store.db", "settings", "theme", "dark"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        check=True,
        timeout=60,
    )
    browser.open(start(large, secret, tmp_path / "store.db").url, "view=sql")
    browser.one(".editor").send_keys("SELECT count(*) FROM event WHERE source = :source")
    browser.one('.parameters input[name="source"]').send_keys("7", Keys.ENTER)
    browser.rows_are(lambda cells: cells == [str(ROWS // 1000)])
    browser.shows("SEARCH event USING COVERING INDEX")
    browser.js(
        "document.querySelector('.editor').value = 'SELECT count(*) FROM event a, event b WHERE a.amount < b.amount'"
    )
    browser.press("Run")
    browser.shows("running")
    time.sleep(0.5)
    browser.press("Stop")
    browser.shows("Stopped after")
    browser.go("view=diagram")
    browser.until(lambda: len(browser.all(".box")) == 2 and len(browser.all(".line")) == 1, "the tables")
    browser.go("view=health")
    browser.shows("readers do not wait")
    browser.press("Stop") if browser.all(".health button .icon") and "looking" in browser.text() else None
    browser.until(lambda: "looking" not in browser.text(), "what is wrong, or that it was stopped", 60)
    browser.js("document.querySelectorAll('.tab')[1].click()")
    browser.one("#key").send_keys("correct horse", Keys.ENTER)
    browser.shows("nobody knows")
    browser.js("document.querySelectorAll('.tab')[2].click()")
    browser.until(lambda: browser.driver.find_elements(By.LINK_TEXT, "settings"), "the stores")
    browser.driver.find_element(By.LINK_TEXT, "settings").click()
    browser.until(lambda: "dark" in browser.one(".store-value").text, "the value")
