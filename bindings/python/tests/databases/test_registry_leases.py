"""Databases of a registry: opened once, held, given back, closed when too many are open."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from models import Department

from cormorant import (
    BusyError,
    Cipher,
    Database,
    Error,
    ProgrammingError,
    Registry,
    WrongKeyError,
)


def open_files(folder: Path) -> list[str]:
    """What this process has open there."""
    found: list[str] = []
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue
        if target.startswith(str(folder)):
            found.append(target)
    return found


def test_the_one_used_longest_ago_is_closed(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db", limit=3) as registry:
        for name in ("a", "b", "c", "a", "d"):
            registry.use(name).close()
        assert registry.open_count == 3
        opened = {Path(file).name.removesuffix("-wal").removesuffix("-shm") for file in open_files(tmp_path)}
        assert opened == {"a.db", "c.db", "d.db"}


def test_all_held_gives_a_clear_error_after_the_timeout(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db", limit=1, busy_timeout=0.2) as registry, registry.use("a"):
        begin = time.monotonic()
        with pytest.raises(BusyError, match="all 1 databases"):
            registry.use("b")
        assert 0.15 < time.monotonic() - begin < 5
        # What is open already needs no room.
        registry.use("a").close()


def test_threads_wait_for_room(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db", limit=1, busy_timeout=30) as registry:

        def work(number: int) -> None:
            for turn in range(20):
                with registry.use(f"u{(number + turn) % 5}") as db:
                    db.create_tables(Department)
                    db.insert(Department(f"{number}.{turn}"))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        total = 0
        for name in registry.names():
            with registry.use(name) as db:
                total += db.count(Department)
        assert total == 160
        assert registry.open_count == 1


def test_two_threads_open_a_file_once(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db", cipher=Cipher("a passphrase, which takes a while")) as registry:
        barrier = threading.Barrier(6)

        def use(_: int) -> int:
            barrier.wait()
            with registry.use("ida") as db:
                db.execute("CREATE TABLE IF NOT EXISTS t (x)")
                barrier.wait()
                return registry.open_count

        with ThreadPoolExecutor(6) as pool:
            assert set(pool.map(use, range(6))) == {1}
        # The file, its log, its index, and readers: not six of them.
        writers = [file for file in open_files(tmp_path) if file.endswith("ida.db")]
        assert 1 <= len(writers) <= 5


def test_a_database_is_given_back_once(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry, registry.use("a") as first:
        second = registry.use("a")
        second.close()
        second.close()
        # The other one's hold is its own.
        first.create_tables(Department)
        with pytest.raises(ProgrammingError, match="closed"):
            second.count(Department)


def test_a_file_that_was_removed_is_made_anew(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        with registry.use("a") as db:
            db.create_tables(Department)
        for file in tmp_path.glob("a.db*"):
            file.unlink()
        with registry.use("a") as db:
            assert not db.table_exists(Department)
        assert (tmp_path / "a.db").exists()


def test_a_registry_with_held_databases_is_not_closed(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "{name}.db")
    held = [registry.use("a"), registry.use("b")]
    registry.use("c").close()
    with pytest.raises(ProgrammingError, match='"a", "b" are in use'):
        registry.close()
    held[0].create_tables(Department)

    def give_back() -> None:
        for database in held:
            database.close()

    threading.Timer(0.1, give_back).start()
    registry.close()
    registry.close()
    with pytest.raises(ProgrammingError, match="closed"):
        registry.use("a")


def test_what_was_not_closed_warns(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "{name}.db")
    database = registry.use("a")
    with pytest.warns(ResourceWarning, match="unclosed <Database"):
        del database
        gc.collect()
    assert registry.open_count == 1
    with pytest.warns(ResourceWarning, match="unclosed <Registry"):
        del registry
        gc.collect()
    assert open_files(tmp_path) == []


def test_a_wrong_key_of_one_leaves_the_others(tmp_path: Path) -> None:
    keys = {"a": "one", "b": "two"}
    asked: list[str] = []

    def key(path: str) -> str:
        name = Path(path).stem
        asked.append(name)
        return keys[name]

    with Registry(tmp_path / "{name}.db", cipher=Cipher(key)) as registry:
        for name in keys:
            with registry.use(name) as db:
                db.create_tables(Department)
    keys["b"] = "wrong"
    with Registry(tmp_path / "{name}.db", cipher=Cipher(key)) as registry:
        with pytest.raises(WrongKeyError):
            registry.use("b")
        with registry.use("a") as db:
            assert db.count(Department) == 0
        with pytest.raises(KeyError):
            registry.use("c")
        assert registry.open_count == 1
    assert asked == ["a", "b", "b", "a", "c"]


def test_a_trace_ends_with_the_hold(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        seen: list[str] = []
        with registry.use("a") as db:
            db.set_trace(lambda sql, _: seen.append(sql))
            db.execute("CREATE TABLE one (a)")
        gc.collect()
        with registry.use("a") as db:
            db.execute("CREATE TABLE two (a)")
        assert "CREATE TABLE one (a)" in seen
        assert "CREATE TABLE two (a)" not in seen


def test_ten_thousand_files_with_64_open(tmp_path: Path) -> None:
    count = 10_000
    with Registry(synchronous="off", journal_mode="delete") as registry:
        for number in range(count):
            registry.register(f"user {number}", tmp_path / f"{number}.db")
        for number in range(0, count, 3):
            with registry.use(f"user {number}") as db:
                db.execute("CREATE TABLE t (x)")
            if number % 999 == 0:
                assert len(open_files(tmp_path)) <= 64
        assert registry.open_count == 64
        assert len(open_files(tmp_path)) <= 64
        assert len(registry.names()) == count
        with pytest.raises(ProgrammingError) as caught:
            registry.use("user 10000")
        assert "did you mean user 1000" in str(caught.value.hint)


def test_a_child_opens_its_own(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        registry.use("a").close()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with Registry(tmp_path / "{name}.db") as own:
                    own.use("a").close()
                try:
                    registry.use("a")
                except ProgrammingError as error:
                    status = 0 if "forked" in str(error) else 2
                registry.close()
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        with registry.use("a") as db:
            db.create_tables(Department)


def test_a_queue_is_emptied_before_its_file_is_closed(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db", limit=1) as registry:
        with registry.use("a") as db:
            db.execute_script("CREATE TABLE t (x)")
            queue = db.queue()
            writes = [queue.add(lambda db: db.execute("INSERT INTO t VALUES (1)")) for _ in range(50)]
        with registry.use("b"):
            assert registry.open_count == 1
        assert all(write.done() for write in writes)
        with pytest.raises(ProgrammingError, match="queue is closed"):
            queue.add(lambda _: None)
        with registry.use("a") as db:
            assert db.query("SELECT count(*) FROM t").fetch_one() == (50,)


def test_who_takes_it_meanwhile_writes_in_the_transaction(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry, registry.use("a") as db:
        db.create_tables(Department)
        lost, kept = Department("lost"), Department("kept")
        with contextlib.suppress(ValueError), db.transaction():
            with registry.use("a") as other:
                other.insert(lost)
                inner = other.transaction()
                inner.__enter__()
            assert lost.id == 1
            raise ValueError
        assert lost.id is None
        with contextlib.suppress(ValueError), registry.use("a") as other:
            left = other.transaction()
            left.__enter__()
            other.insert(lost)
            raise ValueError
        db.insert(kept)
        with contextlib.suppress(Error):
            left.rollback()
        assert (lost.id, kept.id) == (None, 1)
        assert db.fetch_all(Department) == [kept]


def test_what_giving_it_back_rolls_back_has_no_key_again(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry, registry.use("a") as db:
        db.create_tables(Department)
        lost, kept = Department("lost"), Department("kept")
        with db.transaction():
            with registry.use("a") as other:
                left = other.transaction()
                left.__enter__()
                other.insert(lost)
            assert [lost.id] == [None]
            db.insert(kept)
        db.insert(lost)
        with pytest.raises(Error):
            left.rollback()
        assert (kept.id, lost.id) == (1, 2)


def test_one_that_is_given_back_in_another_transaction(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry, registry.use("a") as db:
        db.create_tables(Department)
        taken: list[Database] = []

        def take() -> None:
            with db.transaction():
                taken.append(registry.use("a"))

        take()
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
        for other in taken:
            lost = Department("lost")
            transaction = db.transaction()
            with transaction:
                other.close()
                db.insert(lost)
                transaction.rollback()
            assert lost.id is None
        assert not db._innermost
