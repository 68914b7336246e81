"""Functions and collations of the program's, which SQL calls."""

from __future__ import annotations

import gc
import signal
import threading
import uuid
import weakref
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from models import Person

from cormorant import Database, DataError, Error, OperationalError, ProgrammingError, func, select


def one(db: Database, sql: str, *bindings: Any) -> Any:
    return next(iter(db.query(sql, bindings)))[0]


def test_what_was_raised_goes_with_its_error(db: Database) -> None:
    class Held:
        pass

    held = [weakref.ref(Held())]

    @db.register_function
    def bad() -> int:
        local = Held()
        held.append(weakref.ref(local))
        raise ValueError("bad")

    for _ in range(2):
        with pytest.raises(Error, match="bad"):
            one(db, "SELECT bad()")
    gc.collect()
    assert [reference() for reference in held] == [None] * 3


def test_values_come_as_they_are_annotated(db: Database) -> None:
    @db.register_function(deterministic=True)
    def kinds(
        a: int, b: float, c: bool, d: str, e: bytes, f: datetime, g: uuid.UUID, h: Decimal, i: list[int], j: str | None
    ) -> str:
        return repr((a, b, c, d, e, f.year, g.int, h, i, j))

    arguments = (
        "1, 2, 1, 'd', x'65', '2024-01-02 03:04:05', '00000000-0000-0000-0000-000000000007', '1.50', '[8]', NULL"
    )
    expected = (1, 2.0, True, "d", b"e", 2024, 7, Decimal("1.50"), [8], None)
    assert one(db, f"SELECT kinds({arguments})") == repr(expected)
    with pytest.raises(DataError, match="kinds") as caught:
        one(db, f"SELECT kinds({arguments.replace('1', 'NULL', 1)})")
    assert "argument 1 of kinds is NULL, not int" in str(caught.value.__cause__)


@pytest.mark.parametrize("sql", ["NULL", "1", "1.5", "'a'", "x'00'"])
def test_what_may_be_anything_stays_as_it_is(db: Database, sql: str) -> None:
    @db.register_function
    def ident(a: Any, *more: Any) -> Any:
        return a

    assert db.query(f"SELECT ident({sql}, {sql}) IS {sql}").fetch_all() == [(1,)]


def test_values_are_given_back_as_bindings_are(db: Database) -> None:
    moment = datetime(2024, 1, 2, tzinfo=timezone.utc)
    given: list[Any] = [None, True, 1.5, "ü\0x", b"", b"a\0", moment, Decimal("1.50"), "", -(2**63)]
    db.register_function(lambda index: given[index], name="given")
    for index, value in enumerate(given):
        assert one(db, "SELECT given(?)", index) == one(db, "SELECT ?", value)
        assert one(db, "SELECT typeof(given(?))", index) == one(db, "SELECT typeof(?)", value)
    with pytest.raises(DataError) as caught:
        db.register_function(lambda: object(), name="strange")
        one(db, "SELECT strange()")
    assert isinstance(caught.value.__cause__, DataError)


def test_what_it_raises_is_the_cause(db: Database) -> None:
    raised = LookupError("no such thing")

    @db.register_function
    def failing(value: object) -> None:
        raise raised

    db.create_tables(Person)
    db.insert(Person(name="Ada"))
    with pytest.raises(DataError, match="the function failing raised LookupError: no such thing") as caught:
        db.execute("UPDATE people SET name = failing(name)")
    assert caught.value.__cause__ is raised
    assert caught.value.code == "CORM_E_CALLBACK"
    assert db.fetch_one(Person).name == "Ada"  # type: ignore[union-attr]


def test_an_exit_is_an_exit(db: Database) -> None:
    def leave() -> None:
        raise KeyboardInterrupt

    db.register_function(leave)
    with pytest.raises(KeyboardInterrupt):
        one(db, "SELECT leave()")
    assert one(db, "SELECT 1") == 1


def test_it_may_not_use_its_database(db: Database) -> None:
    db.register_function(lambda: one(db, "SELECT 1"), name="inward")
    with pytest.raises(DataError) as caught:
        one(db, "SELECT inward()")
    assert isinstance(caught.value.__cause__, ProgrammingError)
    assert "database that it runs in" in str(caught.value.__cause__)
    assert one(db, "SELECT 1") == 1


def test_aggregates(db: Database) -> None:
    @db.register_aggregate
    class Longest:
        def __init__(self) -> None:
            self.texts: list[str] = []

        def step(self, text: str) -> None:
            self.texts.append(text)

        def inverse(self, text: str) -> None:
            self.texts.remove(text)

        def value(self) -> str | None:
            return max(self.texts, key=len, default=None)

    db.execute_script("CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT); INSERT INTO t (s) VALUES ('a'), ('ccc'), ('bb')")
    assert one(db, "SELECT longest(s) FROM t") == "ccc"
    assert one(db, "SELECT longest(s) FROM t WHERE 0") is None
    rows = db.query("SELECT longest(s) OVER (ORDER BY n ROWS 1 PRECEDING) FROM t")
    assert [row[0] for row in rows] == ["a", "ccc", "ccc"]
    with pytest.raises(DataError) as caught:
        one(db, "SELECT longest(n) FROM t")
    assert isinstance(caught.value.__cause__, DataError)
    from cormorant._native.kept import kept

    assert not any(type(item).__name__ == "Group" for item in kept.values())


