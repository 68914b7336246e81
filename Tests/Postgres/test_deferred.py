"""Constraints that are looked at when a transaction ends, in the transactions that queued writes share."""

from __future__ import annotations

import threading

import pytest
from cormorant import Database, Error, UniqueViolation

LATE = {
    "unique": "CREATE TABLE t (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)",
    "exclusion": "CREATE TABLE t (a int, EXCLUDE USING btree (a WITH =) DEFERRABLE INITIALLY DEFERRED)",
    "trigger": """CREATE TABLE t (a int);
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF (SELECT count(*) > 1 FROM t WHERE a = NEW.a) THEN RAISE EXCEPTION 'twice'; END IF; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER once AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
            EXECUTE FUNCTION refuse()""",
}


@pytest.mark.parametrize("late", LATE)
def test_one_write_that_fails_at_the_end_fails_alone(url: str, late: str) -> None:
    may_go = threading.Event()
    with Database(url) as db:
        db.execute_script(LATE[late])
        db.execute("INSERT INTO t VALUES (1)")
        with db.queue() as queue:
            queue.add(lambda _: may_go.wait(20))
            bad = queue.add(lambda db: db.execute("INSERT INTO t VALUES (1)"))
            good = queue.add(lambda db: db.execute("INSERT INTO t VALUES (2)"))
            may_go.set()
            with pytest.raises(Error):
                bad.result(20)
            good.result(20)
        assert db.query("SELECT a FROM t ORDER BY a").fetch_all() == [(1,), (2,)]


def test_what_met_a_write_that_is_gone_is_run_again(url: str) -> None:
    may_go = threading.Event()
    with Database(url) as db:
        db.execute_script("CREATE TABLE t (a int PRIMARY KEY, b int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        db.execute("INSERT INTO t VALUES (0, 0)")
        with db.queue() as queue:
            queue.add(lambda _: may_go.wait(20))
            gone = queue.add(lambda db: db.execute("INSERT INTO t VALUES (1, 0)"))
            stays = queue.add(lambda db: db.execute("INSERT INTO t VALUES (1, 1)"))
            may_go.set()
            with pytest.raises(UniqueViolation, match=r"t\.b "):
                gone.result(20)
            stays.result(20)
        assert db.query("SELECT a, b FROM t ORDER BY a").fetch_all() == [(0, 0), (1, 1)]
