"""
The table of HLO opcodes: how each becomes an operation.

A row says how many operands the opcode takes, which attributes it must and may have, and which function builds the
operation. To support another opcode, add a row (and, for an attribute of a new name, a row of `fields.READERS`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyTensorType, DenseIntOrFPElementsAttr, IntegerAttr, TensorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.stablehlo.attributes import (
    ComparisonDirectionAttr,
    ComparisonType,
    ComparisonTypeAttr,
    integers,
)
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.hlo_text.errors import HLOError
from xshardy.hlo_text.fields import ComputationName
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.shapes import ArrayShape, Shape, TupleShape, leaves, print_shape

Value: TypeAlias = "SSAValue | tuple[Value, ...]"
"""What an instruction gives: an array, or the elements of a tuple. Tuples exist only while HLO text is read."""


@dataclass(slots=True)
class Instruction:
    """An instruction as it was read; `at` is the index of its opcode's token, for diagnostics."""

    opcode: str
    shape: Shape
    operands: Sequence[Value]
    fields: Mapping[str, Any]
    literal: DenseIntOrFPElementsAttr | None
    functions: Mapping[str, func.FuncOp]
    tokens: Tokens
    at: int

    def error(self, message: str, hint: str = "", at: int | None = None) -> HLOError:
        """The error to raise about this instruction."""
        return self.tokens.error(f"{self.opcode}: {message}", hint, self.at if at is None else at)

    @property
    def result_type(self) -> Attribute:
        """The type of the result of an opcode that gives one array."""
        if isinstance(self.shape, TupleShape):
            raise self.error(f"gives one array, but its shape is the tuple {print_shape(self.shape)}")
        return self.shape.type

    @property
    def values(self) -> Sequence[SSAValue]:
        """The operands of an opcode that takes arrays only."""
        for i, operand in enumerate(self.operands):
            if isinstance(operand, tuple):
                raise self.error(f"operand {i} is a tuple", "take its elements with get-tuple-element")
        return cast(Sequence[SSAValue], self.operands)

    def function(self, attribute: str) -> func.FuncOp:
        """The function that the computation named by `attribute` became."""
        return self.functions[cast(ComputationName, self.fields[attribute]).name]

    def create(self, op: type[Operation], **properties: Attribute) -> Operation:
        """An operation with these operands and this result type."""
        return op.create(operands=self.values, result_types=[self.result_type], properties=properties)


Build: TypeAlias = Callable[[Instruction], "Operation | Value"]
"""Makes the operation, or gives the value of an instruction that needs none."""


@dataclass(frozen=True, slots=True)
class Opcode:
    """
    How an HLO opcode is read. `operands` is their number, None for any.

    `needs_module` marks operations that are verified against the rest of the module, by their builder.
    """

    build: Build
    operands: int | None
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    needs_module: bool = False
    allowed: frozenset[str] = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "allowed", self.required | self.optional)


def row(
    build: Build, operands: int | None, required: str = "", optional: str = "", *, needs_module: bool = False
) -> Opcode:
    """A row; `required` and `optional` are attribute names with spaces between them."""
    return Opcode(build, operands, frozenset(required.split()), frozenset(optional.split()), needs_module)


def same(op: type[Operation], operands: int, optional: str = "") -> Opcode:
    """A row for an opcode that is `op`, operand for operand."""
    return row(lambda instruction: instruction.create(op), operands, "", optional)


def transcendental(op: type[Operation]) -> Opcode:
    """A row for a function that may ask for an accuracy of its result."""

    def build(instruction: Instruction) -> Operation:
        accuracy = instruction.fields.get("result_accuracy")
        return instruction.create(op, **({"result_accuracy": accuracy} if accuracy else {}))

    return row(build, 1, "", "result_accuracy")


