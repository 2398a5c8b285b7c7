"""Folds of integer arithmetic: constants are computed, neutral and absorbing operands vanish."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.dialects.extensions.arith_elementwise import RELATIONS, Predicate, element_type_of, predicate_of
from xshardy.transforms.canonicalization.constants import (
    elementwise,
    is_splat_of,
    signed,
    splat_attr,
    unsigned,
    width_of,
)
from xshardy.transforms.canonicalization.folds import Fold


def _divide(a: int, b: int) -> int:
    """The quotient, rounded toward zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _signed_division(compute: Callable[[int, int], int]) -> Callable[[int, int, int], int | None]:
    """Undefined for a divisor of 0, and where the quotient overflows."""

    def divide(a: int, b: int, width: int) -> int | None:
        return None if b == 0 or (a == -(1 << (width - 1)) and b == -1) else compute(a, b)

    return divide


def _unsigned_division(compute: Callable[[int, int], int]) -> Callable[[int, int, int], int | None]:
    """Undefined for a divisor of 0."""

    def divide(a: int, b: int, width: int) -> int | None:
        return None if b == 0 else compute(unsigned(a, width), unsigned(b, width))

    return divide


def _shift(compute: Callable[[int, int, int], int]) -> Callable[[int, int, int], int | None]:
    """Undefined for a distance that is not less than the width."""

    def shift(a: int, b: int, width: int) -> int | None:
        distance = unsigned(b, width)
        return None if distance >= width else compute(a, distance, width)

    return shift


@dataclass(frozen=True, slots=True)
class Rule:
    """How an operation computes, on signed integers of a width, and what its operands may be left out for."""

    compute: Callable[[int, int, int], int | None]
    """The result of `(lhs, rhs, width)` before it is wrapped; None where it is undefined."""
    neutral: int | None = None
    """`x op neutral` is `x`; for a commutative operation also from the left."""
    absorbing: int | None = None
    """`x op absorbing` is `absorbing`; for a commutative operation also from the left."""
    same: str | None = None
    """What `x op x` is: `x`, or a number."""
    commutative: bool = False


