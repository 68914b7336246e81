"""Who is answered, and what a server bears."""

from __future__ import annotations

import contextlib
import json
import re
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
    assert studio.request("HEAD", studio.entrance)[0] == 405
    assert studio.request("POST", studio.entrance, b"{}")[0] == 403
    status, headers, body = studio.request("GET", studio.entrance)
    assert status == 200
    cookie = headers["set-cookie"]
    studio.base = re.search(r"Path=(/[0-9a-f]{64})/;", cookie)[1]  # type: ignore[index]
    assert cookie.split("; ")[1:] == [f"Path={studio.base}/", "HttpOnly", "SameSite=Strict"]
    token = studio.url.split("=")[1]
    assert token not in cookie
    assert token.encode() not in body
    assert studio.base[1:] != token
    # Another browser that saw the address learns nothing of where the page is.
    status, _, body = studio.request("GET", studio.entrance)
    assert status == 403
    assert studio.base.encode() not in body
    assert studio.request("GET", "/")[0] == 403
    studio.cookie = cookie.split(";")[0]
    assert studio.request("GET", "/")[0] == 200
    assert studio.request("GET", "/api/files")[0] == 200
    assert studio.request("GET", "/", cookie=studio.cookie[:-1] + "x")[0] == 403
    assert studio.request("GET", "/", cookie="")[0] == 403
    # The cookie alone, with which another program of this machine was visited.
    base, studio.base = studio.base, ""
    for path in (
        "/",
        "/main.js",
        "/api/files",
        f"/{'0' * 64}/api/files",
        base,
        f"{base}api/files",
        f"{base}/../api/files",
    ):
        assert studio.request("GET", path)[0] in (403, 404), path


def with_another(text: str, place: int) -> str:
    """The text with another digit at one place."""
    return text[:place] + ("1" if text[place] == "0" else "0") + text[place + 1 :]


def test_each_digit_of_a_secret_counts(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA), enter=False)
    name, token = studio.entrance.split("=")
    for place in range(len(token)):
        assert studio.request("GET", f"{name}={with_another(token, place)}")[0] == 403, place
    studio.enter()
    name, session = studio.cookie.split("=")
    assert (len(token), len(session)) == (64, 64)
    for place in range(len(session)):
        assert studio.request("GET", "/api/files", cookie=f"{name}={with_another(session, place)}")[0] == 403, place
    assert studio.request("GET", "/api/files")[0] == 200


def test_two_studios_are_strangers(start: Start, tmp_path: Path) -> None:
    """Cookies know no ports: what is sent to one says nothing to the other."""
    first = start(make(tmp_path / "a.db", SCHEMA))
    second = start(make(tmp_path / "b.db", SCHEMA))
    assert first.base != second.base
    assert first.cookie.split("=")[0] != second.cookie.split("=")[0]
    both = f"{first.cookie}; {second.cookie}"
    for studio in (first, second):
        assert studio.request("GET", "/api/files", cookie=both)[0] == 200
    first.cookie, second.cookie = second.cookie, first.cookie
    assert first.request("GET", "/api/files")[0] == 403
    assert second.request("GET", "/api/files")[0] == 403
    renamed = f"{second.cookie.split('=')[0]}={first.cookie.split('=')[1]}"
    assert first.request("GET", "/api/files", cookie=renamed)[0] == 403


