"""
Evaluation with random rounding errors, to measure how far rounding moves the results of a computation.

Each operation computes in a wider type than its own, and rounds with a random error of a few units in the last place.
A number that its type holds exactly is not changed, so counts, comparisons and copies stay as they are. The spread of
the results of several such evaluations is large where the computation is ill-conditioned, as in `1 - logistic(x)` or
`sin(1e9 * x)`. Source: D. S. Parker, Monte Carlo Arithmetic, 1997 (random rounding).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod, sqrt

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import chlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.check import part_type
from xshardy.interpreters.reducers import is_associative, is_commutative
from xshardy.interpreters.stablehlo.chlo import CHLO
from xshardy.interpreters.stablehlo.control_flow import while_
from xshardy.interpreters.stablehlo.elementwise import ELEMENTWISE
from xshardy.interpreters.stablehlo.evaluator import RULES
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.reductions import contraction_type
from xshardy.interpreters.stablehlo.rules import Results, Rule, Value
from xshardy.interpreters.stablehlo.scatter import windows
from xshardy.numerics.complexes import create
from xshardy.numerics.element_types import KINDS, Array, DType, Kind, float_info, numpy_dtype
from xshardy.numerics.floats import narrowed

F32 = np.dtype(np.float32)

F64_EXPONENT = np.uint64(0x7FF0_0000_0000_0000)
"""The bits of an f64 that are those of infinity."""
HALF, ONE = np.array([0.5, 1.0]).view(np.uint64)

WIDER: Mapping[DType, DType] = {
    np.dtype(narrow): np.dtype(wide)
    for narrow, wide in (
        (np.float32, np.float64),
        (np.float64, np.longdouble),
        (np.complex64, np.complex128),
        (np.complex128, np.clongdouble),
    )
}
"""The type in which an operation on elements of a type computes; f64 for the floats that are not listed."""

# -- Errors of operations, in units in the last place -----------------------------------------------------------------

CORRECTLY_ROUNDED = (stablehlo.AddOp, stablehlo.DivOp, stablehlo.MulOp, stablehlo.SqrtOp, stablehlo.SubtractOp)
"""IEEE 754 defines these results; one unit, because a compiler may contract or reassociate them."""

SPECIAL_FUNCTIONS = (
    *(chlo.BesselI1eOp, chlo.DigammaOp, chlo.ErfInvOp, chlo.ErfOp, chlo.ErfcOp, chlo.LgammaOp),
    *(chlo.PolygammaOp, chlo.ZetaOp),
)
"""Functions that kernels approximate by polynomials; the reference has them in f64 only."""

LANCZOS = (chlo.DigammaOp, chlo.LgammaOp)
"""Functions that kernels compute by Lanczos' formula: its terms are larger than their sum near zeros."""

LANCZOS_UNITS = 512.0
"""The error of that formula in f64, whose coefficients have 15 digits, relative to the result or to 1."""

FUNCTION_UNITS = 4.0
"""The error of most elementary functions in libraries of GPUs and CPUs; CUDA's guide has a table of them."""

UNITS: Mapping[type[Operation], float] = {
    **dict.fromkeys(CORRECTLY_ROUNDED, 1.0),
    **dict.fromkeys(SPECIAL_FUNCTIONS, 16.0),
}
"""The largest error of an operation; `FUNCTION_UNITS` where none is listed."""

IN_OWN_TYPE = (chlo.BroadcastNextAfterOp, chlo.NextAfterOp)
"""Operations whose results depend on the bits of their operands: no wider type computes them."""

COMPLEX_FUNCTION_UNITS = 16.0
"""The error of functions of complex numbers, which kernels compute from several functions of their parts."""

IN_STEPS = (stablehlo.LogisticOp, *(type for type in {**ELEMENTWISE, **CHLO} if type.name.startswith("chlo.")))
"""Functions that kernels compute in several operations, each rounded to the type of the function."""

STEPS_UNITS = 3.0
"""The error of these functions for types narrower than f32, in units of these."""

NEAR_TIE_UNITS = 16.0
"""A conversion to a narrower type may go either way if its operand is this near to the middle of two numbers."""


