"""Methods of Database that load and save records together with those that are related to them."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload
from weakref import ref

from ._assigned import contradiction, is_same, put
from ._model_info import ModelInfo, info_of
from ._native import abi
from ._native import relation as native_relation
from ._operand import condition_node
from ._relation_base import Relation
from .column import Column
from .error import ProgrammingError, UniqueViolation
from .expression import Expression
from .model import Model
from .relation import Path, Route, ToMany, ToOne
from .result import PausedCollector
from .select import select
from .transaction import Transaction
from .value import PLAIN, file_value, plain_value, type_name

if TYPE_CHECKING:
    from ._native.handle import ModelHandle
    from ._native.record import Row
    from .database import Database


M = TypeVar("M", bound=Model)
Term = Expression[Any] | str


class Part(list[M]):
    """Related records that are not all there are, because they were loaded by a condition or with a limit."""


@overload
def load(
    database: Database,
    records: Model | Sequence[Model],
    relation: type[M] | ToMany[M] | Route[M],
    /,
    *,
    where: Expression[bool | None] | None = None,
    order_by: Term | Sequence[Term] = (),
    limit: int | None = None,
) -> list[M]: ...
@overload
def load(
    database: Database, records: Model | Sequence[Model], /, *relations: type[Model] | ToMany[Any] | Route[Any]
) -> list[Any]: ...
def load(
    database: Database,
    records: Model | Sequence[Model],
    /,
    *relations: Any,
    where: Expression[bool | None] | None = None,
    order_by: Term | Sequence[Term] = (),
    limit: int | None = None,
) -> list[Any]:
    """Loads the related records of one record or of many, with one statement for each relation, however many they are:
    db.load(artists, Artist.albums).

    Several levels are joined by `/`, and several relations follow each other: db.load(artists, Artist.albums /
    Album.tracks, Artist.country); a level that two have in common is loaded once, and all are of one snapshot.

    They become each record's attribute; a relation to one gives a record or None. where, order_by and limit (for
    each record; None: all) are for one relation to many. What was loaded last comes back as well.
    """
    owners = [records] if isinstance(records, Model) else list(records)
    routes = [_steps(relation) for relation in relations]
    terms = (order_by,) if isinstance(order_by, Expression | str) else tuple(order_by)
    if len(routes) == 1 and len(routes[0]) == 1:
        return _load(database, owners, routes[0][0], where, terms, limit)
    if not routes:
        raise ProgrammingError("no relation to load", hint="give one, such as Artist.albums")
    if where is not None or terms or limit is not None:
        raise ProgrammingError(
            "where, order_by and limit are given with several relations",
            hint="load the one that they are for in a call of its own, before the levels below it",
        )
    with Transaction(database, "read"):
        return _load_tree(database, owners, _tree(routes))


def load_all(
    database: Database, records: Model | Sequence[Model], loads: Iterable[tuple[tuple[Any, ...], dict[str, Any]]]
) -> None:
    """What the load() of a query asks for."""
    for relations, options in loads:
        load(database, records, *relations, **options)


Tree: TypeAlias = "dict[Relation[Any], Tree]"


def _tree(routes: Iterable[tuple[Relation[Any], ...]]) -> Tree:
    """Levels that routes have in common once."""
    tree: Tree = {}
    for steps in routes:
        level = tree
        for step in steps:
            level = level.setdefault(step, {})
    return tree


def _load_tree(database: Database, owners: list[Model], tree: Tree) -> list[Any]:
    found: list[Any] = []
    for link, below in tree.items():
        found = _load(database, owners, link)
        if below:
            found = _load_tree(database, found, below)
    return found


def _load(
    database: Database,
    owners: list[Model],
    link: Relation[Any],
    where: Expression[bool | None] | None = None,
    terms: tuple[Term, ...] = (),
    limit: int | None = None,
) -> list[Any]:
    if isinstance(link, ToOne) and (where is not None or terms or limit is not None):
        raise ProgrammingError(f"{link!r} leads to one record", hint="leave where, order_by and limit out")
    target = link._target()
    order = [term._node for term in select(target).order_by(*terms)._order]
    if limit is not None and limit < 0:
        raise ProgrammingError("limit is below 0", hint="give None for all")
    most = 0 if limit is None else min(limit, 2**31 - 1) or abi.CORM_LIMIT_NO_ROWS
    options = (None if where is None else condition_node(where), order, most)
    for owner in owners:
        link._check(owner, link._owner)
    keys = marshal.dumps(_keys(owners, link._columns()[0]), 2)
    handle = link._owner.__model__.handle
    with PausedCollector():
        rows, pairs = native_relation.load_related(database._handle, handle, link.name, keys, options)
        related = _unique(target.__model__.load(rows), rows, link)
        pairs_of = zip(pairs[::2], pairs[1::2])
        if isinstance(link, ToOne):
            for owner in owners:
                put(owner, link.name, None)
            for position, found in pairs_of:
                put(owners[position], link.name, related[found])
        else:
            make = Part if limit is not None or where is not None else list
            lists: list[list[Any]] = [make() for _ in owners]
            for position, found in pairs_of:
                lists[position].append(related[found])
            for owner, records_of in zip(owners, lists):
                vars(owner)[link.name] = records_of
    return related if link._kind != abi.CORM_MANY_TO_MANY else list({id(item): item for item in related}.values())


def save_graph(database: Database, records: Model | Sequence[Model], *, delete_removed: bool = False) -> None:
    """Saves records with all related ones that were loaded or assigned, in one transaction.

    Those that foreign keys refer to go first, and the keys are filled in. A foreign key that is neither the one that
    the row has nor that of the related record is an error. delete_removed: rows that are in the database but no more in
    a list of related records are deleted; of a many-to-many relation, only the rows of the junction. What is saved as
    well, or related by another list, stays. Nothing stays of a failure.
    """
    # Several threads may be the first to ask a record for its __dict__ (_sharing.py).
    with PausedCollector():
        graph = _Graph([records] if isinstance(records, Model) else records)
        if delete_removed:
            graph.refuse_parts()
        before = [(record, dict(record.__dict__)) for record in graph.records]
    try:
        with Transaction(database) as transaction:
            for level in graph.levels():
                for record in level:
                    transaction._notes._filled += graph.fill_keys(record, database)
                for cls in dict.fromkeys(map(type, level)):
                    database.save_many(record for record in level if type(record) is cls)
            _relate(database, graph, delete_removed)
    except BaseException as error:
        for record, values in before:
            vars(record).clear()
            vars(record).update(values)
        if delete_removed and isinstance(error, UniqueViolation):
            graph.explain(error)
        raise


def _relate(database: Database, graph: _Graph, delete_removed: bool) -> None:
    """Writes what is left once the records are saved: rows of junctions, and what was removed."""
    lists = []
    # Those below first.
    for owner, link, related in sorted(graph.links, key=lambda item: -graph.depths[id(item[0])]):
        many = link._kind == abi.CORM_MANY_TO_MANY
        if link._kind == abi.CORM_TO_ONE or not (many or delete_removed):
            continue
        mine, theirs = link._columns()
        names = theirs if many else info_of(link._target()).key
        lists.append((link._owner.__model__.handle, link.name, _keys([owner], mine)[0], _keys(related, names)))
    saved = graph.saved() if delete_removed else []
    if lists:
        removed = abi.CORM_REMOVED_DELETE if delete_removed else abi.CORM_REMOVED_KEEP
        native_relation.relate(database._handle, lists, saved, removed)


class _Graph:
    """Records and the relations between them that were loaded or assigned."""

    def __init__(self, records: Iterable[Model]) -> None:
        self.records: list[Model] = []
        # Each relation of a record, with the records it leads to.
        self.links: list[tuple[Model, Relation[Any], list[Model]]] = []
        # By the id of a record: those whose key it takes, each with the properties here and there.
        self._needs: dict[int, list[tuple[Model, tuple[str, ...], tuple[str, ...], Relation[Any]]]] = {}
        # The ids of records that get a key.
        self._new: set[int] = set()
        # How many relations lead to a record.
        self.depths: dict[int, int] = {}
        pending = list(records)
        self.depths.update((id(record), 0) for record in pending)
        for record in pending:
            key = info_of(type(record)).key
            if id(record) in self._needs:
                continue
            if any(getattr(record, name) is None for name in key):
                self._new.add(id(record))
            self._needs[id(record)] = []
            self.records.append(record)
            for link, related in _links(record):
                self.links.append((record, link, related))
                pending += related
                for other in related:
                    self.depths.setdefault(id(other), self.depths[id(record)] + 1)
        for record, link, related in self.links:
            mine, theirs = link._columns()
            for other in related:
                if link._kind == abi.CORM_TO_ONE:
                    self._needs[id(record)].append((other, mine, theirs, link))
                elif link._kind == abi.CORM_TO_MANY:
                    self._needs[id(other)].append((record, theirs, mine, link))

    def refuse_parts(self) -> None:
        for record, link, _ in self.links:
            if isinstance(record.__dict__[link.name], Part):
                raise ProgrammingError(
                    f"{link!r} was loaded in part, so what is missing there is not removed",
                    hint="load it without where and limit, or save without delete_removed",
                )

    def explain(self, error: UniqueViolation) -> None:
        """Says what to do where the other row may be one that is removed."""
        lists = [link for _, link, _ in self.links if link._kind == abi.CORM_TO_MANY]
        if any(link._target().__model__.table == error.table for link in lists):
            error.hint = (
                "another row has the same value: one that no list has any more is deleted once all is saved, "
                "so delete it first, in one transaction with the save"
            )

    def saved(self) -> list[tuple[ModelHandle, tuple[str, ...], list[tuple[Any, ...]]]]:
        """Of each model its records, by their keys and what may say in whose list they are."""
        columns: set[str] = set()
        for _, link, _ in self.links:
            if link._kind != abi.CORM_TO_ONE:
                columns.update(link._row_columns())
        records_of: dict[type[Model], list[Model]] = {}
        for record in self.records:
            records_of.setdefault(type(record), []).append(record)
        found = []
        for cls, records in records_of.items():
            info = info_of(cls)
            names = tuple(item.name for item in info.columns if item.column_name in columns or item.name in info.key)
            found.append((info.handle, names, _keys(records, names)))
        return found

    def levels(self) -> Iterator[list[Model]]:
        """The records, those first that others need."""
        left = self.records
        saved: set[int] = set()
        while left:
            level = [record for record in left if all(id(other) in saved for other, *_ in self._needs[id(record)])]
            if not level:
                names = ", ".join(dict.fromkeys(type(record).__name__ for record in left))
                raise ProgrammingError(
                    f"records refer to each other in a circle: {names}",
                    hint="save one of them without its relation first, and set it then",
                )
            yield level
            saved.update(map(id, level))
            left = [record for record in left if id(record) not in saved]

    def fill_keys(self, record: Model, database: Database) -> list[tuple[ref[Model], str, Any]]:
        """Sets the foreign keys of a record to the keys of those it needs, which are saved; what the others were."""
        filled: dict[str, Any] = {}
        changed: list[tuple[ref[Model], str, Any]] = []
        assigned = {name: given for name, given, _ in record.__assigned__ or ()}
        if assigned:
            changed.append((ref(record), "__assigned__", record.__assigned__))
            record.__assigned__ = ()
        for other, mine, theirs, link in self._needs[id(record)]:
            given = dict(zip(mine, assigned.get(link.name, ()) if isinstance(link, ToOne) else ()))
            is_read = isinstance(link, ToOne) and link.name not in assigned and id(other) not in self._new
            for name, source in zip(mine, theirs):
                value = getattr(other, source)
                if is_read and _is_same_text(getattr(record, name), value):
                    continue
                if not is_same(record, name, filled.setdefault(name, value), value):
                    raise ProgrammingError(
                        f"{type(record).__name__}.{name} would refer to two records",
                        hint="put the record into one list of related records only, the one its own relation leads to",
                    )
                if not is_same(record, name, before := getattr(record, name), value):
                    if name not in given or not is_same(record, name, before, given[name]):
                        _refuse_contradiction(database, record, name, value, link, is_read)
                        if name in given or is_read:
                            raise contradiction(record, link, name, value)
                    changed.append((ref(record), name, before))
                setattr(record, name, value)
        return changed


def _refuse_contradiction(
    database: Database, record: Model, name: str, key: Any, link: Relation[Any], is_read: bool
) -> None:
    """Where a foreign key was changed, but not to the related record's, nobody can tell which of both is meant.

    is_read: the related record was only loaded, so that it says nothing against what the row has.
    """
    info = info_of(type(record))
    value, row_key = getattr(record, name), [getattr(record, part) for part in info.key]
    if None in row_key or not row_key or (value is None and isinstance(link, ToMany)):
        return
    row = database.find(type(record), *row_key)
    if row is None:
        return
    stored = getattr(row, name)
    if not is_read if is_same(record, name, stored, value) else value is None and stored != key:
        return
    where = f"{info.name}.{name}"
    raise ProgrammingError(
        f"{where} is {value!r} where the row has {stored!r}, but the record of {link!r} has {key!r}",
        hint=f"give {where} the key of that record, or take the record out of the relation",
        table=info.table,
        columns=tuple(item.column_name for item in info.columns if item.name == name),
    )


def _is_same_text(here: Any, there: Any) -> bool:
    """Whether two texts may be one key to a collation of SQLite's, as it has related them."""
    return (
        isinstance(here, str) and isinstance(there, str) and here.rstrip(" ").casefold() == there.rstrip(" ").casefold()
    )


