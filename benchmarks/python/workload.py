"""The workload that every contestant shares, in Python: the data, the keys, the checksum, the clock and the answer.

It says what c/workload.h says; the driver checks that the two agree.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager

COLUMNS = ("id", "quantity", "grade", "region", "price", "weight", "name", "city", "code", "note")
CREATE = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, quantity INTEGER NOT NULL, grade INTEGER NOT NULL,
    region INTEGER NOT NULL, price REAL NOT NULL, weight REAL NOT NULL, name TEXT NOT NULL, city TEXT NOT NULL,
    code TEXT NOT NULL, note TEXT)"""
FILTER_REGION = 3

GOLDEN = 0x9E3779B97F4A7C15
MASK = 0xFFFFFFFFFFFFFFFF

Row = tuple[int, int, int, int, float, float, str, str, str, str | None]


def numbers(state: int) -> Callable[[], int]:
    """A linear congruential generator (Knuth's MMIX constants); its upper 31 bits are the number."""

    def next_number() -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        return state >> 33

    return next_number


_next_letter = numbers(1)
# Every text is a piece of this one.
POOL = "".join(chr(ord("a") + _next_letter() % 26) for _ in range(256))


def make_row(key: int, edition: int = 0) -> Row:
    """The row `key` in an edition: 0 as inserted, 1 as updated."""
    number = numbers((key * GOLDEN + edition) & MASK)

    def text() -> str:
        size = 12 + number() % 9
        offset = number() % (256 - 20)
        return POOL[offset : offset + size]

    number()
    quantity, grade, region = number() % 1_000_000, number() % 100, number() % 10
    price, weight = number() % 1_048_576 / 1024, number() % 1_048_576 / 1024
    name, city, code, note = text(), text(), text(), text()
    return (key, quantity, grade, region, price, weight, name, city, code, note if number() % 2 else None)


def lookup_key(index: int, rows: int) -> int:
    """The key of a lookup; they jump about."""
    number = numbers(index * GOLDEN & MASK)
    number()
    return number() % rows + 1


def checksum(rows: Iterable[Row]) -> int:
    """The checksum of a result; the reals are whole numbers of 1/1024."""

    def text_sum(text: str) -> int:
        return len(text) * 65536 + ord(text[0]) * 256 + ord(text[-1])

    total = 0
    for index, (key, quantity, grade, region, price, weight, name, city, code, note) in enumerate(rows, 1):
        row = key * 3 + quantity * 5 + grade * 7 + region * 11 + int(price * 1024) * 13 + int(weight * 1024) * 17
        row += text_sum(name) * 19 + text_sum(city) * 23 + text_sum(code) * 29
        row += 37 if note is None else text_sum(note) * 31
        total += row * index
    return total & MASK


class Job:
    """One work, as the command line gives it: WORK DATABASE ROWS COUNT."""

    def __init__(self) -> None:
        self.work, self.path, rows, count = sys.argv[1:]
        # So many rows are in the table, and so many operations are asked for.
        self.rows, self.count = int(rows), int(count)
        self.checksum = 0
        self._seconds = self._cpu = 0.0

    def rows_to_insert(self) -> list[Row]:
        return [make_row(key) for key in range(1, self.count + 1)]

    def rows_to_append(self) -> list[Row]:
        return [(self.rows + row[0], *row[1:]) for row in self.rows_to_insert()]

    def rows_to_update(self) -> list[Row]:
        return [make_row(key, 1) for key in range(1, 2 * self.count, 2)]

    def keys_to_find(self) -> list[int]:
        return [lookup_key(index, self.rows) for index in range(self.count)]

    def keys_to_delete(self) -> list[int]:
        return list(range(1, 4 * self.count, 4))

    @contextmanager
    def measured(self):
        """The measured part."""
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        self._seconds, self._cpu = time.perf_counter() - wall, time.process_time() - cpu

    def report(self) -> None:
        """The answer to the driver."""
        with open("/proc/self/status", encoding="ascii") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
        answer = {"seconds": self._seconds, "cpu": self._cpu, "checksum": f"{self.checksum:016x}", "peak": peak}
        print(json.dumps(answer))


def run(works: dict[str, Callable[[Job], None]]) -> None:
    """Does the work that the command line names."""
    job = Job()
    works[job.work](job)
    job.report()


if __name__ == "__main__":
    # The empty process that the memory of the others is compared with.
    run({"empty": lambda job: None})
