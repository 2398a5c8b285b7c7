"""Random fusions of all operations and element types against the reference, to the last bit, at every level."""

from collections.abc import Sequence
from math import prod
from random import Random

import numpy as np
import pytest
from emission import fusion_called
from hypothesis import given
from hypothesis import strategies as st
from random_fusions import exact_inputs, module_text, random_fusion, random_hero_fusion, text_with_results
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp

from xshardy import compiler
from xshardy.emitters import emit_fusion, explain
from xshardy.emitters.loop import emit_loop_fusion
from xshardy.emitters.preparation import prepare
from xshardy.interpreters import simt
from xshardy.interpreters.check import unlike
from xshardy.interpreters.simt.memory import in_memory_order, in_tensor_order
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.kernel_levels import compiled_at, first_of_buffer, run_compiled
from xshardy.numerics.element_types import numpy_dtype
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED, LEVELS


def check_exactly(kernel: ModuleOp, computation: FuncOp, levels: Sequence[str]) -> None:
    """Run a kernel at each of `levels`: no bit differs from the reference, and nothing is left out."""
    types = [argument.type for argument in computation.body.block.args]
    assert all(isinstance(type, TensorType) for type in types)
    inputs = exact_inputs(list(map(numpy_dtype, types)), [type.get_shape() for type in types], seed=0)
    expected = evaluate(computation, inputs)
    entry = simt.find_kernel(kernel)
    layouts, written_in = list(entry.function_type.inputs), first_of_buffer(entry)[len(inputs) :]
    buffers = list(map(in_memory_order, [*inputs, *map(unlike, expected)], layouts))
    for level in compiler.lower_by_level(kernel, last=levels[-1]):
        if level not in levels:
            continue
        if level == LEVELS[-1]:
            written = run_compiled(compiled_at(level, kernel), buffers, written_in)
        else:
            written = simt.run_kernel(kernel, buffers)
        for array, layout, reference in zip(written, layouts[len(inputs) :], expected, strict=True):
            np.testing.assert_array_equal(in_tensor_order(array, layout), reference, err_msg=f"at level {level}")


randoms = st.randoms(use_true_random=False)
sizes = st.integers(1, 20)


@given(randoms, sizes)
def test_random_fusions(rng: Random, instructions: int):
    fusion = fusion_called("f", module_text(random_fusion(rng, instructions)))
    check_exactly(emit_fusion(fusion), fusion.callee_function(), [EMITTED])


@given(randoms, sizes)
def test_random_fusions_with_a_function_per_operation(rng: Random, instructions: int):
    computation = fusion_called("f", module_text(random_fusion(rng, instructions))).callee_function()
    kernel = emit_loop_fusion(prepare(computation), "main", starts_function=lambda _: True).module
    check_exactly(kernel, computation, [EMITTED])


@pytest.mark.parametrize("seed", range(25))
def test_random_fusions_at_all_levels(seed: int):
    rng = Random(seed)
    fusion = fusion_called("f", module_text(random_fusion(rng, rng.randint(1, 20))))
    check_exactly(emit_fusion(fusion), fusion.callee_function(), LEVELS)


@pytest.mark.parametrize("seed", range(20))
def test_random_fusions_with_a_hero_at_all_levels(seed: int):
    """Results of several sizes are only for the emitter of a hero; for the loop emitter those as large as the first."""
    f, results = random_hero_fusion(Random(seed))
    fusion = fusion_called("f", text_with_results(f, results))
    if explain(fusion).emitter == "loop":
        alike = [value for value in results if prod(value.shape) == prod(results[0].shape)]
        fusion = fusion_called("f", text_with_results(f, alike))
    check_exactly(emit_fusion(fusion), fusion.callee_function(), LEVELS)
