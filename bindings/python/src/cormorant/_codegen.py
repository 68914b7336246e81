"""Functions made for one model, as dataclasses makes __init__: straight code without a loop over the columns.

Names in the generated code: properties are attributes and parameters only; v0, v1, ... are values; others start with _.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any

from ._native.record import Row
from .column import MISSING, Column, Ignored
from .error import ProgrammingError
from .value import COLUMN_TYPES

Columns = Sequence[Column[Any]]
Decoders = Sequence[Callable[[Any], Any] | None]


def _compile(source: str, name: str, names: dict[str, Any]) -> Any:
    exec(source, names)
    return names[name]


def _targets(columns: Sequence[object]) -> str:
    return "".join(f"v{i}, " for i in range(len(columns)))


def keeps_none(column: Column[Any]) -> bool:
    """None is NULL, except in a JSON column that cannot hold NULL: there it is JSON's null."""
    return column.transform is COLUMN_TYPES["json"].transform and not column.nullable


def _encoded(position: int, column: Column[Any], value: str) -> str:
    """Code that encodes a value."""
    if column.transform is None:
        return value
    if keeps_none(column):
        return f"_encode{position}({value})"
    return f"None if {value} is None else _encode{position}({value})"


def _decoded(position: int, column: Column[Any], value: str) -> str:
    return value if column.transform is None else f"None if {value} is None else _decode{position}({value})"


def _transforms(columns: Columns) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for position, column in enumerate(columns):
        if column.transform:
            names[f"_encode{position}"], names[f"_decode{position}"] = column.transform
    return names


def make_encode(columns: Columns, only: Collection[str] | None = None) -> Callable[[Any], Row]:
    """object -> row; with `only`, None stands for the other properties."""
    if only is None and len(columns) > 1 and not any(column.transform for column in columns):
        return attrgetter(*(column.name for column in columns))
    values = "".join(
        f"{_encoded(i, column, f'_o.{column.name}') if only is None or column.name in only else None}, "
        for i, column in enumerate(columns)
    )
    answer: Callable[[Any], Row] = _compile(f"def _encode(_o): return ({values})", "_encode", _transforms(columns))
    return answer


def make_values(columns: Columns) -> Callable[[Iterable[Any]], Iterable[Any]]:
    """objects -> the values of these columns, of one after the other. No tuple stays that Python would look through."""
    if len(columns) == 1 and not columns[0].transform:
        return partial(map, attrgetter(columns[0].name))
    encode = make_encode(columns)
    return lambda objects: chain.from_iterable(map(encode, objects))


def make_write(
    columns: Columns,
    used: Sequence[int],
    key: str | None,
    write: Callable[[Any], Any],
    note: Callable[[Any], None],
    finish: Callable[[Any, Any], bool | None],
    settle: Callable[[Any], None] | None = None,
) -> Callable[[Any], bool | None]:
    """object -> whether `write` wrote the values of these columns. A key that it made is noted and put into the object;
    what else it answers, `finish` sees to. `settle` is called with an object whose relations were set.

    None where a value cannot be had: the error is another's to tell.
    """
    values = ", ".join(_encoded(i, columns[i], f"_o.{columns[i].name}") for i in used)
    source = "\n".join(
        [
            "def _write_one(_o):",
            " try:",
            *(["  if _o.__assigned__: _settle(_o)"] if settle else []),
            f"  _values = {values if len(used) == 1 else f'({values})'}",
            " except Exception:",
            "  return None",
            " _answer = _write(_values)",
            " if _answer is True:",
            "  return True",
            *([" if type(_answer) is _int:", "  _note(_o)", f"  _o.{key} = _answer", "  return True"] if key else []),
            " return _finish(_o, _answer)",
        ]
    )
    names = _transforms(columns) | {"_write": write, "_note": note, "_finish": finish, "_int": int, "_settle": settle}
    answer: Callable[[Any], bool | None] = _compile(source, "_write_one", names)
    return answer


