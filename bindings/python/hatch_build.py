"""Puts the library into the wheel and names the platform; hatchling runs this."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent.parent


class LibraryHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # the package finds build/libcormorant.so of its checkout
        library = ROOT / "build" / "libcormorant.so"
        if not library.exists():
            raise SystemExit(f"{library} is not there: run ./dev build")
        build_data["force_include"][str(library.resolve())] = "cormorant/libcormorant.so"
        # No manylinux: the library needs the system's libsqlite3, which those tags do not allow.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
