"""
The operations of VHLO, by their names without version, and the operations of StableHLO and func that they are.

Source: StableHLO, VhloOps.td and docs/vhlo.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i1, i64
from xdsl.ir import Attribute, Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.convolution_numbers import ConvDimensionNumbersAttr
from xshardy.syntax.bytecode.vhlo import OLDEST, Version
from xshardy.syntax.bytecode.vhlo_properties import (
    API_VERSION,
    BOOLS,
    FALSE,
    INTS,
    NO_ENTRIES,
    NO_INTS,
    NOTHING,
    SYMBOL,
    SYMBOLS,
    Conversion,
    Default,
    algorithm,
    always,
    attr,
    channel,
    channel_id,
    dimension_numbers,
    dropped,
    flag,
    layouts,
    splat,
)


@dataclass(frozen=True, slots=True)
class VhloOperation:
    """An operation of VHLO: the operation that it is, its attributes, and what brought each of its versions."""

    operation: str
    conversions: Sequence[Conversion] = ()
    versions: Sequence[Version] = (OLDEST,)
    """The version of StableHLO that brought `_v1`, `_v2`, ... of the operation."""
    one_operand_before: bool = False
    """Whether `_v1` has one operand and one result only."""

    def version_for(self, target: Version) -> int:
        """The version of the operation in StableHLO `target`; 0 if there is none."""
        return sum(version <= target for version in self.versions)

    def attributes(self, version: int) -> Sequence[str]:
        """The names of the attributes in a version of the operation, in the order of bytecode, which is by name."""
        return sorted(a.name for part in self.conversions for a in part.attrs if a.since <= version <= a.until)

    def missing(self, version: int) -> Mapping[str, Attribute]:
        """The attributes that a version of the operation does not have yet, with their values in newer ones."""
        attrs = (a for part in self.conversions for a in part.attrs if a.since > version)
        return {a.name: a.before for a in attrs if a.before is not None}

    def properties(self, values: Mapping[str, Attribute]) -> dict[str, Attribute]:
        """The properties of the operation, from all attributes of VHLO's newest version. Raises `BytecodeError`."""
        return {name: value for part in self.conversions for name, value in part.read(values).items()}

    def values(self, op: Operation) -> dict[str, Attribute]:
        """The inverse of `properties`. Raises `BytecodeError`."""
        return {name: value for part in self.conversions for name, value in part.write(op).items()}


def _spatial_rank(op: Operation) -> int:
    numbers = op.properties.get("dimension_numbers")
    return len(numbers.input_spatial_dimensions) if isinstance(numbers, ConvDimensionNumbersAttr) else 0


def _window_rank(op: Operation) -> int:
    sizes = op.properties.get("window_dimensions")
    return len(INTS.write(sizes)) if sizes is not None else 0  # type: ignore[arg-type]


def _is_default_precision(value: Attribute) -> bool:
    return isinstance(value, ArrayAttr) and all(part == DEFAULT_PRECISION for part in cast(ArrayAttr[Attribute], value))


def _has_no_entries(value: Attribute) -> bool:
    return isinstance(value, ArrayAttr) and all(part == NO_ENTRIES for part in cast(ArrayAttr[Attribute], value))


def _is_empty_config(value: Attribute) -> bool:
    return value in (StringAttr(""), NO_ENTRIES)


DEFAULT_PRECISION = stablehlo.PrecisionAttr(stablehlo.Precision.DEFAULT)
EXACT = stablehlo.ResultAccuracyAttr.of(stablehlo.ResultAccuracyMode.DEFAULT)

FALSE_IF_MISSING = always(FALSE)
EMPTY_IF_MISSING = always(NOTHING)
NO_TEXT_IF_MISSING = always(StringAttr(""))

PRECISION = attr(
    "precision_config", default=Default(lambda op: ArrayAttr([DEFAULT_PRECISION] * 2), _is_default_precision)
)
ACCURACY = attr("result_accuracy", default=always(EXACT), since=2, before=EXACT)
SORTED_INDICES = attr("indices_are_sorted", default=FALSE_IF_MISSING)
FUNCTION_ATTRIBUTES = Default(lambda op: NOTHING, _has_no_entries)
HOST_TRANSFER = (
    channel(),
    attr("is_host_transfer", default=FALSE_IF_MISSING),
    attr("source_target_pairs", default=always(NO_INTS), since=2, before=NO_INTS),
)
CONVOLUTION = (
    attr("window_strides", INTS, splat(1, _spatial_rank)),
    attr("lhs_dilation", INTS, splat(1, _spatial_rank)),
    attr("rhs_dilation", INTS, splat(1, _spatial_rank)),
    attr("window_reversal", BOOLS, splat(0, _spatial_rank, i1)),
    dimension_numbers("dimension_numbers", ConvDimensionNumbersAttr),
    attr("feature_group_count"),
    attr("batch_group_count"),
    PRECISION,
)
GATHER = dimension_numbers(
    "dimension_numbers",
    stablehlo.GatherDimensionNumbersAttr,
    newer=("operand_batching_dims", "start_indices_batching_dims"),
)
SCATTER = dimension_numbers(
    "scatter_dimension_numbers",
    stablehlo.ScatterDimensionNumbersAttr,
    newer=("input_batching_dims", "scatter_indices_batching_dims"),
)
GROUPS = (attr("replica_groups"), channel_id())
GLOBAL_GROUPS = (*GROUPS, flag("use_global_device_ids"))
BATCH_NORM = (attr("epsilon"), attr("feature_index"))

