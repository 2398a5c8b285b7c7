"""Launch dimensions: the rules one by one, and against what XLA launches on an H100. Row XGPU-46."""

import pytest
from xdsl.dialects.builtin import IntegerType, TensorType, bf16, f32, f64, i1
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Region

from xshardy import compiler
from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.emitters.analysis import Fusion
from xshardy.emitters.launch_dimensions import LaunchDimensions, loop_launch_dimensions
from xshardy.emitters.preparation import prepare
from xshardy.gpus.devices import Device
from xshardy.hlo_text import parse_hlo


def launch(*shape: int, types=(f32,)) -> LaunchDimensions:
    return loop_launch_dimensions(shape, types, ())


def test_gelu():
    """The documented launch: 128 threads, 24576 blocks, 4 elements per thread."""
    assert launch(6, 512, 4096, types=[bf16]) == LaunchDimensions(128, (24576, 1), 4)


def test_scalars_and_empty_tensors_take_one_thread():
    assert launch() == LaunchDimensions(1, (1, 1), 1)
    assert launch(1) == LaunchDimensions(1, (1, 1), 1)
    assert launch(5, 0) == LaunchDimensions(1, (1, 1), 1)


def test_small_outputs_get_as_many_threads_as_elements():
    assert launch(7) == LaunchDimensions(7, (1, 1), 1)


def test_the_last_block_may_hang_over():
    assert launch(129) == LaunchDimensions(128, (2, 1), 1)


@pytest.mark.parametrize(("elements", "unroll"), [(270335, 1), (270336, 4), (270337, 1), (270338, 2), (270340, 4)])
def test_unrolled_if_there_are_more_elements_than_threads_and_they_divide(elements: int, unroll: int):
    assert launch(elements).unroll == unroll


def test_a_thread_writes_at_least_a_byte():
    assert launch(10, types=[IntegerType(4)]) == LaunchDimensions(5, (1, 1), 2)
    assert launch(11, types=[f64, IntegerType(2)]) == LaunchDimensions(3, (1, 1), 4)
    assert launch(10, types=[i1]).unroll == 1


def test_more_blocks_than_fit_along_x_continue_along_y():
    assert launch(24, 2048, 2048, 3, 4096, types=[bf16]) == LaunchDimensions(128, (1207959552, 2), 4)


def test_smaller_devices_are_full_earlier():
    small = Device(cores=1, threads_per_core=128)
    assert loop_launch_dimensions([128], [f32], (), small).unroll == 4


XLA_LAUNCHES = [
    ("gelu_bf16", [6, 512, 4096], 24576),
    ("silu_mul_f32_odd", [1023, 333], 2662),
    ("clamp_iota_select", [1024, 1024], 2048),
    ("complex_mul_abs", [512, 768], 768),
    ("integer_mix", [100000], 782),
    ("convert_bf16_f8e4m3", [2048, 1024], 4096),
    ("convert_f8e5m2_f16", [2048, 1024], 4096),
    ("transcendentals_f32", [65536], 512),
    ("broadcast_add_bf16", [32, 64, 1000], 4000),
    ("two_outputs_f32", [1000, 1000], 1954),
    ("dropout_f32", [512, 4096], 4096),
    ("threefry_bits", [1024, 1000], 2000),
    ("pad_f32", [1007, 782], 3077),
    ("slice_strided_f32", [333, 508], 1322),
    ("reverse_f32", [512, 1000], 1000),
    ("dynamic_slice_f32", [128, 256], 256),
    ("reshape_bitcast_f32", [64, 16, 1024], 2048),
    ("gather_rows_bf16", [2048, 1, 512], 2048),
    ("gather_elements_f32", [512, 64], 256),
    ("transpose_102_f32", [300, 64, 64], 2400),
    ("softmax_f32", [4096, 4096], 32768),
    ("layernorm_f32", [4096, 1024], 8192),
    ("rmsnorm_bf16", [2048, 4096], 16384),
    ("cumsum_f32", [64, 16, 16], 128),
    ("cumsum_f32", [64, 256, 16], 2048),
]
"""What XLA launches for loop fusions on an H100: the function, the shape of the first output, blocks of 128 threads."""


@pytest.mark.parametrize(("function", "shape", "blocks"), XLA_LAUNCHES)
def test_as_xla_launches(function: str, shape: list[int], blocks: int):
    dimensions = launch(*shape)
    assert dimensions.block_size == (128, 1, 1)
    assert dimensions.grid_size == (blocks, 1, 1)


def test_loops_that_carry_much_are_not_unrolled():
    """A dot product, and a reduction of two inputs; one of one input is."""
    x, y = (AnyOp(result_types=[TensorType(f32, [1024, 8])]).results[0] for _ in range(2))
    init = AnyOp(result_types=[TensorType(f32, [])]).results[0]
    numbers = stablehlo.DotDimensionNumbersAttr(*map(integers, ([], [], [1], [1])))
    dot = stablehlo.DotGeneralOp(x, y, numbers, TensorType(f32, [1024, 1024]))
    one, two = (
        stablehlo.ReduceOp([x] * count, [init] * count, [1], Region(Block()), [TensorType(f32, [1024])] * count)
        for count in (1, 2)
    )
    assert [loop_launch_dimensions([1024, 1024], [f32], [op]).unroll for op in (dot, one, two)] == [1, 4, 1]


def test_the_widths_of_a_fusion_are_those_in_memory():
    text = """HloModule m
ENTRY f {
  p = pred[70,64] parameter(0)
  q = s4[70,64] parameter(1)
  c = pred[70,64] convert(q)
  a = pred[70,64] and(p, c)
  v = f32[70,64] convert(a)
  ROOT r = (pred[70,64], f32[70,64]) tuple(a, v)
}
"""
    (fusion,) = compiler.select_fusions(parse_hlo(text))
    analysed = Fusion(prepare(fusion.callee_function()), Device())
    assert (analysed.narrowest_input, analysed.narrowest_output) == (4, 8)
