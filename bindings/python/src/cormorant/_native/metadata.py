"""The calls of the library on metadata, which comes as JSON."""

from __future__ import annotations

from .call import call_handle
from .handle import DatabaseHandle, MetadataHandle, SchemaHandle
from .library import info_of, library, to_text


def read_metadata(database: DatabaseHandle) -> str:
    """The metadata of a database as JSON."""
    return _metadata_json(call_handle(MetadataHandle, library.corm_metadata_read, database))


def create_metadata(schema: SchemaHandle) -> str:
    """The metadata of a schema as JSON."""
    return _metadata_json(call_handle(MetadataHandle, library.corm_metadata_create, schema))


def _metadata_json(metadata: MetadataHandle) -> str:
    return to_text(info_of("corm_metadata", metadata).json) or ""
