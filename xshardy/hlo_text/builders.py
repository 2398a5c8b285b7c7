"""How the opcodes that are more than an operation of the same operands become operations; one function for each."""

from collections.abc import Sequence
from typing import NoReturn, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    AnyTensorType,
    ArrayAttr,
    IntAttr,
    IntegerAttr,
    SymbolRefAttr,
    TensorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.stablehlo.attributes import ComparisonDirectionAttr, ComparisonType, ComparisonTypeAttr, integers
from xshardy.dialects.stablehlo.types import PRED, SIGNED, UNSIGNED, tensor_type
from xshardy.dialects.stablehlo.windows import window_properties
from xshardy.hlo_text.instruction import Instruction, Value, flatten
from xshardy.hlo_text.shapes import leaves, print_shape


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
    type = instruction.result_type
    if not isinstance(type, TensorType):
        raise instruction.error(f"gives an array, not {print_shape(instruction.shape)}")
    return cast(AnyTensorType, type)


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
        (SIGNED, ComparisonType.SIGNED),
        (UNSIGNED | PRED, ComparisonType.UNSIGNED),
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


def dot(instruction: Instruction) -> Operation:
    """`dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}`"""
    names = ("lhs_batch_dims", "rhs_batch_dims", "lhs_contracting_dims", "rhs_contracting_dims")
    numbers = stablehlo.DotDimensionNumbersAttr.new([integers(instruction.fields.get(name, ())) for name in names])
    properties: dict[str, Attribute] = {"dot_dimension_numbers": numbers}
    if precisions := instruction.fields.get("operand_precision"):
        properties["precision_config"] = ArrayAttr(map(stablehlo.PrecisionAttr, precisions))
    return instruction.create(stablehlo.DotGeneralOp, **properties)


def call(instruction: Instruction) -> Operation:
    """`call(x, y), to_apply=f`: like a fusion, but not one kernel."""
    function = instruction.function("to_apply")
    op = func.CallOp(function.sym_name.data, instruction.values, [leaf.type for leaf in leaves(instruction.shape)])
    try:
        hlo.check_callee_types(op, function)
    except VerifyException as error:
        raise instruction.error(str(error), "a call has operands and result of the computation it calls") from error
    return op


def fusion(instruction: Instruction) -> Operation:
    """`fusion(x, y), kind=kLoop, calls=f`: a fusion with one result for each array of its shape."""
    callee = instruction.fields["calls"].name
    op = hlo.FusionOp.create(
        operands=instruction.values,
        result_types=[leaf.type for leaf in leaves(instruction.shape)],
        properties={
            "kind": hlo.FusionKindAttr(instruction.fields["kind"]),
            "callee": SymbolRefAttr(callee),
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


def gather(instruction: Instruction) -> Operation:
    """`gather(x, indices), offset_dims={1}, ..., slice_sizes={1,4}`"""
    fields = instruction.fields
    numbers = stablehlo.GatherDimensionNumbersAttr(
        integers(fields["offset_dims"]),
        integers(fields["collapsed_slice_dims"]),
        integers(fields.get("operand_batching_dims", ())),
        integers(fields.get("start_indices_batching_dims", ())),
        integers(fields["start_index_map"]),
        IntAttr(fields["index_vector_dim"]),
    )
    return instruction.create(
        stablehlo.GatherOp,
        dimension_numbers=numbers,
        slice_sizes=integers(fields["slice_sizes"]),
        indices_are_sorted=IntegerAttr(int(fields.get("indices_are_sorted", False)), i1),
    )


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


def optimization_barrier(instruction: Instruction) -> Operation:
    """`opt-barrier(x)`; the elements of a tuple pass together."""
    operands = flatten(instruction.operands[0])
    return stablehlo.OptimizationBarrierOp.create(
        operands=operands, result_types=[leaf.type for leaf in leaves(instruction.shape)]
    )


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


def map_(instruction: Instruction) -> Operation:
    """`map(x, y), dimensions={0,1}, to_apply=f`; without dimensions, all of them."""
    rank = array_type(instruction).get_num_dims()
    return stablehlo.MapOp.create(
        operands=instruction.values,
        result_types=[instruction.result_type],
        properties={"dimensions": integers(instruction.fields.get("dimensions", range(rank)))},
        attributes=applied(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


def reduce(instruction: Instruction) -> Operation:
    """`reduce(x, init), dimensions={1}, to_apply=add`; with n arrays, n initial values follow, and a tuple results."""
    return stablehlo.ReduceOp.create(
        operands=paired(instruction),
        result_types=[leaf.type for leaf in leaves(instruction.shape)],
        properties={"dimensions": integers(instruction.fields["dimensions"])},
        attributes=applied(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


def paired(instruction: Instruction) -> Sequence[SSAValue]:
    """The operands of a reduction: arrays, then an initial value for each."""
    if len(instruction.operands) % 2 or not instruction.operands:
        raise instruction.error(
            f"takes as many arrays as initial values, got {len(instruction.operands)} operand(s) in all"
        )
    return instruction.values


def applied(instruction: Instruction) -> dict[str, Attribute]:
    """The name of the computation whose body the operation has: it names functions of the emitted kernel."""
    return {"hlo.to_apply": SymbolRefAttr(instruction.fields["to_apply"].name)}


def region_of(function: func.FuncOp) -> Region:
    """A copy of the body of `function`, as the region of an operation that applies it."""
    region = function.body.clone()
    if isinstance(last := region.block.last_op, func.ReturnOp):
        Rewriter.replace_op(last, stablehlo.ReturnOp(*last.operands), [])
    return region


def reduce_window(instruction: Instruction) -> Operation:
    """`reduce-window(x, init), window={size=2x2 stride=2x1}, to_apply=add`"""
    return stablehlo.ReduceWindowOp.create(
        operands=paired(instruction),
        result_types=[leaf.type for leaf in leaves(instruction.shape)],
        properties=window_properties(instruction.fields.get("window", ())),
        attributes=applied(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


def scatter(instruction: Instruction) -> Operation:
    """`scatter(x, indices, updates), update_window_dims={1}, ..., to_apply=add`; with n arrays, n updates."""
    if len(instruction.operands) % 2 == 0:
        raise instruction.error(
            f"takes as many updates as arrays, and indices between them, got {len(instruction.operands)} operand(s)"
        )
    fields = instruction.fields
    numbers = stablehlo.ScatterDimensionNumbersAttr(
        integers(fields["update_window_dims"]),
        integers(fields["inserted_window_dims"]),
        integers(fields.get("input_batching_dims", ())),
        integers(fields.get("scatter_indices_batching_dims", ())),
        integers(fields["scatter_dims_to_operand_dims"]),
        IntAttr(fields["index_vector_dim"]),
    )
    return stablehlo.ScatterOp.create(
        operands=instruction.values,
        result_types=[leaf.type for leaf in leaves(instruction.shape)],
        properties={
            "scatter_dimension_numbers": numbers,
            "indices_are_sorted": IntegerAttr(int(fields.get("indices_are_sorted", False)), i1),
            "unique_indices": IntegerAttr(int(fields.get("unique_indices", False)), i1),
        },
        attributes=applied(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


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


def parameter(instruction: Instruction) -> NoReturn:
    """Parameters become arguments of a function; the parser sees to them, and no operation stands for them."""
    raise AssertionError(f"{instruction.opcode} is not built")
