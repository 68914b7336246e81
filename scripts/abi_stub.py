"""Libraries without code, for abidiff (https://sourceware.org/libabigail/): one of docs/abi.json, one of the headers.

abidiff reads the debugging information that a compiler wrote, and so says independently of the comparison in abi.py
what a change does to programs that were compiled before. That the library of docs/abi.json is the same as that of the
headers shows too that the ledger holds all of the ABI.
"""

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

Tree = dict[str, Any]


def differences(ledger: dict[str, Any], declared: dict[str, Any], include: Path) -> list[str]:
    """What abidiff says of the headers beside the ledger, a line each; nothing where they are the same."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "before.so"), Path(folder, "after.so")
        _compile(_declarations(ledger), ledger["functions"], before)
        _compile(["#include <cormorant.h>"], declared["functions"], after, f"-I{include}")
        command = ["abidiff", "--no-show-locs", str(before), str(after)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line for line in (done.stdout + done.stderr).splitlines() if line.strip()] if done.returncode else []


def _compile(lines: list[str], functions: dict[str, Any], library: Path, *options: str) -> None:
    lines = list(lines)
    for name, function in functions.items():
        parameters = ", ".join(_declared(kind, each) for each, kind in function["parameters"].items()) or "void"
        result = "" if function["returns"] == "void" else f"static {function['returns']} made; return made; "
        lines.append(f"{function['returns']} {name}({parameters}) {{ {result}}}")
    source = library.with_suffix(".c")
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["gcc", "-g", "-shared", "-fPIC", "-w", *options, "-o", str(library), str(source)]
    subprocess.run(command, check=True)


def _declared(kind: str, name: str) -> str:
    """A type with a name, which stands within that of a function or an array."""
    if "(*)" in kind:
        return kind.replace("(*)", f"(*{name})", 1)
    array = re.fullmatch(r"(.*?)(\[\d+\])", kind)
    return f"{array[1]} {name}{array[2]}" if array else f"{kind} {name}"


def _declarations(ledger: dict[str, Any]) -> list[str]:
    """The types of a ledger in C."""
    types, structs = ledger["types"], ledger["structs"]
    known = set(re.findall(r"\bcorm_\w+", str([types, structs, ledger["functions"]]))) | set(structs)
    opaque = {name for name in known - set(types) - set(ledger["functions"]) if not name.startswith("Arrow")}
    lines = ["#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>"]
    lines += [f"typedef struct {name} {name};" for name in sorted(opaque)]
    lines += [f"typedef {_declared(kind, name)};" for name, kind in types.items()]
    for name, struct in structs.items():
        lines.append(f"struct {name} {{ {_members(_tree(struct['members']))} }};")
    return lines


def _tree(members: dict[str, Any]) -> Tree:
    """Members by their names: those that have a dot in a tree of their own."""
    tree: Tree = {}
    for path, member in members.items():
        *above, name = path.split(".")
        place = tree
        for part in above:
            place = place.setdefault(part, {})
        place[name] = (member["type"], member["offset"])
    return tree


def _members(tree: Tree) -> str:
    parts = []
    for name, member in tree.items():
        if isinstance(member, tuple):
            parts.append(f"{_declared(member[0], name)};")
        else:
            starts = [_start(each) for each in member.values()]
            kind = "union" if len(starts) > 1 and len(set(starts)) == 1 else "struct"
            parts.append(f"{kind} {{ {_members(member)} }} {name};")
    return " ".join(parts)


def _start(member: Tree | tuple[str, int]) -> int:
    return member[1] if isinstance(member, tuple) else min(map(_start, member.values()))
