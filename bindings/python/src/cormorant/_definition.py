"""From a class to columns and a corm_model_def: reads annotations, options and class keywords."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterable, Sequence
from contextlib import suppress
from keyword import iskeyword
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Final,
    ForwardRef,
    Literal,
    Union,
    cast,
    get_args,
    get_origin,
)

from ._annotation import json_kind, kind_of, unwrapped
from ._codegen import keeps_none
from ._json_check import json_transform
from ._native import abi
from ._relation_base import Relation
from ._text_option import refuse_no_text
from .column import MISSING, Action, Column, Ignored, Key, Reference
from .error import ProgrammingError
from .relation import ToMany, ToOne
from .value import COLUMN_TYPES

if sys.version_info >= (3, 14):
    from annotationlib import get_annotations
else:

    def get_annotations(cls: type) -> dict[str, Any]:
        """As inspect has it, which takes long to import."""
        annotations: dict[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063
        return annotations


if TYPE_CHECKING:
    from .model import Model

Field = Column[Any] | Ignored
_COLUMN = re.compile(r"\s*(\w+\.)*Column\[")
_WORD = re.compile(r"\w+")


def model_error(message: str, hint: str | None = None) -> ProgrammingError:
    return ProgrammingError(message, code="CORM_E_MODEL", hint=hint)


def collect_fields(cls: type) -> dict[str, Field]:
    """The fields of a class in order: those of its bases first, as dataclasses have it."""
    fields: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        found = base.__dict__.get("__fields__")
        if found is None:
            _refuse_settings(base, cls)
            found = _declared(base, of_model=False)
        for name, field in found.items():
            fields[name] = field._copy() if isinstance(field, Column) else field
    _refuse_settings(cls, cls)
    own = _declared(cls, of_model=True)
    for name in fields:
        if name not in own:
            _refuse_hiding(cls, name)
    return fields | own


# What other libraries are told of the table in a class, and what of it stands in these.
_SETTINGS: dict[str, frozenset[str] | None] = {
    "__tablename__": None,
    "__table__": None,
    "__table_args__": None,
    "__mapper_args__": None,
    "Meta": frozenset(
        (
            "abstract", "constraints", "database", "db_table", "index_together", "indexes", "managed", "ordering",
            "primary_key", "proxy", "schema", "strict_tables", "table", "table_name", "tablename", "unique_together",
            "without_rowid",
        )
    ),
    "Config": frozenset(("table", "table_name", "tablename", "db_table")),
    "model_config": frozenset(("table", "table_name", "tablename", "db_table")),
}  # fmt: skip


def _refuse_settings(base: type, cls: type) -> None:
    """Refuses what would be dropped without a word; what says nothing of a table is the program's own business."""
    for name, known in _SETTINGS.items():
        if name not in base.__dict__:
            continue
        value = base.__dict__[name]
        said: Any = (
            {"": value} if known is None else value if isinstance(value, dict) else getattr(value, "__dict__", {})
        )
        found = [item for item in said if known is None or item in known]
        if found:
            table = next((said[item] for item in found if isinstance(said[item], str)), "...")
            what = f"{base.__name__}.{name}" if known is None else f"{base.__name__}.{name} with {', '.join(found)}"
            raise model_error(
                f"{what} is another library's",
                f'say it where the class begins: class {cls.__name__}(Model, table="{table}"), and so unique, indexes, '
                "checks and the others of help(Model); leave it out where the default does",
            )


def _refuse_hiding(cls: type, name: str) -> None:
    """Refuses what a class or one of its bases has under the name of a column that it inherits from behind it."""
    for base in cls.__mro__:
        value = base.__dict__.get(name, MISSING)
        is_field = isinstance(value, Column | Ignored) or _says_column(get_annotations(base).get(name), base)
        if is_field or (name in base.__dict__.get("__fields__", {}) and base is not cls):
            return
        if value is not MISSING:
            raise model_error(
                f"{base.__name__}.{name} would hide the column {name} that {cls.__name__} inherits",
                f"give it another name, or declare the column anew, as {name}: Column[...]",
            )


