"""What a session has, keeps and loses: options of opening, the program's set-up, kept statements, transactions that go
wrong; and the session of a parent in the child of a fork."""

from __future__ import annotations

import contextlib
import locale
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from accounts import Account, fails
from conftest import URL, socket_folder
from cormorant import BusyError, Column, Database, Error, Model, ProgrammingError, column, param, select

WAIT = 20
# Ends all other sessions of the database, as its server or a pooler does when nobody uses them.
END = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
# As long as a connection rests before it is looked at.
REST = 1.1


def end_sessions(url: str) -> None:
    with Database(url) as other:
        other.execute(END)
    time.sleep(REST)


class Busy:
    """A thread that has a connection in a transaction for so long."""

    def __init__(self, db: Database) -> None:
        begun, self.end = threading.Event(), threading.Event()

        def hold() -> None:
            with db.transaction():
                begun.set()
                self.end.wait(WAIT)

        self.thread = threading.Thread(target=hold)
        self.thread.start()
        assert begun.wait(WAIT)

    def __enter__(self) -> Busy:
        return self

    def __exit__(self, *_: object) -> None:
        self.end.set()
        self.thread.join()


def on_a_thread(call: Callable[[], Any]) -> Any:
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(call())
        except Error as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(WAIT)
    assert results, "it hangs"
    if isinstance(results[0], Error):
        raise results[0]
    return results[0]


# Options, where no statement is kept ----------------------------------------------------------------------------------


def test_the_mode_that_only_reads_is_upheld_where_no_statement_is_kept(accounts: str) -> None:
    with Database(f"{accounts}?prepare=never", mode="read_only") as db:
        for write in (
            lambda: db.execute("DELETE FROM account WHERE id > ?", (0,)),
            lambda: db.execute("DELETE FROM account"),
            lambda: db.insert(Account(2, "Bob", 1)),
            lambda: db.save(Account(1, "Bob", 1)),
            lambda: db.insert_many([Account(2, "Bob", 1)]),
            lambda: db.execute("DROP TABLE account"),
            lambda: db.execute_script("SELECT 1; TRUNCATE account"),
        ):
            fails(write, "CORM_E_READ_ONLY")
        db.execute("BEGIN")
        fails(lambda: db.execute("DELETE FROM account"), "CORM_E_READ_ONLY")
        db.execute("ROLLBACK")
        assert [account.owner for account in db.fetch_all(Account)] == ["Ann"]
        assert len(db.fetch_all("SELECT generate_series(1, 3000)")) == 3000


def test_the_busy_timeout_is_upheld_where_no_statement_is_kept(accounts: str) -> None:
    with Database(accounts) as db, Database(f"{accounts}?prepare=never", busy_timeout=0.2) as other, db.transaction():
        db.execute("UPDATE account SET balance = 1")
        db.execute("LOCK TABLE account")
        for call in (
            lambda: other.execute("UPDATE account SET balance = 2"),
            lambda: other.execute("UPDATE account SET balance = ?", (2,)),
            lambda: other.insert(Account(3, "Cid", 1)),
            lambda: other.execute("ALTER TABLE account ADD COLUMN more int"),
        ):
            with pytest.raises(BusyError):
                on_a_thread(call)
        other.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
        with pytest.raises(BusyError):
            on_a_thread(lambda: other.execute("DELETE FROM account"))
        other.execute("ROLLBACK")


def test_what_stands_in_no_transaction_runs_where_no_statement_is_kept(accounts: str) -> None:
    with Database(f"{accounts}?prepare=never", synchronous="off") as db:
        db.execute("VACUUM account")
        db.execute("CREATE INDEX CONCURRENTLY by_owner ON account (owner)")
        db.execute_script("ANALYZE account; REINDEX INDEX CONCURRENTLY by_owner; SELECT 1")
        assert db.execute("UPDATE account SET balance = 3") == 1
        assert db.changes == 1
        error = fails(lambda: db.execute("ALTER TABLE account ADD COLUMN more nonsense"), "CORM_E_SQL")
        assert error.offset == len("ALTER TABLE account ADD COLUMN more ")
        error = fails(lambda: db.execute("UPDATE account SET balanc = 1"), "CORM_E_SQL")
        assert error.offset == len("UPDATE account SET ")


