"""Opcodes on arrays: broadcasting, slicing, padding, gathering, comparing, constants."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects.builtin import AnyTensorType, IntAttr, TensorType
from xdsl.ir import Attribute, Block, Operation
from xdsl.rewriter import InsertPoint

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import rank_of, shape_of
from xshardy.dialects.stablehlo.attributes import ComparisonDirectionAttr, ComparisonTypeAttr
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.dialects.stablehlo.selection import default_compare_type
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.hlo_text.codecs import (
    INTEGER,
    INTEGER_32,
    INTEGERS,
    ONE_INTEGER,
    Fields,
    boolean,
    dimension_array,
)
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Form, Opcode, Property, Regions, mapped, no_fields, row, same
from xshardy.hlo_text.shapes import print_shape
from xshardy.hlo_text.tuples import IMPLICIT, UNIT


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
    return instruction.create(stablehlo.BroadcastInDimOp, broadcast_dimensions=dimension_array(dimensions))


def repeated_ones(op: stablehlo.BroadcastInDimOp) -> frozenset[int]:
    """The dimensions of size 1 of the operand that the result has more than once; HLO broadcasts new ones only."""
    sizes, result_sizes = shape_of(op.operand), shape_of(op.result)
    places = op.broadcast_dimensions.get_values()
    return frozenset(i for i, place in enumerate(places) if sizes[i] == 1 != result_sizes[place])


def broadcast_fields(op: stablehlo.BroadcastInDimOp, regions: Regions) -> Fields:
    """The dimensions; printed even if empty."""
    return {"dimensions": tuple(op.broadcast_dimensions.get_values())}


def array_type(instruction: Instruction) -> AnyTensorType:
    """The result type of an opcode that gives an array. Raises `HLOError` for a token."""
    type = instruction.result_type
    if not isinstance(type, TensorType):
        raise instruction.error(f"gives an array, not {print_shape(instruction.shape)}")
    return cast(AnyTensorType, type)


def compare(instruction: Instruction) -> Operation:
    """`compare(x, y), direction=LT, type=FLOAT`; the default type depends on the elements."""
    lhs, _ = instruction.values
    compare_type = instruction.fields.get("type") or default_compare_type(tensor_type(lhs).get_element_type())
    return instruction.create(
        stablehlo.CompareOp,
        comparison_direction=ComparisonDirectionAttr(instruction.fields["direction"]),
        compare_type=ComparisonTypeAttr(compare_type),
    )


def compare_fields(op: stablehlo.CompareOp, regions: Regions) -> Fields:
    """The direction, and the type if it is not the default for the elements."""
    fields: Fields = {"direction": op.comparison_direction.data}
    kind = None if op.compare_type is None else op.compare_type.data
    if kind not in (None, default_compare_type(tensor_type(op.lhs).get_element_type())):
        fields["type"] = kind
    return fields


def concatenate(instruction: Instruction) -> Operation:
    """`concatenate(x, y), dimensions={0}`"""
    dimensions = instruction.fields["dimensions"]
    if len(dimensions) != 1:
        raise instruction.error(f"takes one dimension, got {len(dimensions)}", "write `dimensions={0}`")
    return instruction.create(stablehlo.ConcatenateOp, dimension=ONE_INTEGER.encode(dimensions))


def concatenate_fields(op: stablehlo.ConcatenateOp, regions: Regions) -> Fields:
    """`dimensions={0}`"""
    return {"dimensions": ONE_INTEGER.decode(op.dimension)}


def constant(instruction: Instruction) -> Operation:
    """`constant({1, 2})`, `constant((1, {2, 3}))`, `constant({...})`"""
    type = instruction.shape.type
    match instruction.literal:
        case None:
            return hlo.ElidedConstantOp.create(result_types=[type])
        case Attribute():
            return stablehlo.ConstantOp.create(result_types=[type], properties={"value": instruction.literal})
        case values:
            return constant_tuple(instruction, values)


def constant_tuple(instruction: Instruction, values: Sequence[Attribute]) -> Operation:
    """A constant for each part, before the tuple of all."""
    types = instruction.result_types
    parts = [
        stablehlo.ConstantOp.create(result_types=[type], properties={"value": value}, attributes={IMPLICIT: UNIT})
        for type, value in zip(types, values, strict=True)
    ]
    instruction.before += parts
    operands = [part.results[0] for part in parts]
    return hlo.TupleConstantOp.create(operands=operands, result_types=[instruction.shape.type])


def gather(instruction: Instruction) -> Operation:
    """`gather(x, indices), offset_dims={1}, ..., slice_sizes={1,4}`"""
    fields = instruction.fields
    numbers = stablehlo.GatherDimensionNumbersAttr(
        dimension_array(fields["offset_dims"]),
        dimension_array(fields["collapsed_slice_dims"]),
        dimension_array(fields.get("operand_batching_dims", ())),
        dimension_array(fields.get("start_indices_batching_dims", ())),
        dimension_array(fields["start_index_map"]),
        IntAttr(fields["index_vector_dim"]),
    )
    return instruction.create(
        stablehlo.GatherOp,
        dimension_numbers=numbers,
        slice_sizes=dimension_array(fields["slice_sizes"]),
        indices_are_sorted=boolean(fields.get("indices_are_sorted", False)),
    )


def gather_fields(op: stablehlo.GatherOp, regions: Regions) -> Fields:
    """The inverse of `gather`."""
    numbers = op.dimension_numbers
    fields: Fields = {
        "offset_dims": INTEGERS.decode(numbers.offset_dims),
        "collapsed_slice_dims": INTEGERS.decode(numbers.collapsed_slice_dims),
        "start_index_map": INTEGERS.decode(numbers.start_index_map),
        "index_vector_dim": numbers.index_vector_dim.data,
        "slice_sizes": INTEGERS.decode(op.slice_sizes),
    }
    if batching := INTEGERS.decode(numbers.operand_batching_dims):
        fields["operand_batching_dims"] = batching
        fields["start_indices_batching_dims"] = INTEGERS.decode(numbers.start_indices_batching_dims)
    if op.indices_are_sorted is not None and op.indices_are_sorted.value.data:
        fields["indices_are_sorted"] = True
    return fields


def pad(instruction: Instruction) -> Operation:
    """`pad(x, value), padding=1_2x0_0_1`"""
    low, high, interior = columns(instruction.fields["padding"])
    return instruction.create(
        stablehlo.PadOp,
        edge_padding_low=dimension_array(low),
        edge_padding_high=dimension_array(high),
        interior_padding=dimension_array(interior),
    )


def pad_fields(op: stablehlo.PadOp, regions: Regions) -> Fields:
    """`padding=1_2x0_0_1`"""
    columns = (op.edge_padding_low, op.edge_padding_high, op.interior_padding)
    return {"padding": tuple(zip(*map(INTEGERS.decode, columns), strict=True))}


def columns(rows: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Rows of three as three columns."""
    return tuple(zip(*rows, strict=True)) or ((), (), ())


