"""
Simplify integer arithmetic by the known ranges of operands.

Ranges come from `xla.range`, constants, induction variables and indexing maps. The first step annotates the results of
sums, products, extrema, casts and absolute values with ranges, for the patterns and later passes.
"""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Any, ClassVar, cast

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.affine.interval import Interval, at_corners
from xshardy.dialects.extensions.arith_elementwise import ExtUIOp, Predicate, TruncIOp, predicate_of, select
from xshardy.dialects.extensions.gpu import ShuffleOp
from xshardy.dialects.function_attributes import attributes_of_argument
from xshardy.dialects.xla_gpu.attributes import IndexingMapAttr
from xshardy.dialects.xla_gpu.discardable import RANGE, get_range, range_attr
from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp, LoopOp
from xshardy.rewriting import INNER_FIRST, PatternPass, PatternSet, Step, match_op_type
from xshardy.transforms.canonicalization import scf_patterns
from xshardy.transforms.canonicalization.arith_patterns import INVERSE
from xshardy.transforms.canonicalization.constants import constant_of, integer_of, is_splat_of, splat_attr, width_of
from xshardy.transforms.canonicalization.steps import canonicalization_steps

OTHER_RANGE = RANGE.replace("xla.", "xla_gpu.")
"""The alternative attribute name of ranges."""

# -- Ranges of results ------------------------------------------------------------------------------------------------

RANGE_RULES: Mapping[type[Operation], Callable[[Interval, Interval], Interval]] = {
    arith.AddiOp: at_corners(operator.add),
    arith.MaxSIOp: at_corners(max),
    arith.MinSIOp: at_corners(min),
    arith.MuliOp: at_corners(operator.mul),
}
"""The range of the result of an operation on unbounded integers, from those of its operands."""


def representable(value: SSAValue) -> Interval:
    """The range of the integer type of `value`, as signed."""
    half = 1 << (width_of(value.type) - 1)
    return Interval(-half, half - 1)


def result_range(op: Operation) -> Interval | None:
    """The range of the only result of `op`; None if unknown, or if it may wrap around."""
    if type(op) in RANGE_RULES:
        ranges = [get_range(operand) for operand in op.operands]
        if all(known is None for known in ranges):
            return None
        lhs, rhs = (known or representable(operand) for known, operand in zip(ranges, op.operands, strict=True))
        found = RANGE_RULES[type(op)](lhs, rhs)
    elif isinstance(op, arith.IndexCastOp):
        found = get_range(op.input)
    else:
        assert isinstance(op, arith.SelectOp)
        found = range_of_absolute_value(op)
    return found if found is not None and representable(op.results[0]).includes(found) else None


def range_of_absolute_value(op: arith.SelectOp) -> Interval | None:
    """
    The range of `select (x >= 0), x, (0 - x)`; None if `op` has another form.

    The least integer has no absolute value; as in upstream, it is assumed not to occur.
    """
    x, comparison, negation = op.lhs, op.cond.owner, op.rhs.owner
    if not isinstance(comparison, arith.CmpiOp) or not isinstance(negation, arith.SubiOp):
        return None
    if comparison.lhs is not x or predicate_of(comparison) is not Predicate.SGE or integer_of(comparison.rhs) != 0:
        return None
    if negation.rhs is not x or integer_of(negation.lhs) != 0:
        return None
    known = get_range(x) or representable(x)
    greatest = min(max(-known.lower, known.upper), representable(x).upper)
    return Interval(max(0, known.lower, -known.upper), greatest)


def range_name(op: Operation) -> str:
    """The attribute name of the range of a result: the alternative one if an operand has it."""
    attributes: list[Mapping[str, Attribute]] = []
    for operand in op.operands:
        owner = operand.owner
        if isinstance(owner, Operation):
            attributes.append(owner.attributes)
        elif isinstance(operand, BlockArgument) and isinstance(function := owner.parent_op(), FuncOp):
            attributes.append(attributes_of_argument(function, operand.index))
    return OTHER_RANGE if any(OTHER_RANGE in known for known in attributes) else RANGE


