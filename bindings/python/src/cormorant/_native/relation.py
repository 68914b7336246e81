"""The calls of the library on relations."""

from __future__ import annotations

import ctypes
import marshal
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .call import call, failure, give_back, take
from .expression import Node, dump_tree
from .handle import DatabaseHandle, ModelHandle
from .library import library, utf8
from .struct import make_struct

_Tell = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def add_relation(model: ModelHandle, definition: Mapping[str, Any]) -> None:
    """Adds a relation by the members of a corm_relation_def; arrays are lists."""
    struct = make_struct("corm_relation_def", definition)
    call(library.corm_relation_add, model, ctypes.byref(struct))


def refer(model: ModelHandle, other: ModelHandle) -> None:
    """Says that a foreign key of a model leads to another."""
    call(library.corm_block_refer, model, other)


def refer_by_name(model: ModelHandle, others: Sequence[ModelHandle]) -> None:
    """Says to which models the foreign keys lead that name a table alone, in place of those that were said before."""
    handles = (ctypes.c_void_p * len(others))(*(other.value for other in others))
    call(library.corm_block_refer_by_name, model, handles, len(others))


class Teller:
    """A function of a model's number that adds the relations that the library does not know yet; it raises nothing."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self._function = _Tell(lambda number: tell(number or 0))
        self._pointer = ctypes.cast(self._function, ctypes.c_void_p).value

    def tells(self, model: ModelHandle, number: int) -> None:
        """The library calls it for this model where it has to know all relations."""
        call(library.corm_block_tell_relations, model, self._pointer, number)


def relation_columns(model: ModelHandle, relation: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The properties that make up a relation: of the record, and of the related record."""
    scratch = take()
    status = library.corm_tree_relation_columns(model, utf8(relation), scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    answer: tuple[tuple[str, ...], tuple[str, ...]] = scratch.read()
    give_back(scratch)
    return answer


def load_related(
    database: DatabaseHandle, model: ModelHandle, relation: str, keys: bytes, options: Node
) -> tuple[list[tuple[Any, ...]], tuple[int, ...]]:
    """Related rows, and pairs of the position of a key and that of a row that belongs to it, one after the other."""
    data = dump_tree(options)
    scratch = take()
    status = library.corm_tree_load(
        database, model, utf8(relation), keys, len(keys), data, len(data), scratch.block_ref, scratch.error_ref
    )
    if status < 0:
        raise failure(scratch, status)
    answer: tuple[list[tuple[Any, ...]], tuple[int, ...]] = scratch.read()
    give_back(scratch)
    return answer


def relate(
    database: DatabaseHandle,
    lists: Sequence[tuple[ModelHandle, str, Any, Any]],
    saved: Sequence[tuple[ModelHandle, tuple[str, ...], Any]],
    removed: int,
) -> None:
    """lists: the model of the owner, the relation's name, the owner's key and those of the related records.
    saved: the model of records, the names of properties, and their values.
    """
    models = [item[0] for item in lists] + [item[0] for item in saved]
    handles = (ctypes.c_void_p * len(models))(*(model.value for model in models))
    data = marshal.dumps(([item[1:] for item in lists], [item[1:] for item in saved]), 2)
    call(library.corm_tree_relate, database, handles, len(models), data, len(data), removed)