def test_other_sites_get_nothing(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA), "--write")
    body = json.dumps({"file": 0, "sql": "DELETE FROM t"}).encode()
    # DNS rebinding: a name of theirs that leads here.
    assert studio.request("GET", "/api/files", host="evil.example")[0] == 421
    for host in (
        f"evil.example:{studio.port}",
        f"127.0.0.1.evil.example:{studio.port}",
        f"localhost.evil.example:{studio.port}",
        f"0.0.0.0:{studio.port}",
        f"[::1]:{studio.port}",
        f"2130706433:{studio.port}",
        f"127.0.0.1:{studio.port}@evil.example",
        f"user@127.0.0.1:{studio.port}",
        f"127.0.0.1:0{studio.port}",
        f"127.0.0.1:{studio.port} evil.example",
        "127.0.0.1",
        "localhost",
    ):
        assert studio.request("GET", "/api/files", host=host)[0] == 421, host
    assert studio.request("POST", "/api/sql", body, origin="http://evil.example")[0] == 403
    assert studio.request("POST", "/api/sql", body, origin="null")[0] == 403
    assert studio.request("POST", "/api/sql", body, origin=f"http://127.0.0.1:{studio.port + 1}")[0] == 403
    assert studio.request("GET", "/api/files", sec_fetch_site="cross-site")[0] == 403
    assert studio.request("GET", "/api/files", sec_fetch_site="same-site")[0] == 403
    assert studio.request("GET", "/api/files", origin="null")[0] == 403
    assert studio.request("GET", "/api/files", origin=f"https://{studio.host}")[0] == 403
    assert studio.request("GET", "/api/events", origin="http://evil.example", upgrade="websocket")[0] == 403
    # What a form can send.
    for type in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data"):
        assert studio.request("POST", "/api/sql", body, content_type=type)[0] == 415
    assert sqlite3.connect(tmp_path / "a.db").execute("SELECT count(*) FROM t").fetchone() == (2,)
    assert "access-control-allow-origin" not in studio.request("GET", "/api/files")[1]
    for method in ("OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "HEAD", "CONNECT", "get"):
        status, headers, _ = studio.request(method, "/api/sql")
        assert (status, headers["allow"]) == (405, "GET, POST"), method
    for name in ("sql", "apply", "undo", "migrate", "put", "rows", "unlock"):
        assert studio.request("GET", f"/api/{name}?q=%7B%22file%22%3A0%7D")[0] == 404
    assert studio.request("POST", "/api/export", b'{"file": 0, "table": "t"}')[0] == 404


def test_headers_of_every_answer(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    for path in ("/", "/main.js", "/style.css", "/api/files", "/nothing", studio.entrance, "/return.js"):
        base, studio.base = studio.base, "" if path == "/return.js" else studio.base
        _, headers, _ = studio.request("GET", path)
        studio.base = base
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


def test_no_path_leads_elsewhere(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    for path in (
        "/../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..\\..\\etc\\passwd",
        "/..%5c..%5cetc%5cpasswd",
        "//etc/passwd",
        "//evil.example/",
        "/./main.js",
        "/main.js/",
        "/main.js%00.css",
        "/MAIN.JS",
        "/page/index.html",
        "/index.html",
        "/%00",
        "/api/",
        "/api/../main.js",
        "/api/files/",
        "/a.db",
    ):
        assert studio.request("GET", path)[0] == 404, path


def test_malformed_and_oversized_requests(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    host = f"Host: {studio.host}\r\nCookie: {studio.cookie}\r\n".encode()
    page = f"GET {studio.base}/ HTTP/1.1\r\n".encode()
    rows = f"POST {studio.base}/api/rows HTTP/1.1\r\n".encode()
    wanted = [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/2.0\r\n\r\n", b"505"),
        (b"GET http://evil/ HTTP/1.1\r\n" + host + b"\r\n", b"400"),
        (b"CONNECT evil:443 HTTP/1.1\r\n" + host + b"\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"421"),
        (page + b"\r\n", b"421"),
        (page + host + host + b"\r\n", b"400"),
        (page + host + b"X: " + b"x" * 20_000 + b"\r\n\r\n", b"431"),
        (page + host + b"X: y\r\n" * 20_000 + b"\r\n", b"431"),
        (rows + host + b"Content-Length: 99999999\r\n\r\n", b"413"),
        (rows + host + b"Content-Length: 99999999999999999999\r\n\r\n", b"400"),
        (rows + host + b"Content-Length: -5\r\n\r\n", b"400"),
        (rows + host + b"Content-Length: +5\r\n\r\n", b"400"),
        (rows + host + b"Content-Length: 0x5\r\n\r\n", b"400"),
        (rows + host + b"Content-Length: 5, 5\r\n\r\n", b"400"),
        (rows + host + b"Content-Length:\r\n\r\n", b"400"),
        (rows + host + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\n", b"400"),
        (rows + host + b"Content-Length : 5\r\n\r\n", b"400"),
        (rows + host + b"Transfer-Encoding: chunked\r\n\r\n", b"501"),
        (rows + host + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"501"),
        (rows + host + b"Transfer-Encoding: identity\r\n\r\n", b"501"),
        (rows + host + b"Transfer-Encoding\x0b: chunked\r\n\r\n", b"400"),
        (page + host + b"X: a\r\n folded\r\n\r\n", b"400"),
        (page + host + b"X: a\nY: b\r\n\r\n", b"400"),
        (page + host + b"X: a\rY: b\r\n\r\n", b"400"),
        (page + host + b"no colon\r\n\r\n", b"400"),
        (page + host + b": no name\r\n\r\n", b"400"),
        (page + host + "Coo\u212aie: x\r\n\r\n".encode(), b"400"),
        (b"GET\t/ HTTP/1.1\r\n" + host + b"\r\n", b"400"),
        (b"GET  / HTTP/1.1\r\n" + host + b"\r\n", b"400"),
        (b"GET /\x00 HTTP/1.1\r\n" + host + b"\r\n", b"400"),
        (b"GET /\xff HTTP/1.1\r\n" + host + b"\r\n", b"400"),
        (page + host + b"Upgrade: websocket\r\nConnection: close, Upgrade\r\n\r\n", b"200"),
    ]
    for request, status in wanted:
        answer = raw(studio, request + b"", wait=1)
        assert answer.startswith(b"HTTP/1.1 " + status), (request[:60], answer[:200])
        # What stands behind is no request of its own.
        assert answer.count(b"Content-Length: ") == 1, (request[:60], answer)
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


def test_strangers_are_refused_before_their_bodies_are_read(start: Start, tmp_path: Path) -> None:
    studio = start(make(tmp_path / "a.db", SCHEMA))
    length = 8 << 20
    head = f"Host: {studio.host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    for path in ("/api/sql", f"{studio.base}/api/sql"):
        with socket.create_connection(("127.0.0.1", studio.port), timeout=5) as connection:
            connection.sendall(f"POST {path} HTTP/1.1\r\n{head}".encode())
            begin = time.monotonic()
            assert connection.recv(4096).startswith(b"HTTP/1.1 403")
            assert time.monotonic() - begin < 2
    # What a stranger sends as a body is no second request.
    inner = f"GET {studio.base}/api/files HTTP/1.1\r\nHost: {studio.host}\r\nCookie: {studio.cookie}\r\n\r\n"
    answer = raw(
        studio,
        f"POST /api/sql HTTP/1.1\r\nHost: {studio.host}\r\nContent-Length: {len(inner)}\r\n\r\n{inner}".encode(),
    )
    assert answer.count(b"HTTP/1.1 ") == 1
    before = studio.memory
    for _ in range(3):
        # It hangs up on who goes on.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            assert studio.request("POST", "/api/sql", b"x" * length, cookie="")[0] == 403
    assert studio.memory - before < length


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
    listener.sendall(
        f"GET {studio.base}/api/events HTTP/1.1\r\nHost: {studio.host}\r\nCookie: {studio.cookie}\r\n\r\n".encode()
    )
    assert b"text/event-stream" in listener.recv(4096)
    begin = time.monotonic()
    studio.process.send_signal(signal.SIGINT)
    assert studio.process.wait(5) == 0
    assert time.monotonic() - begin < 2
    listener.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", studio.port), timeout=1)


def test_reading_opens_for_reading(start: Start, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", f"{SCHEMA} CREATE INDEX t_name ON t (name);")
    before = path.read_bytes()
    studio = start(path)
    studio.ask("rows", table="t", columns=["id"], **{"from": {"start": True}})
    for sql in (
        "DELETE FROM t",
        "CREATE TABLE u (x)",
        "INSERT INTO t VALUES (3, 'x') RETURNING id",
        "WITH n AS (SELECT 1) UPDATE t SET name = 'x'",
        "VACUUM",
        "VACUUM INTO 'other.db'",
        "REINDEX",
        "ANALYZE",
        "PRAGMA user_version = 5",
        "PRAGMA application_id = 5",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA journal_mode = WAL",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN x",
    ):
        assert studio.ask("sql", 400, sql=sql)["code"] == "readOnly", sql
    assert "attached" in studio.ask("sql", 400, sql="ATTACH 'other.db' AS other")["message"]
    for sql in (
        "SELECT load_extension('x')",
        "SELECT writefile('other.db', 'x')",
        "SELECT readfile('/etc/passwd')",
        "SELECT edit('x')",
        "SELECT fts3_tokenizer('simple', x'00')",
        "SELECT * FROM pragma_writable_schema(1)",
        "SELECT 1; DELETE FROM t",
        "EXPLAIN ATTACH 'other.db' AS other; ATTACH 'other.db' AS other",
    ):
        studio.ask("sql", 400, sql=sql)
    # Settings that SQLite lets a reader change let it write nothing.
    for sql in ("PRAGMA writable_schema = ON", "PRAGMA query_only = OFF", "PRAGMA trusted_schema = ON"):
        studio.request("POST", "/api/sql", json.dumps({"file": 0, "sql": sql}).encode())
    for sql in ("DELETE FROM sqlite_schema", "UPDATE sqlite_schema SET sql = 'x'", "DELETE FROM t"):
        studio.ask("sql", 400, sql=sql)
    assert sorted(found.name for found in tmp_path.iterdir()) == ["a.db"]
    assert path.read_bytes() == before
    for name in ("apply", "undo", "migrate", "put"):
        assert studio.ask(name, 400, edits=[], store="s", key="k")["code"] == "readOnly"
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


def test_without_files_it_shows_those_of_the_folder(start: Start, tmp_path: Path) -> None:
    import subprocess

    from running import COMMAND, ENVIRONMENT

    empty = tmp_path / "empty"
    empty.mkdir()
    done = subprocess.run(
        [str(COMMAND), "studio"], cwd=empty, env=ENVIRONMENT, capture_output=True, text=True, timeout=20
    )
    assert done.returncode != 0
    assert "there is no SQLite file in this folder" in done.stderr
    for name in ("b.db", "a.sqlite"):
        make(tmp_path / name, SCHEMA)
    (tmp_path / "notes.txt").write_text("no database")
    studio = start()
    files = json.loads(studio.request("GET", "/api/files")[2])["files"]
    assert [file["name"] for file in files] == ["a.sqlite", "b.db"]


def test_port_and_browser(start: Start, tmp_path: Path) -> None:
    import os
    import subprocess

    from running import COMMAND, ENVIRONMENT

    path = make(tmp_path / "a.db", SCHEMA)
    opener = tmp_path / "xdg-open"
    opener.write_text('#!/bin/sh\necho "$1" > opened\n')
    opener.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    studio = start(path, "--port", port, "--open", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert studio.port == port
    end = time.monotonic() + 5
    while not ((tmp_path / "opened").exists() and (tmp_path / "opened").read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    assert (tmp_path / "opened").read_text().strip() == studio.url
    done = subprocess.run(
        [str(COMMAND), "studio", str(path), "--port", str(port)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode != 0
    assert f"port {port} of 127.0.0.1 cannot be listened at" in done.stderr
    assert "leave --port out" in done.stderr
