"""A launch plan on several devices, which take turns: each goes on until a collective makes it wait for others."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.utils.exceptions import DiagnosticException

from xshardy.axes.grid import Grid
from xshardy.interpreters.stablehlo.devices import Device, on_all_devices
from xshardy.launch.execution import Execution, Finished, Machine, Running
from xshardy.launch.launch_plan import LaunchPlan
from xshardy.numerics.element_types import Array


class WrongStepError(DiagnosticException):
    """A step of a device with a wrong operand or result."""


def execute_on_devices(
    plan: LaunchPlan,
    machines: Sequence[Machine],
    arguments: Sequence[Sequence[Array]],
    grid: Grid,
    *,
    checks: bool,
    late: bool = False,
    finished: Finished = lambda step: None,
) -> list[list[Array]]:
    """
    The results of each device of `grid`, which executes `plan` on its machine with its own `arguments`.

    `checks` and `late` are those of `Execution`.

    Raises what `Execution.run` does: `ModuleError` and `StepFailedError`; `DeadlockError`; and with `checks`
    `WrongStepError` for the first step that is wrong.
    """

    def execution(device: Device) -> Running[list[Array]]:
        execution = Execution(plan, machines[device.number], checks, finished, device=device, late=late)
        results = yield from execution.running(arguments[device.number])
        if execution.wrong is not None:
            where = f"device {device.number}: " if grid.size > 1 else ""
            raise WrongStepError(f"{where}{execution.wrong}")
        return results

    with np.errstate(all="ignore"):
        return cast(list[list[Array]], on_all_devices(grid, execution))
