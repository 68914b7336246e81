"""JSON: text to records and back, also with their related records, also straight into a database."""

from __future__ import annotations

import marshal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from json import dumps
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar, cast, overload, runtime_checkable

from ._assigned import assign_read
from ._codegen import encoder
from ._model_info import ModelInfo, info_of
from ._native import abi
from ._native import json as native_json
from ._relation_base import Relation
from .column import MISSING, Column
from .error import DataError, ProgrammingError
from .model import Model
from .relation import ToMany, ToOne
from .result import PausedCollector
from .transaction import Transaction

if TYPE_CHECKING:
    from ._inheritance import Family
    from ._native.handle import ModelHandle
    from .database import Database


M = TypeVar("M", bound=Model)
Names: TypeAlias = Literal["properties", "columns"]


@runtime_checkable
class ReadableFile(Protocol):
    """A file, or whatever else has read(size) and gives no bytes at its end."""

    def read(self, size: int, /) -> str | bytes: ...


class WritableFile(Protocol):
    """A text file, or whatever else has write(text)."""

    def write(self, text: str, /) -> object: ...


# A text, a file, or chunks of a text as they come.
JsonSource: TypeAlias = "str | bytes | bytearray | memoryview | ReadableFile | Iterable[str | bytes]"

_NAMES = {"properties": abi.CORM_JSON_PROPERTIES, "columns": abi.CORM_JSON_COLUMNS}
_CHUNK = 262_144
# So many records cross at once.
_PART = 1_000


def read_json(
    model: type[M],
    source: JsonSource,
    *,
    path: str = "$",
    names: Names = "properties",
    refuse_unknown: bool = False,
    lines: bool = False,
) -> Iterator[M]:
    """Records of JSON text, as they come: the text may be any length, of memory it takes a chunk and one record.

    path: where the records are, an array of objects or one object, such as "$.data.items". names: what the keys are
    where a column has no json_key: the properties, or the columns (relations in snake_case). refuse_unknown: keys that
    the model does not have are an error. lines: one object after the other instead of an array.

    A missing key is the column's default, else None. Under a relation's name there may be its records: they become the
    attribute, ready for db.save_graph. DataError names the path: "$.items[3].price: expected a number, found a string".
    """
    options = {**_options(names, lines), "path": path, "refuse_unknown": refuse_unknown}
    reader = _Reader(model, options)
    for chunk in _chunks(source):
        reader.feed(chunk)
        yield from reader.records()
    reader.end()
    yield from reader.records()


@overload
def write_json(records: Model | Iterable[Model], *, names: Names = ..., lines: bool = ...) -> str: ...
@overload
def write_json(
    records: Model | Iterable[Model], file: WritableFile, *, names: Names = ..., lines: bool = ...
) -> None: ...
def write_json(
    records: Model | Iterable[Model],
    file: WritableFile | None = None,
    *,
    names: Names = "properties",
    lines: bool = False,
) -> str | None:
    """One record as a JSON object, several as an array; their related records within them, where they are loaded.

    file: gets the text in parts, so that a cursor of any length can be written; without one the text comes back. names:
    as in read_json. lines: one object after the other instead of an array.
    """
    text: list[str] = []
    write = text.append if file is None else file.write
    if isinstance(records, Model):
        line = _write([records], _options(names, True))
        write(line if lines else line[:-1])
    else:
        source = iter(records)
        options = _options(names, lines)
        before = "" if lines else "["
        while part := list(islice(source, _PART)):
            one = _write(part, options)
            write(one if lines else before + one[1:-1])
            before = "" if lines else ","
        if not lines:
            write("[]" if before == "[" else "]")
    return None if file is not None else "".join(text)


def import_json(
    database: Database,
    model: type[Model],
    source: JsonSource,
    *,
    save: bool = False,
    path: str = "$",
    names: Names = "properties",
    refuse_unknown: bool = False,
    lines: bool = False,
) -> int:
    """Inserts the records of JSON text, and the related ones within them, in one transaction; how many there were.

    No objects are made of them, so transforms and defaults of Python are not asked: JSON has what the file has, and
    what is missing gets the default of the table. save: rows that are there are updated instead of an error.
    The rest as in read_json.
    """
    operation = abi.CORM_WRITE_SAVE if save else abi.CORM_WRITE_INSERT
    options = {**_options(names, lines), "path": path, "refuse_unknown": refuse_unknown}
    count = 0
    reader = _Reader(model, options)
    # What the classes of a table's rows have the table does not know.
    check = _Reader(model, options, fills=False) if "__family__" in model.__dict__ else None
    with Transaction(database):
        for chunk in _chunks(source):
            if check is not None:
                check.feed(chunk)
                deque(check.records(), maxlen=0)
            reader.feed(chunk)
            count += native_json.import_records(reader._handle, database._handle, operation)
        if check is not None:
            check.end()
            deque(check.records(), maxlen=0)
        reader.end()
        return count + native_json.import_records(reader._handle, database._handle, operation)


