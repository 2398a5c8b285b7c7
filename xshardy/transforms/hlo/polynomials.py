"""Elementwise computations as polynomials, so that a formula is recognised however it is written."""

from collections.abc import Callable, Mapping
from functools import partial
from math import isclose

from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.transforms.canonicalization.constants import scalar_values

Polynomial = Mapping[tuple[int, ...], float]
"""Coefficients by the exponents of the variables: `3 x y^2` is `{(1, 2): 3}`."""

RELATIVE = 1e-6
"""The relative distance of coefficients that count as equal: programs have them as f32."""

TERMS = 16
"""The largest number of terms; larger polynomials are not worked out."""


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product."""
    product: dict[tuple[int, ...], float] = {}
    for one, x in a.items():
        for other, y in b.items():
            exponents = tuple(map(sum, zip(one, other, strict=True)))
            product[exponents] = product.get(exponents, 0) + x * y
    return product


def plus(a: Polynomial, b: Polynomial, factor: float = 1) -> Polynomial:
    """`a + factor * b`"""
    return {exponents: a.get(exponents, 0) + factor * b.get(exponents, 0) for exponents in {**a, **b}}


def is_equal(a: Polynomial, b: Polynomial) -> bool:
    """Whether all coefficients are equal, but for their rounding."""
    largest = max(map(abs, (*a.values(), *b.values())), default=0)
    return all(
        isclose(a.get(exponents, 0), b.get(exponents, 0), rel_tol=RELATIVE, abs_tol=RELATIVE * RELATIVE * largest)
        for exponents in {**a, **b}
    )


def number_of(value: SSAValue) -> float | None:
    """The number that all elements of `value` are: a constant, broadcast and reshaped; None for others."""
    while isinstance(value.owner, stablehlo.BroadcastInDimOp | stablehlo.ReshapeOp):
        value = value.owner.operands[0]
    op = value.owner
    numbers = scalar_values(op.value) if isinstance(op, stablehlo.ConstantOp) else None
    return float(numbers[0]) if numbers is not None and len(numbers) == 1 else None


def polynomial(value: SSAValue, variables: Mapping[SSAValue, int]) -> Polynomial | None:
    """
    `value` as a polynomial of the `variables`, numbered from 0, elementwise.

    None if it has an operation other than sums, products, powers and quotients by numbers.
    """
    count = len(variables)
    if (variable := variables.get(value)) is not None:
        return {tuple(int(i == variable) for i in range(count)): 1.0}
    if (number := number_of(value)) is not None:
        return {(0,) * count: number}
    op = value.owner
    if not isinstance(op, Operation) or (combine := COMBINED.get(type(op))) is None:
        return None
    operands = [polynomial(operand, variables) for operand in op.operands]
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands) or sum(map(len, known)) > TERMS:
        return None
    return combine(*known)


def divided(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """`a / b`, for a number `b` other than 0."""
    number = constant(b)
    return {exponents: x / number for exponents, x in a.items()} if number else None


def power(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """`a^b`, for `b` of 2 or 3."""
    match constant(b):
        case 2:
            return times(a, a)
        case 3:
            return times(a, times(a, a))
        case _:
            return None


def constant(a: Polynomial) -> float | None:
    """The number that `a` is; None if it has a variable."""
    return None if any(any(exponents) for exponents in a) else sum(a.values())


COMBINED: Mapping[type[Operation], Callable[..., Polynomial | None]] = {
    stablehlo.AddOp: plus,
    stablehlo.DivOp: divided,
    stablehlo.MulOp: times,
    stablehlo.NegOp: partial(plus, {}, factor=-1),
    stablehlo.PowOp: power,
    stablehlo.SubtractOp: partial(plus, factor=-1),
}
"""What operations make of the polynomials of their operands."""
