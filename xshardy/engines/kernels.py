"""Engine `kernels`: each device executes its launch plan, on the CPU, on a mesh of any size."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from xshardy.compiler import DEFAULT_TARGET
from xshardy.engines.errors import EngineError
from xshardy.engines.program import PartitionedProgram
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.devices import Device, Grid, on_all_devices
from xshardy.modules.checked_run import planned
from xshardy.modules.cpu_machine import CpuMachine
from xshardy.modules.execution import Execution
from xshardy.modules.fusing.pipeline import fused_program
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
        be executed, `InterpretationError` for a deadlock, and `EngineError` for a step whose result is wrong.
        """
        plan = planned(fused_program(program.module), self.target)
        first = CpuMachine(self.level, self.target, self.math)

        def execution(device: Device) -> Generator[Any, Any, list[Array]]:
            machine = CpuMachine(self.level, self.target, self.math, first.kernels)
            execution = Execution(plan, machine, self.check, device=device)
            results = yield from execution.running(arguments[device.number])
            if execution.wrong is not None:
                raise EngineError(f"device {device.number}: {execution.wrong}")
            return results

        with np.errstate(all="ignore"):
            return cast(list[list[Array]], on_all_devices(Grid(1, len(arguments)), execution))
