"""The indices that the copies of a loop body read and write at, when a loop is unrolled by a factor."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.affine.contiguity import stride
from xshardy.affine.expressions import dim, split_constant
from xshardy.dialects.xla_gpu import ApplyIndexingOp
from xshardy.ir import new_operation
from xshardy.transforms.xla_gpu.affine_values import OVERFLOW
from xshardy.transforms.xla_gpu.index_values import index_constant


@dataclass(frozen=True, slots=True)
class EvenIndex:
    """An index that grows by `step` from one iteration to the next, and is `base + offset` in the first copy."""

    base: SSAValue
    offset: int
    step: int

    def in_copy(self, copy: int, loop: scf.ForOp, rewriter: PatternRewriter) -> SSAValue:
        """The index in a copy, counted from 0, computed at the end of the body of `loop`."""
        terminator = loop.body.block.last_op
        assert terminator is not None
        added = index_constant(self.offset + copy * self.step, loop, rewriter)
        op = new_operation(arith.AddiOp, (self.base, added), (IndexType(),), {**OVERFLOW})
        return rewriter.insert(op, InsertPoint.before(terminator)).result


def even_indices(loop: scf.ForOp, rewriter: PatternRewriter) -> Mapping[Operation, EvenIndex]:
    """
    The operations in the body of `loop` that compute an even index of a tensor from the iteration and from values that
    are outside of the body. Inserts those that compute the bases, which have no constant summand: neighbours share one.

    Indices in other arithmetic are left out: comparisons with them are decided by the map and its domain.
    """
    body = loop.body.block
    found: dict[Operation, EvenIndex] = {}
    for op in tuple(body.ops):
        if not isinstance(op, ApplyIndexingOp) or len(op.results) != 1 or op.symbols:
            continue
        varying = [i for i, value in enumerate(op.dims) if _is_inside(value, body)]
        if [op.dims[i] for i in varying] != [body.args[0]] or not _is_only_an_index(op.results[0]):
            continue
        if step := stride(op.map.results[0], dim(varying[0])):
            variable, offset = split_constant(op.map.results[0])
            base = op.results[0]
            if offset:
                map = op.map.with_results((variable,))
                base = rewriter.insert(ApplyIndexingOp(op.dims, map), InsertPoint.before(op)).results[0]
            found[op] = EvenIndex(base, offset, step)
    return found


def _is_inside(value: SSAValue, body: Block) -> bool:
    return value.owner is body or value.owner.parent is body


def _is_only_an_index(value: SSAValue) -> bool:
    """Whether `value` is used by nothing but accesses of tensors."""
    return all(use.operation.dialect_name() in ("tensor", "vector") for use in value.uses)
