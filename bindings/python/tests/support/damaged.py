"""Files whose bytes are changed, and what repair saves of them."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path

from cormorant import RepairReport, repair

PAGE = 4096
NUMBERS = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < {0}) "
SCHEMA = (
    "CREATE TABLE keep (id INTEGER PRIMARY KEY, v); CREATE TABLE w (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID;"
    + NUMBERS.format(100)
    + "INSERT INTO keep SELECT i, 'v' || i FROM n;"
    + NUMBERS.format(2000)
    + "INSERT INTO w SELECT format('key %05d', i), 'value ' || i FROM n;"
    "CREATE VIEW seen AS SELECT 1; CREATE TRIGGER told AFTER INSERT ON keep BEGIN SELECT 1; END;"
    "CREATE INDEX found ON keep (v); CREATE TABLE bare (a, b UNIQUE);"
)


class Damaged:
    """A file whose bytes are changed."""

    def __init__(self, path: Path, script: str) -> None:
        self.path = path
        path.unlink(missing_ok=True)
        file = sqlite3.connect(path)
        file.executescript(f"PRAGMA page_size = {PAGE}; {script}")
        self.roots = dict(file.execute("SELECT name, rootpage FROM sqlite_schema"))
        file.close()
        self.bytes = bytearray(path.read_bytes())

    def at(self, page: int) -> int:
        return (page - 1) * PAGE

    def cells(self, page: int) -> list[int]:
        start = self.at(page)
        (count,) = struct.unpack_from(">H", self.bytes, start + 3)
        first = start + (8 if self.bytes[start] in (10, 13) else 12)
        return [start + place for place in struct.unpack_from(f">{count}H", self.bytes, first)]

    def halve(self, page: int) -> None:
        struct.pack_into(">H", self.bytes, self.at(page) + 3, len(self.cells(page)) // 2)

    def repair(self) -> tuple[RepairReport, sqlite3.Connection]:
        self.path.write_bytes(self.bytes)
        new = self.path.with_name("new.db")
        new.unlink(missing_ok=True)
        report = repair(self.path, new)
        saved = sqlite3.connect(new)
        assert saved.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return report, saved


def all_of(saved: sqlite3.Connection, sql: str) -> list[tuple[object, ...]]:
    return saved.execute(sql).fetchall()
