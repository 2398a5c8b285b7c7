"""The width of indices in a kernel: 32 bits if every index fits. GPUs compute 32-bit integers twice as fast."""

from collections.abc import Iterator
from math import prod

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.data_layout import state_index_width
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.xla_gpu.discardable import is_entry, launch_dimensions
from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp, LoopOp
from xshardy.emitters.applied_computations import element_functions_of

LARGEST_INDEX = 2**31 - 1


def narrow_indices(module: ModuleOp, computation: FuncOp) -> None:
    """Set the `index` width of `module`, the kernel of `computation`, to 32 bits if every index fits."""
    if max(_sizes(module, computation), default=0) <= LARGEST_INDEX:
        state_index_width(module, 32)


def _sizes(module: ModuleOp, computation: FuncOp) -> Iterator[int]:
    """
    The values that must fit into an index: tensor sizes, loop iterations over all threads, results of indexing maps.
    """
    computations = (computation, *element_functions_of(computation).values())
    values: list[SSAValue] = [value for each in computations for value in each.body.block.args]
    values += [result for each in computations for op in each.walk() for result in op.results]
    for value in values:
        if isinstance(value.type, TensorType):
            yield prod(tensor_type(value).get_shape())
    for function in module.ops:
        if isinstance(function, FuncOp) and is_entry(function) and (launch := launch_dimensions(function)) is not None:
            block, grid = launch
            loops = (op for op in function.body.block.ops if isinstance(op, LoopOp))
            iterations = max((prod(range.bounds.size for range in loop.map.ranges) for loop in loops), default=1)
            yield prod(block) * prod(grid) * iterations  # threads beyond the last element also compute their index
    for op in module.walk():
        if isinstance(op, ApplyIndexingOp | LoopOp):
            yield _largest(op.map)


def _largest(map: IndexingMap) -> int:
    """
    The largest absolute value of any subexpression of a result or a constraint of `map`.

    It may exceed every tensor size: a dilated base has positions between its elements.
    """
    largest, pending = 0, [*map.results, *(c.expr for c in map.constraints)]
    while pending:
        expr = pending.pop()
        range = map.range_of(expr)
        largest = max(largest, abs(range.lower), abs(range.upper))
        if isinstance(expr, AffineBinaryOpExpr):
            pending += (expr.lhs, expr.rhs)
    return largest
