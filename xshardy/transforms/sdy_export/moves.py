"""
Moves of tensors between devices: decisions as plain data, and their insertion.

A move is one operation: an `sdy.reshard` or a collective. Analyses decide the moves of each operand before an
operation, and of each result after it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.axes import AxisRefListAttr, AxisRefs, ListOfAxisRefListsAttr
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import AllReduceOp, ReplicatedToUnreducedOp, ShardedToUnreducedOp
from xshardy.dialects.sdy.ops import ReshardOp


@dataclass(frozen=True, slots=True)
class Reshard:
    """`sdy.reshard`: the same values with another sharding."""

    sharding: TensorShardingAttr

    def on(self, tensor: SSAValue) -> Operation:
        return ReshardOp(tensor, self.sharding)


@dataclass(frozen=True, slots=True)
class AllReduce:
    """`sdy.all_reduce`: reduce the parts of an unreduced tensor along `axes`."""

    axes: AxisRefs
    sharding: TensorShardingAttr
    """The sharding of the result."""
    reduction: ReductionOp

    def on(self, tensor: SSAValue) -> Operation:
        return AllReduceOp(tensor, AxisRefListAttr(self.axes), self.sharding, self.reduction)


@dataclass(frozen=True, slots=True)
class ReplicatedToUnreduced:
    """`sdy.replicated_to_unreduced`: all devices along `axes` but one discard their copy."""

    axes: AxisRefs
    sharding: TensorShardingAttr

    def on(self, tensor: SSAValue) -> Operation:
        return ReplicatedToUnreducedOp(tensor, AxisRefListAttr(self.axes), self.sharding)


@dataclass(frozen=True, slots=True)
class ShardedToUnreduced:
    """`sdy.sharded_to_unreduced`: each device pads its part along `axes` of each dimension to the whole."""

    axes: Sequence[AxisRefs]
    sharding: TensorShardingAttr

    def on(self, tensor: SSAValue) -> Operation:
        axes = ListOfAxisRefListsAttr([AxisRefListAttr(of_dim) for of_dim in self.axes])
        return ShardedToUnreducedOp(tensor, axes, self.sharding)


Move = Reshard | AllReduce | ReplicatedToUnreduced | ShardedToUnreduced

IndexedMoves = Sequence[tuple[int, Move]]
"""Moves of operands, or of results, with their index, in text order."""


def move_operand(op: Operation, index: int, moves: Iterable[Move], at: InsertPoint, rewriter: PatternRewriter) -> None:
    """`f(x)` -> `f(move(x))`, with the moves at `at`."""
    value = op.operands[index]
    for move in moves:
        moved = rewriter.insert(move.on(value), at)
        value = moved.results[0]
    if value is not op.operands[index]:
        op.operands[index] = value
        rewriter.notify_op_modified(op)


def move_operands(op: Operation, moves: IndexedMoves, rewriter: PatternRewriter) -> None:
    """`f(x)` -> `f(move(x))`, right before `f`."""
    before = InsertPoint.before(op)
    for index, move in moves:
        move_operand(op, index, (move,), before, rewriter)


def move_results(op: Operation, moves: IndexedMoves, rewriter: PatternRewriter) -> None:
    """`g(f(x))` -> `g(move(f(x)))`, right after `f`."""
    after = InsertPoint.after(op)
    moved: dict[int, SSAValue] = {}
    for index, move in moves:
        value = moved.get(index, op.results[index])
        inserted = rewriter.insert(move.on(value), after)
        rewriter.replace_uses_with_if(
            value, inserted.results[0], lambda use, inserted=inserted: use.operation is not inserted
        )
        moved[index] = inserted.results[0]
