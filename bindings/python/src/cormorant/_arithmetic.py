"""The operators that calculate: + - * / %."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

from ._native import abi
from ._operand import Operand, decimals_of

if TYPE_CHECKING:
    from .expression import Expression

T_co = TypeVar("T_co", covariant=True)
Number: TypeAlias = "Arithmetic[int | float | None]"
Exact: TypeAlias = "Arithmetic[Decimal | int | None]"
Integer: TypeAlias = "Arithmetic[int | None]"
Span: TypeAlias = "Arithmetic[timedelta | None]"
# Those that are never NULL.
PresentNumber: TypeAlias = "Arithmetic[int | float]"
PresentExact: TypeAlias = "Arithmetic[Decimal | int]"
PresentInteger: TypeAlias = "Arithmetic[int]"
PresentSpan: TypeAlias = "Arithmetic[timedelta]"


class Arithmetic(Operand, Generic[T_co]):
    """The operators of Expression that calculate, as it says."""

    __slots__ = ()

    @overload
    def __add__(self: PresentSpan, other: timedelta | PresentSpan) -> Expression[timedelta]: ...
    @overload
    def __add__(self: Span, other: timedelta | Span) -> Expression[timedelta | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __add__(self: PresentInteger, other: int | PresentInteger) -> Expression[int]: ...  # type: ignore[overload-overlap]
    @overload
    def __add__(self: Integer, other: int | Integer) -> Expression[int | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __add__(self: PresentExact, other: Decimal | int | PresentExact) -> Expression[Decimal]: ...  # type: ignore[overload-overlap]
    @overload
    def __add__(self: Exact, other: Decimal | int | Exact) -> Expression[Decimal | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __add__(self: PresentNumber, other: float | PresentNumber) -> Expression[float]: ...
    @overload
    def __add__(self: Number, other: float | Number) -> Expression[float | None]: ...
    def __add__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_ADD, self, other)

    @overload
    def __sub__(self: PresentSpan, other: timedelta | PresentSpan) -> Expression[timedelta]: ...
    @overload
    def __sub__(self: Span, other: timedelta | Span) -> Expression[timedelta | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __sub__(self: PresentInteger, other: int | PresentInteger) -> Expression[int]: ...  # type: ignore[overload-overlap]
    @overload
    def __sub__(self: Integer, other: int | Integer) -> Expression[int | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __sub__(self: PresentExact, other: Decimal | int | PresentExact) -> Expression[Decimal]: ...  # type: ignore[overload-overlap]
    @overload
    def __sub__(self: Exact, other: Decimal | int | Exact) -> Expression[Decimal | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __sub__(self: PresentNumber, other: float | PresentNumber) -> Expression[float]: ...
    @overload
    def __sub__(self: Number, other: float | Number) -> Expression[float | None]: ...
    def __sub__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_SUBTRACT, self, other)

    @overload
    def __mul__(self: PresentInteger, other: int | PresentInteger) -> Expression[int]: ...  # type: ignore[overload-overlap]
    @overload
    def __mul__(self: Integer, other: int | Integer) -> Expression[int | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __mul__(self: PresentExact, other: Decimal | int | PresentExact) -> Expression[Decimal]: ...  # type: ignore[overload-overlap]
    @overload
    def __mul__(self: Exact, other: Decimal | int | Exact) -> Expression[Decimal | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __mul__(self: PresentNumber, other: float | PresentNumber) -> Expression[float]: ...
    @overload
    def __mul__(self: Number, other: float | Number) -> Expression[float | None]: ...
    def __mul__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_MULTIPLY, self, other)

    @overload
    def __truediv__(self: PresentInteger, other: int | PresentInteger) -> Expression[int]: ...  # type: ignore[overload-overlap]
    @overload
    def __truediv__(self: Integer, other: int | Integer) -> Expression[int | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __truediv__(self: PresentNumber, other: float | PresentNumber) -> Expression[float]: ...
    @overload
    def __truediv__(self: Number, other: float | Number) -> Expression[float | None]: ...
    def __truediv__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_DIVIDE, self, other)

    @overload
    def __mod__(self: PresentInteger, other: int | PresentInteger) -> Expression[int]: ...  # type: ignore[overload-overlap]
    @overload
    def __mod__(self: Integer, other: int | Integer) -> Expression[int | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __mod__(self: PresentNumber, other: float | PresentNumber) -> Expression[float]: ...
    @overload
    def __mod__(self: Number, other: float | Number) -> Expression[float | None]: ...
    def __mod__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_REMAINDER, self, other)

    @overload
    def __radd__(self: PresentInteger, other: int) -> Expression[int]: ...  # type: ignore[overload-overlap]
    @overload
    def __radd__(self: Integer, other: int) -> Expression[int | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __radd__(self: PresentExact, other: Decimal | int) -> Expression[Decimal]: ...
    @overload
    def __radd__(self: Exact, other: Decimal | int) -> Expression[Decimal | None]: ...
    @overload
    def __radd__(self: PresentNumber, other: float) -> Expression[float]: ...
    @overload
    def __radd__(self: Number, other: float) -> Expression[float | None]: ...
    def __radd__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_ADD, other, self)

    @overload
    def __rsub__(self: PresentInteger, other: int) -> Expression[int]: ...  # type: ignore[overload-overlap]
    @overload
    def __rsub__(self: Integer, other: int) -> Expression[int | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __rsub__(self: PresentExact, other: Decimal | int) -> Expression[Decimal]: ...
    @overload
    def __rsub__(self: Exact, other: Decimal | int) -> Expression[Decimal | None]: ...
    @overload
    def __rsub__(self: PresentNumber, other: float) -> Expression[float]: ...
    @overload
    def __rsub__(self: Number, other: float) -> Expression[float | None]: ...
    def __rsub__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_SUBTRACT, other, self)

    @overload
    def __rmul__(self: PresentInteger, other: int) -> Expression[int]: ...  # type: ignore[overload-overlap]
    @overload
    def __rmul__(self: Integer, other: int) -> Expression[int | None]: ...  # type: ignore[overload-overlap]
    @overload
    def __rmul__(self: PresentExact, other: Decimal | int) -> Expression[Decimal]: ...
    @overload
    def __rmul__(self: Exact, other: Decimal | int) -> Expression[Decimal | None]: ...
    @overload
    def __rmul__(self: PresentNumber, other: float) -> Expression[float]: ...
    @overload
    def __rmul__(self: Number, other: float) -> Expression[float | None]: ...
    def __rmul__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_MULTIPLY, other, self)

    @overload
    def __rtruediv__(self: PresentInteger, other: int) -> Expression[int]: ...
    @overload
    def __rtruediv__(self: PresentNumber, other: float) -> Expression[float]: ...
    @overload
    def __rtruediv__(self: Integer, other: int) -> Expression[int | None]: ...
    @overload
    def __rtruediv__(self: Number, other: float) -> Expression[float | None]: ...
    def __rtruediv__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_DIVIDE, other, self)

    @overload
    def __rmod__(self: PresentInteger, other: int) -> Expression[int]: ...
    @overload
    def __rmod__(self: PresentNumber, other: float) -> Expression[float]: ...
    @overload
    def __rmod__(self: Integer, other: int) -> Expression[int | None]: ...
    @overload
    def __rmod__(self: Number, other: float) -> Expression[float | None]: ...
    def __rmod__(self, other: Any) -> Expression[Any]:
        return self._calculate(abi.CORM_OP_REMAINDER, other, self)

    @overload
    def __neg__(self: Arithmetic[bool]) -> Expression[int]: ...
    @overload
    def __neg__(self: Arithmetic[bool | None]) -> Expression[int | None]: ...
    @overload
    def __neg__(self) -> Expression[T_co]: ...
    def __neg__(self) -> Expression[Any]:
        return self._unary(abi.CORM_OP_NEGATE, decimals_of(self))

    def _calculate(self, operation: int, left: Any, right: Any) -> Expression[Any]:
        raise NotImplementedError

    def _unary(self, operation: int, column: Any = None) -> Expression[Any]:
        raise NotImplementedError
