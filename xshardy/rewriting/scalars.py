"""
Scalar arithmetic written as Python expressions.

`(x & 0x7F) << 8` on a `Scalar` inserts the operations of `arith` that compute it. A Python number takes the type of the
other operand. Shifts to the right, comparisons and widenings of integers are unsigned.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

INTEGER_COMPARISONS: Mapping[str, str] = {"<": "ult", "<=": "ule", ">": "ugt", ">=": "uge", "==": "eq", "!=": "ne"}
FLOAT_COMPARISONS: Mapping[str, str] = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}

BinaryOp = Callable[[SSAValue, SSAValue], Operation]
"""Makes an operation of two operands."""


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A value of an integer or float type, and the builder that inserts what is computed from it."""

    value: SSAValue
    builder: Builder

    # -- Making ------------------------------------------------------------------------------------------------------

    @property
    def type(self) -> Attribute:
        return self.value.type

    @property
    def is_integer(self) -> bool:
        return isinstance(self.value.type, IntegerType)

    def insert(self, op: Operation) -> "Scalar":
        """Insert `op`; gives its only result."""
        return Scalar(self.builder.insert(op).results[0], self.builder)

    def constant(self, number: int | float, type: Attribute | None = None) -> "Scalar":
        """`number` as a constant of `type`, or of this scalar's type."""
        type = type or self.type
        if isa(type, IntegerType):
            return self.insert(arith.ConstantOp(IntegerAttr(int(number), type, truncate_bits=True)))
        assert isinstance(type, AnyFloat)
        return self.insert(arith.ConstantOp(FloatAttr(float(number), type)))

    def _operand(self, other: "Scalar | int | float") -> SSAValue:
        return other.value if isinstance(other, Scalar) else self.constant(other).value

    def _binary(
        self, on_integers: BinaryOp | None, on_floats: BinaryOp | None, other: "Scalar | int | float"
    ) -> "Scalar":
        op = on_integers if self.is_integer else on_floats
        if op is None:
            raise TypeError(f"no such operation on values of type {self.type}")
        return self.insert(op(self.value, self._operand(other)))

    # -- Arithmetic --------------------------------------------------------------------------------------------------

    def __add__(self, other: "Scalar | int | float") -> "Scalar":
        return self._binary(arith.AddiOp, arith.AddfOp, other)

    def __sub__(self, other: "Scalar | int | float") -> "Scalar":
        return self._binary(arith.SubiOp, arith.SubfOp, other)

    def __mul__(self, other: "Scalar | int | float") -> "Scalar":
        return self._binary(arith.MuliOp, arith.MulfOp, other)

    def __truediv__(self, other: "Scalar | float") -> "Scalar":
        return self._binary(None, arith.DivfOp, other)

    def __neg__(self) -> "Scalar":
        """This float with the other sign."""
        return self.insert(arith.NegfOp(self.value))

    def __and__(self, other: "Scalar | int") -> "Scalar":
        return self._binary(arith.AndIOp, None, other)

    def __or__(self, other: "Scalar | int") -> "Scalar":
        return self._binary(arith.OrIOp, None, other)

    def __xor__(self, other: "Scalar | int") -> "Scalar":
        return self._binary(arith.XOrIOp, None, other)

    def __lshift__(self, other: "Scalar | int") -> "Scalar":
        return self._binary(arith.ShLIOp, None, other)

    def __rshift__(self, other: "Scalar | int") -> "Scalar":
        return self._binary(arith.ShRUIOp, None, other)

    def shift_right_signed(self, bits: int) -> "Scalar":
        """This integer shifted to the right, with copies of its sign on the left."""
        return self._binary(arith.ShRSIOp, None, bits)

    def minimum(self, other: "Scalar | float") -> "Scalar":
        """The smaller one; NaN if one is NaN."""
        return self._binary(arith.MinUIOp, arith.MinimumfOp, other)

    def maximum(self, other: "Scalar | float") -> "Scalar":
        """The greater one; NaN if one is NaN."""
        return self._binary(arith.MaxUIOp, arith.MaximumfOp, other)

    def copysign(self, sign: "Scalar") -> "Scalar":
        """This magnitude with the sign of `sign`."""
        return self.insert(math.CopySignOp(self.value, sign.value))

    def fma(self, factor: "Scalar", addend: "Scalar | float") -> "Scalar":
        """`self * factor + addend`, rounded once."""
        return self.insert(math.FmaOp(self.value, factor.value, self._operand(addend)))

    def maximum_number(self, other: "Scalar") -> "Scalar":
        """The greater one; the other one if one is NaN."""
        return self.insert(arith.MaxnumfOp(self.value, other.value))

    def atan2(self, x: "Scalar") -> "Scalar":
        """The angle of the point (`x`, `self`)."""
        return self.insert(math.Atan2Op(self.value, x.value))

    def apply(self, function: Callable[[SSAValue], Operation]) -> "Scalar":
        """A function of this value, such as `math.ExpOp`."""
        return self.insert(function(self.value))

    def sqrt(self) -> "Scalar":
        """The square root; NaN for a negative number."""
        return self.insert(math.SqrtOp(self.value))

    def truncated(self) -> "Scalar":
        """This float without its fraction."""
        return self.insert(math.TruncOp(self.value))

    def __abs__(self) -> "Scalar":
        return self.insert(math.AbsFOp(self.value))

    # -- Choosing ----------------------------------------------------------------------------------------------------

    def compare(self, relation: str, other: "Scalar | int | float") -> "Scalar":
        """`self relation other` as an i1, for one of `<`, `<=`, `>`, `>=`, `==`, `!=`; only `!=` holds for NaNs."""
        operand = self._operand(other)
        if self.is_integer:
            return self.insert(arith.CmpiOp(self.value, operand, INTEGER_COMPARISONS[relation]))
        return self.insert(arith.CmpfOp(self.value, operand, FLOAT_COMPARISONS[relation]))

    def is_nan(self) -> "Scalar":
        """Whether this float is NaN, as an i1."""
        return self.insert(arith.CmpfOp(self.value, self.value, "uno"))

    def select(self, if_true: "Scalar | int | float", if_false: "Scalar") -> "Scalar":
        """One of two values, by this i1. A number has the type of the other value."""
        chosen = if_true if isinstance(if_true, Scalar) else if_false.constant(if_true)
        return self.insert(arith.SelectOp(self.value, chosen.value, if_false.value))

    # -- Converting --------------------------------------------------------------------------------------------------

    def bitcast(self, type: Attribute) -> "Scalar":
        """The same bits as another type."""
        return self if self.type == type else self.insert(arith.BitcastOp(self.value, type))

    def resize(self, type: IntegerType) -> "Scalar":
        """This integer in another width: zeros are added, or the highest bits dropped."""
        assert isa(self.type, IntegerType)
        if self.type == type:
            return self
        cast = arith.ExtUIOp if self.type.bitwidth < type.bitwidth else arith.TruncIOp
        return self.insert(cast(self.value, type))

    def from_signed(self, type: AnyFloat) -> "Scalar":
        """This signed integer as a float, rounded."""
        return self.insert(arith.SIToFPOp(self.value, type))

    def from_unsigned(self, type: AnyFloat) -> "Scalar":
        """This unsigned integer as a float, rounded."""
        return self.insert(arith.UIToFPOp(self.value, type))

    def to_float(self, type: AnyFloat) -> "Scalar":
        """This float as another, wider or narrower type."""
        assert isinstance(self.type, AnyFloat)
        if self.type == type:
            return self
        cast = arith.ExtFOp if self.type.bitwidth < type.bitwidth else arith.TruncFOp
        return self.insert(cast(self.value, type))
