"""
What each operation needs to become local, decided while all tensors are whole.

Decisions are made once for operations that are alike, as those of repeated layers are. Sums are read together with what
completes them, and with what they start from: what a decision reads beside the operation is a part of being alike.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo.async_operation import DoneOp, StartOp
from xshardy.dialects.hlo.collectives import CollectiveOp, CollectivePermuteOp
from xshardy.dialects.hlo.fusion import FusionOp
from xshardy.dialects.sdy.collectives import Collective, Reduction
from xshardy.sharding.conflicts.partial_sums import is_zero
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.factor_conflicts import kept_while_meshes_stay
from xshardy.transforms.sdy_export.unreduced_axes import unreduced_axes
from xshardy.transforms.sdy_partition.local.compatible_shardings import CompatibleShardings
from xshardy.transforms.sdy_partition.local.contractions import pads_with_zeros, reduced_in_turn
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors, refuse
from xshardy.transforms.sdy_partition.operations import OPERATIONS, PLAIN, partitioning_of


def why_illegal(op: Operation) -> str:
    """Why `op` does not become local."""
    if isinstance(op, FusionOp | StartOp | DoneOp):
        done = "fused" if isinstance(op, FusionOp) else "scheduled"
        return (
            f"{op.name} cannot be partitioned, as XLA has {done} this module already: take the program from before "
            "that, the function of JAX or *.before_optimizations.txt of XLA's dump; or execute this one as it is, by "
            "`xshardy run FILE` without --on"
        )
    if isinstance(op, CollectiveOp | CollectivePermuteOp):
        return (
            f"'{op.name}' op is between devices, and outside of a manual computation: the program for all devices has "
            "no partitions"
        )
    return (
        f"failed to legalize operation '{op.name}' that was explicitly marked illegal: only operations of "
        "StableHLO, CHLO and MHLO, and the collectives, constants and computations of sdy become local"
    )


def decision_of(op: Operation, compatible: CompatibleShardings) -> object:
    """
    The decision that the pattern for `op` applies; None if the pattern needs none.

    Raises `OperationFailedException` if `op` cannot be made local. An operation without a pattern needs compatible
    shardings.
    """
    if (row := partitioning_of(op)) is None:
        raise OperationFailedException(op, why_illegal(op))
    if compatible.has_unreduced and reads_or_writes_parts(op):
        compatible.check_partial_sums(op)
    pattern, check = row.local, row.check
    if pattern is None and check is None:
        compatible.check(op)
        return None
    before = WholeTensors.of(op, is_manual=op in compatible.manual)
    if any(not value.is_replicated and not value.is_static for value in (*before.operands, *before.results)):
        raise refuse(op, "dynamic shape not supported: what is sharded here must have a static one")
    if check is not None:
        check(op, before)
    decision = None if pattern is None else pattern.decide(op, before)
    if pattern is None or not pattern.checks_shardings:
        compatible.check(op, has_own_form=pattern is not None)
    return decision


def reads_or_writes_parts(op: Operation) -> bool:
    """Whether an operand or a result of `op` is unreduced."""
    return any(unreduced_axes(sharding_of(value)) for value in (*op.operands, *op.results))


# -- Operations that are alike ----------------------------------------------------------------------------------------


def _completion(result: SSAValue) -> Hashable:
    """How what reads `result` completes it; None if nothing reads it, and False if it is no single reduction."""
    if result.first_use is None:
        return None
    reader = result.get_user_of_unique_use()
    if not isinstance(reader, Reduction):
        return False
    return reader.reduction, *reduced_in_turn(reader)


def _around_dot(op: stablehlo.DotOp | stablehlo.DotGeneralOp) -> Hashable:
    return *map(pads_with_zeros, op.operands), _completion(op.results[0])


def _around_reduce(op: stablehlo.ReduceOp) -> Hashable:
    return *map(is_zero, op.init_values), *[_completion(result) for result in op.results]


def _around_collective(op: Collective) -> Hashable:
    """Nothing: its attributes, and the type and the sharding of its operand, say all."""
    return None


AROUND: Mapping[type[Operation], Callable[[Any], Hashable]] = {
    **{kind: _around_collective for kind in OPERATIONS if issubclass(kind, Collective)},
    stablehlo.DotGeneralOp: _around_dot,
    stablehlo.DotOp: _around_dot,
    stablehlo.ReduceOp: _around_reduce,
}
"""What the decision for an operation reads beside it. No decision for another one with operands is remembered."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision for an operation, or why there is none."""

    decision: object = None
    refusal: OperationFailedException | None = None


class LocalDecisions:
    """
    What each operation of a module, which does not change, needs to become local; or why it cannot.

    `sdy-convert-global-to-local` applies the decisions. `sdy-replicate-whole-operations` asks for the reasons before
    it, and computes on whole tensors what cannot become local.
    """

    def __init__(self, module: ModuleOp):
        self.compatible = CompatibleShardings(module)
        self._verdicts = kept_while_meshes_stay(module, LocalDecisions, dict[Hashable, Verdict])

    def key(self, op: Operation) -> Hashable | None:
        """What the verdict on `op` follows from; None if it may depend on anything, or holds tensors of `op`."""
        kind = type(op)
        around, row = AROUND.get(kind), OPERATIONS.get(kind, PLAIN)
        if around is None and not (row.check is None and row.local is None):
            return None
        if (number := self.compatible.likeness.of(op)) is None:
            return None
        if self.compatible.has_unreduced and reads_or_writes_parts(op):
            return None  # what is zero is a part of a sum, which depends on definitions
        is_manual = row.local is not None and op in self.compatible.manual
        return number, is_manual, None if around is None else around(op)

    def _verdict(self, op: Operation) -> Verdict:
        try:
            return Verdict(decision_of(op, self.compatible))
        except OperationFailedException as refusal:
            return Verdict(refusal=refusal)

    def verdict(self, op: Operation) -> Verdict:
        """The decision for `op`, or its refusal; made once for operations that are alike."""
        if (key := self.key(op)) is None:
            return self._verdict(op)
        if key not in self._verdicts:
            self._verdicts[key] = self._verdict(op)
        return self._verdicts[key]

    def decision(self, op: Operation) -> object:
        """The decision that the pattern for `op` applies, or None. Raises `OperationFailedException` if refused."""
        verdict = self.verdict(op)
        if verdict.refusal is not None:
            raise verdict.refusal
        return verdict.decision

    def why_not_local(self, op: Operation) -> str | None:
        """Why `op` cannot become local; None if it can."""
        refusal = self.verdict(op).refusal
        return None if refusal is None else str(refusal)