WITHOUT_ATTRIBUTES = """
abs add after_all and atan2 bitcast_convert case ceil clamp complex convert count_leading_zeros create_token divide
dynamic_pad dynamic_reshape dynamic_update_slice floor if imag is_finite maximum minimum multiply negate not
optimization_barrier or partition_id popcnt power real real_dynamic_slice remainder replica_id reshape
round_nearest_afz round_nearest_even select shift_left shift_right_arithmetic shift_right_logical sign subtract
tuple uniform_dequantize uniform_quantize while xor
"""

WITH_ACCURACY = "cbrt cosine exponential_minus_one log log_plus_one logistic rsqrt sine sqrt tanh"
"""The operations whose accuracy came with version 1.10; that of `exponential` and `tan` has other versions."""

OPERATIONS: Mapping[str, Sequence[Conversion]] = {
    **dict.fromkeys(WITHOUT_ATTRIBUTES.split(), ()),
    "batch_norm_grad": BATCH_NORM,
    "batch_norm_inference": BATCH_NORM,
    "batch_norm_training": BATCH_NORM,
    "broadcast": (attr("broadcast_sizes", INTS),),
    "broadcast_in_dim": (attr("broadcast_dimensions", INTS),),
    "cholesky": (attr("lower", default=FALSE_IF_MISSING),),
    "collective_permute": (attr("source_target_pairs"), channel_id()),
    "compare": (
        attr("comparison_direction"),
        attr("compare_type", default=always(stablehlo.ComparisonTypeAttr(stablehlo.ComparisonType.NOTYPE))),
    ),
    "concatenate": (attr("dimension"),),
    "constant": (attr("value"),),
    "convolution": (*CONVOLUTION, attr("padding", default=splat(0, _spatial_rank, pairs=True))),
    "cross-replica-sum": (attr("replica_groups"),),
    "dot": (PRECISION,),
    "dynamic_broadcast_in_dim": (
        attr("broadcast_dimensions", INTS),
        attr("known_expanding_dimensions", INTS, always(NO_INTS)),
        attr("known_nonexpanding_dimensions", INTS, always(NO_INTS)),
    ),
    "dynamic_iota": (attr("iota_dimension"),),
    "dynamic_slice": (attr("slice_sizes", INTS),),
    "einsum": (attr("einsum_config"),),
    "fft": (attr("fft_type"), attr("fft_length", INTS)),
    "get_dimension_size": (attr("dimension"),),
    "get_tuple_element": (attr("index"),),
    "infeed": (attr("infeed_config"), attr("layout", default=EMPTY_IF_MISSING)),
    "iota": (attr("iota_dimension"),),
    "map": (attr("dimensions", INTS),),
    "outfeed": (attr("outfeed_config"),),
    "pad": (attr("edge_padding_low", INTS), attr("edge_padding_high", INTS), attr("interior_padding", INTS)),
    "reduce": (attr("dimensions", INTS),),
    "reduce_precision": (attr("exponent_bits"), attr("mantissa_bits")),
    "reduce_scatter": (attr("scatter_dimension"), *GLOBAL_GROUPS),
    "reduce_window": (
        attr("window_dimensions", INTS),
        attr("window_strides", INTS, splat(1, _window_rank)),
        attr("base_dilations", INTS, splat(1, _window_rank)),
        attr("window_dilations", INTS, splat(1, _window_rank)),
        attr("padding", default=splat(0, _window_rank, pairs=True)),
    ),
    "reverse": (attr("dimensions", INTS),),
    "rng": (attr("rng_distribution"),),
    "rng_bit_generator": (attr("rng_algorithm"),),
    "select_and_scatter": (
        attr("window_dimensions", INTS),
        attr("window_strides", INTS, splat(1, _window_rank)),
        attr("padding", default=splat(0, _window_rank, pairs=True)),
    ),
    "set_dimension_size": (attr("dimension"),),
    "slice": (attr("start_indices", INTS), attr("limit_indices", INTS), attr("strides", INTS)),
    "sort": (attr("dimension", default=always(IntegerAttr(-1, i64))), attr("is_stable", default=FALSE_IF_MISSING)),
    "torch_index_select": (attr("dim"), attr("batch_dims")),
    "transpose": (attr("permutation", INTS),),
    "triangular_solve": (attr("left_side"), attr("lower"), attr("unit_diagonal"), attr("transpose_a")),
    "unary_einsum": (attr("einsum_config"),),
}
"""The operations of StableHLO that are as they were in version 1.0, and how their attributes are converted."""

