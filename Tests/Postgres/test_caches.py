"""Rows of a server that are kept in memory: gone when anybody changes them, set aside where nobody tells of it."""

from __future__ import annotations

import datetime
import decimal
import itertools
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import call, hosts, new_database
from cormorant import Column, Database, Error, Model, column

_numbers = itertools.count()


class Artist(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    name: Column[str] = column()


class Price(Model):
    id: Column[int | None] = column(primary_key=True, init=False)
    amount: Column[decimal.Decimal] = column()


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    """One database for all, in which each test has a schema."""
    with new_database(f"caches_{os.getpid()}") as url:
        yield url


@pytest.fixture
def url(place: str) -> str:
    schema = f"s{next(_numbers)}"
    with Database(place) as server:
        server.execute(f"CREATE SCHEMA {schema}")
    return f"{place}?options=-csearch_path%3D{schema}"


def opened(url: str, poll: int = 3_600_000, **more: Any) -> Database:
    """Others' commits are found only when a test has it look."""
    options = "".join(f"&{name}={value}" for name, value in more.items())
    return Database(f"{url}{'&' if '?' in url else '?'}outbox=install&poll={poll}{options}")


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    with opened(url) as database:
        database.create_tables(Artist)
        database.insert_many([Artist(f"a{number}") for number in range(10)])
        database.set_cache(Artist, max_count=100, max_bytes=1_000_000)
        yield database


def looks(db: Database) -> None:
    """Has the outbox read, as `poll` does."""
    db.execute("UPDATE artist SET name = name WHERE id = 10")


def named(db: Database, key: int = 1) -> str:
    return db.find(Artist, key).name


def hits(db: Database) -> int:
    return db.cache_statistics(Artist).hits


def is_kept(db: Database, key: int = 1) -> bool:
    """Whether a row that is found twice comes from memory."""
    db.find(Artist, key)
    before = hits(db)
    db.find(Artist, key)
    return hits(db) > before


def eventually(what: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_rows_are_found_without_the_server(db: Database) -> None:
    statements: list[str] = []
    assert named(db) == "a0"
    db.set_trace(lambda sql, _: statements.append(sql))
    assert [named(db) for _ in range(3)] == ["a0"] * 3
    assert not [sql for sql in statements if "artist" in sql] and hits(db) == 3


def test_what_one_writes_one_sees_at_once(db: Database) -> None:
    for number in range(3):
        assert named(db) == ("a0" if number == 0 else f"n{number - 1}") and is_kept(db)
        db.execute("UPDATE artist SET name = ? WHERE id = 1", [f"n{number}"])
    db.delete_key(Artist, 1)
    assert db.find(Artist, 1) is None
    assert is_kept(db, 2)
    db.execute("TRUNCATE artist")
    assert db.find(Artist, 2) is None


def test_what_others_write_is_seen_when_the_outbox_is_read(db: Database, url: str) -> None:
    # Rows are kept from when the outbox was first read, which a thread does.
    eventually(lambda: is_kept(db) and is_kept(db, 2))
    with Database(url) as other:
        other.execute("UPDATE artist SET name = 'x' WHERE id = 1")
    assert named(db) == "a0"
    before = hits(db)
    looks(db)
    assert named(db) == "x"
    # Other rows stay.
    named(db, 2)
    assert hits(db) == before + 1


@pytest.mark.parametrize("more", [{"poll": 30}, {"poll": 3_600_000, "notify": "on"}], ids=["polling", "NOTIFY"])
def test_others_are_seen_soon(url: str, more: dict[str, Any]) -> None:
    with opened(url, **more) as db, Database(url) as other:
        db.create_tables(Artist)
        db.insert(Artist("a"))
        db.set_cache(Artist, max_count=10, max_bytes=100_000)
        for number in range(5):
            assert is_kept(db)
            other.execute("UPDATE artist SET name = ? WHERE id = 1", [f"n{number}"])
            eventually(lambda now=f"n{number}": named(db) == now)


def test_a_transaction_reads_from_the_server(db: Database, url: str) -> None:
    assert is_kept(db)
    with Database(url) as other:
        other.execute("UPDATE artist SET name = 'x' WHERE id = 1")
        # Outside it is not known yet.
        assert named(db) == "a0"
        before = hits(db)
        with db.transaction():
            assert named(db) == "x"
        with db.read():
            assert named(db) == "x"
        db.execute_script("BEGIN")
        assert named(db) == "x"
        db.execute_script("COMMIT")
        assert hits(db) == before


def test_what_is_rolled_back_is_never_kept(db: Database) -> None:
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), db.transaction():
            db.execute("UPDATE artist SET name = 'x' WHERE id = 1")
            assert named(db) == "x"
            with pytest.raises(ZeroDivisionError), db.transaction():
                db.execute("DELETE FROM artist")
                assert db.find(Artist, 1) is None
                raise ZeroDivisionError
            assert named(db) == "x"
            raise ZeroDivisionError
        assert named(db) == "a0" and is_kept(db)


def test_a_result_that_is_open_hides_nothing(db: Database) -> None:
    db.insert_many([Artist("b" * 100) for _ in range(20_000)])
    assert is_kept(db)
    result = db.query("UPDATE artist SET name = 'x' || name RETURNING id, name")
    next(iter(result))
    assert named(db) == "xa0"
    result.close()
    assert named(db) == "xa0" and is_kept(db)


def test_a_row_that_changes_while_it_is_read_is_not_kept(db: Database) -> None:
    def write() -> None:
        db.execute("UPDATE artist SET name = 'x' WHERE id = 1")

    def meanwhile(sql: str, _: int) -> None:
        if 'FROM "artist"' in sql and not threads:
            threads.append(threading.Thread(target=write))
            threads[0].start()
            threads[0].join()

    threads: list[threading.Thread] = []
    db.execute("ANALYZE artist")
    db.set_trace(meanwhile)
    assert named(db) == "a0" and threads
    assert named(db) == "x"


def test_threads_see_what_any_of_them_wrote(url: str) -> None:
    """Each write is seen by whoever looks after the call: never an older one."""
    with opened(url, poll=20) as db, Database(url) as other:
        db.create_tables(Artist)
        db.insert_many([Artist("0") for _ in range(4)])
        db.set_cache(Artist, max_count=10, max_bytes=100_000)
        written = [0, 0, 0, 0]
        faults: list[Any] = []
        end = time.monotonic() + 2

        def write(key: int, by: Database) -> None:
            while time.monotonic() < end:
                by.execute("UPDATE artist SET name = ? WHERE id = ?", [str(written[key - 1] + 1), key])
                written[key - 1] += 1
                if by is other:
                    time.sleep(0.01)

        def look() -> None:
            for key in itertools.cycle((1, 2, 3, 4)):
                if time.monotonic() >= end:
                    return
                known = written[key - 1] if key < 4 else 0
                if int(found := named(db, key)) < known:
                    faults.append((key, found, known))

        threads = [threading.Thread(target=write, args=(key, db)) for key in (1, 2, 3)]
        threads += [threading.Thread(target=write, args=(4, other))]
        threads += [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults and min(written) > 5 and hits(db) > 0
        eventually(lambda: [int(named(db, key)) for key in (1, 2, 3, 4)] == written)


KEYS: list[tuple[str, str, Any]] = [
    ("text", "text", "Ä b"),
    ("uuid", "uuid", uuid.UUID(int=5)),
    ("numeric", "numeric(10,2)", decimal.Decimal("1.50")),
    ("datetime", "timestamptz", datetime.datetime(2026, 1, 2, 3, 4, 5, 6, datetime.timezone.utc)),
    ("date", "date", datetime.date(2026, 1, 2)),
    ("bytes", "bytea", b"\x00\xff"),
    ("real", "float8", 0.1),
    ("boolean", "boolean", True),
]


@pytest.mark.parametrize("kind, declared, value", KEYS, ids=[key[0] for key in KEYS])
def test_keys_of_each_type(url: str, kind: str, declared: str, value: Any) -> None:
    fields = {"__annotations__": {"key": Column[type(value)], "name": Column[str]}}  # type: ignore[misc]
    fields |= {"key": column(primary_key=True), "name": column()}  # type: ignore[dict-item]
    model = type(f"Kept{kind.title()}", (Model,), fields, table="kept")
    with opened(url) as db, Database(url) as other:
        db.execute(f'CREATE TABLE kept (key {declared} PRIMARY KEY, name text COLLATE "C" NOT NULL)')
        db.insert(model(value, "a"))
        db.set_cache(model, max_count=10, max_bytes=100_000)
        for number in range(2):
            db.find(model, value)
            db.find(model, value)
            assert db.cache_statistics(model).hits == 1 + 2 * number
            other.execute("UPDATE kept SET name = ?", [f"n{number}"])
            db.execute("CREATE TABLE IF NOT EXISTS looked (x int)" if number else "ANALYZE kept")
            assert db.find(model, value).name == f"n{number}"


def test_a_decimal_key_that_is_written_in_another_way(url: str) -> None:
    class Price(Model, table="price"):
        key: Column[decimal.Decimal] = column(primary_key=True)
        name: Column[str] = column()

    with opened(url) as db, Database(url) as other:
        db.execute('CREATE TABLE price (key numeric PRIMARY KEY, name text COLLATE "C" NOT NULL)')
        db.execute("INSERT INTO price VALUES (1.5, 'a')")
        db.set_cache(Price, max_count=10, max_bytes=100_000)
        for _ in range(2):
            assert db.find(Price, decimal.Decimal("1.5")).name == "a"
        other.execute("UPDATE price SET key = 1.50, name = 'b'")
        db.execute("ANALYZE price")
        assert db.find(Price, decimal.Decimal("1.5")).name == "b"


# What is not noted by rows --------------------------------------------------------------------------------------------

CHANGES = [
    "ALTER TABLE artist ALTER COLUMN name TYPE text USING 'x'",
    "ALTER TABLE artist DISABLE TRIGGER ALL; UPDATE artist SET name = 'x'; ALTER TABLE artist ENABLE TRIGGER ALL",
    "CREATE TABLE made (LIKE artist INCLUDING ALL); INSERT INTO made VALUES (1, 'x'); DROP TABLE artist;"
    " ALTER TABLE made RENAME TO artist",
    "UPDATE artist SET name = 'x'; DELETE FROM corm_change WHERE id > 0;"
    " UPDATE corm_change SET transaction = txid_current()",
    "INSERT INTO artist SELECT g, '' FROM generate_series(1000, 5000) g; UPDATE artist SET name = 'x'",
]


@pytest.mark.parametrize("sql", CHANGES, ids=["rewritten", "without triggers", "made anew", "pruned", "many"])
def test_what_is_not_told_by_rows_empties_the_cache(db: Database, url: str, sql: str) -> None:
    assert named(db) == "a0" and is_kept(db)
    with Database(url) as other:
        other.execute_script(f"BEGIN; {sql}; COMMIT")
    db.execute("CREATE TABLE looked (x int)")
    assert named(db) == "x" and named(db) == "x"


def test_without_triggers_nothing_is_kept(db: Database, url: str) -> None:
    with Database(url) as other, Database(url) as told:
        told.set_cache(Artist, max_count=10, max_bytes=100_000)
        assert is_kept(told)
        other.execute_script("DROP TRIGGER corm_change_update ON artist")
        told.execute("CREATE TABLE looked (x int)")
        assert not is_kept(told)
        other.execute("UPDATE artist SET name = 'y' WHERE id = 1")
        assert named(told) == "y"


def test_a_lost_outbox_is_read_around(db: Database, url: str) -> None:
    assert is_kept(db)
    with Database(url) as other:
        other.execute_script("TRUNCATE corm_change; UPDATE artist SET name = 'x'")
    looks(db)
    assert named(db) == "x" and not is_kept(db)


BARRED = {
    "a partition": "ALTER TABLE artist RENAME TO old;"
    " CREATE TABLE artist (LIKE old INCLUDING ALL) PARTITION BY RANGE (id)",
    "children": "CREATE TABLE child () INHERITS (artist)",
    "row security": "ALTER TABLE artist ENABLE ROW LEVEL SECURITY",
    "unlogged": "ALTER TABLE artist SET UNLOGGED",
    "rules": "CREATE RULE r AS ON INSERT TO artist DO ALSO NOTIFY x",
}


@pytest.mark.parametrize("sql", BARRED.values(), ids=BARRED.keys())
def test_tables_whose_changes_are_not_all_told_are_refused(url: str, sql: str) -> None:
    with opened(url) as db:
        db.create_tables(Artist)
        db.insert(Artist("a"))
        db.execute_script(sql)
        with pytest.raises(Error) as error:
            db.set_cache(Artist, max_count=10, max_bytes=100_000)
        assert error.value.code == "CORM_E_UNSUPPORTED" and "are not cached" in error.value.message
        assert db.cache_statistics(Artist).misses == 0


def test_a_table_that_becomes_such_a_one_is_read_from_the_server(db: Database, url: str) -> None:
    assert is_kept(db)
    with Database(url) as other:
        other.execute("CREATE TABLE child () INHERITS (artist)")
        looks(db)
        assert not is_kept(db)
        other.execute("DROP TABLE child")
        looks(db)
        assert is_kept(db)


def test_without_an_outbox_it_says_what_to_do(url: str) -> None:
    with Database(url) as db:
        db.create_tables(Artist)
        with pytest.raises(Error, match="no outbox") as error:
            db.set_cache(Artist, max_count=10, max_bytes=100_000)
        assert error.value.code == "CORM_E_SCHEMA" and "outbox=install" in str(error.value.hint)
        db.set_cache(Artist, max_count=0, max_bytes=0)


def test_it_is_not_set_inside_a_transaction(db: Database) -> None:
    with db.transaction(), pytest.raises(Error, match="inside a transaction"):
        db.set_cache(Artist, max_count=10, max_bytes=100_000)


# Sessions -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "SET search_path = {0}",
        "SELECT set_config('search_path', '{0}', false)",
        "SET ROLE NONE; SET search_path = {0}",
        "CREATE TEMPORARY TABLE artist AS SELECT 1::bigint AS id, 'mine' AS name",
    ],
)
def test_a_session_that_finds_something_else_takes_no_part(db: Database, sql: str) -> None:
    assert named(db) == "a0" and is_kept(db)
    db.execute_script("CREATE SCHEMA tenant; CREATE TABLE tenant.artist AS SELECT 1::bigint AS id, 'mine' AS name")
    try:
        db.execute_script(sql.format("tenant"))
        assert named(db) == "mine" and named(db) == "mine"
    finally:
        db.execute("DROP SCHEMA tenant CASCADE")


