"""A GPU for the tests of the CUDA engine: NVIDIA's packages on a driver of ours. Only tests that use it import it."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fake_cuda.state import Driver

    from xshardy.engines.cuda import Gpu


@pytest.fixture
def driver() -> "Iterator[Driver]":
    """The driver, of a machine with one GPU."""
    from fake_cuda import COMPILER, installed

    pytest.importorskip("cuda.core")
    if shutil.which(COMPILER) is None:
        pytest.skip(f"the fake driver is built with {COMPILER}")
    with installed() as driver:
        yield driver


@pytest.fixture
def gpu(driver: "Driver") -> "Gpu":
    from xshardy.engines.cuda import Gpu

    return Gpu()
