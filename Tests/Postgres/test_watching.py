"""Being told of what is committed to a server: by its outbox, which is polled, and by NOTIFY; through a pooler, too."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import URL, call, launch_pooler, soak, socket_folder, stop_pooler, with_database
from cormorant import Column, Database, Error, Model, Region, column


class Artist(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    name: Column[str] = column()
    fame: Column[int | None] = column(default=None)


def opened(url: str, poll: int = 30, **more: str) -> Database:
    options = "".join(f"&{name}={value}" for name, value in more.items())
    return Database(f"{url}?outbox=install&poll={poll}{options}")


def events(observer: Any, count: int = 1, seconds: float = 10) -> list[Any]:
    """So many events, and no more that wait."""
    found = []
    end = time.monotonic() + seconds
    while len(found) < count and (event := observer.next(max(0, end - time.monotonic()))) is not None:
        found.append(event)
    assert len(found) == count, found
    time.sleep(0.15)
    assert observer.next(0) is None
    return found


def kinds(event: Any) -> list[tuple[str, Any]]:
    return [(change.kind, change.key) for change in event.changes]


def psql(url: str, sql: str) -> None:
    program = shutil.which("psql")
    if program is None:
        pytest.skip("no psql is installed")
    subprocess.run([program, "-q", "-v", "ON_ERROR_STOP=1", url, "-c", sql], check=True)


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    with opened(url) as database:
        database.create_tables(Artist)
        yield database


@pytest.fixture
def pooled(pooler: str) -> Iterator[str]:
    """A pgbouncer's URL, with nothing in the database."""
    with Database(URL) as server:
        server.execute_script("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    yield pooler
    with Database(URL) as server:
        server.execute_script("DROP SCHEMA public CASCADE; CREATE SCHEMA public")


def test_a_table_made_anew_is_watched_by_those_before_and_after(url: str) -> None:
    with opened(url, poll=3_600_000) as db, Database(url) as other:
        db.create_tables(Artist)
        with db.observe(Artist) as before:
            other.execute_script("DROP TABLE artist")
            other.create_tables(Artist)
            with db.observe(Artist) as after:
                db.insert(Artist("Ada"))
                assert before.next(10) is not None
                assert after.next(10) is not None
                while before.next(0) or after.next(0):
                    pass
                db.insert(Artist("Bob"))
                assert [kinds(one.next(10)) for one in (before, after)] == [[("insert", (2,))]] * 2


def test_own_commits_are_told_before_the_call_returns(url: str) -> None:
    with opened(url, poll=3_600_000) as db:
        db.create_tables(Artist)
        seen: list[Any] = []
        with db.observe(Artist, callback=seen.append), db.observe_live(Artist, order_by="id") as live:
            assert live.next(0).rows == []
            db.insert(Artist("Ada"))
            assert [kinds(event) for event in seen] == [[("insert", (1,))]]
            assert [artist.name for artist in live.next(0).rows] == ["Ada"]
            db.insert_many([Artist(f"a{number}") for number in range(1000)])
            assert sorted(kinds(seen[-1])) == [("insert", (number,)) for number in range(2, 1002)]
            assert len(live.next(0).rows) == 1001
            # More than that in one statement is told as a whole.
            db.insert_many([Artist(f"b{number}") for number in range(3000)])
            assert kinds(seen[-1]) == [("unknown", ())]
            assert len(live.next(0).rows) == 4001
            db.execute("UPDATE artist SET fame = 1")
            assert kinds(seen[-1]) == [("unknown", ())]
            assert all(artist.fame == 1 for artist in live.next(0).rows)
            assert not any(event.is_foreign for event in seen)


def test_own_changes_of_a_table_are_told_before_the_call_returns(url: str) -> None:
    """Not by who looks into the outbox meanwhile."""
    with opened(url, poll=10) as db:
        db.create_tables(Artist)
        with db.observe(Artist, callback=lambda event: time.sleep(0.05)), db.observe(Artist) as observer:
            for change in ("ADD COLUMN extra text", "DROP COLUMN extra") * 5:
                db.execute_script(f"ALTER TABLE artist {change}; SELECT pg_sleep(0.05)")
                event = observer.next(0)
                assert event is not None
                assert (event.is_foreign, [kind for kind, _ in kinds(event)]) == (False, ["unknown"])


def test_own_and_foreign_commits_are_told_apart_through_a_pooler(pooled: str) -> None:
    with opened(pooled, prepare="never") as db, Database(f"{pooled}?prepare=never") as other:
        db.create_tables(Artist)
        with db.observe(Artist) as observer, db.observe(lambda db: db.count(Artist)) as count:
            assert count.next(0) == 0
            for number in range(10):
                db.insert(Artist(f"own {number}"))
                other.insert(Artist(f"other {number}"))
                with db.transaction():
                    db.execute("UPDATE artist SET fame = coalesce(fame, 0) + 1 WHERE name = ?", [f"other {number}"])
            found = []
            while len(found) < 30:
                event = observer.next(10)
                assert event is not None, [(one.is_foreign, kinds(one)) for one in found]
                found.append(event)
            assert observer.next(0.2) is None
            assert sum(event.is_foreign for event in found) == 10
            foreign = {change.key for event in found if event.is_foreign for change in event.changes}
            assert len(foreign) == 10
            value = 0
            while value < 20:
                value = count.next(10)
                assert value is not None


@pytest.mark.parametrize("more", [{}, {"notify": "on"}], ids=["polled", "notified"])
def test_what_other_programs_write_is_told(url: str, more: dict[str, str]) -> None:
    with opened(url, poll=50 if not more else 3_600_000, **more) as db:
        db.create_tables(Artist)
        with db.observe(Artist, values=True) as observer:
            psql(url, "INSERT INTO artist (name, fame) VALUES ('Ada', 1), ('Bob', 2)")
            (event,) = events(observer)
            assert event.is_foreign
            assert [change.new.name for change in event.changes] == ["Ada", "Bob"]
            psql(url, "BEGIN; UPDATE artist SET fame = 9; DELETE FROM artist WHERE name = 'Bob'; COMMIT")
            (event,) = events(observer)
            assert [(change.kind, change.key, change.old.fame) for change in event.changes] == [
                ("update", (1,), 1),
                ("delete", (2,), 2),
            ]
            psql(url, "COPY artist (name, fame) FROM PROGRAM 'echo Cid,3' WITH (FORMAT csv)")
            assert kinds(events(observer)[0]) == [("insert", (3,))]
            psql(url, "TRUNCATE artist")
            assert kinds(events(observer)[0]) == [("unknown", ())]
            psql(url, "UPDATE artist SET fame = fame; BEGIN; INSERT INTO artist (name) VALUES ('x'); ROLLBACK")
            assert observer.next(0.3) is None


def test_transactions_that_are_held_open_are_never_missed(db: Database, url: str) -> None:
    """A later transaction commits, and is told, before an earlier one, whose notes have smaller numbers."""
    with Database(url) as early, Database(url) as late, db.observe(Artist) as observer:
        early.execute_script("BEGIN")
        early.execute("INSERT INTO artist (name) VALUES ('early')")
        for number in range(5):
            late.execute("INSERT INTO artist (name) VALUES (?)", [f"late {number}"])
        told = [key for event in events(observer, 5) for _, key in kinds(event)]
        assert told == [(2,), (3,), (4,), (5,), (6,)]
        early.execute_script("COMMIT")
        assert kinds(events(observer)[0]) == [("insert", (1,))]


def test_no_row_is_missed_or_told_twice_among_many_writers(db: Database, url: str) -> None:
    seen: list[Any] = []

    def write(number: int) -> None:
        with Database(url) as own:
            for turn in range(40):
                own.execute_script("BEGIN")
                own.execute("INSERT INTO artist (name) VALUES (?)", [f"{number} {turn}"])
                if turn % 5 == 0:
                    time.sleep(0.01)
                own.execute_script("ROLLBACK") if turn % 7 == 3 else own.execute_script("COMMIT")

    with db.observe(Artist, callback=seen.append):
        threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        there = {row[0] for row in db.query("SELECT id FROM artist").fetch_all()}
        end = time.monotonic() + 10
        while sum(len(event.changes) for event in seen) < len(there) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.2)
    told = [change.key[0] for event in seen for change in event.changes]
    assert sorted(told) == sorted(there)


