"""Which operations get one node together: elementwise ones of one shape that read each other."""

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import ReshardOp, ShardingConstraintOp
from xshardy.dialects.shapes import shape_of
from xshardy.facts.movement import is_elementwise, is_generated

SHAPING = (stablehlo.BroadcastInDimOp, stablehlo.ReshapeOp)
"""Operations that, like elementwise ones, are computed on each device if they read nothing that is divided."""


class Clusters:
    """Groups of operations that get one node; in the order of their first operations."""

    def __init__(self, divided: set[SSAValue]):
        self._divided = divided
        self._group_of: dict[Operation, int] = {}
        self._groups: dict[int, list[Operation]] = {}

    def __iter__(self) -> Iterator[Sequence[Operation]]:
        return iter(self._groups.values())

    def add(self, op: Operation) -> None:
        """Put `op` into the groups of what it reads, if it computes each element from those at the same index."""
        divided = [value for value in op.operands if value in self._divided]
        is_cheap = is_elementwise(op) or isinstance(op, SHAPING)
        if is_generated(op) or (is_cheap and not divided) or not _has_tensors(op):
            return  # each device computes it for itself
        self._divided.update(result for result in op.results if shape_of(result.type))
        joined = self._joined(op, divided) if _may_join(op) else ()
        target = min(joined, default=len(self._group_of))
        self._groups.setdefault(target, []).append(op)
        self._group_of[op] = target
        for other in joined:
            if other != target:
                moved = self._groups.pop(other)
                self._groups[target] += moved
                self._group_of.update(dict.fromkeys(moved, target))

    def _joined(self, op: Operation, divided: Sequence[SSAValue]) -> Sequence[int]:
        """The groups that `op` joins: of operations in its block, of its shape."""
        shape = shape_of(op.results[0].type)
        found: dict[int, None] = {}
        for value in divided:
            owner = value.owner
            if isinstance(owner, Operation) and (group := self._group_of.get(owner)) is not None:
                first = self._groups[group][0]
                if _may_join(first) and first.parent is op.parent and shape_of(value.type) == shape:
                    found[group] = None
        return [*found]


def _may_join(op: Operation) -> bool:
    return is_elementwise(op) and len(op.results) == 1 and not isinstance(op, ShardingConstraintOp | ReshardOp)


def _has_tensors(op: Operation) -> bool:
    return any(shape_of(value.type) for value in (*op.results, *op.operands))
