"""
A plugin of JAX, copied into the folder that `script.py` makes: JAX finds it by the name of the package, `jax_plugins`,
and calls `initialize` before it asks for devices. It imports nothing of xshardy, whatever the script's environment is.

Source: the docstring of `discover_pjrt_plugins` in `jax._src.xla_bridge`.
"""

import json
import math
import os
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

USUAL_DEVICES = 8
DEVICES_FLAG = "xla_force_host_platform_device_count"
SIZES = {"make_mesh": ("axis_sizes", "axis_shapes"), "create_device_mesh": ("mesh_shape",)}
"""By a function of JAX that makes a mesh, its parameter with the sizes of the axes: that of JAX 0.12, and before."""
TIMES_EXECUTIONS = "XSHARDY_TRACE_EXECUTIONS"
"""The variable of the environment that asks for the times of executions."""
EXECUTED = "executed"
"""The event of an execution."""


def initialize() -> None:
    """Record how long JAX takes for what it compiles, and give it as many virtual CPUs as the first mesh needs."""
    jax: Any = import_module("jax")  # without its types, which are incomplete
    file = Path(os.environ["JAX_DUMP_IR_TO"]) / "times.jsonl"
    jax.monitoring.register_event_duration_secs_listener(partial(_record, file))
    if TIMES_EXECUTIONS in os.environ:
        _time_executions(jax, file)
    if jax.config.jax_num_cpu_devices < 0 and DEVICES_FLAG not in os.environ.get("XLA_FLAGS", ""):
        jax.config.update("jax_num_cpu_devices", max(USUAL_DEVICES, _devices_of_mesh()))


def _time_executions(jax: Any, file: Path) -> None:
    """
    Record how long each execution takes, up to its results.

    JAX repeats a call in C++; without its data for that, it calls `ExecuteReplicated` each time. Both have these names
    in JAX 0.10 and 0.12; where one is missing, nothing is recorded.
    """
    pjit: Any = import_module("jax._src.pjit")
    pxla: Any = import_module("jax._src.interpreters.pxla")
    kind = getattr(pxla, "ExecuteReplicated", None)
    if kind is None or not hasattr(pjit, "_get_fastpath_data"):
        return
    execute = kind.__call__

    def timed(executable: Any, *arguments: Any) -> Any:
        start = perf_counter()
        results = jax.block_until_ready(execute(executable, *arguments))
        _record(file, EXECUTED, perf_counter() - start, fun_name=executable.name)
        return results

    def no_data(*_: object, **__: object) -> None:
        return None

    kind.__call__ = timed
    pjit._get_fastpath_data = no_data


def _record(file: Path, event: str, seconds: float, **details: object) -> None:
    with file.open("a") as stream:
        stream.write(json.dumps([event, seconds, details.get("fun_name")]) + "\n")


def _devices_of_mesh() -> int:
    """The devices of the mesh that the script is making now, if that is why JAX asks for devices; else 0."""
    frame = sys._getframe()
    while frame is not None:
        for parameter in SIZES.get(frame.f_code.co_name, ()):
            if parameter in frame.f_locals:
                return math.prod(frame.f_locals[parameter])
        frame = frame.f_back
    return 0
