"""
Select-and-scatter in elementary operations.

First the position of the selected element of each window, by a reduction over windows. Then, for each tap (position in
the window), the elements of the source whose window has an element of the result at that tap: those whose selected
position is this element are combined into it. This reads each element of the source once per tap, and writes each
element of the result once, with no atomic update.
"""

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType, i32, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.windows import dilated
from xshardy.ir.insertion import inline_block
from xshardy.rewriting import match_op_type

MAX_TAPS = 256
"""The maximal number of elements of a window: the code grows with it."""


class ExpandSelectAndScatter(RewritePattern):
    """`select_and_scatter(x, source, init)` -> a variadic `reduce_window`, and a `pad`, `map` and `select` per tap."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.SelectAndScatterOp, rewriter: PatternRewriter, /):
        sizes = [dimension.size for dimension in op.window()]
        if prod(sizes) > MAX_TAPS:
            raise PassFailedException(
                f"{op.name} over windows of {prod(sizes)} elements cannot be emitted: at most {MAX_TAPS} are supported"
            )
        if len({element_type(value) for value in (*op.operands, op.result)}) > 1:
            raise PassFailedException(f"{op.name} of several element types cannot be emitted: convert them to one type")
        t = Tensors(rewriter)
        shape = shape_of(op.result)
        number = i32 if prod(shape) < 2**31 else i64
        places = t.reshape(t.iota(0, number, (prod(shape),)), shape)
        selected = _selected_places(t, op, places, number)
        result = t.splat(op.init_value, shape)
        unselected = t.constant(-1, number)
        for tap in product(*map(range, sizes)):
            here = t.compare(_at_tap(t, op, selected, tap, unselected), stablehlo.ComparisonDirection.EQ, places)
            source = _at_tap(t, op, op.source, tap, op.init_value)
            combined = t(stablehlo.MapOp([result, source], range(len(shape)), op.scatter.clone(), op.result.type))
            result = t.select(here, combined, result)
        rewriter.replace(op, [], [result])


def _selected_places(t: Tensors, op: stablehlo.SelectAndScatterOp, places: SSAValue, number: IntegerType) -> SSAValue:
    """For each window, the one of `places` whose element `op` selects; -1 if the window covers padding only."""
    zero = t.constant(0, cast(IntegerType | AnyFloat, element_type(op.operand)))
    unselected = t.constant(-1, number)
    scalars = [zero.type, unselected.type]
    block = Block(arg_types=[*scalars, *scalars])
    best, best_place, x, place = block.args
    inline_block(op.select.clone().block, InsertPoint.at_end(block), [best, x])
    returned = block.last_op
    assert returned is not None
    (keeps,) = returned.operands
    block.erase_op(returned)
    inner = Tensors(Builder(InsertPoint.at_end(block)))
    none = inner.constant(0, number)
    keeps = inner.both(keeps, inner(stablehlo.CompareOp(best_place, none, stablehlo.ComparisonDirection.GE)))
    keeps = inner.either(keeps, inner(stablehlo.CompareOp(place, none, stablehlo.ComparisonDirection.LT)))
    chosen = inner.select(keeps, best, x), inner.select(keeps, best_place, place)
    inner.builder.insert(stablehlo.ReturnOp(*chosen))
    positions = shape_of(op.source)
    types = [TensorType(element_type(op.operand), positions), TensorType(number, positions)]
    reduced = stablehlo.ReduceWindowOp([op.operand, places], [zero, unselected], op.window(), Region(block), types)
    return t.builder.insert(reduced).results[1]


def _at_tap(
    t: Tensors, op: stablehlo.SelectAndScatterOp, x: SSAValue, tap: Sequence[int], otherwise: SSAValue
) -> SSAValue:
    """
    For each element of the result, the value of `x` for the window that has the element at `tap`.

    `x` has a value per window. Where there is no such window, `otherwise`.
    """
    low: list[int] = []
    high: list[int] = []
    window, shape = op.window(), shape_of(op.result)
    for dimension, index, count, size in zip(window, tap, shape_of(x), shape, strict=True):
        low.append(index - dimension.low)
        high.append(size - low[-1] - dilated(count, dimension.stride))
    interior = [dimension.stride - 1 for dimension in window]
    return t(stablehlo.PadOp(x, otherwise, low, high, interior, TensorType(element_type(x), shape)))
