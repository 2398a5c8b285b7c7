"""Integer arithmetic. Source: PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer ..."."""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics import integers
from xshardy.numerics.element_types import Array, DType
from xshardy.ptx.instructions.form import Computation, Form, Rule
from xshardy.ptx.instructions.row import FOLDED, TWO_STEPS, Row, by_form, computation, if_wide
from xshardy.ptx.types import TYPES, Kind, Type

Function = Callable[..., Array]
WithCarry = Callable[[Array, Array, Array | None], tuple[Array, Array]]
"""Computes with a carry in, if it is not None, and gives the carry out too."""


def wider(type: Type) -> Type:
    """The type of the same kind with twice the bits."""
    return TYPES[f"{type.name[0]}{2 * type.bits}"]


def low_product(x: Array, y: Array) -> Array:
    return x * y


def high_product(x: Array, y: Array) -> Array:
    """The upper half of the bits of the product."""
    signed = np.issubdtype(x.dtype, np.signedinteger)
    bits = 8 * x.itemsize
    if bits < 64:
        wide = np.dtype(f"{'int' if signed else 'uint'}{2 * bits}")
        return (x.astype(wide) * y.astype(wide) >> wide.type(bits)).astype(x.dtype)
    if not signed:
        return integers.high_half(x, y)
    return integers.multiply_signed_extended(*np.broadcast_arrays(x, y))[1]


def wide_product(x: Array, y: Array) -> Array:
    """The whole product, in a type of twice the bits."""
    return np.multiply(x, y, dtype=f"{x.dtype.kind}{2 * x.itemsize}")


PRODUCTS: Mapping[str, Function] = {"lo": low_product, "hi": high_product, "wide": wide_product}


def saturated(wide: Array, dtype: DType) -> Array:
    """`wide` clamped to the range of `dtype`."""
    info = np.iinfo(dtype)
    return np.clip(wide, info.min, info.max).astype(dtype)


def sum_or_difference(compute: Function, with_carry: WithCarry) -> Rule:
    """The rule of `add{.sat,.cc}.type` and `sub{.sat,.cc}.type`."""

    def rule(form: Form) -> Computation:
        type = form.type()

        def saturating(x: Array, y: Array) -> Array:
            return saturated(compute(x.astype(np.int64), y), type.dtype)

        def with_carry_out(x: Array, y: Array) -> tuple[Array, Array]:
            return with_carry(x, y, None)

        if form.has("cc"):
            return Computation([type], [type] * 2, with_carry_out, writes_carry=True)
        return Computation([type], [type] * 2, saturating if form.has("sat") else compute)

    return rule


def carried(x: Array, y: Array, carry: Array | None) -> tuple[Array, Array]:
    """The sum with a carry in, and the carry out."""
    a, b = integers.unsigned(x), integers.unsigned(y)
    total = a + b
    overflow = total < a
    if carry is not None:
        total = total + carry.astype(total.dtype)
        overflow = overflow | (carry & (total == 0))
    return total.view(x.dtype), overflow


def borrowed(x: Array, y: Array, carry: Array | None) -> tuple[Array, Array]:
    """
    The difference with a borrow in, and the borrow out; both are inverted carries, as the sum of `x`, `~y` and 1 has.

    The PTX ISA leaves open what `addc` reads behind `sub.cc`, and `subc` behind `add.cc`: these are GPUs' bits.
    """
    return carried(x, ~y, np.ones(1, np.bool_) if carry is None else carry)


def first_result(compute: Callable[..., tuple[Array, Array]]) -> Function:
    """`compute` without the carry out."""

    def function(*operands: Array) -> Array:
        return compute(*operands)[0]

    return function


def reading_carry(compute: WithCarry) -> Rule:
    """The rule of `addc{.cc}.type` and `subc{.cc}.type`."""

    def rule(form: Form) -> Computation:
        type = form.type()
        if form.has("cc"):
            return Computation([type], [type] * 2, compute, reads_carry=True, writes_carry=True)
        return Computation([type], [type] * 2, first_result(compute), reads_carry=True)

    return rule


def multiply(form: Form) -> Computation:
    """`mul{.hi,.lo,.wide}.type`."""
    part, type = form.required("lo", "hi", "wide"), form.type()
    return Computation([wider(type) if part == "wide" else type], [type] * 2, PRODUCTS[part])


def multiply_add(form: Form) -> Computation:
    """`mad{.hi,.lo,.wide}{.cc}{.sat}.type`."""
    part, type = form.required("lo", "hi", "wide"), form.type()
    result, product = wider(type) if part == "wide" else type, PRODUCTS[part]
    sources = [type, type, result]

    def with_carry_out(x: Array, y: Array, z: Array) -> tuple[Array, Array]:
        return carried(product(x, y), z, None)

    def saturating(x: Array, y: Array, z: Array) -> Array:
        return saturated(product(x, y).astype(np.int64) + z, type.dtype)

    def wrapping(x: Array, y: Array, z: Array) -> Array:
        return product(x, y) + z

    if form.has("cc"):
        return Computation([result], sources, with_carry_out, writes_carry=True)
    return Computation([result], sources, saturating if form.has("sat") else wrapping)


def multiply_add_with_carry(form: Form) -> Computation:
    """`madc{.hi,.lo}{.cc}.type`."""
    product, type = PRODUCTS[form.required("lo", "hi")], form.type()

    def function(x: Array, y: Array, z: Array, carry: Array) -> tuple[Array, Array]:
        return carried(product(x, y), z, carry)

    if form.has("cc"):
        return Computation([type], [type] * 3, function, reads_carry=True, writes_carry=True)
    return Computation([type], [type] * 3, first_result(function), reads_carry=True)