def test_several_writers_of_one_database_are_told_as_its_own(url: str) -> None:
    with opened(url, poll=3_600_000) as db:
        db.create_tables(Artist)
        seen: list[Any] = []

        def add(db: Database, name: str) -> None:
            db.insert(Artist(name))

        def write(number: int) -> None:
            for turn in range(30):
                db.transact(add, f"{number} {turn}")
                if turn % 10 == 0:
                    with db.observe(Artist), db.observe(lambda db: db.count(Artist)) as count:
                        assert count.next(0) > 0

        with db.observe(Artist, callback=seen.append):
            threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert sorted(change.key[0] for event in seen for change in event.changes) == sorted(
            row[0] for row in db.query("SELECT id FROM artist").fetch_all()
        )
        assert sum(len(event.changes) for event in seen) == 120
        assert not any(event.is_foreign for event in seen)


def test_a_server_that_was_killed_is_watched_again(own_server: Callable[..., str]) -> None:
    server = own_server()
    with opened(server) as db:
        db.create_tables(Artist)
        with db.observe(Artist) as observer, db.observe_live(Artist) as live:
            assert live.next(0).rows == []
            db.insert(Artist("before"))
            assert kinds(events(observer)[0]) == [("insert", (1,))]
            live.next(0)
            call("crash", server)
            time.sleep(0.2)
            assert observer.next(0) is None
            call("restart", server)
            psql(server, "INSERT INTO artist (name) VALUES ('meanwhile')")
            assert [change.kind for change in events(observer)[0].changes] == ["insert"]
            result = live.next(10)
            assert result is not None
            assert [artist.name for artist in result.rows] == ["before", "meanwhile"]


