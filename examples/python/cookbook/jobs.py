"""Background jobs: a table is the queue, and a claim is one statement, so that no two workers get one job."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any

from cormorant import Column, Database, Model, column, key, scalar, select, update


class Job(Model):
    id: Column[int] = key()
    task: Column[str]
    arguments: Column[dict[str, Any]] = column(default_factory=dict, json=True)
    claimed: Column[datetime | None] = column(default=None, index=True)
    done: Column[datetime | None] = column(default=None)


def claim(db: Database) -> Job | None:
    """The oldest job that nobody has, or that a worker took an hour ago and never finished."""
    now = datetime.now(timezone.utc)
    open_ = Job.done.is_null() & (Job.claimed.is_null() | (Job.claimed < now - timedelta(hours=1)))
    oldest = select(Job.id).where(open_).order_by(Job.id).limit(1)
    return db.fetch_one(update(Job).set({Job.claimed: now}).where(Job.id == scalar(oldest)).returning())


def work(db: Database) -> list[int]:
    finished = []
    while job := claim(db):
        finished.append(job.arguments["number"])
        job.done = datetime.now(timezone.utc)
        job.update(db, Job.done)
    return finished


with Database("jobs.db") as db, ThreadPoolExecutor(4) as pool:
    db.sync(Job)
    db.insert_many([Job("square", {"number": number}) for number in range(100)])
    parts = list(pool.map(work, [db] * 4))
    print(sum(len(part) for part in parts), "jobs,", len(set().union(*parts)), "different ones")
