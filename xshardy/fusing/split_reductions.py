"""Reductions of more elements than one block takes, in two steps, each by many blocks."""

from collections.abc import Iterable
from math import isqrt, prod
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import is_splat
from xshardy.dialects.shapes import is_static, shape_of
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.emitters.reduction.dimensions import is_race_free
from xshardy.facts.neutral_elements import IDEMPOTENT, NUMBERS
from xshardy.fusing.cost import has_enough_rows
from xshardy.fusing.prepare import combiner_of
from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions, reduction_dimensions
from xshardy.indexing.tensor_maps import minor_to_major, row_major
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.transforms.call_graph import outside_of_fusions


class SplitReduction(RewritePattern):
    """`reduce %x: [m, n] over 0` -> `reduce (reduce (reshape %x: [k, m / k, n]) over 1) over 0`, for a large `m`."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.ReduceOp, rewriter: PatternRewriter, /):
        if not may_be_split(op):
            return
        (value,), dimensions = op.inputs, reduction_dimensions(op)
        parts = None if dimensions is None else parts_of(dimensions)
        if dimensions is None or parts is None:
            return
        t = Tensors(rewriter)
        major, middle, minor = dimensions.sizes
        kept, reduced, after = (middle, minor, 1) if dimensions.is_row else (major, middle, minor)
        split = t.reshape(value, (kept, parts, reduced // parts, after))
        inner = reduced_along(2, op, split, rewriter)
        outer = reduced_along(1, op, inner.results[0], rewriter)
        rewriter.replace(op, (), [t.reshape(outer.results[0], shape_of(op.results[0]))])


def may_be_split(op: stablehlo.ReduceOp) -> bool:
    """Whether `op` combines single elements of a row-major tensor, and its initial value may be combined twice."""
    values = (*op.inputs, *op.results)
    if not all(is_static(tensor_type(value)) and prod(shape_of(value)) for value in values):
        return False
    is_row_major = all(minor_to_major(value) == row_major(shape_of(value)) for value in values)
    return is_row_major and may_start_twice(combiner_of(op), op.init_values[0].owner)


def may_start_twice(combiner: Operation | None, init: object) -> bool:
    """Whether `combiner` may combine `init` twice, and its operands in any order."""
    if isinstance(combiner, IDEMPOTENT):
        return True
    if not isinstance(combiner, stablehlo.AddOp | stablehlo.MulOp) or not isinstance(init, stablehlo.ConstantOp):
        return False
    return is_splat(init.value) and init.value.get_values()[0] == NUMBERS[type(combiner)]


def parts_of(dimensions: ReductionDimensions) -> int | None:
    """
    The number of parts of the elements that are reduced together: the largest divisor up to their root.

    None if one block takes all of them, or without a divisor that makes parts small enough.
    """
    major, middle, minor = dimensions.sizes
    device = Device()
    if dimensions.is_row:
        if major != 1 or has_enough_rows(dimensions):
            return None
        reduced = minor
    else:
        if is_race_free(dimensions, device):
            return None
        reduced = middle
    root = isqrt(reduced)
    return next((parts for parts in range(root, 0, -1) if reduced % parts == 0 and 4 * parts >= root), None)


def reduced_along(
    dimension: int, op: stablehlo.ReduceOp, value: SSAValue, rewriter: PatternRewriter
) -> stablehlo.ReduceOp:
    """The reduction of `value` along `dimension` that `op` does."""
    shape = [size for d, size in enumerate(shape_of(value)) if d != dimension]
    type = TensorType(element_type(op.results[0]), shape)
    made = stablehlo.ReduceOp([value], op.init_values, [dimension], op.body.clone(), [type])
    rewriter.insert(made)
    return made


class SplitReductionsPass(PatternPass):
    """
    Split reductions of more elements than a block takes: first their parts are reduced, then the results.

    Each block reduces thousands of elements, so that a sum of millions is a sum of thousands of sums. Only for
    operations that may combine elements in any order, outside of fusions.
    """

    name = "hlo-split-reductions"
    source: ClassVar[str] = "XLA:GPU's tree reduction rewriter"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((SplitReduction(),), roots=outside_of_fusions(module))
