"""
Keep tensors unreduced through operations that are linear in them, and reduce them before all others.

C++ Shardy refuses a module in which the shardings do not say so already.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, Region, SSAValue, Use
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import IsTerminator

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ManualComputationOp, ReshardOp, ShardingConstraintOp
from xshardy.dialects.shapes import is_tensor
from xshardy.dialects.stablehlo.control_flow import IfOp, WhileOp
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_in
from xshardy.sharding.conflicts.partial_sums import is_zero
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.data_flow import argument_owners, result_owners, sources_of
from xshardy.transforms.sdy.shardable_values import set_sharding, shardable_value, sharding_of
from xshardy.transforms.sdy.shardings import shardings_in
from xshardy.transforms.sdy.uses import insert_point_after
from xshardy.transforms.sdy_export.factor_conflicts import FactorConflicts, conflicts_in
from xshardy.transforms.sdy_export.moves import Reshard, move_results
from xshardy.transforms.sdy_export.partial_sums import (
    WITH_WRITTEN_AXES,
    Unreduced,
    common,
    mesh_of,
    own_axes,
    passage,
    required_operands,
    sharded_along,
    unreduced_results,
)
from xshardy.transforms.sdy_export.required_shardings import (
    RequiredUse,
    operand_of,
    required_by_branches,
    required_by_edges,
    required_by_function,
)
from xshardy.transforms.sdy_export.reshard_checks import rare_features
from xshardy.transforms.sdy_export.sink_data_flow_edges import FLOW_OPS
from xshardy.transforms.sdy_export.unreduced_axes import axes_without


def _owners(op: Operation) -> Sequence[SSAValue]:
    """The arguments and results of `op` that values flow to, as each other's sources or those of its operands."""
    return op.results if isinstance(op, IfOp) else (*argument_owners(op), *result_owners(op))


def _sources(op: Operation, owner: SSAValue) -> Sequence[SSAValue]:
    if not isinstance(op, IfOp):
        return sources_of(owner)
    return [operand_of(use) for use, _ in required_by_branches(op) if op.results[use.index] is owner]


@dataclass(frozen=True, slots=True)
class NewResults:
    """The shardings of results of an operation, or of what flows through it."""

    values: Sequence[tuple[SSAValue, TensorShardingAttr]]
    resharded: Sequence[tuple[int, TensorShardingAttr]] = ()
    """Results that are unreduced along more axes after a reshard, with the sharding of that."""


