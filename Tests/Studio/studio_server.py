"""corm studio: the server by sockets, and the page in real browsers.

CORMORANT_BUILD names the folder with `corm` in it, as in Tests/Command.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Rows of the large file.
ROWS = int(os.environ.get("CORMORANT_STUDIO_ROWS", "1000000"))


@dataclass
class Studio:
    """A server that runs, and a session with it as the page has one."""

    process: subprocess.Popen[str]
    url: str
    started: float
    port: int = 0
    cookie: str = ""
    # What the paths of the page begin with, once it has entered.
    base: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.port = int(self.url.split(":")[2].split("/")[0])

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def entrance(self) -> str:
        return self.url[self.url.index("/?") :]

    def enter(self) -> None:
        status, headers, body = self.request("GET", self.entrance)
        assert status == 200
        self.cookie = headers["set-cookie"].split(";")[0]
        found = re.search(r'url=(/[0-9a-f]{64})/"', body.decode())
        assert found
        self.base = found[1]

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """The path is that of the page's. Header names with _ for -; an empty one is left out."""
        sent = {"Host": self.host, "Origin": f"http://{self.host}" if method == "POST" else "", "Cookie": self.cookie}
        if body is not None:
            sent["Content-Type"] = "application/json"
        sent |= {name.replace("_", "-").title(): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(
            method, path if path == self.entrance else self.base + path, skip_host=True, skip_accept_encoding=True
        )
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