def _declared(cls: type, of_model: bool) -> dict[str, Field]:
    """The fields that a model declares, or a base that is none: what else that has is its own business."""
    fields: dict[str, Field] = {}
    annotations = get_annotations(cls)
    for name, value in cls.__dict__.items():
        is_field = isinstance(value, Ignored) or (isinstance(value, Column) and value._is_new)
        if is_field and name not in annotations:
            call, kind = ("ignored", "str") if isinstance(value, Ignored) else ("column", "Column[str]")
            raise model_error(
                f"{cls.__name__}.{name} has no annotation, so it would be no column",
                f"say what it holds, such as {name}: {kind} = {call}(...)",
            )
    for name, annotation in annotations.items():
        if isinstance(cls.__dict__.get(name), Relation):
            continue
        if (
            not of_model
            and not isinstance(cls.__dict__.get(name), Column | Ignored)
            and not _says_column(annotation, cls)
        ):
            continue
        where = f"{cls.__name__}.{name}"
        if not name.isidentifier() or iskeyword(name):
            raise model_error(f"{name!r} cannot name a property", "give column(name=...) for the name in the table")
        annotation = _resolve(annotation, cls, where)
        origin: Any = get_origin(annotation)
        if origin is ClassVar or annotation is ClassVar:
            continue
        value = cls.__dict__.get(name, MISSING)
        if origin is Column:
            if value is MISSING:
                value = Column({})
            elif isinstance(value, Column) and not of_model:
                # Several models may be of it.
                value = value._copy()
            elif not isinstance(value, Column):
                shown = "field(...)" if _of_dataclass(value) else repr(value)
                raise model_error(f"{where} = {shown} is no column", f"write = column({_default_of(value)})")
            _set_type(value, name, get_args(annotation)[0], cls, where)
            fields[name] = value
        elif isinstance(value, Ignored):
            value.annotation = annotation
            fields[name] = value
        elif origin in (ToMany, ToOne):
            call = "to_one" if origin is ToOne else "to_many"
            raise model_error(f"{where} leads to no model", f"say to which: {name}: ... = {call}(Model)")
        else:
            hint = "annotate it Column[...] or ClassVar, or give it = ignored()"
            targets = get_args(annotation) if origin is list else (annotation,)
            if targets and hasattr(targets[0], "__model__"):
                hint += f"; a relation is {name} = to_{'many' if origin is list else 'one'}({targets[0].__name__})"
            raise model_error(f"{where} is neither a column nor ignored", hint)
    for name, field in fields.items():
        given = [
            option for option in ("default", "default_factory") if field._options.get(option, MISSING) is not MISSING
        ]
        if len(given) == 2:
            raise model_error(f"{cls.__name__}.{name} has a default and a default_factory", "give one of them")
    return fields


def _of_dataclass(value: Any) -> bool:
    """Whether it is a dataclass's field; the module takes a while to import, and who made a field has done so."""
    return isinstance(value, getattr(sys.modules.get("dataclasses"), "Field", ()))


def _default_of(value: Any) -> str:
    """How column() is told of a default that stands in its place, be it in a field of a dataclass."""
    if _of_dataclass(value):
        missing = sys.modules["dataclasses"].MISSING
        if value.default_factory is not missing:
            return f"default_factory={getattr(value.default_factory, '__name__', '...')}"
        if value.default is missing:
            return ""
        value = value.default
    if not isinstance(value, list | dict | set | bytearray):
        return f"default={value!r}"
    return f"default_factory={f'lambda: {value!r}' if value else type(value).__name__}"


def annotated_relations(cls: type[Model]) -> list[str]:
    """The relations that type checkers take for fields."""
    found = (name for base in reversed(cls.__mro__) for name, said in get_annotations(base).items() if _is_field(said))
    return [name for name in dict.fromkeys(found) if name in cls.__relations__]


def _is_field(annotation: Any) -> bool:
    text = annotation.__forward_arg__ if isinstance(annotation, ForwardRef) else annotation
    return "ClassVar" not in text if isinstance(text, str) else get_origin(text) is not ClassVar


def _says_column(annotation: Any, cls: type) -> bool:
    """Whether it says Column, be it inside of what no column stands in, which is an error then and not overlooked."""
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        if _COLUMN.match(annotation):
            return True
        # An import may have given it another name.
        names = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
        if not any(word == "Column" or names.get(word) is Column for word in _WORD.findall(annotation)):
            return False
        try:
            annotation = eval(annotation, dict(names), dict(vars(cls)))
        except Exception:
            return False
    origin = get_origin(annotation)
    if annotation is Column or origin is Column:
        return True
    if origin not in (Annotated, Final, Union, types.UnionType):
        return False
    inner = get_args(annotation)
    return any(_says_column(item, cls) for item in (inner[:1] if origin is Annotated else inner))


def _resolve(annotation: Any, cls: type, where: str) -> Any:
    """The object an annotation names: `from __future__ import annotations` leaves its text."""
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    module = sys.modules.get(cls.__module__)
    try:
        return eval(annotation, dict(vars(module)) if module else {}, dict(vars(cls)))
    except Exception as error:
        raise model_error(
            f"the annotation of {where} cannot be read: {error}", "names in it must be defined at the top of the module"
        ) from error


