"""Models: classes whose objects are rows of a table."""

from __future__ import annotations

import json
import marshal
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import cached_property
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, ClassVar, cast
from weakref import WeakValueDictionary

from . import _codegen
from ._definition import collect_fields, definition
from ._native import model as native_model
from ._native import record as native_record
from ._native.handle import CursorHandle, ModelHandle
from ._sharing import share
from .column import Column, Ignored, Key, Reference, column, ignored
from .error import DataError, ProgrammingError
from .relation import Relation, collect_relations
from .value import PLAIN, as_plain, can_dump, file_decoder, plain_value, type_name

if TYPE_CHECKING:
    from typing_extensions import Self, dataclass_transform

    from .database import Database
    from .expression import Expression
    from .select import Select
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda cls: cls


# What holds the values of a column of a type.
_KINDS: dict[str, type] = {
    "int64": int, "int32": int, "bool": bool, "double": float, "float": float,
    "text": str, "varchar": str, "blob": bytes,
}  # fmt: skip

# Two threads that ask for the same variant get the same.
_variants_lock = threading.RLock()


class ModelInfo:
    """What is known of a model, as `Person.__model__`.

    name, table. columns: in order of declaration. key: the properties of the primary key, () when it is hidden.
    generates_key: insert makes a key. create_sql: the CREATE statements. The rest serves the package itself.
    """

    def __init__(
        self,
        cls: type[Model],
        fields: dict[str, Column[Any] | Ignored],
        create: Callable[[tuple[Column[Any], ...]], ModelHandle],
    ) -> None:
        self.name = cls.__name__
        columns = tuple(field for field in fields.values() if isinstance(field, Column))
        handle = self.handle = create(columns)
        handle.info = self
        self.table = native_model.model_table(handle)
        for position, item in enumerate(columns):
            item._bind(self, native_model.model_column_name(handle, position))
        self.columns = columns
        key = [columns[position] for position in native_model.model_key(handle)]
        self.key = tuple(item.name for item in key)
        self.generates_key = native_model.model_generates_key(handle)
        self.create_sql = native_model.model_create_sql(handle)

        self.plain_key = not any(item.transform for item in key)
        self._cls = cls
        self._ignored = {name: field for name, field in fields.items() if isinstance(field, Ignored)}
        self.encode_values = {item.name: _codegen.encoder(item) for item in columns}
        self._partial: dict[tuple[str, ...], Callable[[Any], native_record.Row]] = {}
        share(self)

    def names(self, cursor: CursorHandle) -> tuple[str, ...]:
        """The properties, in the order of a row."""
        return tuple(item.name for item in self.columns)

    # Made when first needed: a program with hundreds of models starts with most of them unused.

    @cached_property
    def _encode(self) -> Callable[[Any], native_record.Row]:
        return _codegen.make_encode(self.columns)

    @cached_property
    def _decode(self) -> Callable[[list[native_record.Row]], list[native_record.Row]] | None:
        decoders = [item.transform and item.transform.decode for item in self.columns]
        return _codegen.make_decode(decoders) if any(decoders) else None

    @cached_property
    def _build(self) -> Callable[[list[native_record.Row]], list[Any]]:
        return _codegen.make_build(self._cls, self.columns, self._ignored)

    @cached_property
    def load_one(self) -> Callable[[native_record.Row], Any]:
        """Makes a record of a row."""
        return _codegen.make_load_one(self._cls, self.columns, self._ignored, self._unreadable)

    @cached_property
    def _assign(self) -> Callable[[Any, native_record.Row], None]:
        return _codegen.make_assign(self.columns)

    # It never changes, so its copy is itself; in another process it is what the class has there.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self._cls, "__model__")

    def __repr__(self) -> str:
        return f"<model {self.name} of table {self.table}>"

    def dump(self, records: Sequence[Any], only: tuple[str, ...] | None = None) -> bytes:
        """Records as rows; with `only`, just these properties and the key, and None for the rest."""
        encode = self._encode
        if only is not None:
            encode = self._partial.get(only) or self._partial.setdefault(
                only, _codegen.make_encode(self.columns, {*only, *self.key})
            )
        try:
            return marshal.dumps(list(map(encode, records)), 2)
        except Exception as error:
            # marshal takes no types derived from Python's own, such as IntEnum.
            with suppress(Exception):
                return marshal.dumps([tuple(map(as_plain, encode(record))) for record in records], 2)
            raise self._explain(records, only) from error

    def dump_key(self, key: tuple[Any, ...]) -> bytes:
        if self.plain_key and len(key) == 1 and type(key[0]) is int:
            return marshal.dumps(key, 2)
        if not self.plain_key:
            key = tuple(map(self.encode_value, self.key, key)) + key[len(self.key) :]
        if None in key:
            raise ProgrammingError(
                f"a key of {self.name} is None", hint="give the key; a record has its own once it is inserted"
            )
        return marshal.dumps(key if PLAIN.issuperset(map(type, key)) else tuple(map(self._plain, key)), 2)

    def dump_key_of(self, record: Any) -> bytes:
        if not self.key:
            raise ProgrammingError(f"{self.name} has no primary key", hint="declare one with column(primary_key=True)")
        return self.dump_key(tuple(getattr(record, name) for name in self.key))

    def dump_attributes(self, attributes: Mapping[str, Any]) -> bytes:
        values = {
            name: self.encode_value(name, value) if name in self.encode_values else value
            for name, value in attributes.items()
        }
        if not PLAIN.issuperset(map(type, values.values())):
            values = {name: self._plain(value, f".{name}") for name, value in values.items()}
        return marshal.dumps(values, 2)

    def decode_key(self, value: Any) -> Any:
        key = next((item for item in self.columns if item.name in self.key), None)
        if key is None:
            return value
        if key.type_name == "bool":
            value = bool(value)
        return value if key.transform is None else key.transform.decode(value)

    def key_loader(self) -> Callable[[native_record.Row], native_record.Row]:
        """What gives a key that comes in the form of the file the values that records have."""
        columns = {item.name: item for item in self.columns}
        return self._file_loader([columns[name] for name in self.key])

    def row_key_loader(self, names: Sequence[str]) -> Callable[[native_record.Row], native_record.Row]:
        """The same for what tells rows apart: these columns of the file; none: the key, or else all."""
        if not names:
            return self.key_loader() if self.key else self._file_loader(self.columns)
        columns = {item.column_name: item for item in self.columns}
        return self._file_loader([columns.get(name) for name in names])

    def _file_loader(self, columns: Sequence[Column[Any] | None]) -> Callable[[native_record.Row], native_record.Row]:
        decoders = [None if item is None else file_decoder(item.type_name, item.transform) for item in columns]

        def load(values: native_record.Row) -> native_record.Row:
            if len(values) != len(columns):  # the rowid
                return values
            return tuple(map(self._load_value, values, columns, decoders))

        return load

    def _load_value(self, value: Any, column: Column[Any] | None, decode: Callable[[Any], Any] | None) -> Any:
        if column is None or value is None:
            return value
        try:
            if decode:
                return decode(value)
            # SQLite keeps whole numbers as integers there.
            return float(value) if column.type_name in {"double", "float"} else value
        except Exception as error:
            raise self.unreadable_value(column, error) from error

    def take_back(self, record: Any, item: Any) -> None:
        """Puts what the database made into the record: a whole row, a key, or nothing."""
        if item is None or item is False:
            return
        if type(item) is tuple:
            self.fill(record, item)
        elif self.key:
            setattr(record, self.key[0], item)

    def load(self, rows: list[native_record.Row]) -> list[Any]:
        """Rows as records."""
        try:
            return self._build(rows)
        except Exception as error:
            raise self._unreadable(rows) from error

    def load_rows(self, rows: list[native_record.Row]) -> list[native_record.Row]:
        """Rows with the values that records have."""
        try:
            return self._decode(rows) if self._decode else rows
        except Exception as error:
            raise self._unreadable(rows) from error

    def fill(self, record: Any, row: native_record.Row) -> None:
        """Puts a row into a record that is there."""
        try:
            self._assign(record, row)
        except Exception as error:
            raise self._unreadable([row]) from error

    def encode_value(self, name: str, value: Any) -> Any:
        try:
            return self.encode_values[name](value)
        except Exception as error:
            raise self._unwritable(name, error, -1) from error

    def _plain(self, value: Any, where: str = "") -> Any:
        try:
            return plain_value(value)
        except DataError as error:
            raise DataError(f"{self.name}{where}: {error.message}", code=error.code, hint=error.hint) from None

    def explain_write(self, error: DataError, records: Sequence[Any]) -> DataError:
        """The library's error about a value, in Python's words: a number of numpy comes to it as a blob."""
        column = next((item for item in self.columns if item.column_name == error.columns), None)
        if column is None or error.code != "CORM_E_TYPE" or column.transform or error.record_index >= len(records):
            return error
        value = getattr(records[max(error.record_index, 0)], column.name, None)
        return error if type(value) in PLAIN else self._misfit(column.name, value, error.record_index)

    def _misfit(self, name: str, value: Any, index: int) -> DataError:
        column = next(item for item in self.columns if item.name == name)
        message = f"{self.name}.{name} is of type {type_name(value)}, its column is of type {column.type_name}"
        kind = _KINDS.get(column.type_name)
        hint = f"give a value of type {column.type_name}"
        try:
            plain = plain_value(value)
            if kind and (isinstance(plain, kind) or (kind in (int, bool) and isinstance(plain, int | float))):
                hint = f"give {kind.__name__}(value)"
        except DataError as error:
            if isinstance(value, Enum):
                hint = error.hint or hint
        return DataError(
            message,
            code="CORM_E_TYPE",
            hint=hint,
            table=self.table,
            columns=column.column_name,
            record_index=index,
        )

    def _explain(self, records: Sequence[Any], only: tuple[str, ...] | None) -> Exception:
        """Which value of which record could not be written: the fast way does not know."""
        for index, record in enumerate(records):
            for name, encode in self.encode_values.items():
                if only is not None and name not in only and name not in self.key:
                    continue
                at = index if len(records) > 1 else -1
                try:
                    value = encode(getattr(record, name))
                except Exception as error:
                    return self._unwritable(name, error, at)
                if not can_dump(as_plain(value)):
                    return self._misfit(name, value, at)
        return ProgrammingError(f"the records of {self.name} changed while they were written")

    def _unreadable(self, rows: Sequence[native_record.Row]) -> Exception:
        """Which value of the file could not be read: the fast way does not know."""
        for row in rows:
            for item, value in zip(self.columns, row):
                if item.transform and value is not None:
                    try:
                        item.transform.decode(value)
                    except Exception as error:
                        return self.unreadable_value(item, error, row)
        return ProgrammingError(f"records of {self.name} cannot be made of rows")

    def unreadable_value(self, column: Column[Any], error: Exception, row: native_record.Row = ()) -> DataError:
        """The error about the value of a column; row: all of its record, which names it."""
        where = f"{self.name}.{column.name}"
        if column._options.get("transform"):
            code, message = "CORM_E_CALLBACK", f"{where} cannot be decoded: {error}"
        else:
            code = "CORM_E_RANGE" if isinstance(error, OverflowError) else "CORM_E_TYPE"
            message = f"{where} is no {column.type_name} that Python knows"
        key = [value for item, value in zip(self.columns, row) if item.name in self.key and item is not column]
        if self.plain_key and key and len(key) == len(self.key) and all(type(item) in (int, str) for item in key):
            shown = [json.dumps(item[:100] if isinstance(item, str) else item, ensure_ascii=False) for item in key]
            message += f" (in the row with the key {', '.join(shown)})"
        hint = "mend the file, or change the model"
        return DataError(message, code=code, hint=hint, table=self.table, columns=column.column_name)

    def _unwritable(self, name: str, error: Exception, index: int) -> DataError:
        column = next(item for item in self.columns if item.name == name)
        if column._options.get("transform"):
            code = "CORM_E_CALLBACK"
        elif isinstance(error, ValueError | OverflowError):
            code = "CORM_E_RANGE"
        else:
            code = "CORM_E_TYPE"
        message, hint = f"{self.name}.{name}: {error}", None
        if code == "CORM_E_CALLBACK":
            message = f"{self.name}.{name} cannot be encoded: {type(error).__name__}: {error}"
            hint = "give a value that the column's transform takes"
        return DataError(
            message, hint=hint, code=code, table=self.table, columns=column.column_name, record_index=index
        )


