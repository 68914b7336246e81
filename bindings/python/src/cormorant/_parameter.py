"""Parameters of a tree: which values they stand beside, so that theirs are encoded as those, and what gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ._native import abi
from ._native.expression import Node
from ._native.library import utf8
from .error import ProgrammingError
from .value import named_value, type_name

Encoder = Callable[[Any], Any]
Factory = Callable[[], Any]


class Beside(NamedTuple):
    """What a parameter stands beside."""

    # The column of those values; None where there is none.
    column: Any
    # Makes of a value what is bound; None where its type alone says that.
    encode: Encoder | None
    # Whether values of the column's type have a form there that nobody else knows.
    is_own: bool

    def differs(self, other: Beside) -> bool:
        if self.column is None or other.column is None:
            return self.is_own or other.is_own
        transforms: tuple[object, object] = self.column.transform, other.column.transform
        return transforms[0] != transforms[1]

    def __repr__(self) -> str:
        if self.column is None:
            return "an expression"
        is_column = hasattr(self.column, "column_name")
        return repr(self.column) if is_column else f"values of type {self.column.type_name}"


_NOTHING = Beside(None, None, False)
_NULL_TESTS = abi.CORM_OP_IS_NULL, abi.CORM_OP_IS_NOT_NULL


class ParameterName(bytes):
    """The name of a parameter where a tree has it; marshal writes its bytes, the walk below finds what it knows."""

    name: str
    # One, or of a parameter that is given a list those of each value in a row.
    beside: tuple[Beside, ...]
    is_list: bool
    factory: Factory | None


def parameter_node(node: Node, *beside: Beside, is_list: bool = False) -> Node:
    """The node of a parameter that stands beside values."""
    known = node[1]
    is_known = isinstance(known, ParameterName)
    return _node(known.name if is_known else known, beside, is_list, known.factory if is_known else None)


def made_parameter(name: str, factory: Factory) -> Node:
    """The node of a parameter whose value a factory gives each time that the statement runs."""
    return _node(name, (_NOTHING,), False, factory)


def _node(name: str, beside: tuple[Beside, ...], is_list: bool, factory: Factory | None) -> Node:
    made = ParameterName(utf8(name, "the name of a parameter"))
    made.name, made.beside, made.is_list, made.factory = name, beside, is_list, factory
    return abi.CORM_NODE_PARAMETER, made


class Parameters:
    """Those of a statement. encoders: what encodes their values, where it is needed. factories: what gives values."""

    def __init__(self, statement: Node) -> None:
        self._names: dict[str, tuple[Beside, ...]] = {}
        # Those that are asked whether they are NULL, which is the same in every encoding.
        self._tested: set[str] = set()
        self.encoders: dict[str, Encoder] = {}
        self.factories: dict[str, Factory] = {}
        pending: list[Any] = [statement]
        while pending:
            item = pending.pop()
            if isinstance(item, tuple) and len(item) == 2 and item[0] == abi.CORM_NODE_PARAMETER:
                self._note(item[1])
                continue
            if item[0] == abi.CORM_NODE_UNARY and item[1] in _NULL_TESTS:
                operand: Any = item[-1]
                if operand[0] == abi.CORM_NODE_PARAMETER:
                    known = operand[1]
                    self._tested.add(known.name if isinstance(known, ParameterName) else known)
                    continue
            # The values of an IN are no nodes, and there may be very many.
            parts = item[:2] if item[0] == abi.CORM_NODE_IN else item
            # In the order in which they stand, in which factories are called.
            pending += [part for part in reversed(parts) if isinstance(part, tuple | list) and part]

    def _note(self, given: str | ParameterName) -> None:
        if isinstance(given, ParameterName):
            name, beside, is_list, factory = given.name, given.beside, given.is_list, given.factory
        else:
            name, beside, is_list, factory = given, (_NOTHING,), False, None
        known = self._names.setdefault(name, beside)
        if known is not beside:
            if self.factories.get(name) is not factory:
                raise ProgrammingError(f"a parameter is called {name!r}", hint="give it another name")
            if len(known) != len(beside) or any(map(Beside.differs, known, beside)):
                raise ProgrammingError(
                    f"parameter {name!r} stands beside {_shown(known)} and {_shown(beside)}, which encode their values "
                    "differently",
                    hint="give them two parameters",
                )
        if factory is not None:
            self.factories[name] = factory
        if is_list:
            self.encoders[name] = _ListEncoder(name, beside)
        elif beside[0].encode is not None:
            self.encoders.setdefault(name, beside[0].encode)

    def values(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is given, and what the factories give now."""
        if not self.factories:
            return given
        names = [name for name in {**self._names, **dict.fromkeys(self._tested)} if name not in self.factories]
        for name in given:
            if name not in names:
                raise ProgrammingError(
                    f'the statement has no parameter "{name}"',
                    code="CORM_E_BINDING",
                    hint=f"it has {', '.join(names)}" if names else "it has no parameters",
                )
        return {**given, **{name: make() for name, make in self.factories.items()}}


def _shown(beside: Sequence[Beside]) -> str:
    return ", ".join(map(repr, beside))


class _ListEncoder:
    """Makes of the values of an IN, or of its rows, a list of values one after the other."""

    def __init__(self, name: str, beside: Sequence[Beside]) -> None:
        self._name = name
        self._encoders = [item.encode or self._plain for item in beside]

    def _plain(self, value: Any) -> Any:
        return named_value(f"parameter {self._name!r}", value)

    def __call__(self, values: Any) -> list[Any]:
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise ProgrammingError(
                f"parameter {self._name!r} takes a list, and is given a {type_name(values)}",
                code="CORM_E_BINDING",
                hint="give the values of in_() as a list, of one where there is one",
            )
        if len(self._encoders) == 1:
            return list(map(self._encoders[0], values))
        encoded: list[Any] = []
        for row in values:
            if not isinstance(row, tuple | list) or len(row) != len(self._encoders):
                raise ProgrammingError(
                    f"parameter {self._name!r} takes rows of {len(self._encoders)} values, and is given {row!r}",
                    code="CORM_E_BINDING",
                    hint="give a list of tuples",
                )
            encoded += [encode(value) for encode, value in zip(self._encoders, row)]
        return encoded
