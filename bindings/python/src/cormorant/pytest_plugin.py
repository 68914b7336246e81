"""Fixtures for pytest: databases from a template, statements that are counted and shown where a test fails.

Of the fixtures two are for a project to override, in its conftest.py:

@pytest.fixture(scope="session")
def cormorant_template(cormorant_template):
    with Database(cormorant_template) as db:
        db.sync(Person, Department)
    return cormorant_template
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ._open_options import OpenOptions
from .database import Database
from .trace import TracedStatement, counting

_SEEN = pytest.StashKey[list[TracedStatement]]()


@pytest.fixture(scope="session")
def cormorant_options() -> OpenOptions:
    """How the databases are opened; override it for a cipher and the like."""
    return {}


@pytest.fixture(scope="session")
def cormorant_template(tmp_path_factory: pytest.TempPathFactory, cormorant_options: OpenOptions) -> Path:
    """The file that databases are copies of, an empty one; override it with what fills it, once."""
    path = tmp_path_factory.mktemp("cormorant") / "template.db"
    Database(path, **cormorant_options).close()
    return path


@pytest.fixture
def cormorant_db(
    request: pytest.FixtureRequest, tmp_path: Path, cormorant_template: Path, cormorant_options: OpenOptions
) -> Iterator[Database]:
    """A database of the test's own: a copy of the template."""
    options: OpenOptions = {**cormorant_options, "template": cormorant_template}
    with Database(tmp_path / "test.db", **options) as database, _shown(request, database):
        yield database


@pytest.fixture(scope="session")
def _cormorant_shared(
    tmp_path_factory: pytest.TempPathFactory, cormorant_template: Path, cormorant_options: OpenOptions
) -> Iterator[Database]:
    options: OpenOptions = {**cormorant_options, "template": cormorant_template}
    with Database(tmp_path_factory.mktemp("cormorant") / "shared.db", **options) as database:
        yield database


@pytest.fixture
def cormorant_rollback_db(request: pytest.FixtureRequest, _cormorant_shared: Database) -> Iterator[Database]:
    """A database that many tests share, in a transaction that is rolled back when the test ends: quicker than a copy.

    Transactions of the test are savepoints in it. Of other threads only reads go through, and see nothing of it.
    """
    with _shown(request, _cormorant_shared), _cormorant_shared.transaction() as transaction:
        yield _cormorant_shared
        transaction.rollback()


@pytest.fixture
def cormorant_at_most(
    request: pytest.FixtureRequest,
) -> Callable[[Database, int], AbstractContextManager[list[TracedStatement]]]:
    """`with cormorant_at_most(db, 3):` fails where the block runs more statements, and lists them."""
    return lambda database, number: counting(database, at_most=number)


@contextmanager
def _shown(request: pytest.FixtureRequest, database: Database) -> Iterator[None]:
    """What the test runs is shown where it fails."""
    with counting(database) as seen:
        request.node.stash[_SEEN] = seen
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    if report.when == "call" and report.failed and (seen := item.stash.get(_SEEN, None)):
        lines = [f"{statement.seconds * 1000:9.3f} ms  {statement.sql}" for statement in seen]
        report.sections.append(("SQL that cormorant ran", "\n".join(lines)))
    return report
