"""Engine `pjrt`: XLA's devices of this machine, in processes of their own, or of a cluster that this process joins."""

import pickle
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from xshardy.engines.pjrt.cluster import join
from xshardy.engines.pjrt.devices import CPU, devices_of, enable_64_bits
from xshardy.engines.pjrt.executable import Executable, load
from xshardy.engines.pjrt.flat_mesh import on_flat_mesh
from xshardy.engines.pjrt.processes import LOOPBACK, ProcessError, free_port, run_together
from xshardy.engines.pjrt.worker import Job
from xshardy.numerics.element_types import Array
from xshardy.programs.errors import EngineError
from xshardy.programs.jax_functions import check_installed
from xshardy.programs.jax_types import JaxArray
from xshardy.programs.partitioned import PartitionedProgram
from xshardy.syntax import print_module

TIME_OUT = 600.0
"""The seconds after which a run is given up, by default."""


@dataclass(frozen=True, slots=True)
class PJRT:
    """
    Executes on devices of this machine, in `processes` processes that end with the run.

    So neither a JAX that already runs in this process nor an abort of XLA is in the way. A run that takes longer than
    `time_out` seconds is given up.
    """

    processes: int = 1
    platform: str = CPU
    time_out: float | None = TIME_OUT

    def execute(self, program: PartitionedProgram, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """See `Engine`."""
        check_installed()
        here = devices_per_process(program.devices, self.processes)
        coordinator = f"{LOOPBACK}:{free_port()}"
        text = print_module(on_flat_mesh(program))
        job = Job(text, program.devices, self.processes, self.platform, coordinator)
        with tempfile.TemporaryDirectory(prefix="xshardy-") as name:
            folder = Path(name)
            (folder / "job").write_bytes(pickle.dumps(job))
            for process in range(self.processes):
                given = [list(of_device) for of_device in arguments[process * here : (process + 1) * here]]
                (folder / f"arguments.{process}").write_bytes(pickle.dumps(given))
            command = (sys.executable, "-m", "xshardy.engines.pjrt.worker", name)
            try:
                run_together([(*command, str(i)) for i in range(self.processes)], time_out=self.time_out)
            except ProcessError as error:
                if (said := folder / f"error.{error.number}").exists():
                    raise EngineError(said.read_text()) from None
                raise
            results = [folder / f"results.{process}" for process in range(self.processes)]
            return [of_device for path in results for of_device in pickle.loads(path.read_bytes())]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Executes on the devices of `processes` processes, of which this one is number `process`. All have all results."""

    coordinator: str
    processes: int
    process: int
    platform: str = CPU

    def execute(self, program: PartitionedProgram, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """See `Engine`."""
        here = devices_per_process(program.devices, self.processes)
        jax = join(self.coordinator, self.processes, self.process, here, platform=self.platform)
        enable_64_bits(jax)
        devices = devices_of(jax, program.devices)
        executable = Executable(load(print_module(on_flat_mesh(program)), devices), devices)
        mine = [number for number, device in enumerate(devices) if device.process_index == jax.process_index()]
        given = executable.place([arguments[number] for number in mine])
        results = [executable.stacked(parts) for parts in executable.execute_buffers(given)]
        gathered = [_parts_of_all(array, len(devices)) for array in results]
        return [[parts[device] for parts in gathered] for device in range(len(devices))]


def devices_per_process(devices: int, processes: int) -> int:
    """Raises `EngineError` if the processes cannot have equal numbers of devices."""
    if processes < 1 or devices % processes:
        raise EngineError(f"{devices} devices cannot be divided among {processes} processes")
    return devices // processes


def _parts_of_all(array: JaxArray, devices: int) -> list[Array]:
    """The parts of all devices, from an array of them one after another."""
    from jax.experimental import multihost_utils

    gather: Any = multihost_utils.process_allgather
    whole = np.asarray(gather(array, tiled=True))
    return np.split(whole, devices) if whole.ndim else [whole] * devices
