"""Structs of C, made of mappings."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from . import abi
from .handle import Handle, set_member
from .library import TYPES, name_list, utf8

# Array member: the type of its items, where they are structs, and the member that counts them.
_ARRAYS = {
    "corm_model_def": {
        "columns": ("corm_column_def", "column_count"),
        "keys": ("corm_key_def", "key_count"),
        "references": ("corm_reference_def", "reference_count"),
        "checks": ("", "check_count"),
        "module_arguments": ("", "module_argument_count"),
    },
    "corm_column_def": {"choices": ("corm_choice", "choice_count")},
    "corm_observe_options": {"regions": ("corm_region", "region_count")},
}

# Members that are texts.
_TEXTS = {
    name: frozenset(member for member, kind in members if kind == "text") for name, members in abi.STRUCTS.items()
}


def make_sized(name: str) -> Any:
    """A struct of zeros that says how long it is, where it does."""
    struct: Any = TYPES[name]()
    if hasattr(struct, "struct_size"):
        struct.struct_size = ctypes.sizeof(struct)
    return struct


def make_struct(name: str, members: Mapping[str, Any]) -> Any:
    """A struct by its members, holding what it points to; structs in it are mappings, arrays and names are lists."""
    struct: Any = make_sized(name)
    keep = struct.held = []
    for member, value in members.items():
        if isinstance(value, str):
            setattr(struct, member, utf8(value))
        elif isinstance(value, list) and member not in _ARRAYS.get(name, {}):
            setattr(struct, member, name_list(value))
        elif isinstance(value, list):
            kind, counter = _ARRAYS[name][member]
            array: Any
            if kind:
                items = [make_struct(kind, item) for item in value]
                array = (TYPES[kind] * len(value))(*items)
                keep.append(items)
            else:
                array = (ctypes.c_char_p * len(value))(*map(utf8, value))
            keep.append(array)
            setattr(struct, member, ctypes.addressof(array) if value else None)
            setattr(struct, counter, len(value))
        elif isinstance(value, Handle):
            set_member(struct, member, value)
        else:
            set_plain(struct, member, value)
    return struct


def set_plain(struct: Any, member: str, value: Any) -> None:
    """Sets a member to a number, a pointer, None or the bytes of a text. ctypes takes a number for an address, be it
    that of a text.
    """
    name = type(struct).__name__
    if value is not None and not isinstance(value, bytes) and member in _TEXTS[name]:
        raise TypeError(f"{member} of {name} is {value!r}, not a str")
    setattr(struct, member, value)
