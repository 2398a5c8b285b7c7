"""
Insert reshards and reductions, so that the shardings of every operation are compatible.

Decisions are plain data: `moves_to` for a use that requires a sharding, `FactorConflicts.resolve` for an operation with
a sharding rule, `single_device_moves` for an operation on a single device. Each pattern applies one kind of decision.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.mhlo import RaggedDotOp
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import Reduction
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.shapes import rank_of
from xshardy.dialects.stablehlo.shape import ConcatenateOp
from xshardy.rewriting import INNER_FIRST, ClassPattern, PatternPass, Walk, match_op_type
from xshardy.transforms.sdy.function_copies import Functions, calls_in
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy.shardable_values import set_sharding, sharding_of
from xshardy.transforms.sdy.uses import insert_point_after
from xshardy.transforms.sdy_export.factor_conflicts import DOTS, FactorConflicts, Resolution, conflicts_in
from xshardy.transforms.sdy_export.insert_func_call_reshards import has_same_parts, replicated_like
from xshardy.transforms.sdy_export.moves import (
    AllReduce,
    IndexedMoves,
    Move,
    ReplicatedToUnreduced,
    Reshard,
    move_operand,
    move_operands,
    move_results,
)
from xshardy.transforms.sdy_export.partial_sums import (
    WITH_WRITTEN_AXES,
    Unreduced,
    mesh_over,
    passage,
    unreduced_results,
)
from xshardy.transforms.sdy_export.required_shardings import (
    RequiredUse,
    operand_of,
    required_by_call,
    required_by_edges,
    required_by_function,
)
from xshardy.transforms.sdy_export.reshard_checks import ReshardChecks, rare_features
from xshardy.transforms.sdy_export.single_device import device_of, single_device_moves
from xshardy.transforms.sdy_export.sink_data_flow_edges import FLOW_OPS
from xshardy.transforms.sdy_export.unreduced_axes import (
    axes_without,
    moves_to_unreduced,
    reduction_for_use,
    unreduced_axes,
)

# -- Uses that require a sharding -------------------------------------------------------------------------------------


def moves_to(
    source: TensorShardingAttr | None,
    required: TensorShardingAttr | None,
    op: Operation,
    *,
    full: bool,
    divide_sums: bool = True,
) -> Sequence[Move]:
    """
    The moves of an operand of `op` from `source` to `required`; with `full=False`, only reductions.

    Without `divide_sums`, as upstream, an operand without a sharding is taken for parts of a sum.
    """
    moves: list[Move] = []
    if (reduction := reduction_for_use(source, required, op)) is not None:
        moves.append(reduction)
        source = reduction.sharding
    if (divide_sums or source is not None) and (unreducing := moves_to_unreduced(source, required, op)):
        moves += unreducing
        source = unreducing[-1].sharding
    if full and not _same_parts(source, required):
        target = required if required is not None or source is None else replicated_like(source)
        assert target is not None, "two tensors without shardings have the same parts"
        moves.append(Reshard(target))
    return moves


def _same_parts(source: TensorShardingAttr | None, required: TensorShardingAttr | None) -> bool:
    """Whether each device already has the required part."""
    if source is None:
        return required is None or required.is_fully_replicated
    return has_same_parts(source, replicated_like(source) if required is None else required)


def reshard_uses(
    uses: Iterable[RequiredUse], *, full: bool, rewriter: PatternRewriter, divide_sums: bool = True
) -> None:
    """`f(x)` -> `f(move(x))` for each use of `x`, with the moves right after what produces `x`."""
    for use, required in uses:
        operand = operand_of(use)
        if moves := moves_to(sharding_of(operand), required, use.operation, full=full, divide_sums=divide_sums):
            move_operand(use.operation, use.index, moves, insert_point_after(operand), rewriter)


@dataclass(frozen=True)
class ReshardSourcesOfEdges(RewritePattern):
    """`while(x)` -> `while(reshard(x))`, also for the values that its regions return: to the sharding of their edge."""

    full: bool
    """Whether to insert more than reductions."""
    divide_sums: bool

    op_types: ClassVar[tuple[type, ...]] = FLOW_OPS

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, FLOW_OPS):
            uses = [*required_by_edges(op)]
            reshard_uses(uses, full=self.full, rewriter=rewriter, divide_sums=self.divide_sums)


@dataclass(frozen=True)
class ReshardOperandsOfCall(RewritePattern):
    """`call @f(x)` -> `call @f(reshard(x))`, to the sharding of the argument of `@f`."""

    functions: Functions
    divide_sums: bool

    @match_op_type
    def match_and_rewrite(self, op: CallOp, rewriter: PatternRewriter, /) -> None:
        uses = required_by_call(op, self.functions.callee(op))
        reshard_uses(uses, full=True, rewriter=rewriter, divide_sums=self.divide_sums)


@dataclass(frozen=True)
class ReshardReturnedValues(RewritePattern):
    """`func.return x` -> `func.return reshard(x)`, to the sharding of the result of the function."""

    full: bool
    """Whether to insert more than reductions."""
    divide_sums: bool

    @match_op_type
    def match_and_rewrite(self, op: ReturnOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(function := op.parent_op(), FuncOp):
            return
        before = InsertPoint.before(op)
        for use, required in required_by_function(function):
            if use.operation is op:
                source = sharding_of(operand_of(use))
                moves = moves_to(source, required, op, full=self.full, divide_sums=self.divide_sums)
                move_operand(op, use.index, moves, before, rewriter)


# -- Operations with a sharding rule, and those of a single device ----------------------------------------------------


NO_REDUCTIONS: Mapping[int, AllReduce] = {}


def reductions_of_operands(op: Operation) -> Mapping[int, AllReduce]:
    """
    By index: the reductions of the operands of `op` along axes along which its results are not unreduced.

    None for an operation that reduces its operand itself. C++ Shardy reduces that twice, which computes other values.
    """
    if isinstance(op, Reduction):
        return NO_REDUCTIONS
    first = sharding_of(op.results[0]) if op.results else None
    found = {index: reduction_for_use(sharding_of(operand), first, op) for index, operand in enumerate(op.operands)}
    return {index: reduction for index, reduction in found.items() if reduction is not None}


def is_always_resolved(op: Operation, reductions: Mapping[int, AllReduce]) -> bool:
    """
    Whether all conflicts of `op` are resolved even with `full=False`, because a partitioner would do it at a higher
    cost.
    """
    if type(op) is ConcatenateOp:
        result = sharding_of(op.result)
        return any(
            (reductions[index].sharding if index in reductions else sharding_of(operand)) != result
            for index, operand in enumerate(op.operands)
        )
    return type(op) is RaggedDotOp


def moves_of_results(op: Operation, resolution: Resolution, whole: AxisRefs) -> IndexedMoves:
    """
    The moves of the results of `op`: reductions of all results, then the reshards to their original shardings.

    Between them, they become unreduced along the axes `whole`, along which each device has all of them.
    """
    shardings = [sharding_of(result) for result in op.results]
    reshards: list[tuple[int, Move]] = []
    for index, sharding in enumerate(resolution.results):
        if sharding is not None:
            before = shardings[index] or TensorShardingAttr.fully_closed(resolution.mesh, rank_of(op.results[index]))
            reshards.append((index, Reshard(before)))
            if not any(shardings):  # the first sharding of an operation makes those of its other results open
                shardings = [TensorShardingAttr.fully_open(sharding.mesh_or_ref, rank_of(each)) for each in op.results]
            shardings[index] = sharding
    reductions: list[tuple[int, Move]] = []
    for index, sharding in enumerate(shardings if resolution.reduced else ()):
        sharding = sharding or TensorShardingAttr.fully_closed(resolution.mesh, rank_of(op.results[index]))
        sharding = reduced_along(whole, sharding, op)
        reductions.append((index, AllReduce(resolution.reduced, sharding, resolution.reduction)))
    divided = [(i, sharding) for i, sharding in enumerate(shardings) if sharding is not None and whole]
    return [*reductions, *((i, ReplicatedToUnreduced(whole, sharding)) for i, sharding in divided), *reshards]


def reduced_along(axes: AxisRefs, sharding: TensorShardingAttr, op: Operation) -> TensorShardingAttr:
    """`sharding` without the unreduced `axes`."""
    if not axes:
        return sharding
    left = axes_without(unreduced_axes(sharding), axes, mesh_over(sharding.mesh_or_ref, op))
    return TensorShardingAttr(sharding.mesh_or_ref, sharding.dim_shardings, sharding.replicated_axes, left)


@dataclass(frozen=True)
class MakeUnreduced(RewritePattern):
    """`reshard(x)` -> `sharded_to_unreduced(replicated_to_unreduced(reshard(x)))`, each move only if `x` needs it."""

    divide_sums: bool

    @match_op_type
    def match_and_rewrite(self, op: ReshardOp, rewriter: PatternRewriter, /) -> None:
        if not self.divide_sums and sharding_of(op.input) is None:
            return
        if moves := moves_to_unreduced(sharding_of(op.input), op.sharding, op):
            move_operand(op, 0, moves, InsertPoint.before(op), rewriter)
            rewriter.replace_all_uses_with(op.result, op.input)
            rewriter.erase(op)


class RunOnSingleDevice(ClassPattern):
    """
    `f(x)` -> `reshard(reshard(f(reshard(reshard(x)))))`, when results of `f` are on a single device.

    Operands that are unreduced along other axes than the results are reduced first.
    """

    def takes(self, op_type: type[Operation], /) -> bool:
        return not traits_of(op_type).forwards_operands

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if device_of(op) is None:
            return
        reductions = reductions_of_operands(op)
        reads = [
            reductions[index].sharding if index in reductions else sharding_of(operand)
            for index, operand in enumerate(op.operands)
        ]
        moves = single_device_moves(op, reads)
        if moves is None or not (reductions or moves.operands or moves.results):
            return
        move_operands(op, [*reductions.items(), *moves.operands], rewriter)
        move_results(op, moves.results, rewriter)
        for index, sharding in moves.shardings.items():
            set_sharding(op.results[index], sharding)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class ResolveConflicts(ClassPattern):
    """
    `f(x)` -> `reshard(all_reduce(f(reshard(all_reduce(x)))))`, so that all tensors of `f` are sharded compatibly.

    Operands that are unreduced along other axes than the results are reduced first; results are reduced along the axes
    that shard reduced dimensions.
    """

    conflicts: FactorConflicts
    full: bool
    """Whether to resolve all conflicts, or only those that a partitioner cannot resolve well."""
    has_unreduced: bool
    """Whether some tensor of the module is unreduced."""
    divide_sums: bool = False
    """Whether results that each device has whole, although they are to be unreduced, become so in another operation."""

    def takes(self, op_type: type[Operation], /) -> bool:
        is_costly = op_type in DOTS or issubclass(op_type, ConcatenateOp | RaggedDotOp)
        return not traits_of(op_type).forwards_operands and (self.full or self.has_unreduced or is_costly)

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not (op.results or op.operands):
            return
        reductions = self._reductions(op)
        resolution = self._resolution(op, reductions)
        if reductions:
            move_operands(op, [*reductions.items()], rewriter)
        whole = self._whole_axes(op, resolution) if self.divide_sums and self.has_unreduced else ()
        if resolution is None and whole:
            resolution = unchanged(op)
        if resolution is not None:
            apply_resolution(op, resolution, rewriter, whole)

    def _whole_axes(self, op: Operation, resolution: Resolution | None) -> AxisRefs:
        """The axes along which results of `op` are to be unreduced, and devices do not have parts of them."""
        wanted = unreduced_results(op)
        if not wanted.axes or wanted.kind is not ReductionOp.SUM or isinstance(op, WITH_WRITTEN_AXES):
            return ()
        mesh = mesh_over(wanted.mesh_or_ref, op)
        passed = passage(op, [Unreduced.of(sharding_of(operand)) for operand in op.operands], wanted, mesh).axes
        combined = resolution.combined if resolution and resolution.reduction is ReductionOp.SUM else ()
        return axes_without(wanted.axes, (*passed, *combined), mesh)

    def check(self, op: Operation) -> None:
        """Raises `OperationFailedException` if the conflicts of `op` cannot be resolved. Changes nothing."""
        self._resolution(op, self._reductions(op))

    def _reductions(self, op: Operation) -> Mapping[int, AllReduce]:
        return reductions_of_operands(op) if self.has_unreduced else NO_REDUCTIONS

    def _resolution(self, op: Operation, reductions: Mapping[int, AllReduce]) -> Resolution | None:
        full = self.full or is_always_resolved(op, reductions)
        is_unreduced = self.has_unreduced and bool(op.results) and bool(unreduced_axes(sharding_of(op.results[0])))
        if not (full or is_unreduced or type(op) in DOTS):
            return None
        shardings = {index: reduction.sharding for index, reduction in reductions.items()}
        resolution = self.conflicts.resolve(op, full=full, reduced=shardings)
        if resolution is None or not resolution.reduced:
            return resolution
        left = axes_without(resolution.reduced, axes_reduced_after(op), mesh_over(resolution.mesh, op))
        return resolution._replace(reduced=left)


def axes_reduced_after(op: Operation) -> AxisRefs:
    """The axes along which all that read the first result reduce it already, as after the minimal version."""
    readers = [use.operation for use in op.results[0].uses] if op.results else []
    axes = {tuple(reader.reduced_axes) if isinstance(reader, Reduction) else () for reader in readers}
    return axes.pop() if len(axes) == 1 else ()


def unchanged(op: Operation) -> Resolution:
    """The resolution of an operation with results that moves nothing."""
    sharding = next(sharding for result in op.results if (sharding := sharding_of(result)) is not None)
    nothing = [None] * len(op.operands), [None] * len(op.results)
    return Resolution(*nothing, (), ReductionOp.SUM, sharding.mesh_or_ref)


def apply_resolution(op: Operation, resolution: Resolution, rewriter: PatternRewriter, whole: AxisRefs = ()) -> None:
    """`f(x)` -> `reshard(replicated_to_unreduced(all_reduce(f(reshard(x)))))`, unreduced along the axes `whole`."""
    required = enumerate(resolution.operands)
    move_operands(op, [(index, Reshard(sharding)) for index, sharding in required if sharding is not None], rewriter)
    move_results(op, moves_of_results(op, resolution, whole), rewriter)
    for result, resharded in zip(op.results, resolution.results, strict=True):
        sharding = resharded or (sharding_of(result) if whole else None)
        if sharding is not None:
            set_sharding(result, reduced_along(whole, sharding, op))
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class InsertExplicitReshardsPass(PatternPass):
    """
    Reshard operands and results so that each operation has compatible shardings, and reduce unreduced tensors.

    Without `enable_full_version`, only operands of calls and of concatenations are resharded, and results of dot
    products if that makes the products cheaper. A partitioner handles all other conflicts.
    """

    name = "sdy-insert-explicit-reshards"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-insert-explicit-reshards'
    enable_full_version: bool = False
    divide_sums: bool = False
    """Whether results that each device has whole, although they are to be unreduced, become so. Not upstream's."""

    # This walk visits an operation after the operations in its regions and the producers of its operands.
    walk: ClassVar[Walk] = INNER_FIRST

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        full, functions, has = self.enable_full_version, Functions(module), rare_features(module)
        resolve = ResolveConflicts(conflicts_in(module), full, has.unreduced, self.divide_sums)
        for call in calls_in(module):
            functions.callee(call)
        if any(has):
            ReshardChecks(module, functions, resolve.check).check()
        return (
            ReshardSourcesOfEdges(full, self.divide_sums),
            ReshardOperandsOfCall(functions, self.divide_sums),
            ReshardReturnedValues(full, self.divide_sums),
            *([MakeUnreduced(self.divide_sums)] if has.unreduced else []),
            *([RunOnSingleDevice()] if has.single_device else []),
            resolve,
        )
