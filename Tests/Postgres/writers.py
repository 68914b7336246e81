"""What several threads write at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from cormorant import Column, Model, column

WAIT = 20


class Entry(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    text: Column[str] = column(unique=True)


class Counter(Model):
    id: Column[int] = column(primary_key=True)
    value: Column[int]


def at_once(*bodies: Callable[[], object]) -> list[object]:
    """What each gives on a thread of its own."""
    with ThreadPoolExecutor(len(bodies)) as pool:
        return [future.result(WAIT) for future in [pool.submit(body) for body in bodies]]