@pytest.mark.parametrize("parameters", ["", "?prepare=never"])
def test_what_fails_at_the_end_of_a_statement_by_itself_is_told(accounts: str, parameters: str) -> None:
    with Database(accounts + parameters) as db:
        db.execute("CREATE TABLE share (account bigint REFERENCES account DEFERRABLE INITIALLY DEFERRED)")
        for call in (
            lambda: db.execute("INSERT INTO share VALUES (9)"),
            lambda: db.execute("INSERT INTO share VALUES (?)", (9,)),
            lambda: db.fetch_all("INSERT INTO share VALUES (?) RETURNING account", (9,)),
            lambda: db.fetch_all("WITH s AS (INSERT INTO share VALUES (?) RETURNING account) SELECT * FROM s", (9,)),
            lambda: db.execute_script("SELECT 1; INSERT INTO share VALUES (9)"),
        ):
            fails(call, "CORM_E_FOREIGN_KEY")
        assert db.execute("INSERT INTO share VALUES (?)", (1,)) == 1
        assert db.fetch_all("SELECT account FROM share") == [(1,)]


def test_the_server_is_not_warned_where_no_statement_is_kept(accounts: str) -> None:
    log = Path(socket_folder(URL)) / "log"
    before = len(log.read_text())
    with Database(f"{accounts}?prepare=never&options=-clog_min_messages%3Dwarning", mode="read_only") as db:
        assert db.fetch_value("SHOW lock_timeout") == "5s"
        assert db.fetch_all("SELECT owner FROM account WHERE id = ?", (1,)) == [("Ann",)]
        with db.read():
            assert db.count(Account) == 1
    assert log.read_text()[before:] == ""


def test_a_table_is_locked_in_transactions_alone(accounts: str) -> None:
    with Database(f"{accounts}?prepare=never") as db:
        fails(lambda: db.execute("LOCK TABLE account"), "CORM_E_TRANSACTION")
        with db.transaction():
            db.execute("LOCK TABLE account")


# The program's set-up -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", ["", "?prepare=never"])
def test_set_up_is_called_when_a_session_is_opened_anew(accounts: str, parameters: str) -> None:
    calls = []

    def set_up(connection: Any) -> None:
        calls.append(1)
        connection.execute_script("SET search_path = tenant")

    with Database(accounts) as other:
        other.execute("CREATE SCHEMA tenant")
    with Database(accounts + parameters, set_up=set_up) as db:
        session = db.fetch_value("SELECT pg_backend_pid()")
        assert db.fetch_value("SHOW search_path") == "tenant"
        end_sessions(accounts)
        assert db.fetch_value("SHOW search_path") == "tenant"
        assert db.fetch_value("SELECT pg_backend_pid()") != session
        # One that was lost in a transaction.
        fails(lambda: lose(db, accounts), "CORM_E_CONNECTION")
        assert db.fetch_value("SHOW search_path") == "tenant"
        end_sessions(accounts)
        with db.transaction():
            assert db.fetch_value("SHOW search_path") == "tenant"
        assert len(calls) >= 4


def lose(db: Database, url: str) -> None:
    with db.transaction():
        db.fetch_value("SELECT 1")
        with Database(url) as other:
            other.execute(END)
        db.fetch_value("SELECT 1")


