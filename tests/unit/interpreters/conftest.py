"""What the tests of the interpreters share: XLA on the CPU as the oracle for StableHLO."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[Any]


@pytest.fixture(scope="session")
def run_on_xla() -> Callable[[str, Sequence[Array]], list[Array]]:
    """Compile the text of a StableHLO module for the CPU, and execute it."""
    import jax
    from jax._src.lib import xla_client
    from jax.extend import backend

    jax.config.update("jax_enable_x64", True)
    client = backend.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(client.devices()[:1]))

    def run(text: str, arguments: Sequence[Array]) -> list[Array]:
        executable = client.compile_and_load(text, devices, xla_client.CompileOptions())
        return [np.asarray(result) for result in executable.execute([jax.device_put(a) for a in arguments])]

    return run
