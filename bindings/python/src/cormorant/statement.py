"""Statements as values: what all kinds of them have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from ._native import abi
from ._native import statement as native_statement
from ._native.expression import Node
from ._parameter import Parameters
from ._shape import Shape
from ._sharing import share
from ._source import SourceName, with_common_tables
from ._text_option import refuse_no_names
from .column import MISSING
from .error import Error, ProgrammingError
from .value import Bindings, dump_parameters

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._model_info import ModelInfo

R_co = TypeVar("R_co", covariant=True)


class Statement:
    """A statement that never changes: each method gives another one. It belongs to no database.

    What the library makes of it is kept with it, so that running it again costs neither compiling nor preparing.
    """

    def __init__(self, kind: int, info: ModelInfo | None, alias: str | None, parts: tuple[Node, ...] = ()) -> None:
        self._kind = kind
        self._info = info
        self._alias = alias
        self._parts = parts
        self._compiled: Compiled | None = None
        share(self)

    @property
    def sql(self) -> tuple[str, tuple[Any, ...]]:
        """SQL text and what is bound to its `?`, in order; a parameter stands there as a tuple of its name."""
        return native_statement.statement_sql(self._compile().handle)

    def __repr__(self) -> str:
        try:
            return f"<{type(self).__name__} {self.sql[0]}>"
        except Error as error:
            return f"<{type(self).__name__}: {error}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a statement cannot be pickled: it refers to models of this process")

    # It never changes, so its copy is itself.

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def _with(self, *parts: Node, **changes: Any) -> Self:
        """This statement with more said of it."""
        statement = object.__new__(type(self))
        statement.__dict__.update(self.__dict__, _parts=self._parts + parts, _compiled=None, **changes)
        return statement

    def _tree(self) -> Node:
        """The statement as tree.h has it."""
        return self._kind, self._info.handle if self._info else None, self._alias, list(self._parts)

    def _compile(self) -> Compiled:
        if self._compiled is None:
            tree = self._tree()
            self._compiled = Compiled(with_common_tables(tree) if SourceName.are_in_use else tree)
        return self._compiled

    def _parameters(self, bindings: Bindings, parameters: dict[str, Any]) -> bytes | None:
        """Values of parameters, given as a mapping and as keywords, as the library takes them."""
        if bindings:
            if not isinstance(bindings, Mapping):
                raise ProgrammingError("bindings without names", hint="give parameters as keywords or as a dict")
            refuse_no_names("parameters are a dict of names and values", bindings)
            parameters = {**bindings, **parameters}
        if not parameters and not self._makes_values():
            return None
        known = self._compile().parameters
        values = known.values(parameters)
        return dump_parameters(values, known.encoders) if values else None

    def _makes_values(self) -> bool:
        """Whether it may have parameters to which it gives values itself."""
        defaults = self._info.defaults if self._kind == abi.CORM_INSERT and self._info else ()
        return any(factory is not MISSING for _, _, factory in defaults)


class Query(Statement, Generic[R_co]):
    """A statement whose rows come as R: a SELECT, or one that writes and returns."""

    # The relations of its records that are loaded with them, as calls of load() have them: some, and its options.
    _loads: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = ()

    def __init__(
        self, kind: int, info: ModelInfo | None, alias: str | None, parts: tuple[Node, ...], shape: Shape
    ) -> None:
        super().__init__(kind, info, alias, parts)
        self._shape = shape

    def _refuse_loads(self, what: str) -> None:
        if self._loads:
            raise ProgrammingError(
                f"{what} loads no relations", hint="take load() off the query, and load() them for the records it gives"
            )


class Compiled:
    """A statement that the library holds."""

    __slots__ = ("_parameters", "_tree", "handle")

    def __init__(self, tree: Node) -> None:
        self._tree = tree
        self._parameters: Parameters | None = None
        self.handle = native_statement.make_statement(tree)

    @property
    def parameters(self) -> Parameters:
        """What is known of its parameters; made when first needed."""
        if self._parameters is None:
            self._parameters = Parameters(self._tree)
        return self._parameters
