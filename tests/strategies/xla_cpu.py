"""Programs in StableHLO executed by XLA on one CPU, in this process, with types of all widths."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def run_on_xla(text: str, arguments: Sequence[Array], *, optimized: bool = True) -> list[Array]:
    """
    The results of the module `text` for `arguments`. Raises jaxlib's error if XLA refuses it.

    Programs of dozens of operations on a few elements take half the time where LLVM does not optimize them. Those on
    thousands of elements take ten times as long.
    """
    jax: Any = import_module("jax")
    xla_client: Any = import_module("jax._src.lib").xla_client
    client: Any = import_module("jax.extend").backend.get_backend("cpu")
    device = client.local_devices()[0]
    options = xla_client.CompileOptions()
    if not optimized:
        options.executable_build_options.debug_options.xla_backend_optimization_level = 0
    loaded = client.compile_and_load(text, xla_client.DeviceList((device,)), options)
    with jax.enable_x64(True):
        given = [jax.device_put(argument, device) for argument in arguments]
    return [np.asarray(parts[0]) for parts in loaded.execute_sharded(given).disassemble_into_single_device_arrays()]
