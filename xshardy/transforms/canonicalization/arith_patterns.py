"""Patterns of arith: constants gather on the right, chains of casts shorten, selects vanish."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.dialects.extensions.arith_elementwise import (
    Predicate,
    compare,
    element_type_of,
    original_of,
    predicate_of,
    refined,
)
from xshardy.rewriting import match_op_type
from xshardy.transforms.canonicalization.constants import (
    constant_of,
    integer_of,
    is_splat_of,
    materialize,
    signed,
    splat_attr,
    width_of,
)
from xshardy.transforms.canonicalization.folds import Fold


def _both_ways(*pairs: tuple[Predicate, Predicate]) -> Mapping[Predicate, Predicate]:
    return {key: value for pair in pairs for key, value in (pair, pair[::-1])}


SWAPPED = _both_ways(
    (Predicate.EQ, Predicate.EQ),
    (Predicate.NE, Predicate.NE),
    (Predicate.SLT, Predicate.SGT),
    (Predicate.SLE, Predicate.SGE),
    (Predicate.ULT, Predicate.UGT),
    (Predicate.ULE, Predicate.UGE),
)
"""The predicate of `arith.cmpi` that holds for `(y, x)` where the key holds for `(x, y)`."""

INVERSE = _both_ways(
    (Predicate.EQ, Predicate.NE),
    (Predicate.SLT, Predicate.SGE),
    (Predicate.SLE, Predicate.SGT),
    (Predicate.ULT, Predicate.UGE),
    (Predicate.ULE, Predicate.UGT),
)
"""The predicate of `arith.cmpi` that holds where the key does not."""

UNSIGNED: Mapping[Predicate, Predicate] = {
    Predicate.SLT: Predicate.ULT,
    Predicate.SLE: Predicate.ULE,
    Predicate.SGT: Predicate.UGT,
    Predicate.SGE: Predicate.UGE,
}
"""The order of integers without sign that is this one where no integer is negative."""


def fold_select(op: arith.SelectOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`select c, x, x` and `select true, x, y` -> `x`, `select c, true, false` -> `c`, `select x == y, x, y` -> `y`."""
    if op.lhs is op.rhs:
        return op.lhs
    condition = integer_of(op.cond)
    if condition is not None:
        return op.lhs if condition else op.rhs
    if is_splat_of(constants[0], signed(1, 1)):
        return op.lhs
    if is_splat_of(constants[0], 0):
        return op.rhs
    if op.result.type == op.cond.type and is_splat_of(constants[1], signed(1, 1)) and is_splat_of(constants[2], 0):
        return op.cond
    match op.cond.owner:
        case arith.CmpiOp(lhs=lhs, rhs=rhs) as comparison if {lhs, rhs} == {op.lhs, op.rhs}:
            return {Predicate.EQ: op.rhs, Predicate.NE: op.lhs}.get(predicate_of(comparison))
        case _:
            return None


FOLDS: Mapping[type[Operation], Fold] = {arith.SelectOp: fold_select}

Commutative: TypeAlias = (
    arith.AddiOp
    | arith.AddfOp
    | arith.AndIOp
    | arith.MaximumfOp
    | arith.MaxnumfOp
    | arith.MaxSIOp
    | arith.MaxUIOp
    | arith.MinimumfOp
    | arith.MinnumfOp
    | arith.MinSIOp
    | arith.MinUIOp
    | arith.MuliOp
    | arith.MulfOp
    | arith.OrIOp
    | arith.XOrIOp
)
"""Operations of two operands that may be swapped."""


class ConstantToTheRight(RewritePattern):
    """`op constant, x` -> `op x, constant`, for a commutative operation."""

    @match_op_type
    def match_and_rewrite(self, op: Commutative, rewriter: PatternRewriter, /):
        lhs, rhs = op.operands
        if constant_of(lhs) is None or constant_of(rhs) is not None:
            return
        op.operands = (rhs, lhs)
        rewriter.notify_op_modified(op)


class CompareWithConstantOnTheRight(RewritePattern):
    """`cmpi slt, constant, x` -> `cmpi sgt, x, constant`"""

    @match_op_type
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter, /):
        if constant_of(op.lhs) is None or constant_of(op.rhs) is not None:
            return
        op.predicate = IntegerAttr(SWAPPED[predicate_of(op)].value, 64)
        op.operands = (op.rhs, op.lhs)
        rewriter.notify_op_modified(op)


