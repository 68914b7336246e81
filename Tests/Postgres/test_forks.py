"""The child of a fork leaves what its parent had under way on a session alone."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections.abc import Callable, Iterator

import pytest
from accounts import Account, fails
from cormorant import Database, Error

WAIT = 20


def in_a_child(call: Callable[[], object]) -> None:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            call()
            code = 7
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.fixture
def limited() -> Iterator[None]:
    """A test that hangs is killed, for what hangs is libpq."""
    signal.alarm(WAIT)
    yield
    signal.alarm(0)


SERIES = "SELECT g, repeat('x', 1000) FROM generate_series(1, 100000) g"


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("model", [False, True])
def test_a_child_leaves_a_half_read_result_to_its_parent(
    accounts: str, reopened: bool, within: bool, model: bool
) -> None:
    with Database(accounts) as db, db.transaction() if within else contextlib.nullcontext():
        if model:
            db.execute("INSERT INTO account SELECT g, repeat('x', 1000), g FROM generate_series(2, 100000) g")
        rows = iter(db.cursor(Account) if model else db.query(SERIES))
        next(rows)

        def drop() -> None:
            nonlocal rows
            if reopened:
                db.reopen()
            del rows
            gc.collect()

        in_a_child(drop)
        assert sum(1 for _ in rows) == 99_999
        assert db.count(Account) == (100_000 if model else 1)


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("model", [False, True])
def test_a_child_does_not_go_on_with_a_result_of_its_parents(
    accounts: str, reopened: bool, within: bool, model: bool
) -> None:
    with Database(accounts) as db, db.transaction() if within else contextlib.nullcontext():
        if model:
            db.execute("INSERT INTO account SELECT g, repeat('x', 1000), g FROM generate_series(2, 100000) g")
        rows = iter(db.cursor(Account) if model else db.query(SERIES))
        next(rows)

        def go_on() -> None:
            if reopened:
                db.reopen()
            error = fails(lambda: list(rows), "CORM_E_MISUSE")
            assert "forked" in error.message, error
            if reopened:
                assert db.fetch_value("SELECT 1") == 1

        in_a_child(go_on)
        assert sum(1 for _ in rows) == 99_999
        assert db.count(Account) == (100_000 if model else 1)


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("how", ["goes on", "fails", "ends"])
def test_a_child_leaves_a_copy_to_its_parent(accounts: str, how: str) -> None:
    def records() -> Iterator[Account]:
        for number in range(2, 5000):
            if number == 4000:
                child = os.fork()
                if child == 0:
                    if how == "goes on":
                        number = 4000
                    elif how == "fails":
                        raise LookupError
                    else:
                        os._exit(7)
                else:
                    children.append(child)
            yield Account(number, "x" * 100, number)

    children: list[int] = []
    with Database(accounts) as db:
        try:
            db.insert_many(records())
        except (Error, LookupError) as error:
            assert not children, error
            os._exit(7 if isinstance(error, LookupError) or "forked" in error.message else 1)
        if not children:
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 7
        assert db.count(Account) == 4999
