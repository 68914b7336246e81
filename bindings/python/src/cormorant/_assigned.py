"""Relations to one that a record was set to: which foreign key it has for them once it is written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

from ._native import abi
from .error import ProgrammingError
from .result import PausedCollector

if TYPE_CHECKING:
    from ._relation_base import Relation
    from .column import Column
    from .model import Model
    from .relation import ToOne
    from .transaction import Notes

    Transactions = dict[int, Notes]

# A record's __assigned__ has for each relation to one that was set, and not written since, its name, the foreign key
# that the record got by that, and the one it had before. It is () where relations were read, and None where there is
# none: of such a record nobody asks for its __dict__ (_sharing.py).


def assign(record: Model, link: ToOne[Any], related: Model | None) -> None:
    """Relates a record, whose foreign key becomes that of the other; None of it where that has no key yet."""
    name = link.name
    if related is not None:
        link._check(related, link._target())
    mine, _ = link._columns()
    key = record.__model__.key
    before = next((item[2] for item in record.__assigned__ or () if item[0] == name), link._foreign_key(record))
    if related is None and (names := [column for column in mine if column in key]) == list(mine):
        raise never_none(link, names)
    for column, value in zip(mine, link._key(related)):
        if related is not None or column not in key:
            setattr(record, column, value)
    put(record, name, related)
    if related is not None:
        record.__assigned__ = (*(record.__assigned__ or ()), (name, link._foreign_key(record), before))


def assign_read(record: Model, link: ToOne[Any], related: Model | None) -> None:
    """The same with what a document has: its foreign key stays what the document says until the record is written."""
    put(record, link.name, related)
    if related is not None:
        key = link._foreign_key(record)
        record.__assigned__ = (*(record.__assigned__ or ()), (link.name, key, key))


def put(record: Model, name: str, related: Model | None) -> None:
    """Gives a record what was read for a relation to one."""
    with PausedCollector():
        vars(record)[name] = related
    forget(record, name)


def forget(record: Model, name: str) -> None:
    """What a relation was set to counts no more."""
    record.__assigned__ = tuple([item for item in record.__assigned__ or () if item[0] != name])


def forget_others(record: Model) -> None:
    """Forgets the related records that are others than those which a row just read refers to."""
    if record.__assigned__ is None:
        return
    record.__assigned__ = ()
    values = vars(record)
    for name, link in type(record).__relations__.items():
        if link._kind == abi.CORM_TO_ONE and name in values:
            to_one: Any = link
            if not _are_same(record, to_one._columns()[0], to_one._key(values[name]), to_one._foreign_key(record)):
                del values[name]


def settle_all(innermost: Transactions, records: Sequence[Model], only: Collection[str] | None, start: int) -> None:
    """settle() for a batch. start: the number of the first one in it."""
    for index, record in enumerate(records):
        if record.__assigned__:
            try:
                settle(innermost, record, only)
            except ProgrammingError as error:
                error.record_index = start + index
                raise


def settle(
    innermost: Transactions,
    record: Model,
    only: Collection[str] | None = None,
    *,
    refuses: bool = True,
    looks_up: bool = False,
) -> None:
    """Gives a record that is about to be written the foreign keys of those that it was related to.

    only: the properties that are written; None: all. refuses: it is an error where one has no key yet, or where the
    foreign key was set to something else since; else that is left for later. looks_up: `only` are not written, but what
    the row is looked for by.
    """
    relations: Any = type(record).__relations__
    assigned = record.__assigned__ or ()
    left: list[tuple[str, tuple[Any, ...], tuple[Any, ...]]] = []
    changes: list[tuple[str, Any]] = []
    for name, given, had in assigned:
        link: ToOne[Any] = relations[name]
        mine, _ = link._columns()
        key, here = link._key(getattr(record, name)), link._foreign_key(record)
        problem = None if only is None or not set(mine).isdisjoint(only) else "not written"
        if problem is None and not any(_are_same(record, mine, here, other) for other in (given, key)):
            problem = "contradiction"
        elif problem is None and None in key:
            problem = "no key"
        elif problem is None and only is not None and not looks_up:
            _refuse_half(record, link, only, had, key)
        if problem is None:
            changes += zip(mine, key)
            continue
        if refuses and problem != "not written":
            if problem == "no key":
                raise _without_key(record, link)
            column, value = next(
                item for item in zip(mine, key) if not is_same(record, item[0], getattr(record, item[0]), item[1])
            )
            raise contradiction(record, link, column, value)
        left.append((name, given, had))
    if not changes:
        return
    # A rollback may take the key of the other.
    if transaction := innermost.get(get_ident()):
        before = [("__assigned__", assigned), *((column, getattr(record, column)) for column, _ in changes)]
        transaction._filled += [(ref(record), name, value) for name, value in before]
    for column, value in changes:
        setattr(record, column, value)
    record.__assigned__ = tuple(left)


def is_same(record: Model, name: str, one: Any, other: Any) -> bool:
    """Whether two values of a property are one in the file, too, which may tell apart what is equal in Python, such as
    the local times of an hour that comes twice.
    """
    if one != other:
        return False
    encode, fields = record.__model__.encode_plain, cast("dict[str, Column[Any]]", type(record).__fields__)
    if one is None or one is other or fields[name].transform is None:
        return True
    is_one: bool = encode(name, one) == encode(name, other)
    return is_one


def _are_same(record: Model, names: Sequence[str], key: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return all(map(partial(is_same, record), names, key, other))


def never_none(link: Relation[Any], names: Sequence[str]) -> ProgrammingError:
    """The error where a relation is set to None whose foreign key is the primary key."""
    return ProgrammingError(
        f"{link!r} cannot be None, for {', '.join(names)} is the primary key",
        hint="delete the record, or relate it to another one",
    )


def contradiction(record: Model, link: Relation[Any], name: str, key: Any) -> ProgrammingError:
    """The error where a foreign key was set after the relation, and to something else."""
    where = f"{record.__model__.name}.{name}"
    return ProgrammingError(
        f"{where} is {getattr(record, name)!r}, but the record of {link!r} has {key!r}",
        hint=f"give {where} the key of that record, or take the record out of the relation",
        table=record.__model__.table,
        columns=_column_names(record, (name,)),
    )


def _refuse_half(
    record: Model, link: ToOne[Any], only: Collection[str], before: tuple[Any, ...], key: tuple[Any, ...]
) -> None:
    """Half of a foreign key would refer to another record than the relation, or to none: an update of one column that
    leaves out another which changes, too, is an error.
    """
    mine, own = link._columns()[0], record.__model__.key
    for name, old, new in zip(mine, before, key):
        if name not in only and name not in own and not is_same(record, name, old, new):
            raise ProgrammingError(
                f"{link!r} was set, and the update leaves out {name} of its foreign key",
                hint=f"update all of it: {', '.join([name for name in mine if name not in own])}",
                table=record.__model__.table,
                columns=_column_names(record, (name,)),
            )


def _without_key(record: Model, link: ToOne[Any]) -> ProgrammingError:
    target = link._target().__name__
    return ProgrammingError(
        f"{link!r} was set to a record of {target} that has no key yet",
        hint="save both with save_graph(), or insert that one first",
        table=record.__model__.table,
        columns=_column_names(record, link._columns()[0]),
    )


def _column_names(record: Model, names: Collection[str]) -> tuple[str, ...]:
    return tuple(item.column_name for item in record.__model__.columns if item.name in names)
