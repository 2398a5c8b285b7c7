"""
Floating-point arithmetic. Source: PTX ISA, "Floating Point Instructions", "Half Precision Floating Point Instructions".
"""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics import floats
from xshardy.numerics.element_types import Array, float_info
from xshardy.ptx.instructions.form import Computation, Form, Rule
from xshardy.ptx.instructions.row import FOLDED, ONE, ByModifiers, Row, Slots, by_form, computation, types_in
from xshardy.ptx.instructions.scalar import rounding
from xshardy.ptx.instructions.scalar.approximate import APPROXIMATE, approximated
from xshardy.ptx.instructions.scalar.rounding import MODES, Rounding, take_rounding
from xshardy.ptx.types import PREDICATE, STORAGE, TYPES


def rounded(function: Callable[..., Array], operands: int, *, has_default: bool = False) -> Rule:
    """
    The rule of an instruction whose function takes the rounding mode as its last argument.

    The mode has to be written, unless it `has_default`, to nearest, as for `ptxas`.
    """

    def rule(form: Form) -> Computation:
        modifiers = take_rounding(form, is_required=not has_default)
        form.take("noftz")
        type, relu, mode = form.type(), form.has("relu"), modifiers.mode

        def compute(*values: Array) -> Array:
            result = function(*values, mode)
            return positive_part(result) if relu else result

        return Computation([type], [type] * operands, modifiers.applied(compute))

    return rule


def or_mixed(plain: Rule, function: Callable[..., Array], narrow: int, *, has_default: bool = False) -> Rule:
    """
    The rule of an instruction of one type, or of `.f32.f16` or `.f32.bf16`, with so many `narrow` operands, the first.

    Source: PTX ISA, "Mixed Precision Floating Point Instructions".
    """

    def rule(form: Form) -> Computation:
        if "f32" not in form.modifiers or (name := form.take("f16", "bf16")) is None:
            return plain(form)
        mode = form.take(*MODES) or "rn" if has_default else form.required(*MODES)
        modifiers, type = Rounding(mode, saturates=form.has("sat")), form.type()

        def compute(*values: Array) -> Array:
            return function(*(value.astype(np.float32) for value in values), mode)

        return Computation([type], [*[TYPES[name]] * narrow, type], modifiers.applied(compute))

    return rule


def positive_part(x: Array) -> Array:
    """`max(x, 0)`; NaN stays."""
    return np.where(x < 0, x.dtype.type(0), x)


def subtract(x: Array, y: Array, mode: str) -> Array:
    return rounding.add(x, np.negative(y), mode)


def or_approximate(name: str, exact: Callable[..., Array], operands: int) -> Rule:
    """The rule of an instruction that is rounded, or `.approx`, or `.full`."""
    precise = rounded(exact, operands)

    def rule(form: Form) -> Computation:
        accuracy = form.take("approx", "full")
        if accuracy is None:
            return precise(form)
        modifiers, type = Rounding(flushes=form.has("ftz")), form.type()
        function = approximated(APPROXIMATE[name, accuracy, type.name.removesuffix("x2")], form.errors)
        return Computation([type], [type] * operands, modifiers.applied(function))

    return rule


def approximate_only(name: str) -> Rule:
    """The rule of a function that there is only as `.approx`."""

    def rule(form: Form) -> Computation:
        form.required("approx")
        modifiers, type = Rounding(flushes=form.has("ftz")), form.type()
        key = (name, "approx", type.name.removesuffix("x2"))
        if key not in APPROXIMATE:
            raise form.error(f"there is no {name}.approx.{type.name}")
        return Computation([type], [type], modifiers.applied(approximated(APPROXIMATE[key], form.errors)))

    return rule


def reciprocal(x: Array, mode: str) -> Array:
    return rounding.divide(np.ones(1, x.dtype), x, mode)


def extreme(larger: bool) -> Rule:
    """
    The rule of `min` and `max`: the number if one is NaN, or with `.NaN` the canonical NaN.

    With `.abs`, of magnitudes; with `.xorsign`, the result has the exclusive or of both signs.
    """
    with_nan = floats.maximum if larger else floats.minimum
    without = floats.maximum_number if larger else floats.minimum_number

    def rule(form: Form) -> Computation:
        modifiers, nan = Rounding(flushes=form.has("ftz")), form.has("NaN")
        combines_signs, of_magnitudes = form.has("xorsign"), form.has("abs")
        type = form.type()
        function, operands = with_nan if nan else without, len(form.instruction.operands) - 1
        if combines_signs != (of_magnitudes and operands == 2):
            raise form.error("two operands have .xorsign.abs, three have .abs")

        def compute(*values: Array) -> Array:
            magnitudes = [np.abs(value) for value in values] if of_magnitudes else values
            result = magnitudes[0]
            for value in magnitudes[1:]:
                result = function(result, value)
            if combines_signs:
                is_negative = np.signbit(values[0]) != np.signbit(values[1])
                result = np.where(is_negative, np.negative(result), result)
            return canonical(result)

        return Computation([type], [type] * operands, modifiers.applied(compute))

    return rule


