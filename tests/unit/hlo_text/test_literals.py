"""Constants, against numpy and ml_dtypes: the bytes of every element type, nesting, and what is rejected."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import DataObject, data, floats, integers, lists, sampled_from
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType

from xshardy.dialects.element_names import ELEMENT_TYPES
from xshardy.hlo_text import HLOError
from xshardy.hlo_text.errors import Source
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.literals import read_literal
from xshardy.numerics.element_types import FLOATS

FLOAT_DTYPES = {name: FLOATS[type(kind)] for name, kind in ELEMENT_TYPES.items() if type(kind) in FLOATS}
INTEGERS = {name: int(name[1:]) for name in ELEMENT_TYPES if name[0] in "su"}


def literal(text: str, element: str, shape: tuple[int, ...] = ()) -> DenseIntOrFPElementsAttr:
    tokens = Tokens(Source(text, "test.hlo"))
    attribute = read_literal(tokens, TensorType(ELEMENT_TYPES[element], shape))
    assert tokens.kind == "end"
    return attribute


def braces(values: np.ndarray) -> str:
    """A literal as XLA prints it."""
    if values.ndim == 0:
        return str(values.item())
    return "{ " + ", ".join(map(braces, values)) + " }"


@given(data=data(), name=sampled_from(sorted(INTEGERS)))
def test_integers(data: DataObject, name: str):
    width = INTEGERS[name]
    low, high = (0, 2**width - 1) if name[0] == "u" else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    values = data.draw(lists(integers(low, high), max_size=5))
    expected = np.array(values, f"{'u' if name[0] == 'u' else 'i'}{max(8, width) // 8}")
    read = literal("{" + ", ".join(map(str, values)) + "}", name, (len(values),))
    assert read.data.data == expected.tobytes()
    assert read == DenseIntOrFPElementsAttr.from_list(read.type, values) or not values


@pytest.mark.parametrize("name", sorted(INTEGERS))
def test_integers_out_of_range(name: str):
    width = INTEGERS[name]
    high = 2**width if name[0] == "u" else 2 ** (width - 1)
    for value in (high, -high - 1, -(10**400)):
        with pytest.raises(HLOError, match=f"out of range for type {name}"):
            literal(str(value), name)


@settings(max_examples=60)
@given(value=floats(), name=sampled_from(sorted(FLOAT_DTYPES)))
def test_floats_round_as_numpy_does(value: float, name: str):
    dtype = FLOAT_DTYPES[name]
    with np.errstate(all="ignore"):
        expected = np.array(value, np.float64).astype(dtype)
        overflows = np.isfinite(value) and not np.isfinite(expected.astype(np.float64))
    if overflows:
        with pytest.raises(HLOError, match=f"out of range for type {name}"):
            literal(repr(value), name)
        return
    read = literal(repr(value).replace("nan", "nan"), name)
    if np.isnan(value):
        assert np.isnan(np.frombuffer(read.data.data, dtype).astype(np.float64)).all() or name == "f4e2m1fn"
    else:
        assert read.data.data == expected.tobytes()


@pytest.mark.parametrize("name", sorted(FLOAT_DTYPES))
def test_every_finite_value_survives(name: str):
    """The decimal text of each value of a narrow type reads back as that value, in xDSL's encoding too."""
    dtype = FLOAT_DTYPES[name]
    if dtype.itemsize > 1:
        return
    count = 16 if name == "f4e2m1fn" else 256
    values = np.arange(count, dtype=np.uint8).view(dtype)
    values = values[np.isfinite(values.astype(np.float64))]
    read = literal("{" + ",".join(repr(float(value)) for value in values) + "}", name, (len(values),))
    assert read.data.data == values.tobytes()
    assert list(read.get_values()) == [float(value) for value in values]


@pytest.mark.parametrize(
    ("text", "name", "bits"),
    [
        ("nan(0x1)", "f32", 0x7F800001),
        ("-nan(0x400000)", "f32", 0xFFC00000),
        ("nan(0x3)", "bf16", 0x7F83),
        ("nan(0x200)", "f16", 0x7E00),
        ("nan(0x8000000000000)", "f64", 0x7FF8000000000000),
        ("-nan", "f32", 0xFFC00000),
        ("-inf", "bf16", 0xFF80),
        ("-0.0", "f32", 0x80000000),
        ("-nan", "f8e5m2", 0xFE),
        ("-nan", "f8e4m3fn", 0xFF),
    ],
)
def test_bits(text: str, name: str, bits: int):
    assert int.from_bytes(literal(text, name).data.data, "little") == bits


