"""Databases by name: opened once, held, closed when too many are open; names, and what is wrong with them."""

from __future__ import annotations

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
    DataError,
    OperationalError,
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


def test_a_name_leads_to_a_file_of_the_folder(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as users:
        with users.use("ida") as db:
            db.create_tables(Department)
            db.insert(Department("sales"))
        assert (tmp_path / "ida.db").exists()
        assert users.open_count == 1
        with users.use("ida") as db:
            assert db.count(Department) == 1
            assert db.last_insert_id == 1
        assert users.names() == ["ida"]
    assert open_files(tmp_path) == []


def test_a_registered_name_has_options_of_its_own(tmp_path: Path) -> None:
    Database(tmp_path / "archive.sqlite").close()
    with Registry(tmp_path / "{name}.db") as registry:
        registry.register("archive", tmp_path / "archive.sqlite", mode="read_only")
        registry.register("log", tmp_path / "log.sqlite")
        with registry.use("archive") as db, pytest.raises(OperationalError):
            db.create_tables(Department)
        with registry.use("log") as db:
            db.create_tables(Department)
        assert registry.names() == ["archive", "log"]


def test_current_and_default(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        with pytest.raises(ProgrammingError, match="none is current"):
            registry.use()
        registry.default = "main"
        assert (registry.default, registry.current) == ("main", "main")
        with registry.use() as db:
            assert db.path == str(tmp_path / "main.db")
        registry.current = "ida"
        assert (registry.default, registry.current) == ("main", "ida")
        with registry.use() as db:
            assert db.path == str(tmp_path / "ida.db")
        registry.current = None
        assert registry.current == "main"
        with pytest.raises(ProgrammingError):
            registry.current = "../main"
        assert registry.current == "main"


def test_an_unknown_name_is_told_with_the_nearest(tmp_path: Path) -> None:
    with Registry() as registry:
        for name in ("orders", "people", "places"):
            registry.register(name, tmp_path / f"{name}.db")
        with pytest.raises(ProgrammingError, match='no database is called "oders"') as caught:
            registry.use("oders")
        assert caught.value.hint == "did you mean orders?"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "x\ny", ".hidden", "x" * 5000, "x.db-wal", "\x7f"],
)
def test_a_name_that_no_file_may_have_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    with Registry(tmp_path / "in" / "{name}") as registry:
        with pytest.raises(ProgrammingError) as caught:
            registry.use(name)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300
    assert list(tmp_path.rglob("*")) == [tmp_path / "in"]


