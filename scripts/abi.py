"""Reads the C headers with clang and gives the ABI as data: what docs/abi.json holds.

`constants` by name; `types`: aliases and function pointers; `structs`: size, alignment, and each member's type, offset
and size, in bytes, those of unions and nested structs by their path (`as.text.data`); `functions`: what they return,
and the type of each parameter by its name. Types are written as the headers write them. Layouts are those of the
machine that runs this, which every 64-bit platform of the library shares: no struct holds a type whose size differs
there.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

Abi = dict[str, dict[str, Any]]
Node = dict[str, Any]


def read_abi(header: Path) -> Abi:
    """The ABI that a header, and those that it includes, declare."""
    clang = _clang(header.parent)
    tree = _tree(header)
    macros = _run(*clang, "-E", "-dM", *_source(header))
    return {
        "constants": _constants(macros) | _enumerators(tree),
        "types": _types(tree),
        "structs": _layouts(clang, header, _structs(tree)),
        "functions": _functions(tree),
    }


def _clang(include: Path) -> list[str]:
    return [_run(str(ROOT / "scripts" / "swift-clang")).strip(), "-std=c11", "-I", str(include)]


def _source(header: Path) -> list[str]:
    return ["-x", "c", "-include", str(header), "/dev/null"]


def _tree(header: Path) -> Node:
    command = [*_clang(header.parent), "-fsyntax-only", "-Xclang", "-ast-dump=json", *_source(header)]
    tree: Node = json.loads(_run(*command))
    return tree


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _named(tree: Node, kind: str) -> list[Node]:
    return [
        node for node in tree["inner"] if node["kind"] == kind and node.get("name", "").startswith(("corm_", "Arrow"))
    ]


def _children(node: Node, *kinds: str) -> list[Node]:
    return [child for child in node.get("inner", []) if child["kind"] in kinds]


def _constants(macros: str) -> dict[str, int | str]:
    """The macros that are a number or a text, in alphabetical order; the others serve C programs only."""
    found = re.findall(r'^#define (CORM_\w+) \(?(-?\d+|"[^"]*")\)?$', macros, flags=re.MULTILINE)
    return {name: json.loads(value) for name, value in sorted(found)}


def _enumerators(tree: Node) -> dict[str, int]:
    values = {}
    for enumeration in (node for node in tree["inner"] if node["kind"] == "EnumDecl"):
        value = -1
        for constant in _children(enumeration, "EnumConstantDecl"):
            given = _children(constant, "ConstantExpr")
            value = int(given[0]["value"]) if given else value + 1
            if constant["name"].startswith("CORM_"):
                values[constant["name"]] = value
    return values


def _types(tree: Node) -> dict[str, str]:
    return {
        node["name"]: node["type"]["qualType"]
        for node in _named(tree, "TypedefDecl")
        if not node["type"]["qualType"].startswith("struct ")
    }


def _functions(tree: Node) -> dict[str, Node]:
    return {
        node["name"]: {
            "returns": node["type"]["qualType"].split("(", 1)[0].strip(),
            "parameters": {each["name"]: each["type"]["qualType"] for each in _children(node, "ParmVarDecl")},
        }
        for node in _named(tree, "FunctionDecl")
        # An inline one is made by the compiler of the program.
        if not node.get("inline")
    }


def _structs(tree: Node) -> dict[str, dict[str, str]]:
    """Of each struct that has a definition, the type of each member by its path."""
    return {node["name"]: _members(node, "") for node in _named(tree, "RecordDecl") if node.get("completeDefinition")}


def _members(record: Node, path: str) -> dict[str, str]:
    members: dict[str, str] = {}
    nested: Node | None = None
    for child in _children(record, "RecordDecl", "FieldDecl"):
        if child["kind"] == "RecordDecl":
            # One without a name, whose member is the next; with a name it is of another struct, which a pointer is to.
            nested = None if child.get("name") else child
        elif nested is not None:
            members |= _members(nested, f"{path}{child['name']}.")
            nested = None
        else:
            members[path + child["name"]] = child["type"]["qualType"]
    return members


def _layouts(clang: list[str], header: Path, structs: dict[str, dict[str, str]]) -> dict[str, Node]:
    """Compiles and runs a program that prints where everything is."""
    lines = ["#include <stddef.h>", "#include <stdio.h>", f"#include <{header.name}>", "int main(void) {"]
    for name, members in structs.items():
        lines.append(f'printf("%zu %zu\\n", sizeof(struct {name}), _Alignof(struct {name}));')
        lines += [
            f'printf("%zu %zu\\n", offsetof(struct {name}, {path}), sizeof(((struct {name} *)0)->{path}));'
            for path in members
        ]
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "layouts.c"), Path(folder, "layouts")
        source.write_text("\n".join([*lines, "return 0;", "}", ""]), encoding="utf-8")
        _run(*clang, str(source), "-o", str(program))
        numbers = iter([tuple(map(int, line.split())) for line in _run(str(program)).splitlines()])
    found = {}
    for name, members in structs.items():
        size, alignment = next(numbers)
        fields = {}
        for path, kind in members.items():
            offset, length = next(numbers)
            fields[path] = {"type": kind, "offset": offset, "size": length}
        found[name] = {"size": size, "alignment": alignment, "members": fields}
    return found


def text_of(abi: Abi) -> str:
    """One line an entry, so that a difference is one line, too."""
    parts = []
    for topic, entries in abi.items():
        lines = [f"    {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items()]
        parts.append(f"  {json.dumps(topic)}: {{\n" + ",\n".join(lines) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def differences(old: Abi, new: Abi) -> list[str]:
    """What a program that was built against `old` could notice of `new`, a line each."""
    found = []
    for topic in new:
        before, after = old.get(topic, {}), new[topic]
        word = topic.removesuffix("s")
        found += [f"{word} {name} is gone" for name in before if name not in after]
        found += [f"{word} {name} is new" for name in after if name not in before]
        for name in before:
            if name in after and before[name] != after[name]:
                found += [f"{word} {name}: {line}" for line in _changes(before[name], after[name])]
    return found


def _changes(before: Any, after: Any, path: str = "") -> list[str]:
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return [f"{path or 'the value'} was {json.dumps(before)}, is {json.dumps(after)}"]
    found = []
    for key in [*before, *(key for key in after if key not in before)]:
        name = f"{path}.{key}" if path else key
        if key not in after:
            found.append(f"{name} is gone")
        elif key not in before:
            found.append(f"{name} is new")
        elif before[key] != after[key]:
            found += _changes(before[key], after[key], name)
    if not found:
        found.append(f"the order of its {path or 'parts'} has changed")
    return found
