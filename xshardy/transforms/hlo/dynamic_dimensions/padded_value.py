"""A tensor of its largest sizes, and how many elements along each dynamic dimension are in use."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.types import bounds_of, tensor_type


def dynamic_dims(type: Attribute) -> tuple[int, ...]:
    """The dimensions of a tensor whose sizes its type does not know."""
    return tuple(d for d, size in enumerate(shape_of(type)) if size == DYNAMIC_INDEX)


def largest_shape(type: Attribute) -> tuple[int, ...]:
    """The bound of each dynamic dimension, `DYNAMIC_INDEX` if there is none, and the sizes of the others."""
    shape = shape_of(type)
    if DYNAMIC_INDEX not in shape:
        return shape
    bounds = bounds_of(tensor_type(type))
    return tuple(bound if size == DYNAMIC_INDEX else size for size, bound in zip(shape, bounds, strict=True))


def largest_type(type: Attribute) -> Attribute:
    """`tensor<?x4xf32, #stablehlo.bounds<8, ?>>` -> `tensor<8x4xf32>`; other types stay."""
    return TensorType(tensor_type(type).element_type, largest_shape(type)) if dynamic_dims(type) else type


def is_dynamic(op: Operation) -> bool:
    """Whether an operand or a result of `op`, or of a function, has a dynamic dimension."""
    types: Iterable[Attribute] = (value.type for value in (*op.operands, *op.results))
    if isinstance(op, FuncOp):
        types = (*op.function_type.inputs, *op.function_type.outputs)
    return any(map(dynamic_dims, types))


@dataclass(frozen=True, slots=True)
class Padded:
    """A value, and the size in use of each dynamic dimension: scalars of type i32. The elements behind are anything."""

    value: SSAValue
    sizes: Mapping[int, SSAValue] = field(default_factory=dict[int, SSAValue])

    @staticmethod
    def of(value: SSAValue) -> "Padded | None":
        """What `set_dimension_size` operations say of `value`; None if a dynamic tensor is behind these."""
        sizes: dict[int, SSAValue] = {}
        while isinstance(setter := value.owner, stablehlo.SetDimensionSizeOp):
            sizes.setdefault(setter.dimension.value.data, setter.size)
            value = setter.operand
        return None if dynamic_dims(value.type) else Padded(value, sizes)

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.value)

    def sizes_in(self, dims: Sequence[int]) -> dict[int, SSAValue]:
        """The sizes of those of `dims` that are dynamic."""
        return {d: size for d, size in self.sizes.items() if d in dims}
