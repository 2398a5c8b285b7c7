"""A module executed on the CPU, and compared with the evaluator: step by step, and as a whole."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xshardy.dialects import hlo
from xshardy.emitters import emit_fusion
from xshardy.gpus.targets import device_of
from xshardy.interpreters import simt
from xshardy.interpreters.check import Comparison, Tolerance
from xshardy.interpreters.reference import Reference
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.ir import clone_operation
from xshardy.launch.aliases import aliases_of, donated_parameters
from xshardy.launch.device_arguments import device_arguments
from xshardy.launch.execution import Finished, Machine
from xshardy.launch.fusions import Fusions
from xshardy.launch.kernel_levels import first_of_buffer
from xshardy.launch.launch_plan import LaunchPlan
from xshardy.launch.layouts import require_layouts
from xshardy.launch.module_devices import grid_of
from xshardy.launch.parallel_execution import execute_on_devices
from xshardy.launch.plan_steps import plan_of
from xshardy.launch.prepared_program import entry_of, prepared
from xshardy.launch.unfused import require_fused
from xshardy.numerics.element_types import KINDS, Array, Kind
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

    The plan is that of `module`, or of the same program with its operations fused. A module that XLA has partitioned
    runs on all of its devices.
    """

    def __init__(self, module: ModuleOp, plan: LaunchPlan, seed: int = 0):
        self.module, self.plan = module, plan
        self.grid = grid_of(module)
        drawn = device_arguments(entry_of(module), self.grid, seed)
        self.arguments = [[_positive(array) for array in of_device] for of_device in drawn]
        """Those of each device."""

    def run(
        self, machines: Sequence[Machine], *, checks: bool, finished: Finished = lambda step: None
    ) -> list[list[Array]]:
        """The results of each device, on its machine. Raises what `execute_on_devices` does."""
        return execute_on_devices(self.plan, machines, self.arguments, self.grid, checks=checks, finished=finished)

    def compare(
        self, index: int, results: Sequence[Sequence[Array]], tolerance: Tolerance | None = None
    ) -> Comparison | str:
        """
        The comparison of result `index` of all devices with the evaluator, for the device that agrees least.

        The reason, if HLO does not define this result.
        """
        if (reason := self._reference.undefined.get(index)) is not None:
            return reason
        count = len(self.plan.results)
        compared = [
            self._reference.compare(device * count + index, of_device[index], tolerance)
            for device, of_device in enumerate(results)
        ]
        return max(compared, key=lambda comparison: comparison.wrong)

    @cached_property
    def _reference(self) -> Reference:
        """What the evaluator makes of the whole program: the results of the first device, of the second, and so on."""
        whole = clone_operation(self.module)
        ExpandLibraryCallsPass().rewrite_module(whole)

        def on_devices(entry: FuncOp, inputs: Sequence[Any], rules: Mapping[type[Operation], Rule]) -> list[Array]:
            found = evaluate_spmd(whole, inputs, self.grid.replicas, rules)
            return [result for of_device in found for result in of_device]

        return Reference(entry_of(whole), self.arguments, evaluation=on_devices)


def _positive(array: Array) -> Array:
    """Floats without their signs: the root of a negative variance would make NaN of all that follows."""
    return np.abs(array) if KINDS[array.dtype] is Kind.FLOAT else array
