"""What metadata tell of a server's database: nothing is left out, and the number of queries is that of one table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cormorant import Database

SCHEMA = """
CREATE TYPE mood AS ENUM ('sad', 'it''s ok');
CREATE TYPE point3 AS (x double precision, "the y" integer);
CREATE TYPE prices AS RANGE (SUBTYPE = numeric);
CREATE DOMAIN code AS varchar(5) NOT NULL CHECK (VALUE <> '');
CREATE DOMAIN inner_code AS code;
CREATE SEQUENCE loose;
CREATE TABLE kinds (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  a smallint, b integer NOT NULL, c bigint, d real, e double precision, f numeric, g numeric(10,2),
  h boolean DEFAULT true,
  i text, j text COLLATE "C", k varchar(7), l char(3), n bytea, o uuid, p json, q jsonb, r date, s time, t timetz,
  u timestamp, v timestamptz DEFAULT now(), w interval, x inet, y integer[], z mood DEFAULT 'sad', aa inner_code,
  ab point3,
  ac prices, ad tsvector, ae text COLLATE ucs_basic, af text CHECK (length(af) <= 9),
  ag numeric CHECK (scale(ag) <= 3),
  ah integer DEFAULT -5, ai text DEFAULT 'it''s', aj bigserial, ak text GENERATED ALWAYS AS (lower(i)) STORED,
  "a ""b"" c" text
);
CREATE TABLE visit (at date NOT NULL, feels mood, CONSTRAINT visit_at UNIQUE (at)) PARTITION BY RANGE (at);
CREATE TABLE visit_2026 PARTITION OF visit FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE base (id bigint PRIMARY KEY, note text);
CREATE TABLE derived (more text) INHERITS (base);
CREATE UNLOGGED TABLE lesson (during tsrange, EXCLUDE USING gist (during WITH &&));
CREATE TABLE child (
  id bigserial PRIMARY KEY, base bigint
    CONSTRAINT to_base REFERENCES base ON DELETE SET NULL ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED,
  state text CHECK (state IN ('open', 'closed')), rank integer CHECK (rank <> ALL (ARRAY[1, 2]))
);
ALTER TABLE child ADD CONSTRAINT late FOREIGN KEY (id) REFERENCES base NOT VALID;
ALTER TABLE child ADD CONSTRAINT late_check CHECK (id > 0) NOT VALID;
CREATE INDEX child_gin ON kinds USING gin (q);
CREATE UNIQUE INDEX child_state ON child (lower(state) DESC, rank) INCLUDE (base) WHERE base IS NOT NULL;
CREATE INDEX child_like ON child (state text_pattern_ops);
ALTER TABLE base ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON base FOR SELECT TO PUBLIC USING (note <> '');
CREATE RULE quiet AS ON DELETE TO child DO INSTEAD NOTHING;
CREATE STATISTICS both_columns ON state, rank FROM child;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RETURN NULL; END $f$;
CREATE TRIGGER watch BEFORE INSERT OR UPDATE OF state ON child FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER emptied AFTER TRUNCATE ON child EXECUTE FUNCTION nothing();
CREATE VIEW shown AS SELECT id, state FROM child;
CREATE MATERIALIZED VIEW kept AS SELECT count(*) AS n FROM child;
CREATE TABLE "Case" (x integer);
CREATE TABLE "case" (x integer);
CREATE SCHEMA elsewhere;
CREATE TABLE elsewhere.hidden (id integer PRIMARY KEY);
CREATE TABLE leads (id integer PRIMARY KEY REFERENCES elsewhere.hidden);
"""


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    with Database(url) as database:
        database.execute_script(SCHEMA)
        yield database


@pytest.fixture
def tables(db: Database) -> dict[str, Any]:
    return {table.name: table for table in db.metadata().tables}


def test_tables_and_views(db: Database) -> None:
    names = [(table.name, table.kind) for table in db.metadata().tables]
    assert names == [
        ("kinds", "table"), ("visit", "table"), ("base", "table"), ("derived", "table"), ("lesson", "table"),
        ("child", "table"), ("Case", "table"), ("case", "table"), ("leads", "table"),
        ("shown", "view"), ("kept", "view"),
    ]  # fmt: skip


def test_columns_have_the_types_of_models(tables: dict[str, Any]) -> None:
    types = {column.name: column.type for column in tables["kinds"].columns}
    assert types == {
        "id": "int32", "a": "int32", "b": "int32", "c": "int64", "d": "float", "e": "double", "f": "decimal",
        "g": "decimal",
        "h": "bool", "i": "text", "j": "text", "k": "varchar", "l": "text", "n": "blob", "o": "uuid", "p": "json",
        "q": "json",
        "r": "date", "s": "time", "t": "text", "u": "datetime", "v": "datetime", "w": "text", "x": "text", "y": "text",
        "z": "text", "aa": "varchar", "ab": "text", "ac": "text", "ad": "text", "ae": "text", "af": "varchar",
        "ag": "decimal",
        "ah": "int32", "ai": "text", "aj": "int64", "ak": "text", 'a "b" c': "text",
    }  # fmt: skip
    columns = {column.name: column for column in tables["kinds"].columns}
    assert (columns["k"].length, columns["aa"].length, columns["af"].length) == (7, 5, 9)
    assert not columns["b"].is_nullable
    assert columns["c"].is_nullable
    defaults = {name: columns[name].default_sql for name in ("h", "v", "z", "ah", "ai", "b", "id")}
    assert defaults == {
        "h": "true", "v": "CURRENT_TIMESTAMP", "z": "'sad'", "ah": "-5", "ai": "'it''s'", "b": None, "id": None,
    }  # fmt: skip
    assert (columns["ak"].generated_sql, columns["ak"].is_stored) == ("lower(i)", True)
    assert columns["aj"].default_sql.startswith("nextval(")
    assert columns["g"].declared_type == "numeric(10,2)"
    assert tables["kinds"].rowid_column == tables["kinds"].primary_key[0] == "id"


def test_keys_indexes_checks_and_triggers(tables: dict[str, Any]) -> None:
    child = tables["child"]
    keys = {key.name: key for key in child.foreign_keys}
    assert keys["to_base"].on_delete == "set_null"
    assert keys["to_base"].on_update == "cascade"
    assert keys["to_base"].is_deferred
    assert keys["to_base"].table_columns == ("id",)
    checks = {check.name: (check.sql, check.column) for check in child.checks}
    assert checks["child_state_check"] == ("state IN ('open', 'closed')", "state")
    assert checks["child_rank_check"] == ("rank NOT IN (1, 2)", "rank")
    index = {index.name: index for index in child.indexes}["child_state"]
    assert (index.is_unique, index.origin, index.condition_sql) == (True, "index", "base IS NOT NULL")
    assert [(term.column, term.sql, term.is_descending) for term in index.terms] == [
        (None, "lower(state)", True), ("rank", '"rank"', False)
    ]  # fmt: skip
    assert [(trigger.name, trigger.timing, trigger.event, trigger.columns) for trigger in child.triggers] == [
        ("watch", "before", "insert", ()), ("watch", "before", "update", ("state",))
    ]  # fmt: skip
    assert ("to_one", "base") in [(relation.kind, relation.table) for relation in child.relations]
    assert child.rowid_column == "id"
    assert {column.name: column.is_unique for column in tables["visit"].columns}["at"]


def test_what_no_file_has_is_kept_by_its_kind_and_name(db: Database) -> None:
    problems = {(problem.type, problem.name): problem for problem in db.metadata().problems}
    assert sorted(problems) == sorted([
        ("enum", "mood"), ("type", "point3"), ("range", "prices"), ("domain", "code"), ("domain", "inner_code"),
        ("sequence", "loose"), ("identity", "id"), ("collation", "ae"), ("partitioned table", "visit"),
        ("partition", "visit_2026"), ("inheritance", "derived"), ("exclusion", "lesson_during_excl"),
        ("foreign key", "late"),
        ("check", "late_check"), ("index", "child_gin"), ("index", "child_state"), ("index", "child_like"),
        ("row security", "base"), ("policy", "own"), ("rule", "quiet"), ("statistics", "both_columns"),
        ("trigger", "emptied"),
        ("materialized view", "kept"), ("table", "case"), ("foreign key", "leads_id_fkey"),
    ])  # fmt: skip
    assert problems["enum", "mood"].sql == "CREATE TYPE mood AS ENUM ('sad', 'it''s ok')"
    assert problems["type", "point3"].sql == 'CREATE TYPE point3 AS (x double precision, "the y" integer)'
    assert problems["range", "prices"].sql == "CREATE TYPE prices AS RANGE (SUBTYPE = numeric)"
    assert problems["domain", "code"].sql.startswith("CREATE DOMAIN code AS character varying(5) NOT NULL CONSTRAINT ")
    assert problems["policy", "own"].sql == "CREATE POLICY own ON base FOR SELECT USING ((note <> ''::text))"
    bounds = "PARTITION OF visit FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')"
    assert problems["partition", "visit_2026"].sql.endswith(bounds)
    assert problems["foreign key", "leads_id_fkey"].message.startswith("it leads to elsewhere.hidden")


def test_the_sql_of_tables_makes_them_again(db: Database, url: str) -> None:
    """In another schema, with the types and sequences of this one."""
    db.execute_script("DROP TABLE leads, child CASCADE")
    before = {table.name: table for table in db.metadata().tables if table.kind == "table"}
    path = f"{url}?options=-csearch_path%3Dagain%2Cpublic"
    db.execute("CREATE SCHEMA again")
    with Database(path) as again:
        for name in ("kinds", "base", "lesson", "Case"):
            again.execute(before[name].sql)
        after = {table.name: table for table in again.metadata().tables}
        for name in ("kinds", "base", "lesson", "Case"):
            assert after[name].columns == before[name].columns, name
            assert after[name].checks == before[name].checks, name


def test_few_queries_whatever_there_is(url: str) -> None:
    def asked() -> int:
        with Database(url) as db:
            ran: list[str] = []
            db.set_trace(lambda sql, *_: ran.append(sql))
            db.metadata()
            return len(ran)

    with Database(url) as db:
        db.execute("CREATE TABLE one (id integer PRIMARY KEY)")
        few = asked()
        db.execute_script("".join(
            f"CREATE TABLE t{n} (id bigserial PRIMARY KEY, a text UNIQUE, b bigint REFERENCES one, CHECK (a <> ''));"
            for n in range(50)
        ))  # fmt: skip
    assert asked() == few < 15