@soak
@pytest.mark.parametrize(
    ("mode", "options"),
    [("transaction", {"prepare": "never"}), ("session", {"notify": "on"})],
    ids=["by polling", "by NOTIFY"],
)
def test_a_watch_through_a_pooler_goes_on_after_restarts(
    own_server: Callable[..., str], own_pooler: Callable[..., str], mode: str, options: dict[str, str]
) -> None:
    server = own_server()
    url = own_pooler(server, mode)
    folder = Path(socket_folder(url).split(":")[0])
    with opened(url, **options) as db:
        db.create_tables(Artist)
        with db.observe(Artist) as observer, db.observe_live(Artist, order_by="id") as live:
            live.next(0)
            names = []
            for what in ("nothing", "the server", "the pooler", "both"):
                if what in ("the server", "both"):
                    call("crash", server)
                if what in ("the pooler", "both"):
                    stop_pooler(folder)
                time.sleep(0.1)
                if what in ("the server", "both"):
                    call("restart", server)
                # Before the pooler is back: what was committed meanwhile is told then.
                psql(server, f"INSERT INTO artist (name) VALUES ('{what}')")
                if what in ("the pooler", "both"):
                    launch_pooler(folder)
                names.append(what)
                (event,) = events(observer, seconds=30)
                assert event.is_foreign and [change.kind for change in event.changes] == ["insert"], what
                result = live.next(30)
                assert result is not None, what
                assert [artist.name for artist in result.rows] == names


def test_connections_that_are_ended_are_opened_anew(url: str) -> None:
    with opened(url, notify="on") as db:
        db.create_tables(Artist)
        with db.observe(Artist) as observer:
            for number in range(3):
                psql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
                psql(url, f"INSERT INTO artist (name) VALUES ('n{number}')")
                assert [change.kind for change in events(observer)[0].changes] == ["insert"]


def test_a_reader_behind_what_was_pruned_is_told_that_all_may_have_changed(db: Database, url: str) -> None:
    with db.observe(Artist) as observer:
        db.execute_script("BEGIN")
        psql(url, "INSERT INTO artist (name) VALUES ('old'); UPDATE corm_change SET at = at - interval '2 hours'")
        psql(url, "SELECT corm_change_prune()")
        with Database(url) as other:
            assert other.query("SELECT count(*) FROM corm_change WHERE id > 0").fetch_all() == [(0,)]
        db.execute_script("ROLLBACK")
        assert kinds(events(observer)[0]) == [("unknown", ())]
        psql(url, "INSERT INTO artist (name) VALUES ('new')")
        assert [change.kind for change in events(observer)[0].changes] == ["insert"]


