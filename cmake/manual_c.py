"""Writes a man page for each function of the C library, of what the headers say above it: manual_c.py VERSION DATE
INCLUDE FOLDER. Functions under one comment share its text; the page of one that takes a callback has that one's, too. A
function of which no comment says anything is an error."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from manual import escaped

COMMENT = re.compile(r"/\*(.*?)\*/\n((?:(?!/\*)[^\n]+\n)+)", re.DOTALL)
# One that stands above no declaration: it is of several functions.
STANDING = re.compile(r"^/\*\n((?:(?!\*/).)*)\*/\n\n", re.DOTALL | re.MULTILINE)
# What begins a paragraph, though no line is empty before it.
LABEL = re.compile(r"(?:Statuses(?: also)?|Threading): ")
FUNCTION = re.compile(r"^[a-z][\w *]*?\b(corm_\w+)\(([^;{]*)\);", re.MULTILINE)
CALLBACK = re.compile(r"^typedef [\w *]+\(\*(corm_\w+)\)\(([^;{]*)\);", re.MULTILINE)


class Callback(NamedTuple):
    comment: str
    declaration: str
    parameters: set[str]


class Page(NamedTuple):
    header: str
    # What the header says at its beginning, and of several of its functions.
    head: str
    comment: str
    declarations: list[str]
    functions: list[str]
    parameters: set[str]


def pages(include: Path) -> Iterator[Page]:
    for header in sorted((include / "cormorant").glob("*.h")):
        text = header.read_text(encoding="utf-8")
        described: set[str] = set()
        head = re.findall(r"\A/\*(.*?)\*/\n#ifndef", text, flags=re.DOTALL) + STANDING.findall(text)
        about = "\n\n".join(map(plain, head))
        for match in COMMENT.finditer(text):
            found = list(FUNCTION.finditer(match[2]))
            if not found:
                continue
            parameters = {name for each in found for name in parameters_of(each)}
            functions = [each[1] for each in found]
            described |= set(functions)
            yield Page(header.name, about, plain(match[1]), [each[0] for each in found], functions, parameters)
        if missing := {match[1] for match in FUNCTION.finditer(text)} - described:
            raise SystemExit(f"manual_c.py: {header.name} says nothing above {', '.join(sorted(missing))}")


def callbacks(include: Path) -> dict[str, Callback]:
    """What the headers say of the types of functions that the program gives."""
    made: dict[str, Callback] = {}
    for header in sorted((include / "cormorant").glob("*.h")):
        for match in COMMENT.finditer(header.read_text(encoding="utf-8")):
            for found in CALLBACK.finditer(match[2]):
                made[found[1]] = Callback(plain(match[1]), on_a_line(found[0]), parameters_of(found))
    return made


def parameters_of(declaration: re.Match[str]) -> set[str]:
    return set(re.findall(r"(\w+)(?:,|$)", declaration[2]))


def on_a_line(declaration: str) -> str:
    return escaped(re.sub(r"\s+", " ", declaration))


def plain(comment: str) -> str:
    return "\n".join(re.sub(r"^ ?\* ?|^ {3}", "", line).rstrip() for line in comment.strip().split("\n"))


def sentence(text: str) -> str:
    """The first one, for the line of a name."""
    first = re.split(r"(?<=[\w)\"])[.:;] |\.$|\n\n", " ".join(text.split("\n\n")[0].split()), maxsplit=1)[0]
    return first.rstrip(".:")


def body(text: str, parameters: set[str]) -> list[str]:
    lines: list[str] = []
    for paragraph in re.split(rf"\n\n|\n(?={LABEL.pattern})", text):
        written = paragraph.split("\n")
        if written[0].split(" ")[0].rstrip(",") in parameters:
            for line in written:
                name, _, rest = line.partition(" ")
                if name.rstrip(",") in parameters:
                    lines += [".TP", f".I {escaped(name)}", escaped(rest.strip())]
                else:
                    lines.append(escaped(line.strip()))
        elif not LABEL.match(paragraph) and any(re.match(r" {2,}\S|\S+(?: \S+)* {3,}\S", line) for line in written):
            lines += [".PP", ".nf", *map(escaped, written), ".fi"]
        else:
            lines += [".PP", *(escaped(line.strip()) for line in written if line.strip())]
    return lines[1:] if lines[0] == ".PP" else lines


def manual(name: str, page: Page, version: str, date: str, functions: set[str], callbacks: dict[str, Callback]) -> str:
    lines = [f'.TH {name} 3 {date} "cormorant {version}" "Cormorant"', ".SH NAME"]
    lines += [f"{', '.join(page.functions)} \\- {escaped(sentence(page.comment))}"]
    lines += [".SH LIBRARY", "Cormorant (libcormorant, \\-lcormorant)", ".SH SYNOPSIS", ".nf"]
    lines += [".B #include <cormorant.h>", ""]
    lines += [on_a_line(declaration) for declaration in page.declarations]
    lines += [".fi", ".SH DESCRIPTION", *body(page.comment, page.parameters)]
    for taken in sorted(set(re.findall(r"corm_\w+", " ".join(page.declarations))) & callbacks.keys()):
        callback = callbacks[taken]
        lines += [f".SS {taken}", ".nf", callback.declaration, ".fi", ".PP"]
        lines += body(callback.comment, callback.parameters)
    if page.head:
        lines += [".SH NOTES", f"Of all of cormorant/{page.header}:", ".PP", *body(page.head, page.parameters)]
    mentioned = sorted(set(re.findall(r"corm_\w+", page.comment)) & functions - set(page.functions))
    if mentioned:
        lines += [".SH SEE ALSO", *(f".BR {name} (3)," for name in mentioned[:-1]), f".BR {mentioned[-1]} (3)"]
    return "\n".join(lines) + "\n"


def main() -> int:
    version, date, include, folder = *sys.argv[1:3], Path(sys.argv[3]), Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.3"):
        old.unlink()
    all_pages = list(pages(include))
    functions = {name for page in all_pages for name in page.functions}
    taken = callbacks(include)
    for page in all_pages:
        for name in page.functions:
            text = manual(name, page, version, date, functions, taken)
            (folder / f"{name}.3").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
