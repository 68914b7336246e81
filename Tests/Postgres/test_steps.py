"""Steps of a bundle on a server: what they set ends with them, and what they take along asks for its word."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from cormorant import Bundle, Database, Error, MigrationError, NotSupportedError


def test_what_a_step_sets_ends_with_it(url: str) -> None:
    bundle = Bundle()
    bundle.add(
        "1",
        """
        SET datestyle = 'ISO, DMY'; SELECT set_config('statement_timeout', '5min', false);
        SET application_name = 'step';
        CREATE TABLE t (d date); CREATE TEMP TABLE k (a integer); CREATE TEMP VIEW v AS SELECT a FROM k;
        INSERT INTO t VALUES ('01/02/2020');
        """,
    )
    bundle.add("2", "INSERT INTO t VALUES ('01/02/2020');")
    with Database(url, writer_count=1) as db:
        db.execute_script("SET application_name = 'mine'; CREATE TEMP TABLE kept (a integer)")
        bundle.apply(db)
        assert db.fetch_values("SELECT CAST(d AS text) FROM t") == ["2020-02-01", "2020-01-02"]
        assert db.fetch_value("SELECT current_setting('datestyle')") == "ISO, MDY"
        assert db.fetch_value("SELECT current_setting('statement_timeout')") == "0"
        assert db.fetch_value("SELECT current_setting('application_name')") == "mine"
        temporary = "SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()"
        assert db.fetch_values(temporary) == ["kept"]


@pytest.mark.parametrize("start", ["SET ROLE pg_read_all_data;", "SELECT 1;\n-- outside transaction\n"])
def test_what_a_step_sets_by_itself_ends_with_it_too(url: str, start: str) -> None:
    bundle = Bundle()
    bundle.add(
        "1",
        start
        + """
        SET datestyle = 'ISO, DMY'; SET my.one = 'step'; SET lock_timeout = '9s';
        DO $$ BEGIN PERFORM set_config('my.two', 'step', false); SET my.three = 'step'; END $$;
        CREATE TEMP TABLE k (a integer);
        """,
    )
    with Database(url, writer_count=1) as db:
        db.execute_script("SET my.one = 'mine'; CREATE TEMP TABLE kept (a integer)")
        before = db.fetch_value("SELECT current_setting('lock_timeout')")
        bundle.apply(db)
        assert [state.state for state in bundle.status(db)] == ["applied"]
        settings = db.query(
            "SELECT current_setting('datestyle'), current_setting('my.one'), current_setting('my.two', true), "
            "current_setting('my.three', true), current_setting('role'), current_setting('lock_timeout')"
        ).fetch_all()
        assert settings == [("ISO, MDY", "mine", "", "", "none", before)]
        temporary = "SELECT relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()"
        assert db.fetch_values(temporary) == ["kept"]


def test_the_way_back_does_plainly_what_stands_outside_a_transaction(url: str) -> None:
    bundle = Bundle()
    bundle.add("1", "CREATE TABLE p (n integer)", down="DROP TABLE p")
    bundle.add(
        "2",
        "-- outside transaction\nCREATE INDEX CONCURRENTLY i ON p (n);",
        down="INSERT INTO p VALUES (1);\n-- outside transaction\nDROP INDEX CONCURRENTLY IF EXISTS i;\nVACUUM p;",
    )
    with Database(url) as db:
        bundle.apply(db)
        bundle.revert(db, "1")
        assert [state.state for state in bundle.status(db)] == ["applied", "pending"]
        assert db.query("SELECT to_regclass('i') IS NULL, (SELECT count(*) FROM p)").fetch_all() == [(True, 1)]


def test_another_index_of_the_name_is_not_the_steps(url: str) -> None:
    """Mended: the step was noted as applied without it, and what failed dropped the other one."""
    bundle = Bundle()
    bundle.add("1", "CREATE TABLE a (x integer); CREATE TABLE b (y integer); CREATE INDEX i ON a (x)")
    bundle.add("2", "-- outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY i ON b (y)")
    with Database(url) as db:
        with pytest.raises(Error, match="already exists"):
            bundle.apply(db)
        assert bundle.status(db)[0].state == "applied"
        of = "SELECT indrelid::regclass::text FROM pg_index WHERE indexrelid = 'i'::regclass"
        assert db.fetch_value(of) == "a"


@pytest.mark.parametrize("start", ["", "-- outside transaction\n"])
def test_statements_that_hold_others_are_one(url: str, start: str) -> None:
    bundle = Bundle()
    bundle.add("1", "CREATE TABLE t (x integer); CREATE TABLE a (x integer); CREATE TABLE b (x integer)")
    bundle.add(
        "2",
        start
        + """
        CREATE RULE r AS ON INSERT TO t DO ALSO (INSERT INTO a VALUES (new.x); INSERT INTO b VALUES (new.x););
        CREATE OR REPLACE FUNCTION f(begin integer) RETURNS integer LANGUAGE sql BEGIN ATOMIC
            SELECT CASE WHEN begin > 0 THEN 1 END; SELECT CASE begin WHEN 1 THEN 2 ELSE 3 END; END;
        CREATE PROCEDURE p() LANGUAGE sql BEGIN ATOMIC INSERT INTO a VALUES (7); INSERT INTO b VALUES (8); END;
        INSERT INTO t SELECT f(1); CALL p();
        """,
    )
    with Database(url) as db:
        bundle.apply(db)
        assert db.fetch_values("SELECT x FROM t UNION ALL SELECT x FROM a UNION ALL SELECT x FROM b") == [2, 2, 7, 2, 8]


def test_a_partition_is_detached_concurrently(url: str) -> None:
    bundle = Bundle()
    bundle.add(
        "1",
        "CREATE TABLE p (x integer) PARTITION BY LIST (x); CREATE TABLE q PARTITION OF p FOR VALUES IN (1)",
    )
    bundle.add("2", "-- outside transaction\nALTER TABLE IF EXISTS public.p DETACH PARTITION public.q CONCURRENTLY;")
    with Database(url) as db:
        bundle.apply(db)
        assert db.count("SELECT 1 FROM pg_inherits") == 0


def test_what_a_block_makes_anew_or_finds_empty_is_no_loss(url: str) -> None:
    bundle = Bundle()
    bundle.add(
        "1",
        """
        INSERT INTO log VALUES ('before');
        DO $$ BEGIN
          CREATE TABLE new (id integer, name text); INSERT INTO new SELECT * FROM t; DROP TABLE t;
          ALTER TABLE new RENAME TO t; DROP TABLE empty; ALTER TABLE log ADD COLUMN more text; TRUNCATE t;
          INSERT INTO t VALUES (7, 'g');
        END $$;
        """,
        down="DO $$ BEGIN ALTER TABLE log DROP COLUMN more; CREATE TABLE empty (id integer); END $$",
    )
    with Database(url) as db:
        db.execute_script(
            "CREATE TABLE t (id integer, name text); INSERT INTO t VALUES (1, 'a'); CREATE TABLE empty (id integer);"
            "CREATE TABLE log (line text)"
        )
        bundle.apply(db)
        assert db.query("SELECT id, name FROM t").fetch_all() == [(7, "g")]
        assert db.fetch_values("SELECT line FROM log") == ["before"]
        db.execute("UPDATE log SET more = 'm'")
        with pytest.raises(MigrationError, match='would lose 1 value of "more" of "log"'):
            bundle.revert(db, None)
        bundle.revert(db, None, allow_lossy=True)


def test_what_others_drop_meanwhile_is_not_the_steps(url: str) -> None:
    bundle = Bundle()
    bundle.add("1", "SELECT nextval('runs'); SELECT pg_advisory_xact_lock(7); CREATE TABLE made (a integer)")
    with Database(url) as db, Database(url, writer_count=1) as other, ThreadPoolExecutor() as threads:
        db.execute_script(
            "CREATE TABLE theirs (a integer); INSERT INTO theirs VALUES (1); CREATE SEQUENCE runs;"
            "CREATE TABLE wide (a integer, b integer); INSERT INTO wide VALUES (1, 2)"
        )
        with other.transaction():
            other.execute("SELECT pg_advisory_xact_lock(7)")
            applied = threads.submit(bundle.apply, db)
            while not other.fetch_value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
                time.sleep(0.01)
            other.execute_script("DROP TABLE theirs; CREATE TABLE theirs (b integer); ALTER TABLE wide DROP COLUMN b")
        applied.result()
        assert db.fetch_value("SELECT last_value FROM runs") == 1


def test_a_block_that_makes_less_anew_asks_for_its_word(url: str) -> None:
    bundle = Bundle()
    bundle.add("1", "DO $$ BEGIN CREATE TABLE n AS SELECT id FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t; END $$")
    with Database(url) as db:
        db.execute_script("CREATE TABLE t (id integer, name text); INSERT INTO t VALUES (1, 'a'), (2, NULL)")
        with pytest.raises(MigrationError, match='would lose 1 value of "name" of "t"'):
            bundle.apply(db)
        assert db.query("SELECT count(name), count(*) FROM t").fetch_all() == [(1, 2)]


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE other",
        "ALTER TABLE keep ALTER COLUMN name TYPE varchar(50) USING name::varchar(50);\nDROP TABLE other",
        "DROP TABLE IF EXISTS empty, Other CASCADE",
        "ALTER TABLE keep ADD COLUMN size numeric(4, 2), DROP COLUMN IF EXISTS name",
        "ALTER TABLE IF EXISTS ONLY keep DROP name",
        "-- what follows is the server's\nSELECT $$DROP$$; DROP TABLE public.other -- and gone",
        "TRUNCATE other",
        "TRUNCATE TABLE ONLY empty, public.Other RESTART IDENTITY",
        "TRUNCATE parent CASCADE",
        "DROP SCHEMA aside CASCADE",
        "DROP SCHEMA IF EXISTS nowhere, aside CASCADE",
        "DROP TYPE mood CASCADE",
        "DROP DOMAIN public.code CASCADE",
        "DO $$ BEGIN DROP TABLE other; END $$",
        "DO $$ BEGIN EXECUTE 'ALTER TABLE keep DROP COLUMN name'; END $$",
        "DO $$ BEGIN ALTER TABLE keep RENAME TO kept; ALTER TABLE kept DROP COLUMN name; END $$",
        "DO $$ BEGIN TRUNCATE other; END $$",
        "DROP TABLE aside.deep",
        "ALTER TABLE aside.deep DROP COLUMN id",
        "DROP TABLE part_1",
        "SELECT dropping()",
        "SELECT 1;\n-- outside transaction\nDO $$ BEGIN DROP TABLE other; END $$",
    ],
)
def test_a_step_that_loses_rows_asks_for_its_word(url: str, sql: str) -> None:
    bundle = Bundle()
    bundle.add("1", up=sql)
    with Database(url) as db:
        db.execute_script(
            "CREATE TABLE keep (id integer PRIMARY KEY, name text); CREATE TABLE other (id integer PRIMARY KEY);"
            "CREATE TABLE empty (id integer); INSERT INTO keep VALUES (1, 'a'); INSERT INTO other VALUES (1);"
            "CREATE TABLE parent (id integer PRIMARY KEY); CREATE TABLE child (id integer REFERENCES parent);"
            "INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1);"
            "CREATE SCHEMA aside; CREATE TABLE aside.deep (id integer); INSERT INTO aside.deep VALUES (1);"
            "CREATE TYPE mood AS ENUM ('sad'); CREATE DOMAIN code AS text; CREATE TABLE own (m mood, c code);"
            "INSERT INTO own VALUES ('sad', 'a');"
            "CREATE TABLE part (id integer) PARTITION BY LIST (id); CREATE TABLE part_1 PARTITION OF part DEFAULT;"
            "INSERT INTO part VALUES (1);"
            "CREATE FUNCTION dropping() RETURNS void LANGUAGE plpgsql AS 'BEGIN DROP TABLE public.other; END'"
        )
        with pytest.raises(MigrationError, match=r"1 (row|value)"):
            bundle.apply(db)
        assert db.query("SELECT name, other.id FROM keep, other").fetch_all() == [("a", 1)]
        bundle.apply(db, allow_lossy=True)


@pytest.mark.parametrize("table", ["u", "t"])
def test_an_index_that_another_program_makes_is_not_the_steps(url: str, table: str) -> None:
    """Mended: one that is not whole, or not yet, was dropped."""
    bundle = Bundle()
    bundle.add("1", "CREATE TABLE t (x integer); CREATE TABLE u (x integer)")
    bundle.add("2", "-- outside transaction\nCREATE INDEX CONCURRENTLY i ON t (x)")
    with Database(url) as db:
        bundle.apply(db, "1")
        db.execute(f"INSERT INTO {table} VALUES (1), (1)")
        with pytest.raises(Error):
            db.execute(f"CREATE UNIQUE INDEX CONCURRENTLY i ON {table} (x)")
        assert not db.fetch_value("SELECT indisvalid FROM pg_index WHERE indexrelid = 'i'::regclass")
        with pytest.raises(Error, match="already exists"):
            bundle.apply(db)
        assert db.fetch_value("SELECT indrelid::regclass::text FROM pg_index WHERE indexrelid = 'i'::regclass") == table


def test_an_index_that_could_not_be_made_goes_where_its_table_is(url: str) -> None:
    """Mended: one of its name in the schema before was looked at instead."""
    bundle = Bundle()
    bundle.add("1", 'CREATE TABLE public."T" (x integer); INSERT INTO public."T" VALUES (1), (1)')
    bundle.add("2", '-- outside transaction\nCREATE UNIQUE INDEX CONCURRENTLY i ON ONLY public."T" (x)')
    with Database(url) as db:
        db.execute_script("CREATE SCHEMA s; CREATE TABLE s.t (x integer); CREATE INDEX i ON s.t (x)")
    with Database(f"{url}?options=-csearch_path%3Ds,public") as db:
        with pytest.raises(Error, match="UNIQUE"):
            bundle.apply(db)
        assert db.fetch_values("SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid") == []
        assert db.fetch_value("SELECT indisvalid FROM pg_index WHERE indexrelid = 's.i'::regclass")


def test_what_needs_a_session_is_refused_behind_a_pooler(pooler: str) -> None:
    """Lock and unlock would reach different servers, one of which would keep the lock."""
    bundle = Bundle()
    bundle.add("1", "CREATE TABLE through (x integer)")
    bundle.add("2", "-- outside transaction\nCREATE INDEX CONCURRENTLY through_x ON through (x)")
    with Database(f"{pooler}?prepare=never") as db:
        with pytest.raises(NotSupportedError, match="needs a session"):
            bundle.apply(db)
        assert [step.state for step in bundle.status(db)] == ["applied", "pending"]
        assert db.count("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'") == 0
    with Database(pooler) as db:
        bundle.apply(db)
        db.execute("DROP TABLE through")
