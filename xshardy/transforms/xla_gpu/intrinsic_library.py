"""
XLA's library of float functions: their names, types and bodies.

A function computes one operation of `math` or `arith`, on a scalar or on a vector of one of several lengths:
`@xla.exp.v4f64` is `math.exp` on a `vector<4xf64>`. `erf` of f64 was the function of the C library. Source: XLA's
emitters, `xla-lower-xla-intrinsic-lib` and the classes of intrinsics that it uses.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    VectorType,
    bf16,
    f32,
    f64,
)
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.utils.hints import isa

from xshardy.affine.spelling import Spelling, spelling

SCALAR = 0
"""The length that stands for a scalar."""


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """The functions for one operation and one pair of element types."""

    operation: type[Operation]
    name: str
    argument: AnyFloat
    result: AnyFloat
    lengths: frozenset[int]
    """The supported vector lengths; `SCALAR` for scalars."""
    in_c_library: bool = False
    """Whether `name` was the complete name of the function before June 2026."""

    def function_name(self, length: int, choice: Spelling) -> str:
        """
        `xla.exp.f64`, `xla.exp.v4f64`, or `xla.fptrunc.v8f32.to.v8bf16` where the types differ. In the spelling before
        June 2026, `erf` for one `in_c_library`.
        """
        if self.in_c_library and choice is Spelling.AFFINE:
            return self.name
        prefix = "" if length == SCALAR else f"v{length}"
        types = f"{prefix}{self.argument.name}"
        if self.result != self.argument:
            types += f".to.{prefix}{self.result.name}"
        return f"xla.{self.name}.{types}"

    def function_type(self, length: int) -> tuple[Attribute, Attribute]:
        """The types of the argument and of the result of the function for `length`."""
        return of_length(self.argument, length), of_length(self.result, length)


INTRINSICS: tuple[Intrinsic, ...] = (
    Intrinsic(math.ExpOp, "exp", f64, f64, frozenset({SCALAR, 2, 4, 8})),
    Intrinsic(math.RsqrtOp, "rsqrt", f32, f32, frozenset({SCALAR, 4, 8, 16})),
    Intrinsic(math.RsqrtOp, "rsqrt", f64, f64, frozenset({SCALAR, 2, 4, 8})),
    Intrinsic(math.TanhOp, "tanh", f32, f32, frozenset({SCALAR, 4, 8, 16})),
    Intrinsic(math.TanhOp, "tanh", f64, f64, frozenset({SCALAR, 2, 4, 8})),
    Intrinsic(math.AtanOp, "atan", f32, f32, frozenset({SCALAR, 4, 8, 16})),
    Intrinsic(math.AtanOp, "atan", f64, f64, frozenset({SCALAR, 4, 8})),
    Intrinsic(math.Log1pOp, "log1p", f32, f32, frozenset({SCALAR, 2, 4, 8})),
    Intrinsic(math.Log1pOp, "log1p", f64, f64, frozenset({SCALAR, 2, 4, 8})),
    Intrinsic(math.ErfOp, "erf", f32, f32, frozenset({SCALAR, 2, 4, 8})),
    Intrinsic(math.ErfOp, "erf", f64, f64, frozenset({SCALAR}), in_c_library=True),
    Intrinsic(arith.TruncFOp, "fptrunc", f32, bf16, frozenset({SCALAR, 2, 4, 8})),
)

_BY_TYPES: Mapping[tuple[type[Operation], AnyFloat, AnyFloat], Intrinsic] = {
    (row.operation, row.argument, row.result): row for row in INTRINSICS
}


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the library, for one length."""

    intrinsic: Intrinsic
    length: int

    def declaration(self) -> func.FuncOp:
        """`func.func private @xla.exp.f64(f64) -> f64`."""
        argument, result = self.intrinsic.function_type(self.length)
        return func.FuncOp.external(self.intrinsic.function_name(self.length, spelling()), [argument], [result])

    def body(self) -> Region:
        """The body: the operation applied to the argument."""
        argument, result = self.intrinsic.function_type(self.length)
        block = Block(arg_types=[argument])
        computed = self.intrinsic.operation.create(operands=block.args, result_types=[result])
        block.add_ops((computed, func.ReturnOp(*computed.results)))
        return Region(block)


FUNCTIONS: Mapping[str, Function] = {
    row.function_name(length, choice): Function(row, length)
    for choice in Spelling
    for row in INTRINSICS
    for length in row.lengths
}
"""The functions of the library by name, in both spellings."""


def intrinsic_for(op: Operation) -> Intrinsic | None:
    """
    The functions for the elements of `op`, an operation with one operand and one result; None if there are none.

    f16 and bf16 are computed in f32, except in the conversion between them.
    """
    argument, result = element_type(op.operands[0].type), element_type(op.results[0].type)
    if argument is None or result is None:
        return None
    if argument == result and isinstance(argument, Float16Type | BFloat16Type):
        return _BY_TYPES.get((type(op), f32, f32))
    return _BY_TYPES.get((type(op), argument, result))


def element_type(type: Attribute) -> Float16Type | BFloat16Type | Float32Type | Float64Type | None:
    """The type of a float, or of the floats of a vector of one dimension; None for any other type."""
    if isa(type, VectorType[Attribute]) and type.get_num_dims() == 1:
        type = type.element_type
    return type if isinstance(type, Float16Type | BFloat16Type | Float32Type | Float64Type) else None


def of_length(element: AnyFloat, length: int) -> AnyFloat | VectorType[AnyFloat]:
    """`f32` for `SCALAR`, `vector<4xf32>` for 4."""
    return element if length == SCALAR else VectorType(element, [length])
