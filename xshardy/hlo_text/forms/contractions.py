"""Contractions: dot, ragged dot and convolution."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, Float8E5M2Type, IntAttr, StringAttr, f32, i1
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, Operation

from xshardy.dialects import chlo, mhlo, stablehlo
from xshardy.dialects.chlo.ragged_dot import RaggedDotProduct
from xshardy.dialects.element_names import FLOAT8_TYPES
from xshardy.dialects.mhlo.attributes import DotDimensionNumbersAttr, PrecisionAttr, RaggedDotDimensionNumbersAttr
from xshardy.dialects.stablehlo.attributes import Precision
from xshardy.dialects.stablehlo.convolution_numbers import ConvDimensionNumbersAttr
from xshardy.dialects.stablehlo.dot_algorithm import KNOWN_ALGORITHMS, DotAlgorithmAttr
from xshardy.dialects.stablehlo.windows import window_properties
from xshardy.hlo_text.codecs import INTEGER, INTEGERS, PRECISIONS, Fields, dimension_array
from xshardy.hlo_text.fields import ReversibleDimension
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Content, Opcode, Part, Regions, described, prop

DOT_DIMENSIONS = ("lhs_batch_dims", "rhs_batch_dims", "lhs_contracting_dims", "rhs_contracting_dims")
ALGORITHM = "hlo.algorithm"
"""An algorithm that stands beside a precision, which it overrides."""
RAGGED_DIMENSIONS = ("lhs_ragged_dims", "rhs_group_dims")


def algorithm_name(algorithm: DotAlgorithmAttr) -> str:
    """`dot_bf16_bf16_f32_x3`; all types of 8 bits have one name."""
    if isinstance(algorithm.lhs_precision_type, FLOAT8_TYPES):
        is_fast = algorithm.allow_imprecise_accumulation.value.data
        return f"dot_any_f8_any_f8_f32{'_fast_accum' if is_fast else ''}"
    operations = algorithm.num_primitive_operations.data
    types = algorithm.lhs_precision_type, algorithm.rhs_precision_type, algorithm.accumulation_type
    return f"dot_{'_'.join(map(str, types))}{f'_x{operations}' if operations > 1 else ''}"


ALGORITHMS: Mapping[str, DotAlgorithmAttr] = {
    algorithm_name(algorithm): algorithm
    for algorithm in (
        *(DotAlgorithmAttr.of(Float8E5M2Type(), f32, 1, is_imprecise) for is_imprecise in (False, True)),
        *(DotAlgorithmAttr.of(*known) for known in KNOWN_ALGORITHMS),
    )
}
"""The algorithms by their names in HLO text."""


def read_dot_numbers(instruction: Instruction, content: Content) -> None:
    """`lhs_contracting_dims={1}, rhs_contracting_dims={0}`; omitted lists are empty."""
    lists = [dimension_array(instruction.fields.get(name, ())) for name in DOT_DIMENSIONS]
    content.properties["dot_dimension_numbers"] = stablehlo.DotDimensionNumbersAttr.new(lists)


def dot_number_fields(op: stablehlo.DotGeneralOp, regions: Regions) -> Fields:
    """The inverse of `read_dot_numbers`."""
    lists = [INTEGERS.decode(numbers) for numbers in op.dot_dimension_numbers.parameters]
    return {name: dims for name, dims in zip(DOT_DIMENSIONS, lists, strict=True) if dims}


def precision(kind: type[EnumAttribute[Any]]) -> Part:
    """`operand_precision={highest,default}`, omitted if all are default: attributes of class `kind`."""

    def read(instruction: Instruction, content: Content) -> None:
        if precisions := instruction.fields.get("operand_precision"):
            content.properties["precision_config"] = ArrayAttr(map(kind, precisions))

    def write(op: Operation, regions: Regions) -> Fields:
        precisions = PRECISIONS.decode(op.properties.get("precision_config", ()))
        return {"operand_precision": precisions} if any(p != Precision.DEFAULT for p in precisions) else {}

    return Part("", "operand_precision", read, write)


def read_algorithm(instruction: Instruction, content: Content) -> None:
    """`algorithm=dot_bf16_bf16_f32`; StableHLO has an algorithm only with the default precision."""
    if (name := instruction.fields.get("algorithm")) is None:
        return
    if (algorithm := ALGORITHMS.get(name)) is None:
        raise instruction.error(f"unknown algorithm '{name}'", f"one of {', '.join(ALGORITHMS)}")
    if "precision_config" in content.properties:
        content.attributes[ALGORITHM] = StringAttr(name)
    else:
        content.properties["algorithm"] = algorithm


def algorithm_field(op: stablehlo.DotGeneralOp, regions: Regions) -> Fields:
    """The inverse of `read_algorithm`."""
    if op.algorithm is not None:
        return {"algorithm": algorithm_name(op.algorithm)}
    name = op.attributes.get(ALGORITHM)
    return {"algorithm": name.data} if isinstance(name, StringAttr) else {}


def read_ragged_numbers(instruction: Instruction, content: Content) -> None:
    """`lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, ...`"""
    fields = instruction.fields
    dot = DotDimensionNumbersAttr.new([dimension_array(fields.get(name, ())) for name in DOT_DIMENSIONS])
    groups = [dimension_array(fields.get(name, ())) for name in RAGGED_DIMENSIONS]
    content.properties["ragged_dot_dimension_numbers"] = RaggedDotDimensionNumbersAttr(dot, *groups)


def ragged_number_fields(op: RaggedDotProduct, regions: Regions) -> Fields:
    """The inverse of `read_ragged_numbers`."""
    numbers = op.numbers
    lists = {
        "lhs_batch_dims": numbers.lhs_batching_dimensions,
        "rhs_batch_dims": numbers.rhs_batching_dimensions,
        "lhs_contracting_dims": numbers.lhs_contracting_dimensions,
        "rhs_contracting_dims": numbers.rhs_contracting_dimensions,
        "lhs_ragged_dims": numbers.lhs_ragged_dimensions,
        "rhs_group_dims": numbers.rhs_group_dimensions,
    }
    return {name: values for name, dims in lists.items() if (values := dims.get_values())}


def read_convolution(instruction: Instruction, content: Content) -> None:
    """`window={size=3x3}, dim_labels=b01f_01io->b01f`"""
    window: tuple[ReversibleDimension, ...] = instruction.fields.get("window", ())
    properties = window_properties(window)
    del properties["window_dimensions"]  # in StableHLO they belong to the kernel
    for name, convolution_name in (("base_dilations", "lhs_dilation"), ("window_dilations", "rhs_dilation")):
        if name in properties:
            properties[convolution_name] = properties.pop(name)
    if any(dimension.is_reversed for dimension in window):
        properties["window_reversal"] = DenseArrayBase.from_list(i1, [dimension.is_reversed for dimension in window])
    labels = instruction.fields["dim_labels"]
    content.properties["dimension_numbers"] = dimension_numbers(labels, len(window), instruction.error)
    content.properties |= properties


def dimension_numbers(labels: str, rank: int, error: Callable[[str], Exception]) -> ConvDimensionNumbersAttr:
    """`b01f_01io->b01f` with as many spatial dimensions as the window has, `rank`. Raises an `error` for others."""
    numbers: list[Attribute] = []
    lhs, rest = labels.split("_")
    rhs, out = rest.split("->")
    for part, letters in ((lhs, "bf"), (rhs, "io"), (out, "bf")):
        if sorted(part) != sorted([*letters, *map(str, range(rank))]):
            raise error(
                f"'{part}' in dim_labels does not name {letters[0]}, {letters[1]} and the {rank} dimensions of the "
                "window, each once"
            )
        numbers += [IntAttr(part.index(letter)) for letter in letters]
        numbers.append(dimension_array(tuple(part.index(str(i)) for i in range(rank))))
    return ConvDimensionNumbersAttr.new(numbers)


def convolution_fields(op: stablehlo.ConvolutionOp, regions: Regions) -> Fields:
    """The inverse of `read_convolution`."""
    reversal = () if op.window_reversal is None else op.window_reversal.get_values()
    window = tuple(
        ReversibleDimension(d.size, d.stride, d.base_dilation, d.window_dilation, d.low, d.high, is_reversed)
        for d, is_reversed in zip(op.window(), map(abs, reversal or [0] * len(op.window())), strict=True)
    )
    return ({"window": window} if window else {}) | {"dim_labels": labels_of(op.dimension_numbers)}


def labels_of(numbers: ConvDimensionNumbersAttr) -> str:
    """The inverse of `dimension_numbers`."""
    texts: list[str] = []
    for letters, places in zip(("bf", "io", "bf"), numbers.roles, strict=True):
        labels = dict(zip(places, (*letters, *map(str, range(len(places) - 2))), strict=True))
        texts.append("".join(labels[i] for i in range(len(places))))
    return f"{texts[0]}_{texts[1]}->{texts[2]}"


RAGGED_DOT = described(
    mhlo.RaggedDotOp,
    3,
    Part("", " ".join((*DOT_DIMENSIONS, *RAGGED_DIMENSIONS)), read_ragged_numbers, ragged_number_fields),
    precision(PrecisionAttr),
)

ROWS: Mapping[str, Opcode] = {
    "convolution": described(
        stablehlo.ConvolutionOp,
        2,
        Part("dim_labels", "window", read_convolution, convolution_fields),
        prop("feature_group_count", INTEGER, default=1),
        prop("batch_group_count", INTEGER, default=1),
        precision(stablehlo.PrecisionAttr),
        extras="convolution_kind sparsity_config",
    ),
    "dot": described(
        stablehlo.DotGeneralOp,
        2,
        Part("", " ".join(DOT_DIMENSIONS), read_dot_numbers, dot_number_fields),
        precision(stablehlo.PrecisionAttr),
        Part("", "algorithm", read_algorithm, algorithm_field),
        extras="sparsity sparsity_config",
    ),
    "ragged-dot": replace(
        RAGGED_DOT, forms=tuple(replace(RAGGED_DOT.forms[0], op=op) for op in (mhlo.RaggedDotOp, chlo.RaggedDotOp))
    ),
}
