"""Relations: how the records of one model belong to those of another."""

from __future__ import annotations

import copy
import itertools
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast, overload
from weakref import WeakValueDictionary

from ._assigned import assign, forget, put
from ._native import abi
from ._native import relation as native_relation
from ._native.handle import ModelHandle
from ._operand import condition_node, decimals_of
from ._sharing import share
from .column import Column
from .error import NotLoadedError, ProgrammingError
from .expression import Expression
from .value import type_name

if TYPE_CHECKING:
    from .model import Model

M = TypeVar("M", bound="Model")
N = TypeVar("N", bound="Model")
T = TypeVar("T")

# A model, a function that gives it, or its name.
ModelName: TypeAlias = "type[Model] | Callable[[], type[Model]] | str"

# The library takes a relation once; several threads may be the first to use it.
_lock = threading.RLock()
# Every model that is still there, in the order in which they were made.
_models: WeakValueDictionary[int, type[Model]] = WeakValueDictionary()
_numbers = itertools.count()


class Relation(Generic[M]):
    """What to_one, to_many and many_to_many declare."""

    name: str
    # The model that has it.
    _owner: type[Model]
    # Of the model that the owner was made of by suffixed() or attached().
    _origin: Relation[Any] | None = None
    # Under which alias the owner is meant.
    _alias: str | None = None

    def __init__(self, kind: int, target: ModelName, options: dict[str, Any]) -> None:
        self._kind = kind
        self._target_name = target
        self._options = options
        self._known: type[M] | None = None
        self._made_of: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        share(self)

    def __set_name__(self, owner: type[Model], name: str) -> None:
        self._owner = owner
        self.name = name

    def __repr__(self) -> str:
        return f"<relation {self._owner.__name__}.{self.name}>"

    def _inherited(self, owner: type[Model]) -> Relation[M]:
        """The same relation of a model derived from the owner."""
        relation = copy.copy(self)
        relation._owner = owner
        relation._known = None
        if "__handle__" in owner.__dict__:
            relation._origin = self
        return relation

    def _under(self, alias: str) -> Any:
        """This relation of the owner under an alias, as class access gives it."""
        raise NotImplementedError

    def _target(self) -> type[M]:
        """The model it leads to; the library knows the relation from the first use on."""
        if self._known is None:
            with _lock:
                if self._known is None:
                    self._known = self._resolve()
        return self._known

    def _resolve(self) -> type[M]:
        if self._origin is not None:
            # The library has it from there.
            known: type[Model] = self._origin._target()
            native_relation.relation_columns(self._owner.__model__.handle, self.name)
            return cast("type[M]", self._owner if known is self._origin._owner else known)
        target = self._find(self._target_name)
        definition = {"name": self.name, "kind": self._kind, "target": target.__model__.handle}
        for member, value in self._options.items():
            if member == "junction":
                # Kept, for the library borrows it.
                self._junction = self._find(value)
                definition[member] = self._junction.__model__.handle
            else:
                definition[member] = list(value)
        native_relation.add_relation(self._owner.__model__.handle, definition)
        return cast("type[M]", target)

    def _find(self, target: ModelName) -> type[Model]:
        """A model by its name: one beside the owner, one that its module knows, else the only one that is called so."""
        if not isinstance(target, str):
            return target if isinstance(target, type) else target()
        models = [model for model in list(_models.values()) if model.__name__ == target]
        if beside := [model for model in models if _scope(model) == _scope(self._owner)]:
            return beside[-1]  # a class that is defined anew takes the place of the old one
        known: Any = getattr(sys.modules.get(self._owner.__module__), target, None)
        if hasattr(known, "__model__"):
            return cast("type[Model]", known)
        if len(models) == 1:
            return models[0]
        raise ProgrammingError(
            f"{self._owner.__name__}.{self.name} leads to {target!r}, which names {len(models) or 'no'} models",
            code="CORM_E_MODEL",
            hint="give the class" if models else "import its module first",
        )

    def _columns(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The properties that make it up: of the owner, and of the target."""
        if self._made_of is None:
            self._target()
            self._made_of = native_relation.relation_columns(self._owner.__model__.handle, self.name)
        return self._made_of

    def _check(self, record: Any, model: type[Model]) -> None:
        """Refuses what is no record of a model at one of its ends."""
        if not isinstance(record, model):
            given, wanted = type(record).__name__, model.__name__
            if given == wanted:
                given, wanted = type_name(record), type_name(model) + " (two classes have one name)"
            raise ProgrammingError(
                f"{self!r} is between other records: it was given one of {given} where it has {wanted}",
                hint="give records of the model that has the relation, and assign those of the model that it leads to",
            )

    def _not_loaded(self, owner: type) -> NotLoadedError:
        return NotLoadedError(
            f"{owner.__name__}.{self.name} is not loaded",
            hint=f"load it with db.load(records, {owner.__name__}.{self.name})",
        )


def _values_of(record: object, relation: Relation[Any], names: Collection[str]) -> list[Any]:
    """What a record at the end of a relation is known by, among the values of its columns."""
    target = relation._target()
    if not isinstance(record, target):
        given = f"a record of {type(record).__name__}" if hasattr(record, "__model__") else repr(record)
        raise ProgrammingError(
            f"{relation!r} is compared with {given}, and leads to records of {target.__name__}",
            hint=f"give a record of {target.__name__}, or compare the columns that hold its key",
        )
    info = target.__model__
    return [
        info.encode_plain(item.name, getattr(record, item.name)) if item.name in names else None
        for item in info.columns
    ]


def _scope(model: type[Model]) -> tuple[str, str]:
    """Where a class is defined."""
    return model.__module__, model.__qualname__.rpartition(".")[0]


def register(model: type[Model]) -> None:
    """Makes a model one that relations find by its name."""
    _models[next(_numbers)] = model


def known_to(model: type[Model]) -> Relation[Any] | None:
    """A relation of a model, or to it, that has been used."""
    for other in list(_models.values()):
        for relation in other.__relations__.values():
            if relation._known is not None and model in (relation._known, relation._owner):
                return relation
    return None


def collect_relations(cls: type[Model]) -> dict[str, Relation[Any]]:
    """The relations of a class and of its bases; it gets those of its bases as its own."""
    relations: dict[str, Relation[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        found = base.__dict__.get("__relations__")
        if found is None:  # a base that is no model
            found = {name: value for name, value in base.__dict__.items() if isinstance(value, Relation)}
        for name, relation in found.items():
            if name not in cls.__dict__:
                relations[name] = relation._inherited(cls)
                setattr(cls, name, relations[name])
    relations.update((name, value) for name, value in list(cls.__dict__.items()) if isinstance(value, Relation))
    return relations


class ToMany(Relation[M]):
    """A relation to any number of records, by to_many or many_to_many: conditions on them, and aggregates over them.

    In a condition the target's columns are those of its class: Artist.albums.any(Album.year > 2000).
    """

    @overload
    def __get__(self, instance: None, owner: type) -> ToMany[M]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> list[M]: ...
    def __get__(self, instance: object | None, owner: type) -> ToMany[M] | list[M]:
        if instance is None:
            return self
        raise self._not_loaded(owner)

    if TYPE_CHECKING:

        def __set__(self, instance: object, value: list[M]) -> None: ...

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            message = f"{self.__class__.__name__} has no attribute {name!r}"
            if not name.startswith("_"):
                message = (
                    f"{self!r} leads to many records and has no {name!r}: ask any(condition), count() or another "
                    "aggregate, or join it"
                )
            raise AttributeError(message, name=name, obj=self)

    @overload
    def __truediv__(self, relation: Route[N]) -> Route[N]: ...
    @overload
    def __truediv__(self, relation: ToMany[N]) -> Route[N]: ...
    @overload
    def __truediv__(self, relation: type[N]) -> Route[N]: ...
    def __truediv__(self, relation: Any) -> Route[Any]:
        """This relation and then the next one, for load(): Artist.albums / Album.tracks."""
        return Route[Any]((self,))._followed(relation)

    def any(self, condition: Expression[bool | None] | None = None) -> Expression[bool]:
        """Whether there is a related record that meets the condition, or any at all."""
        node = None if condition is None else condition_node(condition)
        return Expression((abi.CORM_NODE_RELATED, self._handle(), self._alias, self.name, node))

    def none(self, condition: Expression[bool | None] | None = None) -> Expression[bool]:
        """Whether there is no such record."""
        return ~self.any(condition)

    def contains(self, record: M) -> Expression[bool]:
        """Whether a record is one of them. It must have its key."""
        values = _values_of(record, self, self._target().__model__.key)
        return Expression((abi.CORM_NODE_IS_RELATED, self._handle(), self._alias, [self.name], values))

    def count(self, condition: Expression[bool | None] | None = None) -> Expression[int]:
        """How many related records there are, or meet the condition."""
        return self._aggregate("count", None, condition)

    @overload
    def sum(self, property: Column[T], condition: Expression[bool | None] | None = None) -> Expression[T | None]: ...
    @overload
    def sum(self, property: str, condition: Expression[bool | None] | None = None) -> Expression[Any]: ...
    def sum(self, property: str | Column[Any], condition: Expression[bool | None] | None = None) -> Expression[Any]:
        """The sum of a property; NULL over no record."""
        return self._aggregate("sum", property, condition)

    def total(self, property: str | Column[Any], condition: Expression[bool | None] | None = None) -> Expression[float]:
        """The sum of a property as a float; 0.0 over no record."""
        return self._aggregate("total", property, condition)

    def avg(
        self, property: str | Column[Any], condition: Expression[bool | None] | None = None
    ) -> Expression[float | None]:
        """The mean of a property; NULL over no record."""
        return self._aggregate("avg", property, condition)

    @overload
    def min(self, property: Column[T], condition: Expression[bool | None] | None = None) -> Expression[T | None]: ...
    @overload
    def min(self, property: str, condition: Expression[bool | None] | None = None) -> Expression[Any]: ...
    def min(self, property: str | Column[Any], condition: Expression[bool | None] | None = None) -> Expression[Any]:
        """The least value of a property; NULL over no record."""
        return self._aggregate("min", property, condition)

    @overload
    def max(self, property: Column[T], condition: Expression[bool | None] | None = None) -> Expression[T | None]: ...
    @overload
    def max(self, property: str, condition: Expression[bool | None] | None = None) -> Expression[Any]: ...
    def max(self, property: str | Column[Any], condition: Expression[bool | None] | None = None) -> Expression[Any]:
        """The greatest value of a property; NULL over no record."""
        return self._aggregate("max", property, condition)

    def _under(self, alias: str) -> ToMany[M]:
        self._target()
        relation = copy.copy(self)
        relation._alias = alias
        return relation

    def _handle(self) -> ModelHandle:
        self._target()
        return self._owner.__model__.handle

    def _aggregate(
        self, function: str, property: str | Column[Any] | None, condition: Expression[bool | None] | None
    ) -> Expression[Any]:
        fields: dict[str, Any] = self._target().__fields__
        column = fields.get(property) if isinstance(property, str) else property
        name = property if column is None else column.name
        node = None if condition is None else condition_node(condition)
        return Expression(
            (abi.CORM_NODE_AGGREGATE, self._handle(), self._alias, self.name, function, name, node),
            column if function in ("min", "max") else decimals_of(column) if function == "sum" else None,
        )


class ToOne(Relation[M]):
    """A relation to one record, by to_one. On the class its attributes are the target's: Album.artist.name == "X"."""

    @overload
    def __get__(self, instance: None, owner: type) -> type[M]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> M | None: ...
    def __get__(self, instance: Any, owner: type) -> type[M] | M | None:
        if instance is None:
            return cast("type[M]", Path((self,)))
        # Of a record without any nobody asks for its __dict__ (_sharing.py).
        if instance.__assigned__ is None or self.name not in instance.__dict__:
            raise self._not_loaded(owner)
        return cast("M | None", instance.__dict__[self.name])

    def __set__(self, instance: object, value: M | None) -> None:
        """Relates the record, whose foreign key becomes that of the other."""
        assign(cast("Model", instance), self, value)

    def __delete__(self, instance: Any) -> None:
        self.__get__(instance, type(instance))
        del instance.__dict__[self.name]
        forget(instance, self.name)

    def _key(self, related: M | None) -> tuple[Any, ...]:
        """What the foreign key of a record is that is related to this one."""
        return tuple([None if related is None else getattr(related, name) for name in self._columns()[1]])

    def _foreign_key(self, record: object) -> tuple[Any, ...]:
        """What it is."""
        return tuple([getattr(record, name, None) for name in self._columns()[0]])

    def _under(self, alias: str) -> Path:
        self._target()
        relation = copy.copy(self)
        relation._alias = alias
        return Path((relation,))


def relate(record: Model, name: str, value: Any) -> None:
    """Sets a relation of a new record; None says nothing of its foreign key."""
    if value is None and isinstance(type(record).__relations__[name], ToOne):
        put(record, name, None)
    else:
        setattr(record, name, value)


class Path:
    """A chain of to-one relations: its attributes are the columns at its end."""

    __slots__ = ("_steps",)

    def __init__(self, steps: Sequence[ToOne[Any]]) -> None:
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        if name in Path.__slots__:  # asked while a copy is made
            raise AttributeError(name)
        targets = [step._target() for step in self._steps]
        found = getattr(targets[-1], name)
        if isinstance(found, Column):
            first, names = self._steps[0], [step.name for step in self._steps]
            return found._at((abi.CORM_NODE_PATH, first._owner.__model__.handle, first._alias, names, found.name))
        if isinstance(found, Path):
            return Path((*self._steps, *found._steps))
        raise AttributeError(f"{self!r} has columns and to-one relations of {targets[-1].__name__}, but no {name!r}")

    def __eq__(self, other: object) -> Expression[bool]:  # type: ignore[override]
        """Whether the record that it leads to is this one; None: whether there is none."""
        steps = self._steps
        values = None if other is None else _values_of(other, steps[-1], steps[-1]._columns()[1])
        names = [step.name for step in steps]
        return Expression((abi.CORM_NODE_IS_RELATED, steps[0]._owner.__model__.handle, steps[0]._alias, names, values))

    def __ne__(self, other: object) -> Expression[bool]:  # type: ignore[override]
        return ~(self == other)

    __hash__ = object.__hash__

    def __truediv__(self, relation: Any) -> Route[Any]:
        return Route[Any](tuple(self._steps))._followed(relation)

    def _relation(self) -> ToOne[Any]:
        """The relation, where it is the only one."""
        if len(self._steps) > 1:
            raise ProgrammingError(f"{self!r} is a chain", hint="take one relation after another")
        return self._steps[0]

    def __repr__(self) -> str:
        return f"<relation {'.'.join([self._steps[0]._owner.__name__, *(step.name for step in self._steps)])}>"


class Route(Generic[M]):
    """Relations one after the other, as load() takes them: Artist.albums / Album.tracks."""

    __slots__ = ("_steps",)

    def __init__(self, steps: tuple[Relation[Any], ...]) -> None:
        self._steps = steps

    @overload
    def __truediv__(self, relation: Route[N]) -> Route[N]: ...
    @overload
    def __truediv__(self, relation: ToMany[N]) -> Route[N]: ...
    @overload
    def __truediv__(self, relation: type[N]) -> Route[N]: ...
    def __truediv__(self, relation: Any) -> Route[Any]:
        """The same and then the next relation."""
        return self._followed(relation)

    def _followed(self, relation: Any) -> Route[Any]:
        if isinstance(relation, ToMany):
            return Route((*self._steps, relation))
        if isinstance(relation, Path | Route):
            return Route((*self._steps, *relation._steps))
        raise ProgrammingError(
            f"{relation!r} is no relation", hint=f"go on with one, such as {self._steps[-1]!r} / Model.relation"
        )

    def __repr__(self) -> str:
        return f"<relations {' / '.join(f'{step._owner.__name__}.{step.name}' for step in self._steps)}>"


# --- Declaring ---


@overload
def to_one(target: type[M] | Callable[[], type[M]], *, columns: Sequence[str] = ()) -> ToOne[M]: ...
@overload
def to_one(target: str, *, columns: Sequence[str] = ()) -> ToOne[Any]: ...
def to_one(target: Any, *, columns: Sequence[str] = ()) -> ToOne[Any]:
    """A relation to the record that this one refers to: `artist = to_one(Artist)`.

    target: a model; where it is defined later, a function that gives it, to_one(lambda: Artist), or its name, which
    type checkers are told by an annotation: `artist: ToOne[Artist] = to_one("Artist")`. One that is annotated is a
    keyword of __init__, too.

    A record that is set to another one has the key of that as its foreign key, `album.artist = pia`; where that has no
    key yet, the write that comes next takes it, or refuses. None clears it.

    columns: the properties of the foreign key here; none are needed where it is the only one to the target.
    """
    return ToOne(abi.CORM_TO_ONE, target, {"columns": columns})


@overload
def to_many(target: type[M] | Callable[[], type[M]], *, columns: Sequence[str] = ()) -> ToMany[M]: ...
@overload
def to_many(target: str, *, columns: Sequence[str] = ()) -> ToMany[Any]: ...
def to_many(target: Any, *, columns: Sequence[str] = ()) -> ToMany[Any]:
    """A relation to the records that refer to this one: `albums = to_many(lambda: Album)`.

    columns: the properties of the foreign key there. The rest as to_one.
    """
    return ToMany(abi.CORM_TO_MANY, target, {"columns": columns})


@overload
def many_to_many(
    target: type[M] | Callable[[], type[M]],
    *,
    through: ModelName,
    columns: Sequence[str] = (),
    target_columns: Sequence[str] = (),
) -> ToMany[M]: ...
@overload
def many_to_many(
    target: str,
    *,
    through: ModelName,
    columns: Sequence[str] = (),
    target_columns: Sequence[str] = (),
) -> ToMany[Any]: ...
def many_to_many(
    target: Any,
    *,
    through: ModelName,
    columns: Sequence[str] = (),
    target_columns: Sequence[str] = (),
) -> ToMany[Any]:
    """A relation by way of a junction: `tracks = many_to_many(Track, through=PlaylistTrack)`.

    through: the junction's model. columns, target_columns: its properties to this model and to the target. The rest as
    to_one.
    """
    return ToMany(
        abi.CORM_MANY_TO_MANY, target, {"junction": through, "columns": columns, "target_columns": target_columns}
    )
