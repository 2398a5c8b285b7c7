"""The operations that padding inserts: pads, slices without padding, masks, and moves between paddings."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import Dense, dense_values
from xshardy.dialects.sdy.attributes.axes import AxisRefListAttr, ListOfAxisRefListsAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
)
from xshardy.dialects.sdy.collectives import AllGatherOp, AllSliceOp
from xshardy.dialects.stablehlo.attributes import ComparisonDirection
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy.shardings import with_dimensions
from xshardy.transforms.sdy_partition.inserted_code import InsertedCode
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensor


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The sizes of a tensor."""
    return tensor_type(value).get_shape()


def replicated_in(sharding: TensorShardingAttr, dims: Collection[int]) -> TensorShardingAttr:
    """`sharding` without axes in `dims`."""
    listed = enumerate(sharding.dim_shardings)
    return with_dimensions(
        sharding,
        [DimensionShardingAttr(is_closed=bool(old.is_closed)) if dim in dims else old for dim, old in listed],
    )


def axes_in(sharding: TensorShardingAttr, dims: Collection[int]) -> ListOfAxisRefListsAttr:
    """For each dimension the axes of `sharding`, if it is one of `dims`."""
    listed = enumerate(sharding.dim_shardings)
    return ListOfAxisRefListsAttr(AxisRefListAttr(dimension.axes if dim in dims else ()) for dim, dimension in listed)


@dataclass(frozen=True, slots=True)
class PaddingCode(InsertedCode):
    """Inserts operations on padded tensors, in front of the one that is rewritten."""

    def masked(
        self,
        value: SSAValue,
        tensor: PaddedTensor,
        fill: Dense | SSAValue,
        dims: Collection[int] | None = None,
    ) -> SSAValue:
        """`value`, a padded `tensor`, with the scalar `fill` as padding in `dims`, or in all dimensions."""
        dims = [dim for dim in tensor.padded_dims if dims is None or dim in dims]
        if not dims:
            return value
        sharding, shape = tensor.sharding, shape_of(value)
        # Masks are whole where `value` is a part of a sum.
        reduced = None if sharding is None else TensorShardingAttr(sharding.mesh_or_ref, sharding.dim_shardings)
        scalar = fill if isinstance(fill, SSAValue) else self.constant(fill)
        is_valid: SSAValue | None = None
        for dim in dims:
            index = self.insert(stablehlo.IotaOp(dim, TensorType(i32, shape)), reduced)
            extent = self.constant(dense_values(TensorType(i32, []), [tensor.shape[dim]]))
            limit = self.insert(stablehlo.BroadcastInDimOp(extent, [], index.type), reduced)
            below = self.insert(stablehlo.CompareOp(index, limit, ComparisonDirection.LT), reduced)
            is_valid = below if is_valid is None else self.insert(stablehlo.AndOp(is_valid, below), reduced)
        assert is_valid is not None
        filled = self.insert(stablehlo.BroadcastInDimOp(scalar, [], value.type), reduced)
        return self.insert(stablehlo.SelectOp(is_valid, value, filled), sharding)

    def converted(self, value: SSAValue, element: Attribute, sharding: TensorShardingAttr | None = None) -> SSAValue:
        """`value` with elements of this type; itself if it has such."""
        if tensor_type(value).element_type == element:
            return value
        return self.insert(stablehlo.ConvertOp(value, TensorType(element, shape_of(value))), sharding)

    def resized(
        self, value: SSAValue, shape: Sequence[int], target: Sequence[int], sharding: TensorShardingAttr | None
    ) -> SSAValue:
        """
        `value`, a padded tensor of `shape`, with other padding: of the sizes `target`.

        A sharded dimension has other elements on each device then: it is gathered, padded, and sliced again.
        """
        before = shape_of(value)
        changed = [dim for dim, extent in enumerate(before) if extent != target[dim]]
        moved = [] if sharding is None else [dim for dim in changed if sharding.dim_shardings.data[dim].axes]
        between = sharding
        if sharding is not None and moved:
            between = replicated_in(sharding, moved)
            value = self.insert(AllGatherOp(value, axes_in(sharding, moved), between))
        without = [shape[dim] if dim in changed else extent for dim, extent in enumerate(before)]
        value = self.padded(self.trimmed(value, without, between), target, between)
        if sharding is not None and moved:
            value = self.insert(AllSliceOp(value, axes_in(sharding, moved), sharding))
        return value
