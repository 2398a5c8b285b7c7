"""
The shapes of tensors after padding: each sharded dimension is a multiple of its number of parts.

Padding is at the end of a dimension, and may hold anything. What an operation computes from other elements does not
change, so that the elements of a padded result that are no padding are those of the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.sdy.value_shardings import local_sharding, lookup_mesh
from xshardy.dialects.shapes import is_tensor
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor

Shape = tuple[int, ...]


def padded_type(type: Attribute, sharding: TensorShardingAttr | None, op: Operation) -> Attribute:
    """
    `type` with each dimension rounded up to a multiple of its number of parts; `op` is below the mesh of `sharding`.

    Types other than tensors, and dynamic dimensions, stay.
    """
    if sharding is None or sharding.is_fully_replicated or not is_tensor(type):
        return type
    mesh = lookup_mesh(sharding, op)
    if mesh is None:
        return type
    shape = type.get_shape()
    padded = [
        extent if extent == DYNAMIC_INDEX else extent + -extent % sharded_size(of_dim.axes, mesh)
        for extent, of_dim in zip(shape, sharding.dim_shardings, strict=True)
    ]
    return type if padded == list(shape) else TensorType(type.element_type, padded, type.encoding)


@dataclass(frozen=True, slots=True)
class PaddedTensor:
    """A tensor before and after padding. Both shapes are of whole tensors, not of parts."""

    whole: WholeTensor
    shape: Shape
    """Before padding; () for a value that is no tensor."""
    padded: Shape
    has_zeros: bool = False
    """Whether all of the padding is known to be zero."""

    @staticmethod
    def of(value: SSAValue, op: Operation, *, has_zeros: bool = False) -> "PaddedTensor":
        """An operand or a result of `op`."""
        sharding = local_sharding(value)
        after = padded_type(value.type, sharding, op)
        shapes = [t.get_shape() if is_tensor(t) else () for t in (value.type, after)]
        return PaddedTensor(WholeTensor(value.type, sharding, op), shapes[0], shapes[1], has_zeros)

    @property
    def is_padded(self) -> bool:
        return self.shape != self.padded

    @property
    def padded_dims(self) -> tuple[int, ...]:
        """The dimensions that have padding."""
        sizes = zip(self.shape, self.padded, strict=True)
        return tuple(dim for dim, (before, after) in enumerate(sizes) if before != after)

    @property
    def sharding(self) -> TensorShardingAttr | None:
        return self.whole.sharding


@dataclass(frozen=True, slots=True)
class PaddedTensors:
    """The operands and results of an operation before and after padding."""

    operands: Sequence[PaddedTensor]
    results: Sequence[PaddedTensor]
