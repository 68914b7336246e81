"""Files that were made to do harm, through the command and the three faces: no crash, no hang, no memory without end,
nothing that commands a terminal, and nothing written that was not asked for.

CORMORANT_HOSTILE says how many files besides one of each class are tried, CORMORANT_SEED which. `files.py` makes them
again; `CORMORANT_SEED=S CORMORANT_HOSTILE_FILE=N` tries number N alone.
"""

from __future__ import annotations

import os
import random
import re
import resource
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from files import CLASSES, EVIL, hostile, tried, write

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CORMORANT_BUILD", ROOT / "build")).resolve()
PROGRAMS = Path(os.environ.get("CORMORANT_C_BUILD", ROOT / "build")) / "Tests/C"
SWIFT = Path(os.environ.get("CORMORANT_SWIFT_BUILD", ROOT / ".build/test")) / "debug"
MORE = int(os.environ.get("CORMORANT_HOSTILE", "0"))
SEED = int(os.environ.get("CORMORANT_SEED", "1"))
ONLY = os.environ.get("CORMORANT_HOSTILE_FILE")
NUMBERS = [int(ONLY)] if ONLY else list(range(len(CLASSES) + MORE))
LIMIT = 30  # seconds
MEMORY = 6 << 30
OUTPUT = 64 << 20
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|^FORGED", re.MULTILINE)
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}

# Each with what it may write besides what SQLite keeps beside a database.
COMMANDS: list[tuple[tuple[str, ...], bool]] = [
    (("inspect", "a.db"), True),
    (("inspect", "a.db", "--json"), False),
    (("check", "a.db"), True),
    (("plan", "a.db", "old.sql"), True),
    (("plan", "a.db", "empty.sql"), True),
    (("diff", "a.db", "old.sql"), True),
    (("diagram", "a.db", "--format", "dot"), True),
    (("query", "a.db", "SELECT * FROM parent"), True),
    (("query", "a.db", "SELECT type, name, sql FROM sqlite_schema"), True),
    (("export", "a.db", "parent"), False),
    (("generate", "a.db", "--language", "python", "--out", "out"), True),
    (("generate", "a.db", "--language", "swift", "--out", "out"), True),
    (("generate", "a.db", "--language", "c", "--out", "out"), True),
    (("kv", "list", "a.db", "s"), True),
    (("status", "a.db", "bundle"), True),
    (("repair", "a.db", "out/new.db"), True),
    (("backup", "a.db", "out/copy.db"), True),
    (("migrate", "a.db", "bundle"), True),
    (("import", "a.db", "rows.csv", "--table", "parent"), True),
]


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def again(number: int) -> str:
    return f"again: CORMORANT_SEED={SEED} CORMORANT_HOSTILE_FILE={number} .venv/bin/python -m pytest Tests/Hostile"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old.sql").write_text("CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT);\n")
    (tmp_path / "empty.sql").write_text("")
    (tmp_path / "rows.csv").write_text(f'id,name\n1000,"{EVIL}"\n')
    (tmp_path / "bundle/0001_a").mkdir(parents=True)
    (tmp_path / "bundle/0001_a/up.sql").write_text("CREATE TABLE ours (x);\n")
    run(("seal", "bundle"), tmp_path)
    return tmp_path


def run(command: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(BUILD / "corm"), *command],
        cwd=folder,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT,
        preexec_fn=limit,
    )


def test_commands(folder: Path) -> None:
    """finding reliability.md B8"""
    first = len(CLASSES)
    for number in NUMBERS:
        name, made = hostile(number, SEED)
        # One command for each class; with more files all of them, and two for each that was changed by chance.
        place = number % len(COMMANDS)
        chosen = COMMANDS if ONLY or (MORE and number < first) else COMMANDS[place :: 10 if MORE else len(COMMANDS)]
        for command, is_for_people in chosen:
            for left in [*folder.glob("a.db*"), *folder.glob("out/**/*")]:
                if left.is_file():
                    left.unlink()
            (folder / "out").mkdir(exist_ok=True)
            before = set(folder.iterdir())
            write(folder / "a.db", made)
            where = f"{name}: corm {' '.join(command)}; {again(number)}"
            try:
                done = run(command, folder)
            except subprocess.TimeoutExpired:
                pytest.fail(f"takes longer than {LIMIT} s: {where}")
            tried["hostile files, commands"] = tried.get("hostile files, commands", 0) + 1
            errors = done.stderr.decode(errors="replace")
            assert done.returncode in (0, 1, 2, 3, 64), (done.returncode, errors[-500:], where)
            assert "Fatal error" not in errors, (errors[-500:], where)
            assert len(done.stdout) < OUTPUT, where
            shown = errors + (done.stdout.decode(errors="replace") if is_for_people else "")
            found = RAW.search(shown)
            assert found is None, (shown[max(0, found.start() - 60) : found.end() + 20], where)
            new = {file.name for file in set(folder.iterdir()) - before} - {
                "a.db",
                "a.db-wal",
                "a.db-shm",
                "a.db-journal",
            }
            assert not new, (new, where)
            if command[0] not in ("migrate", "import", "kv", "repair", "backup") and set(made) == {""}:
                assert (folder / "a.db").read_bytes() == made[""], f"the file was changed: {where}"


