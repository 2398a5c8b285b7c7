"""Emitting the fusion of an HLO module, and running what was emitted against the reference."""

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import emit_fusion
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.check import compare, random_inputs
from xshardy.interpreters.simt import run_kernel
from xshardy.interpreters.stablehlo import evaluate


def fusion_of(text: str) -> FusionOp:
    """The only fusion of the HLO module `text`."""
    module = parse_hlo(text)
    module.verify()
    (fusion,) = (op for op in module.walk() if isinstance(op, FusionOp))
    return fusion


def check(text: str, seed: int = 0) -> ModuleOp:
    """Emit the fusion of `text`, run it, and compare with the reference. Gives the emitted module."""
    fusion = fusion_of(text)
    kernel = emit_fusion(fusion)
    kernel.verify()
    computation = fusion.callee_function()
    inputs = random_inputs(computation.function_type.inputs.data, seed)
    expected = evaluate(computation, inputs)
    actual = run_kernel(kernel, [*inputs, *map(np.zeros_like, expected)])
    for array, reference, type in zip(actual, expected, computation.function_type.outputs.data, strict=True):
        comparison = compare(array, reference, type.element_type)
        assert comparison, comparison
    return kernel
