"""Engine `kernels`: each device executes its launch plan, on the CPU, on a mesh of any size."""

from collections.abc import Sequence
from dataclasses import dataclass

from xshardy.axes.grid import Grid
from xshardy.fusing.pipeline import fused_program
from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.launch.checked_run import planned
from xshardy.launch.cpu_machine import cpu_machines
from xshardy.launch.launch_plan import LaunchPlan
from xshardy.launch.parallel_execution import execute_on_devices
from xshardy.numerics.element_types import Array
from xshardy.programs.partitioned import PartitionedProgram
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED


@dataclass(frozen=True)
class Kernels:
    """
    Executes a launch plan on each device: kernels at `level`, library calls, and collectives between the devices.

    Devices have memory of their own. With `check`, each step of each device is compared with the evaluator. With
    `late`, what is started asynchronously runs at its done, not at its start.
    """

    level: str = EMITTED
    target: str = DEFAULT_TARGET
    math: str = "auto"
    check: bool = False
    late: bool = False

    def execute(self, program: PartitionedProgram, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """See `Engine`. Raises `ModuleError` for what cannot be fused or planned, and what `execute_plan` raises."""
        return self.execute_plan(planned(fused_program(program.module), self.target), arguments)

    def execute_plan(self, plan: LaunchPlan, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """The results of each device, with its arguments. Raises what `cpu_machines` and `execute_on_devices` do."""
        grid = Grid(1, len(arguments))
        machines = cpu_machines(plan.assignment, grid.size, self.level, self.target, self.math)
        return execute_on_devices(plan, machines, arguments, grid, checks=self.check, late=self.late)
