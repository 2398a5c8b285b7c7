"""JAX with virtual CPUs, alone or together with other processes."""

from xshardy.engines.pjrt.cluster import join
from xshardy.engines.pjrt.devices import CPU, start_jax


def start(
    devices: int, *, coordinator: str | None = None, processes: int = 1, process_id: int = 0, platform: str = CPU
) -> None:
    """
    Give this process `devices` virtual CPUs, or the devices of another `platform`, and join it with others.

    Call it before JAX is asked for devices; without it, `jit` takes the devices that JAX has. With several `processes`,
    each has as many devices, and `coordinator` is the `HOST:PORT` where process 0 listens: on a loopback address, no
    other machine reaches them. `jax.distributed.shutdown()` ends the job. Raises `EngineError`.
    """
    if coordinator is None or processes == 1:
        start_jax(platform, devices)
    else:
        join(coordinator, processes, process_id, devices, platform=platform)