RULES: Mapping[type[Operation], Rule] = {
    arith.AddiOp: Rule(lambda a, b, _: a + b, neutral=0, commutative=True),
    arith.SubiOp: Rule(lambda a, b, _: a - b, neutral=0, same="0"),
    arith.MuliOp: Rule(lambda a, b, _: a * b, neutral=1, absorbing=0, commutative=True),
    arith.AndIOp: Rule(lambda a, b, _: a & b, neutral=-1, absorbing=0, same="x", commutative=True),
    arith.OrIOp: Rule(lambda a, b, _: a | b, neutral=0, absorbing=-1, same="x", commutative=True),
    arith.XOrIOp: Rule(lambda a, b, _: a ^ b, neutral=0, same="0", commutative=True),
    arith.DivSIOp: Rule(_signed_division(_divide), neutral=1),
    arith.DivUIOp: Rule(_unsigned_division(lambda a, b: a // b), neutral=1),
    arith.FloorDivSIOp: Rule(_signed_division(lambda a, b: a // b), neutral=1),
    arith.CeilDivSIOp: Rule(_signed_division(lambda a, b: -(-a // b)), neutral=1),
    arith.CeilDivUIOp: Rule(_unsigned_division(lambda a, b: -(-a // b)), neutral=1),
    arith.RemSIOp: Rule(_signed_division(lambda a, b: a - b * _divide(a, b))),
    arith.RemUIOp: Rule(_unsigned_division(lambda a, b: a % b)),
    arith.ShLIOp: Rule(_shift(lambda a, b, _: a << b), neutral=0),
    arith.ShRSIOp: Rule(_shift(lambda a, b, _: a >> b), neutral=0),
    arith.ShRUIOp: Rule(_shift(lambda a, b, width: unsigned(a, width) >> b), neutral=0),
    arith.MaxSIOp: Rule(lambda a, b, _: max(a, b), same="x", commutative=True),
    arith.MinSIOp: Rule(lambda a, b, _: min(a, b), same="x", commutative=True),
    arith.MaxUIOp: Rule(
        lambda a, b, width: max(unsigned(a, width), unsigned(b, width)),
        neutral=0,
        absorbing=-1,
        same="x",
        commutative=True,
    ),
    arith.MinUIOp: Rule(
        lambda a, b, width: min(unsigned(a, width), unsigned(b, width)),
        neutral=-1,
        absorbing=0,
        same="x",
        commutative=True,
    ),
}


def fold_binary(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """Apply the rule of `op`."""
    rule = RULES[type(op)]
    lhs, rhs = op.operands
    type_ = op.results[0].type
    width = width_of(element_type_of(type_))
    folded = elementwise(lambda a, b: rule.compute(a, b, width), constants, type_)
    if folded is not None:
        return folded
    if lhs is rhs and rule.same is not None:
        return lhs if rule.same == "x" else splat_attr(int(rule.same), type_)
    sides = ((lhs, constants[1]), (rhs, constants[0])) if rule.commutative else ((lhs, constants[1]),)
    for other, constant in sides:
        if constant is None:
            continue
        if rule.neutral is not None and is_splat_of(constant, signed(rule.neutral, width)):
            return other
        if rule.absorbing is not None and is_splat_of(constant, signed(rule.absorbing, width)):
            return constant
    return None


def fold_remainder_of_one(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`x rem 1` -> `0`, else as any binary operation."""
    width = width_of(element_type_of(op.results[0].type))
    if is_splat_of(constants[1], signed(1, width)) and width > 1:
        return splat_attr(0, op.results[0].type)
    return fold_binary(op, constants)


def fold_extremum(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`max(x, least)` -> `x`, `max(x, greatest)` -> `greatest`, and so for min; else as any binary operation."""
    width = width_of(element_type_of(op.results[0].type))
    least, greatest = -(1 << (width - 1)), (1 << (width - 1)) - 1
    neutral, absorbing = (least, greatest) if isinstance(op, arith.MaxSIOp) else (greatest, least)
    for other, constant in zip(op.operands, reversed(constants), strict=True):
        if is_splat_of(constant, neutral):
            return other
        if is_splat_of(constant, absorbing):
            return constant
    return fold_binary(op, constants)


def fold_subi(op: arith.SubiOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`(x + y) - y` -> `x`, `(x + y) - x` -> `y`; else as any binary operation."""
    add = op.lhs.owner
    if isinstance(add, arith.AddiOp):
        if add.rhs is op.rhs:
            return add.lhs
        if add.lhs is op.rhs:
            return add.rhs
    return fold_binary(op, constants)


def fold_addi(op: arith.AddiOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`(x - y) + y` -> `x`, `y + (x - y)` -> `x`; else as any binary operation."""
    for difference, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        sub = difference.owner
        if isinstance(sub, arith.SubiOp) and sub.rhs is other:
            return sub.lhs
    return fold_binary(op, constants)


def fold_cmpi(op: arith.CmpiOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`cmpi p, x, x` and comparisons of constants -> true or false; `cmpi ne, (i1) x, false` -> `x`."""
    predicate = predicate_of(op)
    compare = RELATIONS[predicate]
    if op.lhs is op.rhs:
        return splat_attr(compare(0, 0), op.result.type)
    width = width_of(element_type_of(op.lhs.type))
    if width == 1 and op.lhs.type == op.result.type:
        is_identity = (predicate is Predicate.NE and is_splat_of(constants[1], 0)) or (
            predicate is Predicate.EQ and is_splat_of(constants[1], signed(1, 1))
        )
        if is_identity:
            return op.lhs
    view = unsigned if predicate.is_unsigned else signed
    return elementwise(lambda a, b: compare(view(a, width), view(b, width)), constants, op.result.type)


def _fold_cast(view: Callable[[int, int], int]) -> Fold:
    """A cast of a constant, whose bits are read through `view`."""

    def fold(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
        width = width_of(element_type_of(op.operands[0].type))
        return elementwise(lambda a: view(a, width), constants, op.results[0].type)

    return fold


def fold_trunci(op: arith.TruncIOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`trunci (ext x)` -> `x` where the types agree."""
    inner = op.input.owner
    if isinstance(inner, arith.ExtSIOp | arith.ExtUIOp) and inner.input.type == op.result.type:
        return inner.input
    return _fold_cast(signed)(op, constants)


def fold_index_cast(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`index_cast (index_cast x)` -> `x` where the types agree and the type between is no narrower."""
    inner = op.operands[0].owner
    if isinstance(inner, type(op)) and inner.operands[0].type == op.results[0].type:
        between = width_of(element_type_of(op.operands[0].type))
        if between >= width_of(element_type_of(op.results[0].type)):
            return inner.operands[0]
    return _fold_cast(unsigned if isinstance(op, IndexCastUIOp) else signed)(op, constants)


FOLDS: Mapping[type[Operation], Fold] = {
    **dict.fromkeys(RULES, fold_binary),
    arith.AddiOp: fold_addi,
    arith.SubiOp: fold_subi,
    arith.RemSIOp: fold_remainder_of_one,
    arith.RemUIOp: fold_remainder_of_one,
    arith.MaxSIOp: fold_extremum,
    arith.MinSIOp: fold_extremum,
    arith.CmpiOp: fold_cmpi,
    arith.ExtSIOp: _fold_cast(signed),
    arith.ExtUIOp: _fold_cast(unsigned),
    arith.TruncIOp: fold_trunci,
    arith.IndexCastOp: fold_index_cast,
    IndexCastUIOp: fold_index_cast,
}