def canonical(x: Array) -> Array:
    """`x` with the canonical NaN: of f32 0x7fffffff, of f16 and bf16 0x7fff."""
    missing = np.isnan(x)
    if not missing.any():
        return x
    storage = STORAGE[8 * x.itemsize]
    pattern = storage.type(np.iinfo(storage).max >> 1) if x.itemsize < 8 else np.uint64(0x7FF8000000000000)
    return np.where(missing, pattern, x.view(storage)).view(x.dtype)


def sign_only(function: Callable[[Array], Array]) -> Rule:
    """The rule of `abs` and `neg`."""

    def rule(form: Form) -> Computation:
        modifiers, type = Rounding(flushes=form.has("ftz")), form.type()
        return Computation([type], [type], modifiers.applied(function))

    return rule


def copy_sign(form: Form) -> Computation:
    """`copysign`: the second operand with the sign of the first."""
    type = form.type()

    def function(sign: Array, magnitude: Array) -> Array:
        return np.copysign(magnitude, sign)

    return Computation([type], [type] * 2, function)


def is_subnormal(x: Array) -> Array:
    return (x != 0) & (np.abs(x) < float_info(x.dtype).smallest_normal)


PROPERTIES: Mapping[str, Callable[[Array], Array]] = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": lambda x: ~np.isnan(x),
    "notanumber": np.isnan,
    "normal": lambda x: np.isfinite(x) & ~is_subnormal(x),  # also zeros
    "subnormal": is_subnormal,
}


def test_property(form: Form) -> Computation:
    """`testp`."""
    function, type = PROPERTIES[form.required(*PROPERTIES)], form.type()
    return Computation([PREDICATE], [type], function)


def special(rule: Rule, slots: Slots | ByModifiers = ONE) -> Row:
    """A row of what a unit for special functions computes approximately."""
    return computation(
        rule, slots, lambda modifiers: "special function" if "approx" in modifiers else types_in(modifiers)
    )


DIVISION = by_form({"full.f32": (7.0, 9.0), "approx.f32": (4.0, 8.0), "rn.f32": (9.0, 40.0), "rn.f64": (15.0, 60.0)})
RECIPROCAL = by_form({"approx.f32": (3.0, 4.0), "rn.f32": (7.0, 20.0)})
ROOT = by_form({"approx.f32": (4.0, 6.0), "rn.f32": (8.0, 30.0), "rn.f64": (15.0, 60.0)})
SCALED = by_form({"approx.f32": (3.0, 4.0)})
"""A special function, and what keeps its operand and result out of the subnormal range."""
REDUCED = by_form({"approx.f32": (2.0, 2.0)})
"""A special function, and a product that brings its operand into range."""

FLOATS: Mapping[str, Row] = {
    "add": computation(or_mixed(rounded(rounding.add, 2, has_default=True), rounding.add, 1, has_default=True)),
    "sub": computation(or_mixed(rounded(subtract, 2, has_default=True), subtract, 1, has_default=True)),
    "mul": computation(rounded(rounding.multiply, 2, has_default=True)),
    "fma": computation(or_mixed(rounded(rounding.multiply_add, 3), rounding.multiply_add, 2)),
    "mad": computation(rounded(rounding.multiply_add, 3)),
    "div": computation(or_approximate("div", rounding.divide, 2), DIVISION),
    "rcp": special(or_approximate("rcp", reciprocal, 1), RECIPROCAL),
    "sqrt": special(or_approximate("sqrt", rounding.square_root, 1), ROOT),
    "rsqrt": special(approximate_only("rsqrt"), SCALED),
    "ex2": special(approximate_only("ex2"), SCALED),
    "lg2": special(approximate_only("lg2"), SCALED),
    "sin": special(approximate_only("sin"), REDUCED),
    "cos": special(approximate_only("cos"), REDUCED),
    "tanh": special(approximate_only("tanh")),
    "min": computation(extreme(larger=False)),
    "max": computation(extreme(larger=True)),
    "abs": computation(sign_only(np.abs), FOLDED),
    "neg": computation(sign_only(np.negative), FOLDED),
    "copysign": computation(copy_sign),
    "testp": computation(test_property),
}
"""Instructions of floating-point types, also packed ones."""