class _Reader(Generic[M]):
    """A reader of the library and what makes objects of its rows.

    fills: whether what a document lacks gets the defaults of Python.
    """

    def __init__(self, model: type[M], options: dict[str, Any], fills: bool = True) -> None:
        self._fills = fills
        info_of(model)
        _resolve(model, set())
        self._model = model
        self._path, self._names = options["path"], options["names"]
        self._handle = native_json.create_reader(model.__model__.handle, options)

    def feed(self, chunk: str | bytes | bytearray | memoryview) -> None:
        if isinstance(chunk, str):
            try:
                chunk = chunk.encode()
            except UnicodeEncodeError as error:
                raise DataError(f"the text is not valid Unicode: {error.reason}", code="CORM_E_ENCODING") from None
        if not isinstance(chunk, bytes | bytearray | memoryview):
            kind = type(chunk).__name__
            raise ProgrammingError(f"a {kind} is no JSON text", hint="give str, bytes, a file or chunks of them")
        if len(chunk):
            native_json.feed(self._handle, bytes(chunk))

    def end(self) -> None:
        native_json.feed(self._handle, b"")

    def records(self) -> Iterator[M]:
        """The records that are complete."""
        while levels := native_json.read_levels(self._handle, _PART):
            yield from self._build(levels)

    def _build(self, levels: list[native_json.Level]) -> list[M]:
        models: list[type[Model]] = []
        built: list[list[Any]] = []
        with PausedCollector():
            for parent, name, groups, data, missing in levels:
                link = None if parent is None else models[parent].__relations__[cast("str", name)]
                model = self._model if link is None else link._target()
                models.append(model)
                rows = _without(marshal.loads(data), missing, model)
                if self._fills and "__family__" in model.__dict__:
                    _fill_rows(model.__dict__["__family__"], rows, missing)
                try:
                    records = model.__model__.load(rows)
                except DataError as error:
                    raise self._located(error, levels, models, rows) from error.__cause__
                if self._fills:
                    _fill(records, missing, model.__model__.columns)
                built.append(records)
                if link is not None and parent is not None:
                    _relate(built[parent], link, groups, records)
        return built[0]

    def _located(
        self, error: DataError, levels: list[native_json.Level], models: list[type[Model]], rows: list[Any]
    ) -> DataError:
        """The error with the path to the row that a transform could not decode."""
        info = models[-1].__model__
        index = next((number for number, row in enumerate(rows) if not _loads(info, row)), 0)
        steps = _step(info, error.columns, self._names)
        level = len(models) - 1
        while (parent := levels[level][0]) is not None:
            name, groups = cast("str", levels[level][1]), levels[level][2]
            first = 0
            for owner, count in zip(groups[::2], groups[1::2]):
                if index < first + count:
                    many = isinstance(models[parent].__relations__[name], ToMany)
                    steps = f".{name}[{index - first}]{steps}" if many else f".{name}{steps}"
                    index = owner
                    break
                first += count
            level = parent
        start = levels[0][2]
        # What a document says is no part of it.
        said = error._without_values or error.message
        error.message = f"{self._path}{f'[{start[0] + index}]' if start else ''}{steps}: {said}"
        error.args = (error.message,)
        return error


def _loads(info: ModelInfo, row: Any) -> bool:
    try:
        info.load_one(row)
    except DataError:
        return False
    return True


def _step(info: ModelInfo, columns: tuple[str, ...], names: int) -> str:
    """The step of a path to a column."""
    for item in info.columns:
        if (item.column_name,) == columns:
            key = item._options.get("json_key") or (item.name if names == _NAMES["properties"] else item.column_name)
            return f".{key}" if key.isascii() and key.replace("_", "a").isalnum() else f"[{dumps(key)}]"
    return ""


def _options(names: Names, lines: bool) -> dict[str, Any]:
    if names not in _NAMES:
        raise ProgrammingError(f"there are no names {names!r}", hint=f"use one of {', '.join(_NAMES)}")
    return {"names": _NAMES[names], "lines": lines}


def _chunks(source: JsonSource) -> Iterator[Any]:
    if isinstance(source, str | bytes | bytearray | memoryview):
        yield source
    elif isinstance(source, ReadableFile):
        while chunk := source.read(_CHUNK):
            yield chunk
    else:
        yield from source


def _resolve(model: type[Model], seen: set[type[Model]]) -> None:
    """Makes the relations that may lie in a document known to the library, which learns them when first used."""
    if model not in seen:
        seen.add(model)
        for link in model.__relations__.values():
            _resolve(link._target(), seen)


def _without(rows: list[Any], missing: tuple[int, ...], model: type[Model]) -> list[Any]:
    """The rows, with None for what the document lacked and a transform would decode."""
    for row, position in zip(missing[::2], missing[1::2]):
        if model.__model__.columns[position].transform:
            rows[row] = (*rows[row][:position], None, *rows[row][position + 1 :])
    return rows


