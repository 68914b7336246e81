"""Single-table inheritance: models whose rows lie in the table of another, told by a discriminator.

The class with the discriminator is the whole: its table has the columns of all, and its rows become records of the
class that the discriminator says. Each of the others is a part: a model of the same table, whose column of the
discriminator has one value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from . import _codegen
from ._model_info import ModelInfo
from ._native.expression import quoted
from ._native.handle import ModelHandle
from ._native.record import Row
from .column import MISSING, Column, Ignored
from .error import DataError, ProgrammingError
from .value import as_plain

if TYPE_CHECKING:
    from ._hooks import Hooks
    from .database import Database
    from .model import Model

Fields = dict[str, Column[Any] | Ignored]

# What is said of the table, and so of its whole.
_OF_THE_TABLE = (
    "table", "primary_key", "column_order", "without_rowid", "strict", "view", "distributed_by", "module",
    "module_arguments", "renamed_from", "allow_drop", "seed_sql",
)  # fmt: skip
# What a part adds to it.
_LISTS = ("unique", "indexes", "references")


def _error(message: str, hint: str) -> ProgrammingError:
    return ProgrammingError(message, code="CORM_E_MODEL", hint=hint)


def family_of(cls: type) -> Family | None:
    """That of the class it derives from, where that has a discriminator."""
    return next((base.__dict__["__family__"] for base in cls.__mro__[1:] if "__family__" in base.__dict__), None)


class Family:
    """The whole and its parts, as `Animal.__family__`."""

    # Whether the whole has no __init__ of its own.
    makes_init = True

    def __init__(
        self,
        whole: type[Model],
        fields: Fields,
        discriminator: str,
        value: Any,
        keep_unknown: bool,
        options: dict[str, Any],
    ) -> None:
        column = fields.get(discriminator)
        if not isinstance(column, Column):
            raise _error(
                f"{whole.__name__} has no column {discriminator!r} to tell its rows apart",
                f"declare it, such as {discriminator}: Column[str] = column(init=False)",
            )
        self.whole = whole
        self.discriminator = discriminator
        self.keep_unknown = keep_unknown
        # What the whole says of itself, and with what the parts add.
        self.given = options
        self.options = dict(options)
        # The columns of parts alone, by their names; the table has them with NULL in other rows.
        self.others: dict[str, Column[Any]] = {}
        self.parts: dict[Any, type[Model]] = {}
        # Those that find records of the whole by key.
        self.finders: WeakSet[Database] = WeakSet()
        if value is not None:
            self.parts[self._stored(column, value)] = whole
            column._options = {**column._options, "default": value, "init": False}

    def _stored(self, column: Any, value: Any) -> Any:
        """A value of the discriminator as rows have it."""
        stored = as_plain(_codegen.encoder(column)(value))
        if type(stored) not in (str, int):
            raise _error(
                f"{self.whole.__name__}.{self.discriminator} is {value!r}, neither text nor integer",
                "tell rows apart by texts or integers",
            )
        return stored

    def kind_of(self, value: Any) -> Any:
        """The value of the discriminator as rows have it, of one that a record or JSON has; None where no class has
        it.
        """
        try:
            if value in self.parts:
                return value
            stored = self._stored(self.whole.__fields__[self.discriminator], value)
        except Exception:  # no value of the column
            return None
        return stored if stored in self.parts else None

    def begin(self, part: type[Model], fields: Fields, value: Any, given: dict[str, Any]) -> dict[str, Any]:
        """Makes the fields of a part: its discriminator has its value, and no parameter. Returns its options."""
        name, whole = part.__name__, self.whole.__name__
        if value is None:
            raise _error(
                f"{name} derives from {whole}, whose rows {self.discriminator} tells apart, and has no value of it",
                f'say it: class {name}({whole}, discriminator_value="{name.lower()}")',
            )
        if any(base in self.parts.values() and base is not self.whole for base in part.__mro__[1:]):
            raise _error(
                f"{name} derives from a class that is itself told by {self.discriminator}",
                f"derive it from {whole}, and share what both have by a mixin",
            )
        for option in _OF_THE_TABLE:
            if given[option]:
                raise _error(f"{name} has {option}, which is said of its table", f"say it of {whole}")
        column = fields[self.discriminator]
        assert isinstance(column, Column)
        stored = self._stored(column, value)
        if stored in self.parts:
            raise _error(
                f"{name} and {self.parts[stored].__name__} have the discriminator {stored!r}",
                "give each class a value of its own",
            )
        column._options = {**column._options, "default": value, "init": False, "discriminator": str(stored)}
        own = {field: item for field, item in fields.items() if field not in self.whole.__fields__}
        for field, item in own.items():
            if isinstance(item, Column):
                self._check_alike(part, field, item)
        options = {**given, "table": self.whole.__model__.table}
        for option in (*_LISTS, "checks"):
            options[option] = [*self.given[option], *given[option]]
        for option in ("primary_key", "without_rowid", "strict"):
            options[option] = self.given[option]
        return options

    def _check_alike(self, part: type[Model], name: str, column: Column[Any]) -> None:
        known = self.others.get(name)
        if known is not None and (known.type_name, _said(known)) != (column.type_name, _said(column)):
            raise _error(
                f"{part.__name__}.{name} is another column than that of the same name "
                f"in the table of {self.whole.__name__}",
                "give one of them another name, or declare both by a mixin",
            )

    def add(self, part: type[Model], given: dict[str, Any]) -> None:
        """Makes the whole know a part: its columns, keys and checks are the table's."""
        column = part.__fields__[self.discriminator]
        assert isinstance(column, Column)
        stored = column._options["discriminator"]
        self._refuse_used(part)
        self.parts[int(stored) if column.type_name.startswith("int") else stored] = part
        for item in part.__model__.columns:
            if item.name not in self.whole.__fields__ and item.name not in self.others:
                self.others[item.name] = _of_others(item)
        for option in _LISTS:
            self.options[option] = [*self.options[option], *given[option]]
        kind = quoted(self.whole.__model__.columns[_place(self.whole, self.discriminator)].column_name)
        literal = stored if column.type_name.startswith("int") else "'" + stored.replace("'", "''") + "'"
        self.options["checks"] = [
            *self.options["checks"], *(f"{kind} <> {literal} OR ({check})" for check in given["checks"])
        ]  # fmt: skip

    def _refuse_used(self, part: type[Model]) -> None:
        """A relation that is known leads to the whole as it was."""
        from ._relation_base import known_to

        if (link := known_to(self.whole)) is not None:
            raise _error(
                f"{part.__name__} is defined after {link!r} was first used, whose records may be of it",
                f"define {part.__name__} with the other models, before the first query",
            )


