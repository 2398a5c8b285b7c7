"""Composition of indexing maps through a common position in memory, and from a hero to the results computed from it."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import constant
from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects import hlo
from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.indexing.tensor_maps import bitcast_map, delinearized, linear_index, row_major


def map_through_memory(
    shape: Sequence[int], order: Sequence[int], tiled: Sequence[int], map: IndexingMap
) -> IndexingMap:
    """
    `map`, whose results are row-major indices of a tensor of shape `tiled`, followed by the map to the element of a
    tensor of `shape` at the same position in memory.

    `order` is the layout of `shape`, minor first.
    """
    results: list[AffineExpr] = [constant(0)] * len(shape)
    major_first = [d for d in reversed(order) if shape[d] != 1]
    steps = [step for step, size in enumerate(tiled) if size != 1]
    # Equal dimensions are mapped one to one, which avoids linearizing and delinearizing their indices.
    for group, dims in common_factors([tiled[step] for step in steps], [shape[d] for d in major_first]):
        sizes = [tiled[steps[i]] for i in group]
        linear = linear_index(sizes, row_major(sizes), [map.results[steps[i]] for i in group])
        inner = [shape[major_first[i]] for i in dims]
        for i, index in zip(dims, delinearized(inner, row_major(inner), linear), strict=True):
            results[major_first[i]] = index
    return map.with_results(results).simplify()


def common_factors(left: Sequence[int], right: Sequence[int]) -> list[tuple[range, range]]:
    """
    The finest common grouping of the dimensions of two shapes with equal numbers of elements.

    Each part has the dimensions of both shapes with the same product: `[2, 3, 4]` and `[6, 4]` have `(0, 1), (0)` and
    `(2), (1)`.
    """
    parts: list[tuple[range, range]] = []
    i = j = first_i = first_j = 0
    product_left = product_right = 1
    while i < len(left) or j < len(right):
        if product_left <= product_right and i < len(left):
            product_left *= left[i]
            i += 1
        else:
            product_right *= right[j]
            j += 1
        if product_left == product_right:
            parts.append((range(first_i, i), range(first_j, j)))
            first_i, first_j = i, j
    return parts


def map_to_root(root: SSAValue, hero: SSAValue, map: IndexingMap) -> IndexingMap:
    """
    `map`, whose results are indices of `hero`, followed by the map to the indices of `root`.

    Precondition: only intermediate operations lie between.
    """
    path = path_between(root, hero)
    for operand, result in zip(reversed(path), reversed(path[:-1]), strict=False):
        if isinstance(result.owner, hlo.BitcastOp | ReshapeOp):
            map = map.then(bitcast_map(operand, result))
    return map.simplify()


def path_between(root: SSAValue, hero: SSAValue) -> list[SSAValue]:
    """
    The values from `root` to `hero`, each an operand of the operation that defines the one before.

    Precondition: `root` is made of `hero`.
    """
    came_from: dict[SSAValue, SSAValue | None] = {root: None}
    pending = [root]
    while (value := pending.pop()) is not hero:
        if isinstance(value.owner, Operation):
            for operand in value.owner.operands:
                if operand not in came_from:
                    came_from[operand] = value
                    pending.append(operand)
    path = [hero]
    while (user := came_from[path[-1]]) is not None:
        path.append(user)
    return path[::-1]