def unit_in_last_place(x: Array, dtype: DType) -> Array:
    """The distance of the numbers of `dtype` around each finite number of `x`, a wider float, in the type of `x`."""
    info = float_info(dtype)
    if x.dtype != np.float64:
        _, exponent = np.frexp(np.where(np.isfinite(x), x, 1))
        return np.maximum(np.ldexp(x.dtype.type(info.epsilon), exponent - 1), x.dtype.type(info.smallest_subnormal))
    # The same by the bits of the exponent, in a fifth of the time.
    bits = np.bitwise_and(x.view(np.uint64), F64_EXPONENT, out=np.empty(x.shape, np.uint64))
    bits[bits == F64_EXPONENT] = ONE
    bits[bits == 0] = HALF
    unit = bits.view(np.float64)
    unit *= info.epsilon
    return np.maximum(unit, info.smallest_subnormal, out=unit)


def widened(x: Value) -> Value:
    """`x` in a wider type, if it holds floats or complex numbers."""
    if isinstance(x, tuple) or KINDS[x.dtype] not in (Kind.FLOAT, Kind.COMPLEX):
        return x
    return x.astype(WIDER.get(x.dtype, np.dtype(np.float64)))


# -- Rules ------------------------------------------------------------------------------------------------------------


class RandomRounding:
    """
    The rules of one evaluation with random rounding errors, which depend on `seed` only.

    With `sums_in_parts`, devices sum parts of a contraction, and round each sum to the type of the result. Two parts
    stand for any number of them.
    """

    def __init__(self, seed: int, *, sums_in_parts: bool = False):
        self.rng = np.random.default_rng(seed)
        self.sums_in_parts = sums_in_parts
        self.as_written = bool(seed % 2)
        """Whether complex functions run in their own type, where parts of a product may overflow."""
        self.steps: float | None = None
        """In the body of a reduction: the errors of that many units stand for those of another order of its steps."""
        self.rules: Mapping[type[Operation], Rule] = {
            **RULES,
            **{type: self._elementwise(type, rule) for type, rule in {**ELEMENTWISE, **CHLO}.items()},
            **{type: RULES[type] for type in IN_OWN_TYPE},
            stablehlo.ConvertOp: self._near_ties(RULES[stablehlo.ConvertOp]),
            stablehlo.ReducePrecisionOp: self._near_ties(RULES[stablehlo.ReducePrecisionOp]),
            stablehlo.ReduceOp: self._in_another_order(RULES[stablehlo.ReduceOp], _reduced_elements),
            stablehlo.ReduceWindowOp: self._in_another_order(RULES[stablehlo.ReduceWindowOp], _one_by_one),
            stablehlo.WhileOp: partial(while_, finds_cycles=False),
            stablehlo.ScatterOp: self._in_another_order(RULES[stablehlo.ScatterOp], _one_by_one),
            **{
                type: self._contraction(RULES[type])
                for type in (stablehlo.ConvolutionOp, stablehlo.DotGeneralOp, stablehlo.DotOp)
            },
        }

    def errors(self, shape: Sequence[int], units: float) -> Array:
        drawn = np.asarray(self.rng.random(shape, dtype=np.float32))
        drawn *= 2 * units
        drawn -= units
        return drawn

    def rounded(self, wide: Array, dtype: DType, units: float, unit: DType, *, is_exact: bool = True) -> Array:
        """
        `wide` rounded to the float type `dtype`, with an error of at most `units` of the type `unit`.

        With `is_exact`, numbers that `dtype` holds have no error.
        """
        error = unit_in_last_place(wide, unit)
        error *= self.errors(wide.shape, units)
        if is_exact:
            error[narrowed(wide, dtype).astype(wide.dtype) == wide] = 0
        error += wide
        return narrowed(error, dtype)

    def rounded_complex(self, wide: Array, dtype: DType, units: float) -> Array:
        """As `rounded`; the errors of both parts are relative to the larger one, as those of a product are."""
        part = part_type(dtype)
        size = unit_in_last_place(np.maximum(np.abs(np.real(wide)), np.abs(np.imag(wide))), part)

        def rounded_part(x: Array) -> Array:
            error = np.where(x.astype(part).astype(x.dtype) == x, 0, self.errors(x.shape, units) * size)
            return (x + error.astype(x.dtype)).astype(part)

        return create(rounded_part(np.real(wide)), rounded_part(np.imag(wide)))

    def _elementwise(self, type: type[Operation], rule: Rule) -> Rule:
        usual_units = UNITS.get(type, FUNCTION_UNITS)

        def rule_with_errors(evaluator: Evaluator, op: Operation, *operands: Array) -> Results:
            dtype = numpy_dtype(op.results[0].type)
            if len(op.results) != 1 or KINDS[dtype] not in (Kind.FLOAT, Kind.COMPLEX):
                return rule(evaluator, op, *operands)
            is_complex = any(KINDS[x.dtype] is Kind.COMPLEX for x in operands)
            units = COMPLEX_FUNCTION_UNITS if is_complex and type not in CORRECTLY_ROUNDED else usual_units
            is_native = is_complex and self.as_written
            wide: Results = rule(evaluator, op, *(operands if is_native else map(widened, operands)))
            assert isinstance(wide, np.ndarray | np.generic)
            wide = np.asarray(widened(np.asarray(wide)) if is_native else wide)
            if KINDS[dtype] is Kind.COMPLEX:
                return self.rounded_complex(wide, dtype, units * (self.steps or 1))
            wide = wide.astype(WIDER.get(dtype, np.dtype(np.float64)), copy=False)
            is_narrow = dtype.itemsize < F32.itemsize
            count = STEPS_UNITS if is_narrow and type in IN_STEPS else units
            # Kernels compute other functions of narrow types in f32 and round once; sums of these round each time.
            once = is_narrow and type not in IN_STEPS and self.steps is None
            is_exact = type not in SPECIAL_FUNCTIONS
            if type in LANCZOS and dtype == np.float64:
                error = self.errors(wide.shape, LANCZOS_UNITS) * unit_in_last_place(np.maximum(np.abs(wide), 1), dtype)
                return narrowed(wide + error.astype(wide.dtype), dtype)
            return self.rounded(wide, dtype, count * (self.steps or 1), F32 if once else dtype, is_exact=is_exact)

        return rule_with_errors

    def _near_ties(self, rule: Rule) -> Rule:
        """A rounding of floats to fewer bits, whose result is another one if the operand is near a tie."""

        def rule_with_errors(evaluator: Evaluator, op: Operation, x: Array) -> Results:
            target = numpy_dtype(op.results[0].type)
            kinds = KINDS[x.dtype], KINDS[target]
            if kinds != (Kind.FLOAT, Kind.FLOAT) or float_info(target).epsilon < float_info(x.dtype).epsilon:
                return rule(evaluator, op, x)
            wide = np.asarray(widened(x))
            moved = wide + (self.errors(x.shape, NEAR_TIE_UNITS) * unit_in_last_place(wide, x.dtype)).astype(wide.dtype)
            return rule(evaluator, op, moved.astype(x.dtype))

        return rule_with_errors

    def _in_another_order(self, rule: Rule, elements: Callable[[Operation], int]) -> Rule:
        """A reduction: a sum of n numbers, one after another, has errors as sqrt(n) roundings of its result."""

        def rule_with_errors(evaluator: Evaluator, op: Operation, *operands: Array) -> Results:
            around, self.steps = self.steps, sqrt(max(elements(op), 1))
            try:
                return rule(evaluator, op, *self._permuted(op, operands))
            finally:
                self.steps = around

        return rule_with_errors

    def _permuted(self, op: Operation, operands: Sequence[Array]) -> Sequence[Array]:
        match op:
            case stablehlo.ReduceOp():
                return self._permuted_inputs(op, operands)
            case stablehlo.ScatterOp():
                return self._exchanged_updates(op, operands)
            case _:
                return operands

    def _permuted_inputs(self, op: stablehlo.ReduceOp, operands: Sequence[Array]) -> Sequence[Array]:
        """The operands of a reduction, its inputs permuted along the reduced dimensions."""
        count = len(op.inputs)
        inputs = operands[:count]
        for dimension in op.dimensions.get_values():
            order = self.rng.permutation(inputs[0].shape[dimension])
            inputs = [np.take(x, order, axis=dimension) for x in inputs]
        return [*inputs, *operands[count:]]

    def _exchanged_updates(self, op: stablehlo.ScatterOp, operands: Sequence[Array]) -> Sequence[Array]:
        """
        The operands of a scatter, half of its updates exchanged with the inputs where they are applied, one by one.

        An element and its updates are combined in another order: kernels combine updates before the element, too.
        """
        body, count = op.update_computation.block, len(op.inputs)
        if not is_associative(body) or not is_commutative(body):
            return operands
        inputs, updates = ([x.copy() for x in part] for part in (operands[:count], operands[count + 1 :]))
        for where, chosen in windows(op, inputs[0].shape, operands[count], updates[0].shape):
            if self.rng.random() < 0.5:
                for x, update in zip(inputs, updates, strict=True):
                    old = x[where].copy()
                    x[where] = update[chosen].reshape(old.shape)
                    update[chosen] = old.reshape(update[chosen].shape)
        return [*inputs, operands[count], *updates]

    def _contraction(self, rule: Rule) -> Rule:
        """
        Sums of products: an error of each product, as an error of its first factor, and one of the sum.

        Products of different signs add up to less than each, and products of one sign to a sum with as many roundings.
        """

        def rule_with_errors(evaluator: Evaluator, op: Operation, lhs: Array, rhs: Array) -> Results:
            dtype = numpy_dtype(op.results[0].type)
            if KINDS[dtype] not in (Kind.FLOAT, Kind.COMPLEX):
                return rule(evaluator, op, lhs, rhs)
            working = contraction_type(dtype)
            summed = sqrt(max(1, lhs.size * rhs.size / max(1, prod(shape_of(op.results[0])))) ** 0.5)
            part = part_type(working)
            # In the working type: 1 + error in f32, which `errors` returns, is 1 for the errors of f64.
            error = self.errors(lhs.shape, 1 + summed).astype(part) * part.type(float_info(part).epsilon)
            moved = (lhs.astype(working) * (1 + error)).astype(working)
            result = self._summed(np.asarray(rule(evaluator, op, moved, rhs)), summed, working)
            if not self.sums_in_parts or working == dtype:
                return result
            is_in_first = self.rng.random(lhs.shape) < 0.5
            first = rule(evaluator, op, np.where(is_in_first, moved, 0), rhs)
            second = rule(evaluator, op, np.where(is_in_first, 0, moved), rhs)
            total: Array = np.asarray(first) + np.asarray(second)
            # Parts of other devices are larger than these where few products cancel: each of them is rounded too.
            scales = _largest(lhs), _largest(rhs)
            squares = ((np.asarray(widened(x)) / scale) ** 2 for x, scale in zip((lhs, rhs), scales, strict=True))
            size = np.sqrt(np.asarray(widened(np.asarray(rule(evaluator, op, *squares))))) * scales[0] * scales[1]
            error = self.errors(size.shape, 1) * unit_in_last_place(size, dtype)
            total = narrowed(np.asarray(widened(total)) + error.astype(size.dtype), dtype)
            return np.where(np.isfinite(total), total, result)  # a product of 0 and infinity is in neither sum

        return rule_with_errors

    def _summed(self, result: Array, units: float, working: DType) -> Array:
        """`result` with errors of so many roundings in the type in which it was summed up."""
        if KINDS[result.dtype] is Kind.COMPLEX:
            return self.rounded_complex(np.asarray(widened(result)), result.dtype, units)
        return self.rounded(np.asarray(widened(result)), result.dtype, units, working, is_exact=False)


def _largest(x: Array) -> float:
    """The largest finite size of an element of `x`; 1 if there is none but zeros."""
    sizes = np.abs(np.asarray(widened(x)))
    return float(sizes.max(initial=0, where=np.isfinite(sizes))) or 1.0


def _reduced_elements(op: Operation) -> int:
    """The number of elements that each result of a reduction combines."""
    return prod(shape_of(op.operands[0])) // max(1, prod(shape_of(op.results[0])))


def _one_by_one(op: Operation) -> int:
    """The reference combines these elements one after another, so that errors add up as in a kernel."""
    return 1
