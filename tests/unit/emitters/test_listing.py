"""The levels before the kernel are modules that compute what the fusion computes, and can be read back."""

from math import prod
from pathlib import Path
from random import Random

import numpy as np
import pytest
from emission import fusion_called
from random_fusions import exact_inputs, module_text, random_fusion, random_hero_fusion, text_with_results
from xdsl.dialects.builtin import TensorType

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import PARTITIONED, PREPARED, explain, levels_before_emission
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import numpy_dtype
from xshardy.syntax import parse_module, print_module

EMITTERS = Path(__file__).parents[2] / "filecheck" / "emitters"


def check(fusion: FusionOp) -> None:
    computation = fusion.callee_function()
    types = [value.type for value in computation.body.block.args]
    assert all(isinstance(type, TensorType) for type in types)
    inputs = exact_inputs(list(map(numpy_dtype, types)), [type.get_shape() for type in types], seed=0)
    wanted = evaluate(computation, inputs)
    levels = levels_before_emission(fusion)
    assert list(levels) == [PREPARED, PARTITIONED]
    for name, module in levels.items():
        module.verify()
        text = print_module(module)
        found = evaluate(parse_module(text), inputs)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=f"{name}:\n{text}")


@pytest.mark.parametrize(
    "name",
    (
        "dynamic_update_slice",
        "input_slices",
        "pad_and_concatenate",
        "partition_transpose",
        "row_reduction_side_output",
        "row_wise",
        "scatter_unique",
        "several_roots",
        "packed_transpose",
    ),
)
def test_the_levels_of_each_emitter(name: str):
    for fusion in compiler.select_fusions(parse_hlo((EMITTERS / f"{name}.hlo").read_text())):
        check(fusion)


@pytest.mark.parametrize("seed", range(30))
def test_the_levels_of_random_fusions(seed: int):
    rng = Random(seed)
    check(fusion_called("f", module_text(random_fusion(rng, rng.randint(1, 20)))))


@pytest.mark.parametrize("seed", range(30))
def test_the_levels_of_random_fusions_with_a_hero(seed: int):
    f, results = random_hero_fusion(Random(seed))
    fusion = fusion_called("f", text_with_results(f, results))
    if explain(fusion).emitter == "loop":
        alike = [value for value in results if prod(value.shape) == prod(results[0].shape)]
        fusion = fusion_called("f", text_with_results(f, alike))
    check(fusion)