def test_what_is_young_or_may_be_missed_is_not_pruned(db: Database, url: str) -> None:
    with db.observe(Artist), Database(url) as other, Database(url) as held:
        other.execute("INSERT INTO artist (name) VALUES ('young')")
        assert other.query("SELECT corm_change_prune()").fetch_all() == [(0,)]
        held.execute_script("BEGIN")
        held.execute("INSERT INTO artist (name) VALUES ('held')")
        other.execute("INSERT INTO artist (name) VALUES ('later')")
        other.execute("UPDATE corm_change SET at = at - interval '2 hours'")
        assert other.query("SELECT corm_change_prune()").fetch_all() == [(1,)]
        held.execute_script("ROLLBACK")
        assert other.query("SELECT corm_change_prune()").fetch_all() == [(1,)]


def test_whoever_begins_to_watch_prunes_what_is_old(db: Database, url: str) -> None:
    with db.observe(Artist):
        db.insert(Artist("old"))
        db.execute("UPDATE corm_change SET at = at - interval '2 hours'")
    with opened(url, poll=3_600_000) as other, other.observe(Artist) as observer:
        other.insert(Artist("young"))
        assert [event.changes[0].kind for event in events(observer)] == ["insert"]
        assert other.query("SELECT changes -> 0 -> 'n' ->> 'id' FROM corm_change WHERE id > 0").fetch_all() == [("2",)]


def test_more_notes_than_are_kept_are_pruned_however_young(db: Database, url: str) -> None:
    with db.observe(Artist) as observer, Database(url) as other:
        db.execute_script("BEGIN")
        psql(url, "INSERT INTO artist (name) VALUES ('first'); INSERT INTO artist (name) VALUES ('second')")
        # As if a million had been noted since.
        psql(url, "SELECT setval('corm_change_id_seq', 1000001); INSERT INTO artist (name) VALUES ('newest')")
        assert other.query("SELECT corm_change_prune()").fetch_all() == [(2,)]
        assert other.query("SELECT id FROM corm_change WHERE id > 0").fetch_all() == [(1_000_002,)]
        db.execute_script("ROLLBACK")
        assert kinds(events(observer)[0]) == [("unknown", ())]


def test_names_with_quotes_and_in_other_schemas(url: str) -> None:
    with opened(url) as db:
        db.execute_script(
            'CREATE SCHEMA "o\'ne ""two"""; CREATE TABLE "o\'ne ""two"""."it\'s ""a"" $corm$" '
            '("k\'ey" text, "the ""x""" bytea, PRIMARY KEY ("k\'ey"));'
            'CREATE TABLE "it\'s ""b""" ("k\'ey, 2" integer, "K" timestamptz, n numeric, PRIMARY KEY ("K", "k\'ey, 2"))'
        )
        name = '"o\'ne ""two"""."it\'s ""a"" $corm$"'
        with (
            db.observe_live(None, f"SELECT * FROM {name}") as live,
            db.observe(f"SELECT 1 FROM {name}") as rows,
            db.observe(Region('it\'s "b"', "n"), values=True) as other,
        ):
            live.next(0)
            psql(url, f"INSERT INTO {name} VALUES ('a''b', '\\x00ff')")
            assert kinds(events(rows)[0]) == [("insert", ("a'b",))]
            assert live.next(10).rows == [("a'b", b"\x00\xff")]
            psql(url, 'INSERT INTO "it\'s ""b""" VALUES (7, \'2026-11-24 12:00:00.5+02\', 1.50)')
            (event,) = events(other)
            assert kinds(event) == [("insert", ("2026-11-24 10:00:00.500000", 7))]
            assert event.changes[0].new == (7, "2026-11-24 10:00:00.500000", "1.50")


def test_nothing_is_made_unasked(url: str) -> None:
    with Database(url) as db:
        db.create_tables(Artist)
        with pytest.raises(Error) as caught:
            db.observe(Artist)
        assert caught.value.code == "CORM_E_SCHEMA"
        assert "outbox=install" in str(caught.value.hint)
        assert db.query("SELECT count(*) FROM pg_trigger").fetch_all() == [(0,)]
        with opened(url) as maker:
            maker.execute_script("BEGIN")
            with pytest.raises(Error) as caught:
                maker.observe(Artist)
            assert caught.value.code == "CORM_E_TRANSACTION"
            maker.execute_script("ROLLBACK")
            maker.observe(Artist).cancel()
        with db.observe(Artist) as observer:
            db.insert(Artist("Ada"))
            assert kinds(events(observer)[0]) == [("insert", (1,))]
        with pytest.raises(Error) as caught:
            db.observe(Artist, values=True)
        assert "whole rows" in caught.value.message


