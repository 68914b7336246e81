"""Aliases: a model under another name, so that a query can read its table twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from ._model_info import ModelInfo, info_of, record_for_model
from ._native.abi import CORM_NODE_COLUMN
from ._relation_base import Relation
from ._text_option import text_argument
from .column import Column

if TYPE_CHECKING:
    from .model import Model

M = TypeVar("M", bound="Model")


def alias(model: type[M], name: str) -> type[M]:
    """A model under another name: its attributes are the model's columns and relations there.

    boss = alias(Employee, "boss")
    select(Employee.name, boss.name).join(boss, Employee.reports_to == boss.id)
    """
    info_of(model)
    text_argument("alias()", "the name that the model gets", name)
    return cast("type[M]", Alias(model, name))


class Alias:
    """What alias() gives; for type checkers it is the model's class."""

    def __init__(self, model: type[Model], name: str) -> None:
        # A column may have any other name.
        self.__alias__ = (model, name)

    def __getattr__(self, name: str) -> Any:
        cls, alias = self.__alias__
        relation = cls.__relations__.get(name)
        found = relation or getattr(cls, name)
        if isinstance(found, Column):
            made: Any = found._at((CORM_NODE_COLUMN, cls.__model__.handle, alias, found.name))
        elif isinstance(found, Relation):
            made = found._under(alias)
        else:
            raise AttributeError(f"{self!r} has the columns and relations of {cls.__name__}, but no {name!r}")
        setattr(self, name, made)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # The columns that it has made are of handles of this process; they are made anew.
        return Alias, self.__alias__

    def __repr__(self) -> str:
        cls, alias = self.__alias__
        return f"<{cls.__name__} as {alias}>"


def source_of(model: Any) -> tuple[ModelInfo, str | None]:
    """A model and its alias; an error for anything else."""
    if isinstance(model, Alias):
        cls, alias = model.__alias__
        return info_of(cls), alias
    if not isinstance(model, type) and hasattr(model, "__model__"):
        raise record_for_model(model)
    return info_of(model), None
