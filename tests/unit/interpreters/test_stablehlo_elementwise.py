"""Every elementwise op on every element type against XLA on the CPU, on the values where implementations differ."""

import numpy as np
import pytest
from special_values import DTYPES, assert_same, pairs, special_values
from xdsl.utils.exceptions import InterpretationError

from xshardy.dialects import chlo, hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.interpreters.stablehlo.elementwise import ELEMENTWISE
from xshardy.numerics import complexes
from xshardy.numerics.element_types import KINDS, Kind
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.chlo.legalize_to_stablehlo import LegalizeToStablehloPass
from xshardy.universe import new_context

FLOAT_AND_COMPLEX = {
    "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt", "sine", "sqrt", "tan",
    "tanh",
}  # fmt: skip
FLOAT_ONLY = {"cbrt", "ceil", "floor", "round_nearest_afz", "round_nearest_even"}
UNARY = {
    Kind.PRED: {"not"},
    Kind.INTEGER: {"count_leading_zeros", "negate", "not", "popcnt"},
    Kind.FLOAT: {"abs", "negate", "sign", *FLOAT_AND_COMPLEX, *FLOAT_ONLY},
    Kind.COMPLEX: {"negate", "sign", *FLOAT_AND_COMPLEX} - {"sine"},  # XLA's is off by 1e-8 near 0
}
ARITHMETIC = {"add", "divide", "multiply", "subtract"}
BITS = {"and", "or", "xor"}
SHIFTS = {"shift_left", "shift_right_arithmetic", "shift_right_logical"}
BINARY = {
    Kind.PRED: {"add", "multiply", "maximum", "minimum", *BITS},
    Kind.INTEGER: {"maximum", "minimum", "power", "remainder", *ARITHMETIC, *BITS, *SHIFTS},
    Kind.FLOAT: {"atan2", "maximum", "minimum", "power", "remainder", *ARITHMETIC},
    Kind.COMPLEX: ARITHMETIC,
}
TO_REAL = {"abs", "imag", "real"}
DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")

STEPS = {"power": 16, "tan": 16}
"""Ops that XLA computes with a larger error."""


def ops_on(name: str) -> list[tuple[str, str, str]]:
    """For the element type `name`: the label, the op with its operands and attributes, and its type."""
    dtype = DTYPES[name]
    kind = KINDS[dtype]
    x, pred = f"tensor<Nx{name}>", "tensor<Nxi1>"
    unary = set(UNARY[kind])
    if kind is Kind.INTEGER and not name.startswith("u"):
        unary |= {"abs", "sign"} if name != "i4" else {"sign"}
    if name == "i4":
        unary -= {"popcnt"}  # XLA does not mask the sign bits of an i4 here
    result = [(op, f'"stablehlo.{op}"(%x)', f"({x}) -> {x}") for op in sorted(unary)]
    for op in sorted(BINARY[kind]):
        right = "e" if op == "power" and kind is Kind.INTEGER else "y"
        result.append((op, f'"stablehlo.{op}"(%x, %{right})', f"({x}, {x}) -> {x}"))
    if kind is Kind.COMPLEX:
        real = f"tensor<Nx{name[8:-1]}>"
        result += [(op, f'"stablehlo.{op}"(%x)', f"({x}) -> {real}") for op in sorted(TO_REAL)]
    if kind is Kind.FLOAT:
        result.append(("is_finite", '"stablehlo.is_finite"(%x)', f"({x}) -> {pred}"))
        result += [
            (f"reduce_precision {e} {m}", f"stablehlo.reduce_precision %x, format = e{e}m{m}", x)
            for e, m in ((5, 10), (8, 7), (4, 3), (5, 2), (2, 1), (11, 52))
        ]
    types = {Kind.FLOAT: ("FLOAT", "TOTALORDER"), Kind.COMPLEX: ("FLOAT",)}
    for ordering in types.get(kind, ("UNSIGNED" if name.startswith("u") or kind is Kind.PRED else "SIGNED",)):
        for direction in DIRECTIONS[:2] if kind is Kind.COMPLEX else DIRECTIONS:
            text = f"stablehlo.compare {direction}, %x, %y, {ordering}"
            result.append((f"compare {direction} {ordering}", text, f"({x}, {x}) -> {pred}"))
    if kind is not Kind.COMPLEX:
        result.append(("clamp", "stablehlo.clamp %y, %x, %x", x))
    result.append(("select", "stablehlo.select %p, %x, %y", f"{pred}, {x}"))
    return result


