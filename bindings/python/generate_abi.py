"""Writes src/cormorant/_native/abi.py from the C headers; with --check only compares and exits 1 when they differ.

A strict parser of the few forms the headers use: whatever it does not understand is an error, never skipped.
"""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parent.parent / "include"
TARGET = HERE / "src" / "cormorant" / "_native" / "abi.py"

# C types that are a word of their own in abi.py. Every other pointer is "pointer"; a struct by value is its name.
SCALARS = {
    "bool": "bool",
    "int32_t": "int32",
    "uint32_t": "uint32",
    "int64_t": "int64",
    "uint64_t": "uint64",
    "uint8_t": "uint8",
    "size_t": "size",
    "float": "float",
    "double": "double",
    "void": "void",
}
# Macros that are no constant: they serve C programs only.
NO_VALUE = (
    r"#define (ARROW_\w+|CORMORANT_\w+_H|CORM_(VERSION_AT_LEAST|SOURCE|INIT_|\w+_DECLS|\w+_INIT|NO_VALUES|VALUES|KEY"
    r"|COLUMN|FIELD_|GENERIC_FIELD_|MODEL|FIRST_|ALL|ANY|CALL|EXPRS|EQ|NE|LT|LE|GT|GE|COMPARE_))(\W|$)"
)
# In the order in which they include each other, by the folder.
TOPICS = {
    "cormorant": (
        "base", "error", "value", "database", "thread", "transaction", "result", "model", "record", "expression",
        "statement", "query", "relation", "columns", "json", "schema", "metadata", "migration", "bundle", "cipher",
        "key_value", "maintenance", "observation", "cache", "registry", "queue",
    ),
    "cormorant-binding": ("block", "json", "key_value", "observation", "python", "queue", "result", "tree"),
}  # fmt: skip


class Unknown(Exception):
    """A form this parser does not know."""


class Headers:
    """What was found in the headers, in their order."""

    def __init__(self) -> None:
        self.constants: dict[str, str] = {}
        self.structs: dict[str, list[tuple[str, str]]] = {}
        self.functions: dict[str, tuple[str, list[str]]] = {}
        self.aliases: dict[str, str] = dict(SCALARS)
        self.opaque: set[str] = set()

    def read(self, text: str) -> None:
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
        text = text.replace("\\\n", " ")
        # What the compiler of a C program makes.
        text = re.sub(r"^static inline [^{]*\{.*?\}$", "", text, flags=re.MULTILINE | re.DOTALL)
        # What only C++ sees.
        text = re.sub(
            r"^#ifdef __cplusplus\n(?:(?!#(?:else|endif)).*\n)+(?=#else|#endif$)", "#if 0\n", text, flags=re.MULTILINE
        )
        body: list[str] = []
        for line in text.splitlines():
            if line.lstrip().startswith("#"):
                self._directive(line.strip())
            else:
                body.append(line)
        code = re.sub(r"\s+", " ", " ".join(body))
        code = re.sub(r"\bCORM_(BEGIN|END)_DECLS\b", "", code)
        for declaration in _declarations(code):
            self._declaration(declaration)

    def _directive(self, line: str) -> None:
        integer = re.fullmatch(r"#define (CORM_\w+)\s+\(?(-?\d+)\)?", line)
        string = re.fullmatch(r'#define (CORM_\w+)\s+("[^"]*")', line)
        if match := integer or string:
            self.constants[match[1]] = match[2]
        elif not re.match(r"#(include|ifdef|ifndef|if|elif|else|endif)\b", line) and not re.match(NO_VALUE, line):
            raise Unknown(line)

    def _declaration(self, code: str) -> None:
        if match := re.fullmatch(r"typedef struct (\w+) \{(.*)\} (\w+)", code):
            self.structs[match[1]] = [self._member(member) for member in _declarations(match[2])]
        elif match := re.fullmatch(r"struct (\w+) \{(.*)\}", code):
            self.opaque.add(match[1])
            self.structs[match[1]] = [self._member(member) for member in _declarations(match[2])]
        elif (match := re.fullmatch(r"typedef struct (\w+) (\w+)", code)) or (
            match := re.fullmatch(r"struct (\w+)", code)
        ):
            self.opaque.add(match[1])
        elif match := re.fullmatch(r"typedef (\w+) (\w+)", code):
            self.aliases[match[2]] = self.aliases[match[1]]
        elif match := re.fullmatch(r"typedef void \(\*(\w+)\)\((.*)\)", code):
            # Those of other callbacks are made where they are used.
            self.aliases[match[1]] = "callback" if match[1] == "corm_trace_callback" else "pointer"
        elif match := re.fullmatch(r"typedef (?:bool|int64_t|corm_status) \(\*(\w+)\)\((.*)\)", code):
            # A pointer, as other functions are.
            self.aliases[match[1]] = "pointer"
        elif match := re.fullmatch(r"([\w *]+?)\b(corm_\w+)\((.*)\)", code):
            parameters = [] if match[3] == "void" else match[3].split(",")
            self.functions[match[2]] = (self._type(match[1]), [self._parameter(item) for item in parameters])
        else:
            raise Unknown(code)

    def _member(self, code: str) -> tuple[str, str]:
        if match := re.fullmatch(r"[\w *]+\(\*(\w+)\)\(.*\)", code):
            return match[1], "pointer"
        if match := re.fullmatch(r"union \{(.*)\} (\w+)", code):
            members = [self._union_member(member) for member in _declarations(match[1])]
            return match[2], "union:" + ",".join(members)
        if match := re.fullmatch(r"(\w+) (\w+)\[(\d+)\]", code):
            return match[2], f"{self._type(match[1])}[{match[3]}]"
        if match := re.fullmatch(r"(.*?)(\w+)", code):
            return match[2], self._type(match[1])
        raise Unknown(code)

    def _union_member(self, code: str) -> str:
        if re.fullmatch(r"struct \{ const void \*data; size_t size; \} (\w+)", code):
            return "corm_blob"
        return self._member(code)[1]

    def _parameter(self, code: str) -> str:
        match = re.fullmatch(r"(.*?)(\w+)", code.strip())
        if not match:
            raise Unknown(code)
        return self._type(match[1])

    def _type(self, code: str) -> str:
        words = code.replace("*", " * ").split()
        if words == ["const", "char", "*"]:
            return "text"
        names = [word for word in words if word not in ("const", "struct", "*")]
        if len(names) != 1 or not (names[0] in self.aliases or names[0] in self.opaque | set(self.structs) | {"char"}):
            raise Unknown(code)
        if "*" in words:
            return "pointer"
        return self.aliases.get(names[0]) or names[0]


