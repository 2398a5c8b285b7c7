"""
XLA on several CPU devices, in a process of its own: the number of devices is fixed once a process has used XLA.

Run as a program it reads a list of runs from its input, as JSON, and writes the results. A run is the text of a module,
the numbers of replicas and partitions, and for each device its arguments; arrays are pairs of an element type and
nested lists.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i32

from xshardy.dialects.function_attributes import set_argument_attributes
from xshardy.syntax import parse_module
from xshardy.syntax.printer import Printer

Array = NDArray[Any]
DEVICES = 4
MANUAL = {"mhlo.sharding": StringAttr("{manual}")}


@dataclass(frozen=True, slots=True)
class Run:
    """A module, the grid of devices that run it, and the arguments of each device."""

    text: str
    replicas: int
    partitions: int
    arguments: Sequence[Sequence[Array]]


def as_lists(arrays: Sequence[Sequence[Array]]) -> list[list[tuple[str, Any]]]:
    return [[(str(array.dtype), array.tolist()) for array in of_device] for of_device in arrays]


def as_arrays(lists: Sequence[Sequence[tuple[str, Any]]]) -> list[list[Array]]:
    return [[np.array(values, dtype) for dtype, values in of_device] for of_device in lists]


def run_on_devices(runs: Sequence[Run]) -> list[list[list[Array]]]:
    """What each device returns, for each of `runs`."""
    texts = [partitioned_by_hand(run) if run.partitions > 1 else run.text for run in runs]
    given = [
        (text, run.replicas, run.partitions, as_lists(run.arguments)) for text, run in zip(texts, runs, strict=True)
    ]
    done = subprocess.run([sys.executable, __file__], input=json.dumps(given), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return [as_arrays(results) for results in json.loads(done.stdout.splitlines()[-1])]


def partitioned_by_hand(run: Run) -> str:
    """The text of a module that is already partitioned: each device executes it as it is."""
    module = parse_module(run.text)
    for op in module.walk():
        if isinstance(op, func.FuncOp):
            set_argument_attributes(op, [MANUAL for _ in op.function_type.inputs])
            op.res_attrs = ArrayAttr(DictionaryAttr(MANUAL) for _ in op.function_type.outputs)
        elif isinstance(op.parent_op(), func.FuncOp) and not isinstance(op, func.ReturnOp):
            op.attributes.update(MANUAL)
    module.attributes["mhlo.num_replicas"] = IntegerAttr(run.replicas, i32)
    module.attributes["mhlo.num_partitions"] = IntegerAttr(run.partitions, i32)
    return Printer().module_text(module)


def main() -> None:
    jax: Any = import_module("jax")
    jax.config.update("jax_num_cpu_devices", DEVICES)
    xla_client: Any = import_module("jax._src.lib").xla_client
    client: Any = import_module("jax.extend").backend.get_backend("cpu")
    results: list[list[list[tuple[str, Any]]]] = []
    for text, replicas, partitions, arguments in json.load(sys.stdin):
        devices = client.devices()[: replicas * partitions]
        options = xla_client.CompileOptions()
        options.num_replicas, options.num_partitions = replicas, partitions
        build = options.executable_build_options
        build.num_replicas, build.num_partitions, build.use_spmd_partitioning = replicas, partitions, partitions > 1
        build.device_assignment = xla_client.DeviceAssignment.create(
            np.arange(len(devices)).reshape(replicas, partitions)
        )
        executable = client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), options)
        mesh = jax.sharding.Mesh(np.array(devices), "devices")
        sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("devices"))
        operands: list[Any] = []
        for of_one_argument in zip(*as_arrays(arguments), strict=True):
            shards = [jax.device_put(array, device) for array, device in zip(of_one_argument, devices, strict=True)]
            shape = (sum(shard.shape[0] for shard in shards), *shards[0].shape[1:])
            operands.append(jax.make_array_from_single_device_arrays(shape, sharding, shards))
        returned = executable.execute_sharded(operands).disassemble_into_single_device_arrays()
        results.append(as_lists([[np.asarray(result[i]) for result in returned] for i in range(len(devices))]))
    print(json.dumps(results))


if __name__ == "__main__":
    main()