def test_a_table_that_is_made_anew_without_triggers_is_an_error_of_its_watch(db: Database, url: str) -> None:
    with Database(f"{url}?poll=30") as reader, db.observe(Artist) as own, reader.observe(Artist) as observer:
        psql(url, "DROP TABLE artist; CREATE TABLE artist (id bigint PRIMARY KEY, name text, fame bigint)")
        deadline = time.monotonic() + 10
        # The one that may make triggers has made them again, or the other is told that there are none.
        while own.next(0.1) is None:
            assert time.monotonic() < deadline
        psql(url, "INSERT INTO artist VALUES (1, 'new', 1)")
        found = []
        while not any(kind == "insert" for kind, _ in found):
            event = own.next(10)
            assert event is not None
            found += kinds(event)
        told: list[str] = []
        while "insert" not in told:
            try:
                event = observer.next(5)
            except Error as error:
                assert "no triggers" in error.message
                break
            assert event is not None, told
            told += [kind for kind, _ in kinds(event)]


def test_bounds_of_the_options(url: str) -> None:
    for wrong in ("poll=5", "poll=x", "outbox=yes", "notify=1", "notify=on&prepare=never"):
        with pytest.raises(Error) as caught:
            Database(f"{url}?{wrong}")
        assert caught.value.code == "CORM_E_MISUSE", wrong
        assert caught.value.hint


def test_loops_of_tasks_are_told(db: Database, url: str) -> None:
    async def follow() -> list[Any]:
        found: list[Any] = []
        with db.observe_live(None, "SELECT count(*) FROM artist") as counts:
            async for event in counts:
                found.append(event.rows[0][0])
                if found[-1] == 3:
                    return found
                await asyncio.to_thread(psql, url, "INSERT INTO artist (name) VALUES ('x')")
        return found

    assert asyncio.run(asyncio.wait_for(follow(), 20)) == [0, 1, 2, 3]


def test_many_records_are_still_copied(db: Database) -> None:
    ran: list[str] = []
    with db.observe(Artist) as observer:
        db.set_trace(lambda sql, _: ran.append(sql))
        db.insert_many([Artist(f"a{number}") for number in range(10)])
        db.set_trace(None)
        assert any(sql.startswith("COPY") for sql in ran), ran
        assert [kind for kind, _ in kinds(events(observer)[0])] == ["insert"] * 10
    assert with_database(URL, "x")


@pytest.mark.parametrize("more", [{}, {"notify": "on"}])
def test_what_others_write_into_a_store_is_told(url: str, more: dict[str, str]) -> None:
    with opened(url, **more) as db, Database(url) as other:
        store, others = db.store("settings"), other.store("settings")
        store.put("mine", 1)
        with db.observe(Region("corm_key_value")) as observer:
            others.put("theirs", "a")
            event = events(observer)[0]
            assert event.is_foreign and kinds(event) == [("insert", ("settings", "theirs"))]
            others.put_many({"theirs": "b", "more": None})
            event = events(observer)[0]
            assert sorted(kinds(event)) == [("insert", ("settings", "more")), ("update", ("settings", "theirs"))]
            assert store.get("theirs") == "b"
            others.delete("more")
            assert kinds(events(observer)[0]) == [("delete", ("settings", "more"))]


def test_the_outbox_is_pruned_by_whoever_asks_when_nobody_watches(url: str) -> None:
    with opened(url) as db:
        db.create_tables(Artist)
        db.observe(Artist).cancel()
        db.insert(Artist("Ada"))
        db.execute("UPDATE corm_change SET at = at - interval '2 hours' WHERE id > 0")
    with Database(url) as other:
        assert other.query("SELECT corm_change_prune()").fetch_all() == [(1,)]
        other.execute_script("DROP TABLE corm_change; DROP FUNCTION corm_change_note CASCADE")
        other.insert(Artist("Bob"))
        assert other.count(Artist) == 2


