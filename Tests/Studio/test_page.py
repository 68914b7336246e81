"""The page in real browsers: each view is clicked through.

With CORMORANT_STUDIO_PICTURES the pictures of docs/studio.md are taken anew.
"""

from __future__ import annotations

import sqlite3
import struct
import subprocess
import threading
import time
import zlib
from functools import partial
from pathlib import Path

import pytest
from browsers import Page, audit, complaints, picture
from running import COMMAND, ENVIRONMENT, make
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from studio_server import Start


@pytest.fixture
def start(start: Start) -> Start:
    """The browser is the one that enters."""
    return partial(start, enter=False)


def test_rows(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=rows&table=Album")
    browser.rows_are(lambda cells: cells[0].startswith("For Those"), 1)
    browser.shows("347 rows")
    browser.rows_are(lambda cells: "AC/DC" in cells[0], 2)
    # Sorted by a click on a title, and once more.
    browser.driver.find_elements(By.CSS_SELECTOR, ".head-sort")[1].click()
    browser.rows_are(lambda cells: cells[0].startswith("...And Justice"), 1)
    assert "sort=" in browser.driver.current_url
    browser.driver.find_elements(By.CSS_SELECTOR, ".head-sort")[1].click()
    browser.rows_are(lambda cells: cells[0].startswith("[1997]"), 1)
    # A condition, and what is searched for.
    browser.press("Filter")
    value = browser.one(".filter-value")
    browser.js(
        "const choice = arguments[0].previousSibling.previousSibling;"
        "choice.value = 'Title'; choice.dispatchEvent(new Event('change'))",
        value,
    )
    browser.until(lambda: "Title" in browser.driver.current_url, "the condition")
    browser.js(
        "const choice = document.querySelectorAll('.filter select')[1];"
        "choice.value = 'contains'; choice.dispatchEvent(new Event('change'))"
    )
    value = browser.one(".filter-value")
    value.send_keys("live", Keys.ENTER)
    browser.until(
        lambda: "filtered" in browser.text() and all("live" in cell.lower() for cell in browser.cells(1)),
        "the filtered rows",
    )
    audit(browser)
    picture(browser, "rows")
    # The address has it all.
    address = browser.driver.current_url
    browser.js("location.hash = ''")
    browser.until(lambda: "filtered" not in browser.text(), "all rows")
    browser.driver.get(address)
    browser.until(
        lambda: "filtered" in browser.text() and all("live" in cell.lower() for cell in browser.cells(1)),
        "the filtered rows",
    )
    assert complaints(browser) == []


def test_keys_alone(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=rows&table=Album")
    browser.rows_are(lambda cells: cells[0].startswith("For Those"), 1)
    browser.click_cell(0, 0)
    browser.keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    focused = "return document.activeElement.innerText"
    browser.until(lambda: browser.js(focused) == "Balls to the Wall", "the second row")
    browser.keys(Keys.PAGE_DOWN)
    browser.control(Keys.END)
    browser.until(lambda: "347" in browser.cells(0), "the last row")
    browser.control(Keys.HOME)
    browser.until(lambda: browser.js(focused) == "1", "the first row")
    browser.keys(Keys.ENTER)
    browser.shows("Referred to by")
    browser.keys(Keys.ESCAPE)
    browser.until(lambda: not browser.all(".detail"), "the grid alone")
    browser.keys("/")
    assert browser.js("return document.activeElement.type") == "search"
    browser.keys("zeppelin")
    browser.shows("filtered")
    browser.keys(Keys.ESCAPE)
    browser.shows("347 rows")


def test_relations_both_ways(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=rows&table=Artist")
    browser.until(lambda: browser.cells(2)[0].strip() == "2", "the count of albums")
    browser.cell(0, 2).find_element(By.CSS_SELECTOR, "a").click()
    browser.shows("2 rows")
    browser.rows_are(lambda cells: cells[:2] == ["For Those About To Rock We Salute You", "Let There Be Rock"], 1)
    browser.until(lambda: "AC/DC" in browser.cells(2)[0], "the artist's name")
    browser.cell(0, 2).find_element(By.CSS_SELECTOR, "a.reference").click()
    browser.rows_are(lambda cells: cells == ["AC/DC"], 1)
    browser.click_cell(0, 1)
    browser.keys(Keys.ENTER)
    browser.shows("Referred to by")
    picture(browser, "row")


def png(width: int, height: int) -> bytes:
    """A picture: a slope of colours."""
    rows = b"".join(
        b"\0" + bytes(part for x in range(width) for part in (20 + x, 90 + y, 200 - x // 2)) for y in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_types(start: Start, browser: Page, tmp_path: Path) -> None:
    path = make(
        tmp_path / "types.db",
        f"""
        CREATE TABLE t (
          id INTEGER PRIMARY KEY, flag BOOLEAN, at DATETIME, uid UUID, price DECIMAL(10,2), data JSON, raw BLOB,
          pic BLOB, big INTEGER, txt TEXT
        );
        INSERT INTO t VALUES
          (1, 1, '2026-01-02 03:04:05', '0b7c9c1e-6a9e-4b7e-9d6e-1f2a3b4c5d6e', '12.50',
           '{{"a": [1, {{"b": null}}], "c": "text"}}', x'00ff41', x'{png(160, 90).hex()}', 9223372036854775807, ''),
          (2, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        """,
    )
    browser.open(start(path).url)
    browser.rows_are(lambda cells: cells[:2] == ["true", "false"], 1)
    assert browser.cells(8)[0] == "9223372036854775807"
    assert browser.cells(9) == ["empty", "NULL"]
    assert browser.cells(6)[0] == "3 B"
    browser.click_cell(0, 0)
    browser.keys(Keys.ENTER)
    browser.shows("00 ff 41")
    browser.until(lambda: browser.all(".detail .tree .tree-number"), "the tree")
    wide = "return document.querySelector('.detail img')?.naturalWidth"
    browser.until(lambda: browser.js(wide) == 160, "the picture")
    audit(browser)
    show = "document.querySelector('.detail img').scrollIntoView({block: 'end'})"
    picture(browser, "types", lambda theme: browser.js(show))


def test_edits(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook, "--write").url, "view=rows&table=Album")
    browser.rows_are(lambda cells: cells[0].startswith("For Those"), 1)
    browser.click_cell(0, 1)
    browser.keys(Keys.ENTER)
    browser.one(".cell-input")
    browser.control("a")
    browser.keys("A better title", Keys.ENTER)
    browser.shows("1 change to save")
    # A reference is chosen by name.
    browser.click_cell(1, 2)
    browser.keys(Keys.ENTER)
    browser.one(".dialog .pick-list button")
    browser.one(".dialog input").send_keys("Aerosmith")
    browser.until(lambda: len(browser.all(".dialog .pick-list button")) == 2, "the artists")
    browser.keys(Keys.ENTER)
    browser.shows("2 changes to save")
    browser.press("Review and save")
    browser.shows('UPDATE main."Album" SET "Title" = ? WHERE "AlbumId" = ? AND "Title" IS ?')
    audit(browser)
    picture(browser, "edits")
    browser.press("Save 2 changes")
    browser.shows("All is saved")
    look = sqlite3.connect(chinook)
    assert look.execute("SELECT Title FROM Album WHERE AlbumId = 1").fetchone() == ("A better title",)
    assert look.execute("SELECT ArtistId FROM Album WHERE AlbumId = 2").fetchone() == (3,)
    browser.press("Undo the last save")
    browser.rows_are(lambda cells: cells[0].startswith("For Those"), 1)
    # A row that is added, and one that goes.
    browser.press("New row")
    browser.keys(Keys.ENTER)
    browser.one(".cell-input").send_keys("Mine", Keys.ENTER)
    browser.shows("1 change to save")
    browser.press("Discard")
    browser.press("Discard", ".dialog")
    browser.until(lambda: "to save" not in browser.text(), "no changes")


def test_a_conflict_is_told(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook, "--write").url, "view=rows&table=Artist")
    browser.rows_are(lambda cells: cells[0] == "AC/DC", 1)
    browser.click_cell(0, 1)
    browser.keys(Keys.ENTER)
    browser.one(".cell-input")
    browser.control("a")
    browser.keys("mine", Keys.ENTER)
    browser.shows("1 change to save")
    # What is being typed stays when others commit.
    browser.click_cell(1, 1)
    browser.keys(Keys.ENTER)
    browser.one(".cell-input")
    browser.control("a")
    browser.keys("half ")
    make(chinook, "UPDATE Artist SET Name = 'theirs' WHERE ArtistId = 1")
    time.sleep(1)
    browser.keys("typed")
    assert browser.one(".cell-input").get_property("value") == "half typed"
    browser.keys(Keys.ESCAPE)
    browser.press("Review and save")
    browser.press("Save 1 change")
    browser.shows("another program has changed the row meanwhile")
    browser.shows("theirs")
    audit(browser)
    picture(browser, "conflict")
    assert sqlite3.connect(chinook).execute("SELECT Name FROM Artist WHERE ArtistId = 1").fetchone() == ("theirs",)
    browser.press("Write mine over theirs")
    browser.press("Save 1 change")
    browser.shows("All is saved")
    assert sqlite3.connect(chinook).execute("SELECT Name FROM Artist WHERE ArtistId = 1").fetchone() == ("mine",)


def test_commits_of_others_are_seen(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=rows&table=Artist")
    browser.rows_are(lambda cells: cells[0] == "AC/DC", 1)
    browser.until(lambda: browser.all(".pulse-dot.on"), "the connection")
    make(
        chinook,
        "UPDATE Artist SET Name = 'changed elsewhere' WHERE ArtistId = 3; INSERT INTO Artist (Name) VALUES ('came')",
    )
    browser.until(lambda: browser.cells(1)[2] == "changed elsewhere", "the change", 1.0)
    assert browser.all(".flash")
    browser.shows("276 rows", 3)
    browser.shows("/s", 2)

    def change(theme: str) -> None:
        make(chinook, f"UPDATE Artist SET Name = 'changed elsewhere, {theme}' WHERE ArtistId = 3")
        browser.until(lambda: theme in browser.cells(1)[2], "the change", 1.0)
        browser.js("for (const flash of document.getAnimations()) { flash.pause(); flash.currentTime = 300; }")

    picture(browser, "live", change)
    make(chinook, "ALTER TABLE Artist ADD COLUMN born INTEGER")
    browser.shows("born", 3)


def test_sql(start: Start, browser: Page, chinook: Path) -> None:
    browser.open(start(chinook).url, "view=sql")
    editor = browser.one(".editor")
    editor.send_keys("SELECT Title, Name FROM Album JOIN Artist USING (ArtistId) WHERE Name LIKE :name ORDER BY Tit")
    browser.until(lambda: "Title" in browser.one(".completions").text, "the completion")
    browser.keys(Keys.TAB)
    browser.one('.parameters input[name="name"]').send_keys("A%", Keys.ENTER)
    browser.rows_are(lambda cells: len(cells) > 10)
    browser.shows("SCAN")
    browser.shows("ms")
    audit(browser)
    picture(browser, "sql")
    browser.js("document.querySelector('.editor').value = ''")
    browser.one(".editor").send_keys("SELECT nmae FROM Artist")
    browser.control(Keys.ENTER)
    browser.shows("no such column: nmae")
    browser.shows("did you mean Name?")
    # One that never ends, and is stopped.
    browser.js(
        "document.querySelector('.editor').value ="
        "'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n'"
    )
    browser.press("Run")
    browser.shows("running")
    time.sleep(0.5)
    browser.press("Stop")
    browser.shows("Stopped after")
    browser.js("document.querySelector('.editor').value = 'DELETE FROM Artist'")
    browser.press("Run")
    browser.shows("the statement would change the file")
    browser.press("History")
    browser.shows("Run before")


def test_health_and_migration(start: Start, browser: Page, tmp_path: Path) -> None:
    path = make(
        tmp_path / "shop.db",
        """
        CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, fax TEXT);
        INSERT INTO customer VALUES (1, 'Ada', '12');
        CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer (id));
        INSERT INTO purchase VALUES (1, 9);
        """,
    )
    (tmp_path / "new.sql").write_text(
        "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, email TEXT);"
        "CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer (id));"
        "CREATE INDEX purchase_customer ON purchase (customer);"
    )
    browser.open(start(path.name, "--write", "--schema", "new.sql").url, "view=health")
    browser.shows("has no index on (customer)")
    browser.shows("create index")
    audit(browser)
    picture(browser, "health")
    browser.press("Apply the plan")
    browser.shows("This is lost:")
    assert not browser.button("Apply the plan", ".dialog").is_enabled()
    browser.one(".dialog input").send_keys("lose it")
    browser.press("Apply the plan", ".dialog")
    browser.shows("The file has this schema.")
    assert [row[1] for row in sqlite3.connect(path).execute("PRAGMA table_info(customer)")] == ["id", "name", "email"]


def test_an_encrypted_file_and_tabs(start: Start, browser: Page, chinook: Path, tmp_path: Path) -> None:
    path = make(
        tmp_path / "secret.db",
        "CREATE TABLE diary (id INTEGER PRIMARY KEY, day DATE, entry TEXT);"
        "INSERT INTO diary VALUES (1, '2026-05-01', 'nobody knows');",
    )
    subprocess.run(
        [str(COMMAND), "encrypt", str(path)], env=ENVIRONMENT | {"CORM_KEY": "correct horse"}, check=True, timeout=60
    )
    browser.open(start(path, chinook).url)
    browser.shows("The file is encrypted")
    audit(browser)
    picture(browser, "key")
    browser.one("#key").send_keys("wrong", Keys.ENTER)
    browser.until(lambda: browser.all(".problem"), "the refusal")
    browser.one("#key").send_keys("correct horse", Keys.ENTER)
    browser.shows("nobody knows")
    assert "correct" not in browser.driver.current_url
    browser.js("document.querySelectorAll('.tab')[1].click()")
    browser.shows("Album")


def test_a_store(start: Start, browser: Page, tmp_path: Path) -> None:
    for arguments in (("theme", "dark"), ("window", '{"width": 800, "tabs": ["a", "b"]}', "--json"), ("volume", "11")):
        subprocess.run(
            [str(COMMAND), "kv", "put", "app.db", "settings", *arguments],
            cwd=tmp_path,
            env=ENVIRONMENT,
            check=True,
            timeout=60,
        )
    browser.open(start(tmp_path / "app.db", "--write").url, "view=store&store=settings")
    browser.until(
        lambda: [key.text.split("\n")[0] for key in browser.all(".store-key")] == ["theme", "volume", "window"],
        "the keys",
    )
    browser.all(".store-key")[2].click()
    browser.until(lambda: browser.all(".store-value .tree"), "the tree")
    audit(browser)
    picture(browser, "store")
    browser.all(".store-key")[0].click()
    browser.press("Edit")
    area = browser.one(".store-value textarea")
    area.clear()
    area.send_keys("light")
    browser.press("Save")
    browser.until(lambda: "light" in browser.one(".store-value").text, "the new value")


def test_a_busy_writer(start: Start, browser: Page, chinook: Path) -> None:
    """Commits without end are counted, and the page stays usable."""
    browser.open(start(chinook).url, "view=rows&table=Artist")
    browser.rows_are(lambda cells: cells[0] == "AC/DC", 1)
    ended = threading.Event()

    def write() -> None:
        connection = sqlite3.connect(chinook, timeout=10)
        count = 0
        while not ended.is_set():
            connection.execute("UPDATE Artist SET Name = ? WHERE ArtistId = 2", (f"name {count}",))
            connection.commit()
            count += 1
            time.sleep(0.02)
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        browser.until(lambda: "commits/s" in browser.text(), "the count")
        first = browser.until(lambda: (name := browser.cells(1)[1]).startswith("name") and name, "the row")
        browser.until(lambda: browser.cells(1)[1] != first, "another value", 3)
        browser.go("view=rows&table=Album")
        browser.rows_are(lambda cells: cells[0].startswith("For Those"), 1)
    finally:
        ended.set()
        writer.join()
