"""
Which constraints dictate the sharding of what they read. Source: row SDY-PASS-02.

A constraint is a `sdy.sharding_constraint`, or the in-sharding of an operand of a manual computation.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue, Use

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ManualComputationOp, ShardingConstraintOp
from xshardy.dialects.shapes import rank_of
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.data_flow import edge_of
from xshardy.transforms.sdy.main_function import main_if_any
from xshardy.transforms.sdy.shardable_values import owner_sharding, shardable_value


def constrained_sharding(use: Use) -> TensorShardingAttr | None:
    """The sharding that `use` constrains the value to; None if it is no constraint."""
    match use.operation:
        case ShardingConstraintOp(sharding=sharding):
            return sharding
        case ManualComputationOp(in_shardings=shardings):
            return shardings.shardings.data[use.index]
        case _:
            return None


class ConstraintUses:
    """How many uses of a value constrain it to each sharding. Reads the uses of a value once."""

    def __init__(self):
        self._counts: dict[SSAValue, Counter[TensorShardingAttr]] = {}

    def of(self, value: SSAValue) -> Counter[TensorShardingAttr]:
        if (counts := self._counts.get(value)) is None:
            shardings = (constrained_sharding(use) for use in value.uses)
            counts = self._counts[value] = Counter(sharding for sharding in shardings if sharding is not None)
        return counts

    def tail_of_chain(self, head: ShardingConstraintOp) -> ShardingConstraintOp | None:
        """
        The last of the chain of two or more constraints that starts with `head`; None if there is no such chain.

        The input of `head` has no other constraint, and each constraint but the last has one use. Precondition: the
        input of `head` has no sharding.
        """
        if self.of(head.input).total() != 1:
            return None
        tail = head
        while isinstance(user := tail.result.get_user_of_unique_use(), ShardingConstraintOp):
            tail = user
        return None if tail is head or self.of(tail.result) else tail


class BlockOrder:
    """The position of each operation in its block. Reads a block once."""

    def __init__(self):
        self._positions: dict[Block, dict[Operation, int]] = {}

    def is_before(self, first: Operation, second: Operation) -> bool:
        """Whether both are in one block, `first` before `second`."""
        block = first.parent
        if block is None or block is not second.parent:
            return False
        if (positions := self._positions.get(block)) is None:
            positions = self._positions[block] = {op: index for index, op in enumerate(block.ops)}
        return positions[first] < positions[second]


@dataclass(frozen=True, slots=True)
class Tail:
    """The last constraint of a chain, and the operations after it that are to read its result."""

    constraint: ShardingConstraintOp
    readers: Mapping[Operation, None]


@dataclass(slots=True)
class Dictated:
    """What constraints dictate, each decision in the order in which constraints are visited: inner ones first."""

    tails: dict[ShardingConstraintOp, Tail] = field(default_factory=dict[ShardingConstraintOp, Tail])
    """By the head of a chain of constraints, its tail."""
    shardings: dict[SSAValue, TensorShardingAttr] = field(default_factory=dict[SSAValue, TensorShardingAttr])
    """The new shardings of values that had none. Each value carries its sharding itself."""
    copied: list[ShardingConstraintOp] = field(default_factory=list[ShardingConstraintOp])
    """The constraints whose sharding their input gets."""
    moved: dict[ShardingConstraintOp, None] = field(default_factory=dict[ShardingConstraintOp, None])
    """The constraints of a target of a data flow edge that all other uses of it are to read."""
    inserted: dict[ManualComputationOp, list[int]] = field(default_factory=dict[ManualComputationOp, list[int]])
    """For manual computations, the operands for which such a constraint is to be inserted."""


def dictated_shardings(module: ModuleOp) -> Dictated:
    """What the constraints of `module` dictate. Linear in its operations and uses."""
    visitor = _ConstraintVisitor(main_if_any(functions_of(module)))
    for op in operations_of(module, ShardingConstraintOp, ManualComputationOp, inner_first=True):
        visitor.visit(op)
    return visitor.dictated


class _ConstraintVisitor:
    """Visits one constraint after the other, and knows which values have a sharding by what was decided so far."""

    def __init__(self, main: FuncOp | None):
        self.dictated = Dictated()
        self._main = main
        self._constraint_uses = ConstraintUses()
        self._order = BlockOrder()
        self._read_by_constraint: set[SSAValue] = set()
        """The values whose uses are to read a constraint: visited as if that was done, they are sharded."""

    def visit(self, op: ShardingConstraintOp | ManualComputationOp) -> None:
        if isinstance(op, ManualComputationOp):
            for index, sharding in enumerate(op.in_shardings.shardings):
                self._visit_operand(op, index, sharding)
            return
        # The tail comes first: a sharding that is copied to the input would hide the chain.
        if not self._is_sharded(op.input) and (tail := self._constraint_uses.tail_of_chain(op)) is not None:
            self.dictated.tails[op] = Tail(tail, dict.fromkeys(self._readers_after(tail, op)))
        if not self._dictates(op.sharding, op.input):
            return
        if _is_edge_target(op.input):
            self.dictated.moved[op] = None
            self._read_constraint(op.input, op.sharding)
        else:
            self.dictated.copied.append(op)
            self._give(op.input, op.sharding)

    def _visit_operand(self, op: ManualComputationOp, index: int, sharding: TensorShardingAttr) -> None:
        operand = op.operands[index]
        if not self._dictates(sharding, operand):
            return
        if _is_edge_target(operand):
            self.dictated.inserted.setdefault(op, []).append(index)
            self._read_constraint(operand, sharding)
        else:
            self._give(operand, sharding)

    def _readers_after(self, tail: ShardingConstraintOp, head: ShardingConstraintOp) -> Sequence[Operation]:
        """Results of @main keep the sharding before the chain: they are no use that the constraints are for."""
        users = (use.operation for use in head.input.uses)
        return [
            user
            for user in users
            if user is not head and not self._returns_from_main(user) and self._order.is_before(tail, user)
        ]

    def _returns_from_main(self, op: Operation) -> bool:
        return isinstance(op, ReturnOp) and op.parent_op() is self._main

    def _dictates(self, sharding: TensorShardingAttr, tensor: SSAValue) -> bool:
        """Whether a constraint with `sharding` decides that of `tensor`: it is closed, and no other one differs."""
        return (
            shardable_value(tensor) is not None
            and not self._is_sharded(tensor)
            and all(dimension.is_closed for dimension in sharding.dim_shardings)
            and len(self._constraint_uses.of(tensor)) == 1
        )

    def _is_sharded(self, value: SSAValue) -> bool:
        carrier = shardable_value(value)
        return value in self._read_by_constraint or (
            carrier is not None and (carrier in self.dictated.shardings or _is_set(owner_sharding(carrier)))
        )

    def _give(self, value: SSAValue, sharding: TensorShardingAttr) -> None:
        carrier = shardable_value(value)
        assert carrier is not None, "only values that can carry a sharding are given one"
        self.dictated.shardings[carrier] = sharding

    def _read_constraint(self, tensor: SSAValue, sharding: TensorShardingAttr) -> None:
        """The edge keeps its sharding, that of all targets; but unreduced axes do not propagate: it must have them."""
        self._read_by_constraint.add(tensor)
        if sharding.unreduced_axes.data:
            opened = TensorShardingAttr.fully_open(sharding.mesh_or_ref, rank_of(tensor))
            unreduced = TensorShardingAttr(
                opened.mesh_or_ref, opened.dim_shardings, (), sharding.unreduced_axes, sharding.reduction_op.data
            )
            self._give(tensor, unreduced)


def _is_set(sharding: TensorShardingAttr | None) -> bool:
    """Whether there is a sharding other than a fully open one, which the Shardy of jaxlib 0.12 treats as none."""
    return sharding is not None and sharding != TensorShardingAttr.fully_open(sharding.mesh_or_ref, sharding.rank)


def _is_edge_target(tensor: SSAValue) -> bool:
    return isinstance(tensor.owner, DataFlowEdgeOp) or edge_of(tensor) is not None
