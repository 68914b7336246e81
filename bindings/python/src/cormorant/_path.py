"""Paths of files, as callers give them."""

from __future__ import annotations

import os


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as a str; TypeError for anything else, such as bytes."""
    text = path if isinstance(path, str | bytes) or not hasattr(path, "__fspath__") else os.fspath(path)
    if isinstance(text, str):
        return text
    hint = ""
    if isinstance(text, bytes):
        try:
            hint = f" (give {text.decode()!r})"
        except UnicodeDecodeError:
            hint = " (and no UTF-8: give the file another name)"
    raise TypeError(f"the path {path!r} is {type(text).__name__}, not a str or os.PathLike of str{hint}")


def is_url(path: str) -> bool:
    """Whether a path is the URL of a server's database."""
    return path.startswith(("postgresql://", "postgres://"))


def shown_path(path: str) -> str:
    """A path as messages may show it: the URL of a server without its password."""
    if not is_url(path):
        return path
    scheme, _, rest = path.partition("://")
    # Cut as libpq does.
    end = next((place for place, letter in enumerate(rest) if letter in "@/"), len(rest))
    if rest[end : end + 1] == "@":
        rest = rest[:end].partition(":")[0] + rest[end:]
    place, _, parameters = rest.partition("?")
    kept = [part for part in parameters.split("&") if part and not part.startswith(("password=", "sslpassword="))]
    return f"{scheme}://{place}{'?' if kept else ''}{'&'.join(kept)}"
