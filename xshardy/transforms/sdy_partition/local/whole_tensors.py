"""The operands and results of an operation before they become local: whole tensors, with their shardings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.sdy.value_shardings import local_sharding, lookup_mesh
from xshardy.dialects.stablehlo.quantized_types import quantized_element
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.failures import OperationFailedException


def local_type(type: Attribute, sharding: TensorShardingAttr | None, op: Operation) -> Attribute:
    """
    The type of each device's part of a value of `type`, an operand or a result of `op`.

    Dynamic dimensions stay dynamic. Types other than tensors do not change.
    Raises `OperationFailedException` if a dimension does not divide evenly.
    """
    if sharding is None or sharding.is_fully_replicated:
        return type
    whole, mesh = tensor_type(type), lookup_mesh(sharding, op)
    assert mesh is not None
    scaled = None if (element := quantized_element(type)) is None else element.quantized_dimension
    shape: list[int] = []
    for dim, (extent, dimension) in enumerate(zip(whole.get_shape(), sharding.dim_shardings, strict=True)):
        parts = sharded_size(dimension.axes, mesh)
        if extent != DYNAMIC_INDEX and extent % parts:
            raise OperationFailedException(
                op,
                f"'{op.name}' op Failed to compute local type due to non-divisible sharding: dimension {dim} of {type} "
                f"in {parts} parts; pad the tensor, or shard it along fewer axes",
            )
        if dim == scaled and parts > 1:
            raise refuse(
                op,
                f"has dimension {dim} of {type} in {parts} parts, which would have different scales: "
                "replicate this dimension",
            )
        shape.append(extent if extent == DYNAMIC_INDEX else extent // parts)
    return TensorType(whole.element_type, shape, whole.encoding)


@dataclass(frozen=True, slots=True)
class WholeTensor:
    """A tensor before its division into parts."""

    type: Attribute
    sharding: TensorShardingAttr | None
    op: Operation

    @property
    def shape(self) -> Sequence[int]:
        return tensor_type(self.type).get_shape()

    @property
    def is_static(self) -> bool:
        """Whether every dimension has a known size."""
        return DYNAMIC_INDEX not in self.shape

    @property
    def is_replicated(self) -> bool:
        """Whether every device has the whole tensor."""
        return self.sharding is None or self.sharding.is_fully_replicated

    @property
    def mesh(self) -> MeshAttr:
        """The mesh of its sharding. Precondition: it has a sharding."""
        mesh = None if self.sharding is None else lookup_mesh(self.sharding, self.op)
        assert mesh is not None, "a sharding is verified to have a mesh"
        return mesh

    def axes(self, dim: int) -> AxisRefs:
        """The axes of dimension `dim`; none on a maximal mesh, where a sharding has no dimensions."""
        return self.sharding.dim_shardings.data[dim].axes.data if self.sharding and self.sharding.rank else ()

    def parts(self, dim: int) -> int:
        """The number of parts of dimension `dim`."""
        return sharded_size(axes, self.mesh) if (axes := self.axes(dim)) else 1

    @property
    def dim_axes(self) -> Sequence[AxisRefs]:
        """The axes of each dimension."""
        return [self.axes(dim) for dim in range(len(self.shape))]

    @property
    def own_sharding(self) -> TensorShardingAttr:
        """Its sharding. Precondition: it has one."""
        assert self.sharding is not None
        return self.sharding

    @property
    def part_shape(self) -> tuple[int, ...]:
        """The shape of each part, padding included if it does not divide."""
        return tuple(-(-extent // self.parts(dim)) for dim, extent in enumerate(self.shape))

    @property
    def divisible_shape(self) -> tuple[int, ...]:
        """The shape with each dimension padded to a multiple of its parts."""
        return tuple(size * self.parts(dim) for dim, size in enumerate(self.part_shape))

    @property
    def local(self) -> TensorType[Attribute]:
        """The type of each part."""
        return tensor_type(local_type(self.type, self.sharding, self.op))


@dataclass(frozen=True, slots=True)
class WholeTensors:
    """The whole operands and results of an operation. Its own values are local when it is rewritten."""

    operands: tuple[WholeTensor, ...]
    results: tuple[WholeTensor, ...]
    is_manual: bool = False
    """Whether the operation is known to be executed in a manual computation."""

    @staticmethod
    def of(op: Operation, *, is_manual: bool = False) -> "WholeTensors":
        def wholes(values: Iterable[SSAValue]) -> tuple[WholeTensor, ...]:
            return tuple(WholeTensor(value.type, local_sharding(value), op) for value in values)

        return WholeTensors(wholes(op.operands), wholes(op.results), is_manual)

    @property
    def is_replicated(self) -> bool:
        """Whether no value is sharded."""
        return all(value.is_replicated for value in (*self.operands, *self.results))

    @property
    def mesh(self) -> MeshAttr:
        """The mesh of the first value that has a sharding. Precondition: there is one."""
        values = (*self.operands, *self.results)
        return next((value for value in values if value.sharding is not None), values[0]).mesh


def refuse(op: Operation, reason: str) -> OperationFailedException:
    """An error at `op`, in upstream's form."""
    return OperationFailedException(op, f"'{op.name}' op {reason}")
