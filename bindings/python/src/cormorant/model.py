"""Models: classes whose objects are rows of a table."""

from __future__ import annotations

import copyreg
import os
import threading
import types
from abc import ABCMeta
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast, overload
from weakref import WeakValueDictionary

from . import _codegen
from . import pydantic as _pydantic
from ._definition import annotated_relations, collect_fields, definition, model_error, targets_of
from ._inheritance import Family, FamilyInfo, family_of, is_made
from ._model_info import ModelInfo
from ._native import model as native_model
from ._native.handle import ModelHandle
from ._relation_base import Relation, collect_relations, register
from ._text_option import refuse_no_text, refuse_no_texts
from .column import Column, Ignored, Key, Reference, column, ignored, key
from .error import ProgrammingError
from .relation import ToOne, relate
from .select import Select, select

if TYPE_CHECKING:
    from pydantic import BaseModel, GetCoreSchemaHandler
    from pydantic_core import CoreSchema
    from typing_extensions import Self, dataclass_transform

    from ._write import Property
    from .aio import AsyncDatabase
    from .database import Database
    from .expression import Expression
    from .relation import Route, ToMany

    M = TypeVar("M", bound="Model")
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda cls: cls


# Keywords of classes whose rows lie in one table.
_TELLING = ("discriminator", "discriminator_value", "keep_unknown")
# Keywords that are texts.
_TEXTS = ("table", "scope", "module", "distributed_by", "renamed_from", "seed_sql", "discriminator")
# What a class says of how its objects are copied.
_COPYING = ("__slots__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__")

# Two threads that ask for the same variant get the same.
_variants_lock = threading.RLock()


def _forked() -> None:
    global _variants_lock
    # Another thread of the parent may have held it.
    _variants_lock = threading.RLock()


os.register_at_fork(after_in_child=_forked)


if TYPE_CHECKING:

    class ModelType(ABCMeta):
        # For type checkers a relation to one is the class that it leads to: it is compared with records, and loaded.
        def __eq__(cls, other: object) -> Any: ...
        def __ne__(cls, other: object) -> Any: ...
        def is_null(cls) -> Expression[bool]: ...
        def is_not_null(cls) -> Expression[bool]: ...
        def in_(cls, records: Iterable[Model | None]) -> Expression[bool | None]: ...
        def not_in(cls, records: Iterable[Model | None]) -> Expression[bool | None]: ...
        @overload
        def __truediv__(cls, relation: Route[M]) -> Route[M]: ...
        @overload
        def __truediv__(cls, relation: ToMany[M]) -> Route[M]: ...
        @overload
        def __truediv__(cls, relation: type[M]) -> Route[M]: ...
        def __truediv__(cls, relation: Any) -> Any: ...

else:

    class ModelType(ABCMeta):
        """What models are instances of: it finds their columns. Models may have abstract methods, and bases that have.

        They are no attributes of the class, because Python would then look at them at every access to a record's value,
        but of this one, a name of all models each.
        """

        def __dir__(cls) -> list[str]:
            return [*super().__dir__(), *cls.__dict__.get("__fields__", {})]


