"""The calls of the library on models and their tables."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

from . import abi
from .call import call, call_handle
from .handle import DatabaseHandle, ModelHandle, array_of
from .library import TYPES, info_of, library, to_text, utf8
from .struct import make_sized, make_struct


def create_model(definition: Mapping[str, Any], has_hooks: bool = False) -> ModelHandle:
    """Makes a model from a corm_model_def, its members by name; structs in it are mappings, arrays are lists.

    has_hooks: the package calls hooks or validators around the writes of its records.
    """
    struct = make_struct("corm_model_def", definition)
    hooks = make_sized("corm_record_hooks")
    struct.hooks = ctypes.addressof(hooks) if has_hooks else None
    struct.column_def_size = ctypes.sizeof(TYPES["corm_column_def"])
    struct.key_def_size = ctypes.sizeof(TYPES["corm_key_def"])
    struct.reference_def_size = ctypes.sizeof(TYPES["corm_reference_def"])
    return call_handle(ModelHandle, library.corm_model_create, ctypes.byref(struct))


def create_variant(model: ModelHandle, **variant: str | bool) -> ModelHandle:
    """The model of another table, which a corm_model_variant of these members says."""
    struct = make_struct(
        "corm_model_variant",
        {member: utf8(value) if isinstance(value, str) else value for member, value in variant.items()},
    )
    return call_handle(ModelHandle, library.corm_model_create_variant, model, ctypes.byref(struct))


def set_whole(part: ModelHandle, whole: ModelHandle) -> None:
    """Says that a model is of some rows of the table of another."""
    call(library.corm_block_set_whole, part, whole)


def model_table(model: ModelHandle) -> str:
    return to_text(info_of("corm_model", model).table) or ""


def model_column_name(model: ModelHandle, column: int) -> str:
    return to_text(_column(model, column).name) or ""


def model_key(model: ModelHandle) -> list[int]:
    info = info_of("corm_model", model)
    columns = range(info.column_count)
    places = {place: column for column in columns if (place := _column(model, column).key_position)}
    return [places[position + 1] for position in range(info.key_count)]


def _column(model: ModelHandle, index: int) -> Any:
    return TYPES["corm_model_column"].from_address(library.corm_model_column_get(model, index))


def model_generates_key(model: ModelHandle) -> bool:
    return bool(info_of("corm_model", model).generates_key)


def model_create_sql(model: ModelHandle) -> str:
    return to_text(info_of("corm_model", model).create_sql) or ""


def create_tables(database: DatabaseHandle, models: Sequence[ModelHandle]) -> None:
    call(library.corm_model_create_tables, database, array_of(models), len(models))


def table_exists(database: DatabaseHandle, model: ModelHandle) -> bool:
    return call(library.corm_model_table_exists, database, model) == abi.CORM_OK
