"""The operations that padding inserts: sizes, and masks of the elements in use."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, TensorType, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import zeros
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import ComparisonDirection
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.inference import bounded
from xshardy.dialects.stablehlo.types import bounds_of, tensor_type
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, dynamic_dims, largest_shape, largest_type

SIZE = TensorType(i32, [])
"""The type of a size."""


class PaddedCode(Tensors):
    """Inserts operations at one place of a computation, by the rewriter of a pattern."""

    def __init__(self, rewriter: PatternRewriter, place: InsertPoint | None = None):
        super().__init__(rewriter)
        self.rewriter = rewriter
        if place is not None:
            rewriter.insertion_point = place

    def number(self, value: int) -> SSAValue:
        """A size that is known."""
        return self.constant(value, i32)

    def zero(self, element: Attribute) -> SSAValue:
        """A scalar."""
        return self(stablehlo.ConstantOp(zeros(TensorType(element, []))))

    def subtract(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self(stablehlo.SubtractOp(x, y))

    def divide(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self(stablehlo.DivOp(x, y))

    def at_least_zero(self, size: SSAValue) -> SSAValue:
        return self(stablehlo.MaxOp(size, self.number(0)))

    def remade(
        self, op: Operation, operands: Sequence[SSAValue], types: Sequence[Attribute] | None = None
    ) -> Sequence[SSAValue]:
        """`op` with other operands, its results of the largest sizes, or of `types`."""
        made = type(op).create(
            operands=operands,
            result_types=[largest_type(type) for type in op.result_types] if types is None else types,
            properties=op.properties,
            attributes=op.attributes,
            regions=[self.rewriter.move_region_contents_to_new_regions(region) for region in op.regions],
        )
        self.rewriter.insert(made)
        return made.results

    def in_use(self, shape: Sequence[int], sizes: Mapping[int, SSAValue]) -> SSAValue:
        """Which elements of a tensor of `shape` are below `sizes`, of one dimension at least."""
        below: list[SSAValue] = []
        for d, size in sizes.items():
            index = self.iota(d, i32, shape)
            below.append(self(stablehlo.CompareOp(index, self.splat(size, shape), ComparisonDirection.LT)))
        known = below[0]
        for other in below[1:]:
            known = self.both(known, other)
        return known

    def masked(self, padded: Padded, fill: SSAValue, dims: Sequence[int] | None = None) -> SSAValue:
        """The tensor with the scalar `fill` behind the size in use, in `dims` or in all dimensions."""
        sizes = padded.sizes if dims is None else padded.sizes_in(dims)
        if not sizes:
            return padded.value
        return self.select(self.in_use(padded.shape, sizes), padded.value, self.splat(fill, padded.shape))

    def masked_by_zero(self, padded: Padded, dims: Sequence[int] | None = None) -> SSAValue:
        """As `masked`, with zeros."""
        return self.masked(padded, self.zero(element_type(padded.value)), dims)

    def size(self, padded: Padded, dim: int) -> SSAValue:
        """The size in use of any dimension."""
        return padded.sizes[dim] if dim in padded.sizes else self.number(padded.shape[dim])

    def with_sizes(self, padded: Padded, type: Attribute) -> SSAValue:
        """`set_dimension_size` operations that stand for a value of `type`."""
        value = padded.value
        for d in dynamic_dims(type):
            value = self(sized(value, self.size(padded, d), d))
        return value

    def parts(self, value: SSAValue, type: Attribute) -> list[SSAValue]:
        """`value` as a tensor of the largest sizes of `type`, followed by its sizes. It may be any dynamic tensor."""
        dims, whole = dynamic_dims(type), value
        for d in dynamic_dims(value.type):
            whole = self(stablehlo.SetDimensionSizeOp(whole, self.number(largest_shape(type)[d]), d))
        return [whole, *(self(stablehlo.GetDimensionSizeOp(value, d)) for d in dims)]

    def arguments_by_parts(self, block: Block) -> None:
        """`^bb(%x: tensor<?xf32, bounds<8>>)` -> `^bb(%x: tensor<8xf32>, %size: tensor<i32>)`"""
        for argument in [*block.args]:
            if dims := dynamic_dims(type := argument.type):
                index = argument.index + 1
                made = [
                    self.rewriter.insert_block_argument(block, index + n, part)
                    for n, part in enumerate(types_of_parts(type))
                ]
                sizes = dict(zip(dims, made[1:], strict=True))
                whole = self.with_sizes(Padded(made[0], sizes), type)
                self.rewriter.replace_all_uses_with(argument, whole)
                self.rewriter.erase_block_argument(argument)


def types_of_parts(type: Attribute) -> list[Attribute]:
    """`tensor<?xf32, bounds<8>>` -> `tensor<8xf32>, tensor<i32>`; other types stay."""
    return [largest_type(type), *(SIZE for _ in dynamic_dims(type))]


def sized(value: SSAValue, size: SSAValue, dim: int) -> stablehlo.SetDimensionSizeOp:
    """A `set_dimension_size` whose result is dynamic even if `size` is known to be the bound."""
    type = tensor_type(value)
    shape, bounds = [*shape_of(value)], [*bounds_of(type)]
    bounds[dim], shape[dim] = shape[dim], DYNAMIC_INDEX
    return stablehlo.SetDimensionSizeOp.create(
        operands=[value, size],
        result_types=[bounded(type.element_type, shape, bounds)],
        properties={"dimension": IntegerAttr(dim, i64)},
    )
