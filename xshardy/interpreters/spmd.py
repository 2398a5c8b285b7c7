"""
One program on many devices: StableHLO and HLO ops evaluated with numpy, with collectives between the devices.

Each device executes its program up to the next collective, and goes on when the others of its group are there. So
deadlocks are detected, and devices may take different paths through loops.
"""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.axes.grid import Grid
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.devices import Device, on_all_devices
from xshardy.interpreters.stablehlo.evaluator import RULES, entry_of, flattened, given, zip_arguments
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.numerics.element_types import Array


def evaluate_spmd(
    module: ModuleOp,
    arguments: Sequence[Sequence[Array]],
    replicas: int = 1,
    rules: Mapping[type[Operation], Rule] = RULES,
) -> list[list[Array]]:
    """
    The results of each device when all of them run `module`, device `i` with `arguments[i]`.

    There are `replicas` replicas, with as many partitions each as the number of entries of `arguments` requires; device
    `replica * partitions + partition` has the entry of this number. Raises `InterpretationError` as `evaluate` does,
    and for a deadlock.
    """
    if not arguments or replicas < 1 or len(arguments) % replicas:
        raise ValueError(f"{len(arguments)} devices cannot be {replicas} replicas of the same number of partitions")
    entry = entry_of(module)
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}

    shared = Evaluator(rules, functions)

    def execution(device: Device) -> Execution:
        values = [given(array, value, entry) for array, value in zip_arguments(entry, arguments[device.number])]
        return flattened((yield shared.on(device).calling(entry.sym_name.data, values)))

    with np.errstate(all="ignore"):
        results = on_all_devices(Grid(replicas, len(arguments) // replicas), execution)
    return cast(list[list[Array]], results)