def _place(model: type[Model], name: str) -> int:
    return [item.name for item in model.__model__.columns].index(name)


def _said(column: Column[Any]) -> dict[str, Any]:
    """What is said of a column, but for what its class makes of it."""
    ours = ("default", "default_factory", "init", "kw_only", "has_default")
    return {
        name: value
        for name, value in column._options.items()
        if name not in ours and value is not None and value is not False
    }


def _of_others(column: Column[Any]) -> Column[Any]:
    """A part's column in the table of all: NULL in the rows of other classes."""
    made = column._copy()
    made.nullable = True
    left = {"default_sql": None, "version": False, "stamp": None, "default_factory": MISSING}
    # read_json fills in the part's own default.
    has_default = column._options.get("default_factory", MISSING) is not MISSING
    has_default = has_default or column._options.get("default", MISSING) not in (MISSING, None)
    made._options = {**column._options, **left, "default": None, "init": False, "has_default": has_default}
    return made


def is_made(column: Column[Any]) -> bool:
    """Whether the database gives it its value."""
    return column._options.get("computed") is not None or column._options.get("stamp") is not None


def refuse_unreadable(model: type[Model], rows: Sequence[Row]) -> None:
    """Refuses rows to be written of which the model, and the classes derived from it, could make no records."""
    family = model.__dict__.get("__family__") or family_of(model)
    if family is None:
        return
    columns, kind = model.__model__.columns, _place(model, family.discriminator)
    parts = {value: part for value, part in family.parts.items() if model in (part, family.whole)}
    places = {item.name: place for place, item in enumerate(columns) if item.name in family.others}
    needed = {
        value: [
            (places[item.name], item)
            for item in part.__model__.columns
            if item.name in places and not item.nullable and not is_made(item)
        ]
        for value, part in parts.items()
    }
    for index, row in enumerate(rows):
        if row[kind] in needed:
            item = next((item for place, item in needed[row[kind]] if row[place] is None), None)
            if item is None:
                continue
            message = f"{parts[row[kind]].__name__}.{item.name} is None, which it cannot be"
            error = DataError(message, code="CORM_E_NULL_VALUE", hint="give it a value", table=model.__model__.table)
        elif model is family.whole and family.keep_unknown:
            continue
        else:
            message = f"{family.discriminator} is {row[kind]!r}, which no {model.__name__} has"
            error = DataError(message, code="CORM_E_TYPE", hint=f"give one of {', '.join(map(repr, parts))}")
        error.record_index = index
        raise error


