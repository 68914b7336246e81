"""The calls of the library on registries. A registry is an int."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._native import open_with
from ._native_cipher import CipherOptions
from ._native_library import TYPES, call, call_handle, library, to_error, to_text, utf8
from ._native_migration import Listener, listening
from .error import Error

Options = Mapping[str, Any]
_Migration = TYPES["corm_registry_migration"]


def open_registry(pattern: str | None, limit: int, options: Options, cipher: Options | None) -> tuple[int, Any]:
    """The handle, and what must live as long as it does."""
    given = _optional(pattern)
    return open_with(options, cipher, lambda options: call_handle(library.corm_registry_open, given, limit, options))


def close_registry(registry: int) -> None:
    call(library.corm_registry_close, registry)


def register(registry: int, name: str, path: str, options: Options | None, cipher: Options | None) -> Any:
    """What must live as long as the registry does."""
    texts = utf8(name), utf8(path)
    if options is None:
        return call(library.corm_registry_register, registry, *texts, None)
    return open_with(options, cipher, lambda options: call(library.corm_registry_register, registry, *texts, options))[
        1
    ]


def use(registry: int, name: str | None, ciphers: Sequence[Any]) -> int:
    """A database. What a key provider among the ciphers raises is raised."""
    try:
        return call_handle(library.corm_registry_use, registry, _optional(name))
    except Error:
        for cipher in ciphers:
            if isinstance(cipher, CipherOptions) and cipher.raised is not None:
                raised, cipher.raised = cipher.raised, None
                raise raised from None
        raise


def set_default(registry: int, name: str | None) -> None:
    call(library.corm_registry_set_default, registry, _optional(name))


def set_current(registry: int, name: str | None) -> None:
    call(library.corm_registry_set_current, registry, _optional(name))


def default(registry: int) -> str | None:
    return to_text(library.corm_registry_default(registry))


def current(registry: int) -> str | None:
    return to_text(library.corm_registry_current(registry))


def names(registry: int) -> list[str]:
    found = ctypes.POINTER(ctypes.c_char_p)()
    count = ctypes.c_size_t()
    call(library.corm_registry_names, registry, ctypes.byref(found), ctypes.byref(count))
    try:
        return [to_text(found[index]) or "" for index in range(count.value)]
    finally:
        library.corm_registry_names_free(found)


def open_count(registry: int) -> int:
    count: int = library.corm_registry_open_count(registry)
    return count


def close_file(registry: int, name: str) -> None:
    call(library.corm_registry_close_file, registry, utf8(name))


def attach(registry: int, name: str, database: int, schema: str) -> None:
    call(library.corm_registry_attach, registry, utf8(name), database, utf8(schema))


def migrate(registry: int, bundle: int, names: Sequence[str], last: str | None, told: Callable[..., object]) -> None:
    """told: of the members of a corm_registry_migration."""

    def tell(address: int) -> object:
        raw = _Migration.from_address(address)
        error = to_error(raw.error) if raw.error else None
        return told(to_text(raw.name) or "", raw.index, raw.count, raw.steps, error)

    listener = Listener(tell)
    array = (ctypes.c_char_p * len(names))(*map(utf8, names))
    failed = ctypes.c_int64()
    arguments = registry, bundle, array, len(names), _optional(last), listener.pointer, None, ctypes.byref(failed)
    listening([listener], lambda: call(library.corm_registry_migrate, *arguments))


def _optional(text: str | None) -> bytes | None:
    return None if text is None else utf8(text)