def _set_type(column: Column[Any], name: str, annotation: Any, cls: type, where: str) -> None:
    annotation = column.annotation = _resolve(annotation, cls, where)
    column.name = name
    column.nullable = False
    annotation = _plain(annotation)
    origin: Any = get_origin(annotation)
    if origin in (Union, types.UnionType, Literal):
        none = None if origin is Literal else type(None)
        others = tuple(item for item in get_args(annotation) if item is not none)
        column.nullable = len(others) < len(get_args(annotation))
        if column.nullable and others:
            annotation = Literal[others] if origin is Literal else Union[others]  # noqa: UP007
    annotation = _plain(annotation)
    options = column._options
    type_name, kind = options.get("type"), None
    if type_name is None or not options.get("transform"):
        with suppress(TypeError):  # not hashable, so no type
            kind = json_kind(annotation, where) if options.get("json") else kind_of(annotation, where)
    if type_name is None and kind is not None:
        type_name = kind.type_name
    if type_name is None:
        raise model_error(
            f"{where} has a type that no column has",
            "give column(type=..., transform=Transform(...)) or column(json=True)",
        )
    if type_name == "text" and options.get("length"):
        type_name = "varchar"
    if options.get("length") and type_name != "varchar":
        raise model_error(f"{where} is of type {type_name} and has a length, which only a text has", "leave it out")
    if type_name not in COLUMN_TYPES:
        raise model_error(f"{where}: there is no column type {type_name!r}", f"use one of {', '.join(COLUMN_TYPES)}")
    column.type_name = type_name
    if options.get("made"):
        # Until the file has made it.
        column.nullable = True
    own = COLUMN_TYPES[type_name].transform
    if type_name == "json":
        own = json_transform(annotation, column.nullable)
    fits = kind is not None and _FAMILIES.get(kind.type_name, kind.type_name) == _FAMILIES.get(type_name, type_name)
    column.transform = options.get("transform") or (kind.transform if kind is not None and fits else None) or own
    column._choices = kind.choices if kind is not None and fits else ()
    if options.get("check") is True and not column._choices:
        raise model_error(
            f"{where} has check=True and no enum or Literal, whose values are few", "give the check as an SQL condition"
        )


# Types of columns that hold values of one kind.
_FAMILIES = {"varchar": "text", "int32": "int64"}


def _plain(annotation: Any) -> Any:
    """Without Annotated and NewType."""
    while True:
        inner = unwrapped(get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation)
        if inner is annotation:
            return annotation
        annotation = inner


# --- corm_model_def ---

_ACTIONS = {
    "none": abi.CORM_ACTION_NONE,
    "restrict": abi.CORM_ACTION_RESTRICT,
    "set_null": abi.CORM_ACTION_SET_NULL,
    "set_default": abi.CORM_ACTION_SET_DEFAULT,
    "cascade": abi.CORM_ACTION_CASCADE,
}


def definition(
    name: str,
    columns: Iterable[Column[Any]],
    *,
    table: str | None,
    primary_key: Sequence[str],
    unique: Sequence[str | Sequence[str] | Key],
    indexes: Sequence[str | Sequence[str] | Key],
    checks: Sequence[str],
    references: Sequence[Reference],
    column_order: Sequence[str],
    without_rowid: bool,
    strict: bool,
    view: bool,
    scope: str | None,
    distributed_by: str | None,
    module: str | None,
    module_arguments: Sequence[str],
    renamed_from: str | None,
    allow_drop: Sequence[str],
    seed_sql: str | None,
) -> dict[str, Any]:
    """A corm_model_def as native_model.create_model takes it."""
    for check in checks:
        refuse_no_text(name, "checks", check)
    keys = [_key(abi.CORM_KEY_PRIMARY, primary_key)] if primary_key else []
    keys += [_key(abi.CORM_KEY_UNIQUE, key) for key in unique]
    keys += [_key(abi.CORM_KEY_INDEX, key) for key in indexes]
    return {
        "name": name,
        "table": table,
        "columns": [_column(column) for column in columns],
        "keys": keys,
        "references": [_reference(reference) for reference in references],
        "checks": list(checks),
        "column_order": list(column_order),
        "without_rowid": without_rowid,
        "strict": strict,
        "view": view,
        "scope": scope,
        "distributed_by": distributed_by,
        "module": module,
        "module_arguments": list(module_arguments),
        "renamed_from": renamed_from,
        "allow_drop": drop_list(allow_drop),
        "seed_sql": seed_sql,
    }


