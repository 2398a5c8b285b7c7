"""Contractions: dot, ragged dot and convolution."""

from collections.abc import Callable, Mapping
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, Float8E5M2Type, IntAttr, StringAttr, f32, i1
from xdsl.ir import Attribute, Operation

from xshardy.dialects import chlo, mhlo, stablehlo
from xshardy.dialects.chlo.ragged_dot import RaggedDotProduct
from xshardy.dialects.element_names import FLOAT8_TYPES
from xshardy.dialects.mhlo.attributes import DotDimensionNumbersAttr, PrecisionAttr, RaggedDotDimensionNumbersAttr
from xshardy.dialects.stablehlo.attributes import Precision
from xshardy.dialects.stablehlo.convolution_numbers import ConvDimensionNumbersAttr
from xshardy.dialects.stablehlo.dot_algorithm import KNOWN_ALGORITHMS, DotAlgorithmAttr
from xshardy.dialects.stablehlo.windows import window_properties
from xshardy.hlo_text.codecs import INTEGERS, PRECISIONS, Fields, dimension_array, integer
from xshardy.hlo_text.fields import ReversibleDimension
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Form, Opcode, Regions, row

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


def dot(instruction: Instruction) -> Operation:
    """`dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}`"""
    lists = [dimension_array(instruction.fields.get(name, ())) for name in DOT_DIMENSIONS]
    numbers = stablehlo.DotDimensionNumbersAttr.new(lists)
    properties = precision_property(instruction.fields)
    made = instruction.create(stablehlo.DotGeneralOp, dot_dimension_numbers=numbers, **properties)
    if (name := instruction.fields.get("algorithm")) is not None:
        if (algorithm := ALGORITHMS.get(name)) is None:
            raise instruction.error(f"unknown algorithm '{name}'", f"one of {', '.join(ALGORITHMS)}")
        if properties:  # StableHLO has an algorithm only with the default precision
            made.attributes[ALGORITHM] = StringAttr(name)
        else:
            made.properties["algorithm"] = algorithm
    return made


def precision_property(fields: Mapping[str, tuple[Precision, ...]]) -> dict[str, Attribute]:
    """`operand_precision={highest,default}` as a property; none if omitted."""
    precisions = fields.get("operand_precision")
    return {"precision_config": PRECISIONS.encode(precisions)} if precisions else {}


def precision_field(config: ArrayAttr | None) -> Fields:
    """The inverse of `precision_property`; omitted if all are default."""
    precisions = () if config is None else PRECISIONS.decode(config)
    return {"operand_precision": precisions} if any(p != Precision.DEFAULT for p in precisions) else {}


def dot_fields(op: stablehlo.DotGeneralOp, regions: Regions) -> Fields:
    """The inverse of `dot`."""
    lists = [INTEGERS.decode(numbers) for numbers in op.dot_dimension_numbers.parameters]
    fields: Fields = {name: dims for name, dims in zip(DOT_DIMENSIONS, lists, strict=True) if dims}
    fields |= precision_field(op.precision_config)
    if op.algorithm is not None:
        fields["algorithm"] = algorithm_name(op.algorithm)
    elif isinstance(name := op.attributes.get(ALGORITHM), StringAttr):
        fields["algorithm"] = name.data
    return fields


def ragged_dot(instruction: Instruction) -> Operation:
    """`ragged-dot(x, y, sizes), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, ...`"""
    fields = instruction.fields
    dot = DotDimensionNumbersAttr.new([dimension_array(fields.get(name, ())) for name in DOT_DIMENSIONS])
    groups = [dimension_array(fields.get(name, ())) for name in RAGGED_DIMENSIONS]
    precisions: tuple[Precision, ...] = fields.get("operand_precision", ())
    config: dict[str, Attribute] = {"precision_config": ArrayAttr(map(PrecisionAttr, precisions))} if precisions else {}
    numbers = RaggedDotDimensionNumbersAttr(dot, *groups)
    return instruction.create(mhlo.RaggedDotOp, ragged_dot_dimension_numbers=numbers, **config)