class _OfModels:
    """What gives each model its column of a name; what the class has of that name comes first."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, cls: Any, metaclass: type) -> Any:
        try:
            field = cls.__fields__[self._name]
        except (AttributeError, KeyError):
            field = None
        if field.__class__ is not Column:
            message = f"type object {cls.__name__!r} has no attribute {self._name!r}"
            raise AttributeError(message, name=self._name, obj=cls)
        return field


def _reduced(cls: type[Model]) -> str | tuple[Any, ...]:
    """How classes are pickled: a variant, which no module has by a name, by the model and the call that made it."""
    mark = cls.__name__[len(cls.__bases__[0].__name__) :] if "__handle__" in cls.__dict__ else ""
    if not mark:
        return cls.__qualname__
    if mark == "*":
        return _pickled, (cls.__bases__[0], "unscoped")
    return _pickled, (cls.__bases__[0], *(("attached", mark[1:]) if mark[0] == "@" else ("suffixed", mark[1:-1])))


def _pickled(cls: type[Model], call: str, *args: str) -> type[Model]:
    variant: type[Model] = getattr(cls, call)(*args)
    return variant


copyreg.pickle(ModelType, _reduced)  # type: ignore[arg-type]


class _Kept:
    """What no parameter is of: a record that copy.replace() makes gets it before its __post_init__, for which this
    stands, or before an __init__ of the model's own goes on.
    """

    def __init__(self, record: Model) -> None:
        self.record: Any = record
        self.values: dict[str, Any] = {}

    def __call__(self) -> None:
        self.put()
        self.record.__post_init__()

    def put(self, *, only_missing: bool = False) -> None:
        del self.record.__post_init__
        for name, value in self.values.items():
            if not only_missing or getattr(self.record, name, None) is None:
                setattr(self.record, name, value)


@dataclass_transform(field_specifiers=(column, key, ignored))
class Model(metaclass=ModelType):
    """Base of models.

        class Person(Model, table="people", unique=[("name", "born")]):
            name: Column[str]
            born: Column[datetime | None] = column(default=None)
            id: Column[int] = key()

    Each annotation `Column[...]` is a column; the class gets __init__, __repr__ and __eq__ as a dataclass does. Bases
    that are no models give it their columns and relations, too. __init__ ends with __post_init__() where there is one;
    a record that is read from the file or from JSON is made without both.
    What a model has of these methods is called around the writes of its records, in the transaction of the write, with
    the database: before_insert(self, database), after_insert, before_update, after_update, before_save, after_save,
    before_delete, after_delete; and validate(self), whose ValueError or AssertionError becomes a ValidationError. What
    the first ones set is written; what one raises undoes the write, and is what the caller gets. The save hooks are
    called by whatever writes a record's properties: insert, update, save, upsert, alone, in batches and graphs; the
    others by their verb alone. Statements, SQL, delete_key, delete_all and cascades have no record, and call nothing.
    Class keywords: table, primary_key (properties, for an order of their own), unique, indexes (properties, tuples of
    them or Key), checks (SQL), references (Reference), column_order, without_rowid, strict; for a virtual table its
    module, such as "fts5" for full-text search, and module_arguments, such as "tokenize = 'porter'".
    view: the table is a view, which is made by SQL: create_tables and migrations leave it alone, and its records are
    written where it has INSTEAD OF triggers.
    scope: an SQL condition, "deleted_at IS NULL" or "tenant = current_tenant()" with a function of the program's: all
    that reads, counts, updates and deletes by the model, relations to it among it, is about rows that meet it. SQL of
    one's own, observers and migrations are not; unscoped() lifts it.
    distributed_by: the property by which a server of many machines (Citus) spreads the rows; all keys must have it.
    Other engines take no notice.
    discriminator: a column that tells of which class a row is: the table has the rows of all classes derived from this
    one, each with its discriminator_value, and its columns, which are NULL in the rows of others. Queries of this
    class, and relations to it, give records of those; queries of one of them are about its rows. A value that none of
    them has is an error, or with keep_unknown a record of this class.
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
    # The one that is made; of one with an __init__ of its own, the one that it would have.
    __made_init__: ClassVar[Callable[..., None]]
    # Of one with a discriminator.
    __family__: ClassVar[Family]
    # What relations of a record were set to (_assigned.py).
    __assigned__: tuple[tuple[str, tuple[Any, ...], tuple[Any, ...]], ...] | None = None

    def __init__(self, *args: Any, **values: Any) -> None:
        """What super().__init__(...) is in an __init__ of a model's own: the one that the model would have without."""
        # The one that calls is the last: those that are made call none.
        owners = [base for base in type(self).__mro__ if issubclass(base, Model) and "__init__" in base.__dict__]
        if len(owners) < 2:
            raise TypeError("Model has no columns: make records of a class that is derived from it")
        owner = owners[-2]
        needed = any(_codegen.is_needed(field._options) for field in owner.__fields__.values())
        if not needed or args or values:
            owner._made_init()(self, *args, **values)
            if isinstance(kept := getattr(self, "__post_init__", None), _Kept):
                kept.put()

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
        view: bool = False,
        scope: str | None = None,
        distributed_by: str | None = None,
        module: str | None = None,
        module_arguments: Sequence[str] = (),
        renamed_from: str | None = None,
        allow_drop: Sequence[str] = (),
        seed_sql: str | None = None,
        discriminator: str | None = None,
        discriminator_value: Any = None,
        keep_unknown: bool = False,
    ) -> None:
        super().__init_subclass__()
        options = {name: value for name, value in locals().items() if name not in ("cls", "__class__", *_TELLING)}
        refuse_no_texts(cls.__name__, {**options, "discriminator": discriminator}, *_TEXTS)
        fields = cls.__fields__ = collect_fields(cls)
        made: ModelHandle | None = cls.__dict__.get("__handle__")
        family = family_of(cls) if made is None else None
        given = options
        if discriminator is not None:
            if family is not None:
                raise model_error(
                    f"{cls.__name__} has a discriminator, and derives from a class that has one",
                    "say discriminator_value, which tells its rows",
                )
            cls.__family__ = Family(cls, fields, discriminator, discriminator_value, keep_unknown, options)
        elif family is not None:
            options = family.begin(cls, fields, discriminator_value, given)
        elif discriminator_value is not None or keep_unknown:
            raise model_error(
                f"{cls.__name__} has a discriminator_value or keep_unknown, "
                "and no class that it derives from a discriminator",
                'say it of that: class Animal(Model, discriminator="kind")',
            )
        for name, field in fields.items():
            if name in cls.__dict__:
                delattr(cls, name)
            if not isinstance(field, Column):
                continue
            # A column that is called as a method is hides it.
            places = [place for place in (*cls.__mro__, *type.mro(type(cls))) if name in place.__dict__]
            if not places:
                setattr(ModelType, name, _OfModels(name))
            elif places != [ModelType] or not isinstance(ModelType.__dict__[name], _OfModels):
                setattr(cls, name, field)
        cls.__relations__ = collect_relations(cls)
        cls.__variants__ = WeakValueDictionary()
        if "__match_args__" not in cls.__dict__:
            params = {name: field._options for name, field in fields.items() if field._options.get("init", True)}
            # As of a dataclass: `case Person(name, age)`.
            setattr(cls, "__match_args__", tuple(name for name in params if not params[name].get("kw_only")))  # noqa: B010
        if cls.__copy__ is Model.__copy__ and any(
            base.__dict__.get(name) for base in cls.__mro__ if base is not object for name in _COPYING
        ):
            cls.__copy__ = None  # type: ignore[assignment,method-assign]
        makes_init = "__init__" not in cls.__dict__
        if discriminator is not None:
            cls.__family__.makes_init = makes_init
            return cls._make_whole()
        if makes_init:
            cls._set_init(fields)
        cls.__model__ = ModelInfo(
            cls,
            fields,
            lambda columns, has_hooks: (
                made or native_model.create_model(definition(cls.__name__, columns, **options), has_hooks)
            ),
        )
        register(cls, targets_of(cls.__model__.columns, references))
        if family is not None:
            cls.__model__.whole = family.whole
            family.add(cls, given)
            family.whole._make_whole()
        return None

    @classmethod
    def _make_whole(cls) -> None:
        """Makes the model of a table whose rows are told by a discriminator, with what its parts have."""
        family = cls.__family__
        fields = cls.__fields__ | family.others
        cls.__model__ = FamilyInfo(
            family,
            fields,
            lambda columns, has_hooks: native_model.create_model(
                definition(cls.__name__, columns, **family.options), has_hooks
            ),
        )
        # They find what the whole was before.
        for database in list(family.finders):
            database._finders.pop(cls, None)
        for part in family.parts.values():
            if part is not cls:
                native_model.set_whole(part.__model__.handle, cls.__model__.handle)
        if family.makes_init:
            cls._set_init(fields)
        register(cls, targets_of(cls.__model__.columns, family.options["references"]))

    @classmethod
    def _set_init(cls, fields: dict[str, Column[Any] | Ignored]) -> None:
        cls.__init__ = cls._make_init(fields)  # type: ignore[method-assign]
        cls.__made_init__ = staticmethod(cls.__init__)

    @classmethod
    def _make_init(cls, fields: dict[str, Column[Any] | Ignored]) -> Callable[..., None]:
        init = _codegen.make_init(fields, annotated_relations(cls), relate, hasattr(cls, "__post_init__"))
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        return init

    @classmethod
    def _made_init(cls) -> Callable[..., None]:
        """That of a class with one of its own, made when it is asked for."""
        if "__made_init__" not in cls.__dict__:
            cls.__made_init__ = staticmethod(cls._make_init(cls.__fields__))
        return cls.__made_init__

    def __repr__(self) -> str:
        columns = [item for item in self.__model__.columns if item.name in self.__fields__]
        values = ", ".join(f"{item.name}={getattr(self, item.name, None)!r}" for item in columns)
        return f"{type(self).__qualname__}({values})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [item.name for item in self.__model__.columns]
        return all(getattr(self, name, None) == getattr(other, name, None) for name in names)

    def __copy__(self) -> Self:
        """What copy.copy() makes by itself, in a small part of the time: earlier copies say what changed."""
        copied = object.__new__(type(self))
        vars(copied).update(vars(self))
        return copied

    def __replace__(self, /, **changes: Any) -> Self:
        """copy.replace(): another record, made by __init__, with other values; loaded relations are not taken over."""
        cls, given = type(self), dict(changes)
        taken = [name for name, field in self.__fields__.items() if field._options.get("init", True)]
        # What the relations say that are given.
        keys = {
            name
            for link in map(cls.__relations__.get, changes)
            if isinstance(link, ToOne)
            for name in link._columns()[0]
            if changes[link.name] is not None or name not in cls.__model__.key
        }
        for name in taken:
            given.setdefault(name, None if name in keys else getattr(self, name))
        # What it has beside its parameters, such as its key.
        kept = _Kept(cls.__new__(cls))
        for item in self.__model__.columns:
            name = item.name
            if name not in taken and name not in keys and not is_made(item) and hasattr(self, name):
                kept.values[name] = getattr(self, name)
        made: Any = kept.record
        made.__post_init__ = kept
        made.__init__(**given)
        if getattr(made, "__post_init__", None) is kept:
            kept.put(only_missing=cls.__init__ is not getattr(cls, "__made_init__", None))
        return cast("Self", made)

    @classmethod
    def suffixed(cls, suffix: str) -> type[Self]:
        """The model of another table of the same shape, such as one for each target.

        Message.suffixed("42") is a model of its own, of the table "message_42". Its indexes have the suffix as well,
        and so have references and relations to the model itself; other references, and relations, are the model's.
        seed_sql is not its own.

        suffix: any text but control characters, 200 bytes at most. Capital letters of ASCII are refused: SQLite takes
        them for small ones, so that two targets would share a table.
        """
        refuse_no_text(f"{cls.__name__}.suffixed()", "suffix", suffix)
        return cls._variant(f"[{suffix}]", lambda: native_model.create_variant(cls.__model__.handle, suffix=suffix))

    @classmethod
    def attached(cls, name: str) -> type[Self]:
        """The model of the same table in an attached file (Database.attach, Registry.attach).

        Its records and statements read and write that file, and join both. Its tables are made, migrated, observed and
        cached where their file is opened, and it has no relations. name: under which the file is or will be attached.
        """
        refuse_no_text(f"{cls.__name__}.attached()", "name", name)
        return cls._variant(f"@{name}", lambda: native_model.create_variant(cls.__model__.handle, attached_as=name))

    @classmethod
    def unscoped(cls) -> type[Self]:
        """The same model for all rows of its table, those outside of its scope among them.

        Person.unscoped().where(...), db.find(Person.unscoped(), 1): the records are of this model, and are saved,
        updated and deleted wherever their rows are. Its relations are the model's.
        """
        return cls._variant("*", lambda: native_model.create_variant(cls.__model__.handle, unscoped=True))

    @classmethod
    def _variant(cls, mark: str, create: Callable[[], ModelHandle]) -> type[Self]:
        if "__family__" in cls.__dict__:
            raise ProgrammingError(
                f"{cls.__name__} has records of several classes, and no variant",
                hint="give each table models of its own",
            )
        with _variants_lock:
            known: Any = cls.__variants__.get(mark)
            if known is None:
                members = {"__handle__": create(), "__module__": cls.__module__, "__doc__": cls.__doc__}
                known = types.new_class(cls.__name__ + mark, (cls,), exec_body=lambda body: body.update(members))
                cls.__variants__[mark] = known
        return cast("type[Self]", known)

    @classmethod
    def pydantic(
        cls,
        kind: Literal["create", "update", "read"],
        /,
        *,
        name: str | None = None,
        exclude: Sequence[str] = (),
        relations: Sequence[str] = (),
    ) -> type[BaseModel]:
        """A model of pydantic with the columns of this one; needs pydantic.

        kind: "create": what insert takes, without what the file makes: a key, computed columns, times. "update": the
        same, all of it optional, of which model_dump(exclude_unset=True) has what was given. "read": all columns, and
        the relations that are named; model_validate(record) refuses a record whose relation is not loaded.
        """
        return _pydantic.derived(cls, kind, name, exclude, relations)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _pydantic.core_schema(cls, handler)

    @classmethod
    def where(cls, *conditions: Expression[bool | None]) -> Select[Self]:
        """A query of the records that meet all conditions: select(cls).where(...)."""
        return select(cls).where(*conditions)

    # Records change, so like those of a dataclass they cannot be keys of a dict.
    __hash__ = None  # type: ignore[assignment]

    # With an AsyncDatabase each of these is awaited.

    @overload
    def insert(self, database: Database) -> Self: ...
    @overload
    def insert(self, database: AsyncDatabase) -> Awaitable[Self]: ...
    def insert(self, database: Any) -> Any:
        """Inserts this record; the key, defaults and computed columns come back into it."""
        done = database.insert(self)
        return self if type(done) is bool else _awaited(done, self)

    @overload
    def save(self, database: Database) -> Self: ...
    @overload
    def save(self, database: AsyncDatabase) -> Awaitable[Self]: ...
    def save(self, database: Any) -> Any:
        """Inserts this record or updates the row with its key."""
        done = database.save(self)
        return self if done is None else _awaited(done, self)

    @overload
    def update(self, database: Database, *properties: Property | Sequence[Property]) -> Self: ...
    @overload
    def update(self, database: AsyncDatabase, *properties: Property | Sequence[Property]) -> Awaitable[Self]: ...
    def update(self, database: Any, *properties: Property | Sequence[Property]) -> Any:
        """Writes this record, or only the properties, to the row with its key; properties: as of Database.update()."""
        done = database.update(self, *properties)
        return self if done is None else _awaited(done, self)

    def changes(self, since: Self) -> tuple[str, ...]:
        """The properties that differ from those of an earlier copy, by what the file would hold of them.

        Computed columns, the version and the time of the update, which the database fills in, are not among them. A
        list or dict that is changed in place is changed in a copy.copy(), too: take a copy.deepcopy().
        """
        return self.__model__.changes(self, since)

    @overload
    def update_changes(self, database: Database, since: Self) -> tuple[str, ...]: ...
    @overload
    def update_changes(self, database: AsyncDatabase, since: Self) -> Awaitable[tuple[str, ...]]: ...
    def update_changes(self, database: Any, since: Self) -> Any:
        """Writes what differs from an earlier copy to the row with this record's key: as Database.update_changes()."""
        return database.update_changes(self, since)

    @overload
    def delete(self, database: Database) -> bool: ...
    @overload
    def delete(self, database: AsyncDatabase) -> Awaitable[bool]: ...
    def delete(self, database: Any) -> Any:
        """Deletes the row with this record's key; False when there was none."""
        return database.delete(self)

    @overload
    def refresh(self, database: Database) -> Self: ...
    @overload
    def refresh(self, database: AsyncDatabase) -> Awaitable[Self]: ...
    def refresh(self, database: Any) -> Any:
        """Reads this record anew by its key."""
        done = database.refresh(self)
        return self if done is None else _awaited(done, self)


async def _awaited(done: Awaitable[object], record: M) -> M:
    await done
    return record
