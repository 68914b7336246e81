"""Exceptions: their tree and what they carry."""

from __future__ import annotations

import pickle

import pytest
from models import Person

import cormorant
from cormorant import Database, Error
from cormorant._native import abi
from cormorant.error import error_class


def test_the_tree_is_that_of_pep_249() -> None:
    assert issubclass(cormorant.InterfaceError, Error)
    assert issubclass(cormorant.DatabaseError, Error)
    for name in ("Data", "Operational", "Integrity", "Internal", "Programming", "NotSupported"):
        assert issubclass(getattr(cormorant, f"{name}Error"), cormorant.DatabaseError)
    for name in ("UniqueViolation", "NotNullViolation", "ForeignKeyViolation", "CheckViolation"):
        assert issubclass(getattr(cormorant, name), cormorant.IntegrityError)
    assert issubclass(cormorant.BusyError, cormorant.OperationalError)
    assert issubclass(cormorant.NoRecordError, cormorant.ProgrammingError)


def test_every_status_has_a_class() -> None:
    for code in (name for name in vars(abi) if name.startswith("CORM_E_")):
        error = error_class(code)("text", code=code)
        assert error.code == code
        assert error.status == getattr(abi, code) < 0


def test_a_constraint_names_table_columns_and_itself(db: Database) -> None:
    db.insert(Person("Ann", born="2000"))
    with pytest.raises(cormorant.UniqueViolation) as caught:
        db.insert(Person("Ann", born="2000"))
    error = caught.value
    assert (error.code, error.table, error.columns, error.constraint) == (
        "CORM_E_UNIQUE", "people", ("name", "born"), "UNIQUE",
    )  # fmt: skip
    assert error.sqlite_code == 2067
    assert error.record_index == -1
    assert error.hint
    assert error.hint in str(error)
    assert "Ann" not in str(error)


def test_an_error_outlives_its_database_and_pickles(path: object) -> None:
    database = Database(str(path))
    with pytest.raises(cormorant.ProgrammingError) as caught:
        database.execute("SELECT * FROM nothing")
    database.close()
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is cormorant.ProgrammingError
    assert vars(copy) == vars(caught.value)
    assert str(copy) == str(caught.value)
