"""
Check that only operations for this purpose reduce a tensor along its unreduced axes, or make it unreduced.

Messages are upstream's.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy import collectives, ops
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.unreduced import verify_unreduced_transition
from xshardy.dialects.sdy.value_shardings import without_axes
from xshardy.rewriting.walk import operations_below
from xshardy.sharding.conflicts.reduction_kinds import KINDS
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.read_only_pass import ReadOnlyPass
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy.shardings import shardings_in
from xshardy.transforms.sdy_export.unreduced_axes import unreduced_axes

EXPLICIT = (ops.ReshardOp, ops.ShardingConstraintOp)
"""Operations that may reduce, because the user wrote the sharding of their result."""

NOT_BLESSED = (
    " without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced."
)


def reduction_of(region: Region) -> ReductionOp | None:
    """The reduction that `region` applies to all of its arguments; None if it is not a single known reduction."""
    end = region.block.last_op
    if not isinstance(end, stablehlo.ReturnOp):
        return None
    kinds = {KINDS.get(type(value.owner)) for value in end.operands}  # pyright: ignore[reportArgumentType]
    return kinds.pop() if len(kinds) == 1 else None


def before_barriers(value: SSAValue) -> SSAValue:
    """`value`; if it is the result of a chain of propagation barriers, the input of the first one."""
    while type(owner := value.owner) is ops.PropagationBarrierOp:  # faster than `isinstance`: `Operation` is abstract
        value = owner.input
    return value


def is_explicit(value: SSAValue) -> bool:
    """
    Whether the user wrote the sharding of `value` (looking through barriers), so that its unreduced axes are intended.
    """
    return isinstance(before_barriers(value).owner, EXPLICIT)


def verify_same(before: Sequence[AxisRefAttr], after: Sequence[AxisRefAttr], where: str) -> None:
    """Raises `VerifyException`, which names `where`, if the axes of the two differ; their order may differ."""
    differing = set(before) ^ set(after)
    if differing:
        names = ", ".join(sorted({axis.axis.data for axis in differing}))
        raise VerifyException(f"has unreduced axes mismatch for '{names}' at {where}")


@dataclass(slots=True)
class UnreducedAxes:
    """Verifies what the operations of a module do to unreduced axes."""

    functions: Mapping[str, func.FuncOp]
    known: dict[SSAValue, TensorShardingAttr | None] = field(
        default_factory=dict[SSAValue, TensorShardingAttr | None], init=False
    )

    def sharding(self, value: SSAValue) -> TensorShardingAttr | None:
        """The sharding of `value` before barriers, memoized."""
        if value not in self.known:
            self.known[value] = sharding_of(before_barriers(value))
        return self.known[value]

    def verify(self, op: Operation) -> None:
        """Raises `VerifyException` if `op` changes unreduced axes and may not."""
        if (verify := VERIFIERS.get(type(op))) is not None:
            verify(self, op)
        elif not op.has_trait(IsTerminator, value_if_unregistered=False):
            self.verify_transition(op, op.operands, introduced=ReductionOp.SUM)

    def verify_transition(self, op: Operation, operands: Iterable[SSAValue], introduced: ReductionOp | None) -> None:
        """Results have the unreduced axes of `operands`, and may have more with the reduction `introduced`."""
        before = [self.sharding(value) for value in operands if not is_explicit(value)]
        self._verify_shardings(op, before, introduced=introduced, removed=None)

    def verify_reduce(self, op: Operation) -> None:
        assert isinstance(op, stablehlo.ReduceOp)
        self.verify_transition(op, op.inputs, introduced=reduction_of(op.body))

    def verify_explicit(self, op: Operation) -> None:
        """Run the operation's own verifier again: passes may have changed the operand since parsing."""
        op.verify(verify_nested_ops=False)

    def verify_collective(self, op: Operation) -> None:
        assert isinstance(op, collectives.Collective)
        if self.sharding(op.tensor) is None:
            raise VerifyException("operand must be sharded.")
        op.verify(verify_nested_ops=False)

    def verify_stablehlo_collective(self, op: Operation) -> None:
        """The unreduced axes of a collective have the reduction that it computes."""
        before = [self.sharding(op.operands[0])]
        self._verify_shardings(op, before, introduced=None, removed=reduction_of(op.regions[0]))

    def verify_call(self, op: Operation) -> None:
        """Operands and results of a call have the unreduced axes of the callee's arguments and results."""
        assert isinstance(op, func.CallOp)
        callee = self.functions.get(op.callee.string_value())
        if callee is None:
            return
        arguments = written_shardings(callee.arg_attrs, len(op.operands))
        for index, (value, sharding) in enumerate(zip(op.operands, arguments, strict=True)):
            if not is_explicit(value):
                before = unreduced_axes(self.sharding(value))
                verify_same(before, unreduced_axes(sharding), f"call argument {index}.")
        results = written_shardings(callee.res_attrs, len(op.results))
        for index, (sharding, value) in enumerate(zip(results, op.results, strict=True)):
            after = unreduced_axes(self.sharding(value))
            verify_same(unreduced_axes(sharding), after, f"call result {index}.")

    def verify_return(self, op: Operation) -> None:
        """Returned values have the unreduced axes of their results."""
        for index, (value, sharding) in enumerate(zip(op.operands, self._returned_shardings(op), strict=False)):
            if sharding is not None and not is_explicit(value):
                before = unreduced_axes(self.sharding(value))
                verify_same(before, unreduced_axes(sharding), f"return value {index}{NOT_BLESSED}")

    def _returned_shardings(self, op: Operation) -> Iterable[TensorShardingAttr | None]:
        """The shardings of the results of the return `op`, as seen inside its region."""
        match op.parent_op():
            case func.FuncOp() as function:
                return written_shardings(function.res_attrs, len(op.operands))
            case ops.ManualComputationOp() as computation:
                names = computation.manual_axes.names
                return (without_axes(sharding, names) for sharding in computation.out_shardings.shardings)
            case Operation() as around:
                return map(self.sharding, around.results)
            case None:
                return ()

    def _verify_shardings(
        self,
        op: Operation,
        before: Iterable[TensorShardingAttr | None],
        *,
        introduced: ReductionOp | None,
        removed: ReductionOp | None,
    ) -> None:
        old = [sharding for sharding in before if sharding is not None]
        new = [sharding for value in op.results if (sharding := self.sharding(value)) is not None]
        if any(sharding.unreduced_axes.data for sharding in (*old, *new)):
            verify_unreduced_transition(op, old, new, introduced=introduced, removed=removed)


