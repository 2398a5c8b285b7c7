"""The rule of each operation, by its class."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable

from xshardy.dialects import chlo, hlo, sdy, stablehlo
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.collectives import COLLECTIVES
from xshardy.dialects.shapes import shape_of
from xshardy.facts.decompositions import decomposed, decomposition_of
from xshardy.interpreters.stablehlo.custom_calls import IDENTITIES
from xshardy.proving.kernel import Kernel, Undecided
from xshardy.proving.rules import collectives, lookups, movement, reductions, windows
from xshardy.proving.rules.elementwise import elementwise
from xshardy.proving.rules.keys import element_of, fingerprint
from xshardy.proving.rules.whole import applied_to_whole
from xshardy.proving.views import View
from xshardy.sharding.conflicts.parts_rules import WHOLE_DIMENSIONS
from xshardy.sharding.factor_rule import FactorRule

Rule: TypeAlias = Callable[[Kernel, Any, Sequence[View]], Sequence[View]]


def along_last(kernel: Kernel, op: Operation, operands: Sequence[View], count: int) -> Sequence[View]:
    """Operations that take the last `count` dimensions as a whole and compute alike along the others."""
    given = [_without_last(len(view.shape), count) for view in operands]
    return applied_to_whole(kernel, op, operands, given, [_without_last(len(shape_of(r)), count) for r in op.results])


def _without_last(rank: int, count: int) -> list[int | None]:
    return [dim if dim < rank - count else None for dim in range(rank)]


def bitcast_convert(kernel: Kernel, op: stablehlo.BitcastConvertOp, operands: Sequence[View]) -> Sequence[View]:
    """Elementwise between types of one width; otherwise the last dimension is a part of an element."""
    rank, result_rank = len(operands[0].shape), len(shape_of(op.result))
    dims, count = range(min(rank, result_rank)), max(rank, result_rank)
    given, made = ([*dims, *([None] * (count - len(dims)))][:each] for each in (rank, result_rank))
    types = str(element_of(op.operand)), str(element_of(op.result))
    return applied_to_whole(kernel, op, operands, [given], [made], more=types)


def without_a_rule(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    """Operations that may read other devices or a state."""
    raise Undecided("nothing is known about such operations")


def custom_call(kernel: Kernel, op: stablehlo.CustomCallOp, operands: Sequence[View]) -> Sequence[View]:
    """
    Known ones by the dimensions that they take as a whole, others as a whole, but along what the user's rule says.

    That rule is an assumption of the proof, as it is one of each partitioner.
    """
    target = op.call_target_name.data
    if target in IDENTITIES:
        return operands
    more = _called(op)
    if (count := WHOLE_DIMENSIONS.get(target)) is not None:
        batches = list(range(len(operands[0].shape) - count))
        given = [_first(view.shape, operands[0].shape, batches) for view in operands]
        results = [_first(shape_of(result), operands[0].shape, batches) for result in op.results]
        return applied_to_whole(kernel, op, operands, given, results, more=more)
    if op.has_side_effect.value.data:
        kernel.universe.assumptions.add(f"@{target} returns the same for the same operands")
    attributes = op.attributes.get("mhlo.frontend_attributes")
    batches = attributes.data.get("num_batch_dims") if isinstance(attributes, DictionaryAttr) else None
    if isinstance(batches, StringAttr) and batches.data.isdecimal():
        kernel.universe.assumptions.add(f"@{target} computes alike along its first {batches.data} dimensions")
        given, results = (
            [[dim if dim < int(batches.data) else None for dim in range(len(shape))] for shape in shapes]
            for shapes in ([view.shape for view in operands], [shape_of(result) for result in op.results])
        )
        return applied_to_whole(kernel, op, operands, given, results, more=more)
    written = op.attributes.get("sdy.sharding_rule")
    if not isinstance(written, OpShardingRuleAttr) or not written.is_custom_rule:
        return applied_to_whole(kernel, op, operands, more=more)
    kernel.universe.assumptions.add(f"@{target} computes parts as its sharding rule says")
    rule = FactorRule.of(written)
    dims = [dim for mapping in (*rule.operands, *rule.results) for dim in mapping]
    made = {factor for mapping in rule.results for dim in mapping for factor in dim}
    taken = {*rule.need_replication, *rule.permutation, *(factor for dim in dims if len(dim) > 1 for factor in dim)}
    known = (made | set(rule.reduction)) - taken
    given, results = (
        [[dim[0] if dim and dim[0] in known else None for dim in mapping] for mapping in mappings]
        for mappings in (rule.operands, rule.results)
    )
    read = {factor for dims in given for factor in dims}
    results = [[factor if factor in read else None for factor in dims] for dims in results]
    return applied_to_whole(kernel, op, operands, given, results, more=more, summed=frozenset(known - made))


def _called(op: stablehlo.CustomCallOp) -> Sequence[str]:
    """What the functions that it is given compute."""
    functions = [SymbolTable.lookup_symbol(op, name) for name in op.called_computations.data]
    return tuple(fingerprint(function.regions[0]) for function in functions if function is not None)


def _first(shape: Sequence[int], first: Sequence[int], batches: Sequence[int]) -> list[int | None]:
    """The batches that a tensor has, as the first operand has them."""
    has_batches = tuple(shape[: len(batches)]) == tuple(first[: len(batches)])
    return [dim if has_batches and dim in batches else None for dim in range(len(shape))]


def batch_norm_inference(
    kernel: Kernel, op: stablehlo.BatchNormInferenceOp, operands: Sequence[View]
) -> Sequence[View]:
    """Each element is computed by itself, of the statistics of its feature."""
    dims = list(range(len(operands[0].shape)))
    feature = [op.feature_index.value.data]
    leave_out = frozenset({"feature_index"})
    return applied_to_whole(kernel, op, operands, [dims, *[feature] * (len(operands) - 1)], [dims], leave_out=leave_out)


def by_decomposition(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    """What the operations are that `op` is written in; where it is written in none for its types, it takes wholes."""
    try:
        block, results = decomposed(op)
    except NotImplementedError:
        if isinstance(op, stablehlo.CrossReplicaSumOp):
            return without_a_rule(kernel, op, operands)
        return applied_to_whole(kernel, op, operands)
    values: dict[SSAValue, View] = dict(zip(block.args, operands, strict=True))
    for inner in block.ops:
        found = rule_of(type(inner))(kernel, inner, [values[operand] for operand in inner.operands])
        values.update(zip(inner.results, found, strict=True))
    return [values[result] for result in results]


def sort(kernel: Kernel, op: stablehlo.SortOp, operands: Sequence[View]) -> Sequence[View]:
    rank = len(operands[0].shape)
    dim = (-1 if op.dimension is None else op.dimension.value.data) % rank
    dims = [None if d == dim else d for d in range(rank)]
    leave_out = frozenset({"dimension"})
    return applied_to_whole(kernel, op, operands, [dims] * len(operands), [dims] * len(operands), leave_out=leave_out)


def drawn(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    raise Undecided("each device draws other numbers: make them from a state, as rng_bit_generator does")


def elided(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    raise Undecided("the text leaves out the elements of a constant: write it with --xla_dump_large_constants")


UNCHANGED = (
    *COLLECTIVES,
    hlo.CopyOp,
    sdy.PropagationBarrierOp,
    sdy.ReshardOp,
    sdy.ShardingConstraintOp,
    stablehlo.OptimizationBarrierOp,
)
"""Operations whose results are their operands as whole tensors."""

RULES: Mapping[type[Operation], Rule] = {
    hlo.ElidedConstantOp: elided,
    sdy.ConstantOp: movement.constant,
    **dict.fromkeys(UNCHANGED, movement.same),
    sdy.ShardingGroupOp: lambda kernel, op, operands: (),
    chlo.TopKOp: lambda kernel, op, operands: along_last(kernel, op, operands, 1),
    stablehlo.AllGatherOp: collectives.all_gather,
    stablehlo.AllReduceOp: collectives.all_reduce,
    stablehlo.AllToAllOp: collectives.all_to_all,
    stablehlo.BatchNormInferenceOp: batch_norm_inference,
    stablehlo.BitcastConvertOp: bitcast_convert,
    stablehlo.BroadcastInDimOp: movement.rearranged,
    stablehlo.CholeskyOp: lambda kernel, op, operands: along_last(kernel, op, operands, 2),
    stablehlo.CollectiveBroadcastOp: collectives.collective_broadcast,
    stablehlo.CollectivePermuteOp: collectives.collective_permute,
    stablehlo.ConcatenateOp: movement.concatenate,
    stablehlo.ConstantOp: movement.constant,
    stablehlo.ConvolutionOp: windows.convolution,
    stablehlo.CustomCallOp: custom_call,
    stablehlo.DotGeneralOp: reductions.product,
    stablehlo.DotOp: reductions.dot,
    stablehlo.DynamicSliceOp: lookups.dynamic_slice,
    stablehlo.DynamicUpdateSliceOp: lookups.dynamic_update_slice,
    stablehlo.FftOp: lambda kernel, op, operands: along_last(kernel, op, operands, len(op.fft_length)),
    stablehlo.GatherOp: lookups.gather,
    stablehlo.IotaOp: movement.iota,
    stablehlo.PadOp: movement.pad,
    stablehlo.PartitionIdOp: collectives.partition_id,
    stablehlo.ReduceOp: reductions.reduce,
    stablehlo.ReduceScatterOp: collectives.reduce_scatter,
    stablehlo.ReduceWindowOp: windows.reduce_window,
    stablehlo.ReplicaIdOp: collectives.partition_id,
    stablehlo.ReshapeOp: movement.reshape,
    stablehlo.ReverseOp: movement.rearranged,
    stablehlo.RngOp: drawn,
    stablehlo.ScatterOp: lookups.scatter,
    stablehlo.SelectAndScatterOp: windows.select_and_scatter,
    stablehlo.SliceOp: movement.rearranged,
    stablehlo.SortOp: sort,
    stablehlo.TransposeOp: movement.rearranged,
    stablehlo.TriangularSolveOp: lambda kernel, op, operands: along_last(kernel, op, operands, 2),
}
"""An operation without a row is elementwise, if it has that trait, or one of `FUNCTIONS`, or unknown."""

FUNCTIONS: frozenset[type[Operation]] = frozenset(
    {
        chlo.RaggedDotOp,
        chlo.ScanOp,
        stablehlo.BatchNormGradOp,
        stablehlo.BatchNormTrainingOp,
        stablehlo.DynamicBroadcastInDimOp,
        stablehlo.DynamicConvOp,
        stablehlo.DynamicGatherOp,
        stablehlo.DynamicIotaOp,
        stablehlo.DynamicPadOp,
        stablehlo.DynamicReshapeOp,
        stablehlo.GetDimensionSizeOp,
        stablehlo.MapOp,
        stablehlo.RealDynamicSliceOp,
        stablehlo.RngBitGeneratorOp,
        stablehlo.SetDimensionSizeOp,
    }
)
"""Operations whose results are functions of their operands alone: not of other devices, nor of a state."""


@cache
def rule_of(kind: type[Operation]) -> Rule:
    """The rule of a class of operations."""
    if (rule := RULES.get(kind)) is not None:
        return rule
    if kind.has_trait(Elementwise, value_if_unregistered=False):
        return elementwise
    if kind in FUNCTIONS:
        return applied_to_whole
    return without_a_rule if decomposition_of(kind) is None else by_decomposition
