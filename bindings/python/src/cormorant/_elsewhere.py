"""What other libraries call a method, and what to write here: for the errors of those who look for it."""

from __future__ import annotations

from collections.abc import Mapping

_COMMIT = "each call commits by itself, and those in a block of transaction() when it ends"
_READ = "fetch_all(query) of the database reads its rows, fetch_one(query) the first"

OF_DATABASE = {
    "add": "insert(record) or save(record)",
    "add_all": "insert_many(records) or save_many(records)",
    "begin": "a block of transaction()",
    "bulk_create": "insert_many(records)",
    "bulk_update": "update_many(records)",
    "commit": _COMMIT,
    "create_all": "create_tables(Model, ...), or sync(Model, ...), which changes tables that are there, too",
    "executemany": "insert_many(records), or execute(sql, values) for each in a block of transaction()",
    "executescript": "execute_script(sql)",
    "get": "find(Model, key)",
    "merge": "save(record)",
    "rollback": f"{_COMMIT}; an exception out of the block takes it back",
    "scalar": "fetch_one(query)",
    "scalars": "fetch_all(query)",
    "session": "records are plain objects, which the database's calls take",
}
OF_SELECT = {
    "__len__": "count(query) of the database",
    "all": _READ,
    "count": "count(query) of the database",
    "exclude": "where(~condition)",
    "exists": "exists(query) of the database",
    "filter": "where()",
    "filter_by": "where()",
    "first": _READ,
    "get": "find(Model, key) of the database",
    "one": _READ,
    "one_or_none": _READ,
    "scalars": _READ,
    "select_from": "from_()",
}


def no_attribute(owner: object, name: str, names: Mapping[str, str]) -> AttributeError:
    """The error where an object has no attribute. names: those of other libraries."""
    kind = type(owner).__name__
    if hasattr(type(owner), name):
        # One of its properties looked for another in vain, and says which.
        object.__getattribute__(owner, name)
    if name in names:
        # Without the object: Python would add what it takes for a misspelling.
        return AttributeError(f"{kind} has no {name!r}: {names[name]}", name=name)
    return AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=owner)