def make_changes(
    columns: Columns,
    plain: Collection[type],
    differs: Callable[[Any, Any, Column[Any]], bool],
    refuse: Callable[[Any], None],
) -> Callable[[Any, Any], tuple[str, ...]]:
    """two objects -> the properties that differ. What is not plainly the same, nor plainly another, is for `differs` to
    say. plain: types whose values are in the file what they are here. `refuse` is given a second of another type.
    """
    lines = ["def _changes(_o, _p):", " if type(_p) is not type(_o): _refuse(_p)", " _found = []"]
    for position, column in enumerate(columns):
        found, asks = f"_found.append({column.name!r})", f"_differs(_o, _p, _column{position})"
        lines.append(f" if (_v := _o.{column.name}) is not (_w := _p.{column.name}):")
        lines.append("  if type(_v) is type(_w) and type(_v) in _plain:")
        # A conversion may make one of two values.
        lines.append(f"   if _v != _w{'' if column.transform is None else f' and {asks}'}: {found}")
        if column.type_name == "double":
            # Neither of 0.0 and -0.0, which are equal, nor of NaN, which is not even what it is.
            lines += ["  elif type(_v) is type(_w) is _float and _v == _v and (_v or _w):", f"   if _v != _w: {found}"]
        lines.append(f"  elif {asks}: {found}")
    lines.append(" return tuple(_found)")
    names: dict[str, Any] = {f"_column{position}": column for position, column in enumerate(columns)}
    names |= {"_plain": frozenset(plain), "_differs": differs, "_float": float, "_refuse": refuse}
    answer: Callable[[Any, Any], tuple[str, ...]] = _compile("\n".join(lines), "_changes", names)
    return answer


def encoder(column: Column[Any]) -> Callable[[Any], Any]:
    """value -> value of a row; for single values, where speed matters less."""
    transform = column.transform
    if transform is None:
        return lambda value: value
    if keeps_none(column):
        return transform.encode
    return lambda value: None if value is None else transform.encode(value)


def make_decode(decoders: Decoders) -> Callable[[list[Row]], list[Row]]:
    """rows -> rows with decoded values; None stands for those that are what they should be."""
    values = "".join(
        f"v{i}, " if decode is None else f"None if v{i} is None else _decode{i}(v{i}), "
        for i, decode in enumerate(decoders)
    )
    source = f"def _decode(_rows): return [({values}) for {_targets(decoders)} in _rows]"
    names = {f"_decode{i}": decode for i, decode in enumerate(decoders)}
    answer: Callable[[list[Row]], list[Row]] = _compile(source, "_decode", names)
    return answer


def make_into(make: Callable[..., Any], names: Sequence[str]) -> Callable[[list[Row]], list[Any]]:
    """rows -> what `make` makes of the values of each, by name."""
    values = ", ".join(f"{name}=v{i}" for i, name in enumerate(names))
    source = f"def _into(_rows): return [_make({values}) for {_targets(names)} in _rows]"
    answer: Callable[[list[Row]], list[Any]] = _compile(source, "_into", {"_make": make})
    return answer


def make_build(cls: type, columns: Columns, ignored: dict[str, Ignored]) -> Callable[[list[Row]], list[Any]]:
    """rows -> objects, without __init__."""
    names, lines = _building(cls, columns, ignored, "  ")
    source = "\n".join(
        [
            "def _build(_rows):",
            " _out = []",
            " for _row in _rows:",
            *lines,
            "  _out.append(_o)",
            " return _out",
        ]
    )
    answer: Callable[[list[Row]], list[Any]] = _compile(source, "_build", names)
    return answer


def make_load_one(
    cls: type, columns: Columns, ignored: dict[str, Ignored], unreadable: Callable[[list[Row]], Exception]
) -> Callable[[Row], Any]:
    """row -> object, without __init__; the error that `unreadable` gives for a row of which none can be made."""
    names, lines = _building(cls, columns, ignored, "  ")
    source = "\n".join(
        [
            "def _load(_row):",
            " try:",
            *lines,
            "  return _o",
            " except Exception as _error:",
            "  raise _unreadable([_row]) from _error",
        ]
    )
    answer: Callable[[Row], Any] = _compile(source, "_load", names | {"_unreadable": unreadable})
    return answer


