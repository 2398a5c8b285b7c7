"""
Split loops over the lanes of a vector at branches and loops in them, so that lanes are innermost.

A load under a branch, as of a padded operand, or in a loop, as over a window, is not in the loop over lanes itself, so
it is not vectorized; after the split it is.
"""

from collections.abc import Sequence

from xdsl.dialects import arith, scf, tensor, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.affine.contiguity import stride
from xshardy.affine.expressions import dim
from xshardy.dialects.extensions.effects import is_side_effect_free
from xshardy.dialects.xla_gpu import ApplyIndexingOp
from xshardy.ir import clone_operation
from xshardy.rewriting import match_op_type
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.xla_gpu.counted_loops import trip_count
from xshardy.transforms.xla_gpu.lane_values import is_of, needed_by, vector_of
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
        if not is_side_effect_free(op) or not any(isinstance(inner, tensor.ExtractOp) for inner in operations_in(op)):
            return
        types = [vector_of(result, loop) for result in op.results]
        needed = needed_by(op, (op.cond,), body)
        if needed is None or None in types or not needed.prepare(op, loop, rewriter):
            return
        vectors = [type for type in types if type is not None]
        then, otherwise = (_with_loop(region, loop, needed.of_lane, vectors) for region in op.regions)
        split = rewriter.insert(scf.IfOp(op.cond, vectors, then, otherwise), InsertPoint.before(loop))
        _replace_by_lanes(op, split, loop, rewriter)


class SplitLoopAtLoop(RewritePattern):
    """
    `scf.for %i = 0 to 4 { %x = scf.for %k iter_args(%a = %y) { f(%i, %k, %a) }; b(%i, %x) }`
    ->
    `%v = scf.for %k iter_args(%w = vector.broadcast %y) { scf.for %i = 0 to 4 { vector.insert f(%i, %k, %w[%i]) } }`
    `scf.for %i = 0 to 4 { b(%i, vector.extract %v[%i]) }`

    Only if the inner loop loads elements that are contiguous in `%i`, has no other effect, and reads nothing of the
    outer loop but its indices.
    """

    @match_op_type
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /):
        loop = op.parent_op()
        if not isinstance(loop, scf.ForOp) or trip_count(loop) not in LENGTHS or not op.results:
            return
        body = loop.body.block
        if not is_side_effect_free(op) or not loads_lanes(op, body.args[0]):
            return
        types = [vector_of(result, loop) for result in op.results]
        starts = [_lanes_of(init, body) for init in op.iter_args]
        needed = needed_by(op, (op.lb, op.ub, op.step), body)
        if needed is None or None in types or None in starts or not needed.prepare(op, loop, rewriter):
            return
        vectors = [type for type in types if type is not None]
        inits: list[SSAValue] = []
        for start, type in zip(starts, vectors, strict=True):
            if start is not None and start.type != type:
                start = rewriter.insert(vector.BroadcastOp(start, type), InsertPoint.before(loop)).vector
            inits += () if start is None else (start,)
        outer = Block(arg_types=(op.body.block.args[0].type, *vectors))
        lanes = _loop_over_lanes(op.body.block, loop, needed.of_lane, outer.args)
        outer.add_ops((lanes, scf.YieldOp(*lanes.results)))
        split = scf.ForOp(op.lb, op.ub, op.step, inits, outer)
        split.attributes.update(op.attributes)
        rewriter.insert(split, InsertPoint.before(loop))
        _replace_by_lanes(op, split, loop, rewriter)


def _replace_by_lanes(op: Operation, split: Operation, loop: scf.ForOp, rewriter: PatternRewriter) -> None:
    """Replace the results of `op`, in the body of `loop`, by the lanes of those of `split`."""
    elements = [
        vector.ExtractOp(lanes, (loop.body.block.args[0],), result.type)
        for lanes, result in zip(split.results, op.results, strict=True)
    ]
    rewriter.replace(op, elements, [element.result for element in elements])


def loads_lanes(op: Operation, lane: SSAValue) -> bool:
    """Whether an operation in `op` loads elements that are contiguous in `lane`."""
    for inner in operations_in(op):
        index = inner.indices[0].owner if isinstance(inner, tensor.ExtractOp) and inner.indices else None
        if not isinstance(index, ApplyIndexingOp) or lane not in index.dims or len(index.results) != 1:
            continue
        if stride(index.map.results[0], dim(index.dims.index(lane))) == 1:
            return True
    return False


def _lanes_of(value: SSAValue, body: Block) -> SSAValue | None:
    """The value, or the vector of the values, that `value` has in all iterations; None if it is neither."""
    if not is_of(value, body):
        return value
    extract = value.owner
    if not isinstance(extract, vector.ExtractOp) or extract.get_mixed_position() != [body.args[0]]:
        return None
    return None if is_of(extract.vector, body) else extract.vector


def _with_loop(
    region: Region,
    loop: scf.ForOp,
    indices: Sequence[Operation],
    types: Sequence[VectorType[Element]],
) -> Region:
    """A region that yields, as vectors, what `region` yields in each iteration of `loop`."""
    terminator = region.block.last_op
    assert isinstance(terminator, scf.YieldOp)
    if region.block.first_op is terminator and not any(is_of(value, loop.body.block) for value in terminator.operands):
        splats = [vector.BroadcastOp(value, type) for value, type in zip(terminator.operands, types, strict=True)]
        return Region(Block((*splats, scf.YieldOp(*(splat.vector for splat in splats)))))
    zeros = [arith.ConstantOp(zero_vector(type)) for type in types]
    lanes = _loop_over_lanes(region.block, loop, indices, [zero.result for zero in zeros])
    return Region(Block((*zeros, lanes, scf.YieldOp(*lanes.results))))


def _loop_over_lanes(
    block: Block, loop: scf.ForOp, indices: Sequence[Operation], arguments: Sequence[SSAValue]
) -> scf.ForOp:
    """
    A loop over the iterations of `loop` with copies of `indices` and of the operations of `block`, a part of its body.

    It collects what `block` yields in vectors. The last of `arguments` are their initial values; the ones before are
    the arguments of `block`. An argument whose value is a vector is read at the lane.
    """
    carried = arguments[-len(_yielded(block)) :]
    old, body = loop.body.block, Block(arg_types=(loop.body.block.args[0].type, *(value.type for value in carried)))
    copies: dict[SSAValue, SSAValue] = {old.args[0]: body.args[0]}
    for argument, value in zip(block.args, arguments, strict=False):
        if value.type == argument.type:
            copies[argument] = value
        else:
            element = vector.ExtractOp(value, (body.args[0],), argument.type)
            body.add_op(element)
            copies[argument] = element.result
    body.add_ops(clone_operation(op, copies) for op in (*indices, *block.ops) if op is not block.last_op)
    inserts = [
        vector.InsertOp(copies.get(value, value), lanes, (body.args[0],))
        for value, lanes in zip(_yielded(block), body.args[1:], strict=True)
    ]
    body.add_ops((*inserts, scf.YieldOp(*(insert.result for insert in inserts))))
    return scf.ForOp(loop.lb, loop.ub, loop.step, carried, body)


def _yielded(block: Block) -> Sequence[SSAValue]:
    assert isinstance(block.last_op, scf.YieldOp)
    return block.last_op.operands