class AnnotateRange(RewritePattern):
    """`arith.addi %x, %y` -> `arith.addi %x, %y {xla.range = [...]}`, if the ranges of `%x` and `%y` are known."""

    @match_op_type
    def match_and_rewrite(
        self,
        op: arith.AddiOp | arith.MaxSIOp | arith.MinSIOp | arith.MuliOp | arith.IndexCastOp | arith.SelectOp,
        rewriter: PatternRewriter,
        /,
    ):
        if get_range(op.result) is None and (found := result_range(op)) is not None:
            op.attributes[range_name(op)] = range_attr(found)
            rewriter.notify_op_modified(op)


# -- Patterns on ranges -----------------------------------------------------------------------------------------------


def always(predicate: Predicate, lhs: Interval, rhs: Interval) -> bool | None:
    """Whether a comparison of `arith.cmpi` holds for all pairs from two ranges; False: for none; None: for some."""
    if predicate.is_unsigned and (lhs.lower < 0 or rhs.lower < 0):
        return None  # a negative number is large as unsigned
    match predicate:
        case Predicate.EQ:
            if lhs.is_point and lhs == rhs:
                return True
            return False if lhs.intersect(rhs) is None else None
        case Predicate.SLT | Predicate.ULT:
            return True if lhs.upper < rhs.lower else False if lhs.lower >= rhs.upper else None
        case Predicate.SGT | Predicate.UGT:
            return always(Predicate.SLT, rhs, lhs)
        case Predicate.NE | Predicate.SLE | Predicate.SGE | Predicate.ULE | Predicate.UGE:
            inverse = always(INVERSE[predicate], lhs, rhs)
            return None if inverse is None else not inverse


class ComparisonOfRanges(RewritePattern):
    """`cmpi p, x, y` -> true or false, if the ranges imply it."""

    @match_op_type
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter, /):
        lhs, rhs = get_range(op.lhs), get_range(op.rhs)
        if lhs is None or rhs is None:
            return
        holds = always(predicate_of(op), lhs, rhs)
        if holds is not None:
            rewriter.replace(op, _splat(holds, op.result.type))


class ExtremumOfRanges(RewritePattern):
    """`maxsi x, y` -> `x` if `x >= y` always; likewise for minsi."""

    @match_op_type
    def match_and_rewrite(self, op: arith.MaxSIOp | arith.MinSIOp, rewriter: PatternRewriter, /):
        lhs, rhs = get_range(op.lhs), get_range(op.rhs)
        if lhs is None or rhs is None:
            return
        is_chosen = Predicate.SGE if isinstance(op, arith.MaxSIOp) else Predicate.SLE
        if always(is_chosen, lhs, rhs):
            rewriter.replace(op, (), (op.lhs,))
        elif always(is_chosen, rhs, lhs):
            rewriter.replace(op, (), (op.rhs,))


class DivisionOfSmall(RewritePattern):
    """`x / c` -> 0 and `x rem c` -> `x`, if `0 <= x < c`."""

    @match_op_type
    def match_and_rewrite(
        self, op: arith.DivSIOp | arith.DivUIOp | arith.RemSIOp | arith.RemUIOp, rewriter: PatternRewriter, /
    ):
        known, divisor = get_range(op.operands[0]), integer_of(op.operands[1])
        if known is None or divisor is None or not 0 <= known.lower <= known.upper < divisor:
            return
        if isinstance(op, arith.RemSIOp | arith.RemUIOp):
            rewriter.replace(op, (), (op.lhs,))
        else:
            rewriter.replace(op, _splat(0, op.results[0].type))


class MaskOfSmall(RewritePattern):
    """`andi x, 2^k - 1` -> `x`, if `0 <= x < 2^k`."""

    @match_op_type
    def match_and_rewrite(self, op: arith.AndIOp, rewriter: PatternRewriter, /):
        known, mask = get_range(op.lhs), integer_of(op.rhs)
        if (
            known is not None
            and mask is not None
            and mask & (mask + 1) == 0
            and 0 <= known.lower <= known.upper <= mask
        ):
            rewriter.replace(op, (), (op.lhs,))