class FamilyInfo(ModelInfo):
    """What is known of the whole: its rows become records of the parts."""

    def __init__(
        self, family: Family, fields: Fields, create: Callable[[tuple[Column[Any], ...], bool], ModelHandle]
    ) -> None:
        self.family = family
        super().__init__(family.whole, fields, create)

    @property
    def row_hooks(self) -> Hooks | None:
        of_parts = (part.__model__.hooks for part in self.family.parts.values() if part is not self.family.whole)
        return self.hooks or next(filter(None, of_parts), None)

    @cached_property
    def _loaders(self) -> dict[Any, Callable[[Row], Any]]:
        return {value: self._loader(part) for value, part in self.family.parts.items()}

    def _loader(self, part: type[Model]) -> Callable[[Row], Any]:
        """What makes a record of a part of a row of the whole."""
        if part is self.family.whole:
            return self._load_own
        info = part.__model__
        names = [item.name for item in self.columns]
        places = [names.index(item.name) for item in info.columns]
        # What only this part must have; what all must have the table says.
        needed = [
            (place, item)
            for place, item in zip(places, info.columns)
            if not item.nullable and item.name in self.family.others and not is_made(item)
        ]
        pick, load = itemgetter(*places), info.load_one

        def made(row: Row) -> Any:
            for place, item in needed:
                if row[place] is None:
                    raise self._unfit(
                        row,
                        item,
                        "holds NULL, which it cannot",
                        code="CORM_E_NULL_VALUE",
                        hint="mend the file, or let the property be None",
                    )
            return load(pick(row))

        return made

    @cached_property
    def _load_own(self) -> Callable[[Row], Any]:
        return _codegen.make_load_one(self._cls, self.columns, self._ignored, self._unreadable)

    @cached_property
    def load_one(self) -> Callable[[Row], Any]:
        place = [item.name for item in self.columns].index(self.family.discriminator)
        loaders = self._loaders

        def load(row: Row) -> Any:
            found = loaders.get(row[place])
            if found is None:
                if part := self.family.parts.get(row[place]):
                    raise ProgrammingError(
                        f"the query was made before the class {part.__name__} was defined, of which it finds a row",
                        hint=f"make it anew, as select({self.name})...; or import the module of the class first",
                    )
                if not self.family.keep_unknown:
                    raise self._unknown(row, place)
                found = self._load_own
            return found(row)

        return load

    @cached_property
    def _build(self) -> Callable[[list[Row]], list[Any]]:
        load = self.load_one
        return lambda rows: list(map(load, rows))

    def load(self, rows: list[Row]) -> list[Any]:
        return self._build(rows)

    def _unknown(self, row: Row, place: int) -> DataError:
        others = f"no class derived from {self.name} has"
        return self._unfit(
            row,
            self.columns[place],
            f"holds {row[place]!r}, which {others}",
            f"holds a value that {others}",
            code="CORM_E_TYPE",
            hint=f"define that class, or import its module; class {self.name}(Model, ..., keep_unknown=True) "
            f"makes records of {self.name} of such rows",
        )

    def _unfit(
        self, row: Row, column: Column[Any], said: str, without: str | None = None, *, code: str, hint: str
    ) -> DataError:
        """The error about a value of a row. without: what is said of it without the value."""
        where = f"{self.table}.{column.column_name}"
        message = f"{where} {said}{self._where(row)}"
        found = DataError(message, code=code, hint=hint, table=self.table, columns=(column.column_name,))
        found._without_values = f"{where} {without or said}"
        return found

    def _where(self, row: Sequence[Any]) -> str:
        key = [value for item, value in zip(self.columns, row) if item.name in self.key]
        return f" (in the row with the key {', '.join(map(repr, key))})" if key else ""
