"""Steps that are generated of models, on servers; what others write meanwhile, what is cut off, squash, way back."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cormorant import (
    Bundle,
    Column,
    Database,
    DisconnectedError,
    Error,
    MigrationDirtyError,
    MigrationError,
    Model,
    UniqueViolation,
    column,
    key,
)


class Kind(Model, table="kind"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]


class Item(Model, table="item"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]
    code: Column[int]
    price: Column[int | None] = column(default=None, kw_only=True)
    kind: Column[int] = column(default=1)


class Grown(Model, table="item"):
    """With all that many rows could keep others from."""

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str] = column(index=True)
    code: Column[int] = column(unique=True)
    price: Column[int] = column(default=3, default_sql="3", kw_only=True, check="price >= 0")
    kind: Column[int] = column(default=1, references="kind")
    stock: Column[int] = column(default=0, default_sql="7")


class Named(Model, table="item"):
    """With an index alone."""

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str] = column(index=True)
    code: Column[int]
    price: Column[int | None] = column(default=None, kw_only=True)
    kind: Column[int] = column(default=1)


class Part(Model, table="part"):
    """Refers to what becomes unique in the same step."""

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    item: Column[int] = column(references="item.code", index=True)


FILL = (
    "INSERT INTO kind (name) VALUES ('a'); INSERT INTO item (name, code, price, kind) "
    "SELECT 'item ' || n, n, CASE WHEN n > 5 THEN NULL ELSE n END, 1 FROM generate_series(1, {}) n"
)
INVALID = (
    "SELECT (SELECT count(*) FROM pg_index WHERE NOT indisvalid) + (SELECT count(*) FROM pg_constraint "
    "WHERE NOT convalidated OR conname LIKE 'corm\\_not%')"
)


@pytest.fixture
def folder(url: str, tmp_path: Path) -> Path:
    """Two steps: tables, and what is changed of them."""
    steps = tmp_path / "steps"
    with Database(url) as db:
        Bundle.generate(steps, "items", Kind, Item, server=db)
        Bundle.generate(steps, "grown", Kind, Grown, Part, server=db)
    return steps


@pytest.fixture
def indexed(url: str, tmp_path: Path) -> Path:
    """Two steps: tables, and an index."""
    steps = tmp_path / "indexed"
    with Database(url) as db:
        Bundle.generate(steps, "items", Kind, Item, server=db)
        Bundle.generate(steps, "named", Kind, Named, server=db)
    return steps


def made(db: Database, folder: Path, rows: int) -> Bundle:
    """The bundle, of which the first step is applied and its tables have rows."""
    bundle = Bundle(folder)
    bundle.apply(db, "0001_items")
    db.execute_script(FILL.format(rows))
    return bundle


def check(db: Database, bundle: Bundle, rows: int) -> None:
    """All is as the models say, the history has it, and nothing is half made."""
    assert [state.state for state in bundle.status(db)] == ["applied", "applied"]
    assert not bundle.drift(db)
    assert not db.plan(Kind, Grown, Part)
    assert db.query(INVALID).fetch_all() == [(0,)]
    assert db.query(
        "SELECT count(*), CAST(sum(price) AS bigint), CAST(sum(stock) AS bigint) FROM item"
    ).fetch_all() == [(rows, 15 + 3 * (rows - 5), 7 * rows)]


def server_part(step: Path, name: str = "up.sql") -> str:
    return (step / name).read_text().split("-- engine: postgresql\n")[1]


def test_what_keeps_others_waiting_stands_outside_the_transaction(url: str, folder: Path) -> None:
    text = server_part(folder / "0001_items")
    assert "CONCURRENTLY" not in text and "outside" not in text
    up = (folder / "0002_grown" / "up.sql").read_text()
    file, text = up.split("-- engine: postgresql\n")
    inside, outside = text.split("-- outside transaction\n")
    # SQLite's text has none of it.
    assert "CONCURRENTLY" not in file and "VALID" not in file and "outside" not in file and "CREATE INDEX" in file
    assert inside.count("NOT VALID") == 2 and 'ADD COLUMN "stock"' in inside and "CREATE INDEX" in inside
    assert 'ON "part"' in inside and "CONCURRENTLY" not in inside
    assert outside.count("CREATE INDEX CONCURRENTLY") == 1 and outside.count("CREATE UNIQUE INDEX CONCURRENTLY") == 1
    assert outside.count("VALIDATE CONSTRAINT") == 3 and outside.count("COMMIT;") == 1
    assert outside.index("UNIQUE INDEX CONCURRENTLY") < outside.index('REFERENCES "item"')
    down = server_part(folder / "0002_grown", "down.sql")
    assert "CONCURRENTLY" not in down and "outside" not in down


def test_a_generated_step_goes_up_and_down_on_both_engines(url: str, folder: Path, tmp_path: Path) -> None:
    with Database(url) as db, Database(tmp_path / "a.db") as file:
        for target in (db, file):
            bundle = Bundle(folder)
            bundle.apply(target, "0001_items")
            target.execute("INSERT INTO kind (name) VALUES ('a')")
            target.execute("INSERT INTO item (name, code, price, kind) VALUES ('x', 1, NULL, 1)")
            for _ in range(2):
                bundle.apply(target)
                assert target.query("SELECT price, stock FROM item").fetch_all() == [(3, 7)]
                assert not target.plan(Kind, Grown, Part)
                bundle.revert(target, "0001_items", allow_lossy=True)
                assert [state.state for state in bundle.status(target)] == ["applied", "pending"]
                assert not target.plan(Kind, Item)
            bundle.apply(target)
        # Made without the bundle, it is known for what the steps leave.
        db.execute("DROP TABLE corm_migrations")
        bundle.adopt(db)
        assert not bundle.drift(db)


@contextmanager
def halfway(url: str, indexed: Path) -> Iterator[tuple[Database, Bundle, subprocess.Popen[str]]]:
    """While a process makes the step's index, kept from its end by a transaction that has written to the table."""
    with Database(url) as blocker, Database(url) as other:
        bundle = made(other, indexed, 3_000)
        blocker.execute_script("BEGIN; UPDATE item SET name = name WHERE id = 1")
        text = f"import cormorant\nwith cormorant.Database({url!r}) as db: cormorant.Bundle({str(indexed)!r}).apply(db)"
        client = subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.PIPE, text=True)
        wait_until(other, HALF)
        yield other, bundle, client
        blocker.execute_script("COMMIT")
        client.communicate(timeout=60)
        wait_until(other, f"SELECT count(*) = 0 FROM pg_stat_activity WHERE {MAKING}")


