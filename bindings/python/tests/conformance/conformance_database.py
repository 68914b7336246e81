"""The steps of conformance scenarios about further databases, and about databases by name; Tests/Conformance/README.md
says what they mean."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance_migrations import Progressing
from conformance_model import Failure, Json, members, value

import cormorant
from cormorant import Cipher, Database, Error, Registry, RegistryMigration

if TYPE_CHECKING:
    from conformance import Scenario

CIPHER = "key compatibility pageSize rounds plainHeader kdf hmac"
OPTIONS = "mode journalMode synchronous foreignKeys busyTimeout template setUp cipher heapLimit keepSchema damaged"
MODES: Json = {"create": "create", "readWrite": "read_write", "readOnly": "read_only"}


def cipher(given: Json) -> Cipher:
    members(given, CIPHER, "the cipher")
    names = {
        "compatibility": "compatibility",
        "pageSize": "page_size",
        "rounds": "rounds",
        "plainHeader": "plain_header_size",
        "kdf": "kdf_algorithm",
        "hmac": "hmac_algorithm",
    }
    return Cipher(value(given["key"]), **{name: given[member] for member, name in names.items() if member in given})


def _options(self: Scenario, step: Json) -> Json:
    found: Json = {}
    if "mode" in step:
        found["mode"] = MODES[step["mode"]]
    for member, name in (
        ("journalMode", "journal_mode"),
        ("synchronous", "synchronous"),
        ("foreignKeys", "foreign_keys"),
    ):
        if member in step:
            found[name] = step[member]
    if "template" in step:
        found["template"] = self.folder / step["template"]
    if "busyTimeout" in step:
        found["busy_timeout"] = step["busyTimeout"] / 1000
    if "setUp" in step:
        found["set_up"] = lambda connection: connection.execute_script(step["setUp"])
    if "cipher" in step:
        found["cipher"] = cipher(step["cipher"])
    if "heapLimit" in step:
        found["heap_limit"] = max(0, step["heapLimit"])
    if "keepSchema" in step:
        found["keep_schema"] = step["keepSchema"]
    if step.get("damaged"):
        self.damages = []
        found["damaged"] = lambda damage: self.damages.append(f"{damage.code} {damage.page or 0}")
    return found


def _damages(self: Scenario, step: Json) -> Json:
    """What was told, on a thread of the library's own."""
    end = time.monotonic() + 5
    while len(self.damages) < len(step["expect"]["damages"]) and time.monotonic() < end:
        time.sleep(0.01)
    return {"damages": self.damages}


class _Product:
    def __init__(self) -> None:
        self.result = 1

    def step(self, factor: int) -> None:
        self.result *= factor

    def inverse(self, factor: int) -> None:
        self.result //= factor

    def value(self) -> int:
        return self.result


def _register_function(self: Scenario, step: Json) -> None:
    def joined(left: str | None, right: str | None) -> str | None:
        return None if left is None or right is None else f"{left}+{right}"

    def failing() -> None:
        raise RuntimeError("it fails")

    def inward() -> None:
        try:
            self.db.execute("CREATE TABLE inward (x)")
        except Error as error:
            raise RuntimeError(error.message) from None

    flags = {"deterministic": step.get("deterministic", False), "in_schema": step.get("inSchema", False)}
    if step["body"] == "product":
        self.db.register_aggregate(_Product, name=step["name"], **flags)
    else:
        bodies: Json = {"joined": joined, "failing": failing, "inward": inward}
        self.db.register_function(bodies[step["body"]], name=step["name"], **flags)


def _cipher(step: Json) -> Json:
    return {"cipher": cipher(step["cipher"])} if "cipher" in step else {}


def _file(self: Scenario, step: Json) -> Path:
    file: Path = self.folder / step["file"]
    return file


def _open(self: Scenario, step: Json) -> None:
    path: str | Path = _file(self, step) if "file" in step else ":memory:"
    if step.get("file") == "test.db":
        path = self.place.path
    if "memory" in step:
        path = f"file:{self.folder / step['memory']}?mode=memory&cache=shared"
    self.others[step["as"]] = Database(path, **_options(self, step))


def _close(self: Scenario, step: Json) -> None:
    self.db.close()
    del self.others[step["on"]]


def _registry(self: Scenario, step: Json) -> None:
    pattern = self.folder / step["pattern"] if "pattern" in step else None
    limit: Json = {"limit": step["limit"]} if "limit" in step else {}
    self.registry = Registry(pattern, **limit, **_options(self, step))


def _use(self: Scenario, step: Json) -> None:
    self.others[step["as"]] = self.registry.use(value(step.get("name")))


def _set_name(name: str) -> Callable[[Scenario, Json], None]:
    return lambda self, step: setattr(self.registry, name, step.get("name"))


def _state(self: Scenario, _: Json) -> Json:
    registry = self.registry
    return {
        "names": registry.names(),
        "current": registry.current,
        "default": registry.default,
        "openCount": registry.open_count,
    }