CHANGED: Mapping[str, VhloOperation] = {
    **{name: VhloOperation(f"stablehlo.{name}", (ACCURACY,), (OLDEST, (1, 10))) for name in WITH_ACCURACY.split()},
    "exponential": VhloOperation("stablehlo.exponential", (ACCURACY,), (OLDEST, (1, 9))),
    "tan": VhloOperation("stablehlo.tan", (ACCURACY,), ((1, 4), (1, 10))),
    "all_gather": VhloOperation(
        "stablehlo.all_gather", (attr("all_gather_dim"), *GLOBAL_GROUPS), (OLDEST, (1, 5)), True
    ),
    "all_reduce": VhloOperation("stablehlo.all_reduce", GLOBAL_GROUPS, (OLDEST, (1, 5)), True),
    "all_to_all": VhloOperation(
        "stablehlo.all_to_all",
        (attr("split_dimension"), attr("concat_dimension"), attr("split_count"), *GROUPS),
        (OLDEST, (1, 5)),
        True,
    ),
    "async_start": VhloOperation("stablehlo.async_start", (), ((1, 15),)),
    "async_done": VhloOperation("stablehlo.async_done", (), ((1, 15),)),
    "collective_broadcast": VhloOperation(
        "stablehlo.collective_broadcast", (*GROUPS, flag("has_dynamic_root", since=2)), (OLDEST, (1, 20)), True
    ),
    "collective_reduce": VhloOperation(
        "stablehlo.collective_reduce", (*GLOBAL_GROUPS, flag("has_dynamic_root")), ((1, 19),)
    ),
    "composite": VhloOperation(
        "stablehlo.composite",
        (
            attr("name"),
            attr("composite_attributes", default=always(DictionaryAttr({}))),
            attr("decomposition", SYMBOL),
            attr("version", default=always(IntegerAttr(0, i64))),
        ),
        (OLDEST, (1, 14)),
    ),
    "custom_call": VhloOperation(
        "stablehlo.custom_call",
        (
            attr("call_target_name"),
            attr("has_side_effect", default=FALSE_IF_MISSING),
            attr("backend_config", default=Default(lambda op: StringAttr(""), _is_empty_config)),
            attr("api_version", API_VERSION, always(API_VERSION.write(IntegerAttr(1, i64)))),
            attr("called_computations", SYMBOLS, EMPTY_IF_MISSING),
            layouts(),
            attr("output_operand_aliases", default=EMPTY_IF_MISSING),
            attr("result_tilings", default=EMPTY_IF_MISSING, since=2, before=NOTHING),
        ),
        (OLDEST, (1, 18)),
    ),
    "dot_general": VhloOperation(
        "stablehlo.dot_general",
        (dimension_numbers("dot_dimension_numbers", stablehlo.DotDimensionNumbersAttr), PRECISION, algorithm()),
        (OLDEST, (1, 6)),
    ),
    "dynamic_conv": VhloOperation(
        "stablehlo.dynamic_conv", (*CONVOLUTION, dropped("padding", until=1)), ((0, 9), (0, 20))
    ),
    "dynamic_gather": VhloOperation("stablehlo.dynamic_gather", (GATHER, SORTED_INDICES), (OLDEST, (1, 1))),
    "gather": VhloOperation("stablehlo.gather", (GATHER, attr("slice_sizes", INTS), SORTED_INDICES), (OLDEST, (1, 1))),
    "scatter": VhloOperation(
        "stablehlo.scatter",
        (SCATTER, SORTED_INDICES, attr("unique_indices", default=FALSE_IF_MISSING)),
        (OLDEST, (1, 1)),
    ),
    "recv": VhloOperation("stablehlo.recv", HOST_TRANSFER, (OLDEST, (1, 12))),
    "send": VhloOperation("stablehlo.send", HOST_TRANSFER, (OLDEST, (1, 12))),
    "call": VhloOperation("func.call", (attr("callee", SYMBOL),)),
    "func": VhloOperation(
        "func.func",
        (
            attr("sym_name"),
            attr("function_type"),
            attr("sym_visibility", default=NO_TEXT_IF_MISSING),
            attr("arg_attrs", default=FUNCTION_ATTRIBUTES),
            attr("res_attrs", default=FUNCTION_ATTRIBUTES),
        ),
    ),
    "return": VhloOperation("stablehlo.return"),
}
"""The operations that changed since version 1.0, are newer, or are no operations of StableHLO."""

VHLO_OPERATIONS: Mapping[str, VhloOperation] = {
    **{name: VhloOperation(f"stablehlo.{name}", conversions) for name, conversions in OPERATIONS.items()},
    **CHANGED,
}
"""All operations of VHLO, by their names without the dialect and the version."""

RETURN_OF_FUNCTION = "func.return"
"""What VHLO's `return` is in a function; elsewhere it is StableHLO's."""

VHLO_NAMES: Mapping[str, str] = {row.operation: name for name, row in VHLO_OPERATIONS.items()} | {
    RETURN_OF_FUNCTION: "return"
}
"""The name in VHLO of an operation."""
