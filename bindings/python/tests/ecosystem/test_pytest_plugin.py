"""The plug-in of pytest, in a pytest of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

import cormorant

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest
from cormorant import Column, Database, Model, column

class Person(Model):
    name: Column[str]
    id: Column[int | None] = column(primary_key=True, default=None)

made = []

@pytest.fixture(scope="session")
def cormorant_template(cormorant_template):
    made.append(1)
    with Database(cormorant_template) as db:
        db.sync(Person)
        Person("Ada").insert(db)
    return cormorant_template

@pytest.fixture
def person():
    return Person
"""

PASSING = """
import pytest
from conftest import made

@pytest.mark.parametrize("number", range(3))
def test_a_file_of_its_own(cormorant_db, person, number):
    person(f"n{number}").insert(cormorant_db)
    assert cormorant_db.count(person) == 2
    assert made == [1]

@pytest.mark.parametrize("number", range(3))
def test_rolled_back(cormorant_rollback_db, person, number):
    assert cormorant_rollback_db.count(person) == 1
    with cormorant_rollback_db.transaction():
        person(f"n{number}").insert(cormorant_rollback_db)
    assert cormorant_rollback_db.count(person) == 2

def test_at_most(cormorant_db, cormorant_at_most, person):
    with cormorant_at_most(cormorant_db, 1) as seen:
        cormorant_db.count(person)
    assert len(seen) == 1
    with pytest.raises(AssertionError, match="1 statements ran, 0 at most"), cormorant_at_most(cormorant_db, 0):
        cormorant_db.count(person)
"""

FAILING = """
def test_fails(cormorant_db, person):
    cormorant_db.count(person)
    assert False

def test_passes(cormorant_db, person):
    cormorant_db.fetch_all(person)
"""


@pytest.fixture
def own(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(Path(cormorant.__file__).parent.parent))
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p cormorant.pytest_plugin -p no:cacheprovider")
    pytester.makeconftest(CONFTEST)
    return pytester


def test_databases_of_tests(own: pytest.Pytester) -> None:
    own.makepyfile(PASSING)
    own.runpytest_subprocess().assert_outcomes(passed=7)


def test_encrypted_databases(own: pytest.Pytester) -> None:
    options = 'return {"cipher": Cipher("x\'%s\'" % ("5e" * 32))}'
    source = CONFTEST.replace("import Column", "import Cipher, Column")
    source = source.replace(
        "def cormorant_template(cormorant_template):", "def cormorant_template(cormorant_template, cormorant_options):"
    )
    source = source.replace(
        "with Database(cormorant_template)", "with Database(cormorant_template, **cormorant_options)"
    )
    own.makeconftest(f'{source}\n@pytest.fixture(scope="session")\ndef cormorant_options():\n    {options}\n')
    own.makepyfile(PASSING)
    own.runpytest_subprocess().assert_outcomes(passed=7)


def test_what_ran_is_shown_where_a_test_fails(own: pytest.Pytester) -> None:
    own.makepyfile(FAILING)
    result = own.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*SQL that cormorant ran*", "* ms  SELECT count(*) FROM*person*"])