def wait_until(db: Database, sql: str) -> None:
    deadline = time.monotonic() + 60
    while not db.query(sql).fetch_all()[0][0]:
        assert time.monotonic() < deadline, sql
        time.sleep(0.02)


HALF = "SELECT count(*) FROM pg_index WHERE NOT indisvalid"
MAKING = "state = 'active' AND query LIKE 'CREATE%INDEX CONCURRENTLY%'"


def test_others_write_while_the_index_is_made(url: str, indexed: Path) -> None:
    with Database(url, busy_timeout=0.5) as writer, halfway(url, indexed) as (other, bundle, client):
        # Whoever would wait for a plain CREATE INDEX would wait behind it now.
        for number in range(20):
            writer.execute("UPDATE item SET name = 'new' WHERE id = ?", [number + 2])
        assert other.query(HALF).fetch_all() == [(1,)]
        assert [state.state for state in bundle.status(other)] == ["applied", "dirty"]
    assert client.returncode == 0
    with Database(url) as db:
        assert [state.state for state in bundle.status(db)] == ["applied", "applied"]
        assert db.query(HALF).fetch_all() == [(0,)]
        assert not db.plan(Kind, Named)


def test_a_writer_never_waits_as_long_as_the_step_takes(url: str, folder: Path) -> None:
    rows = 300_000
    with Database(url) as db, Database(url) as writer:
        bundle = made(db, folder, rows)
        waits: list[float] = []
        is_over = threading.Event()

        def write() -> None:
            number = 0
            while not is_over.is_set():
                number += 1
                began = time.monotonic()
                writer.execute("UPDATE item SET name = ? WHERE id = ?", [f"new {number}", 1 + number * 7919 % rows])
                waits.append(time.monotonic() - began)

        thread = threading.Thread(target=write)
        thread.start()
        began = time.monotonic()
        bundle.apply(db)
        took = time.monotonic() - began
        is_over.set()
        thread.join()
        print(f"{len(waits)} writes; longest wait {max(waits):.3f} s of {took:.3f} s")
        assert max(waits) < took / 3
        check(db, bundle, rows)


