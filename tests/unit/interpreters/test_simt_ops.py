"""Each op in a lane against Python's and numpy's own arithmetic."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from kernels import run, scalar_op
from special_values import DTYPES, pairs, special_values
from xdsl.universe import Universe

from xshardy.interpreters.simt.errors import SimtError
from xshardy.interpreters.simt.kernel import RULES
from xshardy.numerics.element_types import BITS
from xshardy.universe import new_context

SIGNLESS = ("i1", "i4", "i8", "i16", "i32", "i64")


def bits_of(values, width: int) -> list[int]:
    return [int(value) % 2**width for value in values]


def signed(bits: int, width: int) -> int:
    return bits - 2**width if bits >= 2 ** (width - 1) else bits


def truncated(x: int, y: int, width: int) -> int:
    return -1 if y == 0 else int(math.copysign(1, x * y)) * (abs(x) // abs(y)) if x * y else 0


SIGNED_BINARY = {
    "arith.divsi": lambda x, y, w: truncated(x, y, w),
    "arith.remsi": lambda x, y, w: x if y == 0 else x - y * truncated(x, y, w),
    "arith.minsi": lambda x, y, w: min(x, y),
    "arith.maxsi": lambda x, y, w: max(x, y),
    "arith.addi": lambda x, y, w: x + y,
    "arith.subi": lambda x, y, w: x - y,
    "arith.muli": lambda x, y, w: x * y,
    "arith.shrsi": lambda x, y, w: x >> min(y % 2**w, w),
}
UNSIGNED_BINARY = {
    "arith.divui": lambda x, y, w: -1 if y == 0 else x // y,
    "arith.remui": lambda x, y, w: x if y == 0 else x % y,
    "arith.minui": lambda x, y, w: min(x, y),
    "arith.maxui": lambda x, y, w: max(x, y),
    "arith.andi": lambda x, y, w: x & y,
    "arith.ori": lambda x, y, w: x | y,
    "arith.xori": lambda x, y, w: x ^ y,
    "arith.shli": lambda x, y, w: x << y if y < w else 0,
    "arith.shrui": lambda x, y, w: x >> y if y < w else 0,
}


@pytest.mark.parametrize("type", SIGNLESS)
@pytest.mark.parametrize("op", [*SIGNED_BINARY, *UNSIGNED_BINARY])
def test_integer_ops_wrap_around(op: str, type: str):
    dtype = DTYPES[type]
    width = BITS[dtype]
    x, y = pairs(special_values(dtype))
    actual = bits_of(scalar_op(f"{op} %a, %b : {type}", f"{type} -> {type}", x, y), width)
    left, right = bits_of(x, width), bits_of(y, width)
    if op in SIGNED_BINARY:
        left, right = ([signed(bits, width) for bits in side] for side in (left, right))
    compute = SIGNED_BINARY.get(op) or UNSIGNED_BINARY[op]
    expected = [compute(a, b, width) for a, b in zip(left, right, strict=True)]
    assert actual == bits_of(expected, width)


@pytest.mark.parametrize("type", SIGNLESS)
@pytest.mark.parametrize("predicate", ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"])
def test_cmpi(predicate: str, type: str):
    dtype = DTYPES[type]
    width = BITS[dtype]
    x, y = pairs(special_values(dtype))
    actual = scalar_op(f"arith.cmpi {predicate}, %a, %b : {type}", f"{type} -> i1", x, y)
    compare = {"t": "<", "e": "<="}[predicate[-1]] if predicate[0] in "su" else {"eq": "==", "ne": "!="}[predicate]
    compare = compare.replace("<", ">") if predicate[1:2] == "g" else compare
    read = (lambda b: signed(b, width)) if predicate[0] == "s" else (lambda b: b)
    left, right = map(read, bits_of(x, width)), map(read, bits_of(y, width))
    assert actual.tolist() == [eval(f"a {compare} b") for a, b in zip(left, right, strict=True)]


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("type", ["f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2"])
def test_cmpf_orders_nan_by_its_predicate(type: str):
    x, y = pairs(special_values(DTYPES[type]))
    nan = np.isnan(x) | np.isnan(y)
    basis = {"eq": x == y, "gt": x > y, "ge": x >= y, "lt": x < y, "le": x <= y, "ne": x != y}
    for name, holds in basis.items():
        for prefix, expected in (("o", holds & ~nan), ("u", holds | nan)):
            actual = scalar_op(f"arith.cmpf {prefix}{name}, %a, %b : {type}", f"{type} -> i1", x, y)
            assert (actual == expected).all(), prefix + name
    assert (scalar_op(f"arith.cmpf ord, %a, %b : {type}", f"{type} -> i1", x, y) == ~nan).all()
    assert (scalar_op(f"arith.cmpf uno, %a, %b : {type}", f"{type} -> i1", x, y) == nan).all()


@pytest.mark.parametrize(
    ("op", "type", "x", "expected"),
    [
        ("arith.extsi %a : i4 to i32", "i4 -> i32", [-8, -1, 7], [-8, -1, 7]),
        ("arith.extui %a : i4 to i32", "i4 -> i32", [-8, -1, 7], [8, 15, 7]),
        ("arith.extsi %a : i1 to i8", "i1 -> i8", [False, True], [0, -1]),
        ("arith.extui %a : i1 to i8", "i1 -> i8", [False, True], [0, 1]),
        ("arith.trunci %a : i32 to i8", "i32 -> i8", [256, 255, 128], [0, -1, -128]),
        ("arith.trunci %a : i32 to i1", "i32 -> i1", [2, 3, -1], [False, True, True]),
        ("arith.sitofp %a : i1 to f32", "i1 -> f32", [False, True], [0, -1]),
        ("arith.uitofp %a : i1 to f32", "i1 -> f32", [False, True], [0, 1]),
        ("arith.uitofp %a : i64 to f64", "i64 -> f64", [-1, 3], [2.0**64, 3]),
        ("arith.fptosi %a : f32 to i8", "f32 -> i8", [300, -300, np.nan, -1.9], [127, -128, 0, -1]),
        ("arith.fptoui %a : f32 to i8", "f32 -> i8", [300, -3, np.nan, 200.5], [-1, 0, 0, -56]),
        ("arith.index_cast %a : i32 to index", "i32 -> index", [-1, 5], [-1, 5]),
        ("arith.index_castui %a : i32 to index", "i32 -> index", [-1, 5], [2**32 - 1, 5]),
        ("arith.index_cast %a : index to i32", "index -> i32", [2**32 + 5, -1], [5, -1]),
        ("arith.bitcast %a : f32 to i32", "f32 -> i32", [1.0, -0.0], [0x3F800000, -(2**31)]),
        ("arith.truncf %a : f64 to f32", "f64 -> f32", [0.1], [np.float32(0.1)]),
        ("math.ctlz %a : i16", "i16 -> i16", [0, 1, -1], [16, 15, 0]),
        ("math.cttz %a : i16", "i16 -> i16", [0, 8, -1], [16, 3, 0]),
        ("math.ctpop %a : i16", "i16 -> i16", [0, 8, -1], [0, 1, 16]),
        ("math.absi %a : i8", "i8 -> i8", [-128, -5, 5], [-128, 5, 5]),
        ("math.round %a : f32", "f32 -> f32", [0.5, -0.5, 1.5, 0.49999997, -2.4], [1, -1, 2, 0, -2]),
        ("math.roundeven %a : f32", "f32 -> f32", [0.5, -0.5, 1.5, 2.5], [0, 0, 2, 2]),
        ("math.isnan %a : f32", "f32 -> i1", [np.nan, np.inf, 0], [True, False, False]),
        ("math.isinf %a : f32", "f32 -> i1", [np.nan, np.inf, 0], [False, True, False]),
        ("math.isfinite %a : f32", "f32 -> i1", [np.nan, -np.inf, 0], [False, False, True]),
        ("math.isnormal %a : f32", "f32 -> i1", [np.inf, 1e-45, 0, -1], [False, False, False, True]),
        ("math.erf %a : f64", "f64 -> f64", [0.0, 0.5, -np.inf], [0.0, math.erf(0.5), -1.0]),
        ("math.erf %a : bf16", "bf16 -> bf16", [0.5, 1.0], [0.519531, 0.84375]),
    ],
)
def test_conversions_and_functions(op: str, type: str, x: list, expected: list):
    source = DTYPES.get(type.split(" -> ")[0], np.dtype(np.int64))
    actual = scalar_op(op, type, np.array(x).astype(source))
    np.testing.assert_allclose(actual.astype(np.float64), np.array(expected, np.float64), rtol=1e-6)


ELEMENTARY = {
    "acos": math.acos, "acosh": math.acosh, "asin": math.asin, "asinh": math.asinh, "atan": math.atan,
    "atanh": math.atanh, "cbrt": math.cbrt, "ceil": math.ceil, "cos": math.cos, "cosh": math.cosh, "erf": math.erf,
    "erfc": math.erfc, "exp": math.exp, "exp2": math.exp2, "expm1": math.expm1, "floor": math.floor, "log": math.log,
    "log10": math.log10, "log1p": math.log1p, "log2": math.log2, "rsqrt": lambda x: 1 / math.sqrt(x), "sin": math.sin,
    "sinh": math.sinh, "sqrt": math.sqrt, "tan": math.tan, "tanh": math.tanh, "trunc": math.trunc,
}  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary_functions(name: str):
    x = [1.25, 3.5] if name == "acosh" else [0.25, 0.75]
    actual = scalar_op(f"math.{name} %a : f64", "f64 -> f64", np.array(x))
    np.testing.assert_allclose(actual, [ELEMENTARY[name](value) for value in x], rtol=1e-15)


@pytest.mark.parametrize("type", SIGNLESS)
def test_extended_sums_say_whether_they_wrap_around(type: str):
    width = BITS[DTYPES[type]]
    x, y = pairs(special_values(DTYPES[type]))
    body = f"""
      %i = gpu.thread_id x
      %a = tensor.extract %x[%i] : tensor<{len(x)}x{type}>
      %b = tensor.extract %y[%i] : tensor<{len(x)}x{type}>
      %sum, %overflow = arith.addui_extended %a, %b : {type}, i1
      func.return %sum, %overflow : {type}, i1"""
    signature = f"(%x: tensor<{len(x)}x{type}>, %y: tensor<{len(x)}x{type}>) -> ({type}, i1)"
    sums, overflows = run(body, signature, x, y, block=(len(x), 1, 1))
    exact = [a + b for a, b in zip(bits_of(x, width), bits_of(y, width), strict=True)]
    assert bits_of(sums[0], width) == [number % 2**width for number in exact]
    assert overflows[0].tolist() == [number >= 2**width for number in exact]


@pytest.mark.parametrize("exponent", [3, 0, -2])
def test_integer_powers_of_floats(exponent: int):
    x = np.array([1.5, -2.0, 0.25, -0.5])
    power = f"arith.constant {exponent} : i32\n%r1 = math.fpowi %a, %r : f64, i32"
    body = f"""
      %i = gpu.thread_id x
      %a = tensor.extract %x[%i] : tensor<4xf64>
      %r = {power}
      func.return %r1 : f64"""
    (found,) = run(body, "(%x: tensor<4xf64>) -> f64", x)
    np.testing.assert_allclose(found[0], x**exponent, rtol=1e-15)


def test_extended_products_hold_both_halves():
    x, y = pairs(special_values(np.dtype(np.int64)))
    for op, read in (("mulsi_extended", lambda v: v), ("mului_extended", lambda v: v % 2**64)):
        body = f"""
          %i = gpu.thread_id x
          %a = tensor.extract %x[%i] : tensor<{len(x)}xi64>
          %b = tensor.extract %y[%i] : tensor<{len(x)}xi64>
          %low, %high = arith.{op} %a, %b : i64
          func.return %low, %high : i64, i64"""
        signature = f"(%x: tensor<{len(x)}xi64>, %y: tensor<{len(x)}xi64>) -> (i64, i64)"
        low, high = run(body, signature, x, y, block=(len(x), 1, 1))
        products = [read(int(a)) * read(int(b)) for a, b in zip(x, y, strict=True)]
        assert bits_of(low[0], 64) == [p % 2**64 for p in products]
        assert bits_of(high[0], 64) == [(p >> 64) % 2**64 for p in products]


@pytest.mark.parametrize("type", ["f32", "bf16", "f16", "f64"])
def test_fma_rounds_once(type: str):
    rng = np.random.default_rng(1)
    x, y, z = (rng.normal(0, 1, 500).astype(DTYPES[type]) for _ in range(3))
    z[::2] = -(x * y)[::2]  # a rounded product would hide the difference
    actual = scalar_op(f"math.fma %a, %b, %c : {type}", f"{type} -> {type}", x, y, z)
    exact = [Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)) for a, b, c in zip(x, y, z, strict=True)]
    for value, number in zip(actual, exact, strict=True):
        error = abs(Fraction(float(value)) - number)
        above, below = (np.nextafter(value, value.dtype.type(s * np.inf)) for s in (1, -1))
        assert all(error <= abs(Fraction(float(other)) - number) for other in (above, below))


def test_f64_is_rounded_to_bf16_once():
    """In f32 the number would round to a tie of bf16 first, and then down."""
    x = np.array([1 + 2.0**-8 + 2.0**-40])
    assert scalar_op("arith.truncf %a : f64 to bf16", "f64 -> bf16", x)[0] == ml_dtypes.bfloat16(1 + 2.0**-7)


def test_maximum_and_minimum_of_zeros_and_nan():
    x, y = np.array([0.0, -0.0, np.nan, 1], np.float32), np.array([-0.0, 0.0, 1, np.nan], np.float32)
    for op, sign in (("arith.maximumf", False), ("arith.minimumf", True)):
        actual = scalar_op(f"{op} %a, %b : f32", "f32 -> f32", x, y)
        assert np.signbit(actual[:2]).tolist() == [sign, sign]
        assert np.isnan(actual[2:]).all()
    assert scalar_op("arith.maxnumf %a, %b : f32", "f32 -> f32", x, y)[2:].tolist() == [1, 1]


def test_complex_ops():
    body = """
      %a = complex.constant [1.0 : f32, -2.0 : f32] : complex<f32>
      %b = complex.create %x, %x : complex<f32>
      %c = complex.mul %a, %b : complex<f32>
      %d = complex.abs %c : complex<f32>
      %e = complex.im %c : complex<f32>
      %f = complex.neq %a, %b : complex<f32>
      func.return %c, %d, %e, %f : complex<f32>, f32, f32, i1"""
    c, d, e, f = run(body, "(%x: f32) -> (complex<f32>, f32, f32, i1)", np.float32(3), block=(1, 1, 1))
    assert (c[0, 0], e[0, 0], f[0, 0]) == (9 - 3j, -3, True)
    assert d[0, 0] == np.abs(np.complex64(9 - 3j))


COMPLEX_FUNCTIONS = {
    "complex.add %a, %b": np.add,
    "complex.atan2 %a, %b": lambda y, x: -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y)),
    "complex.conj %a": np.conj,
    "complex.cos %a": np.cos,
    "complex.div %a, %b": np.divide,
    "complex.exp %a": np.exp,
    "complex.expm1 %a": np.expm1,
    "complex.log %a": np.log,
    "complex.log1p %a": np.log1p,
    "complex.mul %a, %b": np.multiply,
    "complex.neg %a": np.negative,
    "complex.pow %a, %b": np.power,
    "complex.rsqrt %a": lambda z: 1 / np.sqrt(z),
    "complex.sign %a": lambda z: z / np.abs(z),
    "complex.sin %a": np.sin,
    "complex.sqrt %a": np.sqrt,
    "complex.sub %a, %b": np.subtract,
    "complex.tan %a": np.tan,
    "complex.tanh %a": np.tanh,
}


@pytest.mark.parametrize("op", COMPLEX_FUNCTIONS)
def test_complex_functions(op: str):
    kind = "complex<f64>"
    arguments = [np.array([0.5 - 0.25j, -2 + 1j, 3j]), np.array([1.5 + 1j, 0.5j, -1])][: 1 + op.count("%b")]
    np.testing.assert_allclose(
        scalar_op(f"{op} : {kind}", f"{kind} -> {kind}", *arguments), COMPLEX_FUNCTIONS[op](*arguments), rtol=1e-12
    )


VECTORS = """
  %i = gpu.thread_id x
  %c1 = arith.constant 1 : index
  %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %a = vector.extract %v[%i] : f32 from vector<4xf32>
  %b = vector.insert %a, %v[2] : f32 into vector<4xf32>
  %c = vector.extract %b[2] : f32 from vector<4xf32>
  %d = vector.insert %x, %b[%i] : f32 into vector<4xf32>
  %e = vector.reduction <add>, %d : vector<4xf32> into f32
  %f = vector.broadcast %x : f32 to vector<4xf32>
  %g = arith.mulf %f, %v : vector<4xf32>
  %h = vector.extract %g[3] : f32 from vector<4xf32>
  %s = vector.shape_cast %v : vector<4xf32> to vector<2x2xf32>
  %t = vector.extract %s[1, 0] : f32 from vector<2x2xf32>
  %u = vector.bitcast %v : vector<4xf32> to vector<8xi16>
  %w = vector.extract %u[1] : i16 from vector<8xi16>
  %m = vector.from_elements %a, %x : vector<2xf32>
  %n = vector.extract %m[%c1] : f32 from vector<2xf32>
  func.return %a, %c, %e, %h, %t, %w, %n : f32, f32, f32, f32, f32, i16, f32"""
MASKS = """
  %i = gpu.thread_id x
  %c2 = arith.constant 2 : index
  %v = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
  %w = arith.constant dense<[3.0, 4.0, 5.0]> : vector<3xf32>
  %s = vector.shuffle %v, %w [4, 0, 1, 2] : vector<2xf32>, vector<3xf32>
  %a = vector.extract %s[%i] : f32 from vector<4xf32>
  %m = vector.create_mask %c2, %i : vector<3x3xi1>
  %b = vector.extract %m[1, 1] : i1 from vector<3x3xi1>
  %c = vector.extract %m[2, 0] : i1 from vector<3x3xi1>
  func.return %a, %b, %c : f32, i1, i1"""


def test_vectors():
    a, c, e, h, t, w, n = run(VECTORS, "(%x: f32) -> (f32, f32, f32, f32, f32, i16, f32)", np.float32(10))
    assert np.broadcast_to(a, (1, 4)).tolist() == [[1, 2, 3, 4]] == c.tolist()
    d = np.array([[10, 2, 1, 4], [1, 10, 2, 4], [1, 2, 10, 4], [1, 2, 4, 10]])
    assert e.tolist() == [d.sum(axis=1).tolist()]
    assert (h[0, 0], t[0, 0], w[0, 0], n[0, 0]) == (40, 3, 0x3F80, 10)


def test_shuffled_vectors_and_masks_of_vectors():
    """Of a mask of two rows and as many columns as the number of the thread, an element in and one below it."""
    a, b, c = run(MASKS, "() -> (f32, i1, i1)")
    assert a.tolist() == [[5, 1, 2, 3]]
    assert np.broadcast_to(b, (1, 4)).tolist() == [[False, False, True, True]]
    assert not c.any()


def test_a_position_behind_the_end_of_a_vector():
    body = VECTORS.replace("vector.extract %v[%i]", "vector.extract %v[%j]")
    body = body.replace(
        "%c1 = arith.constant 1 : index", "%c1 = arith.constant 1 : index\n%j = arith.addi %i, %c1 : index"
    )
    with pytest.raises(SimtError, match=r"position 4 is out of bounds in dimension 0 of size 4, in thread \(3, 0, 0\)"):
        run(body, "(%x: f32) -> (f32, f32, f32, f32, f32, i16, f32)", np.float32(10))


CAST = """
  %a = builtin.unrealized_conversion_cast %x : f32 to i32
  func.return %a : i32"""


def test_a_cast_reads_the_same_bits_as_another_type():
    (found,) = run(CAST, "(%x: f32) -> i32", np.float32(-2.5))
    assert found[0, 0] == np.array(-2.5, np.float32).view(np.int32)
    with pytest.raises(SimtError, match="holds these types in a different number of bytes"):
        run(CAST.replace("i32", "i64"), "(%x: f32) -> i64", np.float32(1))
    several = CAST.replace("%a = ", "%a, %b = ").replace(": f32 to i32", ": f32 to i32, i32")
    with pytest.raises(SimtError, match="a cast of several values has no meaning of its own"):
        run(several, "(%x: f32) -> i32", np.float32(1))


def test_every_rule_is_for_an_op_that_exists():
    context = new_context()
    for name in Universe.get_multiverse().all_dialects:
        if any(rule.startswith(f"{name}.") for rule in RULES):
            context.get_optional_dialect(name) or context.load_registered_dialect(name)
    missing = [name for name in RULES if context.get_optional_op(name) is None]
    assert not missing
