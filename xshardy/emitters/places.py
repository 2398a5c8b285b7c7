"""Where a thread finds an element: maps to places in memory, carried from a hero to the results that it is read for."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from xshardy.dialects import hlo
from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.indexing.indexing_map import IndexingMap
from xshardy.indexing.tensor_maps import bitcast_map, delinearized, linear_index


def in_memory_of(shape: Sequence[int], order: Sequence[int], tiled: Sequence[int], map: IndexingMap) -> IndexingMap:
    """
    `map`, to row-major indices of a tensor of shape `tiled`, as one to the element at the same place in memory.

    Its indices are those of a tensor of `shape` whose dimensions lie in `order`, minor first.
    """
    linear = linear_index(tiled, tuple(reversed(range(len(tiled)))), map.results)
    return map.with_results(delinearized(shape, order, linear)).simplify()


def carried_to(root: SSAValue, hero: SSAValue, map: IndexingMap) -> IndexingMap:
    """`map`, to the indices of `hero`, as one to those of `root`, of which intermediate operations make it."""
    path = path_between(root, hero)
    for operand, result in zip(reversed(path), reversed(path[:-1]), strict=False):
        if isinstance(result.owner, hlo.BitcastOp | ReshapeOp):
            map = map.then(bitcast_map(operand, result))
    return map.simplify()


def path_between(root: SSAValue, hero: SSAValue) -> list[SSAValue]:
    """The values from `root` to `hero`, each an operand of the operation that makes the one before."""
    came_from: dict[SSAValue, SSAValue | None] = {root: None}
    pending = [root]
    while pending:
        value = pending.pop()
        if value is hero:
            path = [hero]
            while (user := came_from[path[-1]]) is not None:
                path.append(user)
            return path[::-1]
        if isinstance(value.owner, Operation):
            for operand in value.owner.operands:
                if operand not in came_from:
                    came_from[operand] = value
                    pending.append(operand)
    raise ValueError("the root is not made of the hero")
