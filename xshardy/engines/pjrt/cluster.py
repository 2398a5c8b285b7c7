"""Processes that share a program, on one machine or many: each joins through the address of the first one."""

import functools
import socket
from collections.abc import Sequence
from typing import Any

from xshardy.engines.pjrt.devices import CPU, start_jax
from xshardy.engines.pjrt.processes import LOOPBACK
from xshardy.programs.errors import EngineError
from xshardy.programs.jax_functions import import_jax

JOIN_SECONDS = 300
"""How long a process waits for the others to join."""


def join(
    coordinator: str,
    processes: int,
    process: int,
    devices: int,
    *,
    platform: str = CPU,
    local_device_ids: Sequence[int] | None = None,
    seconds: int = JOIN_SECONDS,
) -> Any:
    """
    JAX in process number `process` of `processes`, with `devices` virtual CPUs of its own on platform `cpu`.

    `coordinator` is `HOST:PORT`: process 0 listens there, and on no other interface. Virtual CPUs exchange values over
    Gloo, on the interface through which this machine reaches the coordinator. A process that has joined already stays
    in its job. Raises `EngineError` if the others do not join within `seconds`.
    """
    host, port = address_of(coordinator)
    if not 0 <= process < processes:
        raise EngineError(f"process id {process}: {processes} processes have numbers 0 to {processes - 1}")
    if import_jax().distributed.is_initialized():
        return import_jax()
    jax = start_jax(platform, devices)
    if platform == CPU:
        _use_gloo(jax, own_address(host, port))
    try:
        jax.distributed.initialize(
            coordinator,
            processes,
            process,
            local_device_ids=local_device_ids,
            initialization_timeout=seconds,
            coordinator_bind_address=coordinator if process == 0 else None,
        )
    except (RuntimeError, ValueError) as error:
        raise EngineError(f"process {process} cannot join the others at {coordinator}: {error}") from None
    return jax


def address_of(coordinator: str) -> tuple[str, int]:
    """The host and port of `HOST:PORT`. Raises `EngineError` for any other text."""
    host, colon, port = coordinator.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise EngineError(f"coordinator '{coordinator}': expected HOST:PORT, as in 10.0.0.1:8476")
    return host, int(port)


def own_address(host: str, port: int) -> str:
    """The address of this machine that `host` sees. The loopback interface for this machine itself."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((host, port))  # sends nothing
            return probe.getsockname()[0]
    except OSError as error:
        raise EngineError(f"coordinator {host}: {error.strerror}") from None


def is_local(coordinator: str) -> bool:
    """Whether all processes are on this machine."""
    return own_address(*address_of(coordinator)) == LOOPBACK


def _use_gloo(jax: Any, hostname: str) -> None:
    """JAX has no option for the interface; by default, Gloo takes what the name of the host resolves to."""
    from importlib import import_module

    jaxlib: Any = import_module("jaxlib._jax")
    jaxlib.make_gloo_tcp_collectives = functools.partial(jaxlib.make_gloo_tcp_collectives, hostname=hostname)
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
