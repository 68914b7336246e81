"""Connections of the DB-API: transactions, threads, keys."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from encrypted import plain_only

import cormorant
from cormorant import BusyError, Cipher, dbapi
from cormorant.dbapi import Connection


@pytest.fixture
def connection(path: Path) -> Iterator[Connection]:
    connection = dbapi.connect(path)
    connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE)")
    connection.commit()
    yield connection
    connection.close()


def names(connection: Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM item ORDER BY id")]


def add(connection: Connection, name: str) -> None:
    connection.execute("INSERT INTO item (name) VALUES (?)", (name,))


def test_a_statement_begins_a_transaction(connection: Connection, path: Path) -> None:
    other = dbapi.connect(path)
    assert not connection.in_transaction
    add(connection, "a")
    assert connection.in_transaction
    assert names(other) == []
    other.rollback()
    connection.commit()
    assert not connection.in_transaction
    assert names(other) == ["a"]
    other.close()


def test_what_is_rolled_back_is_gone(connection: Connection) -> None:
    add(connection, "a")
    connection.execute("CREATE TABLE other (id)")
    connection.rollback()
    assert names(connection) == []
    with pytest.raises(dbapi.ProgrammingError, match="no such table: other"):
        connection.execute("SELECT * FROM other")


def test_commit_and_rollback_without_a_transaction_do_nothing(connection: Connection) -> None:
    connection.commit()
    connection.rollback()
    assert not connection.in_transaction


@pytest.mark.parametrize(
    "sql", ["PRAGMA foreign_keys = OFF", "VACUUM", "ATTACH ':memory:' AS more", "/* */ pragma user_version"]
)
def test_what_does_not_belong_into_a_transaction_begins_none(connection: Connection, sql: str) -> None:
    connection.execute(sql).fetchall() if "user_version" in sql else connection.execute(sql)
    assert not connection.in_transaction


def test_a_savepoint_begins_a_transaction_around_it(connection: Connection) -> None:
    connection.execute("SAVEPOINT one")
    add(connection, "a")
    connection.execute("RELEASE one")
    connection.rollback()
    assert names(connection) == []


def test_a_mistake_in_sql_begins_nothing(connection: Connection) -> None:
    with pytest.raises(dbapi.ProgrammingError):
        connection.execute("INSERT INTO nowhere VALUES (1)")
    assert not connection.in_transaction


def test_an_error_leaves_the_transaction_open(connection: Connection) -> None:
    add(connection, "a")
    with pytest.raises(dbapi.IntegrityError):
        add(connection, "a")
    add(connection, "b")
    connection.commit()
    assert names(connection) == ["a", "b"]


def test_with_autocommit_each_statement_commits(path: Path, connection: Connection) -> None:
    connection.autocommit = True
    add(connection, "a")
    assert not connection.in_transaction
    connection.rollback()
    assert names(connection) == ["a"]


def test_with_autocommit_sql_may_begin_a_transaction(connection: Connection) -> None:
    connection.autocommit = True
    connection.execute("BEGIN")
    add(connection, "a")
    connection.rollback()
    assert names(connection) == []


def test_turning_autocommit_on_commits(connection: Connection, path: Path) -> None:
    add(connection, "a")
    connection.autocommit = True
    assert not connection.in_transaction
    connection.autocommit = False
    add(connection, "b")
    connection.rollback()
    assert names(connection) == ["a"]


def test_a_with_block_commits_or_rolls_back_and_stays_open(connection: Connection) -> None:
    with connection:
        add(connection, "a")
    with pytest.raises(ValueError, match="no"), connection:
        add(connection, "b")
        raise ValueError("no")
    assert names(connection) == ["a"]


def test_a_with_block_whose_commit_fails_rolls_back(connection: Connection) -> None:
    connection.execute("CREATE TABLE part (item INTEGER REFERENCES item DEFERRABLE INITIALLY DEFERRED)")
    connection.commit()
    with pytest.raises(dbapi.IntegrityError), connection:
        connection.execute("INSERT INTO part VALUES (7)")
    assert not connection.in_transaction


def test_isolation_levels(connection: Connection, path: Path) -> None:
    other = dbapi.connect(path, busy_timeout=0, isolation_level="IMMEDIATE")
    connection.isolation_level = "IMMEDIATE"
    connection.execute("SELECT 1")
    with pytest.raises(BusyError):
        other.execute("SELECT 1")
    connection.rollback()
    other.execute("SELECT 1")
    other.close()
    with pytest.raises(dbapi.ProgrammingError, match="use one of DEFERRED, IMMEDIATE, EXCLUSIVE"):
        connection.isolation_level = "SERIALIZABLE"  # type: ignore[assignment]


def test_without_an_isolation_level_each_statement_commits(connection: Connection) -> None:
    connection.isolation_level = None
    assert connection.autocommit
    add(connection, "a")
    connection.isolation_level = "DEFERRED"
    assert not connection.autocommit
    add(connection, "b")
    connection.rollback()
    assert names(connection) == ["a"]


def test_how_connections_are_opened(path: Path) -> None:
    opened = [
        dbapi.connect(path, autocommit=True),
        dbapi.connect(path, isolation_level=None),
        dbapi.connect(path, isolation_level="EXCLUSIVE"),
        dbapi.connect(path, autocommit=True, isolation_level="IMMEDIATE"),
    ]
    assert [connection.isolation_level for connection in opened] == [None, None, "EXCLUSIVE", None]
    opened[0].autocommit = opened[3].autocommit = False
    assert [connection.isolation_level for connection in opened] == ["DEFERRED", None, "EXCLUSIVE", "IMMEDIATE"]
    for connection in opened:
        connection.close()


def test_a_transaction_moves_between_threads(connection: Connection) -> None:
    def on_a_thread(body: object) -> None:
        thread = threading.Thread(target=body)  # type: ignore[arg-type]
        thread.start()
        thread.join()

    on_a_thread(lambda: add(connection, "a"))
    assert connection.in_transaction
    on_a_thread(lambda: add(connection, "b"))
    on_a_thread(connection.commit)
    add(connection, "c")
    on_a_thread(connection.rollback)
    assert names(connection) == ["a", "b"]


def test_threads_share_a_connection(connection: Connection) -> None:
    def work(number: int) -> None:
        for index in range(50):
            add(connection, f"{number}-{index}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connection.commit()
    assert len(names(connection)) == 200


@plain_only
def test_an_encrypted_file(tmp_path: Path) -> None:
    path, key = tmp_path / "secret.db", f"x'{'ab' * 32}'"
    with dbapi.connect(path, key=key) as connection:
        connection.execute("CREATE TABLE item (id)")
    connection.close()
    with pytest.raises(dbapi.DatabaseError, match="encrypted") as caught:
        dbapi.connect(path)
    assert isinstance(caught.value, cormorant.KeyMissingError)
    connection = dbapi.connect(path, cipher=Cipher(key))
    assert connection.execute("SELECT count(*) FROM item").fetchone() == (0,)
    connection.close()
    with pytest.raises(dbapi.ProgrammingError, match="both given"):
        dbapi.connect(path, key=key, cipher=Cipher(key))


def test_a_connection_has_no_readers(path: Path) -> None:
    with pytest.raises(dbapi.ProgrammingError, match="no reader_count"):
        dbapi.connect(path, reader_count=2)


def test_a_closed_connection_says_so(connection: Connection) -> None:
    cursor = connection.execute("SELECT 1 UNION SELECT 2")
    connection.close()
    for call in (connection.cursor, connection.commit, connection.rollback, cursor.fetchone, cursor.fetchall):
        with pytest.raises(dbapi.ProgrammingError, match="connection is closed"):
            call()
    with pytest.raises(dbapi.ProgrammingError, match="connection is closed"):
        cursor.execute("SELECT 1")
    assert "closed" in repr(connection)


def test_closing_rolls_back(connection: Connection, path: Path) -> None:
    add(connection, "a")
    connection.close()
    again = dbapi.connect(path)
    assert names(again) == []
    again.close()


def test_a_transaction_of_the_database_is_refused_while_one_of_the_connection_is_open(connection: Connection) -> None:
    add(connection, "a")
    with pytest.raises(cormorant.ProgrammingError, match="begun by raw SQL"), connection.database.transaction():
        pass
    connection.commit()
    with connection.database.transaction():
        connection.execute("INSERT INTO item (name) VALUES ('b')")
    assert names(connection) == ["a", "b"]


@pytest.mark.parametrize("count", [1_000, 10_050])
def test_what_is_interrupted_while_a_query_is_open_is_taken_back(connection: Connection, count: int) -> None:
    def query() -> None:
        rows = connection.execute("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT i FROM n")
        rows.fetchone()
        open_cursors.append(rows)

    def parameters() -> Iterator[tuple[str]]:
        for number in range(count):
            if number == count - 1:
                connection.interrupt()
            yield (str(number),)

    open_cursors: list[dbapi.Cursor] = []
    add(connection, "before")
    query()
    with pytest.raises(dbapi.OperationalError):
        connection.executemany("INSERT INTO item (name) VALUES (?)", parameters())
    open_cursors.pop().close()
    connection.commit()
    assert names(connection) == ["before"]

    add(connection, "after")
    query()
    connection.interrupt()
    connection.rollback()
    assert names(connection) == ["before"]