def test_a_set_up_that_fails_leaves_no_session_without_it(accounts: str) -> None:
    works = True

    def set_up(connection: Any) -> None:
        if not works:
            raise LookupError("no tenant")
        connection.execute_script("SET search_path = tenant")

    with Database(accounts, set_up=set_up) as db:
        end_sessions(accounts)
        works = False
        for _ in range(2):
            error = fails(lambda: db.fetch_value("SHOW search_path"), "CORM_E_CALLBACK")
            assert "no tenant" in error.message
        works = True
        assert db.fetch_value("SHOW search_path") == "tenant"


@pytest.mark.parametrize("writers", [1, 2])
@pytest.mark.parametrize("is_written", [False, True])
def test_a_set_up_that_uses_the_database_is_refused_when_a_session_is_opened_anew(
    accounts: str, writers: int, is_written: bool
) -> None:
    used: list[Database] = []

    def set_up(_: Any) -> None:
        for db in used:
            if is_written:
                db.execute("UPDATE account SET balance = balance")
            else:
                db.fetch_value("SELECT 1")

    with Database(accounts, set_up=set_up, writer_count=writers) as db:
        assert db.count(Account) == 1
        db.execute("UPDATE account SET balance = balance")
        used.append(db)
        for call in (lambda: db.count(Account), lambda: db.execute("UPDATE account SET balance = balance")):
            end_sessions(accounts)
            for _ in range(2):
                with pytest.raises(Error) as caught:
                    call()
                # One that writes is not sent again to another session.
                if caught.value.code != "CORM_E_CONNECTION":
                    break
            assert isinstance(caught.value.__cause__, ProgrammingError)
            assert "set-up" in caught.value.__cause__.message
        used.clear()
        assert db.count(Account) == 1


# Statements that the server keeps -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "forget", ["DISCARD TEMP", "DISCARD PLANS", "DISCARD SEQUENCES", "DEALLOCATE mine", "DEALLOCATE ALL", "DISCARD ALL"]
)
def test_statements_are_known_after_others_were_forgotten(accounts: str, forget: str) -> None:
    with Database(accounts) as db:
        db.insert(Account(2, "Bob", 1))
        if "mine" in forget:
            db.execute("PREPARE mine AS SELECT 1")
        db.execute(forget)
        for number in range(3, 6):
            with db.transaction():
                db.insert(Account(number, "Bob", 1))
        assert db.count(Account) == 5


def test_statements_are_known_after_a_plan(accounts: str) -> None:
    query = select(Account).where(Account.balance > param("least"))
    with Database(accounts) as db:
        db.insert(Account(2, "Bob", 1))
        db.explain(query)
        for number in range(3, 6):
            with db.transaction():
                db.insert(Account(number, "Bob", 1))
                db.explain(query)
                db.insert(Account(number + 10, "Bob", 1))
        assert db.count(Account) == 8


def test_a_statement_that_was_parsed_and_not_described_is_known_afterwards(accounts: str) -> None:
    """What the server says of it waits, for longer than the busy timeout, for a catalog that another one has locked."""
    insert = "INSERT INTO account (id, owner, balance) VALUES (?, 'Bob', 1)"
    with Database(accounts) as other, Database(accounts, busy_timeout=0.2, writer_count=1, reader_count=1) as db:
        db.fetch_value("SELECT count(*) FROM account")

        def write(number: int) -> None:
            with db.transaction():
                db.execute(insert, (number,))

        with other.transaction():
            other.execute("LOCK TABLE pg_catalog.pg_constraint")
            with pytest.raises(BusyError):
                on_a_thread(lambda: write(2))
        for number in range(2, 5):
            write(number)
        assert db.count(Account) == 4


# Transactions that go wrong -------------------------------------------------------------------------------------------


def test_a_transaction_begun_by_sql_is_everybodys_until_it_ends_though_it_failed(accounts: str) -> None:
    with Database(accounts) as db:
        with Busy(db):
            db.execute("BEGIN")
            fails(lambda: db.execute("INSERT INTO nowhere VALUES (1)"), "CORM_E_SQL")
        fails(lambda: db.fetch_value("SELECT 1"), "CORM_E_TRANSACTION")
        db.execute("ROLLBACK")
        with db.transaction():
            on_a_thread(lambda: db.insert(Account(2, "Bob", 1)))
        assert db.count(Account) == 2


