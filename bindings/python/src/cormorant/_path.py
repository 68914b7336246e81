"""Paths of files, as callers give them."""

from __future__ import annotations

import os


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as a str; TypeError for anything else, such as bytes."""
    text = path if isinstance(path, str | bytes) or not hasattr(path, "__fspath__") else os.fspath(path)
    if isinstance(text, str):
        return text
    hint = " (os.fsdecode makes a str of it)" if isinstance(text, bytes) else ""
    raise TypeError(f"the path {path!r} is {type(text).__name__}, not a str or os.PathLike of str{hint}")
