"""What pages of others reach, in real browsers: those of programs on other ports, which are of the same site."""

from __future__ import annotations

import http.server
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from browsers import Page
from running import make
from studio_server import Start, Studio

SCHEMA = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (1, 'secret');"


@pytest.fixture
def start(start: Start) -> Start:
    """The browser is the one that enters."""
    return partial(start, enter=False)


@dataclass
class Stranger:
    """A server of somebody else's, and what browsers send to it."""

    port: int
    heard: list[dict[str, str]] = field(default_factory=list)


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.heard.append({name.lower(): value for name, value in self.headers.items()} | {"path": self.path})
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>stranger</title><body>stranger")

        def log_message(self, *arguments: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Stranger(server.server_address[1])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield found
    server.shutdown()


def entered(studio: Studio, browser: Page) -> str:
    """The page is open; returns its path."""
    browser.open(studio.url)
    browser.rows_are(lambda cells: cells == ["secret"], 1)
    return str(browser.js("return location.pathname"))


def test_another_port_never_gets_the_cookie(start: Start, browser: Page, stranger: Stranger, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", SCHEMA)
    studio = start(path, "--write")
    base = entered(studio, browser)
    cookies = browser.driver.get_cookies()
    assert [cookie["path"] for cookie in cookies] == [base]
    assert all(cookie["httpOnly"] and cookie["sameSite"] == "Strict" for cookie in cookies)
    assert "corm-studio" not in browser.js("return document.cookie")
    browser.driver.get(f"http://127.0.0.1:{stranger.port}/")
    browser.driver.get(f"http://127.0.0.1:{stranger.port}/api/files")
    assert len(stranger.heard) >= 2
    assert not [heard for heard in stranger.heard if "corm-studio" in heard.get("cookie", "")]
    assert not [heard for heard in stranger.heard if "token" in str(heard) or base in str(heard)]
    # Nor does its page reach the studio, even one that has learned of the path.
    reached = browser.driver.execute_async_script(
        """
        const [host, base, done] = arguments;
        const body = JSON.stringify({file: 0, sql: "DELETE FROM t", parameters: {}});
        const page = host + base;
        const headers = {'Content-Type': 'application/json'};
        const loaded = (made, source) => new Promise((resolve, reject) => {
          made.onload = made.onopen = resolve;
          made.onerror = reject;
          if (source) { made.src = source; document.body.append(made); }
        });
        const tries = [
          fetch(`${host}/api/files`, {credentials: 'include'}),
          fetch(`${page}api/files`, {credentials: 'include'}),
          fetch(`${page}api/sql`, {method: 'POST', credentials: 'include', body, headers}),
          fetch(`${page}api/sql`, {method: 'POST', credentials: 'include', mode: 'no-cors', body})
            .then((answer) => answer.text()),
          loaded(new Image(), `${page}icon.svg`),
          loaded(document.createElement('script'), `${page}main.js`),
          loaded(new WebSocket(`${page.replace('http', 'ws')}api/events`)),
          loaded(new EventSource(`${page}api/events`, {withCredentials: true})),
        ];
        Promise.allSettled(tries).then((all) => done(all.map((one) => one.status === 'fulfilled' && one.value !== '')));
        """,
        f"http://{studio.host}",
        base,
    )
    assert reached == [False] * 8
    browser.driver.execute_script(
        """
        const form = document.createElement('form');
        form.method = 'POST'; form.enctype = 'text/plain'; form.action = `${arguments[0]}api/sql`;
        const input = document.createElement('input');
        input.name = '{"file":0,"sql":"DELETE FROM t","x":"'; input.value = '"}';
        form.append(input); document.body.append(form); form.submit();
        """,
        f"http://{studio.host}{base}",
    )
    browser.until(lambda: "another site asks" in browser.text(), "the refusal")
    assert sqlite3.connect(path).execute("SELECT count(*) FROM t").fetchone() == (1,)


def test_two_studios_in_one_browser(start: Start, browser: Page, tmp_path: Path) -> None:
    first = start(make(tmp_path / "a.db", SCHEMA))
    second = start(make(tmp_path / "b.db", SCHEMA.replace("secret", "another")))
    base = entered(first, browser)
    browser.open(second.url)
    browser.rows_are(lambda cells: cells == ["another"], 1)
    other = browser.js("return location.pathname")
    for studio, place, value in ((first, base, "secret"), (second, other, "another"), (first, base, "secret")):
        browser.driver.get(f"http://{studio.host}{place}")
        browser.rows_are(lambda cells, value=value: cells == [value], 1)  # type: ignore[misc]
    browser.driver.get(f"http://{first.host}{other}")
    assert "corm studio opens with the address that it printed" in browser.text()


def test_the_address_leads_back_in_its_browser_alone(start: Start, browser: Page, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    base = entered(studio, browser)
    browser.driver.get(studio.url)
    browser.rows_are(lambda cells: cells == ["secret"], 1)
    assert browser.js("return location.pathname") == base
    # By another name it is another site.
    browser.driver.get(studio.url.replace("127.0.0.1", "localhost"))
    browser.until(lambda: "corm studio opens with the address" in browser.text(), "the refusal")
    browser.driver.get(f"http://127.0.0.1:{studio.port}{base}")
    browser.rows_are(lambda cells: cells == ["secret"], 1)
    # What it keeps for that is of no use to whoever serves the port next.
    browser.js("localStorage.clear()")
    browser.driver.get(studio.url)
    browser.until(lambda: "corm studio opens with the address" in browser.text(), "the refusal")


def test_many_tabs(start: Start, browser: Page, tmp_path: Path) -> None:
    """A browser holds six connections to one server: tabs that nobody sees take none."""
    path = make(tmp_path / "a.db", f"PRAGMA journal_mode = WAL; {SCHEMA}")
    studio = start(path)
    base = entered(studio, browser)
    for _ in range(8):
        browser.driver.switch_to.new_window("tab")
        browser.driver.get(f"http://{studio.host}{base}")
        browser.rows_are(lambda cells: cells == ["secret"], 1)
    make(path, "UPDATE t SET name = 'changed'")
    browser.rows_are(lambda cells: cells == ["changed"], 1, 3)
    # One that was away reads what it missed.
    for handle in browser.driver.window_handles[1:]:
        browser.driver.switch_to.window(handle)
        browser.driver.close()
    browser.driver.switch_to.window(browser.driver.window_handles[0])
    browser.rows_are(lambda cells: cells == ["changed"], 1, 3)
