"""Rewrites of operations that are special cases of others, or no-ops in a kernel: one pattern each."""

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ComplexType, FunctionType, TensorType, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.types import bit_width, tensor_type
from xshardy.indexing.tensor_maps import minor_to_major
from xshardy.rewriting import match_op_type


class EraseBarrier(RewritePattern):
    """`optimization_barrier(x, y)` -> `x, y`. A barrier has no effect inside of one kernel."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.OptimizationBarrierOp, rewriter: PatternRewriter, /):
        rewriter.replace(op, [], op.operands)


def is_complex(op: Operation) -> bool:
    """Whether the first operand of `op` has complex numbers."""
    return isinstance(element_type(op.operands[0]), ComplexType)


class ElementOfTuple(RewritePattern):
    """`get_tuple_element(tuple(x, y), 1)` -> `y`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.GetTupleElementOp, rewriter: PatternRewriter, /):
        if isinstance(op.operand.owner, stablehlo.TupleOp):
            rewriter.replace(op, [], [op.operand.owner.operands[op.index.value.data]])


class ReturnElementsOfTuples(RewritePattern):
    """`return tuple(x, tuple(y, z))` -> `return x, y, z`; the result types of the function follow."""

    @match_op_type
    def match_and_rewrite(self, op: ReturnOp, rewriter: PatternRewriter, /):
        function = op.parent_op()
        if not isinstance(function, FuncOp) or not any(isinstance(v.owner, stablehlo.TupleOp) for v in op.operands):
            return
        elements: list[SSAValue] = []
        pending = list(reversed(op.operands))
        while pending:
            value = pending.pop()
            if isinstance(value.owner, stablehlo.TupleOp):
                pending += reversed(value.owner.operands)
            else:
                elements.append(value)
        op.operands = elements
        function.function_type = FunctionType.from_lists(
            function.function_type.inputs.data, [value.type for value in elements]
        )
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class EraseUnused(RewritePattern):
    """`op(x)` of `block` -> nothing, if all its results are unused; operations with effects included."""

    block: Block

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if op.parent is self.block and op.results and all(result.first_use is None for result in op.results):
            rewriter.erase(op)


class FoldGetDimensionSize(RewritePattern):
    """
    `get_dimension_size(x)` -> a constant if the type has a static size, or the size operand of a `set_dimension_size`.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.GetDimensionSizeOp, rewriter: PatternRewriter, /):
        dimension, operand = op.dimension.value.data, op.operand
        while isinstance(setter := operand.owner, stablehlo.SetDimensionSizeOp):
            if setter.dimension.value.data == dimension:
                rewriter.replace(op, [], [setter.size])
                return
            operand = setter.operand
        size = tensor_type(operand).get_shape()[dimension]
        if size >= 0:
            t = Tensors(rewriter)
            rewriter.replace(op, [], [t.constant(size, i32)])


class EraseSetDimensionSize(RewritePattern):
    """`set_dimension_size(x, 5)` -> `x`, if the dimension has size 5."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.SetDimensionSizeOp, rewriter: PatternRewriter, /):
        if op.result.type == op.operand.type:
            rewriter.replace(op, [], [op.operand])


class SplitBitcastBetweenWidths(RewritePattern):
    """
    `bitcast(x) : f32[6] -> s8[24]` -> `bitcast(bitcast_convert(x) : f32[6] -> s8[6, 4])`, which keeps elements whole.

    From narrow to wide elements, the bitcast comes first. The parts of an element are along the minor dimension.
    """

    @match_op_type
    def match_and_rewrite(self, op: hlo.BitcastOp, rewriter: PatternRewriter, /):
        source, target = element_type(op.operand), element_type(op.result)
        width, result_width = bit_width(source), bit_width(target)
        if width == result_width or not prod(shape_of(op.result)):
            return
        if width > result_width:
            shape = (*shape_of(op.operand), width // result_width)
            convert = stablehlo.BitcastConvertOp(op.operand, TensorType(target, shape))
            set_order(convert, (len(shape) - 1, *minor_to_major(op.operand)))
            rewriter.insert(convert)
            replace(rewriter, op, hlo.BitcastOp(convert.result, op.result.type))
            return
        shape = (*shape_of(op.result), result_width // width)
        bitcast = hlo.BitcastOp(op.operand, TensorType(source, shape))
        set_order(bitcast, (len(shape) - 1, *minor_to_major(op.result)))
        rewriter.insert(bitcast)
        replace(rewriter, op, stablehlo.BitcastConvertOp(bitcast.result, op.result.type))


def set_order(op: Operation, order: tuple[int, ...]) -> None:
    """Set the layout of the result of `op`: its dimensions from minor to major."""
    op.attributes[hlo.LAYOUT] = integers(order)


def replace(rewriter: PatternRewriter, op: Operation, new: Operation) -> None:
    """Replace `op` by `new` and copy its discardable attributes, such as layouts."""
    new.attributes.update(op.attributes)
    rewriter.replace(op, new)
