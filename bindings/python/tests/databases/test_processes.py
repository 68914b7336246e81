"""One file in several processes: children of a fork, and writers that wait for each other."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, cast

import pytest

from cormorant import (
    AsyncDatabase,
    Cipher,
    Column,
    Database,
    Error,
    Model,
    ProgrammingError,
    Registry,
    _relation_base,
    _worker,
    column,
    model,
)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path, busy_timeout=20) as database:
        yield database


FORKS = int(os.environ.get("CORMORANT_FORKS", "60"))


def child(work: Callable[[], object]) -> int:
    """The number of a process that does it, and ends after 30 seconds whatever happens."""
    number = os.fork()
    if number == 0:
        status = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(30)
            work()
            status = 0
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
        finally:
            os._exit(status)
    return number


def ended(number: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def test_a_child_opens_the_file_anew_whatever_its_parents_threads_do(db: Database, path: Path, tmp_path: Path) -> None:
    db.execute_script("CREATE TABLE a (x INTEGER); CREATE TABLE b (x TEXT)")
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            with db.transaction():
                db.execute("INSERT INTO b VALUES (?)", ["x" * 500])
                db.execute("DELETE FROM b WHERE rowid < last_insert_rowid() - 50")

    def read() -> None:
        while not is_over.is_set():
            db.query("SELECT count(*), group_concat(x) FROM b").fetch_all()

    def open_and_close() -> None:
        while not is_over.is_set():
            with Database(tmp_path / "other.db") as other:
                other.execute("CREATE TABLE IF NOT EXISTS c (x)")

    def work(row: int) -> None:
        with Database(path, busy_timeout=20) as own:
            own.execute("INSERT INTO a VALUES (?)", [row])
            assert own.query("SELECT count(*) FROM a").fetch_all()[0][0] == row + 1

    threads = [threading.Thread(target=function) for function in (write, read, read, open_and_close)]
    for thread in threads:
        thread.start()
    try:
        ends = [ended(child(lambda row=row: work(row))) for row in range(FORKS)]  # type: ignore[misc]
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert ends == [0] * FORKS
    assert db.query("SELECT count(*) FROM a").fetch_all()[0][0] == FORKS
    assert db.query("PRAGMA integrity_check").fetch_all()[0][0] == "ok"


@pytest.mark.parametrize("cipher", [None, Cipher(key=b"k" * 8, rounds=1)], ids=["plain", "encrypted"])
def test_what_a_child_commits_stays_when_its_parent_closes(path: Path, cipher: Cipher | None) -> None:
    db = Database(path, cipher=cipher)
    db.execute_script("CREATE TABLE a (x)")
    to_parent, from_child = os.pipe()
    to_child, from_parent = os.pipe()

    def work() -> None:
        own = Database(path, cipher=cipher)
        own.execute("INSERT INTO a VALUES (1)")
        os.write(from_child, b"1")
        os.read(to_child, 1)
        own.execute("INSERT INTO a VALUES (2)")

    number = child(work)
    os.read(to_parent, 1)
    # The last to close the file takes the log away: the parent is not the last.
    db.close()
    os.write(from_parent, b"1")
    assert ended(number) == 0
    with Database(path, cipher=cipher) as db:
        assert db.query("SELECT x FROM a").fetch_all() == [(1,), (2,)]


def test_a_transaction_that_is_open_at_a_fork_is_the_parents(db: Database, path: Path) -> None:
    db.execute_script("CREATE TABLE a (x)")

    def work() -> None:
        with Database(path, busy_timeout=0) as own:
            assert own.query("SELECT count(*) FROM a").fetch_all()[0][0] == 0
            with pytest.raises(Error) as locked:
                own.execute("INSERT INTO a VALUES (2)")
            assert locked.value.code == "CORM_E_BUSY"

    with db.transaction():
        db.execute("INSERT INTO a VALUES (1)")
        assert ended(child(work)) == 0
    assert db.query("SELECT x FROM a").fetch_all() == [(1,)]


@pytest.mark.parametrize("cipher", [None, Cipher("secret", rounds=5)], ids=["plain", "encrypted"])
@pytest.mark.parametrize("mode", ["wal", "delete"])
@pytest.mark.parametrize("way", ["commit", "fail", "drop"])
def test_a_child_that_leaves_its_parents_transaction_ends_nothing(
    path: Path, way: str, mode: Literal["wal", "delete"], cipher: Cipher | None
) -> None:
    with Database(path, journal_mode=mode, cipher=cipher) as db:
        db.execute_script("PRAGMA cache_size = 10; CREATE TABLE a (x, y)")
        db.execute_many("INSERT INTO a VALUES (?, zeroblob(500))", [(number,) for number in range(500)])

        def change() -> Generator[None]:
            with db.transaction():
                db.execute("UPDATE a SET x = x + 1, y = randomblob(500)")
                yield

        changing = change()

        def leave() -> None:
            if way == "drop":
                return changing.close()
            with pytest.raises(Error if way == "commit" else KeyError) as left:
                next(changing) if way == "commit" else changing.throw(KeyError)
            assert way == "fail" or cast("Error", left.value).code == "CORM_E_MISUSE"

        next(changing)
        assert ended(child(leave)) == 0
        assert next(changing, "ended") == "ended"
        assert db.query("SELECT sum(x - 1) FROM a").fetch_all() == [(499 * 250,)]
        assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]


class Note(Model):
    text: Column[str] = column(primary_key=True)
    twice: Column[int] = column(default=0)


@pytest.mark.parametrize("cipher", [None, Cipher("secret")], ids=["plain", "encrypted"])
def test_a_child_reopens_what_it_was_given(
    tmp_path: Path, cipher: Cipher | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Database(
        "a.db", cipher=cipher, auto_sync=True, set_up=lambda c: c.execute_script("PRAGMA cache_size = 77")
    ) as db:
        db.register_function(lambda x: 2 * x, name="twice")
        db.insert(Note(text="parent"))
        assert db.find(Note, "parent") is not None

        def work() -> None:
            os.chdir("/")
            with pytest.raises(Error) as forked:
                db.find(Note, "parent")
            assert forked.value.code == "CORM_E_MISUSE"
            db.reopen()
            assert db.find(Note, "parent") is not None
            db.insert(Note(text="child"))
            db.execute("UPDATE note SET twice = twice(21)")
            db.save(Note(text="child", twice=1))
            assert db.query("PRAGMA cache_size").fetch_all() == [(77,)]
            found: list[Note] = []
            reader = threading.Thread(target=lambda: found.extend(db.fetch_all(Note)))
            reader.start()
            reader.join()
            assert len(found) == 2

            async def awaited() -> int:
                return await AsyncDatabase(db).count(Note)

            assert asyncio.run(awaited()) == 2
            db.close()
            with pytest.raises(Error):
                db.reopen()

        assert ended(child(work)) == 0
        assert ended(child(db.close)) == 0
        rows = [("child", 1), ("parent", 42)]
        assert db.query("SELECT text, twice FROM note ORDER BY text").fetch_all() == rows


def test_a_child_may_fork_again(path: Path) -> None:
    with Database(path) as db:
        db.execute_script("CREATE TABLE a (x)")

        def work() -> None:
            db.reopen()
            db.execute("INSERT INTO a VALUES (1)")
            with db.read():
                assert ended(child(grandchild)) == 0
            db.execute("INSERT INTO a VALUES (3)")

        def grandchild() -> None:
            db.reopen()
            db.execute("INSERT INTO a VALUES (2)")

        assert ended(child(work)) == 0
        assert db.query("SELECT x FROM a").fetch_all() == [(1,), (2,), (3,)]


def test_what_is_not_to_be_reopened(path: Path, tmp_path: Path) -> None:
    with Database(path) as db, Database(":memory:") as memory, Registry(str(tmp_path / "{name}.db")) as registry:

        def refused(database: Database, words: str) -> None:
            with pytest.raises(ProgrammingError, match=words) as error:
                database.reopen()
            assert error.value.code == "CORM_E_MISUSE"
            assert error.value.hint

        refused(db, "opened the database itself")
        with registry.use("b") as shared:

            def work() -> None:
                refused(memory, "in memory")
                refused(shared, "of a registry")
                path.rename(path.with_name("moved.db"))
                path.mkdir()
                with pytest.raises(Error):
                    db.reopen()
                path.rmdir()
                path.with_name("moved.db").rename(path)
                db.reopen()

            assert ended(child(work)) == 0


ROOT = Path(__file__).parents[4]
TURNS = ROOT / "Tests" / "Transfers" / "turns.py"


def test_processes_write_in_turn(tmp_path: Path) -> None:
    """The figures are told by the program itself; what is looked at here holds on a busy machine, too."""
    shown = subprocess.run(
        [sys.executable, TURNS, "--processes", "5", "--seconds", "3", tmp_path / "a.db"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python" / "src")},
    ).stdout
    figures = dict(part.split("=") for part in shown.split())
    assert int(figures["fewest"]) * 2 > int(figures["most"]), shown
    # Who is refused since others committed keeps its place. On a busy machine one may stand still before it has it.
    assert int(figures["passed_over"]) < 5, shown
    # Milliseconds: a busy machine keeps one waiting for a hundred; SQLite alone, without turns, for seconds.
    assert float(figures["longest"]) < 500, shown


@pytest.mark.parametrize("mode", ["FULL", "RESTART", "TRUNCATE"])
def test_who_takes_the_writers_lock_and_does_not_wait_for_it_has_no_place(path: Path, mode: str) -> None:
    with Database(path) as one, Database(path) as two:
        one.execute_script("CREATE TABLE a (x)")
        two.execute("INSERT INTO a VALUES (1)")
        ends = one.query(f"PRAGMA wal_checkpoint({mode})").fetch_one()
        assert ends is not None
        assert ends[0] == 0
        # The first place and the one behind the last (WriteTurns.swift).
        places = Path(f"{path}-shm").read_bytes()[120:122]
        assert places[0] == places[1]


def test_who_gave_up_waiting_keeps_nobody_waiting(path: Path) -> None:
    with Database(path) as one, Database(path, busy_timeout=0.2) as two, Database(path, busy_timeout=0) as three:
        one.execute_script("CREATE TABLE a (x)")
        with one.transaction():
            one.execute("INSERT INTO a VALUES (1)")
            with pytest.raises(Error) as given_up:
                two.execute("INSERT INTO a VALUES (2)")
        assert given_up.value.code == "CORM_E_BUSY"
        three.execute("INSERT INTO a VALUES (3)")
        one.execute("INSERT INTO a VALUES (4)")
        two.execute("INSERT INTO a VALUES (5)")
        assert one.query("SELECT x FROM a").fetch_all() == [(1,), (3,), (4,), (5,)]


@pytest.mark.parametrize("schema", ["main", "attached"])
def test_who_reads_writes_at_once_where_others_gave_up(path: Path, schema: str) -> None:
    # SQLite waits for no lock within a transaction that reads.
    many = "(WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i FROM n)"
    with (
        Database(path) as holder,
        Database(path, busy_timeout=0.2) as waiting,
        Database(path if schema == "main" else ":memory:", reader_count=0, busy_timeout=5) as db,
    ):
        holder.execute("CREATE TABLE a (x)")
        if schema == "attached":
            db.execute("ATTACH ? AS attached", [str(path)])
        db.execute(f"INSERT INTO {schema}.a VALUES (0)")
        rows = iter(db.query(f"SELECT i FROM {schema}.a, {many}"))
        next(rows)
        holder.execute_script("BEGIN IMMEDIATE")
        with pytest.raises(Error):
            waiting.execute("INSERT INTO a VALUES (1)")
        holder.execute_script("ROLLBACK")
        db.execute(f"INSERT INTO {schema}.a VALUES (2)")
        del rows
        assert holder.fetch_values("SELECT x FROM a") == [0, 2]


def test_who_dies_or_stands_still_while_it_waits_keeps_nobody_waiting(db: Database, path: Path) -> None:
    db.execute_script("CREATE TABLE a (x)")

    def write(row: int) -> None:
        with Database(path, busy_timeout=20) as own:
            own.execute("INSERT INTO a VALUES (?)", [row])

    with db.transaction():
        children = []
        for row in range(4):
            children.append(child(lambda row=row: write(row)))  # type: ignore[misc]
            while "S" not in Path(f"/proc/{children[-1]}/stat").read_text().rsplit(")", 1)[1][:3]:
                pass
            # Until it has its place.
            signal.sigtimedwait([], 0.2)
        os.kill(children[0], signal.SIGKILL)
        os.kill(children[1], signal.SIGSTOP)
    assert ended(children[0]) == -signal.SIGKILL
    assert [ended(number) for number in children[2:]] == [0, 0]
    os.kill(children[1], signal.SIGCONT)
    assert ended(children[1]) == 0
    assert sorted(db.query("SELECT x FROM a").fetch_all()) == [(1,), (2,), (3,)]


def test_a_child_waits_for_no_write_of_its_parents_queue(db: Database) -> None:
    db.execute_script("CREATE TABLE a (x)")
    with db.queue() as queue:
        with db.transaction():
            write = queue.add(lambda database: database.execute("INSERT INTO a VALUES (1)"))

            def wait() -> None:
                for call in (write.result, write.exception):
                    with pytest.raises(ProgrammingError) as forked:
                        call()
                    assert forked.value.code == "CORM_E_MISUSE"

            assert ended(child(wait)) == 0
        assert write.result() == 1


@pytest.mark.parametrize("way", ["call", "commit", "fail"])
def test_a_child_that_leaves_its_parents_shared_transaction_ends_nothing(db: Database, way: str) -> None:
    db.execute_script("CREATE TABLE a (x)")
    transaction = db.shared_transaction()
    with transaction as shared:
        shared.execute("INSERT INTO a VALUES (1)")

        def leave() -> None:
            if way == "fail":
                return transaction.__exit__(KeyError, KeyError(), None)
            with pytest.raises(ProgrammingError) as forked:
                if way == "call":
                    shared.execute("INSERT INTO a VALUES (2)")
                else:
                    transaction.__exit__(None, None, None)
            assert forked.value.code == "CORM_E_MISUSE"

        assert ended(child(leave)) == 0
    assert db.query("SELECT x FROM a").fetch_all() == [(1,)]


HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)
db.execute("BEGIN IMMEDIATE")
db.execute("INSERT INTO a VALUES (1)")
print("locked", flush=True)
sys.stdin.readline()
db.execute("COMMIT")
print("committed", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("way", ["statement", "transaction", "record"])
@pytest.mark.parametrize("mode", ["delete", "wal", "wal, temporary"])
def test_a_write_waits_for_others_beside_another_threads_cursor(path: Path, mode: str, way: str) -> None:
    """On one connection, where SQLite refuses it at once."""

    with Database(path, journal_mode="delete" if mode == "delete" else "wal", reader_count=0) as db:
        db.sync(Note)
        db.execute_script("CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (10), (11), (12)")
        if "temporary" in mode:
            db.execute("CREATE TEMPORARY TABLE own (x)")
        reading, read = threading.Event(), threading.Event()

        def write() -> object:
            if way == "record":
                return db.insert(Note(text="mine"))
            if way == "statement":
                return db.execute("INSERT INTO a VALUES (2)")
            with db.transaction():
                return db.execute("INSERT INTO a VALUES (2)")

        def read_slowly() -> None:
            rows = iter(db.query("SELECT a.x FROM a, a b, a c, a d, a e, a f, a g"))
            next(rows)
            reading.set()
            read.wait(20)
            del rows

        reader = threading.Thread(target=read_slowly)
        reader.start()
        assert reading.wait(20)
        command = [sys.executable, "-c", HOLD, str(path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout
            assert other.stdout.readline() == "locked\n"

            def go_on() -> None:
                assert other.stdin
                other.stdin.write("\n")
                other.stdin.flush()
                read.set()

            timer = threading.Timer(0.3, go_on)
            timer.start()
            try:
                began = time.monotonic()
                write()
                assert time.monotonic() - began > 0.25
            finally:
                timer.join()
                reader.join()
                other.communicate("\n")
        assert db.count(Note) + db.query("SELECT x FROM a WHERE x = 2").fetch_all().count((2,)) == 1


def test_what_needs_no_lock_of_the_file_is_written_beside_a_cursor_all_the_same(path: Path) -> None:
    with Database(path, reader_count=0, busy_timeout=0.2) as db:
        db.execute_script(
            "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (10), (11), (12); CREATE TEMPORARY TABLE own (x)"
        )
        rows = iter(db.query("SELECT a.x FROM a, a b, a c, a d, a e, a f, a g"))
        next(rows)
        with sqlite3.connect(path, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            writer = threading.Thread(target=lambda: db.execute("INSERT INTO own VALUES (1)"))
            writer.start()
            writer.join()
            assert db.query("SELECT x FROM own").fetch_all() == [(1,)]
        other.close()
        next(rows)


def test_a_child_waits_for_no_lock_of_its_parents_threads(path: Path) -> None:
    locks = (_relation_base, "_lock"), (model, "_variants_lock"), (_worker, "_lock")
    held, is_over = threading.Event(), threading.Event()

    def hold() -> None:
        with ExitStack() as stack:
            for module, name in locks:
                stack.enter_context(getattr(module, name))
            held.set()
            is_over.wait()

    def take() -> None:
        for module, name in locks:
            assert getattr(module, name).acquire(timeout=1), (module, name)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    number = child(take)
    is_over.set()
    thread.join()
    assert ended(number) == 0


def test_what_a_child_drops_of_its_parents_is_left_alone(path: Path) -> None:
    async def main() -> None:
        async with AsyncDatabase(path) as db:
            transaction, result = db.transaction(), db.query("SELECT 1 UNION ALL SELECT 2")
            async with transaction:
                await transaction.execute("CREATE TABLE t (x)")
                await result.fetch_one()

                def drop() -> None:
                    with pytest.warns(ResourceWarning, match="dropped"):
                        transaction.__del__()
                    result.__del__()

                assert ended(child(drop)) == 0
            assert await result.fetch_all() == [(2,)]
            assert await db.fetch_value("SELECT count(*) FROM t") == 0

    asyncio.run(main())
