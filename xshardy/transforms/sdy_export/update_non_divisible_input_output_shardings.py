"""
No padding where values cross the border of a function or region.

Source: Shardy's docs, "Export passes", `sdy-update-non-divisible-input-output-shardings`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.axis_refs import pre_size, sharded_size, size
from xshardy.dialects.sdy.interfaces import ShardingRuleOpInterface
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.dialects.sdy.value_shardings import SHARDING, lookup_mesh
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.sdy.function_shardings import update_function_shardings
from xshardy.transforms.sdy.shardings import with_dimensions


def dividing_prefix(axes: Iterable[AxisRefAttr], extent: int, mesh: MeshAttr) -> list[AxisRefAttr]:
    """The longest prefix of `axes`, the last one cut where it must be, along which a dimension divides evenly."""
    prefix: list[AxisRefAttr] = []
    for axis in axes:
        common = gcd(size(axis, mesh), extent)
        if common != size(axis, mesh):
            if common > 1:
                prefix.append(AxisRefAttr.part(axis.axis.data, pre_size(axis), common))
            break
        prefix.append(axis)
        extent //= common
    return prefix


def evenly_sharded(sharding: TensorShardingAttr, type: Attribute, mesh: MeshAttr) -> TensorShardingAttr:
    """
    `sharding` of a value of `type` with only so many axes in each dimension that all devices hold the same shape.

    A dimension that loses axes loses its priority too, as upstream. What has no static shape is left alone.
    """
    if sharding.is_fully_replicated or not isinstance(type, ShapedType) or not type.has_static_shape():
        return sharding
    dims = list(sharding.dim_shardings)
    for index, (extent, dim) in enumerate(zip(type.get_shape(), dims, strict=True)):
        if extent % sharded_size(dim.axes, mesh):
            dims[index] = DimensionShardingAttr(dividing_prefix(dim.axes, extent, mesh), is_closed=bool(dim.is_closed))
    return sharding if dims == list(sharding.dim_shardings) else with_dimensions(sharding, dims)


@dataclass(frozen=True)
class UpdateNonDivisibleInputOutputShardingsPass(ModulePass):
    """
    Cut shardings short where they do not divide the tensor evenly, so that nothing needs to be padded.

    Of arguments and results of functions, results of calls, operands and results of manual computations, and of results
    of operations that ask for it.
    """

    name = "sdy-update-non-divisible-input-output-shardings"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        def evenly(sharding: TensorShardingAttr, type: Attribute) -> TensorShardingAttr:
            mesh = lookup_mesh(sharding, function)
            return sharding if mesh is None else evenly_sharded(sharding, type, mesh)

        def each_evenly(
            per_value: TensorShardingPerValueAttr, types: Iterable[Attribute]
        ) -> TensorShardingPerValueAttr:
            return TensorShardingPerValueAttr(map(evenly, per_value.shardings, types))

        for function in op.ops:
            if not isinstance(function, FuncOp):
                continue
            update_function_shardings(function, evenly)
            for inner in operations_in(function):
                if isinstance(inner, ManualComputationOp):
                    inner.in_shardings = each_evenly(inner.in_shardings, inner.operand_types)
                    inner.out_shardings = each_evenly(inner.out_shardings, inner.result_types)
                elif isinstance(inner, CallOp) or (
                    isinstance(inner, ShardingRuleOpInterface) and inner.keep_output_shardings_divisible
                ):
                    shardings = inner.attributes.get(SHARDING)
                    if isinstance(shardings, TensorShardingPerValueAttr):
                        inner.attributes[SHARDING] = each_evenly(shardings, inner.result_types)