class CompareExtended(RewritePattern):
    """`cmpi p, (extsi x), (extsi y)` -> `cmpi p, x, y`, and so for extui where the order is unsigned or equality."""

    @match_op_type
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter, /):
        lhs, rhs = op.lhs.owner, op.rhs.owner
        if not isinstance(lhs, arith.ExtSIOp | arith.ExtUIOp) or not isinstance(rhs, type(lhs)):
            return
        if lhs.operands[0].type != rhs.operands[0].type:
            return
        predicate = predicate_of(op)
        if isinstance(lhs, arith.ExtUIOp):
            predicate = UNSIGNED.get(predicate, predicate)  # zero-extended numbers are not negative
        rewriter.replace(op, compare(predicate, lhs.operands[0], rhs.operands[0]))


class CompareBooleanExtendedWithZero(RewritePattern):
    """`cmpi ne, (ext x), 0` -> `x`, `cmpi eq, (ext x), 0` -> `xori x, true`, for an i1 x."""

    @match_op_type
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter, /):
        extension = op.lhs.owner
        if not isinstance(extension, arith.ExtSIOp | arith.ExtUIOp) or extension.input.type != i1:
            return
        if not is_splat_of(constant_of(op.rhs), 0):
            return
        match predicate_of(op):
            case Predicate.NE:
                rewriter.replace(op, (), (extension.input,))
            case Predicate.EQ:
                true = arith.ConstantOp(IntegerAttr(1, i1))
                rewriter.replace(op, (true, arith.XOrIOp(extension.input, true)))
            case _:
                return


class InvertedComparison(RewritePattern):
    """`xori (cmpi p, x, y), true` -> `cmpi not-p, x, y`"""

    @match_op_type
    def match_and_rewrite(self, op: arith.XOrIOp, rewriter: PatternRewriter, /):
        comparison = op.lhs.owner
        if isinstance(comparison, arith.CmpiOp) and is_splat_of(constant_of(op.rhs), signed(1, 1)):
            inverse = INVERSE[predicate_of(comparison)]
            rewriter.replace(op, compare(inverse, comparison.lhs, comparison.rhs))


class ConstantsOfChain(RewritePattern):
    """`(x op c0) op c1` -> `x op (c0 op c1)` for addi and muli; `(x + c0) - c1` -> `x + (c0 - c1)` and its kin."""

    @match_op_type
    def match_and_rewrite(self, op: arith.AddiOp | arith.SubiOp | arith.MuliOp, rewriter: PatternRewriter, /):
        inner = op.lhs.owner
        outer_constant = integer_of(op.rhs)
        if outer_constant is None or not isinstance(inner, arith.AddiOp | arith.SubiOp | arith.MuliOp):
            return
        inner_constant = integer_of(inner.rhs)
        if inner_constant is None or isinstance(op, arith.MuliOp) != isinstance(inner, arith.MuliOp):
            return
        if isinstance(op, arith.MuliOp):
            combined: type[arith.AddiOp | arith.MuliOp] = arith.MuliOp
            value = inner_constant * outer_constant
        else:
            combined = arith.AddiOp
            value = (1 if isinstance(inner, arith.AddiOp) else -1) * inner_constant
            value += (1 if isinstance(op, arith.AddiOp) else -1) * outer_constant
        attr = splat_attr(value, op.result.type)
        if attr is None:
            return
        constant = materialize(attr, op.result.type)
        chained = combined(inner.lhs, constant)
        chained.attributes |= op.attributes
        rewriter.replace(op, (constant, chained))


Cast: TypeAlias = arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp | arith.ExtFOp | arith.IndexCastOp | IndexCastUIOp


class CastOfCast(RewritePattern):
    """`ext (ext x)`, `trunc (trunc x)`, `trunc (ext x)` -> one cast, and `index_cast (ext x)` -> `index_cast x`."""

    @match_op_type
    def match_and_rewrite(self, op: Cast, rewriter: PatternRewriter, /):
        inner = op.operands[0].owner
        if not isinstance(inner, Operation) or len(inner.operands) != 1 or len(op.results) != 1:
            return
        source, target = inner.operands[0], op.results[0].type
        cast = _combined_cast(original_of(type(op)), original_of(type(inner)), source.type, target)
        if cast is not None:
            combined = refined(cast).create(operands=[source], result_types=[target], attributes=op.attributes)
            rewriter.replace(op, combined)


