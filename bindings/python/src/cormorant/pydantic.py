"""Models and pydantic: records as fields and responses, and pydantic models made of models.

A model can stand where pydantic wants a type. Validation takes a record as it is, and makes one of an object of JSON or
a dict, relations included, with __init__; a datetime must have a time zone. What comes out has the columns, and those
relations that are loaded: one that is not is left out, never empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

from ._codegen import is_needed
from ._inheritance import family_of, is_made
from ._relation_base import Relation
from .column import MISSING, Column, Ignored
from .error import ProgrammingError
from .relation import ToMany, relate
from .value import JSON_NULL

if TYPE_CHECKING:
    from pydantic import BaseModel, GetCoreSchemaHandler
    from pydantic_core import CoreSchema

    from ._inheritance import Family
    from .model import Model

Kind = Literal["create", "update", "read"]


def core_schema(model: type[Model], handler: GetCoreSchemaHandler) -> CoreSchema:
    """How pydantic validates and serializes the records of a model, and of those that its relations lead to."""
    from pydantic_core import core_schema as schemas

    reached = [model]
    for each in reached:
        targets = [relation._target() for relation in each.__relations__.values()]
        if (family := _family(each)) is not None:
            targets += family.parts.values()
        reached += [target for target in dict.fromkeys(targets) if target not in reached]
    return schemas.definitions_schema(
        schemas.definition_reference_schema(_reference(model)), [_record_schema(each, handler) for each in reached]
    )


def _reference(model: type[Model]) -> str:
    return f"{model.__module__}.{model.__qualname__}:{id(model)}"


def _family(model: type[Model]) -> Family | None:
    """That of a model whose records may be of classes derived from it."""
    return model.__dict__.get("__family__")


def _is_hidden(field: Column[Any] | Ignored) -> bool:
    """Whether it is kept out of JSON."""
    return field._options.get("json_key") == ""


def _record_schema(model: type[Model], handler: GetCoreSchemaHandler) -> CoreSchema:
    from pydantic_core import core_schema as schemas

    family = _family(model)
    fields, shown = _own_schemas(model, handler)
    accepted, told = {model: fields}, {model: shown}
    if family is not None:
        parts = {value: part for value, part in family.parts.items() if part is not model}
        given: dict[Any, Any] = {
            value: schemas.definition_reference_schema(_reference(part)) for value, part in parts.items()
        }
        own = next((value for value, part in family.parts.items() if part is model), _OTHER)
        if own is not _OTHER or family.keep_unknown:
            given[own] = fields
        else:
            accepted, told = {}, {}
        for schemas_of in (accepted, told):
            schemas_of |= {part: schemas.definition_reference_schema(_reference(part)) for part in parts.values()}
        fields = schemas.tagged_union_schema(
            given,
            lambda values: _kind(family, values, own),
            custom_error_type="discriminator",
            custom_error_message=f"{family.discriminator} says of which class a {model.__name__} is: one of "
            + ", ".join(map(repr, family.parts)),
        )
        out: dict[Any, Any] = {_reference(part): _own_schemas(part, handler)[1] for part in parts.values()}
        out[_reference(model)] = shown
        shown = schemas.tagged_union_schema(out, lambda values: values.reference)
    taken = schemas.no_info_wrap_validator_function(
        lambda value, validate: value if isinstance(value, model) else validate(value), fields
    )
    return schemas.json_or_python_schema(
        json_schema=fields,
        python_schema=taken,
        # What is to be included and excluded the inner schema heeds.
        serialization=schemas.wrap_serializer_function_ser_schema(
            lambda record, serialize: serialize(loaded_values(record)), schema=shown
        ),
        ref=_reference(model),
        metadata={"pydantic_js_functions": [lambda _, handler: _json_schema(model, accepted, told, handler)]},
    )


def _json_schema(model: type[Model], given: Any, shown: Any, handler: Any) -> Any:
    """What JSON may be of a model: of what comes in or, where that is asked for, of what goes out.

    given, shown: schemas by class, the model's own among them where its table has rows of it.
    """
    schemas = shown if handler.mode == "serialization" else given
    family = _family(model) or family_of(model)
    if family is None:
        return handler(schemas[model])
    own = handler(schemas[model]) if model in schemas else None
    kinds = [value for value, part in family.parts.items() if part is model]
    if own is not None and family.discriminator in own.get("properties", {}):
        others = [value for value in family.parts if value not in kinds]
        said = {"const": kinds[0]} if kinds else {"not": {"enum": others}} if others else {}
        own["properties"][family.discriminator].update(said)
    parts = {part: handler(schema) for part, schema in schemas.items() if part is not model}
    if not parts:
        return own
    mapping = {str(value): parts[part]["$ref"] for value, part in family.parts.items() if "$ref" in parts.get(part, {})}
    choices = [*parts.values(), *([own] if own is not None else [])]
    return {"oneOf": choices, "discriminator": {"propertyName": family.discriminator, "mapping": mapping}}


# The tag of records that no value of the discriminator tells apart.
_OTHER = "(other)"


def _kind(family: Family, values: Any, own: Any) -> Any:
    """The tag of the class that a record's values say that it is of."""
    if not isinstance(values, dict):
        return None
    value = values.get(family.discriminator, MISSING)
    if value is MISSING:
        return own
    kind = family.kind_of(value)
    return own if kind is None and family.keep_unknown else kind


