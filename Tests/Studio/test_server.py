"""Who is answered, and what a server bears."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import time
from pathlib import Path

import pytest
from running import ROOT, make
from studio_server import Start, Studio

SCHEMA = """
CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO t VALUES (1, 'one'), (2, '<script>alert(1)</script>');
"""


def raw(studio: Studio, data: bytes, wait: float = 5) -> bytes:
    """What a socket gets for these bytes, until it is closed."""
    with socket.create_connection(("127.0.0.1", studio.port), timeout=wait) as connection:
        connection.sendall(data)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except TimeoutError:
            pass
        return answer


def test_only_loopback(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    listening = [
        line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"
    ]
    assert f"0100007F:{studio.port:04X}" in listening
    assert f"00000000:{studio.port:04X}" not in listening


def test_token_is_good_once_and_the_cookie_is_this_sites(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA), enter=False)
    assert studio.request("GET", "/")[0] == 403
    assert studio.request("GET", "/api/files")[0] == 403
    assert studio.request("GET", "/main.js")[0] == 403
    assert studio.request("GET", "/?token=" + "0" * 64)[0] == 403
    status, headers, body = studio.request("GET", studio.url[studio.url.index("/?") :])
    assert status == 200
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    token = studio.url.split("=")[1]
    assert token not in cookie
    assert token.encode() not in body
    # Another browser that saw the address.
    assert studio.request("GET", studio.url[studio.url.index("/?") :])[0] == 403
    studio.cookie = cookie.split(";")[0]
    assert studio.request("GET", studio.url[studio.url.index("/?") :])[0] == 200
    assert studio.request("GET", "/")[0] == 200
    assert studio.request("GET", "/", cookie=studio.cookie[:-1] + "x")[0] == 403


def test_other_sites_get_nothing(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA), "--write")
    body = json.dumps({"file": 0, "sql": "DELETE FROM t"}).encode()
    # DNS rebinding: a name of theirs that leads here.
    assert studio.request("GET", "/api/files", host="evil.example")[0] == 421
    assert studio.request("GET", "/api/files", host=f"evil.example:{studio.port}")[0] == 421
    assert studio.request("POST", "/api/sql", body, origin="http://evil.example")[0] == 403
    assert studio.request("POST", "/api/sql", body, origin="null")[0] == 403
    assert studio.request("POST", "/api/sql", body, origin=f"http://127.0.0.1:{studio.port + 1}")[0] == 403
    assert studio.request("GET", "/api/files", sec_fetch_site="cross-site")[0] == 403
    assert studio.request("GET", "/api/files", sec_fetch_site="same-site")[0] == 403
    # What a form can send.
    for type in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data"):
        assert studio.request("POST", "/api/sql", body, content_type=type)[0] == 415
    assert sqlite3.connect(tmp_path / "a.db").execute("SELECT count(*) FROM t").fetchone() == (2,)
    assert "access-control-allow-origin" not in studio.request("GET", "/api/files")[1]
    assert studio.request("OPTIONS", "/api/sql")[0] == 405


def test_headers_of_every_answer(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    for path in ("/", "/main.js", "/style.css", "/api/files", "/nothing"):
        _, headers, _ = studio.request("GET", path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
    page = studio.request("GET", "/")[2].decode()
    assert "style=" not in page
    assert "onload" not in page


def test_the_page_asks_nobody_else(start: Start, tmp_path: Path) -> None:
    total = 0
    for path in sorted((ROOT / "command/Sources/CStudio/page").iterdir()):
        text = path.read_text()
        total += len(text.encode())
        for place in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert place not in text, path
        outside = [word for word in text.split() if "://" in word and "www.w3.org" not in word]
        assert not [word for word in outside if not word.startswith(("https://html.spec", "//"))], (path, outside)
    assert total < 300_000


@pytest.mark.parametrize(
    "path", ["/../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/page/index.html", "/%00"]
)
def test_no_path_leads_elsewhere(start: Start, tmp_path: Path, path: str) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    assert studio.request("GET", path)[0] == 404


def test_malformed_and_oversized_requests(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    host = f"Host: {studio.host}\r\nCookie: {studio.cookie}\r\n".encode()
    wanted = [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/2.0\r\n\r\n", b"505"),
        (b"GET http://evil/ HTTP/1.1\r\n" + host + b"\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"421"),
        (b"GET / HTTP/1.1\r\n" + host + host + b"\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n" + host + b"X: " + b"x" * 20_000 + b"\r\n\r\n", b"431"),
        (b"POST /api/rows HTTP/1.1\r\n" + host + b"Content-Length: 99999999\r\n\r\n", b"413"),
        (b"POST /api/rows HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n", b"400"),
        (b"POST /api/rows HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n", b"501"),
        (b"GET /\x00 HTTP/1.1\r\n" + host + b"\r\n", b"400"),
        (b"GET /\xff HTTP/1.1\r\n" + host + b"\r\n", b"400"),
    ]
    for request, status in wanted:
        answer = raw(studio, request + b"", wait=1)
        assert answer.startswith(b"HTTP/1.1 " + status), (request[:60], answer[:200])
    for body in (
        b"",
        b"{",
        b"[" * 1000,
        b'{"file": 9}',
        b'{"file": 0}',
        b'{"file": 0, "table": 5}',
        b"\xff",
        b'{"file":0,"table":"t","from":{"after":[[]]}}',
    ):
        status, _, answer = studio.request("POST", "/api/rows", body)
        assert status == 400, (body, answer)
        assert json.loads(answer)["message"]
    assert studio.ask("rows", table="t", columns=["id"], **{"from": {"start": True}})["rows"]


def test_slow_clients_keep_nobody_out(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    slow = []
    for _ in range(200):
        connection = socket.create_connection(("127.0.0.1", studio.port))
        connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
        slow.append(connection)
    begin = time.monotonic()
    assert studio.ask("rows", table="t", columns=["name"], **{"from": {"start": True}})["rows"]
    assert time.monotonic() - begin < 2
    # Who never ends a request is told so, or is gone.
    slow[-1].settimeout(15)
    assert slow[-1].recv(100).startswith(b"HTTP/1.1 408")
    for connection in slow:
        connection.close()


def test_ctrl_c_ends_all(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    listener = socket.create_connection(("127.0.0.1", studio.port))
    listener.sendall(f"GET /api/events HTTP/1.1\r\nHost: {studio.host}\r\nCookie: {studio.cookie}\r\n\r\n".encode())
    assert b"text/event-stream" in listener.recv(4096)
    begin = time.monotonic()
    studio.process.send_signal(signal.SIGINT)
    assert studio.process.wait(5) == 0
    assert time.monotonic() - begin < 2
    listener.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", studio.port), timeout=1)


def test_reading_opens_for_reading(start: Start, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", SCHEMA)
    studio = start(path)
    studio.ask("rows", table="t", columns=["id"], **{"from": {"start": True}})
    for sql in ("DELETE FROM t", "CREATE TABLE u (x)", "INSERT INTO t VALUES (3, 'x') RETURNING id"):
        assert studio.ask("sql", 400, sql=sql)["code"] == "readOnly"
    assert "attached" in studio.ask("sql", 400, sql="ATTACH 'other.db' AS other")["message"]
    assert not (tmp_path / "other.db").exists()
    assert studio.ask("apply", 400, edits=[])["code"] == "readOnly"
    for descriptor in Path(f"/proc/{studio.process.pid}/fd").iterdir():
        if descriptor.resolve() == path:
            flags = (
                Path(f"/proc/{studio.process.pid}/fdinfo/{descriptor.name}").read_text().split("flags:")[1].split()[0]
            )
            assert int(flags, 8) & 3 == 0
    assert sqlite3.connect(path).execute("SELECT count(*) FROM t").fetchone() == (2,)


def test_refusals_name_what_is_wrong(start: Start, tmp_path: Path) -> None:
    import subprocess

    from running import COMMAND, ENVIRONMENT

    (tmp_path / "text.db").write_text("no database")
    path = make(tmp_path / "a.db", SCHEMA)
    for arguments, words in (
        (["postgresql://localhost/x"], "shows SQLite files"),
        (["nothing.db"], "there is no file"),
        (["text.db"], "is no SQLite database"),
        ([path, "--port", "99999"], "0 to 65535"),
        ([path, "--schema", "a", "--bundle", "b"], "give one"),
    ):
        done = subprocess.run(
            [str(COMMAND), "studio", *map(str, arguments)],
            cwd=tmp_path,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=20,
        )
        assert done.returncode != 0
        assert words in done.stderr, done.stderr
