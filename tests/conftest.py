"""How the property tests are run, and what the garbage collector does beside the tests.

The suite draws the same examples on every machine, so that a run that passed passes again. `make soak` draws a thousand
others of each property, and `pytest --hypothesis-profile=explore` some: both are for finding the next example to keep
as a test.
"""

import gc
from collections.abc import Generator

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
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