def test_settings_of_the_set_up_are_those_of_all(db: Database, url: str) -> None:
    schema = url.rsplit("3D", 1)[1]
    plain = url.split("?")[0]
    with Database(
        f"{plain}?outbox=install", set_up=lambda connection: connection.execute_script(f"SET search_path = {schema}")
    ) as own:
        own.set_cache(Artist, max_count=10, max_bytes=100_000)
        assert is_kept(own)
        own.execute("SET search_path = public")
        with pytest.raises(Error, match="settings of this connection"):
            own.set_cache(Artist, max_count=10, max_bytes=100_000)


def test_connections_that_are_ended(db: Database, url: str) -> None:
    assert is_kept(db)
    with Database(url) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        other.execute("UPDATE artist SET name = 'x' WHERE id = 1")

    def look() -> bool:
        try:
            looks(db)
        except Error:
            return False
        return True

    eventually(look)
    assert named(db) == "x" and is_kept(db)


def test_while_nothing_listens_the_server_answers(url: str) -> None:
    with opened(url, notify="on") as db, Database(url) as other:
        db.create_tables(Artist)
        db.insert(Artist("a"))
        db.set_cache(Artist, max_count=10, max_bytes=100_000)
        assert is_kept(db)
        listening = "datname = current_database() AND query LIKE 'LISTEN%'"
        other.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {listening}")
        eventually(lambda: not is_kept(db))
        other.execute("UPDATE artist SET name = 'x'")
        assert named(db) == "x"


