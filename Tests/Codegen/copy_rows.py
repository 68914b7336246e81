"""Reads every row of a file with the generated models, and writes it to a new file that sync made of them."""

from __future__ import annotations

import sys

from cormorant import Database
from models import MODELS


def main(source_path: str, copy_path: str | None = None) -> None:
    # The tables come in any order.
    with Database(source_path, foreign_keys=False) as source:
        # What sync would do to the file that the models were made from: nothing.
        print("".join(statement for step in source.plan(*MODELS).steps for statement in step.sql), end="")
        if copy_path is None:
            return
        with Database(copy_path, foreign_keys=False) as copy:
            copy.sync(*MODELS)
            for model in MODELS:
                copy.insert_many(source.fetch_all(model))


if __name__ == "__main__":
    main(*sys.argv[1:])
