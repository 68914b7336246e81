"""The Python package as pages, and what of it nobody wrote a word about.

mkdocstrings reads the sources and runs nothing. Three things of them it would not know, which on_package() tells it.
"""

from __future__ import annotations

import copy
import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import griffe

# The pages, and which names of the package stand on each, with all others of their modules.
PAGES = {
    "Models": [
        "Model",
        "Column",
        "column",
        "key",
        "ignored",
        "Key",
        "Reference",
        "Action",
        "Transform",
        "alias",
        "JSON_NULL",
    ],
    "Relations": ["to_one", "to_many", "many_to_many", "ToOne", "ToMany"],
    "Databases": [
        "Database",
        "AsyncDatabase",
        "AsyncTransaction",
        "AsyncResult",
        "AsyncStore",
        "SharedTransaction",
        "Registry",
        "RegistryMigration",
        "Transaction",
        "TransactionKind",
        "Conflict",
        "Progress",
    ],
    "Queries": [
        "select",
        "Select",
        "optional",
        "Query",
        "Subquery",
        "CommonTable",
        "json_each",
        "table_function",
        "insert",
        "Insert",
        "update",
        "Update",
        "delete",
        "Delete",
        "Result",
    ],
    "Expressions": ["Expression", "func"],
    "Migrations": ["Schema", "Plan", "Bundle", "BundleState", "VersionStep"],
    "Observation": ["Observer", "Event", "RowChange", "Region", "CacheStatistics"],
    "Write queues": ["WriteQueue", "Batch", "Write"],
    "Key-value stores": ["Store", "StoreEntry"],
    "Encryption": ["Cipher", "Codec", "CodecFile", "encrypt", "decrypt", "rekey"],
    "Metadata": ["Metadata"],
    "Errors": ["Error"],
    "Other names": [],
}
# Modules with names of their own.
MODULES = ["cormorant.dbapi", "cormorant.pydantic", "cormorant.sqlalchemy"]

# What explains a name, at the beginning of a paragraph and where the next one begins.
NAME = r"[a-z]\w*(?: \([^()]*\))?"
ITEM = re.compile(rf"({NAME}(?:, {NAME})*):\s")
NEXT = re.compile(rf"(?<=[.;])\s(?={ITEM.pattern})")


def load(source: str) -> griffe.Module:
    package = griffe.load("cormorant", search_paths=[source], resolve_aliases=True)
    if not isinstance(package, griffe.Module):
        raise SystemExit(f"{source} holds no package cormorant")
    tidy(package)
    return package


def exported(module: griffe.Module) -> list[str]:
    return [str(getattr(name, "name", name)) for name in module.exports or []]


def pages(package: griffe.Module) -> dict[str, str]:
    """Markdown of each page, by its name."""
    left = [name for name in exported(package) if not name.startswith("__")]
    placed = {title: list(names) for title, names in PAGES.items()}
    chosen = {name for names in placed.values() for name in names}
    homes = {defining_module(package, name): title for title, names in placed.items() for name in names}
    for name in left:
        if name not in chosen:
            placed[homes.get(defining_module(package, name), "Other names")].append(name)
    made = {"index.md": ""}
    lines = ["# Python reference", "", "Every public name, `from cormorant import` each.", ""]
    for title, names in placed.items():
        file = title.lower().replace(" ", "-") + ".md"
        lines += [f"## [{title}]({file})", "", ", ".join(f"[`{name}`]({file}#cormorant.{name})" for name in names), ""]
        made[file] = f"# {title} in Python\n\n" + "\n".join(f"::: cormorant.{name}\n" for name in names)
    for path in MODULES:
        file = path.removeprefix("cormorant.") + ".md"
        module = package[path.removeprefix("cormorant.")]
        names = exported(module) or [name for name in module.members if is_public(module.members[name])]
        lines += [f"## [{path}]({file})", "", first_line(module), ""]
        made[file] = (
            f"# {path}\n\n::: {path}\n    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n"
        )
    made["index.md"] = "\n".join(lines)
    return made


def first_line(item: Any) -> str:
    return item.docstring.value.split("\n\n")[0].replace("\n", " ") if item.docstring else ""


def defining_module(package: griffe.Module, name: str) -> str:
    member = package.members[name]
    return member.target_path.rsplit(".", 1)[0] if member.is_alias else package.path