ENDING = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ? AND pid <> pg_backend_pid()"


def test_what_was_cut_off_behind_any_statement_goes_on(url: str, folder: Path) -> None:
    """The connection is ended behind each statement in turn (here each third), until there is none left."""
    rows = 100
    with Database(url) as other:
        bundle = made(other, folder, rows)
        name = url.rsplit("/", 1)[1]
        places = 0
        seen: set[tuple[str, int]] = set()
        for place in range(1, 1000, 1 if "CORMORANT_SOAK" in os.environ else 3):
            ran = 0

            def end(sql: str, _: object, place: int = place) -> None:
                nonlocal ran
                # What only reads changes nothing.
                ran += not sql.lstrip().startswith(("SELECT", "WITH", "SHOW"))
                if ran == place:
                    other.execute(ENDING, [name])

            with Database(url) as db:
                db.set_trace(end)
                with contextlib.suppress(DisconnectedError):
                    bundle.apply(db)
            if ran < place:
                break
            places = place
            found = other.query("SELECT state, done FROM corm_migrations ORDER BY id DESC LIMIT 1").fetch_all()
            seen.add((str(found[0][0]), int(found[0][1])))
            with Database(url) as db:
                bundle.apply(db)
                check(db, bundle, rows)
                bundle.revert(db, "0001_items", allow_lossy=True)
                db.execute("UPDATE item SET price = NULL WHERE id > 5")
        print(places, "statements;", sorted(seen))
        assert places > 20
        # Before the step, behind each of its parts, and at its end.
        assert len(seen) > 6


@pytest.mark.parametrize("is_ended", [True, False])
def test_a_step_whose_process_was_killed_is_neither_drift_nor_taken_back_and_goes_on(
    url: str, indexed: Path, is_ended: bool
) -> None:
    with halfway(url, indexed) as (other, bundle, client):
        client.kill()
        if is_ended:
            client.wait()
            other.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {MAKING}")
            wait_until(other, f"SELECT count(*) = 0 FROM pg_stat_activity WHERE {MAKING}")
    with Database(url) as db:
        # Else the server has made it whole, and nobody has noted it.
        assert db.query(HALF).fetch_all() == [(int(is_ended),)]
        assert db.query("SELECT state, done FROM corm_migrations WHERE id = '0002_named'").fetch_all() == [
            ("running", 0)
        ]
        # A step under way is neither drift nor taken back.
        assert not bundle.drift(db)
        with pytest.raises(MigrationDirtyError) as caught:
            bundle.revert(db, "0001_items")
        assert "apply the bundle that began it" in str(caught.value.hint)
        bundle.apply(db)
        assert [state.state for state in bundle.status(db)] == ["applied", "applied"]
        assert db.query(HALF).fetch_all() == [(0,)]
        assert not db.plan(Kind, Named)
        bundle.revert(db, "0001_items")
        assert not db.plan(Kind, Item)


def test_rows_that_break_what_is_wanted_are_mended_and_the_step_goes_on(url: str, folder: Path) -> None:
    with Database(url) as db:
        bundle = made(db, folder, 100)
        db.execute("UPDATE item SET code = 7 WHERE id = 8")
        with pytest.raises(UniqueViolation) as caught:
            bundle.apply(db)
        assert "mend the rows, then apply the bundle again" in str(caught.value.hint)
        assert db.query("SELECT count(*) FROM pg_index WHERE NOT indisvalid").fetch_all() == [(0,)]
        db.execute("UPDATE item SET code = 8 WHERE id = 8")
        bundle.apply(db)
        check(db, bundle, 100)


