"""
Constant sub-computations, and which of their uses need a copy. Source: row SDY-PASS-03.

A constant sub-computation is a constant or an iota, or an operation that preserves constants and whose operands are
defined by constant sub-computations, together with these. Which operations preserve constants differs by pass.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import ConstantOp, PropagationBarrierOp, ReshardOp, ShardingGroupOp
from xshardy.dialects.shapes import rank_of
from xshardy.ir.fields import operands_of, users_of
from xshardy.transforms.sdy.op_kinds import is_scalar_expansion

CONSTANTS = frozenset[type[Operation]]((ConstantOp, stablehlo.ConstantOp, stablehlo.IotaOp))
"""Constant sub-computations without operands."""

ELEMENTWISE = (
    stablehlo.BinaryElementwiseOp,
    stablehlo.UnaryElementwiseOp,
    stablehlo.ClampOp,
    stablehlo.CompareOp,
    stablehlo.ComplexOp,
    stablehlo.IsFiniteOp,
    stablehlo.SelectOp,
    PropagationBarrierOp,
    ReshardOp,
)
"""Operations that compute each element by itself, without effects."""

DOCUMENTED = (*ELEMENTWISE, stablehlo.BroadcastInDimOp, stablehlo.SliceOp)
"""The operations that preserve constants by SDY-PASS-03/C1b. A bitcast that keeps the shape is elementwise, too."""


@cache
def is_of_kind(op_type: type[Operation], kinds: tuple[type[Operation], ...]) -> bool:
    """Whether operations of class `op_type` are of one of `kinds`."""
    return issubclass(op_type, kinds)


@dataclass(slots=True)
class Splits:
    """What a splitter does with the operations of a region."""

    uses: dict[Operation, list[int]] = field(default_factory=dict[Operation, list[int]])
    """For each operation that is not constant, the operands that may need a copy, in the order of the text."""
    originals: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """The operations that define such operands, directly or not. Those that end up without a use are erased."""
    is_constant: bool = True
    """Whether the region computes nothing but constants from what it reads."""


def find_splits(
    ops: Sequence[Operation], preserves_constants: Callable[[Operation], bool], *, expansions: bool = False
) -> Splits:
    """
    The uses of constant sub-computations in `ops`, operations of a region in text order. Looks at each op once.

    With `expansions`, broadcasts of scalars are split like constants, without the computations of their operands.
    What needs no copy is left out: a use of a sub-computation that nothing else uses, that has no calls, and whose
    operations have one result each.
    """
    splits = Splits()
    readers: set[Operation] = set()
    """The operations that read a value that is split."""
    constants: set[SSAValue] = set()
    """The results of constant sub-computations."""
    shared: set[SSAValue] = set()
    """The results that are split and whose use may need a copy."""
    for op in ops:
        operands, kind = operands_of(op), type(op)
        if operands and op not in readers and kind is not stablehlo.BroadcastInDimOp:  # most operations
            continue
        is_constant = kind in CONSTANTS or (constants.issuperset(operands) and preserves_constants(op))
        if is_constant or (expansions and is_scalar_expansion(op)):
            splits.originals[op] = None
            results = op.results
            is_shared = len(results) != 1 or (is_constant and (kind is CallOp or not shared.isdisjoint(operands)))
            for result in results:
                users = [*users_of(result)]
                if is_shared or len(users) != 1:
                    shared.add(result)
                if is_constant:
                    constants.add(result)
                readers.update(users)
        elif kind is not ShardingGroupOp and not shared.isdisjoint(operands):
            splits.uses[op] = [index for index, value in enumerate(operands) if value in shared]
    splits.is_constant = all(
        op in splits.originals or preserves_constants(op) or type(op) is ShardingGroupOp or op.has_trait(IsTerminator)
        for op in ops
    )
    return splits


def sub_computation(root: SSAValue, *, with_scalars: bool) -> Sequence[OpResult]:
    """
    A result of each operation that `root` is computed by, operands before users; `root` last.

    Without `with_scalars`, scalars are left out with what they are computed by.
    """

    def is_part(value: SSAValue) -> bool:
        return isinstance(value, OpResult) and (with_scalars or rank_of(value) > 0)

    parts: list[OpResult] = []
    done: set[Operation] = set()
    pending = [root] if is_part(root) else []
    while pending:
        value = pending[-1]
        assert isinstance(value, OpResult)
        missing = [operand for operand in value.op.operands if is_part(operand) and operand.owner not in done]
        if value.op in done or not missing:
            pending.pop()
            if value.op not in done:
                done.add(value.op)
                parts.append(value)
        else:
            pending.extend(reversed(missing))
    return parts


def is_used_elsewhere(parts: Sequence[OpResult], user: Operation, index: int) -> bool:
    """Whether the sub-computation `parts` has a use outside of itself, other than operand `index` of `user`."""
    inside = {part.op for part in parts}
    return any(
        use.operation not in inside and (use.operation is not user or use.index != index)
        for part in parts
        for result in part.op.results
        for use in result.uses
    )


def copied_calls(uses: Mapping[Operation, Sequence[int]]) -> Sequence[CallOp]:
    """The calls in the sub-computations that were copied for `uses`, in the order of the copies."""
    return [
        part.op
        for user, indices in uses.items()
        for index in indices
        for part in sub_computation(user.operands[index], with_scalars=False)
        if isinstance(part.op, CallOp)
    ]