def test_a_transaction_begun_by_sql_that_loses_its_session_is_over(accounts: str) -> None:
    with Database(accounts) as db:
        with Busy(db):
            db.execute("BEGIN")
            session = db.fetch_value("SELECT pg_backend_pid()")
            with Database(accounts) as other:
                other.execute("SELECT pg_terminate_backend(?)", (session,))
            fails(lambda: db.execute("INSERT INTO account VALUES (7, 'x', 1)"), "CORM_E_CONNECTION")
        fails(lambda: db.fetch_value("SELECT 1"), "CORM_E_CONNECTION")
        db.execute("ROLLBACK")
        with db.transaction():
            on_a_thread(lambda: db.insert(Account(2, "Bob", 1)))
        assert db.count(Account) == 2


def test_a_beginning_that_fails_half_way_leaves_no_transaction(accounts: str) -> None:
    """Another one cancels what stands behind BEGIN, as far as it hits that within the time."""
    end, failed = time.monotonic() + 2, 0
    cancel = "SELECT count(pg_cancel_backend(?)) FROM generate_series(1, 200)"
    with Database(accounts) as other, Database(accounts, writer_count=1, reader_count=1) as db:
        with db.read():
            session = db.fetch_value("SELECT pg_backend_pid()")

        def hit() -> None:
            while time.monotonic() < end and failed < 2:
                other.fetch_value(cancel, (session,))

        thread = threading.Thread(target=hit)
        thread.start()
        while time.monotonic() < end and failed < 2:
            try:
                with db.read():
                    pass
            except Error as error:
                assert error.code == "CORM_E_INTERRUPTED", error
                failed += 1
        thread.join()
        with db.read():
            assert db.count(Account) == 1


def test_writes_work_once_the_server_takes_them(accounts: str) -> None:
    role = f"role_{time.monotonic_ns()}"
    with Database(accounts) as admin:
        admin.execute_script(
            f"CREATE ROLE {role} LOGIN; GRANT ALL ON account, account_id_seq TO {role};"
            f"ALTER ROLE {role} SET default_transaction_read_only = on"
        )
        try:
            with Database(accounts.replace("cormorant@", f"{role}@", 1)) as db:
                fails(lambda: db.insert(Account(2, "Bob", 1)), "CORM_E_READ_ONLY")
                admin.execute(f"ALTER ROLE {role} RESET default_transaction_read_only")
                admin.execute(END)
                time.sleep(REST)
                db.insert(Account(2, "Bob", 1))
                with db.transaction():
                    db.insert(Account(3, "Bob", 1))
                db.insert_many([Account(4, "Bob", 1), Account(5, "Bob", 1)])
            assert admin.count(Account) == 5
        finally:
            admin.execute_script(f"DROP OWNED BY {role}; DROP ROLE {role}")


# What is on one session -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    ["SELECT 1 AS a INTO TEMP mine", "CREATE TABLE pg_temp.mine (a int)",
     "WITH x AS (SELECT 1 AS a) SELECT a INTO TEMPORARY TABLE mine FROM x", "SELECT 1 AS a INTO pg_temp.mine",
     "CREATE VIEW pg_temp.mine AS SELECT 1"],
)  # fmt: skip
@pytest.mark.parametrize("script", [False, True])
def test_all_calls_go_where_a_temporary_table_is(accounts: str, sql: str, script: bool) -> None:
    with Database(accounts) as db:
        on_a_thread(lambda: db.count(Account))
        if script:
            db.execute_script(f"SELECT 1; {sql}")
        else:
            db.execute(sql)
        with Busy(db) as busy:
            threading.Timer(0.3, busy.end.set).start()
            db.fetch_value("SELECT count(*) FROM mine")