def test_what_fails_within_the_transaction_leaves_nothing(url: str, folder: Path) -> None:
    with Database(url) as db:
        bundle = made(db, folder, 10)
        db.execute("CREATE TABLE part (other integer)")
        with pytest.raises(Error, match="part"):
            bundle.apply(db)
        assert [state.state for state in bundle.status(db)] == ["applied", "pending"]
        db.execute("DROP TABLE part")
        bundle.apply(db)
        check(db, bundle, 10)


def test_programs_that_come_together_run_each_part_once(url: str, folder: Path) -> None:
    rows = 10_000
    with Database(url) as db:
        bundle = made(db, folder, rows)
        failures: list[BaseException] = []
        applied: list[str] = []

        def apply() -> None:
            try:
                with Database(url, busy_timeout=60) as own:
                    Bundle(folder).apply(own)
                    applied.append("")
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=apply) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures, failures
        check(db, bundle, rows)


def test_squashed_steps_make_plainly_what_they_have_the_tables_of(url: str, folder: Path, tmp_path: Path) -> None:
    with Database(url) as db, Database(tmp_path / "a.db") as file:
        former = Bundle(folder)
        for target in (db, file):
            former.apply(target)
        Bundle.squash(folder)
        text = (folder / "0002_grown" / "up.sql").read_text()
        for word in ("CONCURRENTLY", "outside", "COMMIT;"):
            assert word not in text, text
        assert 'CREATE UNIQUE INDEX "item_code_key" ON "item"' in text
        squashed = Bundle(folder)
        for target in (db, file):
            # Who has them all has the one that stands for them.
            squashed.apply(target)
            assert [state.state for state in squashed.status(target)] == ["applied"]
            assert not squashed.drift(target)
            squashed.revert(target, None)
            squashed.apply(target)
            assert [state.state for state in squashed.status(target)] == ["applied"]
            assert not target.plan(Kind, Grown, Part)
        # One transaction: what fails in it leaves nothing.
        squashed.revert(db, None)
        db.execute("CREATE TABLE part (other integer)")
        with pytest.raises(Error, match="part"):
            squashed.apply(db)
        assert db.query("SELECT to_regclass('item') IS NULL").fetch_all() == [(True,)]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("CREATE INDEX CONCURRENTLY others_name ON others (name)", 'changes "others", which no step has made,'),
        ("ALTER TABLE ONLY public.others VALIDATE CONSTRAINT c", 'changes "others", which no step has made,'),
        ("VACUUM kind", "runs VACUUM kind"),
        ("DO 'BEGIN COMMIT; END'", "runs DO 'BEGIN COMMIT; END'"),
    ],
)
def test_what_cannot_be_joined_is_refused(url: str, tmp_path: Path, sql: str, said: str) -> None:
    for number, up in enumerate(("CREATE TABLE kind (name text)", f"SELECT 1;\n-- outside transaction\n{sql}")):
        step = tmp_path / f"000{number}_x"
        step.mkdir()
        (step / "up.sql").write_text(f"-- engine: postgresql\n{up};\n-- engine: sqlite\nSELECT 1;\n")
    Bundle.seal(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(MigrationError) as caught:
        Bundle.squash(tmp_path)
    assert said in str(caught.value) and "cannot be joined with others" in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_step_by_hand_has_a_transaction_before_what_has_none(url: str) -> None:
    bundle = Bundle()
    bundle.add(
        "1",
        up="CREATE TABLE a (x integer);\nINSERT INTO a VALUES (1);\n-- outside transaction\n"
        "DROP INDEX CONCURRENTLY nowhere;\nCREATE INDEX CONCURRENTLY a_x ON a (x);\n",
        down="DROP TABLE a",
    )
    with Database(url) as db:
        with pytest.raises(Error, match=r"line 4 of up: .*nowhere"):
            bundle.apply(db)
        assert db.query("SELECT state, done FROM corm_migrations").fetch_all() == [("running", 2)]
        db.execute("CREATE INDEX nowhere ON a (x)")
        bundle.apply(db)
        assert db.query("SELECT count(*) FROM a").fetch_all() == [(1,)]
        assert db.query("SELECT to_regclass('nowhere') IS NULL, to_regclass('a_x') IS NULL").fetch_all() == [
            (True, False)
        ]
        bundle.revert(db, None, allow_lossy=True)
        assert db.query("SELECT to_regclass('a') IS NULL").fetch_all() == [(True,)]


def test_a_step_that_loses_rows_asks_for_its_word_wherever_that_stands(url: str) -> None:
    losing = ["DROP TABLE a;\n-- outside transaction\nSELECT 1", "SELECT 1;\n-- outside transaction\nDROP TABLE a"]
    with Database(url) as db:
        db.execute_script("CREATE TABLE a (x integer); INSERT INTO a VALUES (1)")
        for up in losing:
            bundle = Bundle()
            bundle.add("1", up=up)
            with pytest.raises(MigrationError, match=r'would lose 1 row of "a"'):
                bundle.apply(db)
            assert [state.state for state in bundle.status(db)] == ["pending"]
        # What takes its place within the transaction is counted there.
        bundle = Bundle()
        bundle.add(
            "1",
            up="ALTER TABLE a RENAME TO old;\nCREATE TABLE a (x bigint);\nINSERT INTO a SELECT x FROM old WHERE x > 1;"
            "\nDROP TABLE old;\n-- outside transaction\nCREATE INDEX CONCURRENTLY a_x ON a (x)",
        )
        with pytest.raises(MigrationError, match=r'would lose 1 row of "a"'):
            bundle.apply(db)
        assert db.query("SELECT x FROM a").fetch_all() == [(1,)]


def test_a_step_that_was_generated_for_files_alone_is_not_run_on_a_server(url: str, tmp_path: Path) -> None:
    with Database(url) as db:
        Bundle.generate(tmp_path, "kinds", Kind)
        bundle = Bundle(tmp_path)
        with pytest.raises(MigrationError, match="0001_kinds was generated without a server") as caught:
            bundle.apply(db)
        assert caught.value.hint and "option server" in caught.value.hint
        assert [state.state for state in bundle.status(db)] == ["pending"]
        assert db.query("SELECT to_regclass('kind') IS NULL").fetch_all() == [(True,)]
        # Who says that both engines run it is taken at the word.
        path = tmp_path / "0001_kinds" / "up.sql"
        path.write_text("-- engine: all\n" + path.read_text())
        Bundle.seal(tmp_path)
        Bundle(tmp_path).apply(db)
        with pytest.raises(Error, match="the table makes none") as keyless:
            db.insert(Kind("a"))
        assert keyless.value.hint == "give the record its key, or sync the model, which makes the column one"
        db.sync(Kind)
        db.insert(Kind("a"))


def test_a_step_that_files_have_is_given_to_servers_too(url: str, tmp_path: Path) -> None:
    """The line that says so is none of the checksum."""
    Bundle.generate(tmp_path, "kinds", Kind)
    with Database(":memory:") as file, Database(url) as db:
        Bundle(tmp_path).apply(file)
        with pytest.raises(MigrationError, match="generated without a server") as caught:
            Bundle(tmp_path).apply(db)
        assert caught.value.hint is not None
        assert "which its checksum leaves out, and seal the bundle" in caught.value.hint
        path = tmp_path / "0001_kinds" / "up.sql"
        path.write_text("-- engine: all\n" + path.read_text())
        Bundle.seal(tmp_path)
        bundle = Bundle(tmp_path)
        assert [state.state for state in bundle.status(file)] == ["applied"]
        assert not bundle.apply(file)
        bundle.apply(db)
        assert [state.state for state in bundle.status(db)] == ["applied"]


def test_squash_joins_no_step_for_files_alone_with_one_for_a_server(url: str, tmp_path: Path) -> None:
    class Plain(Model, table="plain"):
        id: Column[int] = key()

    Bundle.generate(tmp_path, "kinds", Kind)
    with Database(url) as db:
        Bundle.generate(tmp_path, "plain", Plain, server=db)
        with pytest.raises(MigrationError, match="0001_kinds was generated without a server"):
            Bundle.squash(tmp_path)
        path = tmp_path / "0001_kinds" / "up.sql"
        path.write_text("-- engine: all\n" + path.read_text())
        Bundle.seal(tmp_path)
        Bundle.squash(tmp_path)
        Bundle(tmp_path).apply(db)
