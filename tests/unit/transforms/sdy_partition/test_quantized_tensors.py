"""Quantized tensors in parts: sums are rounded once, padding is the zero point, scales of indices stay together."""

import pytest

from xshardy.engines.checked_run import run_module
from xshardy.engines.simulated import Simulated
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.universe import new_context

I8 = "!quant.uniform<i8:f32, 0.1:3>"
U8 = "!quant.uniform<u8:f32, 0.1:200>"
CENTRED = "!quant.uniform<i8:f32, 0.1>"
BY_ROW = "!quant.uniform<i8:f32:0, {0.1, 0.2, 0.3, 0.4}>"


def reduced_by(combiner: str) -> str:
    """A reduction over a sharded dimension, from the zero point."""
    return f"""
      func.func public @main(%a: tensor<4x4x{I8}> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}]>}})
          -> tensor<4x{I8}> {{
        %point = stablehlo.constant dense<3> : tensor<i8>
        %zero = stablehlo.bitcast_convert %point : (tensor<i8>) -> tensor<{I8}>
        %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.{combiner} across dimensions = [0]
          : (tensor<4x4x{I8}>, tensor<{I8}>) -> tensor<4x{I8}>
        return %0 : tensor<4x{I8}>
      }}"""


PROGRAMS = {
    "the sums of a dot product are rounded once": f"""
      func.func public @main(
          %a: tensor<4x8x{CENTRED}> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"x"}}]>}},
          %b: tensor<8x4x{CENTRED}> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}})
          -> tensor<4x4x{CENTRED}> {{
        %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
          : (tensor<4x8x{CENTRED}>, tensor<8x4x{CENTRED}>) -> tensor<4x4x{CENTRED}>
        return %0 : tensor<4x4x{CENTRED}>
      }}""",
    "the sums of a convolution are rounded once": f"""
      func.func public @main(
          %a: tensor<2x8x4x{CENTRED}> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{}}, {{"x"}}]>}},
          %b: tensor<3x4x4x{CENTRED}>) -> tensor<2x6x4x{CENTRED}> {{
        %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{stride = [1]}}
          {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
          : (tensor<2x8x4x{CENTRED}>, tensor<3x4x4x{CENTRED}>) -> tensor<2x6x4x{CENTRED}>
        return %0 : tensor<2x6x4x{CENTRED}>
      }}""",
    "sums have parts": reduced_by("add"),
    "maxima have parts": reduced_by("maximum"),
    "padding": f"""
      func.func public @main(%a: tensor<5x4x{U8}>, %b: tensor<5x4x{U8}>) -> (tensor<10x4x{U8}>, tensor<5x4x{U8}>) {{
        %0 = sdy.sharding_constraint %a <@mesh, [{{"x"}}, {{"y"}}]> : tensor<5x4x{U8}>
        %1 = stablehlo.add %0, %b : tensor<5x4x{U8}>
        %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<5x4x{U8}>, tensor<5x4x{U8}>) -> tensor<10x4x{U8}>
        return %2, %1 : tensor<10x4x{U8}>, tensor<5x4x{U8}>
      }}""",
    "exchanged elements": f"""
      func.func public @main(%a: tensor<8x4x{I8}> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}})
          -> tensor<7x4x{I8}> {{
        %0 = stablehlo.slice %a [1:8, 0:4] : (tensor<8x4x{I8}>) -> tensor<7x4x{I8}>
        return %0 : tensor<7x4x{I8}>
      }}""",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_equal_to_one_device(name: str):
    module = parse_module('sdy.mesh @mesh = <["x"=2, "y"=2]>' + PROGRAMS[name])
    run = run_module(module, Simulated(), new_context(), check=True)
    assert run.agrees, run.comparisons


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("size", [4, 2])
def test_scales_of_indices_are_not_divided(size: int):
    """The parts would have different types. The other dimension may be divided."""
    text = f"""
      sdy.mesh @mesh = <["x"=2, "y"={size}]>
      func.func public @main(%a: tensor<4x8x{BY_ROW}> {{sdy.sharding = #sdy.sharding<@mesh, [SHARDING]>}})
          -> tensor<4x8x{BY_ROW}> {{
        %0 = stablehlo.add %a, %a : tensor<4x8x{BY_ROW}>
        return %0 : tensor<4x8x{BY_ROW}>
      }}"""
    run = run_module(parse_module(text.replace("SHARDING", '{}, {"y"}')), Simulated(), new_context(), check=True)
    assert run.agrees
    with pytest.raises(OperationFailedException, match=r"dimension 0 .* different scales: replicate this dimension"):
        run_module(parse_module(text.replace("SHARDING", '{"x"}, {"y"}')), Simulated(), new_context())