@dataclass(slots=True)
class PartialSums:
    """What the values of a module are unreduced along, if each is kept so for as long as it can be."""

    conflicts: FactorConflicts
    possible: Unreduced
    """All axes along which some tensor of the module is unreduced."""
    known: dict[SSAValue, Unreduced] = field(default_factory=dict[SSAValue, Unreduced])
    """By the value that carries the sharding; for the others, their shardings say it."""
    decisions: dict[Operation, NewResults] = field(default_factory=dict[Operation, NewResults])

    def of(self, value: SSAValue) -> Unreduced:
        carrier = shardable_value(value)
        if carrier is None:
            return Unreduced()
        return self.known[carrier] if carrier in self.known else Unreduced.of(sharding_of(carrier))

    def visit(self, regions: Iterable[Region]) -> None:
        """Compute what the results of all operations in `regions` are unreduced along, in text order."""
        for op in (op for region in regions for block in region.blocks for op in block.ops):
            if isinstance(op, (*FLOW_OPS, IfOp)):
                self._flow(op)
            elif not isinstance(op, WITH_WRITTEN_AXES) and not op.has_trait(IsTerminator, value_if_unregistered=False):
                self._plain(op)

    def _plain(self, op: Operation) -> None:
        self._forget(op)
        given, wanted = [*map(self.of, op.operands)], unreduced_results(op)
        partial = next((known for known in (wanted, *given) if known.axes), None)
        if partial is None or not op.results:
            return
        mesh, tensors = mesh_of(partial, op), [value for value in op.results if is_tensor(value.type)]
        wanted = Unreduced(wanted.axes, partial.kind, partial.mesh_or_ref)
        own = own_axes(op, wanted, self.conflicts)
        passed = () if own is None else passage(op, given, wanted, mesh).axes
        made = wanted.along(passed, own or (), mesh=mesh)
        before = {value: Unreduced.of(sharding_of(value)) for value in tensors}
        after = {value: made.along(made.axes, before[value].like(made), mesh=mesh) for value in tensors}
        touched = [value for value in tensors if made.axes or before[value].axes]
        if any(before[value] != made for value in touched):
            self.decisions[op] = NewResults(
                [(value, made.on(value)) for value in touched],
                [(value.index, after[value].on(value)) for value in touched if after[value].axes != made.axes],
            )
            self.known |= after

    def _forget(self, op: Operation) -> None:
        """Forget what was decided for `op` when a loop around it was visited before."""
        if self.decisions.pop(op, None) is not None:
            for value in op.results:
                self.known.pop(value, None)

    def _flow(self, op: Operation) -> None:
        """
        What flows through `op` is unreduced along the axes along which all of its sources are.

        A loop is visited until that holds, starting with its operands; zeros may be parts along any axes.
        """
        owners = [owner for owner in _owners(op) if not isinstance(op, ManualComputationOp) and is_tensor(owner.type)]
        for owner in owners:
            read = [source for source in _sources(op, owner) if source in op.operands]
            self._meet(op, owner, read, self.possible if isinstance(op, WhileOp) and all(map(is_zero, read)) else None)
        self.visit(op.regions)
        if isinstance(op, WhileOp):
            while sum(self._meet(op, owner, _sources(op, owner), self.of(owner)) for owner in owners):
                self.visit(op.regions)
        else:
            for owner in owners:
                self._meet(op, owner, _sources(op, owner))
        if values := [(owner, self.of(owner).on(owner)) for owner in owners if shardable_value(owner) in self.known]:
            self.decisions[op] = NewResults(values)

    def _meet(
        self, op: Operation, owner: SSAValue, sources: Sequence[SSAValue], at_most: Unreduced | None = None
    ) -> bool:
        """
        Let `owner` be unreduced along its own axes, and along what all `sources` are; whether that changes it.

        With `at_most`, along no others than these; sources that are zero do not count.
        """
        carrier = shardable_value(owner)
        assert carrier is not None, "values flow to results and arguments that carry a sharding"
        own, before = Unreduced.of(sharding := sharding_of(carrier)), self.of(carrier)
        given = [] if at_most is None else [at_most]
        given += [self.of(source) for source in sources if self.of(source).axes or not is_zero(source)]
        like = next((known for known in (own, *given) if known.axes), None)
        if like is None:
            self.known.pop(carrier, None)
            return bool(before.axes)
        mesh = mesh_of(like, op)
        axes = given[0].like(like) if given else ()
        for known in given[1:]:
            axes = common(axes, known.like(like), mesh)
        axes = axes_without(axes, sharded_along(sharding), mesh)
        self.known[carrier] = like.along(own.axes, axes, mesh=mesh)
        return self.known[carrier].axes != before.axes


def all_sums(module: ModuleOp) -> Unreduced:
    """The axes along which tensors of `module` are parts of a sum, over one of its meshes."""
    given = [known for known in map(Unreduced.of, shardings_in(module)) if known.axes and known.kind is ReductionOp.SUM]
    if not given:
        return Unreduced()
    lists = (known.like(given[0]) for known in given)
    return given[0].along(*lists, mesh=mesh_of(given[0], module.body.block.first_op or module))


# -- Reductions before other operations -------------------------------------------------------------------------------


def required_uses(op: Operation) -> Iterable[RequiredUse]:
    """The uses by `op`, or by what its regions return, that require a sharding."""
    if isinstance(op, IfOp):
        return required_by_branches(op)
    if isinstance(op, FLOW_OPS):
        return required_by_edges(op)
    if isinstance(op, ReturnOp) and isinstance(function := op.parent_op(), FuncOp):
        return [(use, sharding) for use, sharding in required_by_function(function) if use.operation is op]
    return ()


Misread = tuple[Use, Sequence[TensorShardingAttr]]
"""A use of a tensor that is unreduced otherwise than its reader takes it, and the shardings that it is resharded to."""


def misread(op: Operation) -> Iterator[Misread]:
    """What `op` misreads."""
    if isinstance(op, (*FLOW_OPS, IfOp, ReturnOp)):
        required = [*required_uses(op)]
        yield from (
            (use, reshards_for(op, operand_of(use), Unreduced.of(sharding), sharding)) for use, sharding in required
        )
        read = {use.index for use, _ in required if use.operation is op}
        others = (Use(op, index) for index in range(len(op.operands)) if index not in read)
        yield from ((use, reshards_for(op, operand_of(use), Unreduced())) for use in others)
    elif isinstance(op, ReshardOp | ShardingConstraintOp):
        yield Use(op, 0), reshards_for(op, op.input, Unreduced.of(op.sharding), op.sharding)[:-1]
    elif not isinstance(op, WITH_WRITTEN_AXES) and not op.has_trait(IsTerminator, value_if_unregistered=False):
        yield from (
            (Use(op, i), reshards_for(op, op.operands[i], required)) for i, required in required_operands(op).items()
        )


