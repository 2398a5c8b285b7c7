"""
One program on many devices: StableHLO and HLO ops evaluated with numpy, with collectives between the devices.

Each device runs in a thread of its own and blocks only at collectives, as real devices do. So deadlocks are detected,
and devices may take different paths through loops.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.devices import DeadlockError, Device, Grid, Rendezvous
from xshardy.interpreters.stablehlo.evaluator import RULES, entry_of, flattened, given, zip_arguments
from xshardy.interpreters.stablehlo.machine import Evaluator


def evaluate_spmd(module: ModuleOp, arguments: Sequence[Sequence[Array]], replicas: int = 1) -> list[list[Array]]:
    """
    The results of each device when all of them run `module`, device `i` with `arguments[i]`.

    There are `replicas` replicas, with as many partitions each as the number of entries of `arguments` requires; device
    `replica * partitions + partition` has the entry of this number. Raises `InterpretationError` as `evaluate` does,
    and for a deadlock.
    """
    if not arguments or replicas < 1 or len(arguments) % replicas:
        raise ValueError(f"{len(arguments)} devices cannot be {replicas} replicas of the same number of partitions")
    grid = Grid(replicas, len(arguments) // replicas)
    rendezvous = Rendezvous(grid.size)
    entry = entry_of(module)
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}

    def run(number: int) -> list[Array]:
        evaluator = Evaluator(RULES, functions, Device(number, grid, rendezvous))
        try:
            values = [given(array, value, entry) for array, value in zip_arguments(entry, arguments[number])]
            with np.errstate(all="ignore"):
                return flattened(evaluator.call(entry.sym_name.data, values))
        finally:
            rendezvous.leave()

    with ThreadPoolExecutor(max_workers=grid.size) as threads:
        results = [threads.submit(run, number) for number in range(grid.size)]
    # A failing device blocks others, so its error takes precedence over theirs.
    errors = [error for result in results if (error := result.exception()) is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, DeadlockError)):
        raise error
    return [result.result() for result in results]