def ragged_dot_fields(op: RaggedDotProduct, regions: Regions) -> Fields:
    """The inverse of `ragged_dot`."""
    numbers = op.numbers
    lists = {
        "lhs_batch_dims": numbers.lhs_batching_dimensions,
        "rhs_batch_dims": numbers.rhs_batching_dimensions,
        "lhs_contracting_dims": numbers.lhs_contracting_dimensions,
        "rhs_contracting_dims": numbers.rhs_contracting_dimensions,
        "lhs_ragged_dims": numbers.lhs_ragged_dimensions,
        "rhs_group_dims": numbers.rhs_group_dimensions,
    }
    fields: Fields = {name: values for name, dims in lists.items() if (values := dims.get_values())}
    return fields | precision_field(cast("ArrayAttr | None", op.properties.get("precision_config")))


def convolution(instruction: Instruction) -> Operation:
    """`convolution(x, w), window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=2`"""
    fields = instruction.fields
    window: tuple[ReversibleDimension, ...] = fields.get("window", ())
    properties = window_properties(window)
    del properties["window_dimensions"]  # in StableHLO they belong to the kernel
    for name, convolution_name in (("base_dilations", "lhs_dilation"), ("window_dilations", "rhs_dilation")):
        if name in properties:
            properties[convolution_name] = properties.pop(name)
    if any(dimension.is_reversed for dimension in window):
        properties["window_reversal"] = DenseArrayBase.from_list(i1, [dimension.is_reversed for dimension in window])
    return instruction.create(
        stablehlo.ConvolutionOp,
        dimension_numbers=dimension_numbers(fields["dim_labels"], len(window), instruction.error),
        feature_group_count=integer(fields.get("feature_group_count", 1)),
        batch_group_count=integer(fields.get("batch_group_count", 1)),
        **properties,
        **precision_property(fields),
    )


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
    """The inverse of `convolution`."""
    reversal = () if op.window_reversal is None else op.window_reversal.get_values()
    window = tuple(
        ReversibleDimension(d.size, d.stride, d.base_dilation, d.window_dilation, d.low, d.high, is_reversed)
        for d, is_reversed in zip(op.window(), map(abs, reversal or [0] * len(op.window())), strict=True)
    )
    fields: Fields = {"window": window} if window else {}
    fields["dim_labels"] = labels_of(op.dimension_numbers)
    for key in ("feature_group_count", "batch_group_count"):
        if (count := op.properties[key].value.data) != 1:  # pyright: ignore
            fields[key] = count
    return fields | precision_field(op.precision_config)


def labels_of(numbers: ConvDimensionNumbersAttr) -> str:
    """The inverse of `dimension_numbers`."""
    texts: list[str] = []
    for letters, places in zip(("bf", "io", "bf"), numbers.roles, strict=True):
        labels = dict(zip(places, (*letters, *map(str, range(len(places) - 2))), strict=True))
        texts.append("".join(labels[i] for i in range(len(places))))
    return f"{texts[0]}_{texts[1]}->{texts[2]}"


ROWS: Mapping[str, Opcode] = {
    "convolution": row(
        convolution,
        2,
        "dim_labels",
        "window feature_group_count batch_group_count operand_precision",
        extras="convolution_kind sparsity_config",
        forms=[Form(stablehlo.ConvolutionOp, convolution_fields)],
    ),
    "dot": row(
        dot,
        2,
        "",
        f"{' '.join(DOT_DIMENSIONS)} operand_precision algorithm",
        extras="sparsity sparsity_config",
        forms=[Form(stablehlo.DotGeneralOp, dot_fields)],
    ),
    "ragged-dot": row(
        ragged_dot,
        3,
        "",
        f"{' '.join((*DOT_DIMENSIONS, *RAGGED_DIMENSIONS))} operand_precision",
        forms=[Form(op, ragged_dot_fields) for op in (mhlo.RaggedDotOp, chlo.RaggedDotOp)],
    ),
}
