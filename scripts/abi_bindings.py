"""What is written from docs/abi.json and the headers of the bindings: Python's abi.py, and Swift's ErrorCode.swift."""

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from abi import ROOT, Abi

PYTHON = ROOT / "bindings" / "python" / "src" / "cormorant" / "_native" / "abi.py"
SWIFT = ROOT / "Sources" / "CormorantBase" / "ErrorCode.swift"

# C types that are a word of their own in abi.py. Every other pointer is "pointer"; a struct by value is its name.
WORDS = {
    "_Bool": "bool",
    "int32_t": "int32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "uint64_t": "uint64",
    "uint8_t": "uint8",
    "size_t": "size",
    "float": "float",
    "double": "double",
    "void": "void",
    "const char *": "text",
    "corm_trace_callback": "callback",
}
# How Swift says what a comment of base.h says in the words of C.
SWIFT_WORDS = {
    "A NULL, closed": "A closed",
    "; please report it": "",
    "corm_database_interrupt": "`interrupt`",
    "corm_error_offset": "`offset`",
    "corm_error_sqlite_code": "`sqliteCode`",
    ", or has none where an array of char needs one": "",
    "holds a NUL where the field cannot": "or holds a NUL where the field cannot",
}


def files(public: Abi, private: Abi, base: str) -> dict[Path, str]:
    """The text of each file. `private` is what the headers of the bindings declare, `base` is the text of base.h."""
    return {PYTHON: python(public, private), SWIFT: swift(public, base)}


def python(public: Abi, private: Abi) -> str:
    abi = {topic: public[topic] | private[topic] for topic in public}
    lines = [
        '"""The C interface as data. Written by scripts/check-abi --update: do not edit."""',
        "",
        "from typing import Final",
        "",
    ]
    lines += [f"{name}: Final = {_literal(value)}" for name, value in abi["constants"].items()]
    lines += ["", "# Struct: its members and their types, in order."]
    lines += ["STRUCTS: dict[str, tuple[tuple[str, str], ...]] = {"]
    for name, layout in abi["structs"].items():
        lines.append(f'    "{name}": (')
        lines += [f'        ("{member}", "{word}"),' for member, word in _members(layout["members"], abi)]
        lines.append("    ),")
    lines += ["}", "", "# Function: what it returns and takes."]
    lines += ["FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {"]
    for name, function in abi["functions"].items():
        words = [_word(kind, abi) for kind in function["parameters"].values()]
        items = ", ".join(f'"{word}"' for word in words) + ("," if len(words) == 1 else "")
        result = _word(function["returns"], abi)
        line = f'    "{name}": ("{result}", ({items})),'
        if len(line) > 120:
            lines += [f'    "{name}": (', f'        "{result}",', f"        ({items}),", "    ),"]
        else:
            lines.append(line)
    return "\n".join([*lines, "}", ""])


def _literal(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _members(members: dict[str, Any], abi: Abi) -> Iterator[tuple[str, str]]:
    """Each member and its word; a union, whose members have paths, is one of `union:` and the words of its members."""
    unions: dict[str, dict[str, list[str]]] = {}
    for path, place in members.items():
        name, _, rest = path.partition(".")
        if not rest:
            yield name, _word(place["type"], abi)
            continue
        unions.setdefault(name, {}).setdefault(rest.partition(".")[0], []).append(place["type"])
    for name, parts in unions.items():
        yield name, "union:" + ",".join(_union_word(types, abi) for types in parts.values())


def _union_word(types: list[str], abi: Abi) -> str:
    if len(types) == 1:
        return _word(types[0], abi)
    for name, layout in abi["structs"].items():
        if types == [place["type"] for place in layout["members"].values()]:
            return name
    raise ValueError(f"a struct within a union that no struct of the headers is like: {types}")


def _word(kind: str, abi: Abi) -> str:
    if kind in WORDS:
        return WORDS[kind]
    if "*" in kind:
        return "pointer"
    if match := re.fullmatch(r"(\w+)\[(\d+)\]", kind):
        return f"{_word(match[1], abi)}[{match[2]}]"
    if kind in abi["types"]:
        return _word(abi["types"][kind], abi)
    if kind in abi["structs"]:
        return kind
    raise ValueError(f"a type that has no word in abi.py: {kind}")


def swift(public: Abi, base: str) -> str:
    codes = sorted(
        ((name, value) for name, value in public["constants"].items() if name.startswith("CORM_E_")),
        key=lambda code: -code[1],
    )
    lines = [
        "// Written by scripts/check-abi --update from cormorant/base.h: do not edit.",
        "",
        "/// What kind of error happened; the same numbers and meanings as `CORM_E_*` in `cormorant/base.h`.",
        "public enum ErrorCode: Int32, Sendable, CaseIterable {",
    ]
    for name, value in codes:
        lines += textwrap.wrap(_comment(name, base), 120, initial_indent="    /// ", subsequent_indent="    /// ")
        case = _case(name)
        lines.append(f"    case {'`internal`' if case == 'internal' else case} = {value}")
    lines += [
        "",
        "    /// The name that all faces share, such as `CORM_E_UNIQUE`.",
        "    public var name: StaticString {",
        "        switch self {",
        *(f'        case .{_case(name)}: "{name}"' for name, _ in codes),
        "        }",
        "    }",
        "}",
        "",
    ]
    return "\n".join(lines)


def _case(name: str) -> str:
    first, *rest = name.removeprefix("CORM_E_").lower().split("_")
    known = {"io": "io", "sql": "sql", "json": "json"}
    return first + "".join(known.get(word, word.capitalize()) for word in rest)


def _comment(name: str, base: str) -> str:
    """What base.h says above the macro; of several sentences the first."""
    match = re.search(rf"/\*((?:(?!\*/).)*)\*/\n#define {name} ", base, flags=re.DOTALL)
    if match is None:
        raise ValueError(f"base.h says nothing of {name}")
    text = " ".join(match[1].replace("\n *", " ").split())
    for said, instead in SWIFT_WORDS.items():
        text = text.replace(said, instead)
    return re.split(r"(?<=\.) ", text)[0]
