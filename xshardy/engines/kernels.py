"""Engine `kernels`: each device executes its launch plan, on the CPU, on a mesh of any size."""

from collections.abc import Sequence
from dataclasses import dataclass

from xshardy.compiler import DEFAULT_TARGET
from xshardy.engines.program import PartitionedProgram
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.devices import Grid
from xshardy.modules.checked_run import planned
from xshardy.modules.cpu_machine import cpu_machines
from xshardy.modules.fusing.pipeline import fused_program
from xshardy.modules.parallel_execution import execute_on_devices
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED


@dataclass(frozen=True)
class Kernels:
    """
    Fuses the program of a device, and executes kernels at `level`, library calls, and collectives between the devices.

    All devices have the same launch plan and memory of their own. With `check`, each step of each device is compared
    with the evaluator.
    """

    level: str = EMITTED
    target: str = DEFAULT_TARGET
    math: str = "auto"
    check: bool = False

    def execute(self, program: PartitionedProgram, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """
        See `Engine`. Raises `ModuleError` for what cannot be fused or planned, `StepFailedError` for a step that cannot
        be executed, `DeadlockError`, and `WrongStepError`.
        """
        plan = planned(fused_program(program.module), self.target)
        machines = cpu_machines(len(arguments), self.level, self.target, self.math)
        return execute_on_devices(plan, machines, arguments, Grid(1, len(arguments)), checks=self.check)
