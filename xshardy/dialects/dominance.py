"""
SSA dominance: an operation reads values that are defined before it, on every path to it.

xDSL 0.75 does not check it. The check visits each operation once, in an order in which the values that dominate an
operation are those that are visible: blocks in preorder of their dominator tree, regions inside of their operation.
"""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from xshardy.ir.fields import operands_of

GRAPH_REGIONS = frozenset(("builtin.module", "gpu.module", "hw.module", "ml_program.subgraph"))
"""Operations whose regions have no order: each of their operations may read each of their values."""


class DominanceError(VerifyException):
    """Operand `index` of `op` does not dominate it."""

    def __init__(self, op: Operation, index: int):
        super().__init__(f"operand #{index} does not dominate this use")
        self.op = op
        self.value: SSAValue = op.operands[index]

    @property
    def note(self) -> str:
        """Where the value is defined, seen from the operation."""
        owner = self.value.owner
        kind = "block argument" if isinstance(owner, Block) else "op"
        region = owner.parent_region() if isinstance(owner, Operation) else owner.parent
        block = owner.parent_block() if isinstance(owner, Operation) else owner
        if block is self.op.parent_block():
            return f"operand defined here ({kind} in the same block)"
        if region is self.op.parent_region():
            return f"operand defined here ({kind} in the same region)"
        if region is not None and region.is_ancestor(self.op):
            return f"operand defined here ({kind} in a parent region)"
        return f"operand defined here ({kind} is neither in a parent nor in a child region)"


def verify_dominance(op: Operation) -> None:
    """Check all operations inside of `op`, which may read no values from outside of it. Raises `DominanceError`."""
    visible = set[SSAValue]()
    for region in op.regions:
        _verify_region(region, op.name in GRAPH_REGIONS, visible)


def _verify_region(region: Region, is_graph: bool, visible: set[SSAValue]) -> None:
    blocks = region.blocks
    if is_graph:
        values = [value for block in blocks for value in _values_of(block)]
        visible.update(values)
        for block in blocks:
            _verify_block(block, visible)
        visible.difference_update(values)
    elif len(blocks) == 1:
        visible.difference_update(_verify_block(blocks[0], visible))
    elif blocks:
        _verify_blocks(blocks[0], visible)


def _values_of(block: Block) -> Iterator[SSAValue]:
    yield from block.args
    for op in block.ops:
        yield from op.results


def _verify_block(block: Block, visible: set[SSAValue]) -> list[SSAValue]:
    """Check the operations of `block`, and make its values visible. Returns them."""
    values: list[SSAValue] = [*block.args]
    visible.update(values)
    for op in block.ops:
        for index, operand in enumerate(operands_of(op)):
            if operand not in visible:
                raise DominanceError(op, index)
        for region in op.regions:
            _verify_region(region, op.name in GRAPH_REGIONS, visible)
        for result in op.results:
            visible.add(result)
            values.append(result)
    return values


def _verify_blocks(entry: Block, visible: set[SSAValue]) -> None:
    """Check the blocks that are reachable from `entry`; as upstream, what is not reachable may read anything."""
    children: dict[Block, list[Block]] = {}
    for block, parent in immediate_dominators(entry).items():
        children.setdefault(parent, []).append(block)
    pending: list[tuple[Block, list[SSAValue] | None]] = [(entry, None)]
    while pending:
        block, values = pending.pop()
        if values is not None:  # all that it dominates is done
            visible.difference_update(values)
            continue
        pending.append((block, _verify_block(block, visible)))
        pending += [(child, None) for child in children.get(block, ())]


def immediate_dominators(entry: Block) -> Mapping[Block, Block]:
    """
    The immediate dominator of each block that is reachable from `entry`, but for `entry` itself.

    Lengauer and Tarjan's algorithm with path compression: O(m log n) for n blocks and m edges.
    """
    # Blocks are numbered in the preorder of a depth-first search, so that a smaller number is nearer to `entry`.
    blocks, parents, predecessors = _depth_first(entry)
    size = len(blocks)
    semidominators = list(range(size))
    dominators = [0] * size
    ancestors: list[int | None] = [None] * size
    labels = list(range(size))
    buckets: list[list[int]] = [[] for _ in range(size)]

    def best_on_path(block: int) -> int:
        """The block with the smallest semidominator from `block` up to the root of its tree, the root left out."""
        path: list[int] = []
        while (ancestor := ancestors[block]) is not None and ancestors[ancestor] is not None:
            path.append(block)
            block = ancestor
        for below in reversed(path):
            above = ancestors[below]
            assert above is not None
            if semidominators[labels[above]] < semidominators[labels[below]]:
                labels[below] = labels[above]
            ancestors[below] = ancestors[above]
        return labels[path[0] if path else block]

    for block in range(size - 1, 0, -1):
        for predecessor in predecessors[block]:
            best = best_on_path(predecessor) if ancestors[predecessor] is not None else predecessor
            semidominators[block] = min(semidominators[block], semidominators[best])
        buckets[semidominators[block]].append(block)
        parent = parents[block]
        ancestors[block] = parent
        for waiting in buckets[parent]:
            best = best_on_path(waiting)
            dominators[waiting] = best if semidominators[best] < semidominators[waiting] else parent
        buckets[parent].clear()
    for block in range(1, size):
        if dominators[block] != semidominators[block]:
            dominators[block] = dominators[dominators[block]]
    return {blocks[block]: blocks[dominators[block]] for block in range(1, size)}


def _depth_first(entry: Block) -> tuple[Sequence[Block], Sequence[int], Sequence[Sequence[int]]]:
    """The blocks reachable from `entry` in preorder; the number of each one's parent in the search; predecessors."""
    numbers: dict[Block, int] = {}
    blocks: list[Block] = []
    parents: list[int] = []
    predecessors: list[list[int]] = []
    edges: list[tuple[int, Block]] = []
    pending: list[tuple[Block, int]] = [(entry, 0)]
    while pending:
        block, parent = pending.pop()
        if block in numbers:
            continue
        number = numbers[block] = len(blocks)
        blocks.append(block)
        parents.append(parent)
        predecessors.append([])
        following = block.last_op.successors if block.last_op is not None else ()
        edges += [(number, successor) for successor in following]
        pending += [(successor, number) for successor in reversed(following)]
    for number, successor in edges:
        predecessors[numbers[successor]].append(number)
    return blocks, parents, predecessors