def multiply_24(form: Form) -> Computation:
    """`mul24.lo`, `mul24.hi`: the product of the lower 24 bits, its lower 32 bits or those from bit 16 on."""
    part, type = form.required("lo", "hi"), form.type()

    def low_24(x: Array) -> Array:
        return x << 8 >> 8

    def product(x: Array, y: Array) -> Array:
        wide = wide_product(low_24(x), low_24(y))
        return (wide >> (0 if part == "lo" else 16)).astype(type.dtype)

    return Computation([type], [type] * 2, product)


def elementwise(function: Function, operands: int) -> Rule:
    """The rule of an instruction `name.type` whose operands and result are of one type."""

    def rule(form: Form) -> Computation:
        type = form.type()
        return Computation([type], [type] * operands, function)

    return rule


def extreme(function: Function) -> Rule:
    """The rule of `min{.relu}.type` and `max{.relu}.type`; with `.relu`, a result below 0 becomes 0."""

    def rule(form: Form) -> Computation:
        relu, type = form.has("relu"), form.type()

        def compute(x: Array, y: Array) -> Array:
            result = function(x, y)
            return np.maximum(result, type.dtype.type(0)) if relu else result

        return Computation([type], [type] * 2, compute)

    return rule


def absolute_difference(form: Form) -> Computation:
    """`sad.type`: `z + |x - y|`."""
    type = form.type()

    def function(x: Array, y: Array, z: Array) -> Array:
        return z + np.where(x < y, y - x, x - y)

    return Computation([type], [type] * 3, function)


def _parts(value: Array, type: Type, bits: int) -> Array:
    """The numbers of so many bits in words, along a further axis."""
    return value[..., None].view(f"{'int' if type.kind is Kind.SIGNED else 'uint'}{bits}").astype(np.int64)


def dot_product(count: int) -> Rule:
    """The rule of `dp4a` and, for a `count` of 2, `dp2a.lo`, `dp2a.hi`: bytes of `y`; bytes or halves of `x`."""

    def rule(form: Form) -> Computation:
        half = form.required("lo", "hi") if count == 2 else "lo"
        first, second = form.types(2)
        signed = Kind.SIGNED in (first.kind, second.kind)
        result = TYPES["s32" if signed else "u32"]

        def function(x: Array, y: Array, z: Array) -> Array:
            of_x, of_y = _parts(x, first, 32 // count), _parts(y, second, 8)
            of_y = of_y[..., 2:] if half == "hi" else of_y[..., :count]
            return ((of_x * of_y).sum(axis=-1) + z).astype(result.dtype)

        return Computation([result], [first, second, result], function)

    return rule


def by_parts(operate: Callable[[Array, Array], Array], count: int) -> Rule:
    """`vadd4.dtype.atype.btype{.sat,.add} d, a, b, c` and others, by bytes or halves; `.add` gives a sum with `c`."""

    def rule(form: Form) -> Computation:
        saturates, adds = form.has("sat"), form.has("add")
        result, first, second = form.types(3)
        part = np.dtype(f"{'int' if result.kind is Kind.SIGNED else 'uint'}{32 // count}")

        def function(x: Array, y: Array, z: Array) -> Array:
            found = operate(_parts(x, first, 32 // count), _parts(y, second, 32 // count))
            if adds:
                return (found.sum(axis=-1) + z).astype(result.dtype)
            found = found.clip(np.iinfo(part).min, np.iinfo(part).max) if saturates else found
            return found.astype(part).view(result.dtype)[..., 0]

        return Computation([result], [first, second, result], function)

    return rule


BY_PARTS: Mapping[str, Callable[[Array, Array], Array]] = {
    "vadd": np.add,
    "vsub": np.subtract,
    "vabsdiff": lambda x, y: abs(x - y),
    "vmin": np.minimum,
    "vmax": np.maximum,
}
DIVISION = by_form({"s32": (18.0, 24.0), "u32": (15.0, 20.0), "s64": (60.0, 100.0), "u64": (60.0, 100.0)})
PRODUCT = if_wide((3.0, 5.0))

INTEGERS: Mapping[str, Row] = {
    "add": computation(sum_or_difference(np.add, carried), TWO_STEPS),
    "sub": computation(sum_or_difference(np.subtract, borrowed), TWO_STEPS),
    "addc": computation(reading_carry(carried)),
    "subc": computation(reading_carry(borrowed)),
    "mul": computation(multiply, PRODUCT),
    "mad": computation(multiply_add, PRODUCT),
    "madc": computation(multiply_add_with_carry),
    "mul24": computation(multiply_24),
    "div": computation(elementwise(integers.divide, 2), DIVISION),
    "rem": computation(elementwise(integers.remainder, 2), DIVISION),
    "abs": computation(elementwise(np.abs, 1), FOLDED),
    "neg": computation(elementwise(np.negative, 1), FOLDED),
    "min": computation(extreme(np.minimum), TWO_STEPS),
    "max": computation(extreme(np.maximum), TWO_STEPS),
    "sad": computation(absolute_difference),
    "dp4a": computation(dot_product(4)),
    "dp2a": computation(dot_product(2)),
    **{f"{name}{n}": computation(by_parts(operate, n)) for name, operate in BY_PARTS.items() for n in (2, 4)},
}
"""Instructions of integer types, also packed ones."""
