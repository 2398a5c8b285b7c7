"""
Split loops over the lanes of a vector at their branches: a branch whose condition is the same for all lanes gets a loop
of its own.

A load under a branch, as of a padded operand, is not in the loop itself, so it is not vectorized; in a loop of its own
it is.
"""

from collections.abc import Sequence

from xdsl.dialects import arith, scf, tensor, vector
from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from xshardy.construction import clone_operation
from xshardy.dialects.extensions.effects import is_side_effect_free, is_speculatable
from xshardy.dialects.xla_gpu import ApplyIndexingOp
from xshardy.rewriting import match_op_type
from xshardy.rewriting.captured import captured
from xshardy.transforms.xla_gpu.counted_loops import trip_count
from xshardy.transforms.xla_gpu.vectorize_loads_stores import LENGTHS, Element, zero_vector


class SplitLoopAtBranch(RewritePattern):
    """
    `scf.for %i = 0 to 4 { %x = scf.if %c { a(%i) } else { yield %y }; b(%i, %x) }`
    ->
    `%v = scf.if %c { scf.for %i = 0 to 4 { vector.insert a(%i) } } else { yield (vector.broadcast %y) }`
    `scf.for %i = 0 to 4 { b(%i, vector.extract %v[%i]) }`

    Only if the branch loads elements, has no other effect, and reads nothing of the loop but its indices.
    """

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /):
        loop = op.parent_op()
        if not isinstance(loop, scf.ForOp) or trip_count(loop) not in LENGTHS or not op.results:
            return
        body = loop.body.block
        if not is_side_effect_free(op) or not _loads(op):
            return
        types = [_vector_of(result, loop) for result in op.results]
        conditions, indices = invariants(op.cond, body), indices_read(op, body)
        if conditions is None or indices is None or None in types:
            return
        for condition in conditions:
            condition.detach()
            rewriter.insert(condition, InsertPoint.before(loop))
        vectors = [type for type in types if type is not None]
        then, otherwise = (_with_loop(region, loop, indices, vectors) for region in op.regions)
        split = rewriter.insert(scf.IfOp(op.cond, vectors, then, otherwise), InsertPoint.before(loop))
        elements = [
            vector.ExtractOp(lanes, (body.args[0],), result.type)
            for lanes, result in zip(split.results, op.results, strict=True)
        ]
        rewriter.replace(op, elements, [element.result for element in elements])


def invariants(value: SSAValue, body: Block) -> Sequence[Operation] | None:
    """The operations of `body` that compute `value`, in their order; None if it may differ between iterations."""
    needed: set[Operation] = set()
    pending = [value]
    while pending:
        owner = pending.pop().owner
        if owner is body:
            return None
        if isinstance(owner, Operation) and owner.parent is body and owner not in needed:
            if owner.regions or not is_side_effect_free(owner) or not is_speculatable(owner):
                return None
            needed.add(owner)
            pending += owner.operands
    return [each for each in body.ops if each in needed]


def indices_read(op: Operation, body: Block) -> Sequence[Operation] | None:
    """
    The index computations of `body` that `op`, which is in it, needs, in their order.

    None if `op` needs something else that `body` defines, other than its induction variable.
    """
    needed: set[Operation] = set()
    pending = captured(op.regions)
    while pending:
        value = pending.pop()
        owner = value.owner
        if owner is body and value is not body.args[0]:
            return None
        if isinstance(owner, Operation) and owner.parent is body and owner not in needed:
            if not isinstance(owner, ApplyIndexingOp | arith.ConstantOp):
                return None
            needed.add(owner)
            pending += owner.operands
    return [each for each in body.ops if each in needed]


def _is_of(value: SSAValue, body: Block) -> bool:
    """Whether `body` defines `value`."""
    return value.owner is body or (isinstance(value.owner, Operation) and value.owner.parent is body)


def _loads(op: scf.IfOp) -> bool:
    """Whether a branch loads elements, itself or under another branch."""
    return any(
        isinstance(inner, tensor.ExtractOp) or (isinstance(inner, scf.IfOp) and _loads(inner))
        for region in op.regions
        for block in region.blocks
        for inner in block.ops
    )


def _vector_of(value: SSAValue, loop: scf.ForOp) -> VectorType[Element] | None:
    """The vector of the values of `value` in all iterations; None if there is no vector of such elements."""
    element, length = value.type, trip_count(loop)
    if length is None or not (isa(element, IntegerType) or isinstance(element, AnyFloat)):
        return None
    return VectorType(element, (length,))


def _with_loop(
    region: Region,
    loop: scf.ForOp,
    indices: Sequence[Operation],
    types: Sequence[VectorType[Element]],
) -> Region:
    """A region that yields, as vectors, what `region` yields in each iteration of `loop`."""
    terminator = region.block.last_op
    assert isinstance(terminator, scf.YieldOp)
    if region.block.first_op is terminator and not any(_is_of(value, loop.body.block) for value in terminator.operands):
        splats = [vector.BroadcastOp(value, type) for value, type in zip(terminator.operands, types, strict=True)]
        return Region(Block((*splats, scf.YieldOp(*(splat.vector for splat in splats)))))
    zeros = [arith.ConstantOp(zero_vector(type)) for type in types]
    body = Block(arg_types=(loop.body.block.args[0].type, *types))
    copies: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: body.args[0]}
    body.add_ops(clone_operation(op, copies) for op in (*indices, *region.block.ops) if op is not terminator)
    elements = [copies.get(value, value) for value in terminator.operands]
    inserts = [
        vector.InsertOp(element, lanes, (body.args[0],)) for element, lanes in zip(elements, body.args[1:], strict=True)
    ]
    body.add_ops((*inserts, scf.YieldOp(*(insert.result for insert in inserts))))
    lanes = scf.ForOp(loop.lb, loop.ub, loop.step, [zero.result for zero in zeros], body)
    return Region(Block((*zeros, lanes, scf.YieldOp(*lanes.results))))