class ShiftOfSmall(RewritePattern):
    """`x >> k` -> 0, if `0 <= x < 2^k`."""

    @match_op_type
    def match_and_rewrite(self, op: arith.ShRSIOp | arith.ShRUIOp, rewriter: PatternRewriter, /):
        known, distance = get_range(op.operands[0]), integer_of(op.operands[1])
        if known is None or distance is None or not 0 <= distance < width_of(op.results[0].type):
            return
        if known.lower >= 0 and known.upper < 1 << distance:
            rewriter.replace(op, _splat(0, op.results[0].type))


class BoundsOfLoopVariables(RewritePattern):
    """
    `apply_indexing #map(%i), i in [0, 9]` -> `apply_indexing #map(%i), i in [0, 3]`, for a loop over `%i` in [0, 3].

    Narrower bounds enable simplifications of the map.
    """

    @match_op_type
    def match_and_rewrite(self, op: ApplyIndexingOp, rewriter: PatternRewriter, /):
        map = op.map
        bounds = [
            _narrowed(variable.bounds, value)
            for variable, value in zip((*map.dimensions, *map.ranges), op.operands, strict=False)
        ]
        variables = [
            replace(variable, bounds=bound)
            for variable, bound in zip((*map.dimensions, *map.ranges), bounds, strict=True)
        ]
        dimensions, ranges = variables[: len(map.dimensions)], variables[len(map.dimensions) :]
        if tuple(dimensions) == map.dimensions and tuple(ranges) == map.ranges:
            return
        op.indexing_map_attr = IndexingMapAttr(
            replace(map, dimensions=tuple(dimensions), ranges=tuple(ranges)).simplify()
        )
        rewriter.notify_op_modified(op)


def _narrowed(bounds: Interval, value: SSAValue) -> Interval:
    """`bounds`, intersected with the range of `value` if it is a loop variable."""
    if not isinstance(value, BlockArgument) or not isinstance(value.block.parent_op(), scf.ForOp | LoopOp):
        return bounds
    known = get_range(value)
    return bounds if known is None else bounds.intersect(known) or bounds


# -- Patterns on widths -----------------------------------------------------------------------------------------------


def unextended(value: SSAValue) -> SSAValue:
    """What `value` is an extension of, without a sign; otherwise itself."""
    return value.owner.input if isinstance(value.owner, arith.ExtUIOp) else value


class BitwiseBeforeTruncation(RewritePattern):
    """
    `ori (trunci x), y` -> `trunci (ori x, (extui y))`, and so for andi.

    A reduction of booleans shuffles them as 32-bit integers: the truncation sinks to the extension of the next step,
    where both cancel.
    """

    @match_op_type
    def match_and_rewrite(self, op: arith.AndIOp | arith.OrIOp, rewriter: PatternRewriter, /):
        lhs, rhs = unextended(op.lhs), unextended(op.rhs)
        truncations = [value.owner for value in (lhs, rhs) if isinstance(value.owner, arith.TruncIOp)]
        if lhs.type != rhs.type or not truncations:
            return
        wide = truncations[0].input.type
        if any(truncation.input.type != wide for truncation in truncations):
            return
        widened: list[SSAValue] = []
        for value in (lhs, rhs):
            if isinstance(truncation := value.owner, arith.TruncIOp):
                widened.append(truncation.input)
            else:
                widened.append(rewriter.insert(ExtUIOp.create(operands=[value], result_types=[wide])).result)
        combined = type(op)(widened[0], widened[1])
        truncated = TruncIOp.create(operands=[combined.result], result_types=[op.result.type])
        rewriter.replace(op, (combined, truncated))