def is_loaded(record: Model, relation: type[Model] | ToMany[Any]) -> bool:
    """Whether the related records are there, loaded or assigned; else reading them is a NotLoadedError."""
    (link,) = _steps(relation)
    link._check(record, link._owner)
    with PausedCollector():
        return link.name in vars(record)


def asdict(record: Model, /, *relations: type[Model] | ToMany[Any] | Route[Any]) -> dict[str, Any]:
    """The columns of a record as a dict, by the names of its properties, with values as the record has them.

    relations: what is to be there as well, as dicts or lists of dicts of the related records: asdict(artist,
    Artist.albums / Album.tracks). Their records must be loaded or assigned, else it is a NotLoadedError.
    """
    if not isinstance(getattr(type(record), "__model__", None), ModelInfo):
        raise ProgrammingError(f"{type_name(record)} is no record", hint="give a record of a model")
    return _asdict(record, _tree([_steps(relation) for relation in relations]))


def _asdict(record: Model, tree: Tree) -> dict[str, Any]:
    found: dict[str, Any] = {item.name: getattr(record, item.name) for item in type(record).__model__.columns}
    for link, below in tree.items():
        link._check(record, link._owner)
        related = getattr(record, link.name)
        if isinstance(link, ToMany):
            found[link.name] = [_asdict(item, below) for item in related]
        else:
            found[link.name] = None if related is None else _asdict(related, below)
    return found