def test_a_cache_that_is_set_after_its_listener_was_lost_answers(url: str) -> None:
    """Mended: what is listened with anew was not told to those that are set again."""
    with opened(url, notify="on") as db, Database(url) as other:
        db.create_tables(Artist)
        db.insert(Artist("a"))
        db.set_cache(Artist, max_count=10, max_bytes=100_000)
        assert is_kept(db)
        listening = "datname = current_database() AND query LIKE 'LISTEN%'"
        other.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {listening}")
        eventually(lambda: not is_kept(db))
        db.set_cache(Artist, max_count=0, max_bytes=0)
        db.set_cache(Artist, max_count=10, max_bytes=100_000)
        assert is_kept(db)
        other.execute("UPDATE artist SET name = 'x'")
        eventually(lambda: named(db) == "x")


def test_what_becomes_its_equal_is_seen(url: str) -> None:
    with opened(url) as db, Database(url) as other:
        db.execute_script("CREATE TABLE price (id bigint PRIMARY KEY, amount numeric NOT NULL)")
        db.execute_script("INSERT INTO price VALUES (1, 1.0), (10, 1)")
        db.set_cache(Price, max_count=10, max_bytes=100_000)
        assert str(db.find(Price, 1).amount) == "1.0"
        other.execute("UPDATE price SET amount = 1.00 WHERE id = 1")
        db.execute("UPDATE price SET amount = 2 WHERE id = 10")
        assert str(db.find(Price, 1).amount) == "1.00"


