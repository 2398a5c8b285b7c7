"""A GPU for the tests of the CUDA engine: NVIDIA's packages on a driver of ours."""

import shutil
from collections.abc import Iterator

import pytest
from fake_cuda import COMPILER, installed
from fake_cuda.state import Driver

from xshardy.engines.cuda import Gpu


@pytest.fixture
def driver() -> Iterator[Driver]:
    """The driver, of a machine with one GPU."""
    pytest.importorskip("cuda.core")
    if shutil.which(COMPILER) is None:
        pytest.skip(f"the fake driver is built with {COMPILER}")
    with installed() as driver:
        yield driver


@pytest.fixture
def gpu(driver: Driver) -> Gpu:
    return Gpu()
