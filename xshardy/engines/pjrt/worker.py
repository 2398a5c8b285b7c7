"""
One process of a job of engine `pjrt`: `python -m xshardy.engines.pjrt.worker FOLDER PROCESS`.

It reads `job` and `arguments.PROCESS` from FOLDER, which only its user can read, and writes `results.PROCESS`, or the
reason why there are none as `error.PROCESS`.
"""

import pickle
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xshardy.engines.pjrt.cluster import join
from xshardy.engines.pjrt.devices import CPU, devices_of, enable_64_bits, start_jax
from xshardy.engines.pjrt.executable import Executable, load
from xshardy.numerics.element_types import Array
from xshardy.programs.errors import EngineError


@dataclass(frozen=True, slots=True)
class Job:
    """A program of `on_flat_mesh`, and the processes that run it together."""

    text: str
    devices: int
    processes: int
    platform: str
    coordinator: str

    @property
    def devices_of_process(self) -> int:
        return self.devices // self.processes


def run_job(job: Job, process: int, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """The results of the devices of `process`, `[device][i]`. Raises `EngineError`."""
    here = job.devices_of_process
    if job.processes == 1:
        jax = start_jax(job.platform, here)
    else:
        ids = None if job.platform == CPU else range(process * here, (process + 1) * here)
        jax = join(job.coordinator, job.processes, process, here, platform=job.platform, local_device_ids=ids)
    enable_64_bits(jax)
    devices = devices_of(jax, job.devices)
    results = Executable(load(job.text, devices), devices).execute(arguments)
    if job.processes > 1:
        jax.distributed.shutdown()  # waits for the others
    return results


def main(folder: Path, process: int) -> int:
    """Run a process of the job in `folder`. Gives its exit status."""
    job: Job = pickle.loads((folder / "job").read_bytes())
    arguments: Sequence[Sequence[Array]] = pickle.loads((folder / f"arguments.{process}").read_bytes())
    try:
        results = run_job(job, process, arguments)
    except EngineError as error:
        (folder / f"error.{process}").write_text(str(error))
        return 1
    (folder / f"results.{process}").write_bytes(pickle.dumps(results))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
