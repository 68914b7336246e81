"""An index of the Swift package's symbols, each with its line and a link into the pages of DocC; and what of them
nobody wrote a word about. Both of the symbol graphs that scripts/symbol-graphs has the compiler write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MODULES = ["Cormorant", "CormorantFoundation"]


class Symbol(NamedTuple):
    path: tuple[str, ...]
    kind: str
    summary: str
    # Where it stands; None for what the compiler wrote itself.
    source: str | None


def symbols(graphs: Path, module: str) -> Iterator[Symbol]:
    for file in sorted(graphs.glob(f"{module}[@.]*symbols.json")):
        for symbol in json.loads(file.read_text(encoding="utf-8"))["symbols"]:
            location = symbol.get("location")
            lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
            summary = re.split(r"(?<=\.) ", " ".join(lines).strip())[0]
            source = None
            if location:
                source = f"{location['uri'].split('/Sources/')[-1]}:{location['position']['line'] + 1}"
            yield Symbol(tuple(symbol["pathComponents"]), symbol["kind"]["displayName"], summary, source)


def undocumented(graphs: Path) -> Iterator[str]:
    for module in MODULES:
        for symbol in symbols(graphs, module):
            if not symbol.summary and symbol.source is not None:
                yield f"{symbol.source}: {'.'.join(symbol.path)}"


def address(module: str, path: tuple[str, ...]) -> str:
    """Of a symbol's page, as DocC makes it where no other has that name."""
    return "/".join([module, *path]).lower()


def page(graphs: Path, docc: Path) -> str:
    """What DocC made stands in its folder: an extension of a type of another module has no page of its own."""
    lines = [
        "# Swift reference",
        "",
        "Everything that `import Cormorant` gives, and what `import CormorantFoundation` adds.",
        "",
        '<a class="md-button md-button--primary" href="documentation/cormorant/">Cormorant</a> '
        '<a class="md-button" href="documentation/cormorantfoundation/">CormorantFoundation</a>',
        "",
    ]
    for module in MODULES:
        members: dict[str, list[Symbol]] = {}
        for symbol in sorted(symbols(graphs, module)):
            name = re.match(r"\w+", symbol.path[0])
            members.setdefault(name[0] if name else "Operators", []).append(symbol)
        lines += [f"## {module}", ""]
        for name, found in members.items():
            lines += [f"### {name} {{ #{module}.{name} }}", ""]
            for symbol in dict.fromkeys(found):
                # Of several functions with one name each has a page with a number in its name.
                paths = (symbol.path, symbol.path[:1], ())
                places = [f"documentation/{address(module, path)}/" for path in paths]
                place = next((place for place in places if (docc / place).is_dir()), places[-1])
                lines.append(f'- <a href="{place}"><code>{escaped(symbol.path[-1])}</code></a> {symbol.summary}')
            lines.append("")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """For HTML in Markdown, which would take the signs of both."""
    return re.sub(r"[&<>*_\[\]`|]", lambda found: f"&#{ord(found[0])};", text)
