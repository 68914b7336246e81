"""Values and models of conformance scenarios; Tests/Conformance/README.md says what they mean."""

from __future__ import annotations

import types
import uuid
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any, Literal

from cormorant import Column, DataError, Key, Model, Reference, Transform, column, many_to_many, to_many, to_one
from cormorant._definition import definition
from cormorant._native import model as native_model

Json = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
PYTHON: Json = {
    "int64": int, "int32": int, "bool": bool, "double": float, "float": float, "text": str, "varchar": str,
    "blob": bytes, "datetime": datetime, "date": date, "time": time, "offset_datetime": datetime, "duration": timedelta,
    "uuid": uuid.UUID, "decimal": Decimal, "json": str,
}  # fmt: skip


class Failure(AssertionError):
    """A scenario does not hold."""


def members(given: Json, allowed: str, what: str) -> None:
    if unknown := set(given) - set(allowed.split()) - {"note", "because"}:
        raise Failure(f"unknown member of {what}: {', '.join(sorted(unknown))}")


# --- Values ---


def value(given: Any, number: int = -1) -> Any:
    """A value of the scenario; `number` is that of a generated record."""
    if not isinstance(given, dict):
        return given
    members(given, "unsigned real blob times repeat textHex index indexText", "a value")
    if "unsigned" in given:
        return int(given["unsigned"])
    if "real" in given:
        return float(given["real"])
    if "blob" in given:
        return bytes.fromhex(given["blob"]) * given.get("times", 1)
    if "repeat" in given:
        return given["repeat"] * given["times"]
    if "textHex" in given:
        return bytes.fromhex(given["textHex"]).decode()
    return number + given["index"] if "index" in given else f"{given['indexText']}{number}"


def same(found: Any, expected: Any) -> bool:
    if isinstance(found, datetime) and isinstance(expected, datetime):
        return found.isoformat() == expected.isoformat()  # Two offsets of one moment are equal.
    return type(found) is type(expected) and bool(found == expected)


def held(kind: str, given: Any) -> Any:
    """What a model's property of this type holds; a text that is none of its type stays, to be refused."""
    try:
        if kind == "datetime" and type(given) is int:
            return EPOCH + timedelta(microseconds=given)
        if kind == "date" and type(given) is int:
            return EPOCH.date() + timedelta(days=given)
        if kind == "time" and type(given) is int and given >= 0:
            return (datetime.min + timedelta(microseconds=given)).time()
        if kind == "duration" and type(given) is int:
            return timedelta(microseconds=given)
        if kind == "offset_datetime" and type(given) is str:
            return datetime.fromisoformat(given)
        if kind in ("uuid", "decimal") and type(given) is str:
            return PYTHON[kind](given)
    except (ValueError, InvalidOperation, OverflowError):
        pass
    return given


# --- Hooks ---

HOOKS = {
    "beforeInsert": "before_insert", "afterInsert": "after_insert", "beforeUpdate": "before_update",
    "afterUpdate": "after_update", "beforeSave": "before_save", "afterSave": "after_save",
    "beforeDelete": "before_delete", "afterDelete": "after_delete", "validate": "validate",
}  # fmt: skip
# The names of hooks that were called, and the models of the scenario that runs.
calls: list[str] = []
known: dict[str, type[Model]] = {}


def make_validator(refused: list[Any]) -> Any:
    def validate(found: Any) -> None:
        if any(same(found, value(item)) for item in refused):
            raise ValueError("is refused")

    return validate


def make_hooks(given: list[Json] | None) -> Json:
    return {} if given is None else {name: _hook(at, given) for at, name in HOOKS.items()}


def _hook(name: str, given: list[Json]) -> Any:
    def hook(self: Any, database: Any = None) -> None:
        calls.append(name)
        for item in given:
            members(item, "at if set refuse insert", "a hook")
            if item["at"] != name or not all(
                same(getattr(self, part), value(wanted)) for part, wanted in item.get("if", {}).items()
            ):
                continue
            for part, wanted in item.get("set", {}).items():
                setattr(self, part, value(wanted))
            if "insert" in item:
                members(item["insert"], "model record", "an insert")
                record = {part: value(wanted) for part, wanted in item["insert"]["record"].items()}
                database.insert(known[item["insert"]["model"]](**record))
            if "refuse" in item:
                # An exception of the program's own would be that, and tell no code.
                refusal = ValueError if name == "validate" else partial(DataError, code="CORM_E_CALLBACK")
                raise refusal(item["refuse"])

    return hook


# --- Models ---

COLUMN = (
    "name column type length primaryKey autoIncrement notNull unique indexed unsigned default check computed collation "
    "referencesTable referencesColumn onDelete onUpdate jsonKey renamedFrom convert choices version "
    "stamp scale refuses discriminator"
)
MODEL = (
    "name table columns keys references checks columnOrder withoutRowid strict view scope unscoped relations module "
    "distributedBy moduleArguments renamedFrom allowDrop seed suffix attachedAs hooks"
)
ACTIONS: Json = {
    "none": "none",
    "restrict": "restrict",
    "setNull": "set_null",
    "setDefault": "set_default",
    "cascade": "cascade",
}
# JSON is kept as text here, so that the file holds what the scenario says byte by byte.
AS_TEXT = Transform(lambda text: text, lambda text: text)