def broadcast(instruction: Instruction) -> Operation:
    """`broadcast(x), dimensions={1}`"""
    dimensions = instruction.fields.get("dimensions", ())
    (operand,) = instruction.values
    sizes, result_sizes = tensor_type(operand).get_shape(), array_type(instruction).get_shape()
    for i, dimension in enumerate(dimensions):
        if i < len(sizes) and 0 <= dimension < len(result_sizes) and sizes[i] != result_sizes[dimension]:
            raise instruction.error(
                f"dimension {i} of the operand has size {sizes[i]}, "
                f"but dimension {dimension} of the result, where it goes, has size {result_sizes[dimension]}",
                "HLO does not repeat a dimension of size 1: reshape it away first",
            )
    return instruction.create(stablehlo.BroadcastInDimOp, broadcast_dimensions=integers(dimensions))


def array_type(instruction: Instruction) -> AnyTensorType:
    """The result type of an opcode that gives an array of numbers. Raises `HLOError` for a token."""
    if not isinstance(instruction.result_type, TensorType):
        raise instruction.error(f"gives an array, not {print_shape(instruction.shape)}")
    return cast(AnyTensorType, instruction.result_type)


def compare(instruction: Instruction) -> Operation:
    """`compare(x, y), direction=LT, type=FLOAT`; without a type, the one that goes with the elements."""
    (lhs, _) = instruction.values
    compare_type = instruction.fields.get("type") or default_compare_type(tensor_type(lhs).get_element_type())
    return instruction.create(
        stablehlo.CompareOp,
        comparison_direction=ComparisonDirectionAttr(instruction.fields["direction"]),
        compare_type=ComparisonTypeAttr(compare_type),
    )


def default_compare_type(element: Attribute) -> ComparisonType:
    """How HLO compares elements when it does not say."""
    for elements, compare_type in (
        (stablehlo.types.SIGNED, ComparisonType.SIGNED),
        (stablehlo.types.UNSIGNED | stablehlo.types.PRED, ComparisonType.UNSIGNED),
    ):
        if element in elements:
            return compare_type
    return ComparisonType.FLOAT


def concatenate(instruction: Instruction) -> Operation:
    """`concatenate(x, y), dimensions={0}`"""
    dimensions = instruction.fields["dimensions"]
    if len(dimensions) != 1:
        raise instruction.error(f"takes one dimension, got {len(dimensions)}", "write `dimensions={0}`")
    return instruction.create(stablehlo.ConcatenateOp, dimension=IntegerAttr(dimensions[0], i64))


def constant(instruction: Instruction) -> Operation:
    """`constant({1, 2})`"""
    assert instruction.literal is not None
    return instruction.create(stablehlo.ConstantOp, value=instruction.literal)


def dynamic_slice(instruction: Instruction) -> Operation:
    """`dynamic-slice(x, i, j), dynamic_slice_sizes={2,3}`"""
    sizes = integers(instruction.fields["dynamic_slice_sizes"])
    return instruction.create(stablehlo.DynamicSliceOp, slice_sizes=sizes)


def fusion(instruction: Instruction) -> Operation:
    """`fusion(x, y), kind=kLoop, calls=f`: a fusion with one result for each array of its shape."""
    callee = instruction.fields["calls"].name
    op = hlo.FusionOp.create(
        operands=instruction.values,
        result_types=[leaf.type for leaf in leaves(instruction.shape)],
        properties={
            "kind": hlo.FusionKindAttr(instruction.fields["kind"]),
            "callee": hlo.SymbolRefAttr(callee),
        },
    )
    assert isinstance(op, hlo.FusionOp)
    try:
        hlo.check_callee_types(op, instruction.function("calls"))
    except VerifyException as error:
        raise instruction.error(
            str(error), "a fusion has the operands and the result of the computation it calls"
        ) from error
    return op


def get_tuple_element(instruction: Instruction) -> Value:
    """`get-tuple-element(t), index=1`"""
    (operand,) = instruction.operands
    index = instruction.fields["index"]
    if not isinstance(operand, tuple):
        raise instruction.error("the operand is not a tuple")
    if not 0 <= index < len(operand):
        raise instruction.error(f"index {index} is out of range for a tuple of {len(operand)}")
    return operand[index]


