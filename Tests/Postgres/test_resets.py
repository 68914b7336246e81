"""Sessions after RESET ALL and DISCARD ALL: set up as they were opened, or not used any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from accounts import Account, fails
from cormorant import Database

RESETS = ["DISCARD ALL", "RESET ALL"]


def running(sql: str) -> Callable[[Any], None]:
    """A set-up."""
    return lambda connection: connection.execute_script(sql)


@pytest.mark.parametrize("reset", RESETS)
def test_a_session_that_is_reset_is_as_it_was_opened(accounts: str, reset: str) -> None:
    with Database(accounts, mode="read_only", set_up=running("SET search_path = tenant, public")) as db:
        db.execute("SET statement_timeout = '1h'")
        db.execute(reset)
        assert db.fetch_value("SHOW statement_timeout") == "0"
        assert db.fetch_value("SHOW search_path") == "tenant, public"
        fails(lambda: db.execute("DELETE FROM account"), "CORM_E_READ_ONLY")


def test_a_reset_in_a_transaction_keeps_it_to_reading(accounts: str) -> None:
    with Database(accounts, mode="read_only", set_up=running("RESET ALL")) as db:
        with db.transaction():
            db.execute("RESET ALL")
        fails(lambda: db.execute("DELETE FROM account"), "CORM_E_READ_ONLY")
        assert db.count(Account) == 1


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize("begun", ["", "BEGIN; "])
def test_a_set_up_that_fails_behind_a_reset_leaves_no_session_without_it(accounts: str, reset: str, begun: str) -> None:
    works = True

    def set_up(connection: Any) -> None:
        connection.execute_script(begun if not works else "")
        if not works:
            raise LookupError("no tenant")
        connection.execute_script("SET search_path = tenant, public")

    with Database(accounts, set_up=set_up) as db:
        assert db.fetch_value("SHOW search_path") == "tenant, public"
        works = False
        for sql in (reset, "SET search_path = elsewhere"):
            error = fails(lambda sql=sql: db.execute(sql), "CORM_E_CALLBACK")
            assert "no tenant" in error.message
        works = True
        assert db.fetch_value("SHOW search_path") == "tenant, public"
        db.execute(reset)
        assert db.fetch_value("SHOW search_path") == "tenant, public"
        with db.transaction():
            assert db.count(Account) == 1


def test_a_set_up_that_does_not_run_twice_has_a_new_session(accounts: str) -> None:
    with Database(
        accounts, set_up=running("CREATE TEMP TABLE mine (a integer); SET search_path = tenant, public")
    ) as db:
        for reset in [*RESETS, *RESETS]:
            db.execute("INSERT INTO mine VALUES (1)")
            db.execute("SET statement_timeout = '1h'")
            db.execute(reset)
            assert db.fetch_value("SHOW search_path") == "tenant, public"
            assert db.fetch_value("SHOW statement_timeout") == "0"
            assert db.fetch_value("SELECT count(*) FROM mine") == 0


def test_a_temporary_table_of_the_programs_does_not_go_unsaid(accounts: str) -> None:
    with Database(accounts, set_up=running("CREATE TEMP TABLE mine (a integer)")) as db:
        db.execute("CREATE TEMP TABLE account AS SELECT 1 AS id, 'T' AS owner, 99 AS balance")
        fails(lambda: db.execute("RESET ALL"), "CORM_E_CALLBACK")
    with Database(accounts, set_up=running("SET search_path = public")) as db:
        db.execute("CREATE TEMP TABLE account AS SELECT 1 AS id, 'T' AS owner, 99 AS balance")
        db.execute("RESET ALL")
        assert db.find(Account, 1).balance == 99
        db.execute("DISCARD ALL")
        assert db.find(Account, 1).balance == 10


@pytest.mark.parametrize(
    "sql",
    ["CREATE TEMP TABLE account AS SELECT 1::bigint AS id, 'T' AS owner, 99::bigint AS balance", "SET ROLE other"],
)
def test_rows_are_read_from_what_a_reset_leaves(accounts: str, sql: str) -> None:
    """A role's "$user" schema is another, as is a temporary table."""
    with Database(f"{accounts}?outbox=install&poll=3600000", set_up=running("SET work_mem = '8MB'")) as db:
        role = f"role_{db.fetch_value('SELECT current_database()')}"
        db.execute_script(
            f"CREATE ROLE {role}; CREATE SCHEMA {role} AUTHORIZATION {role}; CREATE TABLE {role}.account AS "
            f"SELECT 1::bigint AS id, 'T' AS owner, 99::bigint AS balance; ALTER TABLE {role}.account OWNER TO {role}"
        )
        try:
            db.set_cache(Account, max_count=100, max_bytes=1_000_000)
            assert [db.find(Account, 1).balance for _ in range(3)] == [10, 10, 10]
            db.execute(sql.replace("other", role))
            assert db.find(Account, 1).balance == 99
            db.execute("RESET ALL")
            assert [db.find(Account, 1).balance for _ in range(3)] == [99, 99, 99]
        finally:
            db.execute("DISCARD ALL")
            db.execute_script(f"DROP OWNED BY {role} CASCADE; DROP ROLE {role}")


def test_a_temporary_table_before_a_reset_in_one_script_is_seen_by_all(accounts: str) -> None:
    with Database(accounts, set_up=running("SET work_mem = '8MB'")) as db:
        db.execute_script("SELECT 5 AS balance INTO TEMP mine; RESET ALL")
        with db.transaction():
            assert db.fetch_value("SELECT balance FROM mine") == 5
        assert db.fetch_value("SELECT balance FROM mine") == 5


@pytest.mark.parametrize("reset", ["RESET ALL", "SET application_name = 'mine'"])
@pytest.mark.parametrize("is_in_transaction", [False, True])
def test_commits_behind_a_reset_are_own(accounts: str, reset: str, is_in_transaction: bool) -> None:
    with Database(f"{accounts}?outbox=install&poll=30") as db, db.observe(Account) as observer:
        db.execute("UPDATE account SET balance = 1")
        assert not observer.next(10).is_foreign
        if not is_in_transaction:
            db.execute(reset)
        with db.transaction():
            if is_in_transaction:
                db.execute(reset)
            db.execute("UPDATE account SET balance = 2")
        assert not observer.next(10).is_foreign
        with db.transaction():
            db.execute("SET application_name = 'it''s mine'")
            db.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
            db.execute("UPDATE account SET balance = 4")
        assert not observer.next(10).is_foreign
        db.execute("UPDATE account SET balance = 3")
        assert not observer.next(10).is_foreign


@pytest.mark.parametrize("reset", ["", *RESETS])
def test_commits_of_sessions_that_the_set_up_names_are_own(accounts: str, reset: str) -> None:
    with (
        Database(f"{accounts}?outbox=install&poll=30", set_up=running("SET application_name = 'mine'")) as db,
        db.observe(Account) as observer,
    ):
        db.execute("UPDATE account SET balance = 1")
        assert not observer.next(10).is_foreign
        if reset:
            db.execute(reset)
        db.execute("UPDATE account SET balance = 2")
        assert not observer.next(10).is_foreign
