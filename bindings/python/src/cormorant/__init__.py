"""Cormorant: an ORM for SQLite.

from cormorant import Column, Database, Model, column

class Person(Model):
    name: Column[str]
    age: Column[int | None] = column(default=None)
    id: Column[int | None] = column(primary_key=True, default=None)
"""

from typing import TYPE_CHECKING, Any

from ._model_info import ModelInfo
from ._native.base import sqlite_version, version
from .alias import alias
from .bundle import Bundle, BundleState
from .cache import CacheStatistics
from .change import Delete, Insert, Update, delete, insert, update
from .cipher import Cipher, Codec, CodecFile, decrypt, encrypt, rekey
from .column import Action, Column, Key, Reference, column, ignored, key
from .database import Database
from .error import (
    AlteredError,
    BusyError,
    CheckViolation,
    DatabaseError,
    DataError,
    EncryptionError,
    Error,
    ForeignKeyViolation,
    IntegrityError,
    InterfaceError,
    InternalError,
    KeyMissingError,
    MigrationDirtyError,
    MigrationDriftError,
    MigrationError,
    MigrationMissingError,
    MigrationModifiedError,
    MigrationNewerError,
    MigrationOrderError,
    NoRecordError,
    NotEncryptedError,
    NotLoadedError,
    NotNullViolation,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    StaleRecordError,
    TruncatedError,
    UniqueViolation,
    WrongKeyError,
)
from .expression import Expression
from .function import Call, all_of, any_of, case, excluded, exists, func, literal, name, param, raw, scalar
from .graph import is_loaded
from .json import read_json, write_json
from .key_value import Store, StoreEntry
from .maintenance import CheckpointPages
from .migration import VersionStep
from .model import Model
from .observation import Event, Observer, Region, RowChange
from .plan import Plan, PlanProblem, PlanStep, SchemaChange
from .progress import Progress
from .queue import Batch, Listener, Write, WriteCompletion, WriteQueue, WriteResult
from .record import Conflict
from .registry import Registry, RegistryMigration
from .relation import Route, ToMany, ToOne, many_to_many, to_many, to_one
from .result import Result
from .schema import Schema
from .select import Select, optional, select
from .statement import Query
from .trace import TracedStatement, counting
from .transaction import Transaction, TransactionKind
from .value import JSON_NULL, Bindings, Json, Transform

if TYPE_CHECKING:
    from .metadata import (
        CheckMetadata,
        ColumnMetadata,
        ForeignKeyMetadata,
        IndexMetadata,
        IndexTermMetadata,
        Metadata,
        MetadataProblem,
        RelationMetadata,
        TableMetadata,
        TriggerMetadata,
    )
else:

    def __getattr__(name: str) -> Any:
        """The classes of metadata, which few programs use and which take long to make."""
        if "Metadata" not in name or name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        from . import metadata

        return getattr(metadata, name)


__version__ = version()

__all__ = [
    "JSON_NULL",
    "Action",
    "AlteredError",
    "Batch",
    "Bindings",
    "Bundle",
    "BundleState",
    "BusyError",
    "CacheStatistics",
    "Call",
    "CheckMetadata",
    "CheckViolation",
    "CheckpointPages",
    "Cipher",
    "Codec",
    "CodecFile",
    "Column",
    "ColumnMetadata",
    "Conflict",
    "DataError",
    "Database",
    "DatabaseError",
    "Delete",
    "EncryptionError",
    "Error",
    "Event",
    "Expression",
    "ForeignKeyMetadata",
    "ForeignKeyViolation",
    "IndexMetadata",
    "IndexTermMetadata",
    "Insert",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "Json",
    "Key",
    "KeyMissingError",
    "Listener",
    "Metadata",
    "MetadataProblem",
    "MigrationDirtyError",
    "MigrationDriftError",
    "MigrationError",
    "MigrationMissingError",
    "MigrationModifiedError",
    "MigrationNewerError",
    "MigrationOrderError",
    "Model",
    "ModelInfo",
    "NoRecordError",
    "NotEncryptedError",
    "NotLoadedError",
    "NotNullViolation",
    "NotSupportedError",
    "Observer",
    "OperationalError",
    "Plan",
    "PlanProblem",
    "PlanStep",
    "ProgrammingError",
    "Progress",
    "Query",
    "Reference",
    "Region",
    "Registry",
    "RegistryMigration",
    "RelationMetadata",
    "Result",
    "Route",
    "RowChange",
    "Schema",
    "SchemaChange",
    "Select",
    "StaleRecordError",
    "Store",
    "StoreEntry",
    "TableMetadata",
    "ToMany",
    "ToOne",
    "TracedStatement",
    "Transaction",
    "TransactionKind",
    "Transform",
    "TriggerMetadata",
    "TruncatedError",
    "UniqueViolation",
    "Update",
    "VersionStep",
    "Write",
    "WriteCompletion",
    "WriteQueue",
    "WriteResult",
    "WrongKeyError",
    "alias",
    "all_of",
    "any_of",
    "case",
    "column",
    "counting",
    "decrypt",
    "delete",
    "encrypt",
    "excluded",
    "exists",
    "func",
    "ignored",
    "insert",
    "is_loaded",
    "key",
    "literal",
    "many_to_many",
    "name",
    "optional",
    "param",
    "raw",
    "read_json",
    "rekey",
    "scalar",
    "select",
    "sqlite_version",
    "to_many",
    "to_one",
    "update",
    "version",
    "write_json",
]
