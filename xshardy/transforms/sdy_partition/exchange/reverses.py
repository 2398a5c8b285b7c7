"""Reverses along sharded dimensions: each device reverses its part, which then goes to the opposite device."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.ops import MeshOp, ReshardOp
from xshardy.dialects.sdy.value_shardings import enclosing_module, without_axes
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.sharding.devices import mirrored
from xshardy.transforms.sdy.shardings import with_mesh
from xshardy.transforms.sdy.symbols import SymbolNames
from xshardy.transforms.sdy_partition.exchange.pattern import (
    axis_names,
    divisible,
    has_same_axes,
    is_movable,
    manual_computation,
)
from xshardy.transforms.sdy_partition.exchange.whole_parts import PartsCode
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors


def reference_to(mesh: MeshAttr, name: str, op: Operation, rewriter: PatternRewriter) -> SymbolRefAttr:
    """
    A reference to `mesh` from `op`.

    If the module has no such mesh, it gets one as its first operation, of a name that begins with `name`.
    """
    module = enclosing_module(op)
    assert module is not None
    known = (inner.sym_name.data for inner in module.ops if isinstance(inner, MeshOp) and inner.mesh == mesh)
    if (found := next(known, None)) is None:
        found = SymbolNames(module).fresh(name)
        rewriter.insert(MeshOp(found, mesh), InsertPoint.at_start(module.body.block))
    return SymbolRefAttr(found)


@dataclass(frozen=True, slots=True)
class Mirroring:
    """A reverse of `source`: along which axes its parts change places, and what is done before."""

    source: WholeTensor
    axes: AxisRefs
    shifts: Mapping[int, int]
    """By dimension that does not divide: by how many elements it is shifted up, so that padding is in front."""

    @property
    def shape(self) -> list[int]:
        """That of the reversed tensor, with padding."""
        return [extent + self.shifts.get(dim, 0) for dim, extent in enumerate(self.source.shape)]


class ReverseOfWholeParts(LocalPattern[stablehlo.ReverseOp, Mirroring]):
    """
    `reverse %x` -> `reshard (reverse %x)`, where the result is over the mesh in the opposite order.

    If a dimension does not divide, it is padded, and shifted so that the padding is behind the reversed elements.

    Requires: operand and result sharded alike.
    """

    @staticmethod
    def decide(op: stablehlo.ReverseOp, before: WholeTensors) -> Mirroring | None:
        (source,), (target,) = before.operands, before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return None
        dims = [dim for dim in sorted(op.dimensions.get_values()) if source.parts(dim) > 1]
        paddings = {dim: divisible(source.shape[dim], source.parts(dim)) - source.shape[dim] for dim in dims}
        shifts = {dim: padding for dim, padding in paddings.items() if padding}
        axes = tuple(axis for dim in dims for axis in source.axes(dim))
        return Mirroring(source, axes, shifts) if dims else None

    def rewrite(self, op: stablehlo.ReverseOp, decision: Mirroring, code: DeviceCode) -> None:
        source, sharding, mesh = decision.source, decision.source.own_sharding, decision.source.mesh
        operand = code.padded(op.operand, decision.shape, sharding)
        if decision.shifts:
            operand = _shifted(operand, decision, code)
        opposite = mirrored(mesh, decision.axes)
        reference = opposite
        if sharding.mesh_name is not None:
            reference = reference_to(opposite, f"{sharding.mesh_name}_reversed", op, code.rewriter)
        reverse = stablehlo.ReverseOp(operand, op.dimensions.get_values())
        there = code.insert(reverse, with_mesh(sharding, reference))
        back = code.insert(ReshardOp(there, sharding))
        code.replace(op, code.trimmed(back, source.shape, sharding))


def _shifted(operand: SSAValue, mirroring: Mirroring, code: DeviceCode) -> SSAValue:
    """`operand`, shifted along each dimension that does not divide."""
    mesh, sharding = mirroring.source.mesh, mirroring.source.own_sharding
    manual = axis_names([mirroring.source.axes(dim) for dim in mirroring.shifts], mesh)
    parts = PartsCode(mesh, without_axes(sharding, manual), code)

    def body(inputs: Sequence[SSAValue]) -> Sequence[SSAValue]:
        (value,) = inputs
        for dim, shift in mirroring.shifts.items():
            value = _shift_up(value, dim, shift, mirroring.source.axes(dim), parts)
        return [value]

    (shifted,) = manual_computation([(operand, sharding)], [(operand.type, sharding)], manual, mesh, body, code)
    return shifted


def _shift_up(value: SSAValue, dim: int, shift: int, axes: AxisRefs, parts: PartsCode) -> SSAValue:
    """The end of one part before that of the device, and the beginning of the part behind it."""
    extent = tensor_type(value).get_shape()[dim]
    distance, rest = divmod(shift, extent)
    near, far = parts.part_before(value, distance, axes), parts.part_before(value, distance + 1, axes)
    end = parts.piece(far, dim, extent - rest, extent)
    beginning = parts.piece(near, dim, 0, extent - rest)
    return parts.joined([end, beginning], dim)
