"""Methods of a model that are called around the writes of its records, and validators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ._assigned import settle
from ._native import abi
from .column import Column
from .error import ProgrammingError, ValidationError
from .transaction import Transaction

if TYPE_CHECKING:
    from ._model_info import ModelInfo
    from .database import Database
    from .model import Model

_BEFORE = {
    abi.CORM_WRITE_INSERT: ("before_save", "before_insert"),
    abi.CORM_WRITE_SAVE: ("before_save",),
    abi.CORM_WRITE_UPDATE: ("before_save", "before_update"),
    abi.CORM_WRITE_DELETE: ("before_delete",),
}
_AFTER = {
    abi.CORM_WRITE_INSERT: ("after_insert", "after_save"),
    abi.CORM_WRITE_SAVE: ("after_save",),
    abi.CORM_WRITE_UPDATE: ("after_update", "after_save"),
    abi.CORM_WRITE_DELETE: ("after_delete",),
}
# inspect's, which takes long to import.
_CO_COROUTINE = 0x80
_HOOKS = {name for names in (*_BEFORE.values(), *_AFTER.values()) for name in names}
# How deep hooks may write records whose hooks write records, as in the library.
_GREATEST_DEPTH = 64


class Hooks:
    """What a model has of both."""

    def __init__(self, info: ModelInfo, names: set[str], validators: dict[str, Callable[[Any], object]]) -> None:
        self._info = info
        self._before = {write: [name for name in all_ if name in names] for write, all_ in _BEFORE.items()}
        self._after = {write: [name for name in all_ if name in names] for write, all_ in _AFTER.items()}
        self._validates = "validate" in names
        self._validators = validators
        # Else validators alone, which need no transaction.
        self.has_hooks = not names.isdisjoint(_HOOKS)

    def around(
        self,
        database: Database,
        record: Model,
        operation: int,
        properties: tuple[str, ...],
        write: Callable[[tuple[str, ...]], int],
        in_batch: bool = False,
    ) -> int:
        """Has a record written between its hooks, in a transaction that their exceptions roll back; how many rows were.

        properties: of an update of some properties. write: gets those with what hooks have changed. in_batch: there is
        such a transaction.
        """
        writes = operation != abi.CORM_WRITE_DELETE
        if record.__assigned__ and writes:
            settle(database._innermost, record, refuses=False)
        if not self.has_hooks:
            self.validate(record, operation, properties)
            return write(properties)
        with nullcontext() if in_batch else Transaction(database):
            old = self._info.stored(record) if properties else {}
            self._call(database, record, self._before[operation])
            if record.__assigned__ and writes:
                settle(database._innermost, record, refuses=False)
            if properties:
                new = self._info.stored(record)
                kept = {*properties, *self._info.row_key}
                properties += tuple(name for name in new if name not in kept and new[name] != old[name])
            self.validate(record, operation, properties)
            count = write(properties)
            if count:
                self._call(database, record, self._after[operation])
            return count

    def validate(self, record: Model, operation: int, properties: Sequence[str] = ()) -> None:
        """Calls the validators of what is written."""
        if operation == abi.CORM_WRITE_DELETE:
            return
        for name, validator in self._validators.items():
            if (not properties or name in properties) and (value := getattr(record, name)) is not None:
                try:
                    validator(value)
                except (ValueError, AssertionError) as error:
                    raise self._refusal(error, name) from error
        if self._validates:
            try:
                record.validate()  # type: ignore[attr-defined]
            except (ValueError, AssertionError) as error:
                raise self._refusal(error) from error

    def refuse_rows(self, what: str, hint: str) -> None:
        """Refuses what writes rows without records. what: such as "the rows of a batch"."""
        raise ProgrammingError(
            f"{what} past the hooks and validators of model {self._info.name}", hint=hint, table=self._info.table
        )

    def _call(self, database: Database, record: Model, names: list[str]) -> None:
        if not names:
            return
        thread, depths = get_ident(), database._hook_depths
        depth = depths.get(thread, 0)
        if depth >= _GREATEST_DEPTH:
            raise ProgrammingError(
                f"hooks of {self._info.name} write records whose hooks write records, {_GREATEST_DEPTH} deep",
                hint="let the hook look whether there is something left to write",
                table=self._info.table,
            )
        depths[thread] = depth + 1
        try:
            for name in names:
                getattr(record, name)(database)
        finally:
            if depth:
                depths[thread] = depth
            else:
                del depths[thread]

    def _refusal(self, error: Exception, name: str | None = None) -> ValidationError:
        place = self._info.name if name is None else f"{self._info.name}.{name}"
        columns = tuple(item.column_name for item in self._info.columns if item.name == name)
        return ValidationError(
            f"{place}: {' '.join(str(error).splitlines()) or type(error).__name__}",
            code="CORM_E_VALIDATION",
            table=self._info.table,
            columns=columns,
        )


def find_hooks(info: ModelInfo, cls: type[Model]) -> Hooks | None:
    """Those of a model; None where it has none."""
    names = {name for name in (*_HOOKS, "validate") if _is_method(cls, name)}
    validators = {item.name: item._options["validate"] for item in info.columns if item._options.get("validate")}
    for item in info.columns:
        if item.name in validators and _is_filled_in(item):
            raise ProgrammingError(
                f"{info.name}.{item.name} has a validator, and the database fills the column in",
                code="CORM_E_MODEL",
                hint="look at what the program writes, or give the column a check",
            )
    for name, function in (*((name, getattr(cls, name)) for name in names), *validators.items()):
        if getattr(getattr(function, "__code__", None), "co_flags", 0) & _CO_COROUTINE:
            raise ProgrammingError(
                f"{cls.__name__}.{name} is called by a coroutine function, which nobody would await"
                if name in validators
                else f"{cls.__name__}.{name} is a coroutine function, which nobody would await",
                code="CORM_E_MODEL",
                hint="make it a plain function",
            )
    return Hooks(info, names, validators) if names or validators else None


def _is_filled_in(column: Column[Any]) -> bool:
    option = column._options.get
    return option("computed") is not None or option("version", False) or option("stamp") == "updated"


def _is_method(cls: type[Model], name: str) -> bool:
    """A column may have such a name."""
    found = getattr(cls, name, None)
    return callable(found) and not isinstance(found, Column)
