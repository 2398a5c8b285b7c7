"""Elements at the edges of their types: comparisons, conversions, divisions, neighbours of floats."""

import pytest
from emission import check, fusion_of
from test_choices import module
from test_operations_numerics import check as check_stablehlo
from test_operations_numerics import main
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, f16, f32, f64
from xdsl.utils.exceptions import PassFailedException

from xshardy.emitters import emit_fusion
from xshardy.emitters.elemental.kinds import NATIVE_FLOATS, kind_of
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS


def check_fusion(body: str, result: str, parameters: str = "") -> None:
    check(module(parameters, body, result))


FLOATS = "{-inf, -2, -0, 0, 2, inf, nan, 2, -2.00000024}"
OTHERS = "{-inf, 2, 0, -0, 2, -2, nan, nan, -2}"


@pytest.mark.parametrize("direction", ["EQ", "NE", "LT", "LE", "GT", "GE"])
@pytest.mark.parametrize("type", ["", ", type=TOTALORDER"])
def test_comparisons_of_floats(direction: str, type: str):
    """
    NaN is unordered, unless the order is total: then it is beyond infinity, and -0 is less than 0. The last two numbers
    are neighbours.
    """
    body = f"""a = f32[9] constant({FLOATS})
  b = f32[9] constant({OTHERS})
  c = f32[9] add(p0, a)
  ROOT r = pred[9] compare(a, b), direction={direction}{type}"""
    check_fusion(body, "pred[9]", "f32[9]")


def test_complex_numbers_have_no_order():
    text = module("c64[8]; c64[8]", "ROOT r = pred[8] compare(p0, p1), direction=LT", "pred[8]")
    with pytest.raises(PassFailedException, match="compare LT of complex numbers: they have no order"):
        emit_fusion(fusion_of(text))


@pytest.mark.parametrize("target", ["s8", "u8", "s16", "s32", "u32", "s64"])
@pytest.mark.parametrize("source", ["f32", "f8e5m2", "f64"])
def test_conversions_to_integers_are_clamped(source: str, target: str):
    body = f"""a = f32[8] constant({{-1e5, -200, -128.5, -1.5, 127.5, 128, 1e5, nan}})
  b = {source}[8] convert(a)
  ROOT r = {target}[8] convert(b)"""
    check_fusion(body, f"{target}[8]")


@pytest.mark.parametrize("source", ["f16", "bf16", "f32", "f8e4m3fn", "s32", "u8"])
@pytest.mark.parametrize("target", ["f16", "bf16", "f32", "f8e5m2", "f8e4m3fn", "f64"])
def test_conversions_to_floats(source: str, target: str):
    body = f"""a = s32[8] constant({{0, 1, 3, 7, 100, 127, 17, 2}})
  b = {source}[8] convert(a)
  ROOT r = {target}[8] convert(b)"""
    check_fusion(body, f"{target}[8]")


@pytest.mark.parametrize(("type", "least"), [("s8", -128), ("s16", -(2**15)), ("s32", -(2**31)), ("s64", -(2**63))])
def test_signed_divisions_by_zero_and_of_the_least_number_by_minus_one(type: str, least: int):
    body = f"""a = {type}[6] constant({{{least}, {least}, 7, -7, {least + 1}, 5}})
  b = {type}[6] constant({{-1, 0, 0, 2, -1, 1}})
  d = {type}[6] divide(a, b)
  m = {type}[6] remainder(a, b)
  s = {type}[6] sign(a)
  ROOT t = ({type}[6], {type}[6], {type}[6]) tuple(d, m, s)"""
    check_fusion(body, f"({type}[6], {type}[6], {type}[6])")


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_the_sign_of_an_integer_is_a_shift_by_less_than_its_width(width: int):
    """LLVM leaves a shift by the width undefined."""
    kernel = emit_fusion(fusion_of(module(f"s{width}[4]", f"ROOT r = s{width}[4] sign(p0)", f"s{width}[4]")))
    (shift,) = (op for op in kernel.walk() if isinstance(op, arith.ShRSIOp))
    assert isinstance(shift.rhs.owner, arith.ConstantOp)
    assert shift.rhs.owner.value == IntegerAttr(width - 1, IntegerType(width))


@pytest.mark.parametrize("type", ["u8", "u32"])
def test_unsigned_divisions_by_zero(type: str):
    body = f"""a = {type}[4] constant({{0, 7, 255, 9}})
  b = {type}[4] constant({{0, 0, 1, 2}})
  d = {type}[4] divide(a, b)
  m = {type}[4] remainder(a, b)
  ROOT t = ({type}[4], {type}[4]) tuple(d, m)"""
    check_fusion(body, f"({type}[4], {type}[4])")


def test_native_floats_have_the_widths_of_their_formats():
    assert [NATIVE_FLOATS[type(each)] for each in (f16, f32, f64)] == [16, 32, 64]


def test_types_that_are_no_numbers_of_hlo_have_no_kind():
    with pytest.raises(PassFailedException, match="elements of type index cannot be emitted"):
        kind_of(IndexType())


def test_neighbours_of_floats():
    """Toward both sides, from 0, and across 0."""
    neighbour = "chlo.next_after {0}, {1} : {types} -> {result}"
    check_stablehlo(main(neighbour, ["64xf32", "64xf32"], "64xf32"), LEVELS[:1])


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("c64[4]", "f64[4]", "are not both real"),
        ("f32[0]", "s8[0]", "differ in width, so that an element of the result is not one of the operand"),
    ],
)
def test_bitcasts_that_no_element_has(source: str, target: str, reason: str):
    text = module(source, f"ROOT r = {target} bitcast(p0)", target)
    with pytest.raises(PassFailedException, match=reason):
        emit_fusion(fusion_of(text))