def _fill_rows(family: Family, rows: list[Any], missing: tuple[int, ...]) -> None:
    """Gives rows of a table with several classes what those of each have by default."""
    columns = family.whole.__model__.columns
    place = next(place for place, item in enumerate(columns) if item.name == family.discriminator)
    for row, position in zip(missing[::2], missing[1::2]):
        part = family.parts.get(rows[row][place])
        field = part.__fields__.get(columns[position].name) if part else None
        if isinstance(field, Column) and (value := _default_of(field)) is not MISSING and value is not None:
            rows[row] = (*rows[row][:position], encoder(field)(value), *rows[row][position + 1 :])


def _fill(records: list[Any], missing: tuple[int, ...], columns: Sequence[Column[Any]]) -> None:
    """Gives records the defaults of Python for what the document lacked."""
    for row, position in zip(missing[::2], missing[1::2]):
        field = records[row].__fields__.get(columns[position].name)
        if field is not None and (value := _default_of(field)) is not MISSING:
            setattr(records[row], field.name, value)


def _default_of(field: Any) -> Any:
    factory = field._options.get("default_factory", MISSING)
    return field._options.get("default", MISSING) if factory is MISSING else factory()


def _relate(owners: list[Any], link: Relation[Any], groups: tuple[int, ...], records: list[Any]) -> None:
    first = 0
    for owner, count in zip(groups[::2], groups[1::2]):
        found = records[first : first + count]
        first += count
        if isinstance(link, ToOne):
            assign_read(owners[owner], link, found[0] if found else None)
        else:
            owners[owner].__dict__[link.name] = found


# --- Writing ---


class _Level:
    """Records to write that lie at one place in their owners, each with the position of its owner."""

    def __init__(self, parent: _Level | None, link: Relation[Any] | None) -> None:
        self.parent, self.link = parent, link
        self.records: list[Model] = []
        self.owners: list[int] = []
        self.groups: list[int] = []

    def add(self, owner: int, records: list[Model]) -> None:
        self.groups += (owner, len(records))
        for record in records:
            self.records.append(record)
            self.owners.append(owner)
            self._refuse_circle(record, owner)

    def _refuse_circle(self, record: Model, owner: int) -> None:
        level, position = self.parent, owner
        while level is not None:
            if level.records[position] is record:
                raise ProgrammingError(
                    f"a {type(record).__name__} lies within itself, by {self.link!r}",
                    hint="write records whose relations lead one way",
                )
            position = level.owners[position] if level.owners else 0
            level = level.parent


def _write(records: list[Any], options: dict[str, Any]) -> str:
    root = _Level(None, None)
    root.records = records
    levels = [root]
    # Several threads may be the first to ask a record for its __dict__ (_sharing.py).
    with PausedCollector():
        for level in levels:  # which grows
            for link, below in _below(level).items():
                link._target()
                levels.append(below)
    rows = [
        (
            None if level.parent is None else levels.index(level.parent),
            None if level.link is None else level.link.name,
            level.groups,
            *_rows(level),
        )
        for level in levels
    ]
    return native_json.write_levels(rows, options)


def _rows(level: _Level) -> tuple[list[tuple[ModelHandle, bytes]], list[int]]:
    """The rows of a level by models, and of which of them each record is; nothing where there is one."""
    classes = list(map(type, level.records))
    models = list(dict.fromkeys(classes)) or [_model(level)]
    if len(models) == 1:
        info = info_of(models[0])
        return [(info.handle, info.dump(level.records))], []
    parts: dict[type[Model], list[Model]] = {model: [] for model in models}
    for record in level.records:
        parts[type(record)].append(record)
    places = {model: place for place, model in enumerate(models)}
    infos = [(info_of(model), part) for model, part in parts.items()]
    return [(info.handle, info.dump(part)) for info, part in infos], [places[cls] for cls in classes]


def _model(level: _Level) -> type[Model]:
    return cast("type[Model]", level.link._target() if level.link else Model)


def _below(level: _Level) -> dict[Relation[Any], _Level]:
    """The related records of a level that are loaded, by relation."""
    below: dict[Relation[Any], _Level] = {}
    cls = type(level.records[0]) if level.records else _model(level)
    family = getattr(cls, "__family__", None)
    for position, record in enumerate(level.records):
        if type(record) is not cls and (family is None or getattr(type(record), "__family__", None) is not family):
            names = f"{cls.__name__}, {type(record).__name__}"
            raise ProgrammingError(f"the records are of several models: {names}", hint="write one model at a time")
        for name, link in info_of(type(record))._cls.__relations__.items():
            if name in record.__dict__:
                found = record.__dict__[name]
                related = found if isinstance(link, ToMany) else [] if found is None else [found]
                if link not in below:
                    below[link] = _Level(level, link)
                below[link].add(position, related)
    return below