if TYPE_CHECKING:
    ModelType = type
else:

    class ModelType(type):
        """What models are instances of: it finds their columns.

        They are no attributes of the class, because Python would then look at them at every access to a record's value.
        """

        def __getattr__(cls, name: str) -> Column[Any]:
            field = cls.__dict__.get("__fields__", {}).get(name)
            if isinstance(field, Column):
                return field
            raise AttributeError(f"{cls.__name__} has no attribute {name!r}", name=name, obj=cls)

        def __dir__(cls) -> list[str]:
            return [*super().__dir__(), *cls.__dict__.get("__fields__", {})]


@dataclass_transform(field_specifiers=(column, ignored))
class Model(metaclass=ModelType):
    """Base of models.

        class Person(Model, table="people", unique=[("name", "born")]):
            name: Column[str]
            born: Column[datetime | None] = column(default=None)
            id: Column[int | None] = column(primary_key=True, default=None)

    Each annotation `Column[...]` is a column; the class gets __init__, __repr__ and __eq__ as a dataclass does. Bases
    that are no models give it their columns and relations, too. __init__ ends with __post_init__() where there is one;
    a record that is read from the file or from JSON is made without both.
    Class keywords: table, primary_key (properties, for an order of their own), unique, indexes (properties, tuples of
    them or Key), checks (SQL), references (Reference), column_order, without_rowid, strict; for a virtual table its
    module, such as "fts5" for full-text search, and module_arguments, such as "tokenize = 'porter'".
    For migrations: renamed_from, the table's former name; allow_drop, columns by their names in the table that the
    model no longer has and that may go with their values; seed_sql, statements run once, when the table is made.
    """

    __model__: ClassVar[ModelInfo]
    __fields__: ClassVar[dict[str, Column[Any] | Ignored]]
    __relations__: ClassVar[dict[str, Relation[Any]]]
    # What was made of it by suffixed() and attached(), as long as somebody uses it.
    __variants__: ClassVar[WeakValueDictionary[str, type[Model]]]
    # Of one that was made so.
    __handle__: ClassVar[ModelHandle]

    def __init_subclass__(
        cls,
        *,
        table: str | None = None,
        primary_key: Sequence[str] = (),
        unique: Sequence[str | Sequence[str] | Key] = (),
        indexes: Sequence[str | Sequence[str] | Key] = (),
        checks: Sequence[str] = (),
        references: Sequence[Reference] = (),
        column_order: Sequence[str] = (),
        without_rowid: bool = False,
        strict: bool = False,
        module: str | None = None,
        module_arguments: Sequence[str] = (),
        renamed_from: str | None = None,
        allow_drop: Sequence[str] = (),
        seed_sql: str | None = None,
    ) -> None:
        super().__init_subclass__()
        options = {name: value for name, value in locals().items() if name not in ("cls", "__class__")}
        fields = cls.__fields__ = collect_fields(cls)
        for name, field in fields.items():
            if name in cls.__dict__:
                delattr(cls, name)
            if isinstance(field, Column) and getattr_static(cls, name, None) is not None:
                # A column that is called as a method is hides it.
                setattr(cls, name, field)
        cls.__relations__ = collect_relations(cls)
        init = _codegen.make_init(fields, hasattr(cls, "__post_init__"))
        made: ModelHandle | None = cls.__dict__.get("__handle__")
        cls.__model__ = ModelInfo(
            cls, fields, lambda columns: made or native_model.create_model(definition(cls.__name__, columns, **options))
        )
        cls.__variants__ = WeakValueDictionary()
        if "__init__" not in cls.__dict__:
            init.__qualname__ = f"{cls.__qualname__}.__init__"
            cls.__init__ = init  # type: ignore[method-assign]

    def __repr__(self) -> str:
        values = ", ".join(f"{item.name}={getattr(self, item.name, None)!r}" for item in self.__model__.columns)
        return f"{type(self).__qualname__}({values})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [item.name for item in self.__model__.columns]
        return all(getattr(self, name, None) == getattr(other, name, None) for name in names)

    def __replace__(self, /, **changes: Any) -> Self:
        """copy.replace(): another record, made by __init__, with other values; loaded relations are not taken over."""
        for name, field in type(self).__fields__.items():
            if field._options.get("init", True):
                changes.setdefault(name, getattr(self, name))
        return type(self)(**changes)

    @classmethod
    def suffixed(cls, suffix: str) -> type[Self]:
        """The model of another table of the same shape, such as one for each target.

        Message.suffixed("42") is a model of its own, of the table "message_42". Its indexes have the suffix as well,
        and so have references and relations to the model itself; other references, and relations, are the model's.
        seed_sql is not its own.

        suffix: any text but control characters, 200 bytes at most. Capital letters of ASCII are refused: SQLite takes
        them for small ones, so that two targets would share a table.
        """
        return cls._variant(f"[{suffix}]", lambda: native_model.create_suffixed_model(cls.__model__.handle, suffix))

    @classmethod
    def attached(cls, name: str) -> type[Self]:
        """The model of the same table in an attached file (Database.attach, Registry.attach).

        Its records and statements read and write that file, and join both. Its tables are made, migrated, observed and
        cached where their file is opened, and it has no relations. name: under which the file is or will be attached.
        """
        return cls._variant(f"@{name}", lambda: native_model.create_attached_model(cls.__model__.handle, name))

    @classmethod
    def _variant(cls, mark: str, create: Callable[[], ModelHandle]) -> type[Self]:
        with _variants_lock:
            known: Any = cls.__variants__.get(mark)
            if known is None:
                members = {"__handle__": create(), "__module__": cls.__module__, "__doc__": cls.__doc__}
                known = types.new_class(cls.__name__ + mark, (cls,), exec_body=lambda body: body.update(members))
                cls.__variants__[mark] = known
        return cast("type[Self]", known)

    @classmethod
    def where(cls, *conditions: Expression[bool | None]) -> Select[Self]:
        """A query of the records that meet all conditions: select(cls).where(...)."""
        from .select import select  # which imports this module

        return select(cls).where(*conditions)

    # Records change, so like those of a dataclass they cannot be keys of a dict.
    __hash__ = None  # type: ignore[assignment]

    def insert(self, database: Database) -> Self:
        """Inserts this record; the key, defaults and computed columns come back into it."""
        database.insert(self)
        return self

    def save(self, database: Database) -> Self:
        """Inserts this record or updates the row with its key."""
        database.save(self)
        return self

    def update(self, database: Database, *properties: str) -> Self:
        """Writes this record, or only the properties, to the row with its key."""
        database.update(self, *properties)
        return self

    def delete(self, database: Database) -> bool:
        """Deletes the row with this record's key; False when there was none."""
        return database.delete(self)

    def refresh(self, database: Database) -> Self:
        """Reads this record anew by its key."""
        database.refresh(self)
        return self