def test_temporary_tables_of_a_set_up_are_on_each_session(accounts: str) -> None:
    def set_up(connection: Any) -> None:
        connection.execute_script("CREATE TEMP TABLE mine (a int)")

    with Database(accounts, set_up=set_up) as db:
        db.execute("UPDATE account SET balance = 1")
        with Busy(db):
            assert db.execute("INSERT INTO mine VALUES (1)") == 1
        end_sessions(accounts)
        db.execute("UPDATE account SET balance = 2")
        with Busy(db):
            assert db.execute("INSERT INTO mine VALUES (1)") == 1


@pytest.mark.parametrize(
    "sql",
    ["CREATE TABLE weather (temp int)", "CREATE INDEX by_temp ON reading (temp)", "SELECT temp INTO other FROM reading",
     "CREATE VIEW seen AS SELECT temp, temporary FROM reading", "CREATE TABLE other AS SELECT max(temp) FROM reading"],
)  # fmt: skip
@pytest.mark.parametrize("script", [False, True])
def test_a_column_may_be_called_temp(accounts: str, sql: str, script: bool) -> None:
    with Database(accounts) as db:
        db.execute('CREATE TABLE reading ("temp" int, "temporary" int)')
        on_a_thread(lambda: db.count(Account))
        if script:
            db.execute_script(f"SELECT 1; {sql}")
        else:
            db.execute(sql)
        with Busy(db):
            assert db.execute("UPDATE account SET balance = 1") == 1


# Values and statements ------------------------------------------------------------------------------------------------


def test_a_comma_of_the_locale_cuts_no_real(url: str) -> None:
    before = locale.setlocale(locale.LC_NUMERIC)
    try:
        for name in ("de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"):
            with contextlib.suppress(locale.Error):
                locale.setlocale(locale.LC_NUMERIC, name)
                break
        else:
            pytest.skip("no locale with a comma")
        with Database(url) as db:
            sql = "SELECT 1.5::float8, 2.75::float4, '-Infinity'::float8, 1e-300::float8, interval '1 day'"
            assert db.fetch_all(sql)[0][:4] == (1.5, 2.75, float("-inf"), 1e-300)
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)


def test_a_rule_may_have_several_statements(url: str) -> None:
    rule = "CREATE RULE twice AS ON INSERT TO t DO ALSO (INSERT INTO a VALUES (new.x); INSERT INTO b VALUES (new.x))"
    with Database(url) as db:
        db.execute_script(f"CREATE TABLE t (x int); CREATE TABLE a (x int); CREATE TABLE b (x int); {rule}; SELECT 1")
        db.execute(rule.replace("twice", "again"))
        db.execute("INSERT INTO t VALUES (1)")
        assert db.fetch_value("SELECT count(*) FROM b") == 2
        fails(lambda: db.execute_script("SELECT (1; DROP TABLE t"), "CORM_E_SQL")
        assert db.fetch_value("SELECT count(*) FROM t") == 1


def test_what_a_function_of_a_select_wrote_is_known_to_caches(accounts: str) -> None:
    with Database(f"{accounts}?outbox=install&poll=3600000") as db:
        db.set_cache(Account, max_count=9, max_bytes=99999)
        db.execute(
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS "
            "$$ UPDATE account SET owner = 'x' WHERE id = 1; SELECT 1 $$"
        )
        for _ in range(2):
            db.find(Account, 1)
        with db.transaction():
            db.fetch_value("SELECT f()")
        assert db.find(Account, 1).owner == "x"


class Real(Model):
    id: Column[int] = column(primary_key=True)
    real: Column[float]


def test_a_text_beyond_the_doubles_is_no_infinity(url: str) -> None:
    with Database(url) as db:
        db.create_tables(Real)
        fails(lambda: db.execute("INSERT INTO real VALUES (1, ?)", ("1e999",)), "CORM_E_RANGE")
        assert db.count(Real) == 0
