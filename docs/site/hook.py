"""What mkdocs does not do by itself with docs/: the pages made of sources, the sections of the languages, and the
blocks of C, Python and Swift that follow each other as tabs."""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

SITE = Path(__file__).resolve().parent
ROOT = SITE.parent.parent
sys.path.insert(0, str(SITE))

import c_reference  # noqa: E402
import python_reference  # noqa: E402
import swift_reference  # noqa: E402

LANGUAGES = {"python": "Python", "c": "C", "swift": "Swift"}
# What a language's folder may hold comes in this order, then what else is there.
FIRST = ["index.md", "tutorial.md", "cookbook.md"]
# Pages beside docs/ that are part of the site.
BESIDE = ["CHANGELOG.md", "CONTRIBUTING.md"]

# A link by a path that goes up, and may lead out of docs/.
OUTSIDE = re.compile(r"\]\(((?:\.\./)+[^)#\s]+)")
BLOCK = re.compile(
    r"(?:(?P<label>Python|C|Swift):\n\n)?(?:<!-- (?P<path>[^ ]+) -->\n)?"
    r"```(?P<language>c|python|swift)\n(?P<code>.*?)^```\n+",
    re.DOTALL | re.MULTILINE,
)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    for asset in sorted((SITE / "assets").iterdir()):
        files.append(File.generated(config, f"assets/{asset.name}", abs_src_path=str(asset)))
    for name in BESIDE:
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name, content=text))
    made = {f"c/reference/{name}": text for name, text in c_reference.pages(ROOT / "include").items()}
    package = python_reference.load(str(ROOT / "bindings/python/src"))
    made |= {f"python/reference/{name}": text for name, text in python_reference.pages(package).items()}
    made["swift/reference/index.md"] = swift_reference.page(ROOT / "build/symbols", ROOT / "build/docc")
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    add_sources(files, config)
    fill(config.nav, files)
    return files


def inside(folder: PurePosixPath, link: str) -> str:
    """Where on the site is what a page of that folder links to by a path that goes up."""
    path = posixpath.normpath(f"docs/{folder}/{link}")
    if path in BESIDE or path.startswith("docs/"):
        return path.removeprefix("docs/")
    header = re.fullmatch(r"include/(?:cormorant/)?(\w+)\.h", path)
    if header:
        return f"c/reference/{'index' if header[1] == 'cormorant' else header[1]}.md"
    return f"source/{path}.md"


def add_sources(files: Files, config: MkDocsConfig) -> None:
    """A page for each program, and each folder of programs, that a page links to: what stands in it."""
    for page in files.documentation_pages():
        folder = PurePosixPath(page.src_uri).parent
        for link in OUTSIDE.findall(page.content_string):
            path = inside(folder, link)
            if path.startswith("source/") and files.get_file_from_path(path) is None:
                name = path.removeprefix("source/").removesuffix(".md")
                listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", name]
                found = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
                text = f"---\nsearch:\n  exclude: true\n---\n# {name}\n\n"
                for each in found:
                    kind = PurePosixPath(each).suffix[1:].replace("h", "c") or "text"
                    code = (ROOT / each).read_text(encoding="utf-8")
                    text += f'````{kind} title="{each}"\n{code}````\n\n'
                files.append(File.generated(config, path, content=text, inclusion=InclusionLevel.NOT_IN_NAV))


def fill(nav: list, files: Files) -> None:
    """The name of a language's folder in the nav becomes the pages in it, the reference last."""
    for entry in nav:
        for title, content in list(entry.items()) if isinstance(entry, dict) else ():
            if isinstance(content, str) and content in LANGUAGES:
                paths = [
                    file.src_uri.removeprefix(f"{content}/")
                    for file in files.documentation_pages()
                    if file.src_uri.startswith(f"{content}/")
                ]
                pages = [path for path in paths if "/" not in path]
                pages.sort(key=lambda path: (FIRST.index(path) if path in FIRST else len(FIRST), path))
                reference = [path for path in paths if path.startswith("reference/")]
                entry[title] = [f"{content}/{path}" for path in pages]
                entry[title].append({"Reference": [f"{content}/{path}" for path in reference]})


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    # In search what explains comes before what lists, and what is about the tree comes last.
    if page.file.src_uri in [*BESIDE, "internals.md"]:
        page.meta["search"] = {"boost": 0.2}
    elif "/reference/" not in page.file.src_uri:
        page.meta.setdefault("search", {"boost": 1.5})
    folder = PurePosixPath(page.file.src_uri).parent
    markdown = OUTSIDE.sub(lambda link: f"]({posixpath.relpath(inside(folder, link[1]), folder)}", markdown)
    return as_tabs(plain_bars(markdown))


def plain_bars(markdown: str) -> str:
    """In the code of a table GitHub wants a backslash before a bar, which Python's Markdown shows."""
    return re.sub(
        r"^\|.*\|$",
        lambda row: re.sub(r"`[^`]+`", lambda code: code[0].replace("\\|", "|"), row[0]),
        markdown,
        flags=re.MULTILINE,
    )


def as_tabs(markdown: str) -> str:
    """Blocks of two and more languages that follow each other become tabs; each names the file it is of."""
    pieces, run, position = [], [], 0
    for block in [*BLOCK.finditer(markdown), None]:
        if run and (block is None or block.start() != run[-1].end()):
            pieces.append(tabs(run))
            position, run = run[-1].end(), []
        if block is not None:
            if not run:
                pieces.append(markdown[position : block.start()])
            run.append(block)
    return "".join(pieces) + markdown[position:]


def tabs(run: list[re.Match[str]]) -> str:
    languages = list(dict.fromkeys(block["language"] for block in run))
    if len(languages) == 1:
        return "".join((f"{block['label']}:\n\n" if block["label"] else "") + fenced(block) + "\n" for block in run)
    lines = []
    for language in languages:
        lines.append(f'=== "{LANGUAGES[language]}"\n\n')
        for block in run:
            if block["language"] == language:
                lines += ["".join("    " + line for line in fenced(block).splitlines(keepends=True)), "\n"]
    return "".join(lines)


def fenced(block: re.Match[str]) -> str:
    title = f' title="{block["path"]}"' if block["path"] else ""
    return f"```{block['language']}{title}\n{block['code']}```\n"