@given(data=data(), shape=lists(integers(0, 3), min_size=0, max_size=4))
def test_nesting(data: DataObject, shape: list[int]):
    values = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    if 0 in shape:
        return
    assert literal(braces(values), "s32", tuple(shape)).data.data == values.tobytes()


@given(values=lists(floats(allow_nan=False, width=32), min_size=2, max_size=2))
def test_complex(values: list[float]):
    real, imaginary = values
    expected = np.array(complex(real, imaginary), np.complex64)
    assert literal(f"({real!r}, {imaginary!r})", "c64").data.data == expected.tobytes()


def test_number_without_braces_is_the_first_element():
    expected = np.array([[5, 0, 0], [0, 0, 0]], np.float32)
    assert literal("5", "f32", (2, 3)).data.data == expected.tobytes()
    assert literal("true", "pred", (2,)) == literal("{true, false}", "pred", (2,))
    with pytest.raises(HLOError, match=r"expected '\{'"):
        literal("5", "f32", (0, 3))


def test_predicates():
    assert literal("{true, false, 1, 0}", "pred", (4,)) == DenseIntOrFPElementsAttr.from_list(
        TensorType(ELEMENT_TYPES["pred"], [4]), [1, 0, 1, 0]
    )


@pytest.mark.parametrize("text", ["{}", "{ }"])
def test_empty(text: str):
    assert literal(text, "f32", (0, 3)).data.data == b""


@pytest.mark.parametrize(
    ("text", "name", "shape", "message"),
    [
        ("{1, 2}", "f32", (3,), "dimension 0 has 3 elements, but 2 are given here"),
        ("{{1}, {2, 3}}", "f32", (2, 2), "dimension 1 has 2 elements, but 1 are given here"),
        ("{1, 2}, 3", "f32", (2, 2), "expected '{'"),
        ("{1}", "f32", (), "expected a number"),
        ("{{1}}", "f32", (1,), "expected a number"),
        ("{...}", "f32", (2,), "left out when the text was printed"),
        ("{{...}}", "f32", (2, 2), "left out when the text was printed"),
        ("1.5", "s32", (), "'1.5' is not a value of type s32"),
        ("true", "s32", (), "'true' is not a value of type s32"),
        ("2", "pred", (), "'2' is not a value of type pred"),
        ("true", "f32", (), "'true' is not a value of type f32"),
        ("0x10", "f32", (), "'0x10' is not a value of type f32"),
        ("1", "c64", (), "a complex number is written"),
        ("(1)", "c64", (), "expected ','"),
        ("1e39", "f32", (), "1e39 is out of range for type f32"),
        ("{1, -7e4, 2}", "f16", (3,), "-7e4 is out of range for type f16"),
        ("0", "f8e8m0fnu", (), "0 is out of range for type f8e8m0fnu"),
        ("nan(0x800000)", "f32", (), "payload 0x800000 is out of range"),
        ("nan(0x1)", "f8e4m3fn", (), "type f8e4m3fn has no NaN with a payload"),
        ("{1,,2}", "s32", (2,), "expected an element"),
        ("x", "s32", (), "expected a number"),
        ("", "s32", (), "expected a number, found the end of the file"),
    ],
)
def test_rejected(text: str, name: str, shape: tuple[int, ...], message: str):
    with pytest.raises(HLOError) as raised:
        literal(text, name, shape)
    assert message in raised.value.message


def test_a_type_without_infinities_has_nan_instead():
    values = np.frombuffer(literal("{inf, -inf}", "f8e4m3fn", (2,)).data.data, ml_dtypes.float8_e4m3fn)
    assert np.isnan(values.astype(np.float32)).all()


@pytest.mark.parametrize("text", ["{{1 2} {3 -4}}", "{{1, 2}{3 -4}}", "{{1,2},{3,-4}}"])
def test_commas_may_be_left_out(text: str):
    assert literal(text, "s32", (2, 2)).data.data == np.array([1, 2, 3, -4], np.int32).tobytes()
