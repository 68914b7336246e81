"""How often a client waits for the server: counted by a proxy, through which each way takes a millisecond."""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from cormorant import Column, Database, Model, column, to_many


class Plain(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    name: Column[str]


class Rich(Model):
    """With all that the database makes."""

    id: Column[int | None] = column(primary_key=True, init=False)
    name: Column[str] = column(unique=True)
    size: Column[int | None] = column(default_sql="7", default=None)
    twice: Column[int | None] = column(computed="size * 2", init=False)
    version: Column[int] = column(version=True, default=0)
    created: Column[datetime | None] = column(stamp="created", default=None)
    updated: Column[datetime | None] = column(stamp="updated", default=None)


class Owner(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    name: Column[str]
    parts = to_many(lambda: Part)


class Part(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    owner_id: Column[int | None] = column(references=Owner, default=None)
    name: Column[str] = column(default="")


COUNT = 1_000
# One way.
DELAY = 0.001


class Proxy:
    """Listens in front of the server, and counts what a client sends and then waits for: the messages Query, Sync and
    Flush, and the end of a COPY.
    """

    def __init__(self, url: str, folder: Path) -> None:
        user, rest = url.split("@")
        host, database = rest.split("/")
        self._target = f"{unquote(host)}/.s.PGSQL.5432"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{folder}/.s.PGSQL.5432")
        self._listener.listen()
        self.url = f"{user}@{quote(str(folder), safe='')}/{database}"
        self.trips = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client = self._listener.accept()[0]
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._target)
            for source, target, is_client in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pass, args=(source, target, is_client), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_client: bool) -> None:
        # What begins the session has no letter before its length.
        left, begun = b"", False
        try:
            while data := source.recv(1 << 20):
                if is_client:
                    left += data
                    while len(left) >= 5:
                        start = 1 if begun else 0
                        size = start + int.from_bytes(left[start : start + 4], "big")
                        if len(left) < size:
                            break
                        if not begun:
                            # A request for encryption is answered by a letter, and comes again without.
                            begun = size != 8
                        elif left[:1] in b"QSHc":
                            self.trips += 1
                        left = left[size:]
                time.sleep(DELAY)
                target.sendall(data)
        except OSError:
            pass
        target.close()

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def proxy(url: str) -> Iterator[Proxy]:
    # The path of a socket has at most 107 bytes.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        made = Proxy(url, Path(folder))
        yield made
        made.close()


def rich() -> list[Rich]:
    return [Rich(f"rich {number}") for number in range(COUNT)]


def insert(db: Database) -> None:
    records = [Plain(f"plain {number}") for number in range(COUNT)]
    assert db.insert_many(records) == COUNT
    assert [record.id for record in records] == list(range(1, COUNT + 1))


def insert_rich(db: Database) -> None:
    records = rich()
    db.insert_many(records)
    assert all((r.size, r.twice, r.version) == (7, 14, 1) and r.id and r.created and r.updated for r in records)


def save(db: Database) -> None:
    records = rich()
    db.save_many(records)
    assert all(record.version == 1 for record in records)


def change(db: Database) -> None:
    records = db.fetch_all(Rich)
    assert len(records) == COUNT
    for record in records:
        record.size = 8
    db.update_many(records)
    assert all((record.twice, record.version) == (16, 2) for record in records)


def delete(db: Database) -> None:
    assert db.delete_many(db.fetch_all(Rich)) == COUNT


def upsert(db: Database) -> None:
    records = rich()
    db.upsert_many(records, on=Rich.name)
    assert all(record.id for record in records)


def get_or_create(db: Database) -> None:
    records = rich()
    there = db.count(Rich)
    assert db.get_or_create_many(records, on=Rich.name) == COUNT - there
    assert all((record.id or 0) > 0 and record.twice == 14 for record in records)
    assert db.count(Rich) == COUNT


def put(db: Database) -> None:
    store = db.store("s")
    store.put_many({f"key {number}": number for number in range(COUNT)})
    assert store.get("key 999") == 999


def bring(db: Database) -> None:
    text = "[" + ",".join(f'{{"name":"json {number}"}}' for number in range(COUNT)) + "]"
    assert db.import_json(Plain, text) == COUNT


def graph(db: Database) -> None:
    owner = Owner("all")
    owner.parts = [Part(name=f"part {number}") for number in range(COUNT)]
    db.save_graph(owner)
    assert all(part.owner_id == owner.id for part in owner.parts)


def few(db: Database) -> None:
    """What the first of such calls asks and makes once: a store's table, prepared statements."""
    db.store("s").put_many({"a": 1, "b": 2})
    db.import_json(Plain, '[{"name":"a"},{"name":"b"}]')
    owner = Owner("few")
    owner.parts = [Part(name="a"), Part(name="b")]
    db.save_graph(owner)


STEPS = {
    "insert": [insert],
    "insert_rich": [insert_rich],
    "save": [save],
    "update": [insert_rich, change],
    "delete": [insert_rich, delete],
    "upsert": [upsert],
    "upsert_there": [insert_rich, upsert],
    "get_or_create": [get_or_create],
    "get_or_create_there": [insert_rich, get_or_create],
    "put": [put],
    "bring": [bring],
    "graph": [graph],
}


@pytest.mark.parametrize("name", STEPS)
def test_a_thousand_records_take_ten_round_trips_at_most(url: str, proxy: Proxy, name: str) -> None:
    *before, step = STEPS[name]
    with Database(url) as db:
        db.create_tables(Plain, Rich, Owner, Part)
        for other in before:
            other(db)
    with Database(proxy.url) as db:
        # What a step reads first is apart.
        db.fetch_all(Rich)
        if step in (put, bring, graph):
            few(db)
        first, begin = proxy.trips, time.monotonic()
        step(db)
        trips, seconds = proxy.trips - first, time.monotonic() - begin
    print(f"{name}: {trips} round trips, {1000 * seconds:.0f} ms")
    # That of fetching the records.
    assert trips - (name in ("update", "delete")) <= 10


def test_keys_that_are_given_come_among_those_that_are_made(url: str) -> None:
    with Database(url) as db:
        db.create_tables(Plain)
        records = [Plain(f"{number}") for number in range(6)]
        records[1].id, records[4].id = 3, 1000
        db.insert_many(records)
        assert [record.id for record in records] == [1, 3, 4, 5, 1000, 1001]
        one = Plain("more")
        db.insert(one)
        assert one.id == 1002
        db.save_many(more := [Plain("a"), Plain("b")])
        assert [record.id for record in more] == [1003, 1004]