VERIFIERS: Mapping[type[Operation], Callable[[UnreducedAxes, Operation], None]] = {
    ops.ReshardOp: UnreducedAxes.verify_explicit,
    ops.ShardingConstraintOp: UnreducedAxes.verify_explicit,
    stablehlo.ReduceOp: UnreducedAxes.verify_reduce,
    collectives.AllReduceOp: UnreducedAxes.verify_collective,
    collectives.ReduceScatterOp: UnreducedAxes.verify_collective,
    stablehlo.AllReduceOp: UnreducedAxes.verify_stablehlo_collective,
    stablehlo.ReduceScatterOp: UnreducedAxes.verify_stablehlo_collective,
    func.CallOp: UnreducedAxes.verify_call,
    func.ReturnOp: UnreducedAxes.verify_return,
    ops.ReturnOp: UnreducedAxes.verify_return,
}
"""Operations with a rule other than `verify_transition` from all operands. Other terminators are not verified."""


class VerifyUnreducedAxesPass(ReadOnlyPass):
    """Check that only reductions, reshards and constraints change the unreduced axes of a tensor."""

    name = "sdy-verify-unreduced-axes"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-verify-unreduced-axes'
    no_patterns: ClassVar[str] = "verifies only"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        is_unreduced = any(sharding.unreduced_axes.data for sharding in shardings_in(op))
        functions = functions_of(op)
        axes = UnreducedAxes(functions)
        # If nothing is unreduced, only collectives can be wrong: their operands must be sharded.
        kind, roots = (Operation, functions.values()) if is_unreduced else (collectives.Collective, (op,))
        for root in roots:
            for inner in operations_below(root, kind, inner_first=True):
                try:
                    axes.verify(inner)
                except VerifyException as error:
                    raise OperationFailedException(inner, f"'{inner.name}' op {error}") from None