def reshards_for(
    op: Operation, value: SSAValue, required: Unreduced, sharding: TensorShardingAttr | None = None
) -> Sequence[TensorShardingAttr]:
    """
    The shardings by which `value` becomes unreduced as `op` requires it.

    It is reduced along some axes before it is divided along others, and keeps its dimensions unless it is to be as
    `sharding` says. Empty if it is as required.
    """
    given = Unreduced.of(sharding_of(value))
    if given.axes == required.axes and given.like(required) == required.axes:
        return ()
    if not required.axes:
        return (Unreduced((), given.kind, given.mesh_or_ref).on(value),)
    last = required.on(value) if sharding is None else sharding
    mesh = mesh_of(required, op)
    kept = common(given.like(required), required.axes, mesh)
    is_reduced = given.axes and kept != given.axes
    return (given.along(kept, mesh=mesh).on(value), last) if is_reduced and kept != required.axes else (last,)


@dataclass(frozen=True, slots=True)
class NewReads:
    """The reshards of what several uses read."""

    uses: Sequence[Use]
    shardings: Sequence[TensorShardingAttr]


def new_reads(module: ModuleOp) -> Mapping[Operation, Sequence[NewReads]]:
    """The reshards of values that operations read otherwise than they are unreduced, by the first of these."""
    reads: dict[tuple[SSAValue, Sequence[TensorShardingAttr]], list[Use]] = {}
    for op in operations_in(module):
        for use, shardings in misread(op):
            if shardings:
                reads.setdefault((operand_of(use), shardings), []).append(use)
    by_op: dict[Operation, list[NewReads]] = {}
    for (_, shardings), uses in reads.items():
        by_op.setdefault(uses[0].operation, []).append(NewReads(uses, shardings))
    return by_op


# -- Patterns ---------------------------------------------------------------------------------------------------------


class KeepUnreduced(DecisionPattern[Operation, NewResults]):
    """
    `add(x, y)`, with `x` and `y` unreduced along "a" -> `add(x, y) {unreduced={"a"}}`.

    `exp(x) {unreduced={"a"}}` -> `reshard(exp(x)) unreduced={"a"}`.
    """

    def rewrite(self, op: Operation, decision: NewResults, rewriter: PatternRewriter, /) -> None:
        for value, sharding in decision.values:
            set_sharding(value, sharding)
        move_results(op, [(index, Reshard(sharding)) for index, sharding in decision.resharded], rewriter)
        rewriter.notify_op_modified(op)


class ReshardPartialSums(DecisionPattern[Operation, Sequence[NewReads]]):
    """`exp(x)`, with `x` unreduced along "a" -> `exp(reshard(x))`, which is not; once for all uses that need it."""

    def rewrite(self, op: Operation, decision: Sequence[NewReads], rewriter: PatternRewriter, /) -> None:
        for reads in decision:
            value = operand_of(reads.uses[0])
            for sharding in reads.shardings:
                value = rewriter.insert(ReshardOp(value, sharding), insert_point_after(value)).result
            for use in reads.uses:
                use.operation.operands[use.index] = value
                rewriter.notify_op_modified(use.operation)


class KeepPartialSumsPass(PatternPass):
    """
    Keep tensors unreduced through operations that are linear in them, and reduce them before all others.

    Results of such operations, what loops carry and branches return become unreduced. A reshard reduces an operand of
    another operation, or makes it unreduced if the result is to be so and other operands are. A result of an operation
    that has no parts of it becomes unreduced in a reshard.
    """

    name = "sdy-keep-partial-sums"
    source: ClassVar[str] = "ours: upstream refuses such modules in sdy-verify-unreduced-axes"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        is_unreduced = rare_features(module).unreduced
        sums = PartialSums(conflicts_in(module), all_sums(module))
        if is_unreduced:
            sums.visit(function.body for function in functions_of(module).values())
        yield Step((KeepUnreduced(sums.decisions),))
        yield Step((ReshardPartialSums(new_reads(module) if is_unreduced else {}),))
