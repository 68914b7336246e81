"""The command as a person runs it: the real binary, in a pipe and on a terminal, in a folder of its own.

CORMORANT_BUILD names the folder with `corm` in it.
"""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from running import COMMAND, ENVIRONMENT

TIMEOUT = 60


@dataclass
class Result:
    """What a run of the command left."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Corm:
    """Runs the command in a folder."""

    folder: Path

    def run(self, *arguments: object, stdin: str = "", status: int | None = 0, **environment: str) -> Result:
        """In a pipe; a status other than the one expected fails the test."""
        done = subprocess.run(
            [str(COMMAND), *map(str, arguments)],
            cwd=self.folder,
            env=ENVIRONMENT | environment,
            input=stdin.encode(),
            capture_output=True,
            timeout=TIMEOUT,
        )
        result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert status is None or result.status == status, result
        return result

    def fails(self, *arguments: object, status: int = 1, stdin: str = "", **environment: str) -> str:
        """What it says on standard error; it must say it in our words, and say nothing else."""
        result = self.run(*arguments, status=status, stdin=stdin, **environment)
        assert result.err.startswith("corm: "), result
        assert "Fatal error" not in result.err
        return result.err

    def start(self, *arguments: object, **environment: str) -> subprocess.Popen[bytes]:
        """For what is to be interrupted, or whose pipe is to be closed."""
        return subprocess.Popen(
            [str(COMMAND), *map(str, arguments)],
            cwd=self.folder,
            env=ENVIRONMENT | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def terminal(
        self,
        *arguments: object,
        status: int | None = 0,
        columns: int = 80,
        interrupt: Callable[[str], bool] | None = None,
        answers: Mapping[str, str] = MappingProxyType({}),
        program: Path = COMMAND,
        **environment: str,
    ) -> str:
        """What a person sees on a terminal, both streams in one. Ctrl-C is pressed once `interrupt` says so, and what
        `answers` has is typed when its question is shown."""
        waiting = dict(answers)
        child, terminal = pty.fork()
        if child == 0:
            # Before it looks: not as soon as this process comes to it.
            _resize(0, columns)
            os.chdir(self.folder)
            names = {"TERM": "xterm-256color"} | ENVIRONMENT | environment
            os.execve(program, [str(program), *map(str, arguments)], names)
        os.set_blocking(terminal, False)
        shown, end = b"", time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    piece = os.read(terminal, 65536)
                except OSError:  # its other side is closed
                    break
                shown += piece
            for question in [question for question in waiting if question.encode() in shown]:
                os.write(terminal, f"{waiting.pop(question)}\n".encode())
            if interrupt is not None and interrupt(shown.decode(errors="replace")):
                os.write(terminal, b"\x03")
                interrupt = None
        else:
            os.kill(child, signal.SIGKILL)
        os.close(terminal)
        _, code = os.waitpid(child, 0)
        text = shown.decode().replace("\r\n", "\n")
        assert status is None or os.waitstatus_to_exitcode(code) == status, (os.waitstatus_to_exitcode(code), text)
        return text


def _resize(terminal: int, columns: int) -> None:
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def put(corm: Corm, name: str, text: str | bytes) -> Path:
    """A file in the command's folder."""
    path = corm.folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def declared(corm: Corm, table: str, file: str = "a.db") -> list[tuple[str, str]]:
    """The names and types of a table's columns."""
    return [(row[1], row[2]) for row in rows(corm.folder / file, f'PRAGMA table_info("{table}")')]


def everything(corm: Corm, table: str, file: str = "a.db") -> list[tuple[Any, ...]]:
    return rows(corm.folder / file, f'SELECT * FROM "{table}"')