class ShuffleBeforeTruncation(RewritePattern):
    """`shuffle (extui (trunci x))` -> `extui (trunci (shuffle x))`, if the widths agree."""

    @match_op_type
    def match_and_rewrite(self, op: ShuffleOp, rewriter: PatternRewriter, /):
        extension = op.value.owner
        if not isinstance(extension, arith.ExtUIOp) or not isinstance(extension.input.owner, arith.TruncIOp):
            return
        truncation = extension.input.owner
        if truncation.input.type != extension.result.type:
            return
        narrow = TruncIOp.create(operands=[op.shuffle_result], result_types=[truncation.result.type])
        wide = ExtUIOp.create(operands=[narrow.result], result_types=[extension.result.type])
        rewriter.insert((narrow, wide), InsertPoint.after(op))
        rewriter.replace_uses_with_if(op.shuffle_result, wide.result, lambda use: use.operation is not narrow)
        op.operands[0] = truncation.input
        rewriter.notify_op_modified(op)


class ExtremumAsSelect(RewritePattern):
    """`maximumf x, y` -> `select (x uge y), x, y`, and so for minimumf: faster, but NaN in `y` is lost."""

    @match_op_type
    def match_and_rewrite(self, op: arith.MaximumfOp | arith.MinimumfOp, rewriter: PatternRewriter, /):
        comparison = arith.CmpfOp(op.lhs, op.rhs, "uge" if isinstance(op, arith.MaximumfOp) else "ule")
        rewriter.replace(op, (comparison, select(comparison, op.lhs, op.rhs)))


class ExtremumWithNaN(RewritePattern):
    """`maximumf x, y` -> `select (x ord y), (select (x oge y), x, y), NaN`, and so for minimumf with ole."""

    @match_op_type
    def match_and_rewrite(self, op: arith.MaximumfOp | arith.MinimumfOp, rewriter: PatternRewriter, /):
        ordered = arith.CmpfOp(op.lhs, op.rhs, "ord")
        comparison = arith.CmpfOp(op.lhs, op.rhs, "oge" if isinstance(op, arith.MaximumfOp) else "ole")
        chosen = select(comparison, op.lhs, op.rhs)
        not_a_number = _splat(nan, op.result.type)
        rewriter.replace(
            op, (ordered, comparison, chosen, not_a_number, select(ordered, chosen.results[0], not_a_number.result))
        )


def _splat(value: float, type: Attribute) -> arith.ConstantOp:
    """The constant with this number, or with a tensor or vector of it."""
    attr = splat_attr(value, type)
    assert attr is not None
    return arith.ConstantOp(cast(Any, attr), type)


class ArcTangentOverOne(RewritePattern):
    """`atan2 y, 1.0` -> `atan y`: the same in every quadrant that `x = 1` has."""

    @match_op_type
    def match_and_rewrite(self, op: math.Atan2Op, rewriter: PatternRewriter, /):
        if is_splat_of(constant_of(op.rhs), 1.0):
            rewriter.replace(op, math.AtanOp(op.lhs, op.fastmath))


PATTERNS = PatternSet(
    (
        BoundsOfLoopVariables(),
        ComparisonOfRanges(),
        ExtremumOfRanges(),
        DivisionOfSmall(),
        MaskOfSmall(),
        ShiftOfSmall(),
        BitwiseBeforeTruncation(),
        ShuffleBeforeTruncation(),
        ArcTangentOverOne(),
        *scf_patterns.PATTERNS,
    )
)
"""Includes the patterns of scf, for conditions that became constant."""

FAST_MIN_MAX = PatternSet((*PATTERNS, ExtremumAsSelect()))
NAN_PROPAGATION = PatternSet((*PATTERNS, ExtremumWithNaN()))


@dataclass(frozen=True)
class SimplifyArithPass(PatternPass):
    """
    Simplify integer arithmetic by ranges. `fast_min_max` rewrites maximumf and minimumf to selects that lose NaN, and
    otherwise `explicit_nan_propagation` to selects that keep it.
    """

    name = "xla-gpu-simplify-arith"
    source: ClassVar[str] = 'XLA:GPU emitters, "Building blocks", simplify_arith (XGPU-10)'
    fast_min_max: bool = False
    explicit_nan_propagation: bool = False

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        yield Step((AnnotateRange(),), INNER_FIRST)
        with_nan = NAN_PROPAGATION if self.explicit_nan_propagation else PATTERNS
        yield from canonicalization_steps(FAST_MIN_MAX if self.fast_min_max else with_nan)
