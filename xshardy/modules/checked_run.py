"""A module executed on the CPU, and compared with the evaluator: step by step, and as a whole."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects import hlo
from xshardy.emitters import emit_fusion
from xshardy.emitters.devices import device_of
from xshardy.interpreters import simt
from xshardy.interpreters.element_types import KINDS, Array, Kind
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.reference import Reference
from xshardy.modules.aliases import aliases_of, donated_parameters
from xshardy.modules.execution import Execution, Finished, Machine
from xshardy.modules.fusions import Fusions
from xshardy.modules.kernel_levels import first_of_buffer
from xshardy.modules.launch_plan import LaunchPlan
from xshardy.modules.layouts import require_layouts
from xshardy.modules.program import entry_of, prepared
from xshardy.modules.scheduling import plan_of
from xshardy.modules.unfused import require_fused
from xshardy.transforms.hlo.expand_library_calls import ExpandLibraryCallsPass


def planned(module: ModuleOp, target: str) -> LaunchPlan:
    """
    The launch plan of `module`, which is not changed, without compiled kernels.

    Raises `ModuleError` for a module that is not fused, and `PassFailedException` for a fusion that cannot be emitted.
    """
    entry = prepared(module)
    require_fused(entry)
    require_layouts(entry)
    fusions = Fusions.of(entry)
    known: dict[str, Mapping[int, int]] = {}

    def aliases(op: hlo.FusionOp) -> Mapping[int, int]:
        fingerprint = fusions.fingerprints[op]
        if fingerprint not in known:
            kernel = simt.find_kernel(emit_fusion(op, device_of(target)))
            known[fingerprint] = aliases_of(first_of_buffer(kernel), len(op.operands))
        return known[fingerprint]

    return plan_of(entry, fusions.fingerprints, aliases, donated_parameters(module))


class ModuleRuns:
    """
    Executions of `plan` with the same arguments, which depend on `seed` only.

    The plan is that of `module`, or of the same program with its operations fused.
    """

    def __init__(self, module: ModuleOp, plan: LaunchPlan, seed: int = 0):
        self.module, self.plan = module, plan
        # A program of JAX makes NaN of what it gathers out of bounds, and then of all that follows.
        drawn = inputs_of(entry_of(module), seed, only_plain=True, indices_in_bounds=True)
        self.arguments = [_positive(array) for array in drawn]

    def run(
        self, machine: Machine, *, checks: bool, finished: Finished = lambda step: None
    ) -> tuple[Execution, list[Array]]:
        """One execution, and its results."""
        execution = Execution(self.plan, machine, checks, finished)
        return execution, execution.run(self.arguments)

    @cached_property
    def reference(self) -> Reference:
        """What the evaluator makes of the whole program."""
        whole = self.module.clone()
        ExpandLibraryCallsPass().rewrite_module(whole)
        return Reference(entry_of(whole), self.arguments)


def _positive(array: Array) -> Array:
    """Floats without their signs: the root of a negative variance would make NaN of all that follows."""
    return np.abs(array) if KINDS[array.dtype] is Kind.FLOAT else array
