"""Exceptions: the tree of PEP 249, each with what the engine knows about the failure."""

from __future__ import annotations

import sys

from ._native import abi

__all__ = [
    "AlteredError",
    "BusyError",
    "CheckViolation",
    "ConflictError",
    "DataError",
    "DatabaseError",
    "DisconnectedError",
    "EncryptionError",
    "Error",
    "ForeignKeyViolation",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "KeyMissingError",
    "MigrationDirtyError",
    "MigrationDriftError",
    "MigrationError",
    "MigrationMissingError",
    "MigrationModifiedError",
    "MigrationNewerError",
    "MigrationOrderError",
    "NoRecordError",
    "NoRowsError",
    "NotEncryptedError",
    "NotLoadedError",
    "NotNullViolation",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "SeveralRowsError",
    "StaleRecordError",
    "TruncatedError",
    "UniqueViolation",
    "ValidationError",
    "WrongKeyError",
]


class Error(Exception):
    """Base of all errors of this package.

    code: the status by name, such as "CORM_E_UNIQUE". status: the same as a number.
    message, hint: what went wrong and, where known, what to do about it; str() joins them, after the record of a batch.
    sqlite_code: SQLite's extended result code, 0 where SQLite was not involved.
    sql, offset: the statement that failed, and the byte at which it does not compile (or -1).
    table, columns, constraint: what refused a write; columns is a tuple of their names in the table.
    record_index: in a batch, the record that failed, counted from 0; else -1.
    """

    # The message without the values of a row, where it has some.
    _without_values: str | None = None

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "CORM_E_MISUSE",
        sqlite_code: int = 0,
        hint: str | None = None,
        sql: str | None = None,
        offset: int = -1,
        table: str | None = None,
        columns: tuple[str, ...] = (),
        constraint: str | None = None,
        record_index: int = -1,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status: int = getattr(abi, code)
        self.sqlite_code = sqlite_code
        self.hint = hint
        self.sql = sql
        self.offset = offset
        self.table = table
        self.columns = columns
        self.constraint = constraint
        self.record_index = record_index

    def __str__(self) -> str:
        # An error of JSON begins with its path.
        is_placed = self.record_index < 0 or self.message.startswith("$")
        place = "" if is_placed else f"record {self.record_index}: "
        return f"{place}{self.message} ({self.hint})" if self.hint else place + self.message

    def __reduce__(self) -> tuple[type[Error], tuple[str], dict[str, object]]:
        return type(self), (self.message,), self.__dict__


class InterfaceError(Error):
    """The package itself was used wrongly, apart from any database."""


class DatabaseError(Error):
    """Base of what a database reports; itself: the file is damaged or no database."""


class DataError(DatabaseError):
    """A value does not fit its column: type, range, encoding, size, NULL; or a text is not a model's JSON."""


class ValidationError(DataError):
    """A validator of the model's refused a record; the message names model and property."""


class OperationalError(DatabaseError):
    """The surroundings refused: files, locks, disks, memory, an interrupt."""


class BusyError(OperationalError):
    """Another connection held a lock for longer than the busy timeout."""


class ConflictError(OperationalError):
    """Another transaction wrote what this one read or writes: it is rolled back, and can be run again."""


class DisconnectedError(OperationalError):
    """The server cannot be reached, refused the connection or ended it."""


class IntegrityError(DatabaseError):
    """A constraint or a trigger refused the write."""


class UniqueViolation(IntegrityError):
    """A UNIQUE or PRIMARY KEY constraint refused the write."""


class NotNullViolation(IntegrityError):
    """A NOT NULL constraint refused the write."""


class ForeignKeyViolation(IntegrityError):
    """A FOREIGN KEY constraint refused the write."""


class CheckViolation(IntegrityError):
    """A CHECK constraint refused the write."""


class InternalError(DatabaseError):
    """A defect of the library; please report it."""


class ProgrammingError(DatabaseError):
    """The program is wrong: SQL, bindings, a model, a closed database, transactions out of order."""


class NoRecordError(ProgrammingError):
    """update or refresh of a record that is not in the table."""


class NoRowsError(ProgrammingError):
    """A query has no row where one() expects exactly one."""


class SeveralRowsError(ProgrammingError):
    """A query has several rows where one() expects exactly one."""


class StaleRecordError(OperationalError):
    """The row was written since the record was read, as its version tells; nothing was changed."""


class NotLoadedError(ProgrammingError):
    """A relation of a record is read before its records were loaded.

    It is no AttributeError, so that hasattr() and what else asks with a default do not take the relation for empty.
    """


class MigrationError(ProgrammingError):
    """A migration would lose something it was not told to, or cannot be made; the message lists what is in the way."""


