"""Make the rows of a gather or a scatter an explicit batching dimension. Source: Shardy's docs, "Import passes"."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import rank_of, shape_of
from xshardy.dialects.stablehlo.attributes import GatherDimensionNumbersAttr, ScatterDimensionNumbersAttr, integers
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.rewriting import BACKWARD, PatternPass, Step, match_op_type
from xshardy.transforms.unused_operations import EraseUnusedOperation


@dataclass(frozen=True, slots=True)
class IndexVectors:
    """Indices, a vector along dimension `vector_dim` for each slice; component `i` goes to dimension `targets[i]`."""

    indices: SSAValue
    vector_dim: int
    targets: Sequence[int]

    def row_component(self, tensor: SSAValue) -> int | None:
        """
        The component that is the row number, of the indices and of `tensor` alike; None if no component is known to be.

        The row number is the index along dimension 0. The vectors must have other components.
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
        """The operands of `op` if it concatenates the vectors from single components; else None."""
        if not isinstance(op, stablehlo.ConcatenateOp) or op.dimension.value.data != self.vector_dim:
            return None
        return op.inputs if len(op.inputs) == shape_of(self.indices)[self.vector_dim] else None

    def without(self, component: int, rewriter: PatternRewriter) -> SSAValue:
        """
        `concatenate(i, j)` -> `j`: the indices without `component`; if they are no concatenation, slices of them.

        New operations stand before the operation that is rewritten.
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
    Whether each element of `value` is its own index along dimension 0, by the operations that compute it.

    `select` and `clamp` are assumed to wrap and clip an index, so that an index in bounds stays. Upstream looks through
    every reshape and broadcast; here they must keep dimension 0, since others mix up rows.
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

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.GatherOp, rewriter: PatternRewriter, /) -> None:
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
    """`scatter(x, [row, i], u)` -> `scatter(x, [i], u, input_batching_dims = [0])`, for all inputs `x`."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.ScatterOp, rewriter: PatternRewriter, /) -> None:
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


class ExplicitGatherScatterBatchingPass(PatternPass):
    """
    Make dimension 0 a batching dimension where the indices along it are the row numbers.

    Operations without effects and uses are erased, as in every greedy rewrite upstream.
    """

    name = "sdy-explicit-gather-scatter-batching"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-explicit-gather-scatter-batching'

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((BatchGather(), BatchScatter()))
        functions = tuple(op for op in module.ops if isinstance(op, FuncOp))
        yield Step((EraseUnusedOperation(),), BACKWARD, functions)
