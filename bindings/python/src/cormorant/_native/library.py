"""The library: found, loaded and declared. call.py has how its functions are called.

The library is loaded with CDLL, so the GIL is released during every call.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
from collections.abc import Sequence
from typing import Any

from ..error import DataError
from . import abi, sqlite_copy
from .handle import Handle

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _name() -> str:
    """The library that is asked for, the one beside the package, or the system's."""
    beside = os.path.join(PACKAGE, "libcormorant.so")
    return os.environ.get("CORMORANT_LIBRARY") or (beside if os.path.exists(beside) else "libcormorant.so.0")


class Library(ctypes.CDLL):
    """Each function has the types of its arguments from when it is first asked for: nobody calls them all."""

    def __getattr__(self, name: str) -> Any:
        if name not in abi.FUNCTIONS:
            return super().__getattr__(name)
        function = self[name]
        result, parameters = abi.FUNCTIONS[name]
        function.restype = TYPES[result]
        function.argtypes = [TYPES[kind] for kind in parameters]
        # Not before: another thread may find it from here on.
        setattr(self, name, function)
        return function


def _load() -> Library:
    name = _name()
    try:
        library = sqlite_copy.load(Library, name, PACKAGE)
        found = library.corm_version
    except (OSError, AttributeError) as error:
        hint = "set CORMORANT_LIBRARY to the path of libcormorant.so"
        if sqlite_copy.SONAME in str(error):
            hint = "install SQLite, as libsqlite3-0 in Debian and sqlite-libs in Fedora"
        elif "sqlite3_" in str(error):
            hint = "the libsqlite3 of this system, or one that the process has loaded, is older than 3.38"
        raise ImportError(f"cannot load {name}: {error}; {hint}") from None
    version: str = found().decode()
    if version.split(".")[:2] != abi.CORM_VERSION.split(".")[:2]:
        raise ImportError(f"{name} is version {version}, but this package needs {abi.CORM_VERSION}")
    return library


TraceFunction = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p)

TYPES: dict[str, Any] = {
    "void": None,
    "bool": ctypes.c_bool,
    "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64,
    "size": ctypes.c_size_t,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "text": ctypes.c_char_p,
    "pointer": ctypes.c_void_p,
    "callback": TraceFunction,
}


def _type(name: str) -> Any:
    if name.startswith("union:"):
        members = [(kind, _type(kind)) for kind in name.removeprefix("union:").split(",")]
        return type("union", (ctypes.Union,), {"_fields_": members})
    if name.startswith("uint8["):
        return ctypes.c_uint8 * int(name.removeprefix("uint8[").removesuffix("]"))
    return TYPES[name]


def _declare() -> None:
    for name, members in abi.STRUCTS.items():
        fields = [(member, _type(kind)) for member, kind in members]
        TYPES[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    for handle in Handle.__subclasses__():
        handle._free = getattr(library, handle.freed_by) if handle.freed_by else staticmethod(lambda _: None)


library = _load()

_declare()


def info_of(handle: str, pointer: Any) -> Any:
    """What the library knows of a handle: its corm_..._info, which lasts as long as the handle."""
    return TYPES[f"{handle}_info"].from_address(getattr(library, f"{handle}_info_get")(pointer))


def to_text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


def utf8(text: str, what: str | None = None) -> bytes:
    """Text for a `const char *`, which ends at the first NUL. `what` is what errors call a name."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"text is not valid Unicode: {error}", code="CORM_E_ENCODING") from None
    except AttributeError:
        raise TypeError(f"a str is wanted, not {type(text).__name__}") from None
    if b"\0" in data:
        if what:
            raise DataError(f"{what} holds a NUL character", code="CORM_E_ENCODING", hint="give another name")
        raise DataError(
            "SQL, names and paths cannot hold a NUL character", code="CORM_E_ENCODING", hint="bind values with ?"
        )
    return data


def int64(number: int, what: str, hint: str | None = None) -> int:
    """A number that ctypes would cut off; `what` is what errors call it: Python does not write each with its digits."""
    if not -(2**63) <= number < 2**63:
        raise DataError(f"{what} is beyond 64 bits", code="CORM_E_RANGE", hint=hint)
    return number


def optional_utf8(text: str | None) -> bytes | None:
    return None if text is None else utf8(text)


def text_array(texts: Sequence[str]) -> tuple[Any, int]:
    """An array of texts and its count; NULL when empty."""
    return ((ctypes.c_char_p * len(texts))(*map(utf8, texts)), len(texts)) if texts else (None, 0)


def name_list(names: Sequence[str]) -> bytes | None:
    """Names in one text, as C takes them; NULL when there are none. The same ones come again and again: it is kept."""
    return _kept_name_list(tuple(names)) if names else None


@functools.lru_cache(maxsize=256)
def _kept_name_list(names: tuple[str, ...]) -> bytes:
    return b", ".join(_item(utf8(name)) for name in names)


_is_plain = re.compile(rb"-?\w+").fullmatch


def _item(name: bytes) -> bytes:
    return name if _is_plain(name) else b'"' + name.replace(b'"', b'""') + b'"'
