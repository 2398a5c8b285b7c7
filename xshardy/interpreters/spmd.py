"""
One program on many devices: StableHLO and HLO ops evaluated with numpy, with collectives between the devices.

Each device runs in a thread of its own and blocks only at collectives, as real devices do. So deadlocks are detected,
and devices may take different paths through loops.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.devices import Device, Grid, on_all_devices
from xshardy.interpreters.stablehlo.evaluator import RULES, entry_of, flattened, given, zip_arguments
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule


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

    def run(device: Device) -> list[Array]:
        evaluator = Evaluator(rules, functions, device)
        values = [given(array, value, entry) for array, value in zip_arguments(entry, arguments[device.number])]
        with np.errstate(all="ignore"):
            return flattened(evaluator.call(entry.sym_name.data, values))

    return on_all_devices(Grid(replicas, len(arguments) // replicas), run)
