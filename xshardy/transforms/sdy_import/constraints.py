"""What constrains the sharding of a value: `sdy.sharding_constraint`, and the in-shardings of manual computations."""

from collections import Counter

from xdsl.ir import Block, Operation, SSAValue, Use

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ManualComputationOp, ShardingConstraintOp


def constrained_sharding(use: Use) -> TensorShardingAttr | None:
    """The sharding that `use` asks of the value it reads; None if it is no constraint."""
    match use.operation:
        case ShardingConstraintOp(sharding=sharding):
            return sharding
        case ManualComputationOp(in_shardings=shardings):
            return shardings.shardings.data[use.index]
        case _:
            return None


class ConstraintUses:
    """
    How many uses of a value constrain it to each sharding.

    The uses of a value are read when it is first asked about, so that many constraints on one value cost no more than
    its uses; what constrains it may change only if it is forgotten.
    """

    def __init__(self):
        self._counts: dict[SSAValue, Counter[TensorShardingAttr]] = {}

    def of(self, value: SSAValue) -> Counter[TensorShardingAttr]:
        if (counts := self._counts.get(value)) is None:
            shardings = (constrained_sharding(use) for use in value.uses)
            counts = self._counts[value] = Counter(sharding for sharding in shardings if sharding is not None)
        return counts

    def forget(self, value: SSAValue) -> None:
        self._counts.pop(value, None)

    def tail_of_chain(self, head: ShardingConstraintOp) -> ShardingConstraintOp | None:
        """
        The last of the chain of two or more constraints that starts with `head`; None if there is no such chain.

        The tensor that it starts with has no other constraint, and between its ends nothing else reads it. That it has
        no sharding, so that no constraint made it, the caller has seen.
        """
        if self.of(head.input).total() != 1:
            return None
        tail = head
        while isinstance(user := tail.result.get_user_of_unique_use(), ShardingConstraintOp):
            tail = user
        return None if tail is head or self.of(tail.result) else tail


class BlockOrder:
    """Where each operation stands in its block, as it was when its block was first asked about."""

    def __init__(self):
        self._positions: dict[Block, dict[Operation, int]] = {}

    def is_before(self, first: Operation, second: Operation) -> bool:
        """Whether both are in one block, `first` before `second`."""
        block = first.parent
        if block is None or block is not second.parent:
            return False
        if (positions := self._positions.get(block)) is None:
            positions = self._positions[block] = {op: index for index, op in enumerate(block.ops)}
        # What was put into the block since then stands right after what it constrains: before all that reads it.
        return positions.get(first, -1) < positions.get(second, -1)
