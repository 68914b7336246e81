"""What is known of a model: its columns and key, and how its records become rows and come out of them."""

from __future__ import annotations

import json
import marshal
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _codegen
from ._annotation import own_transform
from ._hooks import Hooks, find_hooks
from ._native import abi
from ._native import model as native_model
from ._native import record as native_record
from ._native.handle import CursorHandle, ModelHandle
from ._sharing import share
from .column import MISSING, Column, Ignored
from .error import DataError, ProgrammingError
from .value import PLAIN, as_plain, can_dump, file_decoder, plain_value, type_name

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._relation_base import Relation
    from .model import Model


# What holds the values of a column of a type.
_KINDS: dict[str, type] = {
    "int64": int, "int32": int, "bool": bool, "double": float, "float": float,
    "text": str, "varchar": str, "blob": bytes,
}  # fmt: skip

# What gives some columns' values of records, and the places of the columns.
_Part: TypeAlias = "tuple[Callable[[Iterable[Any]], Iterable[Any]], native_record.Places]"

_FLOAT = struct.Struct("f")


class ModelInfo:
    """What is known of a model, as `Person.__model__`.

    name, table. columns: in order of declaration. key: the properties of the primary key, () when it is hidden.
    generates_key: insert makes a key. create_sql: the CREATE statements. The rest serves the package itself.
    """

    # The model that the table is made of, where this one is about some of its rows.
    whole: type[Model] | None = None

    def __init__(
        self,
        cls: type[Model],
        fields: dict[str, Column[Any] | Ignored],
        create: Callable[[tuple[Column[Any], ...], bool], ModelHandle],
    ) -> None:
        self.name = cls.__name__
        columns = tuple(field for field in fields.values() if isinstance(field, Column))
        self.columns = columns
        # What is called around the writes of records.
        self.hooks = find_hooks(self, cls)
        handle = self.handle = create(columns, self.row_hooks is not None)
        handle.info = self
        self.table = native_model.model_table(handle)
        for position, item in enumerate(columns):
            item._bind(self, native_model.model_column_name(handle, position))
        key = [columns[position] for position in native_model.model_key(handle)]
        self.key = tuple(item.name for item in key)
        # What tells the library which row is meant: the key, and the version that it must have.
        self.version = next((item.name for item in columns if item._options.get("version")), None)
        self.row_key = self.key if self.version is None else (*self.key, self.version)
        # What comes back of an update of some properties.
        self._filled = tuple(
            item
            for item in columns
            if item._options.get("computed") is not None
            or item.name == self.version
            or item._options.get("stamp") == "updated"
        )
        # What each write changes, and a rollback takes back.
        self.counted = tuple(item.name for item in columns if item.name == self.version or item._options.get("stamp"))
        self.generates_key = native_model.model_generates_key(handle)
        self.create_sql = native_model.model_create_sql(handle)
        for item in columns:
            if item._options.get("made") and not self.generates_key:
                raise ProgrammingError(
                    f"{self.name}.{item.name} is no key that the file makes",
                    code="CORM_E_MODEL",
                    hint="key() stands for one integer alone; declare other keys with column(primary_key=True)",
                )

        self.plain_key = not any(item.transform for item in key)
        self._cls = cls
        # Whether relations may give records their foreign keys.
        self.has_to_one = any(link._kind == abi.CORM_TO_ONE for link in cls.__relations__.values())
        self._ignored = {name: field for name, field in fields.items() if isinstance(field, Ignored)}
        self.encode_values = {item.name: _codegen.encoder(item) for item in columns}
        self._partial: dict[tuple[str, ...], Callable[[Any], native_record.Row]] = {}
        self._parts: dict[tuple[str, ...], _Part] = {}
        share(self)

    @property
    def row_hooks(self) -> Hooks | None:
        """The hooks that some of its rows have, as records."""
        return self.hooks

    @property
    def relations(self) -> Mapping[str, Relation[Any]]:
        """Its relations by name."""
        return self._cls.__relations__

    def names(self, cursor: CursorHandle) -> tuple[str, ...]:
        """The properties, in the order of a row."""
        return tuple(item.name for item in self.columns)

    # Made when first needed: a program with hundreds of models starts with most of them unused.

    @cached_property
    def defaults(self) -> Sequence[tuple[Column[Any], Any, Any]]:
        """What a statement that inserts gives the properties that it leaves out: columns, defaults, factories."""
        found: list[tuple[Column[Any], Any, Any]] = []
        for column in self.columns:
            options = column._options
            default, factory = options.get("default", MISSING), options.get("default_factory", MISSING)
            is_null = default is MISSING or (default is None and not column._encodes_none())
            is_written = (
                options.get("version") or options.get("discriminator") is not None or options.get("stamp") == "updated"
            )
            if not is_written and not (is_null and factory is MISSING):
                found.append((column, default, factory))
        return found

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

    @cached_property
    def _assign_filled(self) -> Callable[[Any, native_record.Row], None]:
        return _codegen.make_assign(self._filled)

    @cached_property
    def changes(self) -> Callable[[Any, Any], tuple[str, ...]]:
        """The properties that differ between a record and an earlier copy, but for what the database fills in."""
        filled = {item.name for item in self._filled}
        columns = [item for item in self.columns if item.name not in filled]
        return _codegen.make_changes(columns, (int, str, bytes, bool), self._differs, self._refuse_copy)

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
                only, _codegen.make_encode(self.columns, {*only, *self.row_key})
            )
        try:
            return marshal.dumps(list(map(encode, records)), 2)
        except Exception as error:
            # marshal takes no types derived from Python's own, such as IntEnum.
            with suppress(Exception):
                return marshal.dumps([tuple(map(as_plain, encode(record))) for record in records], 2)
            raise self._explain(records, only) from error

    def dump_part(self, records: Sequence[Any], only: tuple[str, ...]) -> tuple[bytes, native_record.Places]:
        """Just these properties and the key: the values of one record after the other, and the columns' places."""
        values, places = self._parts.get(only) or self._parts.setdefault(only, self._part({*only, *self.row_key}))
        try:
            return marshal.dumps(list(values(records)), 2), places
        except Exception as error:
            with suppress(Exception):
                return marshal.dumps(list(map(as_plain, values(records))), 2), places
            raise self._explain(records, only) from error

    def _part(self, names: set[str]) -> _Part:
        found = {position: item for position, item in enumerate(self.columns) if item.name in names}
        return _codegen.make_values(tuple(found.values())), native_record.places(found)

    def dump_key(self, key: tuple[Any, ...]) -> bytes:
        """A primary key as the library takes it. A key with None is an error."""
        if self.plain_key and len(key) == 1 and type(key[0]) is int:
            return marshal.dumps(key, 2)
        if len(key) == 1 < len(self.key) and isinstance(key[0], tuple | list):
            raise ProgrammingError(
                f"a key of {self.name} is one {type_name(key[0])}",
                hint=f"give its values one by one, as in find({self.name}, {', '.join(self.key)})",
            )
        if not self.plain_key:
            key = tuple(map(self.encode_value, self.key, key)) + key[len(self.key) :]
        if None in key:
            raise ProgrammingError(
                f"a key of {self.name} is None", hint="give the key; a record has its own once it is inserted"
            )
        return marshal.dumps(key if PLAIN.issuperset(map(type, key)) else tuple(map(self._plain, key)), 2)

    def dump_key_of(self, record: Any) -> bytes:
        """A record's primary key as the library takes it. A model without one is an error."""
        if not self.key:
            raise ProgrammingError(f"{self.name} has no primary key", hint="declare one with column(primary_key=True)")
        return self.dump_key(tuple(getattr(record, name) for name in self.key))

    def dump_attributes(self, attributes: Mapping[str, Any]) -> bytes:
        """Values by the names of properties, as the library takes them."""
        values = {
            name: self.encode_value(name, value) if name in self.encode_values else value
            for name, value in attributes.items()
        }
        if not PLAIN.issuperset(map(type, values.values())):
            values = {name: self._plain(value, f".{name}") for name, value in values.items()}
        return marshal.dumps(values, 2)

    def decode_key(self, value: Any) -> Any:
        """The key that an insert made, as the property has it."""
        key = next((item for item in self.columns if item.name in self.key), None)
        if key is None:
            return value
        if key.type_name == "bool":
            value = bool(value)
        return value if key.transform is None else key.transform.decode(value)

    def _refuse_copy(self, since: Any) -> None:
        raise ProgrammingError(
            f"{type_name(since)} is no earlier copy of a record of {self.name}",
            hint="give a record of the same model",
        )

    def _differs(self, record: Any, since: Any, column: Column[Any]) -> bool:
        return self._stored(record, column) != self._stored(since, column)

    def stored(self, record: Any) -> dict[str, bytes]:
        """What the file would hold of a record, by property, but for what the database fills in."""
        filled = {item.name for item in self._filled}
        return {item.name: self._stored(record, item) for item in self.columns if item.name not in filled}

    def _stored(self, record: Any, column: Column[Any]) -> bytes:
        """A value as the file would hold it, as bytes: 0.0 and -0.0 are equal, but not the same there."""
        value = self.encode_plain(column.name, getattr(record, column.name))
        if isinstance(value, int):
            value = int(value)
            if column.type_name in {"double", "float"} and abs(value) <= 2**53:
                value = float(value)
        if column._options.get("scale") is not None and isinstance(value, str):
            # The file has the number with so many digits, whatever it has here.
            with suppress(ArithmeticError, ValueError):
                return marshal.dumps(Decimal(value).as_integer_ratio(), 2)
        if column.type_name == "float" and isinstance(value, float):
            with suppress(OverflowError):
                value = _FLOAT.unpack(_FLOAT.pack(value))[0]
        return marshal.dumps(value, 2)

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

    def take_back(self, record: Any, item: Any, *, is_part: bool = False) -> None:
        """Puts what the database made into the record: a row, a part of one (fill_part), a key, or nothing."""
        if item is None or item is False:
            return
        if type(item) is tuple:
            (self.fill_part if is_part else self.fill)(record, item)
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

    def fill_part(self, record: Any, row: native_record.Row) -> None:
        """The same with what an update of some properties has filled in."""
        try:
            self._assign_filled(record, row)
        except Exception as error:
            raise self._unreadable([row], self._filled) from error

    def encode_value(self, name: str, value: Any) -> Any:
        """A value as the file has it, through the transform of its property."""
        try:
            return self.encode_values[name](value)
        except Exception as error:
            raise self._unwritable(name, error, -1) from error

    def encode_plain(self, name: str, value: Any) -> Any:
        """The same of a type that marshal writes."""
        return self._plain(self.encode_value(name, value), f".{name}")

    def _plain(self, value: Any, where: str = "") -> Any:
        try:
            return plain_value(value)
        except DataError as error:
            raise DataError(f"{self.name}{where}: {error.message}", code=error.code, hint=error.hint) from None

    def explain_write(self, error: DataError, records: Sequence[Any]) -> DataError:
        """The library's error about a value, in Python's words: a number of numpy comes to it as a blob."""
        column = next((item for item in self.columns if (item.column_name,) == error.columns), None)
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
        if key := getattr(getattr(value, "__model__", None), "key", None):
            hint = f"give its {key[0]}, or set the relation"
        if column._options.get("transform"):
            message = f"the transform of {self.name}.{name} stores a {type_name(value)}, its column {column.type_name}"
            hint = "let it encode what a column of the type stores, as column() says"
        return DataError(
            message,
            code="CORM_E_TYPE",
            hint=hint,
            table=self.table,
            columns=(column.column_name,),
            record_index=index,
        )

    def _explain(self, records: Sequence[Any], only: tuple[str, ...] | None) -> Exception:
        """Which value of which record could not be written: the fast way does not know."""
        for index, record in enumerate(records):
            for name, encode in self.encode_values.items():
                if only is not None and name not in only and name not in self.row_key:
                    continue
                at = index if len(records) > 1 else -1
                if not hasattr(record, name):
                    hint = "set it, where the model has an __init__ of its own by super().__init__(...)"
                    return self._unwritable(name, AttributeError("it is not set"), at, hint)
                try:
                    value = encode(getattr(record, name))
                except Exception as error:
                    return self._unwritable(name, error, at)
                if not can_dump(as_plain(value)):
                    return self._misfit(name, value, at)
        return ProgrammingError(f"the records of {self.name} changed while they were written")

    def _unreadable(self, rows: Sequence[native_record.Row], columns: Sequence[Column[Any]] | None = None) -> Exception:
        """Which value of the file could not be read: the fast way does not know. columns: where they are not all."""
        for row in rows:
            for item, value in zip(columns or self.columns, row):
                if item.transform and value is not None:
                    try:
                        item.transform.decode(value)
                    except Exception as error:
                        return self.unreadable_value(item, error, () if columns else row)
        return ProgrammingError(f"records of {self.name} cannot be made of rows")

    def unreadable_value(self, column: Column[Any], error: Exception, row: native_record.Row = ()) -> DataError:
        """The error about the value of a column; row: all of its record, which names it."""
        where = f"{self.table}.{column.column_name}"  # as the library says it of what the file holds
        if column._options.get("transform"):
            code, message = "CORM_E_CALLBACK", f"{where} cannot be decoded: {error}"
        elif own_transform(column.type_name, column.transform) and isinstance(error, ValueError | TypeError):
            code, message = "CORM_E_TYPE", f"{where}: {error}"
        else:
            code = "CORM_E_RANGE" if isinstance(error, OverflowError) else "CORM_E_TYPE"
            message = f"{where} is no {column.type_name} that Python knows"
        without = message
        key = [value for item, value in zip(self.columns, row) if item.name in self.key and item is not column]
        if self.plain_key and key and len(key) == len(self.key) and all(type(item) in (int, str) for item in key):
            shown = [json.dumps(item[:100] if isinstance(item, str) else item, ensure_ascii=False) for item in key]
            message += f" (in the row with the key {', '.join(shown)})"
        hint = "mend the file, or change the model"
        if column._choices:
            hint += "; a column of the enum or its type, such as Column[State | str], keeps what is unknown"
        found = DataError(message, code=code, hint=hint, table=self.table, columns=(column.column_name,))
        found._without_values = without
        return found

    def _unwritable(self, name: str, error: Exception, index: int, hint: str | None = None) -> DataError:
        column = next(item for item in self.columns if item.name == name)
        if column._options.get("transform"):
            code = "CORM_E_CALLBACK"
        elif isinstance(error, ValueError | OverflowError):
            code = "CORM_E_RANGE"
        else:
            code = "CORM_E_TYPE"
        message, hint = f"{self.name}.{name}: {error}", hint or getattr(error, "hint", None)
        if code == "CORM_E_CALLBACK":
            message = f"{self.name}.{name} cannot be encoded: {type(error).__name__}: {error}"
            hint = "give a value that the column's transform takes"
        return DataError(
            message, hint=hint, code=code, table=self.table, columns=(column.column_name,), record_index=index
        )