def module_of(name: str, ops: list[tuple[str, str, str]], size: int) -> str:
    types = [type.split("->")[-1].strip() if "->" in type else type.split(", ")[-1] for _, _, type in ops]
    body = "\n".join(f"  %{i} = {op} : {type}" for i, (_, op, type) in enumerate(ops))
    results = ", ".join(f"%{i}" for i in range(len(ops)))
    x = f"tensor<Nx{name}>"
    text = (
        f"module {{ func.func public @main(%x: {x}, %y: {x}, %e: {x}, %p: tensor<Nxi1>) -> ({', '.join(types)}) {{\n"
        f"{body}\n  return {results} : {', '.join(types)}\n}} }}"
    )
    return text.replace("<N", f"<{size}")


@pytest.mark.parametrize("name", DTYPES)
def test_elementwise_ops_compute_what_xla_computes(name: str, run_on_xla):
    x, y = pairs(special_values(DTYPES[name]))
    kind = KINDS[DTYPES[name]]
    # XLA reads the six lowest bits of an exponent only.
    exponents = np.where(y.astype(np.float64) < 64, y, y.dtype.type(3)) if kind is Kind.INTEGER else y
    pred = np.arange(len(x)) % 3 == 0
    ops = ops_on(name)
    text = module_of(name, ops, len(x))
    actual = evaluate(parse_module(text), [x, y, exponents.astype(y.dtype), pred])
    expected = run_on_xla(text, [x, y, exponents.astype(y.dtype), pred])
    for (label, _, _), ours, theirs in zip(ops, actual, expected, strict=True):
        steps = 256 if kind is Kind.COMPLEX else STEPS.get(label, 4)
        assert_same(ours, theirs, f"{label} of {name}", steps)


@pytest.mark.parametrize("name", DTYPES)
def test_convert_to_every_type(name: str, run_on_xla):
    x = special_values(DTYPES[name])
    source = f"tensor<Nx{name}>"
    ops = [(target, "stablehlo.convert %x", f"({source}) -> tensor<Nx{target}>") for target in DTYPES]
    text = module_of(name, ops, len(x))
    arguments = [x, x, x, np.zeros(len(x), np.bool_)]
    expected = run_on_xla(text, arguments)
    for (target, _, _), ours, theirs in zip(ops, evaluate(parse_module(text), arguments), expected, strict=True):
        assert_same(ours, theirs, f"{name} to {target}", steps=0)