def _migrate_all(self: Scenario, step: Json) -> Json:
    told: list[list[Any]] = []

    def tell(migration: RegistryMigration) -> bool:
        error = migration.error
        if error is not None and not isinstance(error, Error):
            raise Failure(f"{error!r} is no error of the library")
        told.append([migration.name, migration.steps, error.code if error else None])
        return len(told) != step.get("most")

    failures = self.registry.migrate(
        self.bundle,
        *step.get("names", ()),
        last=step.get("last"),
        allow_lossy=step.get("allowLossy", False),
        progress=tell,
    )
    return {"told": told, "failed": len(failures)}


def _backup(self: Scenario, step: Json) -> None:
    self.db.backup(_file(self, step), **_cipher(step), **Progressing(step).options)


def _rekey(self: Scenario, step: Json) -> None:
    cormorant.rekey(_file(self, step), cipher(step["cipher"]), cipher(step["to"]))


def _checkpoint(self: Scenario, step: Json) -> Json:
    pages = self.db.checkpoint(step.get("mode", "passive"))
    return {"log": pages.log, "copied": pages.copied}


def _write_text(self: Scenario, step: Json) -> None:
    _file(self, step).write_text(value(step["text"]))


def _is_plain(self: Scenario, step: Json) -> Json:
    return {"found": _file(self, step).read_bytes().startswith(b"SQLite format 3\0")}


def _damage(self: Scenario, step: Json) -> None:
    file = _file(self, step)
    content = bytearray(file.read_bytes())
    for at in range(step["at"], step["at"] + step.get("count", 1)):
        content[at] ^= 1
    file.write_bytes(content)


def _repair(self: Scenario, step: Json) -> Json:
    report = cormorant.repair(_file(self, step), self.folder / step["to"], schema=step.get("schema"), **_cipher(step))
    return {
        "unreadablePages": report.unreadable_pages,
        "foundRows": report.found_rows,
        "tables": [f"{table.name} {table.rows} {table.lost_rows} {table.lost_pages}" for table in report.tables],
    }


Step = Callable[["Scenario", Json], Json]


def _none(call: Callable[[Scenario, Json], object]) -> Step:
    def run(self: Scenario, step: Json) -> Json:
        call(self, step)
        return {}

    return run


DATABASE_STEPS: dict[str, tuple[Step, str, str]] = {
    "open": (_none(_open), f"as file memory {OPTIONS}", ""),
    "close": (_none(_close), "", ""),
    "transactionDepth": (lambda s, _: {"value": s.db.transaction_depth}, "", "value"),
    "registry": (_none(_registry), f"pattern limit {OPTIONS}", ""),
    "register": (
        _none(lambda s, step: s.registry.register(value(step["name"]), _file(s, step), **_options(s, step))),
        "name file mode",
        "",
    ),
    "use": (_none(_use), "name as", ""),
    "setCurrent": (_none(_set_name("current")), "name", ""),
    "setDefault": (_none(_set_name("default")), "name", ""),
    "registryState": (_state, "", "names current default openCount"),
    "closeFile": (_none(lambda s, step: s.registry.close_file(step["name"])), "name", ""),
    "closeRegistry": (_none(lambda s, _: s.registry.close()), "", ""),
    "attachNamed": (_none(lambda s, step: s.registry.attach(step["name"], s.db, step["schema"])), "name schema", ""),
    "migrateAll": (_migrate_all, "names last allowLossy most", "told failed"),
    "encrypt": (_none(lambda s, step: cormorant.encrypt(_file(s, step), cipher(step["cipher"]))), "file cipher", ""),
    "decrypt": (_none(lambda s, step: cormorant.decrypt(_file(s, step), cipher(step["cipher"]))), "file cipher", ""),
    "rekey": (_none(_rekey), "file cipher to", ""),
    "checkPages": (lambda s, _: {"count": len(s.db.check_pages())}, "", "count"),
    "attach": (
        _none(lambda s, step: s.db.attach(_file(s, step), step["schema"], **_cipher(step))),
        "file schema cipher",
        "",
    ),
    "registerFunction": (_none(_register_function), "name body deterministic inSchema", ""),
    "registerCollation": (
        _none(lambda s, step: s.db.register_collation(step["name"], lambda left, right: len(left) - len(right))),
        "name",
        "",
    ),
    "backup": (_none(_backup), "file cipher cancelAt", ""),
    "vacuum": (_none(lambda s, _: s.db.vacuum()), "", ""),
    "optimize": (_none(lambda s, _: s.db.optimize()), "", ""),
    "checkpoint": (_checkpoint, "mode", "log copied"),
    "writeText": (_none(_write_text), "file text", ""),
    "isPlain": (_is_plain, "file", "found"),
    "damage": (_none(_damage), "file at count", ""),
    "repair": (_repair, "file to cipher schema", "unreadablePages foundRows tables"),
    "damages": (_damages, "", "damages"),
    "copyFile": (
        _none(lambda s, step: shutil.copyfile(_file(s, step), s.folder / step["to"])),
        "file to",
        "",
    ),
    "truncate": (_none(lambda s, step: os.truncate(_file(s, step), step["size"])), "file size", ""),
}
