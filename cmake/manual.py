"""Writes the man page of corm: corm --experimental-dump-help | manual.py VERSION DATE > corm.1"""

from __future__ import annotations

import json
import sys
from typing import Any

# Of every command, and so of none in particular.
COMMON = {"help", "version"}


def escaped(text: str) -> str:
    """Text as roff takes it; a line of it must not begin with a dot or quote."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.split("\n"))


def paragraphs(text: str) -> list[str]:
    lines: list[str] = []
    for index, paragraph in enumerate(text.split("\n\n")):
        lines += [".PP"] * (index > 0) + [escaped(paragraph.replace("\n", " "))]
    return lines


def names(argument: dict[str, Any]) -> list[str]:
    return [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names", [])]


def shown(argument: dict[str, Any]) -> bool:
    return bool(argument["shouldDisplay"]) and argument["valueName"] not in COMMON


def synopsis(command: dict[str, Any]) -> str:
    words = [f"\\fBcorm {escaped(command['commandName'])}\\fR"]
    for argument in filter(shown, command.get("arguments", [])):
        value = f"\\fI{escaped(argument['valueName'])}\\fR"
        if argument["kind"] == "flag":
            word = f"\\fB{escaped(names(argument)[-1])}\\fR"
        elif argument["kind"] == "option":
            word = f"\\fB{escaped(names(argument)[-1])}\\fR {value}"
        else:
            word = value
        if argument["isRepeating"]:
            word += " ..."
        words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)


def described(argument: dict[str, Any]) -> list[str]:
    value = f"\\fI{escaped(argument['valueName'])}\\fR"
    title = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names(argument))
    if argument["kind"] != "flag":
        title = f"{title} {value}".strip()
    text = argument.get("abstract", "")
    if argument["kind"] == "option" and argument.get("defaultValue"):
        text += f" Default: {argument['defaultValue']}."
    return [".TP", title, *paragraphs(text)]


def page(command: dict[str, Any], version: str, date: str) -> str:
    lines = [f'.TH CORM 1 {date} "corm {version}" "Cormorant"', ".SH NAME"]
    lines += [f"corm \\- {escaped(command['abstract'][0].lower() + command['abstract'][1:].rstrip('.'))}"]
    lines += [".SH SYNOPSIS", "\\fBcorm\\fR \\fIcommand\\fR [\\fIargument\\fR ...]", ".SH DESCRIPTION"]
    lines += [escaped(command["abstract"]), ".PP", *paragraphs(command.get("discussion", ""))]
    lines += [".SH COMMANDS"]
    for sub in command["subcommands"]:
        if sub["commandName"] == "help" or not sub["shouldDisplay"]:
            continue
        lines += [f".SS {escaped(sub['commandName'])}", synopsis(sub), ".PP", *paragraphs(sub.get("abstract", ""))]
        if sub.get("discussion"):
            lines += [".PP", *paragraphs(sub["discussion"])]
        for argument in filter(shown, sub.get("arguments", [])):
            lines += described(argument)
    lines += [".SH ENVIRONMENT"]
    lines += [".TP", "\\fBCORM_KEY\\fR", "The key of an encrypted file, where no \\-\\-key\\-file is given."]
    lines += [
        ".TP",
        "\\fBCORM_NEW_KEY\\fR",
        "The key that corm rekey gives a file, where no \\-\\-new\\-key\\-file is.",
    ]
    lines += [".TP", "\\fBNO_COLOR\\fR", "Set to anything, it takes the colours away."]
    lines += [".TP", "\\fBTMPDIR\\fR", "Where temporary files are made; /tmp without it."]
    return "\n".join(lines) + "\n"


def main() -> int:
    help_of_all = json.load(sys.stdin)
    print(page(help_of_all["command"], *sys.argv[1:]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