def test_nul_in_a_name_is_refused(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        with pytest.raises(DataError):
            registry.use("a\0b")
        with pytest.raises(DataError):
            registry.register("a\0b", tmp_path / "x.db")
        with pytest.raises(DataError):
            registry.use("\ud800")


@pytest.mark.parametrize("name", ["🦤", "國防科技大學", "con", "it's", 'a "b"', "{name}", "a b", "..x", "%s"])
def test_a_strange_name_is_a_name(tmp_path: Path, name: str) -> None:
    with Registry(tmp_path / "db-{name}.db") as registry:
        with registry.use(name) as db:
            db.create_tables(Department)
        assert registry.names() == [name]
    assert (tmp_path / f"db-{name}.db").exists()


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    Database(tmp_path / "secret.db").close()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.db").symlink_to(tmp_path / "secret.db")
    with Registry(tmp_path / "in" / "{name}.db") as registry:
        with pytest.raises(ProgrammingError, match="link"):
            registry.use("x")
        assert registry.names() == []


@pytest.mark.parametrize("pattern", ["users", "{name}/x.db", "{name}{name}", "", "{name}.d/x"])
def test_a_pattern_must_name_one_file(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(ProgrammingError):
        Registry(f"{tmp_path}/{pattern}" if pattern else pattern)


def test_a_file_has_one_name(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        registry.register("main", tmp_path / "ida.db")
        with pytest.raises(ProgrammingError, match='registered as "main"'):
            registry.register("other", tmp_path / ".." / tmp_path.name / "ida.db")
        with pytest.raises(ProgrammingError, match='registered as "main"'):
            registry.use("ida")
        with pytest.raises(ProgrammingError, match="already"):
            registry.register("main", tmp_path / "x.db")
        with pytest.raises(ProgrammingError, match="memory"):
            registry.register("memory", ":memory:")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with Registry(tmp_path / "none" / "{name}.db") as registry, pytest.raises(OperationalError) as caught:
        registry.use("ida")
    assert caught.value.code == "CORM_E_CANNOT_OPEN"
    with (
        Registry(tmp_path / "{name}.db", mode="read_write") as registry,
        pytest.raises(OperationalError) as caught,
    ):
        registry.use("ida")
    assert caught.value.code == "CORM_E_CANNOT_OPEN"
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_is_told() -> None:
    with Registry("/proc/{name}.db") as registry, pytest.raises(OperationalError) as caught:
        registry.use("ida")
    assert caught.value.code == "CORM_E_CANNOT_OPEN"


def test_the_one_used_longest_ago_is_closed(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db", limit=3) as registry:
        for name in ("a", "b", "c", "a", "d"):
            registry.use(name).close()
        assert registry.open_count == 3
        opened = {Path(file).name.removesuffix("-wal").removesuffix("-shm") for file in open_files(tmp_path)}
        assert opened == {"a.db", "c.db", "d.db"}


def test_one_that_is_held_is_never_closed(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db", limit=2) as registry:
        with registry.use("held") as held:
            held.create_tables(Department)
            with held.transaction():
                held.insert(Department("sales"))
                for number in range(20):
                    registry.use(f"u{number}").close()
                assert registry.open_count == 2
            assert held.count(Department) == 1
        with pytest.raises(ProgrammingError):
            held.count(Department)


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


def test_giving_back_rolls_back_what_was_begun(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        with registry.use("a") as outer:
            outer.create_tables(Department)
            with outer.transaction():
                outer.insert(Department("kept"))
                inner = registry.use("a")
                transaction = inner.transaction()
                transaction.__enter__()
                inner.insert(Department("lost"))
                assert outer.transaction_depth == 2
                inner.close()
                assert outer.transaction_depth == 1
            assert outer.count(Department) == 1
        with registry.use("a") as db:
            assert (db.transaction_depth, db.count(Department)) == (0, 1)


def test_a_database_is_given_back_once(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry, registry.use("a") as first:
        second = registry.use("a")
        second.close()
        second.close()
        # The other one's hold is its own.
        first.create_tables(Department)
        with pytest.raises(ProgrammingError, match="closed"):
            second.count(Department)


def test_settings_do_not_reach_the_next_user(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        with registry.use("a") as db:
            db.execute("CREATE TEMP TABLE mine (x)")
            assert registry.open_count == 1
        assert registry.open_count == 0
        with registry.use("a") as db, pytest.raises(ProgrammingError):
            db.execute("INSERT INTO mine VALUES (1)")


def test_a_file_that_was_removed_is_made_anew(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        with registry.use("a") as db:
            db.create_tables(Department)
        for file in tmp_path.glob("a.db*"):
            file.unlink()
        with registry.use("a") as db:
            assert not db.table_exists(Department)
        assert (tmp_path / "a.db").exists()


def test_close_file_lets_it_be_moved(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        held = registry.use("a")
        with pytest.raises(ProgrammingError, match='"a" is in use'):
            registry.close_file("a")
        held.close()
        registry.close_file("a")
        assert open_files(tmp_path) == []
        registry.close_file("a")


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
            db.execute("SELECT 1")
        gc.collect()
        with registry.use("a") as db:
            db.execute("SELECT 2")
        assert "SELECT 1" in seen
        assert "SELECT 2" not in seen


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
