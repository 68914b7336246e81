"""corm studio: the server by sockets, and the page in real browsers.

CORMORANT_BUILD names the folder with `corm` in it; without it the one that is installed is taken, build/corm.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CORMORANT_BUILD", ROOT / "build"))
COMMAND = BUILD.resolve() / "corm"
CHINOOK = ROOT.parent / "shared" / "data" / "chinook.sqlite"
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}
# Rows of the large file; ./dev soak makes ten times as many.
ROWS = int(os.environ.get("CORMORANT_STUDIO_ROWS", "1000000"))
signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass
class Studio:
    """A server that runs, and a session with it as the page has one."""

    process: subprocess.Popen[str]
    url: str
    started: float
    port: int = 0
    cookie: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.port = int(self.url.split(":")[2].split("/")[0])

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def enter(self) -> None:
        status, headers, _ = self.request("GET", self.url[self.url.index("/?") :])
        assert status == 200
        self.cookie = headers["set-cookie"].split(";")[0]

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Header names with _ for -; an empty one is left out."""
        sent = {"Host": self.host, "Origin": f"http://{self.host}" if method == "POST" else "", "Cookie": self.cookie}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent |= {name.replace("_", "-").title(): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value:
                connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content

    def ask(self, name: str, expected: int = 200, **body: Any) -> Any:
        if not self.cookie:
            self.enter()
        status, _, content = self.request("POST", f"/api/{name}", json.dumps({"file": 0} | body).encode())
        assert status == expected, content
        return json.loads(content)

    @property
    def memory(self) -> int:
        """Bytes that are resident."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) * 1024

    @property
    def processor_time(self) -> float:
        """Milliseconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(10)


Start = Callable[..., Studio]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a server, which ends with the test."""
    running: list[Studio] = []

    def run(*arguments: object, enter: bool = True, **environment: str) -> Studio:
        begin = time.monotonic()
        process = subprocess.Popen(
            [str(COMMAND), "studio", *map(str, arguments)],
            cwd=tmp_path,
            env=ENVIRONMENT | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if not line:
            pytest.fail(process.stderr.read() if process.stderr else "")
        studio = Studio(process, line, time.monotonic() - begin)
        running.append(studio)
        if enter:
            studio.enter()
        return studio

    yield run
    for studio in running:
        studio.stop()


def make(path: Path, script: str) -> Path:
    """A file as any other program would make it."""
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def chinook(tmp_path: Path) -> Path:
    if not CHINOOK.exists():
        pytest.skip(f"{CHINOOK} is not there")
    copy = tmp_path / "chinook.sqlite"
    copy.write_bytes(CHINOOK.read_bytes())
    make(copy, "PRAGMA journal_mode = WAL")
    return copy


@pytest.fixture(scope="session")
def large() -> Path:
    """A file of many rows, made once."""
    path = ROOT / f"build/studio/{ROWS}.db"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    connection = sqlite3.connect(part)
    connection.executescript(
        f"""
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        PRAGMA page_size = 8192;
        CREATE TABLE event (
          id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, amount NUMERIC, note TEXT,
          source INTEGER NOT NULL REFERENCES source (id)
        );
        CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO source SELECT i, 'source ' || i FROM n;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
        INSERT INTO event SELECT i, datetime(1600000000 + i * 31, 'unixepoch'),
          CASE i % 5 WHEN 0 THEN 'open' WHEN 1 THEN 'close' WHEN 2 THEN 'move' WHEN 3 THEN 'pay' ELSE 'ask' END,
          (i * 7919) % 100000 / 100.0, CASE WHEN i % 3 THEN NULL ELSE 'note ' || (i * 2654435761 % 1000003) END,
          i % 1000 + 1
        FROM n;
        CREATE INDEX event_kind ON event (kind);
        CREATE INDEX event_source ON event (source);
        """
    )
    connection.commit()
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    part.rename(path)
    return path


def tables_with_random_references(count: int) -> str:
    """CREATE statements of so many tables, each of which refers to some of those before it."""
    dice = random.Random(7)
    script = []
    for number in range(count):
        references = ", ".join(
            f"r{place} INTEGER REFERENCES t{dice.randrange(number)} (id)"
            for place in range(min(number, dice.randrange(4)))
        )
        script.append(
            f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY, name TEXT, at DATETIME"
            f"{', ' if references else ''}{references});"
        )
    return "\n".join(script)