def _building(
    cls: type, columns: Columns, ignored: dict[str, Ignored], indent: str
) -> tuple[dict[str, Any], list[str]]:
    """Names and lines that make an object _o of the row _row."""
    names = _transforms(columns) | {"_new": object.__new__, "_cls": cls}
    lines = ["_o = _new(_cls)", *_assignments(columns)]
    lines += [f"_o.{name} = {_default(name, field._options, names)}" for name, field in ignored.items()]
    return names, [indent + line for line in lines]


def _assignments(columns: Columns) -> list[str]:
    """Lines that put the row _row into the object _o: what needs no decoding goes there straight."""
    targets = "".join(f"{f'v{i}' if column.transform else f'_o.{column.name}'}, " for i, column in enumerate(columns))
    decoded = [
        f"_o.{column.name} = {_decoded(i, column, f'v{i}')}" for i, column in enumerate(columns) if column.transform
    ]
    return [f"{targets}= _row", *decoded]


def make_assign(columns: Columns) -> Callable[[Any, Row], None]:
    """Puts a row into an object that is there."""
    source = "\n ".join(["def _assign(_o, _row):", *_assignments(columns)])
    answer: Callable[[Any, Row], None] = _compile(source, "_assign", _transforms(columns))
    return answer


def make_init(
    fields: dict[str, Column[Any] | Ignored],
    relations: Sequence[str],
    relate: Callable[[Any, str, Any], object],
    post_init: bool,
) -> Callable[..., None]:
    """__init__ as dataclasses have it: parameters in the order of the fields, then relations, by their names, which
    relate() sets; __post_init__ at its end.
    """
    this = "self" if "self" not in (*fields, *relations) else "_self"
    names: dict[str, Any] = {"_MISSING": MISSING, "_relate": relate}
    positional, keywords, lines = [], [], []
    after = ""
    for name, field in fields.items():
        options = field._options
        default, factory = options.get("default", MISSING), options.get("default_factory", MISSING)
        if isinstance(default, (list, dict, set)):
            raise ProgrammingError(
                f"the default of {name} would be shared by all records", code="CORM_E_MODEL", hint="use default_factory"
            )
        value = _default(name, options, names)
        if not options.get("init", True):
            lines.append(f" {this}.{name} = {value}")
            continue
        if factory is not MISSING:
            lines.append(f" {this}.{name} = {value} if {name} is _MISSING else {name}")
            parameter = f"{name}=_MISSING"
        else:
            lines.append(f" {this}.{name} = {name}")
            parameter = name if default is MISSING else f"{name}={value}"
        if options.get("kw_only"):
            keywords.append(parameter)
            continue
        if "=" in parameter:
            after = name
        elif after:
            raise ProgrammingError(
                f"{name} has no default but follows {after}, which has one",
                code="CORM_E_MODEL",
                hint=f"give {after} kw_only=True, or move it to the end",
            )
        positional.append(parameter)
    for name in relations:
        keywords.append(f"{name}=_MISSING")
        lines.append(f" if {name} is not _MISSING: _relate({this}, {name!r}, {name})")
    if post_init:
        lines.append(f" {this}.__post_init__()")
    parameters = ", ".join([this, *positional, *(["*", *keywords] if keywords else [])])
    init: Callable[..., None] = _compile(
        "\n".join([f"def __init__({parameters}):", *lines, " pass"]), "__init__", names
    )
    return init


def is_needed(options: dict[str, Any]) -> bool:
    """Whether __init__ must be given the field."""
    return options.get("init", True) and all(
        options.get(name, MISSING) is MISSING for name in ("default", "default_factory")
    )


def _default(name: str, options: dict[str, Any], names: dict[str, Any]) -> str:
    """Code for the default of a field; None without one."""
    if options.get("default_factory", MISSING) is not MISSING:
        names[f"_factory_{name}"] = options["default_factory"]
        return f"_factory_{name}()"
    if options.get("default", MISSING) is not MISSING:
        names[f"_default_{name}"] = options["default"]
        return f"_default_{name}"
    return "None"
