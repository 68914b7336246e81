"""What becomes of servers, networks and other clients: each is an error by its name, and what can go on does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import URL, call, with_database
from cormorant import BusyError, Column, Database, Error, Model, ProgrammingError, RawConnection, column


class Account(Model):
    id: Column[int] = column(primary_key=True)
    owner: Column[str] = column(unique=True)
    balance: Column[int]


def fails(code: str, function: Callable[[], object], *words: str) -> Error:
    with pytest.raises(Error) as caught:
        function()
    assert caught.value.code == code, caught.value
    for word in words:
        assert word in f"{caught.value.message} {caught.value.hint}"
    assert "secret" not in str(caught.value)
    return caught.value


@pytest.fixture
def db(url: str) -> Any:
    with Database(url) as database:
        database.create_tables(Account)
        database.insert(Account(1, "ada", 100))
        yield database


def end_others(url: str) -> None:
    """Ends all other connections to the database, as an administrator does."""
    with Database(url) as other:
        others = "pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        assert other.query(f"SELECT pg_terminate_backend(pid) FROM {others}").fetch_all()


def settles(function: Callable[[], Any], most: int = 8) -> Any:
    """What it gives when it is called again; each connection that was lost may say so once."""
    for _ in range(most):
        try:
            return function()
        except Error as error:
            assert error.code == "CORM_E_CONNECTION", error
    raise AssertionError("it never works again")


def test_a_connection_that_is_ended_between_calls_is_opened_anew(db: Database, url: str) -> None:
    assert db.find(Account, 1).balance == 100
    end_others(url)
    assert settles(lambda: db.find(Account, 1)).balance == 100
    settles(lambda: db.insert(Account(2, "bob", 0)))
    assert db.count(Account) == 2


@pytest.mark.parametrize("options", [{}, {"writer_count": 1}, {"mode": "read_only"}])
def test_a_connection_that_is_ended_while_it_rests_is_opened_anew_without_an_error(
    db: Database, url: str, options: dict[str, Any]
) -> None:
    with Database(url, **options) as resting:
        assert resting.find(Account, 1).balance == 100
        end_others(url)
        time.sleep(1.1)
        assert resting.find(Account, 1).balance == 100


def test_no_patience_is_no_wait(db: Database, url: str) -> None:
    with Database(url, busy_timeout=0) as hasty, db.transaction():
        db.execute("UPDATE account SET balance = 0 WHERE id = 1")
        with ThreadPoolExecutor() as threads, pytest.raises(BusyError):
            threads.submit(hasty.execute, "UPDATE account SET balance = 1 WHERE id = 1").result(10)


def test_functions_of_the_program_are_refused_by_name(db: Database) -> None:
    with db.transaction():
        with pytest.raises(Error, match="functions and collations of the program's") as caught:
            db.register_function(lambda value: value, name="f")
        assert caught.value.code == "CORM_E_UNSUPPORTED"
        assert db.find(Account, 1).balance == 100


def test_a_connection_that_is_ended_in_a_transaction_ends_it(db: Database, url: str) -> None:
    def transfer() -> None:
        with db.transaction():
            db.insert(Account(2, "bob", 0))
            end_others(url)
            db.insert(Account(3, "cid", 0))

    fails("CORM_E_CONNECTION", transfer)
    assert settles(lambda: db.count(Account)) == 1
    with db.transaction():
        db.insert(Account(2, "bob", 0))
    assert db.count(Account) == 2


def when_copying(url: str, act: Callable[[], object]) -> threading.Thread:
    """Acts as soon as another connection copies rows into a table."""

    def wait() -> None:
        with Database(url) as watch:
            while not watch.count(
                sql="SELECT 1 FROM pg_stat_activity WHERE query LIKE 'PREPARE corm_copied%' AND state = 'active'"
            ):
                time.sleep(0.002)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def test_a_batch_whose_server_crashes_leaves_nothing(own_server: Callable[..., str]) -> None:
    server = own_server()
    with Database(server) as db:
        db.create_tables(Account)
        accounts = [Account(number, f"{number}", 1) for number in range(100_000)]
        crash = when_copying(server, lambda: call("crash", server))
        fails("CORM_E_CONNECTION", lambda: db.insert_many(accounts))
        crash.join()
        call("restart", server)
        assert settles(lambda: db.count(Account)) == 0
        assert db.insert_many(accounts[:10]) == 10


def test_a_batch_whose_connection_is_ended_leaves_nothing(db: Database, url: str) -> None:
    accounts = [Account(number, f"{number}", 1) for number in range(2, 100_000)]
    end = when_copying(url, lambda: end_others(url))
    fails("CORM_E_CONNECTION", lambda: db.insert_many(accounts))
    end.join()
    assert settles(lambda: db.count(Account)) == 1
    assert db.insert_many(accounts[:10]) == 10


def test_a_server_that_crashes_and_comes_back(own_server: Callable[..., str]) -> None:
    server = own_server("--set", "fsync=on", "--set", "full_page_writes=on", "--set", "synchronous_commit=on")
    with Database(server) as db:
        db.create_tables(Account)
        db.insert(Account(1, "ada", 100))
        call("crash", server)
        error = fails("CORM_E_CONNECTION", lambda: db.insert(Account(2, "bob", 0)))
        assert error.hint
        fails("CORM_E_CONNECTION", lambda: db.find(Account, 1))
        call("restart", server)
        assert settles(lambda: db.find(Account, 1)).balance == 100
        settles(lambda: db.insert(Account(3, "cid", 0)))
        assert db.find(Account, 3) is not None


def test_a_password_that_is_wrong_or_missing(url: str) -> None:
    locked = URL.replace("cormorant@", "locked:{}@", 1)
    with Database(locked.format("secret")) as db:
        assert db.query("SELECT current_user").fetch_all()[0][0] == "locked"
    fails("CORM_E_CONNECTION", lambda: Database(locked.format("wrong")), "password")
    fails("CORM_E_CONNECTION", lambda: Database(URL.replace("cormorant@", "locked@", 1)), "password")


def test_a_server_that_cannot_be_reached() -> None:
    fails("CORM_E_CONNECTION", lambda: Database("postgresql://a:secret@%2Ftmp%2Fnowhere/x"))
    fails("CORM_E_CONNECTION", lambda: Database("postgresql://a:secret@127.0.0.1:9/x"))
    fails("CORM_E_CONNECTION", lambda: Database("postgresql://a:secret@no-such-host.invalid/x"))
    fails("CORM_E_CONNECTION", lambda: Database(with_database(URL, "no_such_database")), "no_such_database")


def test_a_database_of_another_encoding() -> None:
    with Database(URL) as server:
        server.execute("CREATE DATABASE latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        try:
            fails("CORM_E_UNSUPPORTED", lambda: Database(with_database(URL, "latin1")), "LATIN1", "UTF8")
        finally:
            server.execute("DROP DATABASE latin1 WITH (FORCE)")


def test_a_role_that_only_reads(db: Database, url: str) -> None:
    db.execute("GRANT SELECT ON account TO locked")
    with Database(url.replace("cormorant@", "locked:secret@", 1)) as reader:
        assert reader.find(Account, 1).owner == "ada"
        fails("CORM_E_READ_ONLY", lambda: reader.insert(Account(2, "bob", 0)), "account")
        fails("CORM_E_READ_ONLY", lambda: reader.execute("DELETE FROM account"))
        assert reader.count(Account) == 1
    with Database(f"{url}?options=-cdefault_transaction_read_only%3Don") as reader:
        assert reader.count(Account) == 1
        fails("CORM_E_READ_ONLY", lambda: reader.insert(Account(2, "bob", 0)))


def test_a_server_that_has_no_connections_left(own_server: Callable[..., str]) -> None:
    server = own_server("--set", "max_connections=5", "--set", "superuser_reserved_connections=0")
    opened: list[Database] = []
    try:
        with pytest.raises(Error) as caught:
            for _ in range(8):
                opened.append(Database(server))
                opened[-1].query("SELECT 1").fetch_all()
        assert caught.value.code == "CORM_E_CONNECTION", caught.value
        assert opened[0].query("SELECT 1").fetch_all()[0][0] == 1
    finally:
        for database in opened:
            database.close()


def test_text_that_holds_nul(db: Database) -> None:
    fails("CORM_E_ENCODING", lambda: db.insert(Account(2, "b\0b", 0)), "NUL")
    fails("CORM_E_ENCODING", lambda: db.insert_many([Account(2, "bob", 0), Account(3, "c\0d", 0)]), "NUL")
    fails("CORM_E_ENCODING", lambda: db.query("SELECT ?", ("\0",)).fetch_all())
    assert db.count(Account) == 1
    assert db.query("SELECT ?", ("x",)).fetch_all()[0][0] == "x"


class LongNames(Model, table="a" * 64):
    id: Column[int] = column(primary_key=True)


class LongColumn(Model):
    id: Column[int] = column(primary_key=True)
    long: Column[str] = column(name="b" * 64)


@pytest.mark.parametrize("model", [LongNames, LongColumn])
def test_names_that_postgresql_would_cut_off(db: Database, model: type[Model]) -> None:
    fails("CORM_E_UNSUPPORTED", lambda: db.create_tables(model), "63 at most")


def test_a_statement_in_a_failed_transaction(db: Database) -> None:
    with pytest.raises(Error) as caught, db.transaction():
        with pytest.raises(Error):
            db.insert(Account(1, "eve", 0))
        db.insert(Account(2, "bob", 0))
    assert caught.value.code == "CORM_E_TRANSACTION"
    assert "nested" in (caught.value.hint or "")
    assert db.count(Account) == 1


def test_a_failed_transaction_does_not_commit(db: Database) -> None:
    """COMMIT answers ROLLBACK there, and is no error of the server's."""

    def swallow() -> None:
        with db.transaction():
            db.insert(Account(2, "bob", 0))
            with pytest.raises(Error):
                db.insert(Account(1, "eve", 0))

    fails("CORM_E_TRANSACTION", swallow)
    assert db.count(Account) == 1


