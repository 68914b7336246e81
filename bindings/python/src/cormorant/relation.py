"""Relations: how the records of one model belong to those of another."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast, overload

from ._arithmetic import T_co
from ._assigned import assign, forget, never_none, put
from ._native import abi
from ._native.handle import ModelHandle
from ._operand import TRUTHS, Operand, condition_node, decimals_of
from ._relation_base import ModelName, Relation, values_of
from .column import Column
from .error import ProgrammingError
from .expression import Expression
from .function import any_of
from .value import type_name

if TYPE_CHECKING:
    from .model import Model

M = TypeVar("M", bound="Model")
N = TypeVar("N", bound="Model")
T = TypeVar("T")


class _Property(Protocol[T_co]):
    """A column whose values are T where they may be None, for type checkers. Column itself is invariant and would not
    fit where the call around it says what is expected.
    """

    @property
    def column_name(self) -> str: ...
    def optional(self) -> Expression[T_co]: ...


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
        return Expression((abi.CORM_NODE_RELATED, self._handle(), self._alias, self.name, node), TRUTHS)

    def none(self, condition: Expression[bool | None] | None = None) -> Expression[bool]:
        """Whether there is no such record."""
        return ~self.any(condition)

    def contains(self, record: M) -> Expression[bool]:
        """Whether a record is one of them. It must have its key."""
        values = values_of(record, self, self._target().__model__.key)
        return Expression((abi.CORM_NODE_IS_RELATED, self._handle(), self._alias, [self.name], values), TRUTHS)

    def count(self, condition: Expression[bool | None] | None = None) -> Expression[int]:
        """How many related records there are, or meet the condition."""
        return self._aggregate("count", None, condition)

    @overload
    def sum(self, property: _Property[T], condition: Expression[bool | None] | None = None) -> Expression[T]: ...
    @overload
    def sum(self, property: str, condition: Expression[bool | None] | None = None) -> Expression[Any]: ...
    def sum(self, property: Any, condition: Expression[bool | None] | None = None) -> Expression[Any]:
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
    def min(self, property: _Property[T], condition: Expression[bool | None] | None = None) -> Expression[T]: ...
    @overload
    def min(self, property: str, condition: Expression[bool | None] | None = None) -> Expression[Any]: ...
    def min(self, property: Any, condition: Expression[bool | None] | None = None) -> Expression[Any]:
        """The least value of a property; NULL over no record."""
        return self._aggregate("min", property, condition)

    @overload
    def max(self, property: _Property[T], condition: Expression[bool | None] | None = None) -> Expression[T]: ...
    @overload
    def max(self, property: str, condition: Expression[bool | None] | None = None) -> Expression[Any]: ...
    def max(self, property: Any, condition: Expression[bool | None] | None = None) -> Expression[Any]:
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
    """A relation to one record, by to_one. On the class its attributes are the target's: Album.artist.name == "X".

    They are of the target's types, also where a foreign key that may be None makes them NULL: select
    Album.artist.name.optional() then.
    """

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

    def _values(self, related: Any) -> dict[str, Any]:
        """What a statement sets, by property, that relates rows to a record, or to none."""
        mine, theirs = self._columns()
        if related is None:
            names = [name for name in mine if name not in self._owner.__model__.key]
            if not names:
                raise never_none(self, mine)
            return dict.fromkeys(names)
        self._check(related, self._target())
        values = {name: getattr(related, other) for name, other in zip(mine, theirs)}
        for other in theirs:
            if getattr(related, other) is None:
                raise ProgrammingError(
                    f"a record of {self._target().__name__} has no {other} yet, by which it is known",
                    hint="insert it first",
                )
        return values

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
    """A chain of to-one relations: its attributes are the columns at its end, and what is asked of a column, is_null(),
    is_not_null(), in_() and not_in(), where that has no column of the name.
    """

    __slots__ = ("_steps",)

    def __init__(self, steps: Sequence[ToOne[Any]]) -> None:
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        if name in Path.__slots__:  # asked while a copy is made
            raise AttributeError(name)
        targets = [step._target() for step in self._steps]
        found = getattr(targets[-1], name, None) if name in _QUESTIONS else getattr(targets[-1], name)
        if isinstance(found, Column):
            first, names = self._steps[0], [step.name for step in self._steps]
            return found._at((abi.CORM_NODE_PATH, first._owner.__model__.handle, first._alias, names, found.name))
        if isinstance(found, Path):
            return Path((*self._steps, *found._steps))
        if name in _QUESTIONS:
            return partial(_QUESTIONS[name], self)
        raise AttributeError(f"{self!r} has columns and to-one relations of {targets[-1].__name__}, but no {name!r}")

    def __eq__(self, other: object) -> Expression[bool]:  # type: ignore[override]
        """Whether the record that it leads to is this one; None: whether there is none."""
        self._steps[-1]._target()  # from here on the library knows it, for None, too
        return self._related(abi.CORM_NODE_IS_RELATED, None if other is None else self._values_of(other))

    def __ne__(self, other: object) -> Expression[bool]:  # type: ignore[override]
        return ~(self == other)

    __hash__ = object.__hash__

    def _is_in(self, records: Iterable[Any]) -> Expression[bool | None]:
        """Whether the record that it leads to is one of these; None among them asks for none."""
        if isinstance(records, str | bytes | Operand) or not isinstance(records, Iterable):
            raise ProgrammingError(
                f"{self!r} is asked for one {type_name(records)}",
                hint="give a list of records, or ask the columns of its foreign key",
            )
        given = list(records)
        values = [self._values_of(record) for record in given if record is not None]
        self._steps[-1]._target()
        is_one = self._related(abi.CORM_NODE_IS_RELATED_IN, values)
        return is_one if len(values) == len(given) else any_of(is_one, self == None)  # noqa: E711

    def _values_of(self, record: object) -> list[Any]:
        return values_of(record, self._steps[-1], self._steps[-1]._columns()[1])

    def _related(self, kind: int, values: Any) -> Expression[bool]:
        first = self._steps[0]
        names = [step.name for step in self._steps]
        return Expression((kind, first._owner.__model__.handle, first._alias, names, values), TRUTHS)

    def __truediv__(self, relation: Any) -> Route[Any]:
        return Route[Any](tuple(self._steps))._followed(relation)

    def _relation(self) -> ToOne[Any]:
        """The relation, where it is the only one."""
        if len(self._steps) > 1:
            raise ProgrammingError(f"{self!r} is a chain", hint="take one relation after another")
        return self._steps[0]

    def __repr__(self) -> str:
        return f"<relation {'.'.join([self._steps[0]._owner.__name__, *(step.name for step in self._steps)])}>"


_QUESTIONS: dict[str, Callable[..., Expression[bool | None]]] = {
    "is_null": lambda path: path == None,  # noqa: E711
    "is_not_null": lambda path: path != None,  # noqa: E711
    "in_": Path._is_in,
    "not_in": lambda path, records: ~path._is_in(records),
}


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
