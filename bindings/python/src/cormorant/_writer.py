"""What writes one record, made for a model and a database: its values go to the library without being marshalled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _codegen
from ._assigned import settle
from ._native import abi
from ._native.call import owned_error
from ._native.python import is_loaded, make_writer
from .error import DataError
from .model import Model, ModelType

if TYPE_CHECKING:
    from .database import Database

Writer: TypeAlias = Callable[[Any], "bool | None"]
"""Whether the record was inserted, saved, updated or deleted; None: nothing was done, it is to be marshalled."""

# Ways to update a model that are kept ready: a program that writes what has changed may have one for each set of
# columns.
_MOST_UPDATERS = 64


def writer(database: Database, model: type[Model], operation: int, properties: tuple[str, ...] = ()) -> Writer | None:
    """None where the model's records are marshalled: those of one of many variants, which go when nobody uses them, and
    those that have hooks.
    """
    info = getattr(model, "__model__", None)
    if info is None or not is_loaded or info.hooks or "__handle__" in model.__dict__:
        return None
    if not info.key and operation != abi.CORM_WRITE_INSERT:
        return None
    names = [item.name for item in info.columns]
    if not all(name in names for name in properties):
        return None
    used: list[int] = [*range(len(names))]
    if operation == abi.CORM_WRITE_DELETE or properties:
        wanted = {*info.row_key} if operation == abi.CORM_WRITE_DELETE else {*properties, *info.row_key}
        used = [position for position, name in enumerate(names) if name in wanted]
    write, table = make_writer(database._handle, info.handle, operation, 0, properties, used)
    innermost, handle = database._innermost, database._handle
    fill = info.fill_part if properties else info.fill

    def note(record: Any) -> None:
        if innermost and (transaction := innermost.get(get_ident())):
            transaction._note(record)

    def finish(record: Any, answer: Any, table: object = table) -> bool | None:
        if type(answer) is list:
            error = owned_error(answer[0], handle)
            raise (info.explain_write(error, (record,)) if isinstance(error, DataError) else error) from error.__cause__
        if type(answer) is tuple:
            if key and getattr(record, key, 0) is None:
                note(record)
            if info.counted and innermost and (transaction := innermost.get(get_ident())):
                transaction._note_counted(record, info.counted)
            fill(record, answer)
        return None if answer is None else answer is not False

    key = info.key[0] if len(info.key) == 1 else None
    settled = None
    if info.has_to_one and operation != abi.CORM_WRITE_DELETE:
        settled = partial(settle, innermost, only=properties or None)
    return _codegen.make_write(info.columns, used, key, write, note, finish, settled)


def prepared(database: Database, writers: dict[type[Model], Writer], record: Model, operation: int) -> Writer | None:
    """What writes records of this type from now on; None where they are marshalled instead."""
    kind = type(record)
    made = writer(database, kind, operation) if isinstance(kind, ModelType) else None
    if made:
        writers[kind] = made
    return made


def prepared_update(
    database: Database, record: Model, properties: Any, more: tuple[Any, ...], names: tuple[str, ...]
) -> Writer | None:
    """The same for an update of the properties with these names, as update() is given them."""
    kind = type(record)
    made = writer(database, kind, abi.CORM_WRITE_UPDATE, names) if isinstance(kind, ModelType) else None
    if made:
        kept = database._updaters.setdefault(kind, {})
        if sum(map(len, kept.values())) >= _MOST_UPDATERS:
            kept.clear()
        kept.setdefault(more, {})[properties] = made
    return made
