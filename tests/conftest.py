"""
How the property tests are run, which tests begin, and what the garbage collector does beside them.

The suite draws the same 30 examples of a property on every machine, so that a run that passed passes again.
`make soak` draws 1,000, and others each time: it finds the next example to keep as a test.
"""

import gc
import os
from collections.abc import Generator
from math import ceil

import pytest
from hypothesis import Phase, settings
from hypothesis.internal.conjecture import providers

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # products of small matrices, beside another worker
# XLA is an oracle for programs that run once on a few elements: its compilations are most of the time of such tests.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
os.environ["XSHARDY_MAPS"] = "affine"  # whichever jaxlib is installed; what prints the other spelling says so

SUITE, SOAK = 30, 1000
"""Examples of a property."""

settings.register_profile("suite", max_examples=SUITE, derandomize=True, deadline=None)
settings.register_profile("soak", max_examples=SOAK, deadline=None)
settings.register_profile(
    "mutation", settings.get_profile("suite"), phases=(Phase.explicit, Phase.generate), report_multiple_bugs=False
)
settings.load_profile("suite")

# Hypothesis also tries the numbers and strings that stand in the modules imported so far, and which these are depends
# on the tests that a process ran before.
providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave the tests, a million objects that live as long as their process, out of all collections of garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000)  # 3 % of the time of the tests; with the default of 700 objects, 9 %


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that wait for other processes. Draw more examples also where a test says how many."""
    items.sort(key=lambda item: item.get_closest_marker("processes") is None)
    times = settings.default.max_examples / SUITE
    if times > 1:
        for test in {item.function for item in items if isinstance(item, pytest.Function)}:
            own = getattr(test, "_hypothesis_internal_use_settings", settings.default)
            if own.max_examples != settings.default.max_examples:
                test._hypothesis_internal_use_settings = settings(own, max_examples=ceil(own.max_examples * times))