def _steps(relation: Any) -> tuple[Relation[Any], ...]:
    """The relations that are loaded one after the other."""
    if isinstance(relation, ToMany):
        return (relation,)
    if not isinstance(relation, Path | Route):
        raise ProgrammingError(f"{relation!r} is no relation", hint="give one, such as Artist.albums")
    steps = tuple(relation._steps)
    for before, step in pairwise(steps):
        if not issubclass(before._target(), step._owner):
            raise ProgrammingError(
                f"{step!r} does not go on from {before!r}, which leads to {before._target().__name__}",
                hint=f"go on with a relation of {before._target().__name__}",
            )
    return steps


def _links(record: Model) -> Iterator[tuple[Relation[Any], list[Model]]]:
    """The relations of a record that were loaded or assigned, and what they lead to."""
    for name, link in type(record).__relations__.items():
        if name in record.__dict__:
            found = record.__dict__[name]
            related = found if isinstance(link, ToMany) else [] if found is None else [found]
            if not isinstance(related, list):
                raise ProgrammingError(
                    f"{link!r} is set to a {type(found).__name__}", hint="set it to a list of records"
                )
            for item in related:
                link._check(item, link._target())
            yield link, related


def _keys(records: Sequence[Model], names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Values of the properties of records of one model, as the file has them."""
    columns: list[list[Any]] = []
    for name in names:
        values = [getattr(record, name) for record in records]
        column = type(records[0]).__fields__[name] if records else None
        if isinstance(column, Column) and column._encode:
            values = [file_value(column.type_name, column._encode(value)) for value in values]
        elif not PLAIN.issuperset(map(type, values)):
            values = [plain_value(value) for value in values]
        columns.append(values)
    return list(zip(*columns))


def _unique(records: list[Any], rows: list[Row], link: Relation[Any]) -> list[Any]:
    """The same object for rows that came several times, as those of a many-to-many relation do."""
    info = link._target().__model__
    if link._kind != abi.CORM_MANY_TO_MANY or not info.key:
        return records
    # The file's values, for Python takes some for equal that are two keys there, such as decimals 1.10 and 1.1.
    key_of = itemgetter(*[place for place, item in enumerate(info.columns) if item.name in info.key])
    first: dict[Any, Any] = {}
    return [first.setdefault(key_of(row), record) for row, record in zip(rows, records)]
