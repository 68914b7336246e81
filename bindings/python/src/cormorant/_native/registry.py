"""The calls of the library on registries."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..error import Error
from .call import call, call_handle, to_error
from .callback import Listener, listening
from .cipher import CipherOptions
from .database import open_with
from .handle import BundleHandle, DatabaseHandle, RegistryHandle
from .libpq import bring_libpq
from .library import TYPES, library, optional_utf8, to_text, utf8
from .sqlite_copy import tell_of_another
from .struct import make_sized

Options = Mapping[str, Any]
_Migration = TYPES["corm_registry_migration"]


def open_registry(
    pattern: str | None, limit: int, options: Options, cipher: Options | None
) -> tuple[RegistryHandle, Any]:
    """The handle, and what must live as long as it does."""
    given = optional_utf8(pattern)
    bring_libpq(pattern)
    return open_with(
        options, cipher, lambda options: call_handle(RegistryHandle, library.corm_registry_open, given, limit, options)
    )


def close_registry(registry: RegistryHandle) -> None:
    call(library.corm_registry_close, registry)


def register(registry: RegistryHandle, name: str, path: str, options: Options | None, cipher: Options | None) -> Any:
    """What must live as long as the registry does."""
    texts = utf8(name), utf8(path)
    bring_libpq(path)
    if options is None:
        return call(library.corm_registry_register, registry, *texts, None)
    return open_with(options, cipher, lambda options: call(library.corm_registry_register, registry, *texts, options))[
        1
    ]


def use(registry: RegistryHandle, name: str | None, ciphers: Sequence[Any]) -> DatabaseHandle:
    """A database. What a key provider among the ciphers raises is raised."""
    tell_of_another(library)
    try:
        return call_handle(DatabaseHandle, library.corm_registry_use, registry, optional_utf8(name))
    except Error:
        for cipher in ciphers:
            if isinstance(cipher, CipherOptions) and cipher.raised is not None:
                raised, cipher.raised = cipher.raised, None
                raise raised from None
        raise


def set_default(registry: RegistryHandle, name: str | None) -> None:
    call(library.corm_registry_set_default, registry, optional_utf8(name))


def set_current(registry: RegistryHandle, name: str | None) -> None:
    call(library.corm_registry_set_current, registry, optional_utf8(name))


def default(registry: RegistryHandle) -> str | None:
    return to_text(_info(registry).default_name)


def current(registry: RegistryHandle) -> str | None:
    return to_text(_info(registry).current_name)


def names(registry: RegistryHandle) -> list[str]:
    found = ctypes.POINTER(ctypes.c_char_p)()
    count = ctypes.c_size_t()
    arena = library.corm_arena_create()
    try:
        call(library.corm_registry_names, registry, arena, ctypes.byref(found), ctypes.byref(count))
        return [to_text(found[index]) or "" for index in range(count.value)]
    finally:
        library.corm_arena_free(arena)


def open_count(registry: RegistryHandle) -> int:
    count: int = _info(registry).open_count
    return count


def _info(registry: RegistryHandle) -> Any:
    info = make_sized("corm_registry_info")
    call(library.corm_registry_info_read, registry, ctypes.byref(info))
    return info


def close_file(registry: RegistryHandle, name: str) -> None:
    call(library.corm_registry_close_file, registry, utf8(name))


def attach(registry: RegistryHandle, name: str, database: DatabaseHandle, schema: str) -> None:
    call(library.corm_registry_attach, database, registry, utf8(name), utf8(schema))


def migrate(
    registry: RegistryHandle,
    bundle: BundleHandle,
    names: Sequence[str],
    last: str | None,
    allow_lossy: bool,
    told: Callable[..., object],
) -> None:
    """told: of the members of a corm_registry_migration."""
    tell_of_another(library)

    def tell(address: int) -> object:
        raw = _Migration.from_address(address)
        error = to_error(raw.error) if raw.error else None
        return told(to_text(raw.name) or "", raw.index, raw.count, raw.steps, error)

    listener = Listener(tell)
    array = (ctypes.c_char_p * len(names))(*map(utf8, names))
    failed = ctypes.c_int64()
    arguments = (
        registry,
        bundle,
        array,
        len(names),
        optional_utf8(last),
        allow_lossy,
        listener.pointer,
        None,
        ctypes.byref(failed),
    )
    listening([listener], lambda: call(library.corm_registry_migrate, *arguments))