def is_public(item: griffe.Object | griffe.Alias) -> bool:
    return not item.is_alias and not item.name.startswith("_") and (item.is_class or item.is_function)


def undocumented(package: griffe.Module) -> Iterator[str]:
    """Public names without a docstring. Fields of a class are for the class's docstring to explain; what a dialect
    overrides SQLAlchemy explains."""
    for module in [package, *(package[path.removeprefix("cormorant.")] for path in MODULES)]:
        for name in exported(module) or [name for name, item in module.members.items() if is_public(item)]:
            if name.startswith("__") or name not in module.members:
                continue
            item = module.members[name]
            target = item.final_target if item.is_alias else item
            if not target.docstring:
                yield f"{module.path}.{name}"
            if target.is_class and module.name != "sqlalchemy":
                yield from (
                    f"{module.path}.{name}.{member.name}"
                    for member in target.members.values()
                    if is_public(member) and not member.docstring
                )


# --- What mkdocstrings would not know ---


class Extension(griffe.Extension):
    """Loaded by mkdocs.yml."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        if pkg.name == "cormorant":
            tidy(pkg)


def tidy(package: griffe.Module) -> None:
    if "tidied" in package.extra["cormorant"]:
        return
    package.extra["cormorant"]["tidied"] = True
    for module in modules(package):
        for item in list(module.members.values()):
            if not item.is_alias and item.is_class:
                item.bases = [base for base in item.bases if "._" not in getattr(base, "canonical_path", "")]
                for name, member in list(item.members.items()):
                    method = method_of(package, member)
                    if method is not None:
                        item.set_member(name, method)
    for item in everything(package):
        if item.docstring:
            item.docstring.value = markdown(item.docstring.value)


def modules(module: griffe.Module) -> Iterator[griffe.Module]:
    yield module
    for member in module.members.values():
        if not member.is_alias and member.is_module:
            yield from modules(member)  # type: ignore[arg-type]


def everything(item: griffe.Object) -> Iterator[griffe.Object]:
    yield item
    for member in item.members.values():
        if not member.is_alias:
            yield from everything(member)  # type: ignore[arg-type]


def method_of(package: griffe.Module, member: Any) -> griffe.Function | None:
    """`insert = _record.insert` in a class is a method, whose first parameter is the object."""
    if member.is_alias or not member.is_attribute:
        return None
    value = member.value
    if not isinstance(value, griffe.ExprAttribute | griffe.ExprName):
        return None
    path = value.canonical_path
    if not path.startswith("cormorant."):
        return None
    try:
        target = package[path.removeprefix("cormorant.")]
    except KeyError:
        return None
    target = target.final_target if target.is_alias else target
    if not target.is_function:
        return None
    method = bound(target, member)
    method.overloads = [bound(overload, member) for overload in target.overloads or []] or None
    return method


def bound(function: griffe.Function, member: griffe.Attribute) -> griffe.Function:
    method = copy.copy(function)
    method.name, method.parent = member.name, member.parent
    method.parameters = griffe.Parameters(*list(function.parameters)[1:])
    method.lineno, method.endlineno = member.lineno, member.endlineno
    return method


def markdown(docstring: str) -> str:
    """Docstrings are plain text with code in backticks: what would be a sign of Markdown stands for itself. A paragraph
    that explains names, "mode: how it opens. cipher: what it is encrypted with.", becomes a list of them."""
    return "\n\n".join(map(paragraph, docstring.split("\n\n")))


def paragraph(text: str) -> str:
    if text.startswith(">>>"):
        return text
    if text.startswith("    "):
        return f"```python\n{textwrap.dedent(text)}\n```"
    pieces = [text]
    if ITEM.match(text):
        starts = [0, *(found.end() for found in NEXT.finditer(text)), len(text)]
        pieces = ["- " + ITEM.sub(named, text[a:b].strip(), count=1) for a, b in pairwise(starts)]
    return "\n".join(escaped(piece) for piece in pieces)


def named(item: re.Match[str]) -> str:
    return re.sub(r"(^|, )(\w+)", r"\1`\2`", item[1]) + ": "


def escaped(text: str) -> str:
    pieces = re.split(r"(`+[^`]*`+)", text)
    pieces[::2] = [re.sub(r"([\\*_<>\[\]#])", r"\\\1", piece) for piece in pieces[::2]]
    return "".join(pieces)