def test_a_nested_transaction_that_failed_alone_is_rolled_back(db: Database) -> None:
    with db.transaction():
        db.insert(Account(2, "bob", 0))
        with pytest.raises(Error), db.transaction():
            db.insert(Account(1, "eve", 0))
        db.insert(Account(3, "cid", 0))
    assert db.count(Account) == 3


def test_a_table_that_is_altered_behind_its_back(db: Database, url: str) -> None:
    assert db.fetch_all(Account)[0].balance == 100
    with Database(url) as other:
        other.execute("ALTER TABLE account ADD COLUMN extra bigint DEFAULT 7")
    assert db.fetch_all(Account)[0].balance == 100
    assert db.query("SELECT * FROM account").fetch_all()[0][-1] == 7
    with Database(url) as other:
        other.execute("ALTER TABLE account ALTER COLUMN extra TYPE text USING 'seven'")
    assert db.query("SELECT * FROM account").fetch_all()[0][-1] == "seven"
    with Database(url) as other:
        other.execute("ALTER TABLE account DROP COLUMN balance")
    with pytest.raises(Error) as caught:
        db.fetch_all(Account)
    assert caught.value.code in ("CORM_E_SCHEMA", "CORM_E_SQL")
    assert "balance" in str(caught.value)


def test_of_two_that_read_and_write_one_must_try_again(db: Database, url: str) -> None:
    """Serializable: what is right alone is right together."""
    db.insert(Account(2, "bob", 100))

    def total(database: Database) -> int:
        return sum(account.balance for account in database.fetch_all(Account))

    with Database(url) as other:

        def cross() -> None:
            with db.transaction(), other.transaction():
                for database, key in ((db, 1), (other, 2)):
                    assert total(database) == 200
                    account = database.find(Account, key)
                    account.balance -= 150
                    database.update(account)

        error = fails("CORM_E_CONFLICT", cross, "again")
        assert error.hint
    assert total(db) >= 50


