"""
Every elementwise opcode on every element type: the emitted kernel, run on a CPU, against the StableHLO reference.

Row XGPU-14.
"""

from collections.abc import Sequence

import pytest
from emission import check

FLOATS = ("f64", "f32", "f16", "bf16")
SMALL_FLOATS = ("f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3", "f8e3m4")
SIGNED = ("s8", "s16", "s32", "s64", "s4")
UNSIGNED = ("u8", "u16", "u32", "u64", "u4")
COMPLEX = ("c64", "c128")
SIZE = 600
"""Elements: 5 blocks, the last one not full."""


def hlo(result: str, operands: Sequence[str], instruction: str, size: str = f"[{SIZE}]") -> str:
    """A module whose fusion is one instruction: `opcode({})attributes`, with the operands in place of the braces."""
    parameters = "\n".join(f"  p{i} = {type}{size} parameter({i})" for i, type in enumerate(operands))
    names = ", ".join(f"p{i}" for i in range(len(operands)))
    return f"""
    HloModule m
    fused {{
    {parameters}
      ROOT r = {result}{size} {instruction.format(names)}
    }}
    ENTRY main {{
    {parameters}
      ROOT fusion = {result}{size} fusion({names}), kind=kLoop, calls=fused
    }}
    """


FLOAT_UNARY = [
    "abs",
    "ceil",
    "cosine",
    "exponential",
    "exponential-minus-one",
    "floor",
    "is-finite",
    "log",
    "log-plus-one",
    "logistic",
    "negate",
    "round-nearest-afz",
    "round-nearest-even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
    "cbrt",
    "erf",
    "real",
    "imag",
]
FLOAT_BINARY = ["add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "remainder", "atan2"]
INTEGER_UNARY = ["negate", "not", "popcnt", "count-leading-zeros"]
INTEGER_BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "remainder",
    "maximum",
    "minimum",
    "power",
    "and",
    "or",
    "xor",
    "shift-left",
    "shift-right-logical",
    "shift-right-arithmetic",
]
COMPLEX_UNARY = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atanh",
    "cosh",
    "cosine",
    "exponential",
    "exponential-minus-one",
    "imag",
    "log",
    "log-plus-one",
    "logistic",
    "negate",
    "real",
    "rsqrt",
    "sign",
    "sine",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]
COMPLEX_BINARY = ["add", "subtract", "multiply", "divide", "power", "atan2"]
PART = {"c64": "f32", "c128": "f64"}


def result_of(opcode: str, type: str) -> str:
    if opcode == "is-finite":
        return "pred"
    return PART.get(type, type) if opcode in ("abs", "real", "imag") else type


@pytest.mark.parametrize("type", (*FLOATS, *SMALL_FLOATS))
@pytest.mark.parametrize("opcode", FLOAT_UNARY)
def test_float_unary(opcode: str, type: str):
    check(hlo(result_of(opcode, type), [type], opcode + "({})"))


@pytest.mark.parametrize("type", (*FLOATS, *SMALL_FLOATS))
@pytest.mark.parametrize("opcode", FLOAT_BINARY)
def test_float_binary(opcode: str, type: str):
    check(hlo(type, [type, type], opcode + "({})"))


@pytest.mark.parametrize("type", (*SIGNED, *UNSIGNED))
@pytest.mark.parametrize("opcode", INTEGER_UNARY)
def test_integer_unary(opcode: str, type: str):
    check(hlo(type, [type], opcode + "({})"))


@pytest.mark.parametrize("type", SIGNED)
@pytest.mark.parametrize("opcode", ["abs", "sign"])
def test_signed_unary(opcode: str, type: str):
    check(hlo(type, [type], opcode + "({})"))


@pytest.mark.parametrize("type", (*SIGNED, *UNSIGNED))
@pytest.mark.parametrize("opcode", INTEGER_BINARY)
def test_integer_binary(opcode: str, type: str):
    check(hlo(type, [type, type], opcode + "({})"))


@pytest.mark.parametrize("opcode", ["add", "multiply", "maximum", "minimum", "and", "or", "xor"])
def test_pred_binary(opcode: str):
    check(hlo("pred", ["pred", "pred"], opcode + "({})"))


def test_pred_not():
    check(hlo("pred", ["pred"], "not({})"))


@pytest.mark.parametrize("type", COMPLEX)
@pytest.mark.parametrize("opcode", COMPLEX_UNARY)
def test_complex_unary(opcode: str, type: str):
    check(hlo(result_of(opcode, type), [type], opcode + "({})"))


@pytest.mark.parametrize("type", COMPLEX)
@pytest.mark.parametrize("opcode", COMPLEX_BINARY)
def test_complex_binary(opcode: str, type: str):
    check(hlo(type, [type, type], opcode + "({})"))


@pytest.mark.parametrize("type", COMPLEX)
def test_complex_from_parts(type: str):
    check(hlo(type, [PART[type], PART[type]], "complex({})"))


@pytest.mark.parametrize("type", (*FLOATS, *SMALL_FLOATS[:2], *SIGNED, *UNSIGNED, "pred"))
@pytest.mark.parametrize("direction", ["EQ", "NE", "GE", "GT", "LE", "LT"])
def test_compare(direction: str, type: str):
    check(hlo("pred", [type, type], f"compare({{}}), direction={direction}"))


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("direction", ["EQ", "NE", "GE", "GT", "LE", "LT"])
def test_compare_total_order(direction: str, type: str):
    check(hlo("pred", [type, type], f"compare({{}}), direction={direction}, type=TOTALORDER"))


@pytest.mark.parametrize("type", COMPLEX)
@pytest.mark.parametrize("direction", ["EQ", "NE"])
def test_compare_complex(direction: str, type: str):
    check(hlo("pred", [type, type], f"compare({{}}), direction={direction}"))


@pytest.mark.parametrize("type", (*FLOATS, *SMALL_FLOATS[:2], *SIGNED, *UNSIGNED, *COMPLEX, "pred"))
def test_select(type: str):
    check(hlo(type, ["pred", type, type], "select({})"))


@pytest.mark.parametrize("type", (*FLOATS, *SMALL_FLOATS[:2], *SIGNED, *UNSIGNED, "pred"))
def test_clamp(type: str):
    check(hlo(type, [type, type, type], "clamp({})"))


ALL = (*FLOATS, *SMALL_FLOATS, *SIGNED, *UNSIGNED, "pred", "c64")


@pytest.mark.parametrize("source", ALL)
def test_convert(source: str):
    for target in ALL:
        check(hlo(target, [source], "convert({})"))


@pytest.mark.parametrize(("source", "target"), [("c64", "c128"), ("c128", "c64")])
def test_complex_numbers_of_another_width(source: str, target: str):
    check(hlo(target, [source], "convert({})"))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("f32", "s32"),
        ("s32", "f32"),
        ("f16", "bf16"),
        ("u64", "f64"),
        ("f8e4m3fn", "s8"),
        ("s16", "f16"),
        ("u32", "s32"),
    ],
)
def test_bitcast_convert(source: str, target: str):
    check(hlo(target, [source], "bitcast-convert({})"))


INVERSES = ["acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh"]


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("opcode", INVERSES)
def test_hyperbolic_and_inverse(opcode: str, type: str):
    check(hlo(type, [type], opcode + "({})"))


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize(("exponent", "mantissa"), [(5, 10), (8, 7), (4, 3), (5, 2), (2, 1), (11, 52), (8, 0)])
def test_reduce_precision(type: str, exponent: int, mantissa: int):
    check(hlo(type, [type], f"reduce-precision({{}}), exponent_bits={exponent}, mantissa_bits={mantissa}"))
