"""Random programs of StableHLO compute the same in every form: text, bytecode, HLO, simplified, and as kernels."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stablehlo_programs import random_program
from xdsl.dialects.builtin import ModuleOp

import xshardy
from xshardy.fusing.pipeline import FusionPipelinePass
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.checked_run import planned
from xshardy.launch.cpu_machine import CpuMachine
from xshardy.launch.execution import Execution
from xshardy.launch.prepared_program import entry_of
from xshardy.transforms.hlo.to_opcodes import write_hlo
from xshardy.universe import new_context

TARGET = "sm_90"

FORMS: dict[str, Callable[[ModuleOp], ModuleOp]] = {
    "text": lambda module: xshardy.parse(xshardy.print_module(module)),
    "bytecode": lambda module: xshardy.parse(xshardy.write_bytecode(module)),
    "artifact": lambda module: xshardy.parse(xshardy.write_artifact(module)),
    "HLO": lambda module: parse_hlo(write_hlo(module)),
    "simplified": lambda module: xshardy.run_passes(module.clone(), "canonicalize,inline,cse,symbol-dce"),
}


@pytest.mark.parametrize("form", FORMS)
@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_another_form_computes_the_same(form: str, rng: Random, length: int):
    text, arguments = random_program(rng, length)
    module = xshardy.parse(text)
    wanted = evaluate(entry_of(module), arguments)
    found = evaluate(entry_of(FORMS[form](module)), arguments)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_kernels_compute_the_same(rng: Random, length: int):
    text, arguments = random_program(rng, length)
    module = xshardy.parse(text)
    wanted = evaluate(entry_of(module), arguments)
    FusionPipelinePass().apply(new_context(), module)
    found = Execution(planned(module, TARGET), CpuMachine("xla_gpu", TARGET), False).run(arguments)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(np.reshape(one, np.shape(other)), other)
