"""Reshapes of dimensions that do not divide, with whole parts of neighbours, as upstream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import difference, merged
from xshardy.dialects.sdy.value_shardings import without_axes
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy.shardings import with_dimensions
from xshardy.transforms.sdy_export.factor_conflicts import Resolution
from xshardy.transforms.sdy_partition.exchange.neighbours import Neighbours
from xshardy.transforms.sdy_partition.exchange.pattern import (
    NEEDS_RESHARDS,
    Gathered,
    axis_names,
    is_movable,
    manual_computation,
    part_of,
    whole_along,
)
from xshardy.transforms.sdy_partition.exchange.reshape_groups import ReshapeGroup, reshape_groups
from xshardy.transforms.sdy_partition.exchange.runs import Runs, runs
from xshardy.transforms.sdy_partition.exchange.whole_parts import DimExchange, PartsCode, Placement
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors


def axes_of(tensor: WholeTensor, dims: Sequence[int]) -> AxisRefs:
    """The axes of `dims`, one after the other."""
    return tuple(axis for dim in dims for axis in tensor.axes(dim))


def runs_of(tensor: WholeTensor, dims: Sequence[int]) -> Runs | None:
    """The runs of the parts of `dims`; None if they are not consecutive."""
    return runs([tensor.shape[dim] for dim in dims], [tensor.parts(dim) for dim in dims])


def is_divided_evenly(tensor: WholeTensor, dims: Sequence[int]) -> bool:
    return all(tensor.shape[dim] % tensor.parts(dim) == 0 for dim in dims)


@dataclass(frozen=True, slots=True)
class MovedGroups:
    """A reshape, and the groups of which parts of the result need elements of other parts."""

    source: WholeTensor
    target: WholeTensor
    groups: Sequence[ReshapeGroup]

    @staticmethod
    def of(before: WholeTensors) -> "MovedGroups | None":
        """None if there are no such groups, or if some need a reshard first."""
        if not is_movable(before):
            return None
        moved = MovedGroups.moving(before)
        return moved if moved is not None and all(map(moved.can_move, moved.groups)) else None

    @staticmethod
    def moving(before: WholeTensors) -> "MovedGroups | None":
        """All such groups, also those that need a reshard; None if there are none, as in a tensor without elements."""
        (source,), (target,) = before.operands, before.results
        is_on_one_mesh = source.is_replicated or target.is_replicated or source.mesh == target.mesh
        if not is_on_one_mesh or not prod(source.shape):
            return None
        groups = [group for group in reshape_groups(source.shape, target.shape) if not _stays(source, target, group)]
        return MovedGroups(source, target, groups) if groups else None

    def can_move(self, group: ReshapeGroup) -> bool:
        """Whether both sides have the same axes, and some dimension does not divide. Otherwise it needs a reshard."""
        return _has_same_axes(self.source, self.target, group) and not self._divides(group)

    def _axes(self, group: ReshapeGroup) -> tuple[AxisRefs, AxisRefs]:
        """Those of the operand, and those of the result."""
        return axes_of(self.source, group.operand), axes_of(self.target, group.result)

    @property
    def manual(self) -> tuple[str, ...]:
        """The names of the axes of all groups that do not divide."""
        groups = reshape_groups(self.source.shape, self.target.shape)
        axes = [axes for group in groups if not self._divides(group) for axes in self._axes(group)]
        return axis_names(axes, self.source.mesh)

    def _divides(self, group: ReshapeGroup) -> bool:
        """Whether all parts of the group are equal."""
        return is_divided_evenly(self.source, group.operand) and is_divided_evenly(self.target, group.result)

    def gathered(self) -> Resolution:
        """Operand and result without the axes of the groups."""
        axes = [axis for group in self.groups for of_side in self._axes(group) for axis in of_side]
        before, after = (_without(tensor, axes) for tensor in (self.source, self.target))
        mesh = next(sharding for sharding in (before, after) if sharding is not None).mesh_or_ref
        return Resolution([before], [after], (), ReductionOp.SUM, mesh)


def _has_same_axes(source: WholeTensor, target: WholeTensor, group: ReshapeGroup) -> bool:
    """Whether both sides of the group are divided by the same axes in the same order."""
    before, after = axes_of(source, group.operand), axes_of(target, group.result)
    if not before or not after:
        return not before and not after
    return merged(before, source.mesh) == merged(after, target.mesh)


def _stays(source: WholeTensor, target: WholeTensor, group: ReshapeGroup) -> bool:
    """Whether the parts of the operand are those of the result."""
    if not _has_same_axes(source, target, group):
        return False
    if not axes_of(source, group.operand):
        return True
    has_one = all(
        sum(tensor.shape[dim] != 1 for dim in dims) <= 1
        for tensor, dims in ((source, group.operand), (target, group.result))
    )
    before, after = runs_of(source, group.operand), runs_of(target, group.result)
    return has_one or (before is not None and before == after)


def _without(tensor: WholeTensor, axes: Sequence[AxisRefAttr]) -> TensorShardingAttr | None:
    """The sharding of `tensor` without `axes`; None if it has no sharding."""
    if tensor.sharding is None:
        return None
    dims = (
        DimensionShardingAttr(
            (left for axis in of_dim.axes for left in difference(axis, axes, tensor.mesh)),
            is_closed=bool(of_dim.is_closed),
        )
        for of_dim in tensor.sharding.dim_shardings
    )
    return with_dimensions(tensor.sharding, dims)


def gathered_reshape(op: stablehlo.ReshapeOp, before: WholeTensors) -> Resolution | None:
    """
    Operand and result without the axes of groups that move; of tensors without elements, without any axes.

    Reshards have given both sides the same axes where they have a factor in common. Groups without one remain.
    """
    (source,), (target,) = before.operands, before.results
    if (moved := MovedGroups.moving(before)) is not None:
        return moved.gathered()
    if prod(source.shape):
        return None
    becomes = [whole_along(tensor, range(len(tensor.shape))) for tensor in (source, target)]
    mesh = next(tensor.sharding for tensor in (source, target) if tensor.sharding is not None).mesh_or_ref
    return Resolution(becomes[:1], becomes[1:], (), ReductionOp.SUM, mesh)


@dataclass(frozen=True, slots=True)
class SplitGroups:
    """The exchange along each dimension of the operand that is split."""

    moved: MovedGroups
    dims: Mapping[int, DimExchange]


def _split(moved: MovedGroups, group: ReshapeGroup) -> DimExchange | None:
    """The exchange of a group of which one dimension is split; None for another group, or if parts are far apart."""
    source, target = moved.source, moved.target
    if len(group.operand) != 1 or any(target.shape[dim] == 1 for dim in group.result):
        return None
    (dim,) = group.operand
    parts, after = source.parts(dim), runs_of(target, group.result)
    part = -(-source.shape[dim] // parts)
    if after is None or after.length != part:
        return None
    left = right = 0
    table: list[int] = []
    needs: list[tuple[int, int]] = []
    for index, start in enumerate(after.starts):
        last = start + part - 1
        first_part = start // part if start < source.shape[dim] else index
        last_part = last // part if last < source.shape[dim] else None
        left = max(left, index - first_part)
        right = max(right, 0 if last_part is None else last_part - index)
        needs.append((first_part, start - first_part * part if start < source.shape[dim] else 0))
    if left > 1 or right > 1:
        return None
    table = [part + (left + first - index) * part + offset for index, (first, offset) in enumerate(needs)]
    near = Neighbours(left, right, are_needed=True)
    return DimExchange(axes_of(target, group.result), near, part, 1, Placement(table=table))


class ReshapeOfWholeParts(LocalPattern[stablehlo.ReshapeOp, SplitGroups]):
    """
    `reshape %x` -> `manual_computation(%x) { reshape (dynamic_slice (concatenate %part, (collective_permute %part))) }`

    Requires: one dimension that is split into several, and parts that need their next neighbours only.
    """

    @staticmethod
    def decide(op: stablehlo.ReshapeOp, before: WholeTensors) -> SplitGroups | Gathered | None:
        moved = MovedGroups.of(before)
        if moved is None:
            return Gathered(NEEDS_RESHARDS)
        dims: dict[int, DimExchange] = {}
        for group in moved.groups:
            along = _split(moved, group)
            if along is None:
                return Gathered("whole parts can only be exchanged where one dimension becomes several")
            dims[group.operand.start] = along
        return SplitGroups(moved, dims)

    def rewrite(self, op: stablehlo.ReshapeOp, decision: SplitGroups, code: DeviceCode) -> None:
        moved = decision.moved
        source, target, mesh, manual = moved.source, moved.target, moved.source.mesh, moved.manual
        before, after = source.own_sharding, target.own_sharding
        element = tensor_type(op.operand).element_type
        padding = code.zero(element)
        operand = code.padded(op.operand, source.divisible_shape, before)
        type = TensorType(element, target.divisible_shape)

        def body(parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
            own, inner_padding = parts
            window = PartsCode(mesh, without_axes(before, manual), code).windows(own, decision.dims, inner_padding)
            reshaped = stablehlo.ReshapeOp(window, part_of(type, after, mesh, manual))
            return [code.insert(reshaped, without_axes(after, manual))]

        scalar = TensorShardingAttr.fully_closed(before.mesh_or_ref, 0)
        inputs = ((operand, before), (padding, scalar))
        (whole,) = manual_computation(inputs, [(type, after)], manual, mesh, body, code)
        code.replace(op, code.trimmed(whole, target.shape, after))
