"""
What a part of a loop over lanes needs of the rest of the loop, computed in front of it: once, or for all lanes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.effects import is_side_effect_free, is_speculatable
from xshardy.dialects.xla_gpu import ApplyIndexingOp
from xshardy.ir import clone_operation
from xshardy.rewriting.captured import captured
from xshardy.transforms.xla_gpu.counted_loops import trip_count
from xshardy.transforms.xla_gpu.vectorize_loads_stores import Element, zero_vector


def is_of(value: SSAValue, body: Block) -> bool:
    """Whether `body` defines `value`."""
    return value.owner is body or (isinstance(value.owner, Operation) and value.owner.parent is body)


def vector_of(value: SSAValue, loop: scf.ForOp) -> VectorType[Element] | None:
    """The vector of the values of `value` in all iterations; None if there is no vector of such elements."""
    element, length = value.type, trip_count(loop)
    if length is None or not (isa(element, IntegerType) or isinstance(element, AnyFloat)):
        return None
    return VectorType(element, (length,))


def invariants(value: SSAValue, body: Block) -> set[Operation] | None:
    """The operations of `body` that compute `value`; None if it may differ between iterations, or depends on memory."""
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
    return needed


@dataclass(frozen=True, slots=True)
class Needed:
    """What a branch or a loop in the body of a loop over lanes needs of this body, beside its induction variable."""

    invariant: Sequence[Operation]
    """What computes the same for all lanes, in its order."""
    of_lane: Sequence[Operation]
    """Computations of indices and selections of lanes, in their order."""
    collected: Sequence[SSAValue]
    """Loads and other values of lanes: they are computed before, for all lanes."""

    def prepare(self, op: Operation, loop: scf.ForOp, rewriter: PatternRewriter) -> bool:
        """
        Compute in front of `loop` what `op` needs of it and can be computed there.

        Says whether `op` can be split off now. If not, values of lanes were collected, so that it can in another match,
        or there are no vectors of such values.
        """
        if self.collected:
            if all(vector_of(value, loop) and _results_of(value) == 1 for value in self.collected):
                for value in self.collected:
                    collect(value, loop, rewriter)
                rewriter.notify_op_modified(op)
            return False
        for each in self.invariant:
            each.detach()
            rewriter.insert(each, InsertPoint.before(loop))
        return True


def _results_of(value: SSAValue) -> int:
    """The number of results of the operation that computes `value`."""
    return len(value.owner.results) if isinstance(value.owner, Operation) else 0


def needed_by(op: Operation, same: Sequence[SSAValue], body: Block) -> Needed | None:
    """
    What `op`, in `body`, needs of it, if the values `same` are the same for all lanes.

    None if they are not, or if something is needed that has effects, or depends on what the loop over lanes carries.
    """
    invariant: set[Operation] = set()
    of_lane: set[Operation] = set()
    collected: list[SSAValue] = []
    for value in same:
        if (found := invariants(value, body)) is None:
            return None
        invariant |= found
    pending = captured(op.regions)
    while pending:
        value = pending.pop()
        owner = value.owner
        if value is body.args[0] or not is_of(value, body) or owner in of_lane:
            continue
        if (found := invariants(value, body)) is not None:
            invariant |= found
        elif isinstance(owner, ApplyIndexingOp | vector.ExtractOp):
            of_lane.add(owner)
            pending += owner.operands
        elif _sources(value, body) is None:
            return None
        else:
            collected.append(value)
    in_order = [each for each in body.ops if each in invariant], [each for each in body.ops if each in of_lane]
    return Needed(*in_order, collected)


def _sources(value: SSAValue, body: Block) -> set[Operation] | None:
    """The operations of `body` that compute `value`; None if one has effects, or reads what the loop carries."""
    sources: set[Operation] = set()
    pending = [value]
    while pending:
        read = pending.pop()
        owner = read.owner
        if read is body.args[0] or not is_of(read, body) or owner in sources:
            continue
        if not isinstance(owner, Operation) or not is_side_effect_free(owner):
            return None
        sources.add(owner)
        pending += (*owner.operands, *captured(owner.regions))
    return sources


def collect(value: SSAValue, loop: scf.ForOp, rewriter: PatternRewriter) -> None:
    """
    `for %i { %x = f(%i); g(%x) }` -> `%v = for %i { vector.insert f(%i) }; for %i { g(vector.extract %v[%i]) }`

    Precondition: `value`, the only result of an operation in the body, has `_sources` there.
    """
    body, type, op = loop.body.block, vector_of(value, loop), value.owner
    sources = _sources(value, body)
    assert sources is not None and type is not None and isinstance(op, Operation)
    zeros = rewriter.insert(arith.ConstantOp(zero_vector(type)), InsertPoint.before(loop))
    lanes = Block(arg_types=(body.args[0].type, type))
    copies: dict[SSAValue, SSAValue] = {body.args[0]: lanes.args[0]}
    lanes.add_ops(clone_operation(each, copies) for each in body.ops if each in sources)
    insert = vector.InsertOp(copies[value], lanes.args[1], (lanes.args[0],))
    lanes.add_ops((insert, scf.YieldOp(insert.result)))
    vectors = rewriter.insert(scf.ForOp(loop.lb, loop.ub, loop.step, [zeros.result], lanes), InsertPoint.before(loop))
    rewriter.replace(op, vector.ExtractOp(vectors.results[0], (body.args[0],), value.type))
