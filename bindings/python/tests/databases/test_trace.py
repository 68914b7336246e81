"""What is told of statements: to callbacks, logging and OpenTelemetry, and counted."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path

import pytest
from models import Department, Person
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from cormorant import Bundle, BusyError, Column, Database, Model, Registry, column, counting
from cormorant.trace import operation_of


def test_several_are_told_at_once(db: Database) -> None:
    own: list[str] = []
    inner: list[str] = []
    outer: list[str] = []
    db.set_trace(lambda sql, _: own.append(sql))
    with db.tracing(lambda sql, _: outer.append(sql)):
        with db.tracing(lambda sql, _: inner.append(sql)):
            db.query("SELECT 1").fetch_all()
        db.query("SELECT 2").fetch_all()
        db.set_trace(None)
        db.query("SELECT 3").fetch_all()
    db.query("SELECT 4").fetch_all()
    assert (own, inner, outer) == (["SELECT 1", "SELECT 2"], ["SELECT 1"], ["SELECT 1", "SELECT 2", "SELECT 3"])


def test_a_block_outlives_its_database(path: Path) -> None:
    with Database(path) as database, database.tracing(print):
        database.close()


@contextmanager
def reading(database: Database) -> Iterator[None]:
    """Another thread reads in a transaction."""
    begun, ended = threading.Event(), threading.Event()

    def read() -> None:
        with database.read():
            database.fetch_values("SELECT 1 FROM people")
            begun.set()
            ended.wait()

    thread = threading.Thread(target=read)
    thread.start()
    begun.wait()
    yield
    ended.set()
    thread.join()


def test_one_that_cannot_be_set_is_told_nothing(path: Path) -> None:
    told: list[str] = []
    with Database(path, busy_timeout=0.1) as database:
        database.create_tables(Department, Person)
        with reading(database):
            with pytest.raises(BusyError):
                database.set_trace(lambda sql, _: told.append("failed " + sql))
            with pytest.raises(BusyError), database.tracing(lambda sql, _: told.append("failed " + sql)):
                pass
        gc.collect()
        database.query("SELECT 1").fetch_all()
        assert told == []
        database.set_trace(lambda sql, _: told.append(sql))
        database.query("SELECT 2").fetch_all()
        with reading(database), pytest.raises(BusyError):
            database.set_trace(None)
        database.query("SELECT 3").fetch_all()
        with database.tracing(lambda sql, _: told.append(sql)):
            database.query("SELECT 4").fetch_all()
            ending = ExitStack()
            ending.enter_context(reading(database))
        database.query("SELECT 5").fetch_all()
        ending.close()
    assert [sql for sql in told if len(sql) == len("SELECT 1")] == ["SELECT 2", "SELECT 4"]


@pytest.mark.parametrize("ends", [True, False])
def test_one_of_a_step_goes_with_it(tmp_path: Path, ends: bool) -> None:
    told: list[str] = []

    def step(database: Database) -> None:
        if ends:
            with database.tracing(lambda sql, _: told.append(sql)):
                database.execute_script("CREATE TABLE t (x)")
        else:
            database.set_trace(lambda sql, _: told.append(sql))
            database.execute_script("CREATE TABLE t (x)")

    bundle = Bundle()
    bundle.add("001", step)
    with Registry(tmp_path / "{name}.db") as registry, registry.use("a") as held:
        assert registry.migrate(bundle, "a") == {}
        del step
        gc.collect()
        held.execute("INSERT INTO t VALUES (1)")
        assert held.fetch_values("SELECT x FROM t") == [1]
    assert told == ["CREATE TABLE t (x)"]


def test_statements_are_counted(db: Database) -> None:
    with counting(db, at_most=2) as seen, db.transaction():
        db.insert(Person("Ada", 36))
        db.count(Person)
    counted = [statement for statement in seen if statement.is_counted]
    assert [operation_of(sql) for sql, _ in counted] == ["INSERT", "SELECT"]
    assert {"BEGIN", "COMMIT"} < {operation_of(sql) for sql, _ in seen}
    assert all(seconds >= 0 for _, seconds in seen)


def test_too_many_statements_are_listed(db: Database) -> None:
    with pytest.raises(AssertionError) as caught, counting(db, at_most=1):
        db.query("SELECT 1").fetch_all()
        db.query("SELECT 2").fetch_all()
    assert str(caught.value) == "2 statements ran, 1 at most were to:\n  1. SELECT 1\n  2. SELECT 2"


class Day(Model):
    day: Column[date] = column(primary_key=True)


@pytest.mark.parametrize(
    "made_by", ["CREATE TABLE day (day DATE PRIMARY KEY NOT NULL, note TEXT)", ""], ids=["another", "the library"]
)
def test_the_look_at_a_table_of_times_is_not_counted(path: Path, made_by: str) -> None:
    with Database(path) as first:
        if made_by:
            first.execute(made_by)
        first.create_tables(Day)
    with Database(path) as database:
        with counting(database, at_most=1) as seen:
            assert database.fetch_all(Day) == []
        assert len(seen) > 1


def test_an_error_in_the_block_is_the_one_that_is_raised(db: Database) -> None:
    with pytest.raises(ValueError, match="mine"), counting(db, at_most=0):
        db.query("SELECT 1").fetch_all()
        raise ValueError("mine")


def test_statements_of_other_threads_are_counted(db: Database) -> None:
    with counting(db) as seen:
        thread = threading.Thread(target=lambda: db.query("SELECT 1").fetch_all())
        thread.start()
        thread.join()
    assert [sql for sql, _ in seen] == ["SELECT 1"]


def test_statements_are_logged_without_values(db: Database, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), db.logging_statements():
        db.query("SELECT ?", ["secret"]).fetch_all()
    [record] = caplog.records
    assert (record.name, record.levelname) == ("cormorant", "DEBUG")
    assert record.message.endswith(" ms SELECT ?")
    assert record.__dict__["sql"] == "SELECT ?"
    caplog.clear()
    with caplog.at_level(logging.DEBUG), db.logging_statements("slow", logging.WARNING, slower_than=60):
        db.query("SELECT 1").fetch_all()
    db.query("SELECT 2").fetch_all()
    assert caplog.records == []


@pytest.fixture
def exporter() -> Iterator[tuple[TracerProvider, InMemorySpanExporter]]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider, exporter
    provider.shutdown()


def test_spans_of_opentelemetry(db: Database, exporter: tuple[TracerProvider, InMemorySpanExporter]) -> None:
    provider, spans = exporter
    with db.opentelemetry_spans(provider), provider.get_tracer("test").start_as_current_span("around"):
        db.query("SELECT ?", ["secret"]).fetch_all()
    db.query("SELECT 2").fetch_all()
    inner, around = spans.get_finished_spans()
    assert (inner.name, around.name) == ("SELECT", "around")
    assert inner.parent is not None
    assert around.context is not None
    assert inner.parent.span_id == around.context.span_id
    assert dict(inner.attributes or {}) == {
        "db.system.name": "sqlite",
        "db.namespace": db.path,
        "db.operation.name": "SELECT",
        "db.query.text": "SELECT ?",
    }
    assert inner.start_time is not None
    assert inner.end_time is not None
    assert inner.start_time <= inner.end_time


@pytest.mark.parametrize(
    ("sql", "operation"),
    [("select 1", "SELECT"), ("\n  COMMIT;", "COMMIT"), ("(SELECT 1)", "SELECT"), ("WITH\nx AS", "WITH"), ("", "")],
)
def test_the_operation_of_a_statement(sql: str, operation: str) -> None:
    assert operation_of(sql) == operation


@pytest.mark.parametrize("is_entered", [True, False])
def test_blocks_of_two_threads_that_wait_for_a_transaction_are_both_told(db: Database, is_entered: bool) -> None:
    """Both begin while a transaction is open, or one ends while the other begins."""
    seen: dict[str, list[str]] = {"a": [], "b": []}
    first = threading.Event()
    go = threading.Event()

    def block(name: str, wait: threading.Event) -> None:
        with db.tracing(lambda sql, _: seen[name].append(sql)):
            first.set()
            wait.wait(20)
            if name == "b" or is_entered:
                db.fetch_value(f"SELECT '{name}'")

    now = threading.Event()
    now.set()
    threads = [threading.Thread(target=block, args=("a", now if is_entered else go))]
    if not is_entered:
        threads[0].start()
        assert first.wait(20)
    with reading(db):
        threads.append(threading.Thread(target=block, args=("b", now)))
        if is_entered:
            threads[0].start()
        else:
            go.set()
            time.sleep(0.1)
        threads[1].start()
        time.sleep(0.3)
    for thread in threads:
        thread.join(20)
    own = {name: [sql for sql in told if sql == f"SELECT '{name}'"] for name, told in seen.items()}
    assert own == {"a": ["SELECT 'a'"] if is_entered else [], "b": ["SELECT 'b'"]}


@pytest.mark.parametrize("is_entered", [False, True])
def test_a_block_in_a_transaction_waits_for_no_block_that_waits_for_it(path: Path, is_entered: bool) -> None:
    """Another thread's block begins, or ends, meanwhile."""
    inner: list[str] = []
    outer: list[str] = []
    begun, ending = threading.Event(), threading.Event()

    def block() -> None:
        with database.tracing(lambda sql, _: outer.append(sql)):
            begun.set()
            ending.wait(20)
        if is_entered:
            with database.tracing(lambda sql, _: outer.append(sql)):
                database.fetch_value("SELECT 3")

    with Database(path, busy_timeout=20) as database:
        other = threading.Thread(target=block)
        other.start()
        assert begun.wait(20)
        start = time.monotonic()
        with database.transaction():
            database.fetch_value("SELECT 1")
            ending.set()
            time.sleep(0.3)
            for _ in range(2):
                with database.tracing(lambda sql, _: inner.append(sql)):
                    database.fetch_value("SELECT 2")
        assert time.monotonic() - start < 5
        other.join(20)
        database.fetch_value("SELECT 4")
    assert inner == ["SELECT 2"] * 2
    assert outer[-1:] == (["SELECT 3"] if is_entered else outer[-1:])
    assert not {"SELECT 2", "SELECT 4"} & set(outer)


