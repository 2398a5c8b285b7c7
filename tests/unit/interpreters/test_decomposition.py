"""Operations without a rule are evaluated by their decomposition; stochastic conversion is one of them."""

from math import floor, isinf, isnan, ldexp

import ml_dtypes
import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module

WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def stochastic_convert(x: float, random: int, width: int, bits: int) -> int:
    """XLA's evaluator, in scalar code, to signed integers of `bits` bits."""
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    if isnan(x):
        return 0
    if isinf(x) or x >= high or x <= low:
        return high if x > 0 else low
    whole = floor(abs(x))
    if random < int(ldexp(abs(x) - whole, width)):
        if whole == high:
            return low
        whole += 1
    return -whole if x < 0 else whole


@pytest.mark.parametrize("type", ["f32", "f64", "f16", "bf16"])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_stochastic_conversion_is_that_of_xla(type: str, bits: int):
    width = WIDTHS[type]
    module = parse_module(f"""
      func.func @main(%x: tensor<512x{type}>, %r: tensor<512xui{width}>) -> tensor<512xi{bits}> {{
        %0 = hlo.stochastic_convert %x, %r : (tensor<512x{type}>, tensor<512xui{width}>) -> tensor<512xi{bits}>
        return %0 : tensor<512xi{bits}>
      }}""")
    generator = np.random.default_rng(0)
    special = [0.0, -0.0, 0.25, -0.25, 126.5, 127.0, 127.5, -127.5, -128.5, 3e4, np.inf, -np.inf, np.nan]
    dtype = ml_dtypes.bfloat16 if type == "bf16" else np.dtype(f"f{width // 8}")
    x = np.array([*special, *generator.normal(0, 40, 512 - len(special))]).astype(dtype)
    random = generator.integers(0, 2**width, 512, f"u{width // 8}")
    expected = [stochastic_convert(float(a), int(r), width, bits) for a, r in zip(x, random, strict=True)]
    assert evaluate(module, [x, random])[0].tolist() == expected


def test_in_the_body_of_another_operation():
    module = parse_module("""
      func.func @main(%x: tensor<4xf32>, %r: tensor<4xui32>) -> tensor<4xi32> {
        %0 = "stablehlo.map"(%x, %r) <{dimensions = array<i64: 0>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<ui32>):
          %1 = hlo.stochastic_convert %a, %b : (tensor<f32>, tensor<ui32>) -> tensor<i32>
          stablehlo.return %1 : tensor<i32>
        }) : (tensor<4xf32>, tensor<4xui32>) -> tensor<4xi32>
        return %0 : tensor<4xi32>
      }""")
    x, random = np.array([0.5, 1.5, -2.5, 3], np.float32), np.array([0, 2**31, 0, 0], np.uint32)
    assert evaluate(module, [x, random])[0].tolist() == [1, 1, -3, 3]


def test_types_without_a_decomposition():
    module = parse_module("""
      func.func @main(%x: tensor<f32>, %r: tensor<ui32>) -> tensor<bf16> {
        %0 = hlo.stochastic_convert %x, %r : (tensor<f32>, tensor<ui32>) -> tensor<bf16>
        return %0 : tensor<bf16>
      }""")
    with pytest.raises(InterpretationError, match=r"hlo.stochastic_convert: defined for a result of integers"):
        evaluate(module, [np.zeros((), np.float32), np.zeros((), np.uint32)])
