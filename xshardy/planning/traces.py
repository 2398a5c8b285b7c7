"""
From an operation of the partitioned program to the operation of the propagated one that it comes from.

A trace is a number in the location of an operation, as the metadata of a fused location: no text is read as such a
location. The driver of rewrites gives a new operation the location of what it replaces, so that traces pass through all
passes. Those of data movement are added after the pass that inserts it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, FusedLoc, IntAttr, LocationAttr, ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import (
    AllGatherOp,
    AllReduceOp,
    AllSliceOp,
    AllToAllOp,
    CollectivePermuteOp,
    ReduceScatterOp,
)
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.rewriting.locations import fused
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.insert_func_call_reshards import has_same_parts

REDUCTIONS = (AllReduceOp, ReduceScatterOp)
MOVES = (ReshardOp, *REDUCTIONS, AllGatherOp, AllSliceOp, AllToAllOp, CollectivePermuteOp)


@dataclass(frozen=True, slots=True)
class Movement:
    """A reshard or reduction that a pass inserted before or after an operation of the propagated program."""

    operation: Operation
    """The operation of the propagated program that needs it."""
    tensor: SSAValue | None
    """The tensor of the propagated program that is moved; None for one that a pass created."""
    before: TensorShardingAttr | None
    after: TensorShardingAttr | None
    reduced: AxisRefs = ()
    """The axes along which it reduces what each device computed; none if it moves a tensor to another sharding."""
    reason: str | None = None
    """Why the operation does not exchange elements of other parts; None if it needs none, or exchanges them."""

    @property
    def is_reduction(self) -> bool:
        """Whether it combines partial results."""
        return bool(self.reduced)


class Traces:
    """Provenance of operations: from those of a partitioned program to those of the propagated one, `originals`."""

    def __init__(self, originals: Sequence[Operation], copies: Sequence[Operation]):
        """`copies` are partitioned; `originals` stay as they are."""
        self._originals = originals
        self._movements: list[Movement] = []
        self._reasons: dict[Operation, str] = {}
        """By the operation of the propagated program, the last one of each."""
        for number, op in enumerate(copies):
            _mark(op, number)

    def add_reason(self, op: Operation, reason: str) -> None:
        """What `op` of the partitioned program needs is gathered and not exchanged, for this reason."""
        if (original := self.operation(op)) is not None:
            self._reasons[original] = reason

    def record_movements(self, module: ModuleOp) -> None:
        """Add the movements that the last pass inserted into `module`. Linear in its operations."""
        for op in operations_of(module, *MOVES):
            known = self.movement(op)
            is_reduction = isinstance(op, REDUCTIONS)
            if (known is not None and known.is_reduction >= is_reduction) or self.operation(op) is None:
                continue
            after = op.sharding if isinstance(op, ReshardOp) else op.out_sharding
            if isinstance(op, ReshardOp) and (known_as := sharding_of(op.input)) and has_same_parts(known_as, after):
                _take_over(op)
                continue
            source = _source(op)
            operation = self._producer(source) if is_reduction and known is not None else self.operation(op)
            if operation is None:
                continue
            movement = Movement(
                operation,
                self.original(source),
                sharding_of(source),
                after,
                _reduced_axes(op),
                self._reasons.get(operation),
            )
            self._movements.append(movement)
            _mark(op, len(self._originals) + len(self._movements) - 1)

    def movement(self, op: Operation) -> Movement | None:
        """The movement that `op` is a part of; if it is one of several, a reduction."""
        count = len(self._originals)
        movements = [self._movements[number - count] for number in _numbers(op.location) if number >= count]
        return max(movements, key=lambda movement: movement.is_reduction, default=None)

    def operation(self, op: Operation) -> Operation | None:
        """The operation of the propagated program that `op` comes from."""
        count = len(self._originals)
        for number in _numbers(op.location):
            return self._originals[number] if number < count else self._movements[number - count].operation
        return None

    def _producer(self, value: SSAValue) -> Operation | None:
        return self.operation(value.owner) if isinstance(value.owner, Operation) else None

    def original(self, value: SSAValue) -> SSAValue | None:
        """The value of the propagated program that `value` has the elements of; None if a pass created it."""
        if isinstance(value, OpResult) and (movement := self.movement(value.op)) is not None:
            return movement.tensor
        if isinstance(value, OpResult):
            op = self.operation(value.op)
            return op.results[value.index] if op is not None and value.index < len(op.results) else None
        assert isinstance(value, BlockArgument)
        around, region = value.block.parent_op(), value.block.parent_region()
        op = self.operation(around) if around is not None else None
        if around is None or op is None or region is None or len(op.regions) != len(around.regions):
            return None
        block = op.regions[around.regions.index(region)].first_block
        return block.args[value.index] if block is not None and value.index < len(block.args) else None


def _source(op: Operation) -> SSAValue:
    """What the chain of movements that ends with `op` moves."""
    value = op.operands[0]
    while isinstance(value.owner, MOVES) and not isinstance(value.owner, REDUCTIONS):
        value = value.owner.operands[0]
    return value


def _reduced_axes(op: Operation) -> AxisRefs:
    match op:
        case AllReduceOp():
            return op.reduction_axes.axes.data
        case ReduceScatterOp():
            return tuple(axis for of_dim in op.reduce_scatter_axes.lists for axis in of_dim.axes)
        case _:
            return ()


def _take_over(op: ReshardOp) -> None:
    """Let `op`, which moves nothing, have the trace of the movement before it: canonicalization keeps `op`."""
    if isinstance(op.input.owner, MOVES):
        op.location = op.input.owner.location


def _mark(op: Operation, number: int) -> None:
    op.location = fused((op.location,), IntAttr(number))


def _numbers(location: LocationAttr) -> Iterator[int]:
    """The traces in `location`, outermost first."""
    if not isinstance(location, FusedLoc):
        return
    if isinstance(location.metadata, IntAttr):
        yield location.metadata.data  # pyright: ignore[reportUnknownMemberType]
    else:
        for part in cast(ArrayAttr[Attribute], location.locations):
            yield from _numbers(cast(LocationAttr, part))