def make_column(given: Json) -> tuple[Any, Any]:
    members(given, COLUMN, "a column")
    target = value(given.get("referencesTable"))
    if "referencesColumn" in given:
        target = f"{target}.{value(given['referencesColumn'])}"
    options = column(
        default=None,
        name=value(given.get("column")),
        type=given["type"],
        length=given.get("length", 0),
        primary_key=given.get("primaryKey", False),
        auto_increment=given.get("autoIncrement", False),
        unique=given.get("unique", False),
        index=given.get("indexed", False),
        unsigned=given.get("unsigned", False),
        default_sql=value(given.get("default")),
        check="choices" in given or value(given.get("check")),
        computed=value(given.get("computed")),
        collate=given.get("collation"),
        references=target,
        on_delete=ACTIONS[given.get("onDelete", "none")],
        on_update=ACTIONS[given.get("onUpdate", "none")],
        json_key=given.get("jsonKey"),
        transform=AS_TEXT if given["type"] == "json" else None,
        renamed_from=value(given.get("renamedFrom")),
        convert_sql=value(given.get("convert")),
        version=given.get("version", False),
        stamp=given.get("stamp"),
        scale=given.get("scale"),
        validate=make_validator(given["refuses"]) if "refuses" in given else None,
    )
    options._options["discriminator"] = given.get("discriminator")
    kind: Any = Literal[tuple(given["choices"])] if "choices" in given else PYTHON[given["type"]]
    annotation: Any = Column
    return annotation[kind if given.get("notNull") else kind | None], options


def make_relation(given: Json) -> Any:
    members(given, "name kind target junction columns targetColumns", "a relation")
    columns = given.get("columns", ())
    if given["kind"] == "manyToMany":
        return many_to_many(
            given["target"], through=given["junction"], columns=columns, target_columns=given.get("targetColumns", ())
        )
    make = to_one if given["kind"] == "toOne" else to_many
    return make(given["target"], columns=columns)


def make_model(given: Json) -> type[Model]:
    members(given, MODEL, "a model")
    annotations, body = {}, {}
    for item in given["columns"]:
        annotations[item["name"]], body[item["name"]] = make_column(item)
    for relation in given.get("relations", []):
        body[relation["name"]] = make_relation(relation)
    keys: dict[str, list[Json]] = {"primary": [], "unique": [], "index": []}
    for key in given.get("keys", []):
        members(key, "kind columns name where", "a key")
        keys[key["kind"]].append(key)
    for reference in given.get("references", []):
        members(reference, "columns table tableColumns onDelete onUpdate", "a reference")
    options: Json = {
        "table": value(given.get("table")),
        "primary_key": keys["primary"][0]["columns"] if keys["primary"] else (),
        "unique": [Key(key["columns"], value(key.get("name")), value(key.get("where"))) for key in keys["unique"]],
        "indexes": [Key(key["columns"], value(key.get("name")), value(key.get("where"))) for key in keys["index"]],
        "checks": [value(check) for check in given.get("checks", [])],
        "references": [
            Reference(
                reference["columns"],
                value(reference["table"]),
                [value(name) for name in reference.get("tableColumns", [])],
                ACTIONS[reference.get("onDelete", "none")],
                ACTIONS[reference.get("onUpdate", "none")],
            )
            for reference in given.get("references", [])
        ],
        "column_order": given.get("columnOrder", ()),
        "without_rowid": given.get("withoutRowid", False),
        "strict": given.get("strict", False),
        "view": given.get("view", False),
        "scope": value(given.get("scope")),
        "distributed_by": value(given.get("distributedBy")),
        "module": given.get("module"),
        "module_arguments": given.get("moduleArguments", ()),
        "renamed_from": value(given.get("renamedFrom")),
        "allow_drop": [value(name) for name in given.get("allowDrop", [])],
        "seed_sql": value(given.get("seed")),
    }
    namespace = {"__annotations__": annotations, **body, **make_hooks(given.get("hooks"))}
    if len(keys["primary"]) > 1 or any("where" in key for key in keys["primary"]):
        # A class cannot say this, so only the description is tried.
        described = definition(given["name"], [], **options)
        probe = make_model({**given, "keys": []})
        described["columns"] = definition(given["name"], probe.__model__.columns, **options)["columns"]
        described["keys"] = [
            {"kind": 1, "columns": key["columns"], "where_sql": key.get("where")} for key in keys["primary"]
        ]
        native_model.create_model(described)
    model: type[Model] = types.new_class(given["name"], (Model,), options, lambda body: body.update(namespace))
    if given.get("unscoped"):
        model = model.unscoped()
    if "suffix" in given:
        return model.suffixed(value(given["suffix"]))
    return model.attached(given["attachedAs"]) if "attachedAs" in given else model