def _own_schemas(model: type[Model], handler: GetCoreSchemaHandler) -> tuple[CoreSchema, CoreSchema]:
    """What comes in as a record of exactly this class, and the values that come out of one."""
    from pydantic_core import core_schema as schemas

    given: dict[str, Any] = {}
    shown: dict[str, Any] = {}
    for name, field in model.__fields__.items():
        if _is_hidden(field):
            continue
        schema = handler.generate_schema(annotation_of(field))
        default = field._options.get("default", MISSING)
        if default is not MISSING:
            schema = schemas.with_default_schema(schema, default=default)
        # A key that the file makes is None until then.
        taken = schemas.nullable_schema(schema) if field._options.get("made") else schema
        given[name] = schemas.typed_dict_field(taken, required=default is MISSING and is_needed(field._options))
        if isinstance(field, Column):
            shown[name] = schemas.typed_dict_field(schema)
    for name, relation in model.__relations__.items():
        given[name] = shown[name] = schemas.typed_dict_field(_relation_schema(relation), required=False)
    fields = schemas.typed_dict_schema(given, cls_name=model.__name__)
    made = schemas.no_info_after_validator_function(lambda values: make_record(model, values), fields)
    return made, schemas.typed_dict_schema(shown, cls_name=model.__name__)


def _relation_schema(relation: Relation[Any]) -> Any:
    from pydantic_core import core_schema as schemas

    target = schemas.definition_reference_schema(_reference(relation._target()))
    return schemas.list_schema(target) if isinstance(relation, ToMany) else schemas.nullable_schema(target)


def annotation_of(field: Column[Any] | Ignored) -> Any:
    """What pydantic is told of a field's type."""
    from pydantic import AwareDatetime, Field

    if isinstance(field, Column) and (scale := field._options.get("scale")) is not None:
        return Annotated[field.annotation, Field(decimal_places=scale)]
    if (
        not isinstance(field, Column)
        or field.type_name not in ("datetime", "offset_datetime")
        or field._options.get("transform")
    ):
        return field.annotation
    # Without a zone it could not be inserted.
    aware: Any = Optional[AwareDatetime] if field.nullable else AwareDatetime  # noqa: UP045
    metadata = (aware, *getattr(field.annotation, "__metadata__", ()))
    return Annotated[metadata] if len(metadata) > 1 else aware


def make_record(model: type[Model], values: dict[str, Any]) -> Model:
    """A record with these values; those that __init__ does not take are set afterwards."""
    for name, field in model.__fields__.items():
        if _is_hidden(field) and is_needed(field._options):
            raise ValueError(f'{model.__name__}.{name} has json_key="" and no default, so no record comes of JSON')
    family = family_of(model)
    if family is not None and (kind := values.get(family.discriminator, MISSING)) is not MISSING:
        known = family.parts.get(family.kind_of(kind))
        if known is not model:
            raise ValueError(f"{family.discriminator} is {kind!r}, which no {model.__name__} has")
    taken = _taken(model)
    record = model(**{name: value for name, value in values.items() if name in taken})
    for name, value in values.items():
        if name in model.__relations__:
            relate(record, name, value)
        elif name not in taken:
            setattr(record, name, value)
    return record


def _taken(model: type[Model]) -> set[str]:
    """What __init__ takes, but for relations."""
    return {name for name, field in model.__fields__.items() if field._options.get("init", True)}


class _Values(dict[str, Any]):
    """What a record shows, and of which class it is."""

    reference: str


def loaded_values(record: Model) -> dict[str, Any]:
    """The columns of a record that JSON has, and its relations that are loaded."""
    loaded = vars(record)
    names = [name for name, field in record.__fields__.items() if isinstance(field, Column) and not _is_hidden(field)]
    names += [name for name in record.__relations__ if name in loaded]
    values = _Values((name, None if (value := getattr(record, name)) is JSON_NULL else value) for name in names)
    values.reference = _reference(type(record))
    return values


def derived(
    model: type[Model], kind: Kind, name: str | None, exclude: Sequence[str], relations: Sequence[str]
) -> type[BaseModel]:
    """Model.pydantic()."""
    from pydantic import ConfigDict, create_model

    if kind not in ("create", "update", "read"):
        raise ProgrammingError(f"there is no kind {kind!r}", hint="use one of create, update, read")
    if kind != "read" and relations:
        raise ProgrammingError(f"relations to {kind}", hint='give them with the kind "read"')
    for given in (*exclude, *relations):
        if given not in model.__fields__ and given not in model.__relations__:
            raise ProgrammingError(f"{model.__name__} has no {given!r}", hint="give names of its columns and relations")
    fields: dict[str, Any] = {}
    taken = _taken(model)
    for column in model.__model__.columns:
        is_given = kind == "read" or not _is_generated(model, column)
        if kind == "create":
            is_given = is_given and column.name in taken
        if is_given and column.name not in exclude and not _is_hidden(column):
            # A column of a derived class is not in all records.
            default = _default(column, kind) if column.name in model.__fields__ else None
            fields[column.name] = (annotation_of(column), default)
    for relation in relations:
        target = derived(model.__relations__[relation]._target(), "read", None, (), ())
        to_many = isinstance(model.__relations__[relation], ToMany)
        fields[relation] = (list[target] if to_many else target | None, ...)  # type: ignore[valid-type]
    return create_model(
        name or f"{model.__name__}{kind.capitalize()}",
        __config__=ConfigDict(from_attributes=True),
        __module__=model.__module__,
        **fields,
    )


def _is_generated(model: type[Model], column: Column[Any]) -> bool:
    """Whether the database gives it its value."""
    is_key = model.__model__.generates_key and model.__model__.key == (column.name,)
    return is_key or is_made(column)


def _default(column: Column[Any], kind: Kind) -> Any:
    from pydantic import Field

    if kind == "update":
        return None  # which stands for nothing: pydantic knows what was set
    if kind == "read":
        return ...
    options = column._options
    if (factory := options.get("default_factory", MISSING)) is not MISSING:
        return Field(default_factory=factory)
    if (default := options.get("default", MISSING)) is not MISSING:
        return default
    return ...
