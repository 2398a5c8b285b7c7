"""Say of a gather or a scatter that works row by row that it does. Source: Shardy's docs, "Import passes"."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import BoolAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import GatherDimensionNumbersAttr, ScatterDimensionNumbersAttr, integers
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy.shapes import rank_of, shape_of
from xshardy.transforms.unused_operations import erase_unused


@dataclass(frozen=True, slots=True)
class IndexVectors:
    """Indices, a vector along dimension `vector_dim` for each slice; component `i` goes to dimension `targets[i]`."""

    indices: SSAValue
    vector_dim: int
    targets: Sequence[int]

    def row_component(self, tensor: SSAValue) -> int | None:
        """
        The component that is the row number, of the indices and of `tensor` alike; None if that is not to be seen.

        Rows are what dimension 0 counts. With the component gone the vectors must not be empty.
        """
        if rank_of(tensor) == 0 or not 0 <= self.vector_dim < rank_of(self.indices):
            return None
        shape = shape_of(self.indices)
        if shape[self.vector_dim] <= 1 or shape[0] != shape_of(tensor)[0] or 0 not in self.targets:
            return None
        component = self.targets.index(0)
        source = self.indices
        if isinstance(source.owner, stablehlo.ConcatenateOp):
            if (parts := self._components(source.owner)) is None:
                return None
            source = parts[component]
        return component if counts_rows(source) else None

    def _components(self, op: Operation | Block) -> Sequence[SSAValue] | None:
        """What `op` makes the vectors of, if it puts their components together one by one."""
        if not isinstance(op, stablehlo.ConcatenateOp) or op.dimension.value.data != self.vector_dim:
            return None
        return op.inputs if len(op.inputs) == shape_of(self.indices)[self.vector_dim] else None

    def without(self, component: int, rewriter: PatternRewriter) -> SSAValue:
        """
        `concatenate(i, j)` -> `j`, or slices of the indices put together, without `component`.

        New operations stand in front of the one that is rewritten.
        """
        shape = shape_of(self.indices)
        if (components := self._components(self.indices.owner)) is not None:
            parts = [part for index, part in enumerate(components) if index != component]
        else:
            slices = [
                self._slice(start, limit)
                for start, limit in ((0, component), (component + 1, shape[self.vector_dim]))
                if start < limit
            ]
            rewriter.insert(slices)
            parts = [part.result for part in slices]
        if len(parts) == 1:
            return parts[0]
        whole = list(shape)
        whole[self.vector_dim] -= 1
        joined = stablehlo.ConcatenateOp(
            parts, self.vector_dim, TensorType(tensor_type(self.indices).element_type, whole)
        )
        rewriter.insert(joined)
        return joined.result

    def _slice(self, start: int, limit: int) -> stablehlo.SliceOp:
        starts, limits = [0] * rank_of(self.indices), list(shape_of(self.indices))
        starts[self.vector_dim], limits[self.vector_dim] = start, limit
        return stablehlo.SliceOp(self.indices, starts, limits, [1] * len(starts))


def counts_rows(value: SSAValue) -> bool:
    """
    Whether each element of `value` is its own index along dimension 0, as far as one operation after the other tells.

    A `select` and a `clamp` are taken for what wraps and clips an index, and leaves an index in bounds as it is.
    Upstream looks through every reshape and broadcast; here they must keep dimension 0, or rows would be mixed up.
    """
    while not isinstance(op := value.owner, stablehlo.IotaOp):
        match op:
            case stablehlo.ReshapeOp() if _has_rows_of(op.operand, op.result):
                value = op.operand
            case stablehlo.BroadcastInDimOp() if (
                _has_rows_of(op.operand, op.result) and op.broadcast_dimensions.get_values()[0] == 0
            ):
                value = op.operand
            case stablehlo.ClampOp():
                value = op.operand
            case stablehlo.SelectOp():
                value = op.on_false if isinstance(op.on_false.owner, stablehlo.IotaOp) else op.on_true
            case _:
                return False
    return op.iota_dimension.value.data == 0


def _has_rows_of(source: SSAValue, result: SSAValue) -> bool:
    return shape_of(source)[:1] == shape_of(result)[:1] != ()


def _without(dims: Sequence[int], dim: int) -> list[int]:
    return [other for other in dims if other != dim]


class BatchGather(RewritePattern):
    """`gather(x, [row, i], start_index_map = [0, 1])` -> `gather(x, [i], operand_batching_dims = [0])`"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: stablehlo.GatherOp, rewriter: PatternRewriter, /):
        numbers = op.dimension_numbers
        targets, collapsed = numbers.start_index_map.get_values(), numbers.collapsed_slice_dims.get_values()
        if numbers.operand_batching_dims.get_values() or 0 not in collapsed:
            return
        vectors = IndexVectors(op.start_indices, numbers.index_vector_dim.data, targets)
        if (component := vectors.row_component(op.operand)) is None:
            return
        op.operands[1] = vectors.without(component, rewriter)
        op.dimension_numbers = GatherDimensionNumbersAttr(
            numbers.offset_dims,
            integers(_without(collapsed, 0)),
            integers((0,)),
            integers((0,)),
            integers(_without(targets, 0)),
            numbers.index_vector_dim,
        )
        op.indices_are_sorted = op.indices_are_sorted or BoolAttr.from_bool(False)
        rewriter.notify_op_modified(op)


class BatchScatter(RewritePattern):
    """The same of a scatter, for all of its inputs."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: stablehlo.ScatterOp, rewriter: PatternRewriter, /):
        numbers = op.scatter_dimension_numbers
        targets, inserted = numbers.scatter_dims_to_operand_dims.get_values(), numbers.inserted_window_dims.get_values()
        if numbers.input_batching_dims.get_values() or 0 not in inserted:
            return
        vectors = IndexVectors(op.scatter_indices, numbers.index_vector_dim.data, targets)
        if (component := vectors.row_component(op.inputs[0])) is None:
            return
        op.operands[len(op.inputs)] = vectors.without(component, rewriter)
        op.scatter_dimension_numbers = ScatterDimensionNumbersAttr(
            numbers.update_window_dims,
            integers(_without(inserted, 0)),
            integers((0,)),
            integers((0,)),
            integers(_without(targets, 0)),
            numbers.index_vector_dim,
        )
        op.indices_are_sorted = op.indices_are_sorted or BoolAttr.from_bool(False)
        op.unique_indices = op.unique_indices or BoolAttr.from_bool(False)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class ExplicitGatherScatterBatchingPass(ModulePass):
    """
    Make dimension 0 a batching dimension where the indices along it are the row numbers.

    Operations that nothing uses go away, as with every greedy rewrite upstream.
    """

    name = "sdy-explicit-gather-scatter-batching"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns = GreedyRewritePatternApplier([BatchGather(), BatchScatter()])
        PatternRewriteWalker(patterns, apply_recursively=False).rewrite_module(op)
        for function in op.ops:
            if isinstance(function, FuncOp):
                erase_unused(function.body)
