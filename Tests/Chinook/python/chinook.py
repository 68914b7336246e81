"""Answers the questions: for each a line with its name as JSON, then a line for each row."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import questions_catalog
import questions_people
import questions_playlists
import questions_sales
from cormorant import Database, NotSupportedError, Select

THEMES = (questions_catalog, questions_sales, questions_people, questions_playlists)


def rows(database: Database, query: Select[Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of a query; of the one that is read page by page, those of all pages."""
    if query is not questions_catalog.tracks_page_by_page:
        yield from database.cursor(query).tuples()
        return
    while page := database.fetch_all(query):
        yield from (tuple(vars(track).values()) for track in page)
        query = query.after(page[-1])


def main(path: str) -> None:
    with Database(path) as database:
        for theme in THEMES:
            for question, query in vars(theme).items():
                if isinstance(query, Select) and not question.startswith("_"):
                    print(json.dumps(question))
                    try:
                        for row in rows(database, query):
                            print(json.dumps(row))
                    except NotSupportedError:
                        print("null")


if __name__ == "__main__":
    main(sys.argv[1])
