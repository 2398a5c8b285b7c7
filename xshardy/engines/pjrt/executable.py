"""A partitioned program compiled by XLA, and its execution on the devices of this process."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.programs.errors import EngineError
from xshardy.programs.jax_functions import import_jax
from xshardy.programs.jax_types import Device, JaxArray, LoadedExecutable


def compile_options(devices: Sequence[Device]) -> object:
    """One replica with a partition for each of `devices`, in order."""
    xla_client: Any = import_module("jaxlib.xla_client")
    options: Any = xla_client.CompileOptions()
    assignment = np.array([[device.id for device in devices]], np.int32)  # [replica, partition]
    options.device_assignment = xla_client.DeviceAssignment.create(assignment)
    build = options.executable_build_options
    build.device_assignment = options.device_assignment
    options.num_replicas, options.num_partitions = build.num_replicas, build.num_partitions = assignment.shape
    # XLA:CPU refuses several partitions without these; Shardy then finds that all axes are manual.
    build.use_spmd_partitioning = build.use_shardy_partitioner = True
    return options


def load(text: str, devices: Sequence[Device]) -> LoadedExecutable:
    """The executable of a module of `on_flat_mesh`. Raises `EngineError` with XLA's reason if it refuses that."""
    if "@lapack_" in text:  # jaxlib's kernels crash unless they have been told where scipy's functions are
        import_module("jaxlib.lapack").prepare_lapack_call("potrf_ffi", np.dtype(np.float32))
    try:
        return devices[0].client.compile_and_load(text, list(devices), compile_options(devices))
    except RuntimeError as error:  # of jaxlib
        raise EngineError(f"XLA refuses the program: {_first_lines(error)}") from None


def _first_lines(error: Exception) -> str:
    """XLA's messages may have the whole module after them."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return "\n".join(lines[:4])


@dataclass(frozen=True)
class Executable:
    """A compiled program, and the devices that it runs on, by partition."""

    loaded: LoadedExecutable
    devices: Sequence[Device]

    def execute_buffers(self, arguments: Sequence[object]) -> list[list[JaxArray]]:
        """
        The parts of each result as arrays of single devices of this process: `[result][device]`.

        Each of `arguments` is a `jax.Array` with a part on each device, in the order of the devices.
        """
        return self.loaded.execute_sharded(list(arguments)).disassemble_into_single_device_arrays()

    def execute_on_one_device(self, arguments: Sequence[object]) -> list[JaxArray]:
        """
        The results of a program for one device, as arrays there, when they have been computed.

        Raises `EngineError` with XLA's reason if the execution fails.
        """
        try:
            results = [of_device[0] for of_device in self.execute_buffers(arguments)]
            return [result.block_until_ready() for result in results]
        except RuntimeError as error:
            raise EngineError(f"the execution failed: {_first_lines(error)}") from None

    def stacked(self, parts: Sequence[JaxArray]) -> JaxArray:
        """An array of the parts of all devices one after another; `parts` are those of this process."""
        jax = import_jax()
        mesh = jax.sharding.Mesh(np.array(self.devices), ("device",))
        shape = parts[0].shape
        spec = jax.sharding.PartitionSpec(*("device",) if shape else ())
        whole = (len(self.devices) * shape[0], *shape[1:]) if shape else ()
        return jax.make_array_from_single_device_arrays(whole, jax.sharding.NamedSharding(mesh, spec), list(parts))

    def place(self, arguments: Sequence[Sequence[Array]]) -> list[JaxArray]:
        """The arguments of the devices of this process, `[device][i]`, as arrays for `execute_buffers`."""
        jax = import_jax()
        mine = [device for device in self.devices if device.process_index == jax.process_index()]
        by_argument = zip(*arguments, strict=True)
        return [self.stacked([*map(jax.device_put, parts, mine)]) for parts in by_argument]

    def execute(self, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """
        The results of the devices of this process, `[device][i]`, for the arguments of each of them.

        Raises `EngineError` with XLA's reason if the execution fails.
        """
        try:
            results = self.execute_buffers(self.place(arguments))
            return [[np.asarray(parts[device]) for parts in results] for device in range(len(arguments))]
        except RuntimeError as error:
            raise EngineError(f"the execution failed: {_first_lines(error)}") from None
