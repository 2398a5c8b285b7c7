"""
One program on many devices: StableHLO and HLO ops evaluated with numpy, collectives exchanging values between them.

Each device runs in a thread of its own and waits for the others only at collectives, as real ones do: so a program in
which they wait for each other forever is found out, and one in which they take different ways through loops is not in
danger of being read otherwise than it would run.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.devices import Device, Grid, Meetings, WaitsForeverError
from xshardy.interpreters.stablehlo.evaluator import RULES, entry_of, flattened, given, zip_arguments
from xshardy.interpreters.stablehlo.machine import Evaluator


def evaluate_spmd(module: ModuleOp, arguments: Sequence[Sequence[Array]], replicas: int = 1) -> list[list[Array]]:
    """
    What each device returns when all of them run `module`, the first with the first of `arguments`.

    There are `replicas` replicas, of as many partitions each as it takes to have an entry of `arguments` for every
    device; device `replica * partitions + partition` has the entry of this number. Raises `InterpretationError` as
    `evaluate` does, and when devices wait for each other forever.
    """
    if not arguments or replicas < 1 or len(arguments) % replicas:
        raise ValueError(f"{len(arguments)} devices cannot be {replicas} replicas of the same number of partitions")
    grid = Grid(replicas, len(arguments) // replicas)
    meetings = Meetings(grid.size)
    entry = entry_of(module)
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}

    def run(number: int) -> list[Array]:
        evaluator = Evaluator(RULES, functions, Device(number, grid, meetings))
        try:
            values = [given(array, value, entry) for array, value in zip_arguments(entry, arguments[number])]
            with np.errstate(all="ignore"):
                return flattened(evaluator.call(entry.sym_name.data, values))
        finally:
            meetings.leave()

    with ThreadPoolExecutor(max_workers=grid.size) as threads:
        results = [threads.submit(run, number) for number in range(grid.size)]
    # A device that fails keeps others waiting: what it says comes first.
    errors = [error for result in results if (error := result.exception()) is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, WaitsForeverError)):
        raise error
    return [result.result() for result in results]
