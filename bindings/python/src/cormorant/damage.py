"""Damage of files that statements meet, told to the program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from ._native import damage as native_damage


class Damage(NamedTuple):
    """Damage of a file that a statement met: what the option `damaged` of a database is told."""

    path: str
    """The file."""
    page: int | None
    """The page, from 1, where it is known: the pages of encrypted files tell."""
    code: str
    """What the statement failed with: CORM_E_CORRUPT, CORM_E_ALTERED, CORM_E_TRUNCATED or CORM_E_NOT_A_DATABASE."""
    message: str
    """One line that says what is wrong."""
    hint: str
    """One line that says what to do."""


DamageCallback: TypeAlias = "Callable[[Damage], object]"


def damage_function(function: DamageCallback | None) -> Any:
    """The option of a database, as the library takes it; it must live as long as the database."""
    if function is None:
        return None
    told = function

    def tell(*members: Any) -> None:
        try:
            told(Damage(*members))
        except BaseException as error:
            # There is no caller that it could reach.
            sys.excepthook(type(error), error, error.__traceback__)

    return native_damage.callback(tell)