def test_writers_go_on_while_a_trace_waits_for_who_reads(path: Path) -> None:
    """Mended: it kept the writer while it waited."""
    waited: list[float] = []

    def write() -> None:
        time.sleep(0.3)
        start = time.monotonic()
        database.execute("CREATE TABLE t (x)")
        waited.append(time.monotonic() - start)

    with Database(path, busy_timeout=4) as database:
        database.create_tables(Department, Person)
        thread = threading.Thread(target=write)
        thread.start()
        with reading(database), pytest.raises(BusyError):
            database.set_trace(lambda _sql, _: None)
        thread.join()
    assert waited[0] < 2


def test_all_who_have_a_file_of_a_registry_are_told(tmp_path: Path) -> None:
    first, second = list[str](), list[str]()
    with Registry(tmp_path / "{name}.db") as registry, registry.use("a") as one:
        with one.tracing(lambda sql, _: first.append(sql)):
            with registry.use("a") as other:
                other.set_trace(lambda sql, _: second.append(sql))
                one.query("SELECT 1").fetch_all()
            one.query("SELECT 2").fetch_all()
            with registry.use("a") as other:
                with other.tracing(lambda sql, _: second.append(sql)):
                    other.query("SELECT 3").fetch_all()
                other.query("SELECT 4").fetch_all()
        with registry.use("a") as other, other.tracing(lambda sql, _: second.append(sql)):
            one.query("SELECT 5").fetch_all()
        one.query("SELECT 6").fetch_all()
    assert (first, second) == ([f"SELECT {n}" for n in (1, 2, 3, 4)], [f"SELECT {n}" for n in (1, 3, 5)])


