"""
Software pipelining: a loop that is not unrolled loads the inputs of its next iteration before it computes the current
one.

The loop carries the loaded value, so that memory and arithmetic overlap. Source: spec row XGPU-10, "unrolling and
pipelining"; XLA's `xla-gpu-optimize-loops`, before its removal there.
"""

from collections.abc import Iterator

from xdsl.dialects import arith, scf, tensor, vector
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.affine.expressions import add, constant, dim, mod
from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.xla_gpu import ApplyIndexingOp
from xshardy.dialects.xla_gpu.discardable import is_invariant
from xshardy.rewriting import match_op_type
from xshardy.transforms.xla_gpu.counted_loops import carry, trip_count
from xshardy.transforms.xla_gpu.index_values import index_constant

INDEX_OPERATIONS = (
    ApplyIndexingOp,
    arith.AddiOp,
    arith.ConstantOp,
    arith.IndexCastOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.MuliOp,
)
"""Operations that may compute the index of a load; they are recomputed for the next iteration."""


class PipelineLoad(RewritePattern):
    """
    `scf.for %i = 0 to 9 iter_args(%a = %x) { %v = tensor.extract %t[f(%i)]; ... }`
    ->
    `%first = tensor.extract %t[f(0)]`
    `scf.for %i = 0 to 9 iter_args(%a = %x, %v = %first) {`
    `  %next = tensor.extract %t[f((%i + 1) mod 9)]; ...; yield ..., %next }`

    The last iteration reads what the first one did, which costs less than a branch: LLVM would take one for the end of
    the loop, and move the read back.

    The tensor must be an argument that nothing writes: what the first iteration reads, a later one may have written.
    Reads of shared memory are short; to wait for one costs less than the registers.
    """

    @match_op_type
    def match_and_rewrite(self, op: tensor.ExtractOp | vector.TransferReadOp, rewriter: PatternRewriter, /):
        loop = op.parent_op()
        if not isinstance(loop, scf.ForOp):
            return
        iterations = trip_count(loop)
        if iterations is None or iterations < 2 or not is_invariant(op.operands[0]):
            return
        chain = index_chain(op, loop)
        if chain is None:
            return
        body, induction_var = loop.body.block, loop.body.block.args[0]
        before = InsertPoint.before(loop)
        first = _computed_for(index_constant(0, loop, rewriter), op, chain, induction_var, rewriter, before)

        current = rewriter.insert_block_argument(body, len(body.args), first.type)
        in_a_circle = IndexingMap.from_tensor_sizes(
            (mod(add(dim(0), constant(1)), constant(iterations)),), (iterations,)
        )
        following = rewriter.insert(ApplyIndexingOp((induction_var,), in_a_circle), InsertPoint.before(op)).results[0]
        next_value = _computed_for(following, op, chain, induction_var, rewriter, InsertPoint.before(op))
        rewriter.replace(op, (), (current,))
        carry(loop, first, next_value, rewriter)


def index_chain(load: Operation, loop: scf.ForOp) -> tuple[Operation, ...] | None:
    """
    The operations in the body of `loop` that compute the indices of `load` from the induction variable, in order.

    None if the indices depend on another value computed or carried by the loop, or not on the induction variable.
    """
    wanted: set[Operation] = set()
    pending = [value for value in load.operands[1:] if _is_in_body(value, loop)]
    uses_variable = False
    while pending:
        value = pending.pop()
        if isinstance(value, BlockArgument):
            if value is not loop.body.block.args[0]:
                return None
            uses_variable = True
            continue
        op = value.owner
        if not isinstance(op, INDEX_OPERATIONS):
            return None
        if op not in wanted:
            wanted.add(op)
            pending += (operand for operand in op.operands if _is_in_body(operand, loop))
    return tuple(op for op in _before(load) if op in wanted) if uses_variable else None


def _before(op: Operation) -> Iterator[Operation]:
    """The preceding operations in the block of `op`."""
    block = op.parent_block()
    current = None if block is None else block.first_op
    while current is not None and current is not op:
        yield current
        current = current.next_op


def _is_in_body(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether `value`, visible in the body of `loop`, is defined in it."""
    owner = value.owner
    return (owner if isinstance(owner, Block) else owner.parent_block()) is loop.body.block


def _computed_for(
    index: SSAValue,
    load: Operation,
    chain: tuple[Operation, ...],
    induction_var: SSAValue,
    rewriter: PatternRewriter,
    point: InsertPoint,
) -> SSAValue:
    """The result of `load` for the induction variable `index`, emitted at `point`."""
    copies: dict[SSAValue, SSAValue] = {induction_var: index}
    for op in chain:
        rewriter.insert(op.clone(copies), point)
    return rewriter.insert(load.clone(copies), point).results[0]
