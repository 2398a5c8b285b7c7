"""
The table of HLO opcodes: how each becomes an operation.

A row says how many operands the opcode takes, which attributes it must and may have, and which function builds the
operation. To support another opcode, add a row (and, for an attribute of a new name, a row of `fields.READERS`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.hlo_text import builders as build
from xshardy.hlo_text.instruction import Instruction, Value

Builder: TypeAlias = Callable[[Instruction], "Operation | Value"]
"""Makes the operation, or gives the value of an instruction that needs none."""


@dataclass(frozen=True, slots=True)
class Opcode:
    """
    How an HLO opcode is read. `operands` is their number, None for any.

    `needs_module` marks operations that are verified against the rest of the module, by their builder.
    """

    build: Builder
    operands: int | None
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    needs_module: bool = False
    allowed: frozenset[str] = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "allowed", self.required | self.optional)


def row(
    build: Builder, operands: int | None, required: str = "", optional: str = "", *, needs_module: bool = False
) -> Opcode:
    """A row; `required` and `optional` are attribute names with spaces between them."""
    return Opcode(build, operands, frozenset(required.split()), frozenset(optional.split()), needs_module)


def same(op: type[Operation], operands: int | None, optional: str = "") -> Opcode:
    """A row for an opcode that is `op`, operand for operand."""
    return row(lambda instruction: instruction.create(op), operands, "", optional)


def transcendental(op: type[Operation]) -> Opcode:
    """A row for a function that may ask for an accuracy of its result."""

    def apply(instruction: Instruction) -> Operation:
        accuracy = instruction.fields.get("result_accuracy")
        return instruction.create(op, **({"result_accuracy": accuracy} if accuracy else {}))

    return row(apply, 1, "", "result_accuracy")


DOT_DIMENSIONS = "lhs_batch_dims rhs_batch_dims lhs_contracting_dims rhs_contracting_dims"

OPCODES: Mapping[str, Opcode] = {
    "abs": same(stablehlo.AbsOp, 1),
    "acos": same(hlo.AcosOp, 1),
    "acosh": same(hlo.AcoshOp, 1),
    "add": same(stablehlo.AddOp, 2),
    "after-all": same(stablehlo.AfterAllOp, None),
    "and": same(stablehlo.AndOp, 2),
    "asin": same(hlo.AsinOp, 1),
    "asinh": same(hlo.AsinhOp, 1),
    "atan2": same(stablehlo.Atan2Op, 2),
    "atanh": same(hlo.AtanhOp, 1),
    "bitcast": same(hlo.BitcastOp, 1),
    "bitcast-convert": same(stablehlo.BitcastConvertOp, 1),
    "broadcast": row(build.broadcast, 1, "", "dimensions"),
    "cbrt": transcendental(stablehlo.CbrtOp),
    "call": row(build.call, None, "to_apply", needs_module=True),
    "ceil": same(stablehlo.CeilOp, 1),
    "clamp": same(stablehlo.ClampOp, 3),
    "compare": row(build.compare, 2, "direction", "type"),
    "complex": same(stablehlo.ComplexOp, 2),
    "concatenate": row(build.concatenate, None, "dimensions"),
    "constant": row(build.constant, 0),
    "convert": same(stablehlo.ConvertOp, 1),
    "copy": same(hlo.CopyOp, 1),
    "cosh": same(hlo.CoshOp, 1),
    "cosine": transcendental(stablehlo.CosineOp),
    "count-leading-zeros": same(stablehlo.ClzOp, 1),
    "divide": same(stablehlo.DivOp, 2),
    "dot": row(build.dot, 2, "", f"{DOT_DIMENSIONS} operand_precision"),
    "dynamic-slice": row(build.dynamic_slice, None, "dynamic_slice_sizes"),
    "dynamic-update-slice": same(stablehlo.DynamicUpdateSliceOp, None),
    "erf": transcendental(hlo.ErfOp),
    "exponential": transcendental(stablehlo.ExpOp),
    "exponential-minus-one": transcendental(stablehlo.Expm1Op),
    "floor": same(stablehlo.FloorOp, 1),
    "fusion": row(build.fusion, None, "kind calls", needs_module=True),
    "gather": row(
        build.gather,
        2,
        "offset_dims collapsed_slice_dims start_index_map index_vector_dim slice_sizes",
        "operand_batching_dims start_indices_batching_dims indices_are_sorted",
    ),
    "get-tuple-element": row(build.get_tuple_element, 1, "index"),
    "imag": same(stablehlo.ImagOp, 1),
    "iota": row(build.iota, 0, "iota_dimension"),
    "is-finite": same(stablehlo.IsFiniteOp, 1),
    "log": transcendental(stablehlo.LogOp),
    "log-plus-one": transcendental(stablehlo.Log1pOp),
    "logistic": transcendental(stablehlo.LogisticOp),
    "map": row(build.map_, None, "to_apply", "dimensions"),
    "maximum": same(stablehlo.MaxOp, 2),
    "minimum": same(stablehlo.MinOp, 2),
    "multiply": same(stablehlo.MulOp, 2),
    "negate": same(stablehlo.NegOp, 1),
    "not": same(stablehlo.NotOp, 1),
    "opt-barrier": row(build.optimization_barrier, 1),
    "or": same(stablehlo.OrOp, 2),
    "pad": row(build.pad, 2, "padding"),
    "parameter": row(build.parameter, 0),
    "popcnt": same(stablehlo.PopulationCountOp, 1),
    "power": same(stablehlo.PowOp, 2),
    "real": same(stablehlo.RealOp, 1),
    "reduce": row(build.reduce, None, "dimensions to_apply"),
    "reduce-precision": row(build.reduce_precision, 1, "exponent_bits mantissa_bits"),
    "reduce-window": row(build.reduce_window, None, "to_apply", "window"),
    "remainder": same(stablehlo.RemOp, 2),
    "reshape": same(stablehlo.ReshapeOp, 1),
    "reverse": row(build.reverse, 1, "dimensions"),
    "round-nearest-afz": same(stablehlo.RoundOp, 1),
    "round-nearest-even": same(stablehlo.RoundNearestEvenOp, 1),
    "rsqrt": transcendental(stablehlo.RsqrtOp),
    "scatter": row(
        build.scatter,
        None,
        "update_window_dims inserted_window_dims scatter_dims_to_operand_dims index_vector_dim to_apply",
        "input_batching_dims scatter_indices_batching_dims indices_are_sorted unique_indices",
    ),
    "select": same(stablehlo.SelectOp, 3),
    "shift-left": same(stablehlo.ShiftLeftOp, 2),
    "shift-right-arithmetic": same(stablehlo.ShiftRightArithmeticOp, 2),
    "shift-right-logical": same(stablehlo.ShiftRightLogicalOp, 2),
    "sign": same(stablehlo.SignOp, 1),
    "sine": transcendental(stablehlo.SineOp),
    "sinh": same(hlo.SinhOp, 1),
    "slice": row(build.slice_, 1, "slice"),
    "sqrt": transcendental(stablehlo.SqrtOp),
    "subtract": same(stablehlo.SubtractOp, 2),
    "tan": transcendental(stablehlo.TanOp),
    "tanh": transcendental(stablehlo.TanhOp),
    "transpose": row(build.transpose, 1, "dimensions"),
    "tuple": row(build.tuple_, None),
    "xor": same(stablehlo.XorOp, 2),
}

NAMES_WITHOUT_ROW = """
add-dependency all-gather all-gather-done all-gather-start all-reduce all-reduce-done all-reduce-start all-to-all
async-done async-start async-update batch-norm-grad batch-norm-inference batch-norm-training cholesky
collective-broadcast collective-permute collective-permute-done collective-permute-start conditional convolution
copy-done copy-start custom-call domain dynamic-reshape fft get-dimension-size infeed outfeed partition-id
ragged-all-to-all ragged-dot recv recv-done reduce-scatter replica-id rng rng-bit-generator rng-get-and-update-state
scaled-dot scan select-and-scatter send send-done set-dimension-size sort stochastic-convert topk triangular-solve
while
"""
NOT_SUPPORTED_YET = frozenset(NAMES_WITHOUT_ROW.split())
"""Opcodes of HLO that have no row yet. Move one out of here when you give it a row."""