INPUTS = {
    "a.csv": f'id,name,"{EVIL}"\n1,"a ""b""",2\n2,,\n'.encode(),
    "a.json": b'[{"id": 1, "name": "a\\u001b]0;x\\u0007", "n": [1, {"x": null}]}, {"id": 1e400}]',
    "a.ndjson": b'{"id": 1, "name": "x"}\n{"id": 2}\n',
    "a.sql": b"CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT DEFAULT 'x'); CREATE INDEX i ON a (b);",
}


def test_inputs(folder: Path) -> None:
    """What the command reads besides databases, changed by chance."""
    chance = random.Random(SEED)
    for number in range(max(8, MORE)):
        name = list(INPUTS)[number % len(INPUTS)]
        data = bytearray(INPUTS[name])
        for _ in range(chance.choice((1, 3, 20))):
            at = chance.randrange(len(data))
            what = chance.randrange(4)
            if what == 0:
                data[at] = chance.randrange(256)
            elif what == 1:
                data[at:at] = chance.choice(
                    (b'"', b"\n", b"(", b"[" * 3000, b"\xff\xfe", b"\0", b"\x1b[31m", b"{" * 99, b"1e999", b"--")
                )
            elif what == 2 and len(data) > 9:
                del data[at : at + 3]
            else:
                data += data[at : at + 200]
        (folder / name).write_bytes(data)
        for left in folder.glob("new.db*"):
            left.unlink()
        command = ("plan", "new.db", name) if name == "a.sql" else ("import", "new.db", name, "--table", "a")
        (folder / "new.db").write_bytes(b"")
        done = run(command, folder)
        tried["inputs of the command"] = tried.get("inputs of the command", 0) + 1
        errors = done.stderr.decode(errors="replace")
        where = (
            number,
            f"again: CORMORANT_SEED={SEED} CORMORANT_HOSTILE={MORE} pytest Tests/Hostile -k test_inputs",
            bytes(data)[:300],
        )
        assert done.returncode in (0, 1, 2, 3, 64), (done.returncode, errors[-500:], where)
        shown = errors + done.stdout.decode(errors="replace")
        found = RAW.search(shown)
        assert found is None, (shown[max(0, found.start() - 60) : found.end() + 20], where)


FACES = {
    "C": [str(PROGRAMS / "open_file")],
    "Python": [sys.executable, str(Path(__file__).with_name("open_file.py"))],
    "Swift": [str(SWIFT / "open_file")],
}


class Reader:
    """A process that opens file after file; a new one where it dies."""

    def __init__(self, face: str) -> None:
        self.face = face
        self.process = subprocess.Popen(
            FACES[face],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"SWIFT_BACKTRACE": "enable=no"},
            preexec_fn=limit,
        )

    def ask(self, path: Path) -> str:
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.process.stdin.write(f"{path}\n".encode())
        self.process.stdin.flush()
        end = time.monotonic() + 3 * LIMIT
        while not select.select([self.process.stdout], [], [], 1)[0]:
            if time.monotonic() > end:
                self.process.kill()
                return "hangs"
        line = self.process.stdout.readline().decode(errors="replace")
        if not line.endswith("\n"):
            return f"ended with {self.process.wait()}: {self.process.stderr.read().decode(errors='replace')[-2000:]}"
        return line.rstrip()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(params=list(FACES))
def reader(request: pytest.FixtureRequest) -> Iterator[Reader]:
    made = Reader(request.param)
    yield made
    made.close()


def test_faces(reader: Reader, tmp_path: Path) -> None:
    rows = 0
    # What is in each of them is the engine: they take turns, unless there is time.
    place = 0 if MORE or ONLY else list(FACES).index(reader.face)
    for number in NUMBERS[place :: 1 if MORE or ONLY else len(FACES)]:
        name, made = hostile(number, SEED)
        for left in tmp_path.iterdir():
            left.unlink()
        write(tmp_path / "a.db", made)
        answer = reader.ask(tmp_path / "a.db")
        tried["hostile files, faces"] = tried.get("hostile files, faces", 0) + 1
        assert answer.startswith(("read ", "refused ")), (answer, name, again(number))
        rows += int(answer.split()[1]) if answer.startswith("read ") else 0
        assert {file.name for file in tmp_path.iterdir()} <= {"a.db", "a.db-wal", "a.db-shm", "a.db-journal"}, again(
            number
        )
    assert ONLY or rows > 100
