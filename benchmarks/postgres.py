"""PostgreSQL: Cormorant beside libpq by hand and other libraries, on one server that is started for it."""

import json
import os
import statistics
import subprocess
import sys

from contestants import BUILT, HERE, ROOT, Contestant, Sheet, Work

WORKS = [
    Work("insert", "insert", "insert", "new", lambda rows: rows),
    Work("fetch", "fetch all as records", "fetch", "read", lambda rows: rows),
    Work("lookup", "lookup by key", "lookup", "read", lambda rows: max(rows // 20, 1)),
    Work("save_many", "save 1,000 records", "save", "change", lambda rows: min(1_000, rows // 2)),
]
_NAMES = tuple(work.name for work in WORKS)


def _python(name: str) -> tuple[str, ...]:
    return (sys.executable, str(HERE / "python" / f"contestant_{name}.py"))


NATIVE = Contestant("libpq", "libpq by hand", (str(BUILT / "postgres"),), _NAMES, {})
SHEETS = [
    Sheet(
        "postgres",
        "PostgreSQL: C and Swift",
        [
            NATIVE,
            Contestant(
                "libpq-swift",
                "libpq by hand in Swift",
                (str(BUILT / "postgres-swift"),),
                ("fetch", "lookup"),
                {},
            ),
            Contestant(
                "postgres-c",
                "Cormorant C",
                (str(BUILT / "cormorant"),),
                _NAMES,
                {"insert": 1.10, "fetch": 1.10, "lookup": 1.05},
            ),
            Contestant(
                "postgres-swift",
                "Cormorant Swift",
                (str(BUILT / "release" / "bench-cormorant"),),
                _NAMES,
                {"insert": 1.10, "fetch": 1.10, "lookup": 1.05},
            ),
        ],
    ),
    Sheet(
        "postgres-python",
        "PostgreSQL: Python",
        [
            Contestant("psycopg", "psycopg", _python("psycopg"), _NAMES, {}),
            Contestant("psycopg-rows", "psycopg, class_row", _python("psycopg_rows"), ("fetch",), {}),
            Contestant("postgres-cormorant", "Cormorant", _python("cormorant"), _NAMES, {"fetch": 0.50}),
            Contestant("asyncpg", "asyncpg", _python("asyncpg"), _NAMES, {}),
            Contestant("postgres-sqlalchemy", "SQLAlchemy ORM", _python("postgres_sqlalchemy"), _NAMES, {}),
            Contestant("django", "Django", _python("django"), _NAMES, {}),
            Contestant("postgres-peewee", "peewee", _python("postgres_peewee"), _NAMES, {}),
        ],
    ),
]
# What Cormorant's contestants call the works.
_OURS = {
    "cormorant": {"insert": "insert_objects", "fetch": "fetch_objects", "save_many": "save_batch"},
    "C": {"save_many": "save_batch"},
}


class ServerRunner:
    """Runs contestants on one server and checks what they answer against the hand-written C. The table is made
    anew where it was changed."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        script = ROOT / "scripts" / "postgres-server"
        started = [script, "start", "--while", str(os.getpid())]
        self.url = subprocess.run(started, check=True, capture_output=True, text=True).stdout.strip()
        self._filled = False
        self._right: dict[tuple[str, int], str] = {}

    def stop(self) -> None:
        subprocess.run([ROOT / "scripts" / "postgres-server", "stop", self.url], check=True)

    def _call(self, command: tuple[str, ...], work: str, count: int) -> str:
        line = [*command, work, self.url, str(self.rows), str(count)]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(line)} failed:\n{done.stderr.strip()}")
        return done.stdout

    def _prepare(self, kind: str) -> None:
        if kind == "read" and self._filled:
            return
        self._call(NATIVE.command, "clear", 0)
        self._filled = kind == "read"
        if kind != "new":
            self._call(NATIVE.command, "fill", self.rows)

    def _work(self, command: tuple[str, ...], name: str, work: Work, count: int) -> tuple[dict, str]:
        self._prepare(work.kind)
        answer = json.loads(self._call(command, name, count))
        if work.kind == "read":
            return answer, answer["checksum"]
        return answer, json.loads(self._call(NATIVE.command, "verify", 0))["checksum"]

    def measure(self, contestant: Contestant, work: Work) -> dict:
        count = work.count(self.rows)
        if (work.name, count) not in self._right:
            self._right[work.name, count] = self._work(NATIVE.command, work.native, work, count)[1]
        ours = {"postgres-c": "C", "postgres-swift": "C", "postgres-cormorant": "cormorant"}.get(contestant.key, "")
        name = _OURS.get(ours, {}).get(work.name, work.native)
        answer, checksum = self._work(contestant.command, name, work, count)
        if checksum != self._right[work.name, count]:
            sys.exit(f"bench: {contestant.title} got {work.title} wrong: its checksum is {checksum}")
        return {"seconds": answer["seconds"], "cpu": answer["cpu"], "scale": 1}


def cpu_table(result: dict) -> str:
    """The client's own processor time, as a ratio to the anchor's; the server's is beside it in all."""
    lines = []
    for sheet in SHEETS:
        rows = result["sheets"].get(sheet.key)
        if not rows:
            continue
        anchor = sheet.contestants[0]
        lines.append(f"{sheet.title}, processor time of the client ({anchor.title} = 1.00)")
        for name, row in rows.items():
            base = statistics.median(row[anchor.key]["cpu"])
            cells = [
                f"{c.title} {statistics.median(row[c.key]['cpu']) / base:.2f}"
                for c in sheet.contestants
                if c.key in row
            ]
            lines.append(f"{name:8} {1000 * base:8.1f} ms  {'  '.join(cells)}")
    return "\n".join(lines)
