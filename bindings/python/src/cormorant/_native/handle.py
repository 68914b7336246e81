"""What the library gives out, as objects. In no other module is a handle a number."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

if TYPE_CHECKING:
    from .._model_info import ModelInfo


class Handle(ctypes.c_void_p):
    """Something that the library holds. Calls take it as it is, so that it lives until they return; it is freed when
    nobody holds it any more.

    marshal writes its number, so a tree of expressions holds the models that it is of.
    """

    # The library's function that frees it; "": another call ends it, and its number is never freed.
    freed_by: ClassVar[str] = ""
    # What it was, once its owner has closed it.
    closed_as = ""
    _free: ClassVar[Any]

    def free(self) -> None:
        """Frees it now, for its only holder."""
        if self:
            self._free(self)
            self.value = None

    __del__ = free

    def __reduce__(self) -> NoReturn:
        raise TypeError("a handle cannot be copied or pickled: it is freed once, and means nothing elsewhere")


class DatabaseHandle(Handle):
    pass


class RegistryHandle(Handle):
    pass


class QueueHandle(Handle):
    pass


class ModelHandle(Handle):
    freed_by = "corm_model_free"
    # What is known of the model here.
    info: ModelInfo


class StatementHandle(Handle):
    freed_by = "corm_statement_free"


class ExpressionHandle(Handle):
    freed_by = "corm_expr_free"


class CursorHandle(Handle):
    freed_by = "corm_result_close"


class ReaderHandle(Handle):
    freed_by = "corm_json_reader_free"


class ObserverHandle(Handle):
    freed_by = "corm_observer_close"


class BatchHandle(Handle):
    freed_by = "corm_batch_free"


class ListenerHandle(Handle):
    freed_by = "corm_listener_close"


class StoreHandle(Handle):
    freed_by = "corm_store_close"


class SchemaHandle(Handle):
    freed_by = "corm_schema_free"


class MetadataHandle(Handle):
    freed_by = "corm_metadata_free"


class PlanHandle(Handle):
    freed_by = "corm_plan_free"


class BundleHandle(Handle):
    freed_by = "corm_bundle_free"


class StatesHandle(Handle):
    freed_by = "corm_bundle_states_free"


def array_of(handles: Sequence[Handle]) -> Any:
    """A C array that holds the handles in it."""
    array: Any = (ctypes.c_void_p * len(handles))(*[handle.value for handle in handles])
    array.handles = handles
    return array


def set_member(struct: Any, member: str, handle: Handle) -> None:
    """Puts a handle into a struct, which holds it from then on."""
    setattr(struct, member, handle.value)
    struct.held.append(handle)