def handles_of(models: Iterable[type[Model]]) -> list[ModelHandle]:
    """Models that tables are made of: with those of some rows of a table that of all."""
    handles: list[ModelHandle] = []
    for model in models:
        info = info_of(model)
        for item in (info.whole.__model__ if info.whole else info, info):
            if item.handle not in handles:
                handles.append(item.handle)
    return handles


def info_of(model: type[Model]) -> ModelInfo:
    """The description of a model class; an error for anything else."""
    try:
        info = model.__model__
    except AttributeError:
        hint = "derive it from cormorant.Model" if isinstance(model, type) else "give a class derived from Model"
        hint = getattr(type(model), "_if_no_model", hint)
        raise ProgrammingError(f"{getattr(model, '__name__', repr(model))} is no model", hint=hint) from None
    # A record has what its class has.
    if getattr(type(model), "__model__", None) is info:
        raise record_for_model(model)
    return info


def record_for_model(record: Any) -> ProgrammingError:
    """The error where a record was given, and its class is wanted."""
    name = type(record).__name__
    return ProgrammingError(f"a record of {name} stands where a model is wanted", hint=f"give its class, {name}")


def info_of_records(kind: type[Model]) -> ModelInfo:
    """The description of the model whose records are of this type; an error for anything else."""
    try:
        return kind.__model__
    except AttributeError:
        if issubclass(kind, type):
            message, hint = "a class stands where a record is wanted", "make a record: Person(...)"
        else:
            message, hint = f"{type_name(kind)} is no record", "make records of a model, such as Person(name=...)"
            if issubclass(kind, list | tuple):
                hint += "; of several insert_many(records) and its kin write all"
            hint = getattr(kind, "_if_no_model", hint)
        raise ProgrammingError(message, hint=hint) from None
