"""Readers on standbys, which see what was written, and primaries that fail, CORMORANT_FAILOVERS times."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from commit_client import Entry
from conftest import call, hosts
from cormorant import Database, DisconnectedError, Error

FAILOVERS = int(os.environ.get("CORMORANT_FAILOVERS", "1"))
CLIENT = Path(__file__).with_name("failover_client.py")

Start = Callable[..., str]


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[str, str]]:
    primary = call("start", "--while", str(os.getpid()))
    standby = call("standby", "--while", str(os.getpid()), primary)
    yield primary, standby
    call("stop", standby)
    call("stop", primary)


@pytest.fixture
def pair(both: tuple[str, str]) -> tuple[str, str]:
    """A primary and its standby, with nothing in them."""
    with Database(both[0]) as db:
        db.execute("DROP TABLE IF EXISTS entry")
    return both


def is_standby(db: Database) -> bool:
    """Whether what reads now is answered by a standby."""
    with db.read():
        return bool(db.query("SELECT pg_is_in_recovery()").fetch_all()[0][0])


def wait_for_standby(db: Database) -> None:
    """Until a standby answers: one that was behind for longer than it is waited for is left alone for a while."""
    deadline = time.monotonic() + 60
    while not is_standby(db):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_readers_see_what_was_written(pair: tuple[str, str]) -> None:
    # The order of the hosts says nothing. The standby is waited for, however busy this machine is.
    with Database(hosts(pair[1], pair[0], readers="standby", standby_wait=60_000)) as db:
        db.create_tables(Entry)
        assert is_standby(db)
        unseen: list[int] = []

        def write(first: int) -> None:
            for number in range(first, first + 100):
                db.insert(Entry(number, 0))
                if db.fetch_one(Entry, id=number) is None:
                    unseen.append(number)

        threads = [Thread(target=write, args=(1000 * number,)) for number in range(1, 4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not unseen
        with db.read():
            assert db.count(Entry) == 300
            assert db.query("SELECT pg_is_in_recovery()").fetch_all() == [(True,)]
        with db.transaction():
            assert db.query("SELECT pg_is_in_recovery()").fetch_all() == [(False,)]


def test_a_standby_that_is_behind_is_left_for_a_while(pair: tuple[str, str]) -> None:
    with Database(hosts(*pair, readers="standby", standby_wait=200)) as db, Database(pair[1]) as standby:
        db.create_tables(Entry)
        assert db.count(Entry) == 0
        wait_for_standby(db)
        standby.query("SELECT pg_wal_replay_pause()").fetch_all()
        db.insert(Entry(1, 0))
        began = time.monotonic()
        assert db.count(Entry) == 1
        assert 0.2 <= time.monotonic() - began < 5
        assert not is_standby(db)
        standby.query("SELECT pg_wal_replay_resume()").fetch_all()
        wait_for_standby(db)
        assert db.count(Entry) == 1


def test_a_standby_that_dies_is_left_and_found_again(pair: tuple[str, str]) -> None:
    with Database(hosts(*pair, readers="standby", standby_wait=200)) as db:
        db.create_tables(Entry)
        db.insert(Entry(1, 0))
        assert db.count(Entry) == 1
        wait_for_standby(db)
        call("crash", pair[1])
        db.insert(Entry(2, 0))
        # A call that finds its connection gone may be an error; the next is answered by the primary.
        for attempt in range(2):
            try:
                assert db.count(Entry) == 2
                break
            except DisconnectedError:
                assert attempt == 0
        assert db.count(Entry) == 2
        assert not is_standby(db)
        call("restart", pair[1])
        wait_for_standby(db)
        assert db.count(Entry) == 2


def test_without_a_standby_the_primary_answers(pair: tuple[str, str]) -> None:
    with Database(hosts(pair[0], readers="standby")) as db:
        db.create_tables(Entry)
        db.insert(Entry(1, 0))
        assert db.count(Entry) == 1
        assert not is_standby(db)


def test_standbys_alone_take_no_writes(pair: tuple[str, str]) -> None:
    with pytest.raises(DisconnectedError) as caught:
        Database(hosts(pair[1], readers="standby"))
    assert caught.value.hint == "none of the hosts takes writes: give the primary's, too"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("readers=all", "the URL's parameter readers is neither primary nor standby"),
        ("standby_wait=soon", "the URL's parameter standby_wait is no number of milliseconds from 0 up to a day"),
    ],
)
def test_other_values_are_refused(parameters: str, message: str) -> None:
    with pytest.raises(Error, match=message):
        Database(f"postgresql://nobody@localhost/none?{parameters}")


def received(url: str) -> int:
    with Database(url) as db:
        return db.query("SELECT (pg_last_wal_receive_lsn() - '0/0')::bigint").fetch_all()[0][0]


def wait_for_each_client(db: Database, clients: list[subprocess.Popen[str]], first: int) -> None:
    """Until each of two has committed 25 numbers more: whoever opens a Database as a server goes is refused."""
    each = (
        f"SELECT count(*) FILTER (WHERE id % 2 = 0), count(*) FILTER (WHERE id % 2 = 1) FROM entry WHERE id >= {first}"
    )
    before = db.query(each).fetch_all()[0]
    deadline = time.monotonic() + 60
    while any(now < then + 50 for then, now in zip(before, db.query(each).fetch_all()[0], strict=True)):
        assert all(client.poll() is None for client in clients), "a client has ended"
        assert time.monotonic() < deadline, "a client writes nothing to this server"
        time.sleep(0.05)


def start_client(url: str, first: int, told: Path) -> subprocess.Popen[str]:
    """told: a file, which takes what a pipe would take until it is full."""
    with told.open("w") as output:
        return subprocess.Popen([sys.executable, CLIENT, url, str(first), "2"], stdout=output, text=True)


def test_a_failover_loses_nothing_that_was_acknowledged(own_server: Start, own_standby: Start, tmp_path: Path) -> None:
    primary = own_server("--set", "wal_log_hints = on")
    standbys = [own_standby(primary), own_standby(primary)]
    with Database(primary) as db:
        db.create_tables(Entry)
        db.execute("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'")
        db.query("SELECT pg_reload_conf()").fetch_all()
    first = 1
    for number in range(FAILOVERS):
        # What a primary is given by ALTER SYSTEM is not copied to standbys that are there.
        url = hosts(primary, *standbys, readers="standby", connect_timeout=2)
        told = [tmp_path / f"client{index}" for index in range(2)]
        clients = [start_client(url, first + index, file) for index, file in enumerate(told)]
        with Database(primary) as db:
            wait_for_each_client(db, clients, first)
        call("crash", primary)
        furthest, other = sorted(standbys, key=received, reverse=True)
        call("promote", furthest)
        call("follow", other, furthest)
        with Database(furthest) as db:
            db.execute("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'")
            db.query("SELECT pg_reload_conf()").fetch_all()
            wait_for_each_client(db, clients, first)
        fates: dict[str, set[int]] = {"committed": set(), "unknown": set(), "rolled-back": set()}
        for client, file in zip(clients, told, strict=True):
            client.kill()
            client.wait()
            # A kill may cut the last line, between two pages of the file.
            for line in file.read_text().rpartition("\n")[0].splitlines():
                assert line.split()[0] in fates, line
                fates[line.split()[0]].add(int(line.split()[1]))
        with Database(furthest) as db:
            there = [entry.id for entry in db.fetch_all(Entry, order_by=("id", "half")) if entry.id >= first]
        assert there[::2] == there[1::2], "a transaction is there by half"
        assert fates["committed"] <= set(there), "what was acknowledged is lost"
        assert not fates["rolled-back"] & set(there), "what was told to be rolled back is there"
        assert fates["committed"], "nothing was committed"
        first = max(there) + 1000
        call("stop", primary)
        primary, standbys = furthest, [other]
        if number + 1 < FAILOVERS:
            standbys.append(own_standby(primary))
