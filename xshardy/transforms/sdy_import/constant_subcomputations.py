"""
Constant sub-computations, and which of their uses need a copy. Source: row SDY-PASS-03.

A constant sub-computation is a constant or an iota, or an operation that preserves constants and whose operands are
defined by constant sub-computations, together with these. Which operations preserve constants differs by pass.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import ConstantOp, PropagationBarrierOp, ReshardOp, ShardingGroupOp
from xshardy.dialects.shapes import rank_of, shape_of

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


def is_elementwise_bitcast(op: Operation) -> bool:
    """Whether `op` is a bitcast between elements of the same width, which keeps the shape."""
    return isinstance(op, stablehlo.BitcastConvertOp) and shape_of(op.operands[0]) == shape_of(op.results[0])


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
    ops: Iterable[Operation],
    preserves_constants: Callable[[Operation], bool],
    is_expansion: Callable[[Operation], bool] = lambda op: False,
) -> Splits:
    """
    The uses of constant sub-computations in `ops`, operations of a region in text order. Looks at each op once.

    Operations for which `is_expansion` holds are split like constants, without the computations of their operands.
    What needs no copy is left out: a use of a sub-computation that nothing else uses, that has no calls, and whose
    operations have one result each.
    """
    splits = Splits()
    # Values, by identity, since they hash slowly.
    constants: set[int] = set()
    split: set[int] = set()
    used_once: set[int] = set()
    for op in ops:
        kind = type(op)
        if kind is ShardingGroupOp:
            continue
        read = [*map(id, op._operands)]  # pyright: ignore[reportPrivateUsage]  # hot path: `operands` makes a view
        if read and split.isdisjoint(read):  # most operations
            is_constant = reads_split = False
        else:
            is_constant = kind in CONSTANTS or (constants.issuperset(read) and preserves_constants(op))
            reads_split = True
        if is_constant or is_expansion(op):
            results = [*map(id, op.results)]
            split.update(results)
            splits.originals[op] = None
            if is_constant:
                constants.update(results)
            has_parts_used_once = not is_constant or (kind is not CallOp and used_once.issuperset(read))
            if has_parts_used_once and [result.has_one_use() for result in op.results] == [True]:
                used_once.update(results)
        elif reads_split and (
            shared := [index for index, value in enumerate(read) if value in split and value not in used_once]
        ):
            splits.uses[op] = shared
        if not is_constant and splits.is_constant:
            splits.is_constant = preserves_constants(op) or op.has_trait(IsTerminator)
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
