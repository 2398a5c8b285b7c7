"""
Fuse two `xla_gpu.loop`s over the same domain: indices are computed once, and no vector is needed in between.

Tensors are values here, but will become memory: a loop does not move past an operation that may write its inputs, or
that accesses its outputs. Source: row XGPU-10, "loop fusion"; XLA's `xla-gpu-fuse-loops`.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import tensor, vector
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.xla_gpu import LoopOp, PureCallOp, YieldOp
from xshardy.rewriting import TO_FIXPOINT, PatternPass, Walk, match_op_type
from xshardy.transforms.unused_operations import EraseUnusedOperation

READS = (tensor.ExtractOp, tensor.DimOp, vector.TransferReadOp, PureCallOp)
"""Operations that do not modify their tensor operands."""


class FuseThroughVector(RewritePattern):
    """
    `%v = loop (%d)[%i] iter_args(%w = %init) { insert %x, %w[%i] }; loop (%d)[%i] { use(extract %v[%i]) }`
    ->
    `loop (%d)[%i] { use(%x) }`

    Every iteration must write and read exactly the element at its induction variables.
    """

    @match_op_type
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter, /):
        for extract in op.body.walk():
            if isinstance(extract, vector.ExtractOp) and (insert := insert_for(op, extract)) is not None:
                filler = insert.parent_op()
                assert isinstance(filler, LoopOp)
                rewriter.replace(extract, (), (insert.source,))
                rewriter.replace(insert, (), (filler.inits[0],))
                _, carried = fused(filler, op, (), op.inits, rewriter)
                rewriter.replace(op, (), carried)
                rewriter.erase(filler)
                return


class FuseSameIndices(RewritePattern):
    """
    `%r = loop (%d)[%i] in #map { a }; %s = loop (%d)[%i] in #map { b }` -> `%r, %s = loop (%d)[%i] in #map { a; b }`

    Only if all uses of `%r` follow the second loop. The indices of one loop may be a subset of those of the other.
    """

    @match_op_type
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter, /):
        earlier = op.prev_op
        while earlier is not None:
            if isinstance(earlier, LoopOp) and same_domain(earlier, op) and shares_indices(earlier, op):
                break
            earlier = earlier.prev_op
        if earlier is None or not can_move(earlier, op):
            return
        first, second = fused(earlier, op, earlier.inits, op.inits, rewriter)
        rewriter.replace(earlier, (), first)
        rewriter.replace(op, (), second)


def insert_for(loop: LoopOp, extract: vector.ExtractOp) -> vector.InsertOp | None:
    """The insertion of the element that `extract` in `loop` extracts, if the vector has no other use."""
    filler = extract.vector.owner
    if not isinstance(filler, LoopOp) or len(filler.results) != 1 or not filler.results[0].has_one_use():
        return None
    (carried,), terminator = filler.iter_args, filler.body.block.last_op
    insert = carried.get_user_of_unique_use()
    if not isinstance(insert, vector.InsertOp) or insert.dest is not carried or insert.parent_op() is not filler:
        return None
    if terminator is None or insert.result.get_user_of_unique_use() is not terminator:
        return None
    if not named_positions(filler, insert) == named_positions(loop, extract) is not None:
        return None
    return insert if same_domain(filler, loop) and can_move(filler, loop, (extract,)) else None


def named_positions(loop: LoopOp, access: vector.InsertOp | vector.ExtractOp) -> Sequence[int] | None:
    """
    The induction variables of `loop` used as the positions of `access`, if each occurs exactly once; None otherwise.
    """
    variables: dict[SSAValue | int, int] = {variable: index for index, variable in enumerate(loop.induction_vars)}
    found = [variables.get(position, -1) for position in access.get_mixed_position()]
    return found if sorted(found) == list(range(len(variables))) else None


def same_domain(first: LoopOp, second: LoopOp) -> bool:
    """Whether two loops have the same iterations, up to names."""
    one, other = first.map, second.map
    return (
        tuple(first.dims) == tuple(second.dims)
        and one.dimension_intervals == other.dimension_intervals
        and one.symbol_intervals == other.symbol_intervals
        and set(one.constraints) == set(other.constraints)
    )


def shares_indices(first: LoopOp, second: LoopOp) -> bool:
    """Whether the indices of one loop include all indices of the other."""
    one, other = set(first.map.results), set(second.map.results)
    return one <= other or other <= one


def can_move(loop: LoopOp, later: LoopOp, except_for: Sequence[Operation] = ()) -> bool:
    """
    Whether `loop` can run as part of `later`: nothing in between, or in `later`, depends on it having run.

    Precondition: in one block, `loop` comes first.
    """
    if loop.parent is not later.parent:
        return False
    used, written = set[SSAValue](), set[SSAValue]()
    op: Operation | None = later
    while op is not loop:
        assert op is not None
        for inner in op.walk():
            if inner not in except_for:
                used.update(inner.operands)
                written.update(() if isinstance(inner, READS) else inner.operands)
        op = op.prev_op
    reads = {value for inner in loop.body.walk() for value in inner.operands if isinstance(value.type, TensorType)}
    writes = {value for value in loop.inits if isinstance(value.type, TensorType)}
    return used.isdisjoint(loop.results) and used.isdisjoint(writes) and written.isdisjoint(reads)


def fused(
    first: LoopOp,
    second: LoopOp,
    first_inits: Sequence[SSAValue],
    second_inits: Sequence[SSAValue],
    rewriter: PatternRewriter,
) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
    """
    Merge both bodies into one loop before `second`, with the remaining carried values of each; returns the results of
    each.

    Precondition: carried values without a counterpart in the new loop are unused.
    """
    results = list(dict.fromkeys((*first.map.results, *second.map.results)))
    loop = rewriter.insert(LoopOp(second.dims, first.map.with_results(results), (*first_inits, *second_inits)))
    loop.attributes.update(first.attributes | second.attributes)
    end, kept, yielded = InsertPoint.at_end(loop.body.block), len(first_inits), list[SSAValue]()
    for part, carried in ((first, loop.iter_args[:kept]), (second, loop.iter_args[kept:])):
        indices = [loop.map_results[results.index(result)] for result in part.map.results]
        terminator = part.body.block.last_op
        assert terminator is not None
        rewriter.inline_block(part.body.block, end, (*loop.induction_vars, *indices, *(carried or part.inits)))
        yielded += terminator.operands[: len(carried)]
        rewriter.erase(terminator)
    rewriter.insert(YieldOp(*yielded), end)
    return loop.results[:kept], loop.results[kept:]


class FuseLoopsPass(PatternPass):
    """Fuse `xla_gpu.loop`s that fill a vector with those that read it, and loops with the same indices."""

    name = "xla-gpu-fuse-loops"
    source: ClassVar[str] = 'XLA:GPU emitters, "Building blocks", loop fusion (XGPU-10)'
    walk: ClassVar[Walk] = TO_FIXPOINT
    fixed_patterns = (EraseUnusedOperation(), FuseThroughVector(), FuseSameIndices())
