"""Emitting the fusion of an HLO module, and running what was emitted against the reference."""

from collections.abc import Callable

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import emit_fusion
from xshardy.emitters.loop import emit_loop_fusion
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.reference import Reference
from xshardy.interpreters.simt import run_kernel


def fusion_of(text: str) -> FusionOp:
    """The only fusion of the HLO module `text`."""
    module = parse_hlo(text)
    module.verify()
    (fusion,) = (op for op in module.walk() if isinstance(op, FusionOp))
    return fusion


def fusion_called(name: str, text: str) -> FusionOp:
    """The fusion of the computation `name` in the HLO module `text`, which may have others."""
    module = parse_hlo(text)
    module.verify()
    (fusion,) = (op for op in module.walk() if isinstance(op, FusionOp) and op.callee.string_value() == name)
    return fusion


def check(text: str, seed: int = 0) -> ModuleOp:
    """Emit the fusion of `text`, run it, and compare with the reference. Gives the emitted module."""
    fusion = fusion_of(text)
    kernel = emit_fusion(fusion)
    check_kernel(kernel, fusion.callee_function(), seed)
    return kernel


def check_module(text: str, starts_function: Callable[[Operation], bool] = lambda _: False) -> None:
    """As `check`, for any partition of the fusion, which the loop emitter emits."""
    computation = fusion_of(text).callee_function()
    check_kernel(emit_loop_fusion(computation, "main", starts_function=starts_function).module, computation)


def check_kernel(kernel: ModuleOp, computation: FuncOp, seed: int = 0) -> None:
    """Run a kernel, and compare its results with the reference."""
    kernel.verify()
    inputs = inputs_of(computation, seed)
    reference = Reference(computation, inputs)
    assert not reference.undefined
    actual = run_kernel(kernel, [*inputs, *map(np.zeros_like, reference.results)])
    for index, array in enumerate(actual):
        comparison = reference.compare(index, array)
        assert comparison, comparison