def iota(instruction: Instruction) -> Operation:
    """`iota(), iota_dimension=1`"""
    return instruction.create(stablehlo.IotaOp, iota_dimension=IntegerAttr(instruction.fields["iota_dimension"], i64))


def pad(instruction: Instruction) -> Operation:
    """`pad(x, value), padding=1_2x0_0_1`"""
    low, high, interior = columns(instruction.fields["padding"])
    return instruction.create(
        stablehlo.PadOp,
        edge_padding_low=integers(low),
        edge_padding_high=integers(high),
        interior_padding=integers(interior),
    )


def columns(rows: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Rows of three as three columns."""
    return tuple(zip(*rows, strict=True)) or ((), (), ())


def reduce_precision(instruction: Instruction) -> Operation:
    """`reduce-precision(x), exponent_bits=5, mantissa_bits=10`"""
    bits = {name: IntegerAttr(instruction.fields[name], i32) for name in ("exponent_bits", "mantissa_bits")}
    return instruction.create(stablehlo.ReducePrecisionOp, **bits)


def reverse(instruction: Instruction) -> Operation:
    """`reverse(x), dimensions={0}`"""
    return instruction.create(stablehlo.ReverseOp, dimensions=integers(instruction.fields["dimensions"]))


def slice_(instruction: Instruction) -> Operation:
    """`slice(x), slice={[0:4], [1:8:2]}`"""
    starts, limits, strides = columns(instruction.fields["slice"])
    return instruction.create(
        stablehlo.SliceOp,
        start_indices=integers(starts),
        limit_indices=integers(limits),
        strides=integers(strides),
    )


def transpose(instruction: Instruction) -> Operation:
    """`transpose(x), dimensions={1,0}`"""
    return instruction.create(stablehlo.TransposeOp, permutation=integers(instruction.fields["dimensions"]))


def tuple_(instruction: Instruction) -> Value:
    """`tuple(x, y)`"""
    return tuple(instruction.operands)


def handled_by_parser(instruction: Instruction) -> NoReturn:
    """Parameters become arguments of a function, so no operation stands for them."""
    raise AssertionError(f"{instruction.opcode} is not built")


OPCODES: Mapping[str, Opcode] = {
    "abs": same(stablehlo.AbsOp, 1),
    "acos": same(hlo.AcosOp, 1),
    "acosh": same(hlo.AcoshOp, 1),
    "add": same(stablehlo.AddOp, 2),
    "and": same(stablehlo.AndOp, 2),
    "asin": same(hlo.AsinOp, 1),
    "asinh": same(hlo.AsinhOp, 1),
    "atan2": same(stablehlo.Atan2Op, 2),
    "atanh": same(hlo.AtanhOp, 1),
    "bitcast": same(hlo.BitcastOp, 1),
    "bitcast-convert": same(stablehlo.BitcastConvertOp, 1),
    "broadcast": row(broadcast, 1, "", "dimensions"),
    "cbrt": transcendental(stablehlo.CbrtOp),
    "ceil": same(stablehlo.CeilOp, 1),
    "clamp": same(stablehlo.ClampOp, 3),
    "compare": row(compare, 2, "direction", "type"),
    "complex": same(stablehlo.ComplexOp, 2),
    "concatenate": row(concatenate, None, "dimensions"),
    "constant": row(constant, 0),
    "convert": same(stablehlo.ConvertOp, 1),
    "copy": same(hlo.CopyOp, 1),
    "cosh": same(hlo.CoshOp, 1),
    "cosine": transcendental(stablehlo.CosineOp),
    "count-leading-zeros": same(stablehlo.ClzOp, 1),
    "divide": same(stablehlo.DivOp, 2),
    "dynamic-slice": row(dynamic_slice, None, "dynamic_slice_sizes"),
    "dynamic-update-slice": row(lambda i: i.create(stablehlo.DynamicUpdateSliceOp), None),
    "erf": transcendental(hlo.ErfOp),
    "exponential": transcendental(stablehlo.ExpOp),
    "exponential-minus-one": transcendental(stablehlo.Expm1Op),
    "floor": same(stablehlo.FloorOp, 1),
    "fusion": row(fusion, None, "kind calls", needs_module=True),
    "get-tuple-element": row(get_tuple_element, 1, "index"),
    "imag": same(stablehlo.ImagOp, 1),
    "iota": row(iota, 0, "iota_dimension"),
    "is-finite": same(stablehlo.IsFiniteOp, 1),
    "log": transcendental(stablehlo.LogOp),
    "log-plus-one": transcendental(stablehlo.Log1pOp),
    "logistic": transcendental(stablehlo.LogisticOp),
    "maximum": same(stablehlo.MaxOp, 2),
    "minimum": same(stablehlo.MinOp, 2),
    "multiply": same(stablehlo.MulOp, 2),
    "negate": same(stablehlo.NegOp, 1),
    "not": same(stablehlo.NotOp, 1),
    "or": same(stablehlo.OrOp, 2),
    "pad": row(pad, 2, "padding"),
    "parameter": row(handled_by_parser, 0),
    "popcnt": same(stablehlo.PopulationCountOp, 1),
    "power": same(stablehlo.PowOp, 2),
    "real": same(stablehlo.RealOp, 1),
    "reduce-precision": row(reduce_precision, 1, "exponent_bits mantissa_bits"),
    "remainder": same(stablehlo.RemOp, 2),
    "reshape": same(stablehlo.ReshapeOp, 1),
    "reverse": row(reverse, 1, "dimensions"),
    "round-nearest-afz": same(stablehlo.RoundOp, 1),
    "round-nearest-even": same(stablehlo.RoundNearestEvenOp, 1),
    "rsqrt": transcendental(stablehlo.RsqrtOp),
    "select": same(stablehlo.SelectOp, 3),
    "shift-left": same(stablehlo.ShiftLeftOp, 2),
    "shift-right-arithmetic": same(stablehlo.ShiftRightArithmeticOp, 2),
    "shift-right-logical": same(stablehlo.ShiftRightLogicalOp, 2),
    "sign": same(stablehlo.SignOp, 1),
    "sine": transcendental(stablehlo.SineOp),
    "sinh": same(hlo.SinhOp, 1),
    "slice": row(slice_, 1, "slice"),
    "sqrt": transcendental(stablehlo.SqrtOp),
    "subtract": same(stablehlo.SubtractOp, 2),
    "tan": transcendental(stablehlo.TanOp),
    "tanh": transcendental(stablehlo.TanhOp),
    "transpose": row(transpose, 1, "dimensions"),
    "tuple": row(tuple_, None),
    "xor": same(stablehlo.XorOp, 2),
}

NAMES_WITHOUT_ROW = """
add-dependency after-all all-gather all-gather-done all-gather-start all-reduce all-reduce-done all-reduce-start
all-to-all async-done async-start async-update batch-norm-grad batch-norm-inference batch-norm-training call cholesky
collective-broadcast collective-permute collective-permute-done collective-permute-start conditional convolution
copy-done copy-start custom-call domain dot dynamic-reshape fft gather get-dimension-size infeed map
optimization-barrier outfeed partition-id ragged-all-to-all ragged-dot recv recv-done reduce reduce-scatter
reduce-window replica-id rng rng-bit-generator rng-get-and-update-state scaled-dot scan scatter select-and-scatter
send send-done set-dimension-size sort stochastic-convert topk triangular-solve while
"""
NOT_SUPPORTED_YET = frozenset(NAMES_WITHOUT_ROW.split())
"""Opcodes of HLO that have no row yet. Move one out of here when you give it a row."""


def flatten(value: Value) -> list[SSAValue]:
    """The arrays in `value`, in order."""
    if isinstance(value, SSAValue):
        return [value]
    return [leaf for element in value for leaf in flatten(element)]


def nest(values: Sequence[SSAValue], shape: Shape) -> Value:
    """`values` as the elements of `shape`, in order: the inverse of `flatten`."""
    remaining = iter(values)

    def take(shape: Shape) -> Value:
        return next(remaining) if isinstance(shape, ArrayShape) else tuple(map(take, shape.elements))

    return take(shape)
