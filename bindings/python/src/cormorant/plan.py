"""Plans: the way from one schema to another, as a value."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ._either import either
from ._native import migration as native_migration
from ._native.handle import PlanHandle
from ._owner import Owner
from ._sharing import share
from .progress import ProgressCallback, migration_options
from .schema import Schema

if TYPE_CHECKING:
    from typing_extensions import Self

    from .database import Database

Risk: TypeAlias = Literal["safe", "annotated", "unchecked", "lossy", "undecided"]


@dataclass(frozen=True)
class SchemaChange:
    """One difference between two schemas.

    kind: such as "add column". table: its name before the change; of "create view" and "drop view" the view's. name:
    the column, index or trigger; None for changes of the table itself. before, after: what was there and is to be, as
    SQL; None for nothing.
    """

    kind: str
    table: str
    name: str | None
    before: str | None
    after: str | None


@dataclass(frozen=True)
class PlanProblem:
    """Why a step may not run. message: such as '37 rows hold NULL in "person.age"'. annotation: what would allow it."""

    message: str
    annotation: str


@dataclass(frozen=True)
class PlanStep:
    """One step of a plan.

    summary: what is done, such as 'rebuild "album" for 2 changes'. risk: "safe" adds, or every row was looked at and
    fits; "annotated" was decided by an annotation; "unchecked" depends on rows that were not looked at, as without a
    file; "undecided" has problems, and does not run; "lossy" drops data, as it was told to. losses: what goes, counted,
    such as '1,204 values of "person.fax"'. notes: what else it does to values, and which constraints go. rows: that it
    writes again; None where the plan was made without a file. changes: the differences that it removes. problems: ()
    where it may run. sql: its statements.
    """

    summary: str
    risk: Risk
    rows: int | None
    changes: tuple[SchemaChange, ...]
    problems: tuple[PlanProblem, ...]
    sql: tuple[str, ...]
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Plan(Owner):
    """The way from one schema to another; making it changes nothing. True where there is something to do.

    Database.plan makes it of models, Plan.between of two schemas; Database.sync gives the one that it carried out.
    str(plan) is for a person to read.
    """

    _instead = "keep its sql, or its json()"

    def __init__(self, handle: PlanHandle) -> None:
        self._handle = handle
        share(self)

    @classmethod
    def between(
        cls, old: Schema, new: Schema, *, database: Database | None = None, allow_drop: Sequence[str] = ()
    ) -> Self:
        """The way from one schema to another; whatever the second lacks is dropped, with allow_drop where rows go too.

        database: the file with the first schema, whose rows are counted and looked at. allow_drop: tables, columns as
        "table.column", and "trigger:name", "view:name", "index:name" (a unique one), "check:table", "unique:table" and
        "foreign_key:table" (those constraints of the table).
        """
        file = None if database is None else database._handle
        with migration_options(None, False, None, allow_drop) as options:
            return cls(native_migration.create_plan(file, old._handle, new._handle, options))

    @either(writes=True)
    def apply(
        self,
        database: Database,
        *,
        snapshot: str | os.PathLike[str] | None = None,
        drop_snapshot: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> None:
        """Carries the plan out in one transaction; snapshot, drop_snapshot and progress are as in Database.sync. With
        an AsyncDatabase it is awaited.

        MigrationError when the plan has problems, MigrationDriftError when the file's schema is no longer what the plan
        was made for.
        """
        with migration_options(snapshot, drop_snapshot, progress) as options:
            native_migration.apply_plan(self._handle, database._handle, options)

    @cached_property
    def steps(self) -> tuple[PlanStep, ...]:
        """In the order in which they run."""
        return tuple(map(_step, self._document["steps"]))

    @property
    def problems(self) -> tuple[PlanProblem, ...]:
        """What stands in the way of all steps."""
        return tuple(problem for step in self.steps for problem in step.problems)

    @property
    def risk(self) -> Risk:
        """The greatest risk of the steps."""
        risk: Risk = self._document["risk"]
        return risk

    @property
    def sql(self) -> str:
        """All statements, each ended by a semicolon."""
        return native_migration.plan_sql(self._handle)

    def json(self) -> str:
        """The plan as one JSON document.

        {"risk", "steps": [{"summary", "risk", "rows", "losses", "notes", "changes", "problems", "sql"}]}
        """
        return native_migration.plan_json(self._handle)

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.json())
        return document

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __str__(self) -> str:
        return native_migration.plan_text(self._handle)

    def __repr__(self) -> str:
        return f"<Plan of {len(self.steps)} steps, {self.risk}>"


def _step(step: dict[str, Any]) -> PlanStep:
    return PlanStep(
        summary=step["summary"],
        risk=step["risk"],
        rows=step["rows"],
        changes=tuple(SchemaChange(**change) for change in step["changes"]),
        problems=tuple(PlanProblem(**problem) for problem in step["problems"]),
        sql=tuple(step["sql"]),
        losses=tuple(step["losses"]),
        notes=tuple(step["notes"]),
    )
