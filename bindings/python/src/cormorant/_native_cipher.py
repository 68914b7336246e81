"""The calls of the library on encrypted files. What a file is encrypted with is a mapping of the members of a
corm_cipher_options, of which `key` is a Secret or a function of a path that gives one."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from . import _abi
from ._native_library import TYPES, call, call_number, library, to_text, utf8
from ._native_migration import Listener, listening, progress_listener

T = TypeVar("T")
Options = Mapping[str, Any]
Told = Callable[[str, int, int, int, int], object] | None

_PAGES = 1000
_Provider = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)


class Secret:
    """A key that no traceback prints, whatever shows the local variables of its frames."""

    __slots__ = ("value",)

    def __init__(self, value: bytes) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "<Secret>"


class CipherOptions:
    """A corm_cipher_options and what it points to. Keep it until the database is closed; forget_key() at once."""

    def __init__(self, options: Options) -> None:
        self.raised: BaseException | None = None
        self.struct: Any = TYPES["corm_cipher_options"]()
        self.struct.struct_size = ctypes.sizeof(self.struct)
        self._key: Any = None
        self._provider: Any = None
        for name, value in options.items():
            if name != "key":
                setattr(self.struct, name, value)
        key: Secret | Callable[[str], Secret] = options["key"]
        if isinstance(key, Secret):
            self._key = ctypes.create_string_buffer(key.value, max(len(key.value), 1))
            self.struct.key = ctypes.addressof(self._key)
            self.struct.key_size = len(key.value)
        else:
            self._provider = _Provider(self._providing(key))
            self.struct.provider = ctypes.cast(self._provider, ctypes.c_void_p)
        self.reference = ctypes.byref(self.struct)

    def _providing(self, function: Callable[[str], Secret]) -> Callable[[bytes, int, int], int]:
        def provide(path: bytes, sink: int, _context: int) -> int:
            try:
                key = function(to_text(path) or "")
                _hand_over(sink, key)
            except BaseException as error:
                self.raised = error
                return _abi.CORM_E_CALLBACK
            return _abi.CORM_OK

        return provide

    def forget_key(self) -> None:
        """Overwrites the copy that was handed to the library."""
        if self._key is not None:
            ctypes.memset(self._key, 0, ctypes.sizeof(self._key))
            self._key = None
        self.struct.key = None


def _hand_over(sink: int, key: Secret) -> None:
    """In a buffer: an error of the call would show bytes in its frame."""
    buffer = ctypes.create_string_buffer(key.value, max(len(key.value), 1))
    try:
        call(library.corm_key_sink_set, sink, ctypes.addressof(buffer), len(key.value))
    finally:
        ctypes.memset(buffer, 0, ctypes.sizeof(buffer))


def ciphered(options: Options | None, call: Callable[[Any], T]) -> tuple[T, CipherOptions | None]:
    """What call(reference) gives, and what must live as long as the database does."""
    if options is None:
        return call(None), None
    cipher = CipherOptions(options)
    try:
        return call(cipher.reference), cipher
    except Exception:
        if cipher.raised is not None:
            raise cipher.raised from None
        raise
    finally:
        cipher.forget_key()


def _copying(told: Told, call: Callable[[Any], T]) -> T:
    listener: Listener = progress_listener(told)
    return listening([listener], lambda: call(listener.pointer))


def encrypt(path: str, cipher: Options, told: Told) -> None:
    function = library.corm_cipher_encrypt
    _copying(told, lambda told: ciphered(cipher, lambda given: call(function, utf8(path), given, told, None)))


def decrypt(path: str, cipher: Options, told: Told) -> None:
    function = library.corm_cipher_decrypt
    _copying(told, lambda told: ciphered(cipher, lambda given: call(function, utf8(path), given, told, None)))


def rekey(path: str, old: Options, new: Options, told: Told) -> None:
    def run(old: Any, told: Any) -> None:
        ciphered(new, lambda given: call(library.corm_cipher_rekey, utf8(path), old, given, told, None))

    _copying(told, lambda told: ciphered(old, lambda given: run(given, told)))


def check_pages(database: int) -> tuple[list[int], int]:
    """The first pages that fail, and how many do."""
    pages = (ctypes.c_uint32 * _PAGES)()
    count = call_number(library.corm_cipher_check, database, ctypes.addressof(pages), _PAGES)
    return list(pages[: min(count, _PAGES)]), count


def attach(database: int, path: str, name: str, cipher: Options | None) -> CipherOptions | None:
    function = library.corm_database_attach
    return ciphered(cipher, lambda given: call(function, database, utf8(path), utf8(name), given))[1]


def backup(database: int, path: str, cipher: Options | None, told: Told) -> None:
    function = library.corm_database_backup
    _copying(told, lambda told: ciphered(cipher, lambda given: call(function, database, utf8(path), given, told, None)))


def restore(database: int, snapshot: str, cipher: Options | None) -> None:
    ciphered(cipher, lambda given: call(library.corm_migration_restore, database, utf8(snapshot), given))
