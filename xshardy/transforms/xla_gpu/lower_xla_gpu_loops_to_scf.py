"""Lower `xla_gpu.loop` to nested `scf.for`s with an inner `scf.if` that tests the domain (XGPU-33)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects.xla_gpu.discardable import get_range
from xshardy.dialects.xla_gpu.ops import LoopOp, YieldOp
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.xla_gpu.index_values import apply_map, domain_check, index_constant


class LoopToForNest(RewritePattern):
    """
    `xla_gpu.loop (%d)[%i, %j] -> (%r) in #map iter_args(%x = %init) { body; yield %y }`
    ->
    `scf.for %i { scf.for %j { scf.if in_domain(%d, %i, %j) { %r = apply #map; body; yield %y } else { yield %x } } }`

    The bounds of the loops are those of the range variables, so the `scf.if` tests dimensions and constraints only. It
    is omitted if there is nothing to test. An empty domain gives no operations. Discardable attributes of the loop,
    such as `xla.range`, go to the outermost operation.
    """

    @match_op_type
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter, /):
        if op.map.is_known_empty:
            rewriter.replace(op, (), op.inits)
            return
        nest: list[Operation] = []
        induction_vars: list[SSAValue] = []
        carried: Sequence[SSAValue] = op.inits
        for variable, old in zip(op.map.ranges, op.induction_vars, strict=True):
            loop = rewriter.insert(_for_over(variable.bounds, carried, op, rewriter))
            nest.append(loop)
            induction_var, *carried = loop.body.block.args
            induction_var.name_hint = old.name_hint
            for new, old in zip(carried, op.iter_args, strict=True):
                new.name_hint = old.name_hint
            induction_vars.append(induction_var)
            rewriter.insertion_point = InsertPoint.at_end(loop.body.block)

        inside = domain_check(without_implied_bounds(op.map, op.dims), op.dims, induction_vars, op, rewriter)
        if inside is not None:
            guard = rewriter.insert(_if_inside(inside, carried))
            nest.append(guard)
            rewriter.insertion_point = InsertPoint.at_end(guard.true_region.block)
        results = apply_map(op.map, op.dims, induction_vars, op, rewriter)

        terminator = op.body.block.last_op
        assert isinstance(terminator, YieldOp)
        rewriter.inline_block(op.body.block, rewriter.insertion_point, (*induction_vars, *results, *carried))
        values: Sequence[SSAValue] = tuple(terminator.operands)
        rewriter.erase(terminator)
        for surrounding in reversed(nest):
            rewriter.insert(scf.YieldOp(*values), InsertPoint.at_end(surrounding.regions[0].block))
            values = surrounding.results
        if nest:
            nest[0].attributes.update(op.attributes)
        rewriter.replace(op, (), values)


def without_implied_bounds(map: IndexingMap, dims: Sequence[SSAValue]) -> IndexingMap:
    """
    `map` at `dims` with full ranges for those dimensions whose narrower bounds follow from the constraints.

    With `th_x in [0, 115], th_x mod 32 in [0, 19]` for a thread of 128, only the constraint has to be tested.
    """
    if not map.constraints:
        return map
    for position, (variable, value) in enumerate(zip(map.dimensions, dims, strict=True)):
        whole = get_range(value)
        if whole is None or variable.bounds.includes(whole):
            continue
        dimensions = [*map.dimensions]
        dimensions[position] = Variable(variable.name, whole)
        wider = replace(map, dimensions=tuple(dimensions))
        if wider.simplify() == map.simplify():
            map = wider
    return map


def _for_over(bounds: Interval, carried: Sequence[SSAValue], user: Operation, rewriter: PatternRewriter) -> scf.ForOp:
    """An `scf.for` over the integers in `bounds` with an empty body."""
    lower, upper, step = (index_constant(value, user, rewriter) for value in (bounds.lower, bounds.upper + 1, 1))
    body = Block(arg_types=(IndexType(), *(value.type for value in carried)))
    return scf.ForOp(lower, upper, step, carried, body)


def _if_inside(inside: SSAValue, carried: Sequence[SSAValue]) -> scf.IfOp:
    """An `scf.if` that yields `carried` if `inside` is false; its then branch is empty."""
    otherwise = Region(Block((scf.YieldOp(*carried),)))
    return scf.IfOp(inside, tuple(value.type for value in carried), Region(Block()), otherwise)


class LowerXlaGpuLoopsToScfPass(PatternPass):
    """Lower `xla_gpu.loop` to `scf.for` and `scf.if`."""

    name = "xla-gpu-lower-xla-gpu-loops-to-scf"
    source: ClassVar[str] = 'XLA:GPU emitters, "xla_gpu to scf" (XGPU-33)'
    fixed_patterns = (LoopToForNest(),)
