"""Properties of the bodies of reductions and scatters, found by evaluating them on sample values."""

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np
from xdsl.dialects import func
from xdsl.ir import Block, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.check import distance, part_type
from xshardy.interpreters.random_elements import plain_floats, random_integers, random_preds
from xshardy.interpreters.stablehlo.calls import FunctionsAround
from xshardy.interpreters.stablehlo.constants import constant_value
from xshardy.interpreters.stablehlo.evaluator import RULES
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.numerics.element_types import KINDS, Array, DType, Kind, float_info, numpy_dtype
from xshardy.rewriting.captured import captured

SAMPLES = 64
"""The number of triples of values for which a reducer is evaluated."""

EXCEPTIONS = SAMPLES // 16
"""The number of triples that may differ by more than rounding: some are ill-conditioned."""

UNITS = 8
"""The rounding errors of a reducer, in units in the last place of the largest number around."""

Combine = Callable[[Sequence[Array], Sequence[Array]], Sequence[Array]]


def is_associative(body: Block) -> bool:
    """Whether `f(f(a, b), c)` is `f(a, f(b, c))`, up to rounding."""
    combine, (a, b, c) = reducer(body), triple(body)
    ab, bc = combine(a, b), combine(b, c)
    return not differ(combine(ab, c), combine(a, bc), [*a, *b, *c, *ab, *bc])


def is_commutative(body: Block) -> bool:
    """Whether `f(a, b)` is `f(b, a)`, up to rounding."""
    combine, (a, b, _) = reducer(body), triple(body)
    ab = combine(a, b)
    return not differ(ab, combine(b, a), [*a, *b, *ab])


def is_idempotent(body: Block, value: Sequence[Array]) -> bool:
    """Whether `f(value, value)` is `value`."""
    values = [np.broadcast_to(x, SAMPLES) for x in value]
    return not differ(reducer(body)(values, values), values, values)


def updates_commute(op: stablehlo.ScatterOp) -> bool:
    """Whether `f(f(x, a), b)` is `f(f(x, b), a)`, up to rounding: an element may have several updates."""
    body = op.update_computation.block
    combine, (x, a, b) = reducer(body), triple(body)
    ab, ba = combine(combine(x, a), b), combine(combine(x, b), a)
    return not differ(ab, ba, [*x, *a, *b, *ab, *ba])


# -- Evaluation -------------------------------------------------------------------------------------------------------


def reducer(body: Block) -> Combine:
    """The function of a body on arrays of samples. What it reads from around is a sample too, unless it is known."""
    evaluator = Evaluator(RULES, functions_around(body))
    evaluator.values.update(samples_around(body, SAMPLES if evaluator.computes_scalars(body) else None))

    def combine(left: Sequence[Array], right: Sequence[Array]) -> Sequence[Array]:
        with np.errstate(all="ignore"):
            values = evaluator.run(body, [*left, *right], elementwise=True)
        return [np.broadcast_to(np.asarray(value), SAMPLES) for value in values if not isinstance(value, tuple)]

    return combine


def samples_around(body: Block, count: int | None) -> Mapping[SSAValue, Array]:
    """
    The values that `body` reads from around: those of constants, and `count` samples of the others, one a triple.

    Without a `count`, which is for a body that is executed for each triple, one sample for all of them.
    """
    region = body.parent_region()
    found: dict[SSAValue, Array] = {}
    for number, value in enumerate(() if region is None else captured([region]), 3):
        known, dtype = constant_value(value), numpy_dtype(value.type)
        rng = np.random.default_rng(number)
        shape = shape_of(value) if count is None else (count,)
        found[value] = ordinary(rng, prod(shape), dtype).reshape(shape) if known is None else known
    return found


def functions_around(block: Block) -> Mapping[str, func.FuncOp]:
    """The functions that `block` may call: those of its module."""
    op = block.parent_op()
    while op is not None and not isinstance(op, func.FuncOp):
        op = op.parent_op()
    return {} if op is None else FunctionsAround(op)


def triple(body: Block) -> tuple[list[Array], list[Array], list[Array]]:
    """Three groups of sample arguments."""
    return samples(body, 0), samples(body, 1), samples(body, 2)


def samples(body: Block, seed: int) -> list[Array]:
    """Values for the left arguments of a reducer: half of them 0 and 1, so that some are equal."""
    rng = np.random.default_rng(seed)
    half = SAMPLES // 2
    found: list[Array] = []
    for argument in body.args[: len(body.args) // 2]:
        dtype = numpy_dtype(argument.type)
        small = rng.integers(0, 2, half)
        found.append(np.concatenate([small.astype(dtype), ordinary(rng, half, dtype)]))
    return found


def ordinary(rng: np.random.Generator, size: int, dtype: DType) -> Array:
    """Numbers without infinities and NaN."""
    match KINDS[dtype]:
        case Kind.PRED:
            return random_preds(rng, size, dtype)
        case Kind.INTEGER:
            return random_integers(rng, size, dtype)
        case Kind.FLOAT:
            return plain_floats(rng, size, dtype)
        case Kind.COMPLEX:
            return (rng.normal(0, 2, size) + 1j * rng.normal(0, 2, size)).astype(dtype)


def differ(actual: Sequence[Array], expected: Sequence[Array], around: Sequence[Array]) -> bool:
    """
    Whether integers differ, or more than `EXCEPTIONS` samples of floats by more than the rounding of the numbers
    `around`.
    """
    wrong = np.zeros(SAMPLES, np.bool_)
    with np.errstate(all="ignore"):
        sizes = [np.abs(x.astype(np.complex128)) for x in around if is_rounded(x)]
        size = np.max([np.where(np.isfinite(x), x, 0) for x in sizes], axis=0) if sizes else np.zeros(SAMPLES)
        for x, y in zip(actual, expected, strict=True):
            if is_rounded(x):
                wrong |= distance(x, y) > UNITS * float_info(part_type(x.dtype)).epsilon * size
            elif (x != y).any():
                return True
    return int(wrong.sum()) > EXCEPTIONS


def is_rounded(x: Array) -> bool:
    return KINDS[x.dtype] in (Kind.FLOAT, Kind.COMPLEX)
