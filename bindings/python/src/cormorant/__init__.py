"""Cormorant: an ORM for SQLite.

from cormorant import Column, Database, Model, column

class Person(Model):
    name: Column[str]
    age: Column[int | None] = column(default=None)
    id: Column[int | None] = column(primary_key=True, default=None)
"""

from ._native import sqlite_version, version
from .alias import alias
from .change import Delete, Insert, Update, delete, insert, update
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
    NotLoadedError,
    NotNullViolation,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    UniqueViolation,
)
from .expression import Expression
from .function import Call, all_of, any_of, case, excluded, exists, func, literal, name, param, raw, scalar
from .model import Model, ModelInfo
from .record import Conflict
from .relation import ToMany, ToOne, many_to_many, to_many, to_one
from .result import Result
from .select import Select, select
from .statement import Query
from .transaction import Transaction, TransactionKind
from .value import Bindings, Json, Transform

__version__ = version()

__all__ = [
    "Action",
    "Bindings",
    "BusyError",
    "Call",
    "CheckViolation",
    "Column",
    "Conflict",
    "DataError",
    "Database",
    "DatabaseError",
    "Delete",
    "Error",
    "Expression",
    "ForeignKeyViolation",
    "Insert",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "Json",
    "Key",
    "Model",
    "ModelInfo",
    "NoRecordError",
    "NotLoadedError",
    "NotNullViolation",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Query",
    "Reference",
    "Result",
    "Select",
    "ToMany",
    "ToOne",
    "Transaction",
    "TransactionKind",
    "Transform",
    "UniqueViolation",
    "Update",
    "alias",
    "all_of",
    "any_of",
    "case",
    "column",
    "delete",
    "excluded",
    "exists",
    "func",
    "ignored",
    "insert",
    "literal",
    "many_to_many",
    "name",
    "param",
    "raw",
    "scalar",
    "select",
    "sqlite_version",
    "to_many",
    "to_one",
    "update",
    "version",
]