def test_numbers_of_arguments(db: Database) -> None:
    db.register_function(lambda a, b=10: a + b, name="added")
    db.register_function(lambda *numbers: sum(numbers), name="total_of")
    assert one(db, "SELECT added(1) * 100 + added(1, 2)") == 1103
    assert one(db, "SELECT total_of() + total_of(1, 2, 3)") == 6
    with pytest.raises(ProgrammingError, match="wrong number of arguments"):
        one(db, "SELECT added()")
    db.remove_function("added", 1)
    with pytest.raises(ProgrammingError):
        one(db, "SELECT added(1)")
    assert one(db, "SELECT added(1, 2)") == 3


@pytest.mark.parametrize(
    "register",
    [
        lambda db: db.register_function(lambda: 1),
        lambda db: db.register_function(len, name="lower"),
        lambda db: db.register_function(len, name="corm_len"),
        lambda db: db.register_function(print, name=""),
        lambda db: db.register_function(1, name="one"),
        lambda db: db.register_function(lambda *, a: a, name="keyword"),
        lambda db: db.register_aggregate(int, name="aggregate"),
        lambda db: db.register_collation("nocase", lambda a, b: 0),
    ],
)
def test_what_cannot_be_registered(db: Database, register: Any) -> None:
    with pytest.raises(ProgrammingError):
        register(db)


def test_a_collation(db: Database) -> None:
    db.register_collation("by_length", lambda a, b: len(a) - len(b))
    assert one(db, "SELECT group_concat(v) FROM (SELECT value AS v FROM json_each('[\"ccc\",\"a\",\"bb\"]') "
                   "ORDER BY value COLLATE by_length)") == "a,bb,ccc"  # fmt: skip

    def broken(left: str, right: str) -> int:
        raise LookupError("no order")

    db.register_collation("by_length", broken)
    with pytest.raises(DataError) as caught:
        db.query("SELECT value FROM json_each('[2,1]') ORDER BY value || '' COLLATE by_length").fetch_all()
    assert isinstance(caught.value.__cause__, LookupError)
    db.register_collation("by_length", None)
    with pytest.raises(ProgrammingError, match="no such collation sequence: by_length"):
        one(db, "SELECT 1 ORDER BY 'a' COLLATE by_length")


def test_queries_call_it(db: Database) -> None:
    db.register_function(lambda name: name[::-1], name="reversed")
    db.create_tables(Person)
    db.insert(Person(name="Ada"))
    query = select(func.reversed(Person.name)).where(func.reversed(Person.name) == "adA")
    assert db.fetch_all(query) == [("adA",)]


def test_threads_that_read_have_it(db: Database) -> None:
    db.register_function(lambda: threading.get_ident(), name="thread")
    found: list[Any] = []

    def read() -> None:
        found.append((threading.get_ident(), one(db, "SELECT thread()")))

    with db.transaction():
        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 3
    assert all(own == seen for own, seen in found)


def test_it_ends_with_its_database() -> None:
    class Kept:
        def __call__(self) -> int:
            return 1

    function = Kept()
    seen = weakref.ref(function)
    with Database(":memory:") as db:
        db.register_function(function, name="kept")
        del function
        gc.collect()
        assert seen() is not None
        assert one(db, "SELECT kept()") == 1
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("number", [2**63, 2**70, -(2**63) - 1, pytest.param(10**5_000, id="of too many digits")])
def test_an_integer_beyond_64_bits_is_refused(db: Database, number: int) -> None:
    db.register_function(lambda: number, name="large")
    with pytest.raises(DataError, match="beyond 64 bits"):
        one(db, "SELECT large()")


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_the_largest_integers_are_given(db: Database, number: int) -> None:
    db.register_function(lambda: number, name="large")
    assert one(db, "SELECT large()") == number


class Total:
    def __init__(self) -> None:
        self.count = 0

    def step(self, i: int) -> None:
        self.count += 1

    def inverse(self, i: int) -> None:
        self.count -= 1

    def value(self) -> int:
        return self.count


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT total2(i) FROM n",
        "SELECT sum(same(i)) FROM n",
        "SELECT max(t) FROM (SELECT total2(i) OVER (ROWS 1 PRECEDING) AS t FROM n)",
        "SELECT min(i || '' COLLATE turned) FROM n",
    ],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_between_calls_ends_the_statement(db: Database, sql: str) -> None:
    sql = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) {sql}"
    db.register_aggregate(Total, name="total2")

    @db.register_function
    def same(i: int) -> int:
        return i

    db.register_collation("turned", lambda a, b: (a < b) - (a > b))
    expected = db.fetch_value(sql)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for seconds in (0.03, 0.04, 0.05, 0.06):
            signal.setitimer(signal.ITIMER_REAL, seconds)
            with pytest.raises((KeyboardInterrupt, OperationalError)) as ended:
                assert db.fetch_value(sql) == expected
                pytest.fail("nobody heard the signal")
            if isinstance(ended.value, OperationalError):
                assert ended.value.code == "CORM_E_INTERRUPTED"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert db.fetch_value(sql) == expected