def test_what_waits_for_each_other_is_ended(db: Database, url: str) -> None:
    db.insert(Account(2, "bob", 100))
    met = threading.Barrier(2)
    codes: list[str] = []

    def write(first: int, second: int) -> None:
        with Database(f"{url}?options=-cdeadlock_timeout%3D100ms") as own:
            try:
                with own.transaction():
                    own.execute("UPDATE account SET balance = balance + 1 WHERE id = ?", (first,))
                    met.wait()
                    own.execute("UPDATE account SET balance = balance + 1 WHERE id = ?", (second,))
            except Error as error:
                codes.append(error.code)

    threads = [threading.Thread(target=write, args=pair) for pair in ((1, 2), (2, 1))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == ["CORM_E_CONFLICT"]
    assert [account.balance for account in db.fetch_all(Account, order_by="id")] == [101, 101]


def test_an_interrupt_ends_what_runs(db: Database) -> None:
    timer = threading.Timer(0.3, db.interrupt)
    timer.start()
    began = time.monotonic()
    fails("CORM_E_INTERRUPTED", lambda: db.query("SELECT pg_sleep(30)").fetch_all())
    assert time.monotonic() - began < 10
    timer.join()
    assert db.count(Account) == 1


def test_a_time_limit_of_the_server(url: str) -> None:
    with Database(f"{url}?options=-cstatement_timeout%3D200ms") as db:
        fails("CORM_E_INTERRUPTED", lambda: db.query("SELECT pg_sleep(30)").fetch_all(), "statement_timeout")
        assert db.query("SELECT 1").fetch_all()[0][0] == 1


def test_a_row_that_another_has_locked(db: Database, url: str) -> None:
    with Database(f"{url}?options=-clock_timeout%3D200ms") as other, db.transaction():
        db.execute("UPDATE account SET balance = 0 WHERE id = 1")
        fails("CORM_E_BUSY", lambda: other.execute("UPDATE account SET balance = 1 WHERE id = 1"))


def test_what_the_borrower_of_a_connection_leaves_open_is_rolled_back(url: str) -> None:
    with Database(url) as db, Database(url) as other:
        db.execute("CREATE TABLE t (x integer)")
        kept = []

        def begin(connection: RawConnection) -> None:
            kept.append(db.transaction().__enter__())
            db.execute("INSERT INTO t VALUES (2)")

        def fail(connection: RawConnection) -> None:
            begin(connection)
            db.execute("INSERT INTO t VALUES (1 / 0)")

        # An error ends the transaction on the server, which still waits for its ROLLBACK.
        with pytest.raises(Error, match="zero"):
            db.use_connection(lambda connection: connection.execute_script("BEGIN; SELECT 1 / 0"))
        db.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(ProgrammingError, match="left open"):
            db.use_connection(begin)
        with pytest.raises(Error, match="zero"):
            db.use_connection(fail)
        with db.transaction(), pytest.raises(ProgrammingError, match="left open"):
            db.use_connection(begin)
        assert other.fetch_values("SELECT x FROM t") == [1]
