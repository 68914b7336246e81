"""corm import from URLs, which a server of ours answers."""

from __future__ import annotations

import http.server
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from command_runs import Corm, everything, rows
from running import make

HALF, GO_ON = threading.Event(), threading.Event()


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"id,name\n" + b"".join(b"%d,name %d\n" % (n, n) for n in range(20_000))
        if self.path == "/moved.csv":
            self.send_response(302)
            self.send_header("Location", "/t.csv")
            self.end_headers()
            return
        if self.path == "/away.csv":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
            return
        if self.path == "/slow.csv":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body[:1000])
            self.wfile.flush()
            HALF.set()
            GO_ON.wait(20)
            self.wfile.write(body[1000:])
            return
        if self.path == "/endless.csv":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(body)
            except OSError:
                return
        if self.path == "/trickle.csv":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"1,2\n")
                    time.sleep(0.1)
            except OSError:
                return
        if not self.path.startswith(("/t.csv", "/cut.csv")):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:1000] if self.path == "/cut.csv" else body)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", ["t.csv", "t.csv?key=a/b.json#x", "moved.csv"])
def test_a_url_is_imported(corm: Corm, url: str, path: str) -> None:
    result = corm.run("import", "a.db", f"{url}/{path}", "--table", "t", TMPDIR=str(corm.folder))
    assert result.out == "20000 rows imported\n"
    assert rows(corm.folder / "a.db", "SELECT sum(id), max(name) FROM t") == [(199990000, "name 9999")]
    assert os.listdir(corm.folder) == ["a.db"]


@pytest.mark.parametrize(
    ("path", "reason"), [("missing.csv", "answered 404"), ("cut.csv", "cannot be read"), ("away.csv", "cannot be read")]
)
def test_a_url_that_gives_no_whole_data_imports_nothing(corm: Corm, url: str, path: str, reason: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (id, name)")
    assert reason in corm.fails("import", "a.db", f"{url}/{path}", "--table", "t")
    assert everything(corm, "t") == []


def test_others_write_while_a_server_takes_its_time(corm: Corm, url: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (id, name)")
    import_ = corm.start("import", "a.db", f"{url}/slow.csv", "--table", "t", TMPDIR=str(corm.folder))
    assert HALF.wait(20)
    connection = sqlite3.connect(corm.folder / "a.db", timeout=0)
    with connection:
        connection.execute("INSERT INTO t VALUES (-1, 'mine')")
    connection.close()
    GO_ON.set()
    import_.communicate(timeout=20)
    assert rows(corm.folder / "a.db", "SELECT count(*), min(id) FROM t") == [(20001, -1)]


def test_a_server_that_is_not_there(corm: Corm) -> None:
    assert "cannot be read" in corm.fails("import", "a.db", "http://127.0.0.1:1/t.csv")
    assert os.listdir(corm.folder) == []


@pytest.mark.parametrize(
    ("path", "option", "said"),
    [
        ("endless.csv", "--max-filesize=3000000", "gives more than 3,000,000 bytes"),
        ("t.csv", "--max-filesize=1000", "gives more than 1,000 bytes"),
        ("trickle.csv", "--max-time=2", "cannot be read"),
    ],
)
def test_what_a_url_gives_has_an_end(corm: Corm, url: str, path: str, option: str, said: str) -> None:
    began = time.monotonic()
    assert said in corm.fails("import", "a.db", f"{url}/{path}", option)
    assert time.monotonic() - began < 20
    assert not (corm.folder / "a.db").exists()