def _declarations(code: str) -> list[str]:
    """Splits at the semicolons outside braces; drops extern "C"."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(code):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == ";" and depth == 0:
            parts.append(code[start:position].strip())
            start = position + 1
    if code[start:].strip():
        raise Unknown(code[start:].strip())
    return parts


def generate() -> str:
    headers = Headers()
    for folder, topics in TOPICS.items():
        if missing := {path.stem for path in (HEADERS / folder).glob("*.h")} ^ set(topics):
            raise Unknown(f"header files in {folder}: {sorted(missing)}")
        for name in topics:
            headers.read((HEADERS / folder / f"{name}.h").read_text(encoding="utf-8"))
    lines = [
        '"""The C interface as data. Generated by generate_abi.py from the headers: do not edit."""',
        "",
        "from typing import Final",
        "",
    ]
    lines += [f"{name}: Final = {value}" for name, value in headers.constants.items()]
    lines += ["", "# Struct: its members and their types, in order."]
    lines += ["STRUCTS: dict[str, tuple[tuple[str, str], ...]] = {"]
    for name, members in headers.structs.items():
        lines.append(f'    "{name}": (')
        lines += [f'        ("{member}", "{kind}"),' for member, kind in members]
        lines.append("    ),")
    lines += ["}", "", "# Function: what it returns and takes."]
    lines += ["FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {"]
    for name, (result, parameters) in headers.functions.items():
        items = ", ".join(f'"{kind}"' for kind in parameters) + ("," if len(parameters) == 1 else "")
        line = f'    "{name}": ("{result}", ({items})),'
        if len(line) > 120:
            lines += [f'    "{name}": (', f'        "{result}",', f"        ({items}),", "    ),"]
        else:
            lines.append(line)
    return "\n".join([*lines, "}", ""])


def main() -> int:
    new = generate()
    if sys.argv[1:] == ["--check"]:
        old = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
        sys.stdout.writelines(
            difflib.unified_diff(old.splitlines(True), new.splitlines(True), "abi.py", "from the headers")
        )
        return int(old != new)
    if sys.argv[1:]:
        print("usage: generate_abi.py [--check]", file=sys.stderr)
        return 2
    TARGET.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
