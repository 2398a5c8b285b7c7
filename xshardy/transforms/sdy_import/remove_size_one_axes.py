"""
Remove axes of size one from shardings: they divide nothing, and would conflict with each other.

Source: Shardy's docs, "Import passes".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import RewritePattern

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import size
from xshardy.rewriting import AttributePattern, PatternPass
from xshardy.transforms.sdy.shardings import HOLD_NO_SHARDINGS, meshes_of, priority_of


def without_size_one_axes(sharding: TensorShardingAttr, meshes: Mapping[str, MeshAttr]) -> TensorShardingAttr:
    """`<@mesh, [{"one", "a"}, {"one"}p1]>` -> `<@mesh, [{"a"}, {}]>`: what is empty and closed has no priority."""
    mesh = sharding.mesh_or_ref if isinstance(sharding.mesh_or_ref, MeshAttr) else meshes.get(sharding.mesh_name or "")
    if mesh is None or all(axis.size.data != 1 for axis in mesh.axes):
        return sharding

    def counts(axis: AxisRefAttr) -> bool:
        return size(axis, mesh) != 1

    def dimension(dim: DimensionShardingAttr) -> DimensionShardingAttr:
        axes = tuple(filter(counts, dim.axes))
        priority = priority_of(dim) if axes or not dim.is_closed else None
        return DimensionShardingAttr(axes, is_closed=bool(dim.is_closed), priority=priority)

    return TensorShardingAttr(
        sharding.mesh_or_ref,
        map(dimension, sharding.dim_shardings),
        filter(counts, sharding.replicated_axes),
        filter(counts, sharding.unreduced_axes),
        sharding.reduction_op.data,
    )


@dataclass(frozen=True)
class RemoveSizeOneAxes(AttributePattern):
    """`<@mesh, [{"one", "a"}, {"one"}p1]>` -> `<@mesh, [{"a"}, {}]>`"""

    attribute_types = (TensorShardingAttr,)
    not_inside = HOLD_NO_SHARDINGS
    meshes: Mapping[str, MeshAttr]

    def applies(self) -> bool:
        return any(axis.size.data == 1 for mesh in self.meshes.values() for axis in mesh.axes)

    def convert(self, attribute: Attribute, /) -> Attribute:
        return without_size_one_axes(attribute, self.meshes) if isinstance(attribute, TensorShardingAttr) else attribute


class RemoveSizeOneAxesPass(PatternPass):
    """Remove axes of size one from all shardings of a module that has a mesh with one; the meshes keep them."""

    name = "sdy-remove-size-one-axes"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-remove-size-one-axes'

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return (RemoveSizeOneAxes(meshes_of(module)),)
