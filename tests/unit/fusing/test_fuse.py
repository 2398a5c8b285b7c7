"""Fused programs: what they compute, and which operations one kernel has."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_fusions import exact_inputs, module_text, random_fusion, random_hero_fusion, text_with_results
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.emitters import explain
from xshardy.fusing.pipeline import FusionPipelinePass
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.checked_run import planned
from xshardy.launch.cpu_machine import CpuMachine
from xshardy.launch.execution import Execution
from xshardy.launch.prepared_program import entry_of
from xshardy.numerics.element_types import numpy_dtype
from xshardy.syntax import parse_module
from xshardy.transforms.call_graph import functions_of
from xshardy.universe import new_context

TARGET = "sm_90"


def fused(module: ModuleOp) -> ModuleOp:
    """A fused copy of `module`."""
    copy = module.clone()
    FusionPipelinePass().apply(new_context(), copy)
    copy.verify()
    return copy


def check_exactly(module: ModuleOp) -> None:
    """The kernels of the fused program, on the memory that its plan assigns, compute what the program does."""
    entry = entry_of(module)
    types = [tensor_type(argument) for argument in entry.body.block.args]
    inputs = exact_inputs(list(map(numpy_dtype, types)), [type.get_shape() for type in types], seed=0)
    results = Execution(planned(fused(module), TARGET), CpuMachine("xla_gpu", TARGET), False).run(inputs)
    for result, expected in zip(results, evaluate(entry, inputs), strict=True):
        np.testing.assert_array_equal(result.reshape(np.shape(expected)), expected)


def unfused(text: str) -> ModuleOp:
    """The computation of the fusion in `text` as a program."""
    module = parse_hlo(text)
    main = functions_of(module)["main"]
    (fusion,) = (op for op in main.walk() if isinstance(op, FusionOp))
    fusion.callee_function().sym_visibility = StringAttr("public")
    main.detach()
    main.erase()
    return module


randoms = st.randoms(use_true_random=False)


@given(randoms, st.integers(1, 40))
def test_random_programs(rng: Random, instructions: int):
    check_exactly(unfused(module_text(random_fusion(rng, instructions))))


@given(randoms)
def test_random_programs_with_heroes(rng: Random):
    check_exactly(unfused(text_with_results(*random_hero_fusion(rng))))


def emitters_of(text: str) -> list[str]:
    """The emitter of each kernel of a fused program, in order."""
    entry = entry_of(fused(parse_module(text)))
    return [explain(op).emitter for op in entry.walk() if isinstance(op, FusionOp)]


LAYER_NORM = """
func.func @main(%x: SHAPE, %r: SHAPE, %w: tensor<WIDTHxf32>) -> SHAPE {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<WIDTH.0> : tensor<6xf32>
  %0 = stablehlo.add %x, %r : SHAPE
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1]
    : (SHAPE, tensor<f32>) -> tensor<6xf32>
  %2 = stablehlo.divide %1, %n : tensor<6xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<6xf32>) -> SHAPE
  %4 = stablehlo.subtract %0, %3 : SHAPE
  %5 = stablehlo.multiply %4, %4 : SHAPE
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1]
    : (SHAPE, tensor<f32>) -> tensor<6xf32>
  %7 = stablehlo.rsqrt %6 : tensor<6xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<6xf32>) -> SHAPE
  %9 = stablehlo.multiply %4, %8 : SHAPE
  %10 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<WIDTHxf32>) -> SHAPE
  %11 = stablehlo.multiply %9, %10 : SHAPE
  return %11 : SHAPE
}
"""


def layer_norm(width: int) -> str:
    """The sum of two tensors of six rows, normalized."""
    return LAYER_NORM.replace("SHAPE", f"tensor<6x{width}xf32>").replace("WIDTH", str(width))


def test_a_residual_and_layer_normalization_are_one_kernel():
    assert emitters_of(layer_norm(64)) == ["row_wise"]


def test_short_rows_are_reduced_by_kernels_of_their_own():
    """The row-wise emitter does not take them: each element would reduce its row again."""
    assert len(emitters_of(layer_norm(8))) > 1


def test_a_fused_program_is_not_fused_again():
    module = fused(parse_module(layer_norm(64)))
    assert str(fused(module)) == str(module)


def test_a_kernel_has_a_limited_number_of_operations():
    lines = [f"  %{i + 1} = stablehlo.add %{i}, %x : tensor<4xf32>" for i in range(600)]
    text = "\n".join(
        [
            "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {",
            "  %0 = stablehlo.negate %x : tensor<4xf32>",
            *lines,
            "  return %600 : tensor<4xf32>",
            "}",
        ]
    )
    module = fused(parse_module(text))
    sizes = [len(op.body.block.ops) for op in module.ops if isinstance(op, FuncOp)]
    assert len(emitters_of(text)) == 3
    assert max(sizes) <= 257