def test_a_server_that_does_not_answer_is_not_answered_for(own_server: Callable[..., str]) -> None:
    url = own_server()
    with opened(url, poll=30) as db:
        db.create_tables(Artist)
        db.insert(Artist("a"))
        db.set_cache(Artist, max_count=10, max_bytes=100_000)
        assert is_kept(db)
        call("crash", url)

        def fails() -> bool:
            try:
                db.find(Artist, 1)
            except Error:
                return True
            return False

        eventually(fails)
        call("restart", url)
        with Database(url) as other:
            other.execute("UPDATE artist SET name = 'x'")

        def found() -> bool:
            try:
                return named(db) == "x"
            except Error:
                return False

        eventually(found)
        eventually(lambda: is_kept(db))


def test_another_primary_is_another_source(own_server: Callable[..., str], own_standby: Callable[..., str]) -> None:
    """What the standby never had is not answered from memory once it is the primary."""
    first = own_server()
    second = own_standby(first)
    with opened(hosts(first, second, readers="standby")) as db:
        db.create_tables(Artist)
        db.insert(Artist("a"))
        db.set_cache(Artist, max_count=10, max_bytes=100_000)
        assert is_kept(db)
        with Database(second) as standby:
            eventually(lambda: standby.query("SELECT count(*) FROM artist").fetch_all()[0][0] == 1)
            standby.execute("ALTER SYSTEM SET primary_conninfo = ''")
            standby.query("SELECT pg_reload_conf()").fetch_all()
            eventually(lambda: standby.query("SELECT count(*) FROM pg_stat_wal_receiver").fetch_all()[0][0] == 0)
        db.execute("UPDATE artist SET name = 'lost'")
        assert named(db) == "lost" and is_kept(db)
        call("crash", first)
        call("promote", second)
        with Database(second) as promoted:
            # Its numbers of transactions are beyond those that were lost.
            for _ in range(50):
                promoted.query("SELECT txid_current()").fetch_all()

        def found() -> str:
            try:
                return named(db)
            except Error:
                return ""

        eventually(lambda: found() != "")
        assert found() == "a"
        eventually(lambda: is_kept(db))