@pytest.mark.parametrize("name", ["complex<f32>", "complex<f64>"])
@pytest.mark.parametrize("function", ["stablehlo.exponential", "chlo.square"])
def test_complex_functions_of_the_largest_numbers_and_infinities(name: str, function: str, run_on_xla):
    """Where the parts overflow, by the rule and by the decomposition: XLA's infinities and NaN in each part."""
    dtype = DTYPES[name]
    largest = np.finfo(dtype).max
    parts = [0.5, -0.5, np.inf, -np.inf, np.nan, largest, -largest]
    x = np.array([complex(a, b) for a in parts for b in parts], dtype)
    type = f"tensor<49x{name}>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = "{function}"(%x) : ({type}) -> {type}
      return %0 : {type}
    }}"""
    module = parse_module(text)
    (by_rule,) = evaluate(module, [x])
    LegalizeToStablehloPass().apply(new_context(), module)
    (by_decomposition,) = evaluate(module, [x])
    (expected,) = run_on_xla(print_module(module), [x])
    for actual in (by_rule, by_decomposition):
        for part in (np.real, np.imag):
            np.testing.assert_allclose(part(actual), part(expected), rtol=1e-5 if dtype == np.complex64 else 1e-14)


@pytest.mark.parametrize("name", ["complex<f32>", "complex<f64>"])
@pytest.mark.parametrize(
    ("function", "numbers"),
    [
        ("rsqrt", [complex(a, b) for a in (-1, 0.5, np.inf, -np.inf) for b in (np.inf, -np.inf)]),
        ("log_plus_one", [complex(a, b) for a in (-100, -2, -0.25, 3) for b in (0.0, -0.0)]),
    ],
)
def test_complex_functions_at_infinities_and_beside_cuts(name: str, function: str, numbers: list[complex], run_on_xla):
    x = np.array(numbers, DTYPES[name])
    type = f"tensor<8x{name}>"
    text = f"""func.func public @main(%x: {type}) -> {type} {{
      %0 = stablehlo.{function} %x : {type}
      return %0 : {type}
    }}"""
    (expected,) = run_on_xla(text, [x])
    (actual,) = evaluate(parse_module(text), [x])
    for part in (np.real, np.imag):
        np.testing.assert_allclose(part(actual), part(expected), rtol=1e-5 if name == "complex<f32>" else 1e-14)


FUNCTIONS = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "erf", "erfc", "erf_inv")


@pytest.mark.parametrize("name", ["f32", "f64", "bf16"])
@pytest.mark.parametrize(
    "function", ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "erf", "erfc", "erf_inv"]
)
def test_functions_of_chlo_and_hlo(name: str, function: str):
    """Both dialects have them, in places; JAX computes them on the CPU."""
    import jax
    from jax import lax

    x = np.array([-1.0, -0.75, -1e-3, -0.0, 0.0, 0.25, 0.5, 0.999, 1.0, 1.5, 3.0, -2.0]).astype(DTYPES[name])
    with jax.enable_x64(True):
        expected = np.asarray(getattr(lax, function)(jax.numpy.asarray(x)))
    for dialect in ("chlo", "hlo"):
        text = f"""func.func @main(%x: tensor<12x{name}>) -> tensor<12x{name}> {{
          %0 = "{dialect}.{function}"(%x) : (tensor<12x{name}>) -> tensor<12x{name}>
          return %0 : tensor<12x{name}>
        }}"""
        known = {op.name for op in (*chlo.CHLO.operations, *hlo.HLO.operations)}
        if f"{dialect}.{function}" in known:
            (actual,) = evaluate(parse_module(text), [x])
            assert_same(actual, expected, f"{dialect}.{function} of {name}", steps=64)


def test_every_elementwise_op_has_a_rule():
    from xshardy.dialects.stablehlo import STABLEHLO
    from xshardy.dialects.stablehlo.elementwise_binary import BinaryElementwiseOp
    from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
    from xshardy.dialects.stablehlo.quantization import UniformDequantizeOp, UniformQuantizeOp

    others = (hlo.CopyOp, UniformQuantizeOp, UniformDequantizeOp)
    for dialect in (STABLEHLO, hlo.HLO):
        for op in dialect.operations:
            if issubclass(op, BinaryElementwiseOp | UnaryElementwiseOp) and op not in others:
                assert op in ELEMENTWISE, op.name


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_quotients_of_infinities_nans_and_zeros_are_those_of_xla(dtype: type[np.generic]):
    import jax

    parts = np.array([0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan])
    numbers = np.empty(49, dtype)
    numbers.real, numbers.imag = np.repeat(parts, 7), np.tile(parts, 7)
    x, y = np.repeat(numbers, 49), np.tile(numbers, 49)
    with jax.enable_x64(True):
        expected = np.asarray(jax.jit(lambda x, y: x / y)(x, y))
    with np.errstate(all="ignore"):
        found = complexes.divide(x, y)
    for ours, theirs in ((found.real, expected.real), (found.imag, expected.imag)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        number = ~np.isnan(ours)
        np.testing.assert_array_equal(np.signbit(ours)[number], np.signbit(theirs)[number])


@pytest.mark.parametrize(
    ("element", "kind", "fitting"),
    [
        ("i32", "UNSIGNED", "SIGNED"),
        ("i32", "TOTALORDER", "SIGNED"),
        ("ui8", "SIGNED", "UNSIGNED"),
        ("i1", "SIGNED", "UNSIGNED"),
        ("f32", "SIGNED", "FLOAT or TOTALORDER"),
        ("complex<f32>", "TOTALORDER", "FLOAT"),
    ],
)
def test_a_comparison_of_a_type_that_the_elements_do_not_have_is_refused(element: str, kind: str, fitting: str):
    """XLA's verifier refuses each of them."""
    x = f"tensor<2x{element}>"
    module = parse_module(
        f"func.func @main(%x: {x}) -> tensor<2xi1> {{\n"
        f"  %0 = stablehlo.compare EQ, %x, %x, {kind} : ({x}, {x}) -> tensor<2xi1>\n  return %0 : tensor<2xi1>\n}}"
    )
    with pytest.raises(InterpretationError, match=rf"compare_type {kind} does not fit .* {element}: use {fitting}$"):
        evaluate(module, [np.zeros(2, DTYPES[element])])
