"""JAX, started for a number of devices of a platform."""

import os
from collections.abc import Sequence
from typing import Any

from xshardy.programs.errors import EngineError
from xshardy.programs.jax_functions import import_jax
from xshardy.programs.jax_types import Device

CPU = "cpu"


def start_jax(platform: str, devices: int) -> Any:
    """
    JAX on `platform`: `cpu` with this number of virtual devices in this process, `cuda`, `rocm` or `tpu`.

    Raises `EngineError` if JAX already runs on another platform or with another number of CPUs.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    jax = import_jax()
    try:
        jax.config.update("jax_platforms", platform)
        if platform == CPU:
            jax.config.update("jax_num_cpu_devices", devices)
    except RuntimeError as error:  # it runs already
        if platform != CPU or jax.default_backend() != CPU or jax.local_device_count() != devices:
            raise EngineError(f"JAX cannot be set up for {devices} devices of platform {platform}: {error}") from None
    return jax


def enable_64_bits(jax: Any) -> None:
    """Keep the types of 64 bits that a program has: by default, JAX makes them 32 bits wide."""
    jax.config.update("jax_enable_x64", True)


def devices_of(jax: Any, count: int) -> Sequence[Device]:
    """
    The first `count` devices of all processes, each process with some of them.

    Raises `EngineError` if there are fewer, or if a process would have none.
    """
    try:
        found: list[Device] = jax.devices()
    except RuntimeError as error:
        raise EngineError(f"JAX finds no devices: {error}") from None
    here = f"{len(found)} device{'s' * (len(found) != 1)} of platform {found[0].platform}"
    if len(found) < count:
        raise EngineError(
            f"the program needs {count} devices, but JAX has {here}: choose another mesh with --mesh, or virtual CPUs "
            "with --platform cpu"
        )
    chosen = found[:count]
    if idle := {device.process_index for device in found} - {device.process_index for device in chosen}:
        raise EngineError(
            f"the program needs {count} devices, and the processes have {here}: processes {sorted(idle)} would have "
            "none, so start fewer"
        )
    return chosen
