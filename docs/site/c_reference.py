"""The C library's headers as pages: a page for each, of what stands above each declaration."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# What stands above a block of lines at the left margin, and the block: to an empty line outside of braces.
NAME = re.compile(
    r"^#define (CORM_\w+)|^typedef (?:struct|union) (corm_\w+)"
    r"|^typedef [^\n(]*\(\*(corm_\w+)\)|^typedef [^\n(]*\b(corm_\w+);"
    r"|^(?:static inline )?(?!typedef)[a-z][\w *]*?\b(corm_\w+)\([^;{]*\)",
    re.MULTILINE,
)
HIDDEN = re.compile(
    r"^(CORM_BEGIN_DECLS|CORM_END_DECLS|#(?!define CORM_\w*[^_\s(]\b).*|#define CORMORANT_\w+)\n", re.MULTILINE
)
# A comment that stands above no declaration: it is of several functions.
STANDING = re.compile(r"^/\*\n((?:(?!\*/).)*)\*/\n\n", re.DOTALL | re.MULTILINE)
BODY = re.compile(r"^(static inline [^{;]*?\)) \{\n.*?^\}\n", re.DOTALL | re.MULTILINE)
ABOUT = "`#include <cormorant.h>` declares everything. Each function has a man page, too: `man corm_record_insert`."
# What begins a paragraph, though no line is empty before it.
LABEL = re.compile(r"(?:Statuses|Threading|Returns|Since): ")
WORD = re.compile(r"\b(?:corm_|CORM_)\w+")


class Entry(NamedTuple):
    names: list[str]
    comment: str
    declaration: str


class Header(NamedTuple):
    name: str
    about: str
    entries: list[Entry]


def headers(include: Path) -> Iterator[Header]:
    """What cormorant.h says of all, then each topic."""
    for path in [include / "cormorant.h", *sorted((include / "cormorant").glob("*.h"))]:
        text = path.read_text(encoding="utf-8")
        about = re.match(r"/\*(.*?)\*/\n", text, re.DOTALL)
        if about is None:
            raise SystemExit(f"{path}: begins with no comment")
        standing = [plain(found[1]) for found in STANDING.finditer(text, about.end())]
        entries_of = list(entries(HIDDEN.sub("", text[about.end() :])))
        yield Header(path.name, "\n\n".join([plain(about[1]), *standing]), entries_of)


def entries(text: str) -> Iterator[Entry]:
    text = BODY.sub(r"\1;\n", text)
    for piece in re.split(r"^/\*", text, flags=re.MULTILINE)[1:]:
        comment, _, block = piece.partition("*/\n")
        names = [next(filter(None, found)) for found in NAME.findall(block)]
        names = [name for name in dict.fromkeys(names) if not name.endswith("_")]
        if names:
            yield Entry(names, plain(comment), re.sub(r"\n\n+", "\n\n", block).strip())


def plain(comment: str) -> str:
    """A comment's text without what frames it."""
    return "\n".join(re.sub(r"^ ?\* ?|^ {3}", "", line).rstrip() for line in comment.strip().split("\n")).strip()


def title(entry: Entry) -> str:
    """The names, but constants only where nothing else is there, and those that begin alike only once."""
    names = [name for name in entry.names if not name.startswith("CORM_")] or entry.names
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")


def pages(include: Path) -> dict[str, str]:
    """Markdown of each page, by its name."""
    all_headers = list(headers(include))
    places = {
        name: f"{header.name.removesuffix('.h')}.md#{entry.names[0]}"
        for header in all_headers
        for entry in header.entries
        for name in entry.names
    }
    made = {"index.md": overview(all_headers, places)}
    for header in all_headers[1:]:
        made[header.name.removesuffix(".h") + ".md"] = page(header, places)
    return made


def overview(all_headers: list[Header], places: dict[str, str]) -> str:
    lines = ["# C reference", "", ABOUT, "", "| header | about |", "|---|---|"]
    for header in all_headers[1:]:
        about = text_of(header.about.split("\n\n")[0].replace("\n", " "), places, "")
        lines.append(f"| [{header.name}]({header.name.removesuffix('.h')}.md) | {about} |")
    lines += ["", "## Of all headers", "", *body(all_headers[0].about, set(), places, "")]
    return "\n".join(lines) + "\n"


def page(header: Header, places: dict[str, str]) -> str:
    lines = [f"# {header.name}", "", *body(header.about, set(), places, ""), ""]
    for entry in header.entries:
        others = "".join(f'<a id="{name}"></a>' for name in entry.names[1:])
        lines += ["", f"## {title(entry)} {{ #{entry.names[0]} }}"]
        lines += ["", others] if others else []
        lines += ["", "```c", entry.declaration, "```", ""]
        parameters = set(re.findall(r"(\w+)[,)]", entry.declaration))
        lines += body(entry.comment, parameters, places, entry.names[0])
    return "\n".join(lines) + "\n"


def body(comment: str, parameters: set[str], places: dict[str, str], own: str) -> list[str]:
    """Paragraphs as they are; a list of parameters; what is indented as code; and as it is written what has columns."""
    lines: list[str] = []
    for paragraph in re.split(rf"\n\n|\n(?={LABEL.pattern})", comment):
        written = paragraph.split("\n")
        if written[0].split(" ")[0].rstrip(",") in parameters:
            for line in written:
                name, _, rest = line.partition(" ")
                if name.rstrip(",") in parameters:
                    names, rest = re.match(r"((?:\w+, )*\w+) *(.*)", line).groups()  # type: ignore[union-attr]
                    lines.append(f"- `{names}`: {text_of(rest, places, own)}")
                else:
                    lines.append("  " + text_of(line.strip(), places, own))
        elif all(line.startswith("    ") for line in written):
            lines += ["```c", *textwrap.dedent(paragraph).split("\n"), "```"]
        elif not LABEL.match(paragraph) and any(re.match(r" {2,}\S|\S+(?: \S+)* {3,}\S", line) for line in written):
            lines += ["```text", *written, "```"]
        else:
            found = LABEL.match(paragraph)
            start = f"**{found[0].strip()}** " if found else ""
            lines.append(start + text_of(paragraph[found.end() if found else 0 :], places, own))
        lines.append("")
    return lines


def text_of(text: str, places: dict[str, str], own: str) -> str:
    """Text of a comment in Markdown, its names linked to where they are declared."""
    pieces = text.split("`")
    for index, piece in enumerate(pieces):
        if index % 2:
            pieces[index] = f"`{piece}`"
            continue
        piece = re.sub(r"([\\*<>\[\]|])", r"\\\1", piece)

        def link(match: re.Match[str]) -> str:
            name = match[0]
            place = places.get(name)
            return f"`{name}`" if place is None or place.endswith(f"#{own}") else f"[`{name}`]({place})"

        pieces[index] = WORD.sub(link, re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", piece))
    return "".join(pieces)
