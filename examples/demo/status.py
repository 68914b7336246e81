"""Reads the file in which dpkg keeps what is installed, /var/lib/dpkg/status, as records of the demo's models."""

import re
from collections.abc import Iterator
from pathlib import Path

from models import Dependency, Maintainer, Package, Section

Fields = dict[str, str]

KINDS = ("Pre-Depends", "Depends", "Recommends", "Suggests")
# "libc6:any (>= 2.36) | libc6.1" is two matches: a name, and the version in parentheses if there is one.
TARGET = re.compile(r"([^\s,|:(]+)(?::\w+)?\s*(?:\(([^)]*)\))?")


def read_status(path: Path) -> dict[str, Fields]:
    """The installed packages by name, each with its fields; of a field with several lines the first."""
    text = path.read_text(encoding="utf-8", errors="replace")
    stanzas = [
        dict(line.split(": ", 1) for line in stanza.split("\n") if ": " in line and line[0] != " ")
        for stanza in text.split("\n\n")
    ]
    installed = [fields for fields in stanzas if fields.get("Status", "").endswith(" installed")]
    # A package may be there for a second architecture; like dpkg, name that one with it.
    native = {"all", *(fields["Architecture"] for fields in installed if fields["Package"] == "dpkg")}
    return {
        fields["Package"] + ("" if fields["Architecture"] in native else ":" + fields["Architecture"]): fields
        for fields in installed
    }


def sections(status: dict[str, Fields]) -> list[Section]:
    return [Section(name) for name in sorted({section_of(fields) for fields in status.values()})]


def maintainers(status: dict[str, Fields]) -> list[Maintainer]:
    return [Maintainer(name) for name in sorted({maintainer_of(fields) for fields in status.values()})]


def packages(status: dict[str, Fields], maintainers: list[Maintainer]) -> Iterator[Package]:
    ids = {maintainer.name: maintainer.id for maintainer in maintainers if maintainer.id is not None}
    for name, fields in status.items():
        size = fields.get("Installed-Size")
        yield Package(
            name=name,
            version=fields["Version"],
            section=section_of(fields),
            maintainer_id=ids[maintainer_of(fields)],
            priority=fields.get("Priority", "unknown"),
            installed_size=int(size) if size else None,
            essential=fields.get("Essential") == "yes",
            summary=fields.get("Description", ""),
        )


def dependencies(status: dict[str, Fields]) -> Iterator[Dependency]:
    provider = {name: name for name in status}
    for name, fields in status.items():
        for virtual, _ in TARGET.findall(f"{fields['Package']}, {fields.get('Provides', '')}"):
            provider.setdefault(virtual, name)
    for name, fields in status.items():
        wanted = [(kind, *match) for kind in KINDS for match in TARGET.findall(fields.get(kind, ""))]
        for position, (kind, target, version) in enumerate(wanted):
            yield Dependency(
                package=name,
                position=position,
                kind=kind.lower(),
                target=target,
                wanted_version=version or None,
                found=provider.get(f"{target}:{fields['Architecture']}", provider.get(target)),
            )


def section_of(fields: Fields) -> str:
    return fields.get("Section", "unknown")


def maintainer_of(fields: Fields) -> str:
    """Without the e-mail address."""
    return fields.get("Maintainer", "unknown").split(" <")[0]
