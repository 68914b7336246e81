"""Puts the library and the command corm into the wheel and names the platform; hatchling runs this."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent.parent


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
        # No manylinux: the library needs the system's libsqlite3, which those tags do not allow.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