def test_a_trace_goes_on_as_the_other_one_of_its_file_ends(tmp_path: Path) -> None:
    seen, none = list[str](), list[str]()
    with Registry(tmp_path / "{name}.db") as registry, registry.use("a") as one, registry.use("a") as other:
        one.set_trace(lambda sql, _: none.append(sql))
        other.set_trace(lambda sql, _: seen.append(sql))
        one.set_trace(None)
        one.query("SELECT 1").fetch_all()
        other.set_trace(None)
        one.set_trace(lambda sql, _: none.append(sql))
        other.query("SELECT 2").fetch_all()
    assert (seen, none) == (["SELECT 1"], ["SELECT 2"])


def test_a_file_that_is_opened_anew_is_traced_anew(tmp_path: Path) -> None:
    seen = list[str]()
    statements = [f"SELECT {number}" for number in range(3)]
    with Registry(tmp_path / "{name}.db", busy_timeout=0.2) as registry:
        for statement in statements:
            with registry.use("a") as database:
                database.create_tables(Department, Person)
                with ExitStack() as block:
                    block.enter_context(database.tracing(lambda sql, _: seen.append(sql)))
                    database.query(statement).fetch_all()
                    # The library goes on to tell where others read, and nobody is told.
                    with reading(database):
                        block.close()
                    database.query("SELECT 9").fetch_all()
            registry.close_file("a")
    assert [sql for sql in seen if sql in (*statements, "SELECT 9")] == statements


def test_a_step_that_leaves_one_set_ends_none_of_later(tmp_path: Path) -> None:
    seen = list[str]()
    bundle = Bundle()
    bundle.add("001", lambda database: database.set_trace(lambda sql, _: None))
    with Registry(tmp_path / "{name}.db") as registry:
        with registry.use("a") as known:
            pass
        registry.close_file("a")
        assert registry.migrate(bundle, "a") == {}
        with registry.use("a") as again, again.tracing(lambda sql, _: seen.append(sql)):
            again.query("SELECT 1").fetch_all()
        del known
    assert seen == ["SELECT 1"]
