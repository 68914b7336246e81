"""What type checkers must accept of migrations: checked by mypy --strict and pyright, never run."""

from datetime import datetime
from pathlib import Path
from typing import Literal

from typing_extensions import assert_type

from cormorant import (
    Bundle,
    BundleState,
    Column,
    Database,
    MigrationDriftError,
    MigrationError,
    Model,
    Plan,
    PlanProblem,
    PlanStep,
    ProgrammingError,
    Progress,
    Schema,
    SchemaChange,
    VersionStep,
    column,
)


class Person(
    Model, table="people", renamed_from="persons", allow_drop=["age"], seed_sql="INSERT INTO people VALUES (1, 'Ann')"
):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str] = column(renamed_from="title", convert_sql="upper(title)")


def show(progress: Progress) -> None:
    print(progress.step, progress.index + 1, progress.count, progress.done, progress.total)


def fill(db: Database) -> int:
    return db.insert_many([Person("Ann")])


with Database("file.db") as db:
    plan = db.plan(Person, allow_drop=["old"])
    assert_type(plan, Plan)
    assert_type(db.sync(Person, snapshot=Path("before.db"), drop_snapshot=True, progress=True), Plan)
    db.sync(Person, progress=show)
    db.sync(Person, progress=lambda progress: progress.done < 1_000)
    plan.apply(db, progress=lambda progress: None)
    for step in plan.steps:
        assert_type(step, PlanStep)
        assert_type(step.risk, Literal["safe", "annotated", "unchecked", "lossy", "undecided"])
        assert_type(step.rows, int | None)
        assert_type(step.changes, tuple[SchemaChange, ...])
        assert_type(step.sql, tuple[str, ...])
    assert_type(plan.problems, tuple[PlanProblem, ...])
    assert_type(plan.sql, str)
    assert_type(plan.json(), str)
    assert_type(db.schema(), Schema)
    assert_type(Schema.of(Person).hash, str)
    assert_type(Schema.parse("CREATE TABLE a (x)") == db.schema(), bool)
    assert_type(Plan.between(db.schema(), Schema.of(Person), database=db, allow_drop=("a", "b.c")), Plan)
    db.restore(Path("before.db"))

    assert_type(Bundle.generate("migrations", "create_people", Person), Plan)
    assert_type(Bundle.generate_to(Path("migrations"), "other", db.schema()), Plan)
    bundle = Bundle("migrations")
    bundle.add("0002_fill", fill, lambda db: db.execute("DELETE FROM people"))
    bundle.add("0003_index", "CREATE INDEX i ON people (name)", down="DROP INDEX i")
    bundle.apply(db, "0002_fill", progress=show)
    bundle.revert(db, None)
    bundle.resolve(db, "0002_fill", applied=True)
    for state in bundle.status(db):
        assert_type(state, BundleState)
        assert_type(state.finished, datetime | None)
        if state.state == "dirty":
            print(state.id)
    assert_type(bundle.drift(db), Plan)

    assert_type(db.version, int)
    db.set_version([VersionStep(1, fill), VersionStep(2, "SELECT 1", "SELECT 2")], 1, progress=True)
    try:
        db.sync(Person)
    except MigrationDriftError:
        pass
    except MigrationError as error:
        assert_type(error.hint, str | None)
    except ProgrammingError:
        pass
