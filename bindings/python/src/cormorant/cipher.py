"""Encrypted files: keys and settings, and encrypting, decrypting, checking and copying files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from ._native import abi
from ._native import cipher as native_cipher
from ._native import database as native_database
from ._path import path_text
from .error import ProgrammingError

if TYPE_CHECKING:
    from .database import Database
    from .progress import ProgressCallback


Key: TypeAlias = "str | bytes"
Algorithm: TypeAlias = Literal["sha1", "sha256", "sha512", "off"]

_ALGORITHMS = {
    None: abi.CORM_CIPHER_DEFAULT,
    "sha1": abi.CORM_CIPHER_SHA1,
    "sha256": abi.CORM_CIPHER_SHA256,
    "sha512": abi.CORM_CIPHER_SHA512,
    "off": abi.CORM_CIPHER_OFF,
}


class Codec(Protocol):
    """A cipher of your own in place of SQLCipher's format: it encrypts and decrypts pages, and the library takes care
    of journals, WAL, temporary files, backups and conversions. Any object with these members is one.

    Many files may be open with one codec at a time: those of several connections, copies, snapshots. What is of one
    file alone, such as a salt, belongs into its CodecFile.
    """

    page_size: int
    """A power of two from 1024 to 65536."""
    reserve: int
    """Bytes at the end of every page that SQLite leaves to the codec, 0 to 255."""

    def open(self, path: str, first: bytes | None, /) -> CodecFile:
        """Begins with a file; called again when the file begins with other bytes than it did, because another process
        made it first. path: of a copy, where it will stand. first: the file's first 16 bytes; None for a file that is
        yet to be written.
        """
        ...


class CodecFile(Protocol):
    """What a codec has of one open file. The methods are called one at a time, on whatever thread uses the file, and
    must not use a database. What they raise is CORM_E_CIPHER to the statement that was running, and sys.excepthook is
    told it.
    """

    def encrypt(self, page: int, plain: bytes, /) -> bytes:
        """The image of a page, of the same length. The first 16 bytes of page 1 are the codec's: SQLite has a text
        there that never changes. A salt can stand there.
        """
        ...

    def decrypt(self, page: int, image: bytes, /) -> bytes | None:
        """The page, whose first 16 bytes on page 1 the library puts right; None when the key is another one, or the
        image was altered.
        """
        ...


class Cipher:
    """What a file is encrypted with: its key, and the settings of SQLCipher's format; or a codec of your own.

    key: a passphrase; or "x'...'", a raw key, of which 64 hex digits are the key, 96 the key and the file's salt, 160
    the key, that of the HMAC and the salt; or a function that is given the path and gives the key, once whenever a file
    is opened. compatibility: the version of SQLCipher whose format the file has. page_size, rounds: None is what that
    version has. plain_header_size: bytes at the file's beginning that stay plain. kdf_algorithm: of PBKDF2, by which
    keys are derived; hmac_algorithm: of each page's HMAC, "off" where pages have none and nobody notices alterations;
    None is what the version has. wipe_memory: True wipes SQLite's memory when it is freed, in the whole process and
    from then on, as cipher_memory_security does; ProgrammingError where the process has used SQLite before, such as by
    the module sqlite3. sole_writer: True where no program with an SQLCipher of its own writes to the file meanwhile.
    codec: in place of a key, with sole_writer alone.

    It does not print its key.
    """

    __slots__ = ("_options",)

    def __init__(
        self,
        key: Key | Callable[[str], Key] | None = None,
        *,
        compatibility: Literal[1, 2, 3, 4] = 4,
        page_size: int | None = None,
        rounds: int | None = None,
        plain_header_size: int = 0,
        kdf_algorithm: Literal["sha1", "sha256", "sha512"] | None = None,
        hmac_algorithm: Algorithm | None = None,
        wipe_memory: bool = False,
        sole_writer: bool = False,
        codec: Codec | None = None,
    ) -> None:
        # What raises next would have the key in its traceback.
        options: dict[str, Any] = {}
        if codec is not None:
            # Read once: it may change its mind.
            sizes = _number("page_size", codec.page_size), _number("reserve", codec.reserve)
            options["codec"] = native_cipher.GivenCodec(codec, *sizes)
        if key is not None or codec is None:
            options["key"] = _asking(key) if callable(key) else _secret(key)
        del key
        settings = (page_size, rounds, plain_header_size, kdf_algorithm, hmac_algorithm)
        if codec is not None and ("key" in options or compatibility != 4 or any(settings)):
            raise ProgrammingError(
                "a codec of your own has neither key nor settings here", hint="give a key or a codec"
            )
        options["compatibility"] = 0 if codec is not None else _number("compatibility", compatibility)
        options["page_size"] = _number("page_size", page_size or 0)
        options["rounds"] = _number("rounds", rounds or 0)
        options["plain_header_size"] = _number("plain_header_size", plain_header_size)
        options["kdf_algorithm"] = _algorithm("kdf_algorithm", kdf_algorithm)
        options["hmac_algorithm"] = _algorithm("hmac_algorithm", hmac_algorithm)
        options["wipe_memory"] = bool(wipe_memory)
        options["sole_writer"] = bool(sole_writer)
        self._options = options

    def __repr__(self) -> str:
        return "<Cipher>"

    def __reduce__(self) -> Any:
        raise ProgrammingError("a Cipher is not pickled, for it holds a key", hint="make it where it is used")


def encrypt(path: str | os.PathLike[str], cipher: Cipher, *, progress: ProgressCallback | bool | None = None) -> None:
    """Encrypts a plain file, in its place. No other connection may use it: OperationalError (CORM_E_BUSY).

    A crash, an exception or a cancel leaves the file as it was, or encrypted; never between. progress: as in
    Database.sync(). Disk blocks that the plain file had may stay readable to those who read the disk itself.
    """
    from .progress import telling

    with telling(progress) as told:
        native_cipher.encrypt(path_text(path), options_of(cipher), told)


def decrypt(path: str | os.PathLike[str], cipher: Cipher, *, progress: ProgressCallback | bool | None = None) -> None:
    """Makes an encrypted file plain; the rest as encrypt()."""
    from .progress import telling

    with telling(progress) as told:
        native_cipher.decrypt(path_text(path), options_of(cipher), told)


def rekey(
    path: str | os.PathLike[str], old: Cipher, new: Cipher, *, progress: ProgressCallback | bool | None = None
) -> None:
    """Encrypts a file anew, with another key, a new salt and other settings; the rest as encrypt()."""
    from .progress import telling

    with telling(progress) as told:
        native_cipher.rekey(path_text(path), options_of(old), options_of(new), told)


def check_pages(database: Database) -> list[int]:
    """The pages of an encrypted file whose authentication fails, the first thousand of them; none for a good file.

    As SQLCipher's cipher_integrity_check; a page that fails is good if the WAL has a newer one, as after a crash in
    a checkpoint. What the pages hold is not looked at.
    """
    return native_cipher.check_pages(database._handle)[0]


def attach(database: Database, path: str | os.PathLike[str], name: str, *, cipher: Cipher | None = None) -> None:
    """Attaches another file under a name of its own, encrypted or plain. The SQL statement DETACH ends it."""
    given = None if cipher is None else options_of(cipher)
    kept = native_database.attach(database._handle, path_text(path), name, given)
    if kept is not None:
        database._ciphers.append(kept)


def options_of(cipher: Cipher) -> dict[str, Any]:
    if not isinstance(cipher, Cipher):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ProgrammingError("cipher is no Cipher", hint="give Cipher(key)")
    return cipher._options  # pyright: ignore[reportPrivateUsage]


def _secret(key: object) -> native_cipher.Secret:
    if isinstance(key, str):
        return native_cipher.Secret(key.encode("utf-8", "surrogatepass"))
    if isinstance(key, (bytes, bytearray, memoryview)):
        return native_cipher.Secret(bytes(key))
    raise ProgrammingError(f"a key cannot be of type {type(key).__name__}", hint="give a str or bytes")


def _asking(function: Callable[[str], Key]) -> Callable[[str], native_cipher.Secret]:
    return lambda path: _secret(function(path))


def _algorithm(name: str, value: object) -> int:
    if value is None or (isinstance(value, str) and value in _ALGORITHMS):
        return _ALGORITHMS[value]
    raise ProgrammingError(f"{name} is {value!r}", hint="give sha1, sha256 or sha512")


def _number(name: str, value: object) -> int:
    if isinstance(value, int) and -(2**31) <= value < 2**31:
        return value
    raise ProgrammingError(f"{name} is {value!r}", hint="give a number")
