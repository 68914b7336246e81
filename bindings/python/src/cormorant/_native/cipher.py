"""The calls of the library on encrypted files. What a file is encrypted with is a mapping of the members of a
corm_cipher_options, of which `key` is a Secret or a function of a path that gives one, and `codec` a GivenCodec."""

from __future__ import annotations

import ctypes
import itertools
import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

from ..error import DataError
from . import abi
from .call import call, call_number
from .callback import Listener, listening, progress_listener
from .handle import DatabaseHandle
from .library import library, to_text, utf8
from .struct import make_sized, set_plain

T = TypeVar("T")
Options = Mapping[str, Any]
Told = Callable[[str, int, int, int, int], object] | None

_PAGES = 1000
_Provider = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Handle = ctypes.POINTER(ctypes.c_void_p)
_Open = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p, _Handle, ctypes.c_void_p, ctypes.c_void_p)
_Encrypt = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
_Decrypt = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_Close = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


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
        # Of what is raised later, the caller gets the library's error only.
        self.is_opening = True
        self.struct = make_sized("corm_cipher_options")
        self._key: Any = None
        self._provider: Any = None
        self._codec: Any = None
        for name, value in options.items():
            if name not in ("key", "codec"):
                set_plain(self.struct, name, value)
        key: Secret | Callable[[str], Secret] | None = options.get("key")
        if "codec" in options:
            self._codec = CodecFunctions(options["codec"], self._note)
            self.struct.codec = ctypes.addressof(self._codec.struct)
        elif isinstance(key, Secret):
            self._key = ctypes.create_string_buffer(key.value, max(len(key.value), 1))
            self.struct.key = ctypes.addressof(self._key)
            self.struct.key_size = len(key.value)
        elif key is not None:
            self._provider = _Provider(self._providing(key))
            self.struct.provider = ctypes.cast(self._provider, ctypes.c_void_p)
        self.reference = ctypes.byref(self.struct)

    def _providing(self, function: Callable[[str], Secret]) -> Callable[[bytes, int, int, int], int]:
        def provide(path: bytes, sink: int, _context: int, _error: int) -> int:
            try:
                key = function(to_text(path) or "")
                _hand_over(sink, key)
            except BaseException as error:
                self.raised = error
                return abi.CORM_E_CALLBACK
            return abi.CORM_OK

        return provide

    def _note(self, error: BaseException) -> None:
        if self.is_opening:
            self.raised = error
        else:
            sys.excepthook(type(error), error, error.__traceback__)

    def forget_key(self) -> None:
        """Overwrites the copy that was handed to the library."""
        if self._key is not None:
            ctypes.memset(self._key, 0, ctypes.sizeof(self._key))
            self._key = None
        self.struct.key = None


class GivenCodec(NamedTuple):
    codec: Any
    page_size: int
    reserve: int


class CodecFunctions:
    """A corm_codec whose functions call those of a codec. note is told what they raise."""

    # Whose files may be open: the library lets go of a file when its last user does, on whatever thread.
    _used: ClassVar[set[CodecFunctions]] = set()

    def __init__(self, given: GivenCodec, note: Callable[[BaseException], object]) -> None:
        # Not in close_file, which would end the function that runs.
        CodecFunctions._used -= {each for each in CodecFunctions._used if not each._files}
        codec, size, reserve = given
        self._size = size
        self._files: dict[int, Any] = {}
        self._numbers = itertools.count(1)

        def failing(error: BaseException) -> int:
            note(error)
            return abi.CORM_E_CALLBACK

        def open_file(path: bytes, first: int | None, out_file: Any, _context: int, _error: int) -> int:
            try:
                file = codec.open(to_text(path) or "", None if first is None else ctypes.string_at(first, 16))
            except BaseException as error:
                return failing(error)
            number = next(self._numbers)
            self._files[number] = file
            CodecFunctions._used.add(self)
            out_file[0] = number
            return abi.CORM_OK

        def encrypt_page(page: int, plain: int, image: int, file: int, _error: int) -> int:
            try:
                self._put(image, self._files[file].encrypt(page, ctypes.string_at(plain, size)))
            except BaseException as error:
                return failing(error)
            return abi.CORM_OK

        def decrypt_page(page: int, image: int, file: int, _error: int) -> int:
            try:
                plain = self._files[file].decrypt(page, ctypes.string_at(image, size))
                if plain is None:
                    return abi.CORM_CODEC_MISMATCH
                self._put(image, plain)
            except BaseException as error:
                return failing(error)
            return abi.CORM_OK

        def close_file(file: int) -> None:
            self._files.pop(file, None)

        self._functions = (_Open(open_file), _Encrypt(encrypt_page), _Decrypt(decrypt_page), _Close(close_file))
        self.struct = make_sized("corm_codec")
        self.struct.page_size, self.struct.reserve = size, reserve
        for name, function in zip(("open", "encrypt", "decrypt", "close"), self._functions, strict=True):
            setattr(self.struct, name, ctypes.cast(function, ctypes.c_void_p))

    def _put(self, target: int, page: object) -> None:
        if not isinstance(page, bytes) or len(page) != self._size:
            raise DataError(
                f"a codec gave no page of {self._size} bytes", hint="give bytes as long as those it was given"
            )
        ctypes.memmove(target, page, self._size)


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
        cipher.is_opening = False
        cipher.forget_key()


def copying(told: Told, call: Callable[[Any], T]) -> T:
    listener: Listener = progress_listener(told)
    return listening([listener], lambda: call(listener.pointer))


def encrypt(path: str, cipher: Options, told: Told) -> None:
    function = library.corm_cipher_rekey
    copying(told, lambda told: ciphered(cipher, lambda given: call(function, utf8(path), None, given, told, None)))


def decrypt(path: str, cipher: Options, told: Told) -> None:
    function = library.corm_cipher_decrypt
    copying(told, lambda told: ciphered(cipher, lambda given: call(function, utf8(path), given, told, None)))


def rekey(path: str, old: Options, new: Options, told: Told) -> None:
    def run(old: Any, told: Any) -> None:
        ciphered(new, lambda given: call(library.corm_cipher_rekey, utf8(path), old, given, told, None))

    copying(told, lambda told: ciphered(old, lambda given: run(given, told)))


def check_pages(database: DatabaseHandle) -> tuple[list[int], int]:
    """The first pages that fail, and how many do."""
    pages = (ctypes.c_uint32 * _PAGES)()
    count = call_number(library.corm_cipher_check, database, ctypes.addressof(pages), _PAGES)
    return list(pages[: min(count, _PAGES)]), count
