"""Cormorant: an ORM for SQLite.

from cormorant import Column, Database, Model, column, key

class Person(Model):
    name: Column[str]
    age: Column[int | None] = column(default=None)
    id: Column[int] = key()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._model_info import ModelInfo
from ._native.base import sqlite_version, version
from ._sql import SQL, sql
from ._write import Conflict
from .alias import alias
from .change import Delete, Insert, Update, delete, insert, update
from .cipher import Cipher, Codec, CodecFile, decrypt, encrypt, rekey
from .column import Action, Column, Key, Reference, column, ignored, key
from .damage import Damage
from .database import Database
from .error import (
    AlteredError,
    BusyError,
    CheckViolation,
    ConflictError,
    DatabaseError,
    DataError,
    DisconnectedError,
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
    NoRowsError,
    NotEncryptedError,
    NotLoadedError,
    NotNullViolation,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    SeveralRowsError,
    StaleRecordError,
    TruncatedError,
    UniqueViolation,
    ValidationError,
    WrongKeyError,
)
from .expression import Expression
from .function import Call, Parameter, all_of, any_of, case, excluded, exists, func, literal, name, param, raw, scalar
from .graph import asdict, is_loaded
from .json import read_json, write_json
from .key_value import Store, StoreEntry
from .model import Model
from .relation import Route, ToMany, ToOne, many_to_many, to_many, to_one
from .result import Result
from .row_value import RowValue, tuple_
from .schema import Schema
from .select import Select, optional, select
from .statement import Query
from .subquery import CommonTable, JsonTable, Subquery, TableFunction, json_each, json_tree, table_function
from .trace import TracedStatement, counting
from .transaction import Transaction, TransactionKind
from .value import JSON_NULL, Bindings, Json, Transform

# Imported when a name of theirs is first used, so that who needs none of them starts sooner.
if TYPE_CHECKING:
    from .aio import AsyncDatabase, AsyncTransaction
    from .async_result import AsyncResult
    from .async_store import AsyncStore
    from .bundle import Bundle, BundleState
    from .cache import CacheStatistics
    from .connection import RawConnection
    from .maintenance import CheckpointPages, RepairedTable, RepairReport, repair
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
    from .migration import VersionStep
    from .observation import Event, Observer, Region, RowChange, ValueObserver
    from .plan import Plan, PlanProblem, PlanStep, SchemaChange
    from .progress import Progress
    from .queue import Batch, Listener, Write, WriteCompletion, WriteQueue, WriteResult
    from .registry import Registry, RegistryMigration
    from .shared import SharedTransaction
    from .studio import Studio
else:
    _LATER = {
        "aio": "AsyncDatabase AsyncTransaction",
        "async_result": "AsyncResult",
        "async_store": "AsyncStore",
        "bundle": "Bundle BundleState",
        "cache": "CacheStatistics",
        "connection": "RawConnection",
        "maintenance": "CheckpointPages RepairReport RepairedTable repair",
        "metadata": "CheckMetadata ColumnMetadata ForeignKeyMetadata IndexMetadata IndexTermMetadata Metadata "
        "MetadataProblem RelationMetadata TableMetadata TriggerMetadata",
        "migration": "VersionStep",
        "observation": "Event Observer Region RowChange ValueObserver",
        "plan": "Plan PlanProblem PlanStep SchemaChange",
        "progress": "Progress",
        "queue": "Batch Listener Write WriteCompletion WriteQueue WriteResult",
        "registry": "Registry RegistryMigration",
        "shared": "SharedTransaction",
        "studio": "Studio",
    }
    _MODULES = {name: module for module, names in _LATER.items() for name in names.split()}

    def __getattr__(name: str) -> Any:
        if name in _LATER:
            return import_module(f".{name}", __name__)
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
        found = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATER, *_MODULES})


__version__ = version()

__all__ = [
    "JSON_NULL",
    "SQL",
    "Action",
    "AlteredError",
    "AsyncDatabase",
    "AsyncResult",
    "AsyncStore",
    "AsyncTransaction",
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
    "CommonTable",
    "Conflict",
    "ConflictError",
    "Damage",
    "DataError",
    "Database",
    "DatabaseError",
    "Delete",
    "DisconnectedError",
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
    "JsonTable",
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
    "NoRowsError",
    "NotEncryptedError",
    "NotLoadedError",
    "NotNullViolation",
    "NotSupportedError",
    "Observer",
    "OperationalError",
    "Parameter",
    "Plan",
    "PlanProblem",
    "PlanStep",
    "ProgrammingError",
    "Progress",
    "Query",
    "RawConnection",
    "Reference",
    "Region",
    "Registry",
    "RegistryMigration",
    "RelationMetadata",
    "RepairReport",
    "RepairedTable",
    "Result",
    "Route",
    "RowChange",
    "RowValue",
    "Schema",
    "SchemaChange",
    "Select",
    "SeveralRowsError",
    "SharedTransaction",
    "StaleRecordError",
    "Store",
    "StoreEntry",
    "Studio",
    "Subquery",
    "TableFunction",
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
    "ValidationError",
    "ValueObserver",
    "VersionStep",
    "Write",
    "WriteCompletion",
    "WriteQueue",
    "WriteResult",
    "WrongKeyError",
    "alias",
    "all_of",
    "any_of",
    "asdict",
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
    "json_each",
    "json_tree",
    "key",
    "literal",
    "many_to_many",
    "name",
    "optional",
    "param",
    "raw",
    "read_json",
    "rekey",
    "repair",
    "scalar",
    "select",
    "sql",
    "sqlite_version",
    "table_function",
    "to_many",
    "to_one",
    "tuple_",
    "update",
    "version",
    "write_json",
]