def test_records_that_are_inserted_one_and_many_are_noted_row_by_row(db: Database) -> None:
    with db.observe(Artist) as observer:
        db.insert(Artist("first"))
        db.insert_many([Artist(f"n{number}") for number in range(999)])
        found = [change.kind for event in events(observer, 2) for change in event.changes]
        assert found == ["insert"] * 1000


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("numeric", "1.0", "1.00"),
        ("double precision", "0", "-0"),
        ("double precision", "0.3", "0.30000000000000004"),
        ("json", '{"a": 1, "b": 2}', '{"b":2,"a":1}'),
    ],
)
def test_what_changes_into_its_equal_is_told(url: str, kind: str, before: str, after: str) -> None:
    with opened(url) as db, Database(url) as other:
        db.execute_script(
            f"CREATE TABLE t (id integer PRIMARY KEY, x integer, v {kind}); INSERT INTO t VALUES (1, 1, '{before}')"
        )
        with (
            db.observe(Region("t", "v")) as observer,
            db.observe(Region("t", "x")) as other_column,
            db.observe_live(None, "SELECT CAST(v AS text) FROM t") as live,
        ):
            assert live.next(10) is not None
            other.execute_script(f"SET extra_float_digits = 0; UPDATE t SET v = v; UPDATE t SET v = '{after}'")
            (event,) = events(observer)
            assert kinds(event) == [("update", (1,))]
            assert other_column.next(0) is None
            told = live.next(10)
            assert told is not None and told.rows == [(after,)]


def test_an_error_of_the_watch_is_told_under_no_lock(url: str) -> None:
    """Mended: the callback had the outbox's lock, for which every thread that commits waited."""
    told: list[str] = []
    ended = threading.Event()

    def write() -> None:
        reader.execute("UPDATE artist SET name = 'x'")

    def fail(error: Error) -> None:
        thread = threading.Thread(target=write, daemon=True)
        thread.start()
        thread.join(10)
        told.append(f"{error.message} {thread.is_alive()}")
        reader.close()
        ended.set()

    with opened(url) as db:
        db.create_tables(Artist)
        db.observe(Artist).cancel()
    reader = Database(f"{url}?poll=30")
    reader.observe_live(Artist, callback=lambda _: None, on_error=fail)
    psql(url, "ALTER TABLE artist DISABLE TRIGGER ALL")
    assert ended.wait(30)
    assert "no triggers" in told[0] and told[0].endswith("False")
    with pytest.raises(Error, match="closed"):
        reader.count("SELECT 1")


class Song(Model):
    id: Column[int] = column(primary_key=True)


class Tune(Model):
    id: Column[int] = column(primary_key=True)


def drained(*observers: Any) -> None:
    """Reads what waits, and what is told in the next moments."""
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        for observer in observers:
            observer.next(0.05)


@pytest.mark.parametrize("is_at_once", [True, False])
@pytest.mark.parametrize("is_watched", [True, False])
def test_a_table_that_gets_anothers_name_takes_no_watch_away(url: str, is_at_once: bool, is_watched: bool) -> None:
    with opened(url) as db, Database(url) as other:
        db.create_tables(Song, Tune)
        with db.observe(Song) as songs, db.observe(Tune if is_watched else Song) as tunes:
            making = "CREATE TABLE song (id bigint PRIMARY KEY)"
            renaming = "DROP TABLE tune; ALTER TABLE song RENAME TO tune"
            other.execute_script(f"BEGIN; {renaming}; {making if is_at_once else 'SELECT 1'}; COMMIT")
            drained(songs, tunes)
            if not is_at_once:
                other.execute_script(making)
                drained(songs, tunes)
            other.execute("INSERT INTO tune VALUES (5)")
            if is_watched:
                assert kinds(events(tunes)[0]) == [("insert", (5,))]
            assert songs.next(0.2) is None
            other.execute("INSERT INTO song VALUES (6)")
            assert kinds(events(songs)[0]) == [("insert", (6,))]
            assert not is_watched or tunes.next(0.2) is None


def test_a_watch_on_a_table_that_has_anothers_name_is_its_own(url: str) -> None:
    with opened(url, poll=3_600_000) as db, Database(url) as other:
        db.create_tables(Song, Tune)
        with db.observe(Song) as songs, db.observe(Tune) as before:
            other.execute_script("DROP TABLE tune; ALTER TABLE song RENAME TO tune; CREATE TABLE song (id bigint)")
            other.execute("ALTER TABLE song ADD PRIMARY KEY (id)")
            with db.observe(Tune) as after:
                db.insert(Tune(1))
                drained(songs, before, after)
                db.insert(Tune(2))
                for event in (before.next(5), after.next(5)):
                    assert event.changes[0].table == "tune" and kinds(event) == [("insert", (2,))]
                assert songs.next(0) is None
                db.insert(Song(3))
                assert kinds(songs.next(5)) == [("insert", (3,))]
