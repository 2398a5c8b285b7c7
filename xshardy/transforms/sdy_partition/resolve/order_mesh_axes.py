"""One order of axes for the meshes that have the same axes."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.transforms.sdy.stablehlo_meshes import STABLEHLO_MESH


def with_axes_in_order(mesh: MeshAttr, order: Mapping[str, int]) -> MeshAttr:
    """`mesh` with its axes in the order of the names `order`: each device stays where it was along each axis."""
    sizes, ids = mesh.sizes, [device.data for device in mesh.device_ids] or range(mesh.device_count)

    def device(place: Mapping[str, int]) -> int:
        number = 0
        for axis, size in sizes.items():
            number = number * size + place[axis]
        return ids[number]

    places = product(*(range(sizes[axis]) for axis in order))
    return MeshAttr.of(
        [(axis, sizes[axis]) for axis in order], [device(dict(zip(order, place, strict=True))) for place in places]
    )


def reordered(module: ModuleOp) -> Iterator[tuple[MeshOp, MeshAttr]]:
    """The meshes of `module` whose axes an earlier mesh has in another order, and what they are in that order."""
    first: dict[frozenset[tuple[str, int]], Mapping[str, int]] = {}
    for op in module.ops:
        if isinstance(op, MeshOp):
            sizes = op.mesh.sizes
            order = first.setdefault(frozenset(sizes.items()), sizes)
            if [*order] != [*sizes]:
                yield op, with_axes_in_order(op.mesh, order)


class OrderAxes(DecisionPattern[MeshOp, MeshAttr]):
    """`sdy.mesh @b = <["y"=2, "x"=2]>` -> `sdy.mesh @b = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>`"""

    def rewrite(self, op: MeshOp, decision: MeshAttr, rewriter: PatternRewriter, /) -> None:
        op.mesh = decision
        op.attributes.pop(STABLEHLO_MESH, None)  # it repeats the axes
        rewriter.notify_op_modified(op)


class OrderMeshAxesPass(PatternPass):
    """
    Write meshes with the same axes in the order of the first one, as other orders of devices.

    Tensors then go from one to another by a permutation of parts, or stay where they are if the meshes are one.
    """

    name = "sdy-order-mesh-axes"
    source: ClassVar[str] = "ours: upstream leaves reshards between such meshes"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (OrderAxes(dict(reordered(module))),)
