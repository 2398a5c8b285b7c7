"""What the tests of the interpreters share: XLA on the CPU as the oracle for StableHLO."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
import xla_cpu
from numpy.typing import NDArray

Array = NDArray[Any]


@pytest.fixture(scope="session")
def run_on_xla() -> Callable[[str, Sequence[Array]], list[Array]]:
    """Compile the text of a StableHLO module for the CPU, and execute it."""
    return partial(xla_cpu.run_on_xla, optimized=False)