def _combined_cast(
    outer: type[Operation], inner: type[Operation], source: Attribute, target: Attribute
) -> type[Operation] | None:
    """The cast that is equal to two in a row; None if there is none."""
    ext_s, ext_u = arith.ExtSIOp, arith.ExtUIOp
    if outer in (ext_s, ext_u) and inner is ext_u:
        return ext_u
    if outer is inner and outer in (ext_s, arith.TruncIOp, arith.ExtFOp):
        return outer
    if outer is arith.TruncIOp and inner in (ext_s, ext_u):
        from_width, to_width = (width_of(element_type_of(type)) for type in (source, target))
        return None if from_width == to_width else inner if from_width < to_width else arith.TruncIOp
    if outer is arith.IndexCastOp and inner is ext_s and isinstance(source, IntegerType):
        return arith.IndexCastOp
    if outer is IndexCastUIOp and inner is ext_u and isinstance(source, IntegerType):
        return IndexCastUIOp
    return None


class BitwiseOfExtended(RewritePattern):
    """`andi (ext x), (ext y)` -> `ext (andi x, y)`, and so for ori."""

    @match_op_type
    def match_and_rewrite(self, op: arith.AndIOp | arith.OrIOp, rewriter: PatternRewriter, /):
        lhs, rhs = op.lhs.owner, op.rhs.owner
        if not isinstance(lhs, arith.ExtSIOp | arith.ExtUIOp) or not isinstance(rhs, type(lhs)):
            return
        if lhs.operands[0].type != rhs.operands[0].type:
            return
        narrow = type(op)(lhs.operands[0], rhs.operands[0])
        rewriter.replace(op, (narrow, type(lhs).create(operands=[narrow.result], result_types=[op.result.type])))


class ProductOfNegated(RewritePattern):
    """`mulf (negf x), (negf y)` -> `mulf x, y`, and so for divf."""

    @match_op_type
    def match_and_rewrite(self, op: arith.MulfOp | arith.DivfOp, rewriter: PatternRewriter, /):
        lhs, rhs = op.lhs.owner, op.rhs.owner
        if isinstance(lhs, arith.NegfOp) and isinstance(rhs, arith.NegfOp):
            op.operands = (lhs.operand, rhs.operand)
            rewriter.notify_op_modified(op)


class SelectOfNot(RewritePattern):
    """`select (xori c, true), x, y` -> `select c, y, x`"""

    @match_op_type
    def match_and_rewrite(self, op: arith.SelectOp, rewriter: PatternRewriter, /):
        negation = op.cond.owner
        if isinstance(negation, arith.XOrIOp) and is_splat_of(constant_of(negation.rhs), signed(1, 1)):
            op.operands = (negation.lhs, op.rhs, op.lhs)
            rewriter.notify_op_modified(op)


class SelectOfBooleans(RewritePattern):
    """`select c, false, true` -> `xori c, true`"""

    @match_op_type
    def match_and_rewrite(self, op: arith.SelectOp, rewriter: PatternRewriter, /):
        if op.result.type != i1 or integer_of(op.lhs) != 0 or not integer_of(op.rhs):
            return
        rewriter.replace(op, arith.XOrIOp(op.cond, op.rhs))


class SelectUnderSameCondition(RewritePattern):
    """`select c, (select c, x, y), z` -> `select c, x, z`, and so on the other side."""

    @match_op_type
    def match_and_rewrite(self, op: arith.SelectOp, rewriter: PatternRewriter, /):
        chosen, other = op.lhs.owner, op.rhs.owner
        if isinstance(chosen, arith.SelectOp) and chosen.cond is op.cond:
            op.operands = (op.cond, chosen.lhs, op.rhs)
        elif isinstance(other, arith.SelectOp) and other.cond is op.cond:
            op.operands = (op.cond, op.lhs, other.rhs)
        else:
            return
        rewriter.notify_op_modified(op)


PATTERNS: Sequence[RewritePattern] = (
    ConstantToTheRight(),
    CompareWithConstantOnTheRight(),
    CompareExtended(),
    CompareBooleanExtendedWithZero(),
    InvertedComparison(),
    ConstantsOfChain(),
    CastOfCast(),
    BitwiseOfExtended(),
    ProductOfNegated(),
    SelectOfNot(),
    SelectOfBooleans(),
    SelectUnderSameCondition(),
)
