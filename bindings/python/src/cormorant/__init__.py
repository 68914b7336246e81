"""Cormorant: an ORM for SQLite.

from cormorant import Column, Database, Model, column

class Person(Model):
    name: Column[str]
    age: Column[int | None] = column(default=None)
    id: Column[int | None] = column(primary_key=True, default=None)
"""

from ._native import sqlite_version, version
from .column import Action, Column, Key, Reference, column, ignored
from .database import Database
from .error import (
    BusyError,
    CheckViolation,
    DatabaseError,
    DataError,
    Error,
    ForeignKeyViolation,
    IntegrityError,
    InterfaceError,
    InternalError,
    NoRecordError,
    NotNullViolation,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    UniqueViolation,
)
from .model import Model, ModelInfo
from .record import Conflict
from .result import Result
from .transaction import Transaction, TransactionKind
from .value import Bindings, Json, Transform

__version__ = version()

__all__ = [
    "Action",
    "Bindings",
    "BusyError",
    "CheckViolation",
    "Column",
    "Conflict",
    "DataError",
    "Database",
    "DatabaseError",
    "Error",
    "ForeignKeyViolation",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "Json",
    "Key",
    "Model",
    "ModelInfo",
    "NoRecordError",
    "NotNullViolation",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Reference",
    "Result",
    "Transaction",
    "TransactionKind",
    "Transform",
    "UniqueViolation",
    "column",
    "ignored",
    "sqlite_version",
    "version",
]