def _column(column: Column[Any]) -> dict[str, Any]:
    option = column._options.get
    table, table_column = _target(option("references"), column.name)
    for action in ("on_delete", "on_update"):
        if _action(option(action, "none")) != abi.CORM_ACTION_NONE and table is None:
            raise model_error(
                f"{column.name} has {action} and no references",
                'say whose key it is: references=Person, or references="person.id"',
            )
    length = option("length", 0)
    if not 0 <= length < 2**32:
        raise model_error(f"{column.name}: length {length} is out of range")
    scale = option("scale")
    if scale is not None and not 0 <= scale <= 1000:
        raise model_error(f"{column.name}: scale {scale} is out of range", "give a number of digits from 0 to 1000")
    return {
        "name": column.name,
        "column": option("name"),
        "type": COLUMN_TYPES[column.type_name].number,
        "length": length,
        "scale": 0 if scale is None else scale or abi.CORM_SCALE_0,
        "primary_key": option("primary_key", False),
        "auto_increment": option("auto_increment", False),
        "not_null": not column.nullable,
        "unique": option("unique", False),
        "indexed": option("index", False),
        "is_unsigned": option("unsigned", False),
        "default_sql": option("default_sql"),
        "check_sql": None if option("check") is True else option("check"),
        "computed_sql": option("computed"),
        "collation": option("collate"),
        "references_table": table,
        "references_column": table_column,
        "on_delete": _action(option("on_delete", "none")),
        "on_update": _action(option("on_update", "none")),
        "json_key": option("json_key"),
        "json_optional": _has_default(column),
        "renamed_from": option("renamed_from"),
        "convert_sql": option("convert_sql"),
        "choices": [_choice(value) for value in column._choices] if option("check") is True else [],
        "check_choices": option("check") is True,
        "version": option("version", False),
        "stamp": _stamp(column),
        "discriminator": option("discriminator"),
    }


_STAMPS = {None: 0, "created": abi.CORM_STAMP_CREATED, "updated": abi.CORM_STAMP_UPDATED}


def _stamp(column: Column[Any]) -> int:
    stamp = column._options.get("stamp")
    if stamp not in _STAMPS:
        raise model_error(f"{column.name}: there is no stamp {stamp!r}", 'use "created" or "updated"')
    return _STAMPS[stamp]


def _choice(value: Any) -> dict[str, Any]:
    return {"name": value, "value": 0} if isinstance(value, str) else {"name": None, "value": value}


def _has_default(column: Column[Any]) -> bool:
    """Whether read_json fills in a default of Python; None is one where it is JSON's null, and elsewhere NULL."""
    default = column._options.get("default", MISSING)
    if default is None:
        return keeps_none(column) or column._options.get("has_default", False)
    return default is not MISSING or column._options.get("default_factory", MISSING) is not MISSING


def drop_list(names: Sequence[str]) -> list[str]:
    """What a migration may drop. A single text would pass for a list of its letters."""
    if isinstance(names, str):
        raise ProgrammingError(f"allow_drop is the text {names!r}", hint=f"give a list: [{names!r}]")
    return list(names)


def _key(kind: int, key: str | Sequence[str] | Key) -> dict[str, Any]:
    if isinstance(key, Key):
        refuse_no_text(f"Key({key.columns!r})", "name", key.name)
        refuse_no_text(f"Key({key.columns!r})", "where", key.where)
        return {"kind": kind, "columns": list(key.columns), "name": key.name, "where_sql": key.where}
    return {"kind": kind, "columns": [key] if isinstance(key, str) else list(key)}


def _reference(reference: Reference) -> dict[str, Any]:
    table = _table_of(reference.table, f"Reference({reference.columns!r})")
    if reference.table_columns and len(reference.table_columns) != len(reference.columns):
        raise model_error(
            f"a reference of {len(reference.columns)} columns to {len(reference.table_columns)} of {table}",
            "name as many columns there as here",
        )
    return {
        "columns": list(reference.columns),
        "table": table,
        "table_columns": list(reference.table_columns),
        "on_delete": _action(reference.on_delete),
        "on_update": _action(reference.on_update),
    }


def _table_of(target: str | type[Model], where: str) -> str:
    if isinstance(target, str):
        return target
    info = getattr(target, "__model__", None)
    if not isinstance(target, type) or info is None:
        raise TypeError(
            f'{where}: references is {target!r}, not a Model or a str: give references=Person or "person.id"'
        )
    return cast("str", info.table)


def _target(target: str | type[Model] | None, where: str) -> tuple[str | None, str | None]:
    """Table and column of a reference: "table", "table.column" or a Model class."""
    if target is None:
        return None, None
    if not isinstance(target, str):
        return _table_of(target, where), None
    table, dot, column = target.partition(".")
    return table, column if dot else None


def targets_of(columns: Iterable[Column[Any]], references: Sequence[Reference]) -> list[object]:
    """What the foreign keys of a model lead to: models, and names of tables."""
    return [*(column._options.get("references") for column in columns), *(reference.table for reference in references)]


def _action(action: Action) -> int:
    if action not in _ACTIONS:
        raise model_error(f"there is no action {action!r}", f"use one of {', '.join(_ACTIONS)}")
    return _ACTIONS[action]
