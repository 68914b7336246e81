"""What the kinds of relations share: which model they lead to, and what the library is told of them."""

from __future__ import annotations

import contextlib
import copy
import itertools
import os
import sys
import threading
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary, WeakValueDictionary

from ._native import relation as native_relation
from ._sharing import share
from ._source import fold_name
from .error import NotLoadedError, ProgrammingError
from .value import type_name

if TYPE_CHECKING:
    from .model import Model

M = TypeVar("M", bound="Model")

# A model, a function that gives it, or its name.
ModelName: TypeAlias = "type[Model] | Callable[[], type[Model]] | str"

# The library takes a relation once; several threads may be the first to use it.
_lock = threading.RLock()


def _forked() -> None:
    global _lock
    # Another thread of the parent may have held it.
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_forked)
# Every model that is still there, in the order in which they were made.
_models: WeakValueDictionary[int, type[Model]] = WeakValueDictionary()
_numbers = itertools.count()
# The tables that foreign keys name.
_named: WeakKeyDictionary[type[Model], set[str]] = WeakKeyDictionary()


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

    def _row_columns(self) -> set[str]:
        """The columns that may say whose rows they are, of those that make it up: of the target, or of the junction."""
        theirs = set(self._columns()[1])
        relation: Relation[Any] = self
        while relation._origin is not None:
            relation = relation._origin
        junction: type[Model] | None = getattr(relation, "_junction", None)
        if junction is not None:
            return {item.column_name for item in junction.__model__.columns}
        return {item.column_name for item in self._target().__model__.columns if item.name in theirs}

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


def values_of(record: object, relation: Relation[Any], names: Collection[str]) -> list[Any]:
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


def _tell(number: int) -> None:
    model = _models.get(number)
    if model is None:
        return
    for relation in list(model.__relations__.values()):
        # One that is wrong, or leads to what is not there yet, is an error where it is used.
        with contextlib.suppress(Exception):
            relation._target()
    if names := _named.get(model):
        with contextlib.suppress(Exception):
            found = _beside(model, names)
            native_relation.refer_by_name(model.__model__.handle, [other.__model__.handle for other in found])


def _beside(model: type[Model], tables: Collection[str]) -> list[type[Model]]:
    """The models of tables, of each the only one where a model is defined."""
    found: dict[str, dict[str, type[Model]]] = {table: {} for table in tables}
    for other in list(_models.values()):
        table = fold_name(other.__model__.table)
        if table in found and _scope(other) == _scope(model) and _makes_table(other):
            # A class that is defined anew takes the place of the old one.
            found[table][other.__qualname__] = other
    return [only for models in found.values() for only in models.values() if len(models) == 1]


def _makes_table(model: type[Model]) -> bool:
    """Whether its table is made of it: not of a view, of a part of the rows, or of what another model was made into."""
    info = model.__model__
    return bool(info.create_sql) and info.whole is None and "__handle__" not in vars(model)


_teller = native_relation.Teller(_tell)


def register(model: type[Model], references: Collection[object]) -> None:
    """Makes a model one that relations find by its name; references: what its foreign keys lead to."""
    number = next(_numbers)
    _models[number] = model
    handle = model.__model__.handle
    names = {fold_name(other.partition(".")[0]) for other in references if isinstance(other, str)}
    if names:
        _named[model] = names
    if model.__relations__ or names:
        _teller.tells(handle, number)
    for other in references:
        if isinstance(other, type):
            native_relation.refer(handle, cast("type[Model]", other).__model__.handle)


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