def slice_(instruction: Instruction) -> Operation:
    """`slice(x), slice={[0:4], [1:8:2]}`"""
    starts, limits, strides = columns(instruction.fields["slice"])
    return instruction.create(
        stablehlo.SliceOp,
        start_indices=dimension_array(starts),
        limit_indices=dimension_array(limits),
        strides=dimension_array(strides),
    )


def slice_fields(op: stablehlo.SliceOp, regions: Regions) -> Fields:
    """`slice={[0:4], [1:8:2]}`"""
    columns = (op.start_indices, op.limit_indices, op.strides)
    return {"slice": tuple(zip(*map(INTEGERS.decode, columns), strict=True))}


def split_indices(opcode: Opcode, first: int) -> Opcode:
    """`opcode`, whose operands from number `first` on are start indices; one vector of them is split into scalars."""

    def build(instruction: Instruction) -> Operation:
        arrays, indices = instruction.values[:first], instruction.values[first:]
        if len(indices) == 1 and rank_of(vector := indices[0]) == 1:
            block = Block()
            t = Tensors(Builder(InsertPoint.at_end(block)))
            operands = [*arrays, *(t.element(vector, index) for index in range(*shape_of(vector)))]
            instruction.before += [op for op in tuple(block.ops) if op.detach() is None]
            instruction = replace(instruction, operands=operands)
        return opcode.build(instruction)

    return replace(opcode, build=build)


ROWS: Mapping[str, Opcode] = {
    "broadcast": row(
        broadcast,
        1,
        "",
        "dimensions",
        forms=[Form(stablehlo.BroadcastInDimOp, broadcast_fields, needs_rewrite=repeated_ones)],
    ),
    "compare": row(compare, 2, "direction", "type", forms=[Form(stablehlo.CompareOp, compare_fields)]),
    "concatenate": row(concatenate, None, "dimensions", forms=[Form(stablehlo.ConcatenateOp, concatenate_fields)]),
    "constant": row(
        constant,
        0,
        forms=[
            Form(stablehlo.ConstantOp, no_fields),
            Form(hlo.ElidedConstantOp, no_fields),
            Form(hlo.TupleConstantOp, no_fields, lambda op, regions: ()),
        ],
    ),
    "dynamic-slice": split_indices(
        mapped(stablehlo.DynamicSliceOp, None, {"dynamic_slice_sizes": Property("slice_sizes", INTEGERS)}), first=1
    ),
    "dynamic-update-slice": split_indices(same(stablehlo.DynamicUpdateSliceOp, None), first=2),
    "gather": row(
        gather,
        2,
        "offset_dims collapsed_slice_dims start_index_map index_vector_dim slice_sizes",
        "operand_batching_dims start_indices_batching_dims indices_are_sorted",
        forms=[Form(stablehlo.GatherOp, gather_fields)],
    ),
    "get-dimension-size": mapped(stablehlo.GetDimensionSizeOp, 1, {"dimensions": Property("dimension", ONE_INTEGER)}),
    "iota": mapped(stablehlo.IotaOp, 0, {"iota_dimension": Property("iota_dimension", INTEGER)}),
    "pad": row(pad, 2, "padding", forms=[Form(stablehlo.PadOp, pad_fields)]),
    "reduce-precision": mapped(
        stablehlo.ReducePrecisionOp,
        1,
        {
            "exponent_bits": Property("exponent_bits", INTEGER_32),
            "mantissa_bits": Property("mantissa_bits", INTEGER_32),
        },
    ),
    "reshape": mapped(stablehlo.ReshapeOp, 1, {}, extras="inferred_dimension"),
    "reverse": mapped(stablehlo.ReverseOp, 1, {"dimensions": Property("dimensions", INTEGERS)}),
    "set-dimension-size": mapped(stablehlo.SetDimensionSizeOp, 2, {"dimensions": Property("dimension", ONE_INTEGER)}),
    "slice": row(slice_, 1, "slice", forms=[Form(stablehlo.SliceOp, slice_fields)]),
    "transpose": mapped(stablehlo.TransposeOp, 1, {"dimensions": Property("permutation", INTEGERS)}),
}
