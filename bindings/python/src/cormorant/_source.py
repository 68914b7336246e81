"""Subqueries and common tables in a tree: found by their names, and given the WITH and the names that they need."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._native import abi
from ._native.expression import Node
from ._native.handle import ModelHandle
from ._native.library import utf8
from .error import ProgrammingError

if TYPE_CHECKING:
    from .subquery import CommonTable, Subquery


class SourceName(bytes):
    """The name of a subquery where a tree has it; marshal writes its bytes, the walk below finds the subquery."""

    source: Subquery[Any]

    # Whether there is any yet: programs that have none pay for no walk.
    are_in_use = False

    @classmethod
    def of(cls, source: Subquery[Any], name: str) -> SourceName:
        made = cls(utf8(name, "the name of a subquery"))
        made.source = source
        SourceName.are_in_use = True
        return made


class Unnamed(str):
    """Stands for the name of a subquery that was given none, until a statement with it is compiled."""

    @classmethod
    def make(cls) -> Unnamed:
        return cls(f"(unnamed {next(_numbers)})")


_numbers = itertools.count(1)


def with_common_tables(statement: Node) -> Node:
    """The statement with a WITH for each common table that stands in it, once, and a name for each subquery."""
    names = _Names()
    names.walk(statement)
    if names.defined:
        _refuse_names_of_models(statement, names.defined)
        kind, model, alias, parts = statement
        # One that another reads from was found later.
        tables = [table._definition() for table in reversed(names.defined.values())]
        statement = kind, model, alias, [*tables, *parts]
    unnamed = [source.name for source in names.sources.values() if isinstance(source.name, Unnamed)]
    return _named(statement, unnamed) if unnamed else statement


def _refuse_names_of_models(statement: Node, defined: Mapping[str, CommonTable[Any]]) -> None:
    """A common table that is called as the table of a model would be read in its place."""

    def check(part: Any) -> Any:
        if isinstance(part, ModelHandle) and (table := defined.get(fold_name(part.info.table))):
            raise ProgrammingError(
                f"the common table {table.name!r} is called as the table of {part.info.name}",
                hint="give it another name",
            )
        return part

    _copied(statement, check)


def _named(statement: Node, unnamed: list[Unnamed]) -> Node:
    """The statement with names that nothing else in it has, the same ones whenever it is written anew."""
    used: set[str] = set()

    def note(part: Any) -> Any:
        if isinstance(part, ModelHandle):
            used.add(fold_name(part.info.table))
        elif isinstance(part, str):
            used.add(fold_name(part))
        elif isinstance(part, SourceName):
            used.add(fold_name(part.source.name))
        return part

    _copied(statement, note)
    free = (name for name in map("anon_{}".format, itertools.count(1)) if name not in used)
    names: dict[str, bytes] = {old: utf8(new, "the name of a subquery") for old, new in zip(unnamed, free)}
    return _copied(statement, lambda part: names.get(part.source.name, part) if isinstance(part, SourceName) else part)


def _copied(tree: Node, change: Callable[[Any], Any]) -> Node:
    """A tree, which may be deep, with each of its leaves changed."""
    frames: list[tuple[Any, Iterator[Any], list[Any]]] = [(tree, iter(tree), [])]
    while True:
        item, parts, made = frames[-1]
        for part in parts:
            if isinstance(part, tuple | list):
                frames.append((part, iter(part), []))
                break
            made.append(change(part))
        else:
            frames.pop()
            copy: Any = made if isinstance(item, list) else tuple(made)
            if not frames:
                done: Node = copy
                return done
            frames[-1][2].append(copy)


class _Names:
    """What a statement's tables are called. Each name has one meaning in all of it: else a column of a subquery could
    be taken for that of another within it, and nobody would see.
    """

    def __init__(self) -> None:
        self.sources: dict[str, Subquery[Any]] = {}
        self.defined: dict[str, CommonTable[Any]] = {}
        self._models: dict[str, ModelHandle] = {}
        # Those that columns are of, and those that stand in a FROM.
        self._used: set[str] = set()
        self._read: set[str] = set()
        self._pending: list[Any] = []

    def walk(self, statement: Node) -> None:
        self._pending.append(statement)
        while self._pending:
            item = self._pending.pop()
            if isinstance(item, SourceName):
                self._note(item.source)
                continue
            # The values of an IN are no nodes, and there may be very many.
            parts = item[:2] if isinstance(item, tuple) and item[0] == abi.CORM_NODE_IN else item
            for position, part in enumerate(parts):
                # A source is (model, select, name, alias), all else (kind, model, alias, ...).
                if isinstance(part, ModelHandle) and isinstance(item, tuple):
                    alias = item[3 if position == 0 else 2]
                    self._models[fold_name(alias or part.info.table)] = part
                elif isinstance(part, SourceName):
                    names = self._read if position == 3 else self._used if item[0] == abi.CORM_NODE_NAME else None
                    if names is not None:
                        names.add(fold_name(part.source.name))
            self._pending += [part for part in reversed(parts) if part and isinstance(part, tuple | list | SourceName)]
        for name, source in self.sources.items():
            if name in self._used - self._read:
                raise ProgrammingError(
                    f"a column of {source.name} is used, but the statement does not read from it", hint="join it"
                )
            if handle := self._models.get(name):
                raise ProgrammingError(
                    f"a subquery is called {source.name!r} as {handle.info.name} is in the same statement",
                    hint="give it another name",
                )

    def _note(self, source: Subquery[Any]) -> None:
        key = fold_name(source.name)
        known = self.sources.setdefault(key, source)
        if known is not source and not _is_same_table(known, source):
            raise ProgrammingError(
                f"two subqueries of a statement are called {source.name!r}",
                hint="give one another name; read the same one twice as subquery.alias(name)",
            )
        table = source._table
        if table is None:
            return
        if table is not source:
            return self._note(table)
        defined = self.defined.get(fold_name(table.name))
        if defined is None or (defined is not table and table._goes_on_from(defined)):
            self.defined[fold_name(table.name)] = table
            self._pending.append(table._definition())
        elif defined is not table and not defined._goes_on_from(table):
            raise ProgrammingError(
                f"two common tables of a statement are called {table.name!r}", hint="give one another name"
            )


def _is_same_table(known: Subquery[Any], other: Subquery[Any]) -> bool:
    """Whether both are a common table itself, before and after rows were added to it."""
    first, second = known._table, other._table
    return (
        first is known and second is other and first is not None and second is not None and first._root is second._root
    )


def fold_name(name: str) -> str:
    """SQL ignores the case of ASCII letters in names."""
    return name.translate(_LOWER)


_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