class MigrationModifiedError(MigrationError):
    """A step was changed after it was applied, or differs from its bundle's manifest."""


class MigrationMissingError(MigrationError):
    """A step that the file or the manifest knows is not there."""


class MigrationOrderError(MigrationError):
    """A step that is not applied stands before one that is."""


class MigrationDirtyError(MigrationError):
    """A step began outside a transaction and did not finish: Bundle.resolve says what became of it."""


class MigrationNewerError(MigrationError):
    """The file has steps, or a version, later than this program knows."""


class MigrationDriftError(MigrationError):
    """The file's schema is not what its last step left, or not what a plan was made for."""


class EncryptionError(DatabaseError):
    """What goes wrong with an encrypted file."""


class WrongKeyError(EncryptionError):
    """The key does not open the file, or it was encrypted with another cipher or other settings."""


class KeyMissingError(EncryptionError):
    """The file is encrypted and no key was given."""


class NotEncryptedError(EncryptionError):
    """A key was given for a file that is not encrypted."""


class AlteredError(EncryptionError):
    """A page of an encrypted file is not what was written; the message says which."""


class TruncatedError(EncryptionError):
    """An encrypted file was cut off."""


class NotSupportedError(DatabaseError):
    """The engine of the database, or this version of it, cannot do this."""


_CLASSES: dict[str, type[Error]] = {
    "CORM_E_INTERNAL": InternalError,
    "CORM_E_NOT_A_DATABASE": DatabaseError,
    "CORM_E_CORRUPT": DatabaseError,
    "CORM_E_BUSY": BusyError,
    "CORM_E_CONFLICT": ConflictError,
    "CORM_E_CONNECTION": DisconnectedError,
    "CORM_E_UNSUPPORTED": NotSupportedError,
    "CORM_E_MISUSE": ProgrammingError,
    "CORM_E_SQL": ProgrammingError,
    "CORM_E_BINDING": ProgrammingError,
    "CORM_E_MODEL": ProgrammingError,
    "CORM_E_SCHEMA": ProgrammingError,
    "CORM_E_TRANSACTION": ProgrammingError,
    "CORM_E_NO_RECORD": NoRecordError,
    "CORM_E_STALE_RECORD": StaleRecordError,
    "CORM_E_NO_ROWS": NoRowsError,
    "CORM_E_SEVERAL_ROWS": SeveralRowsError,
    "CORM_E_CONSTRAINT": IntegrityError,
    "CORM_E_UNIQUE": UniqueViolation,
    "CORM_E_NOT_NULL": NotNullViolation,
    "CORM_E_FOREIGN_KEY": ForeignKeyViolation,
    "CORM_E_CHECK": CheckViolation,
    "CORM_E_TYPE": DataError,
    "CORM_E_RANGE": DataError,
    "CORM_E_ENCODING": DataError,
    "CORM_E_NULL_VALUE": DataError,
    "CORM_E_TOO_BIG": DataError,
    "CORM_E_CALLBACK": DataError,
    "CORM_E_JSON": DataError,
    "CORM_E_VALIDATION": ValidationError,
    "CORM_E_MIGRATION": MigrationError,
    "CORM_E_MIGRATION_MODIFIED": MigrationModifiedError,
    "CORM_E_MIGRATION_MISSING": MigrationMissingError,
    "CORM_E_MIGRATION_ORDER": MigrationOrderError,
    "CORM_E_MIGRATION_DIRTY": MigrationDirtyError,
    "CORM_E_MIGRATION_NEWER": MigrationNewerError,
    "CORM_E_MIGRATION_DRIFT": MigrationDriftError,
    "CORM_E_WRONG_KEY": WrongKeyError,
    "CORM_E_KEY_MISSING": KeyMissingError,
    "CORM_E_NOT_ENCRYPTED": NotEncryptedError,
    "CORM_E_ALTERED": AlteredError,
    "CORM_E_TRUNCATED": TruncatedError,
}


def error_class(code: str) -> type[Error]:
    """The exception class for a status; what is not listed comes from the surroundings."""
    return _CLASSES.get(code, OperationalError)


def count_from(start: int, error: Error, count: int) -> None:
    """Makes the number of a record or row in a part of a batch that of the whole. count: how many the part has."""
    if error.record_index >= 0 or (start and count == 1) or isinstance(error, IntegrityError | DataError):
        error.record_index = start + max(error.record_index, 0)


def note_refusal(error: BaseException, refused: Error) -> None:
    """Says beside the error by which a database's block is left that its close() was refused, which hides nothing."""
    if sys.version_info >= (3, 11):
        error.add_note(f"the database stays open: {refused}")
