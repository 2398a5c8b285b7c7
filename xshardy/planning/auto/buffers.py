"""
When each tensor of a program is in memory: from the operation that computes it to its last reader, as in `memory.py`.

Times are positions in the order of execution, with the operations of a loop after the loop. What lives across a loop
lives in all of it. Results are allocated from the start, and arguments stay to the end.
"""

from collections.abc import Iterator

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from xshardy.planning.auto.nodes import ProgramNodes
from xshardy.planning.fusion import overwrites
from xshardy.transforms.sdy.data_flow import result_owners


class Lifetimes:
    """The half-open ranges of times at which tensors have buffers."""

    def __init__(self, nodes: ProgramNodes):
        self._nodes = nodes
        self._blocks: dict[Block, list[Operation]] = {}
        self.end = len(nodes.positions) + 1
        self._last_inside: dict[Operation, int] = {}
        for op, position in nodes.positions.items():
            around = op.parent_op()
            while around is not None and around in nodes.positions:
                self._last_inside[around] = position
                around = around.parent_op()

    def of(self, value: SSAValue) -> tuple[int, int] | None:
        """When `value` has a buffer of its own; None if it has none."""
        if isinstance(value, BlockArgument):
            return (0, self.end) if value.block is self._nodes.block else None
        op = value.owner
        assert isinstance(op, Operation)
        if op in self._nodes.fusion(op).fused or self._is_in_place(op, value):
            return None
        first, last = self._nodes.positions[op], self._nodes.positions[op]
        for user, position in self._readers(value):
            last = max(last, position if self._takes_over(user, value) else position + 1)
            if user is self._nodes.block.last_op:
                return 0, self.end
        return first, max(last, self._last_inside.get(op, first) + 1)

    def _readers(self, value: SSAValue) -> Iterator[tuple[Operation, int]]:
        """The operations in the block of `value` that read it, also inside of them, and when they have read it."""
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        for use in value.uses:
            user: Operation | None = use.operation
            while user is not None and user.parent is not block:
                user = user.parent_op()
            if user is not None and user in self._nodes.positions:
                last_inside = 0 if user is use.operation else self._last_inside.get(user, 0)
                yield user, max(self._computed(user), last_inside)

    def _computed(self, op: Operation) -> int:
        """The position at which `op` is computed: its own, or that of the operation that it is fused into."""
        block = op.parent
        assert block is not None
        if block not in self._blocks:
            self._blocks[block] = [*block.ops]
        into = self._blocks[block][self._nodes.fusion(op).positions[op]]
        return self._nodes.positions[into]

    def _takes_over(self, op: Operation, value: SSAValue) -> bool:
        """Whether a result of `op` may be written over `value`."""
        fused = self._nodes.fusion(op).fused
        return overwrites(op) and op not in fused and any(result.type == value.type for result in op.results)

    def _is_in_place(self, op: Operation, value: SSAValue) -> bool:
        """Whether `value` is written over what a loop carries, which nothing reads later."""
        if not overwrites(op) or result_owners(op):
            return False
        return any(
            isinstance(operand, BlockArgument)
            and operand.block is not self._nodes.block
            and operand.type == value.type
            and all(self._nodes.positions.get(use.operation, 0) <= self._nodes.positions[op] for use in operand.uses)
            for operand in op.operands
        )
