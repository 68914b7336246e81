"""Functions that are run again where another transaction was in their way."""

from __future__ import annotations

from pathlib import Path

import pytest
from awaiting import on
from models import Department

from cormorant import AsyncDatabase, AsyncTransaction, ConflictError, Database, ProgrammingError


def test_a_function_is_run_again_where_another_transaction_was_in_its_way(db: Database) -> None:
    calls: list[int | None] = []
    department = Department("a")

    def body(database: Database, name: str, *, most: int) -> str:
        assert database is db
        assert database.transaction_depth == 1
        calls.append(department.id)
        database.insert(department)
        if len(calls) < most:
            raise ConflictError("another wrote it", code="CORM_E_CONFLICT")
        return name

    assert db.transact(body, "done", most=3) == "done"
    # Each time the record had no key again.
    assert calls == [None, None, None]
    assert [item.name for item in db.fetch_all(Department)] == ["a"]


def test_a_function_that_meets_others_for_ever_is_left(db: Database) -> None:
    calls = 0

    def body(database: Database) -> None:
        nonlocal calls
        calls += 1
        raise ConflictError("another wrote it", code="CORM_E_CONFLICT")

    with pytest.raises(ConflictError):
        db.transact(body)
    assert calls == 10
    # Inside a transaction it would meet the same.
    calls = 0
    with pytest.raises(ConflictError), db.transaction():
        db.transact(body)
    assert calls == 1


def test_other_errors_and_coroutines_are_not_run_again(db: Database) -> None:
    calls = 0

    def body(database: Database) -> None:
        nonlocal calls
        calls += 1
        database.insert(Department("a"))
        raise KeyError

    async def later(database: Database) -> None:
        """Never awaited."""

    with pytest.raises(KeyError):
        db.transact(body)
    assert calls == 1
    with pytest.raises(ProgrammingError, match="coroutine"):
        _ = db.transact(later)
    assert db.count(Department) == 0


def test_a_coroutine_function_is_run_again_where_another_transaction_was_in_its_way(path: Path) -> None:
    calls: list[int | None] = []

    async def body(tx: AsyncTransaction, most: int) -> int:
        department = Department(f"{most} {len(calls)}")
        await tx.insert(department)
        calls.append(department.id)
        if len(calls) < most:
            raise ConflictError("another wrote it", code="CORM_E_CONFLICT")
        return len(calls)

    async def run(db: AsyncDatabase) -> None:
        assert await db.transact(body, 3) == 3
        assert [item.name for item in await db.fetch_all(Department)] == ["3 2"]
        calls.clear()
        with pytest.raises(ConflictError):
            await db.transact(body, 100)
        assert len(calls) == 10
        calls.clear()
        with pytest.raises(ConflictError):
            async with db.transaction() as tx:
                await tx.transact(body, 100)
        assert len(calls) == 1
        assert [item.name for item in await db.fetch_all(Department)] == ["3 2"]

    on(path, run)
