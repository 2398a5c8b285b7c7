"""The first elements of a sort, with their indices: what `top_k` of several dialects computes."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType, i32
from xdsl.ir import Block, Region, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType
from xshardy.dialects.stablehlo.building import Tensors, element_type


def first_in_order(
    t: Tensors, x: SSAValue, count: int, direction: ComparisonDirection, index_type: IntegerType = i32
) -> Sequence[SSAValue]:
    """
    The first `count` elements along the last dimension, and their indices, in descending (GT) or ascending (LT) order.

    A stable sort: equal elements are ordered by index. Floats are in their total order.
    """
    shape, element = shape_of(x), element_type(x)
    last = len(shape) - 1
    indices = t.iota(last, index_type, shape)
    scalar, index = TensorType(element, []), TensorType(index_type, [])
    block = Block(arg_types=[scalar, scalar, index, index])
    kind = ComparisonType.TOTALORDER if isinstance(element, AnyFloat) else None
    before = stablehlo.CompareOp(block.args[0], block.args[1], direction, kind)
    block.add_ops([before, stablehlo.ReturnOp(before.result)])
    sort = stablehlo.SortOp([x, indices], Region(block), last, is_stable=True)
    t(sort)
    limits = [*shape[:-1], count]
    starts, strides = [0] * len(shape), [1] * len(shape)
    return [t(stablehlo.SliceOp(value, starts, limits, strides)) for value in sort.results]
