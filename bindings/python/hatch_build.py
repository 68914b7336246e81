"""Puts the library and the command corm into the wheel and names the platform; hatchling runs this."""

from __future__ import annotations

import ctypes
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent.parent


def system_sqlite() -> Path:
    """Where the dynamic linker finds it, with links followed."""
    loaded = ctypes.CDLL("libsqlite3.so.0")
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = Path(line.split(maxsplit=5)[-1])
        if path.name.startswith("libsqlite3.so") and ctypes.CDLL(str(path))._handle == loaded._handle:
            return path
    raise SystemExit("libsqlite3.so.0 is loaded, but /proc/self/maps does not say from where")


class LibraryHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # a link leads from the package to the one that is built
        library, command = ROOT / "build" / "libcormorant.so", ROOT / "build" / "corm"
        for path in (library, command):
            if not path.exists():
                raise SystemExit(f"{path} is not there: run ./dev build")
        build_data["force_include"][str(library.resolve())] = "cormorant/libcormorant.so"
        # Among the programs of the environment as it is, so that no Python starts before it.
        build_data["shared_scripts"][str(command)] = "corm"
        # For systems that have no SQLite: for the package (_native/sqlite_copy.py); and for the command, which looks
        # there first.
        # It is in the public domain.
        sqlite = str(system_sqlite())
        build_data["force_include"][sqlite] = "cormorant/libsqlite3.so.0"
        build_data["shared_data"][sqlite] = "lib/cormorant/libsqlite3.so.0"
        # The oldest glibc with all that the library asks for, which scripts/check-abi sees to. On musl, macOS and other
        # machines nothing was tried.
        machine = sysconfig.get_platform().replace("linux-", "").replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-manylinux_2_34_{machine}"
        build_data["pure_python"] = False
