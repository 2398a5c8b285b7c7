"""Opcodes on arrays: broadcasting, slicing, padding, gathering, comparing, constants."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from xdsl.builder import Builder
from xdsl.dialects.builtin import AnyTensorType, IntAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, SSAValue
from xdsl.rewriter import InsertPoint

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import rank_of, shape_of
from xshardy.dialects.stablehlo.attributes import ComparisonDirectionAttr, ComparisonType, ComparisonTypeAttr
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.dialects.stablehlo.selection import default_compare_type
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.hlo_text.codecs import (
    BOOLEAN,
    INTEGER,
    INTEGER_32,
    INTEGERS,
    ONE_INTEGER,
    Fields,
    dimension_array,
    members,
)
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Content, Form, Opcode, Part, Regions, described, no_fields, prop, row
from xshardy.hlo_text.shapes import print_shape
from xshardy.hlo_text.tuples import IMPLICIT, UNIT


def broadcast_operand(instruction: Instruction) -> Sequence[SSAValue]:
    """The operand, of which HLO repeats new dimensions only."""
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
    return [operand]


def repeated_ones(op: stablehlo.BroadcastInDimOp) -> frozenset[int]:
    """The dimensions of size 1 of the operand that the result has more than once; HLO broadcasts new ones only."""
    sizes, result_sizes = shape_of(op.operand), shape_of(op.result)
    places = op.broadcast_dimensions.get_values()
    return frozenset(i for i, place in enumerate(places) if sizes[i] == 1 != result_sizes[place])


def array_type(instruction: Instruction) -> AnyTensorType:
    """The result type of an opcode that gives an array. Raises `HLOError` for a token."""
    type = instruction.result_type
    if not isinstance(type, TensorType):
        raise instruction.error(f"gives an array, not {print_shape(instruction.shape)}")
    return cast(AnyTensorType, type)


def default_type(operand: SSAValue) -> ComparisonType:
    """How the elements of `operand` are compared where HLO text does not say."""
    return default_compare_type(tensor_type(operand).get_element_type())


def read_compare_type(instruction: Instruction, content: Content) -> None:
    """`type=TOTALORDER`, or as XLA has printed it since autumn 2026, `order=TOTAL`: both, of floats."""
    fields, kind = instruction.fields, default_type(instruction.values[0])
    if "type" in fields:
        if "order" in fields:
            raise instruction.error("type and order say the same: leave one of the two out")
        kind = fields["type"]
    elif fields.get("order") and kind is ComparisonType.FLOAT:
        kind = ComparisonType.TOTALORDER
    content.properties["compare_type"] = ComparisonTypeAttr(kind)


def compare_type_field(op: stablehlo.CompareOp, regions: Regions) -> Fields:
    """The type, if it is not the default."""
    kind = None if op.compare_type is None else op.compare_type.data
    return {} if kind in (None, default_type(op.lhs)) else {"type": kind}


def one_dimension(dimension_of: Callable[[Any], int]) -> Part:
    """`dimensions={0}`, the property `dimension`, which `dimension_of` an operation gives."""

    def read(instruction: Instruction, content: Content) -> None:
        dimensions = instruction.fields["dimensions"]
        if len(dimensions) != 1:
            raise instruction.error(f"takes one dimension, got {len(dimensions)}", "write `dimensions={0}`")
        content.properties["dimension"] = ONE_INTEGER.encode(dimensions)

    return Part("dimensions", "", read, lambda op, regions: {"dimensions": (dimension_of(op),)})


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


def index_numbers(name: str, kind: type[ParametrizedAttribute], lists: str, batching: str) -> Part:
    """
    `offset_dims={1}, ..., index_vector_dim=1`: the property `name`, whose fields have the names of HLO text.

    `lists` are three lists of dimensions, and `batching` are two that may be omitted, which `kind` has before the last.
    """
    first, second, third = lists.split()
    names = (first, second, *batching.split(), third)

    def read(instruction: Instruction, content: Content) -> None:
        fields = instruction.fields
        dimensions = [dimension_array(fields.get(key, ())) for key in names]
        content.properties[name] = kind.new([*dimensions, IntAttr(fields["index_vector_dim"])])

    def write(op: Operation, regions: Regions) -> Fields:
        *values, vector = cast(ParametrizedAttribute, op.properties[name]).parameters
        found: Fields = {key: INTEGERS.decode(value) for key, value in zip(names, values, strict=True)}
        batched = {key: found.pop(key) for key in batching.split()}
        return found | (batched if any(batched.values()) else {}) | {"index_vector_dim": cast(IntAttr, vector).data}

    return Part(f"{lists} index_vector_dim", batching, read, write)


def columns(key: str, names: str) -> Part:
    """`padding=1_2x0_0_1`: three numbers for each dimension. The properties `names` are the lists of either of them."""

    def read(instruction: Instruction, content: Content) -> None:
        lists = tuple(zip(*instruction.fields[key], strict=True)) or ((), (), ())
        content.properties |= dict(zip(names.split(), map(dimension_array, lists), strict=True))

    def write(op: Operation, regions: Regions) -> Fields:
        lists = [INTEGERS.decode(op.properties[name]) for name in names.split()]
        return {key: tuple(zip(*lists, strict=True))}

    return Part(key, "", read, write)


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
    "broadcast": described(
        stablehlo.BroadcastInDimOp,
        1,
        prop("dimensions", INTEGERS, "broadcast_dimensions", (), is_printed=True),
        read_operands=broadcast_operand,
        needs_rewrite=repeated_ones,
    ),
    "compare": described(
        stablehlo.CompareOp,
        2,
        prop("direction", members(ComparisonDirectionAttr), "comparison_direction"),
        Part("", "type order", read_compare_type, compare_type_field),
    ),
    "concatenate": described(stablehlo.ConcatenateOp, None, one_dimension(lambda op: op.dimension.value.data)),
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
        described(stablehlo.DynamicSliceOp, None, prop("dynamic_slice_sizes", INTEGERS, "slice_sizes")), first=1
    ),
    "dynamic-update-slice": split_indices(described(stablehlo.DynamicUpdateSliceOp, None), first=2),
    "gather": described(
        stablehlo.GatherOp,
        2,
        index_numbers(
            "dimension_numbers",
            stablehlo.GatherDimensionNumbersAttr,
            "offset_dims collapsed_slice_dims start_index_map",
            "operand_batching_dims start_indices_batching_dims",
        ),
        prop("slice_sizes", INTEGERS),
        prop("indices_are_sorted", BOOLEAN, default=False),
    ),
    "get-dimension-size": described(stablehlo.GetDimensionSizeOp, 1, prop("dimensions", ONE_INTEGER, "dimension")),
    "iota": described(stablehlo.IotaOp, 0, prop("iota_dimension", INTEGER)),
    "pad": described(stablehlo.PadOp, 2, columns("padding", "edge_padding_low edge_padding_high interior_padding")),
    "reduce-precision": described(
        stablehlo.ReducePrecisionOp, 1, prop("exponent_bits", INTEGER_32), prop("mantissa_bits", INTEGER_32)
    ),
    "reshape": described(stablehlo.ReshapeOp, 1, extras="inferred_dimension"),
    "reverse": described(stablehlo.ReverseOp, 1, prop("dimensions", INTEGERS)),
    "set-dimension-size": described(stablehlo.SetDimensionSizeOp, 2, prop("dimensions", ONE_INTEGER, "dimension")),
    "slice": described(stablehlo.SliceOp, 1, columns("slice", "start_indices limit_indices strides")),
    "transpose": described(stablehlo.TransposeOp, 1, prop("dimensions", INTEGERS, "permutation")),
}
