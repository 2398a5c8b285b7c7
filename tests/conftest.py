"""How the property tests are run.

The suite draws the same examples on every machine, so that a run that passed passes again.
`pytest --hypothesis-profile=explore` draws new ones, and is for finding the next example to keep as a test.
"""

import gc

from hypothesis import settings
from hypothesis.internal.conjecture import providers

from xshardy.rewriting import garbage

settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("suite")

# Hypothesis also tries the numbers and strings that stand in the modules imported so far, and which these are depends
# on the tests that a process ran before.
providers._get_local_constants = lambda: providers._local_constants

# The tests of a process are a million objects, which each full collection of garbage traverses.
gc.set_threshold(20_000, 20, 20)

# The same for the full collections that xshardy starts: one of them takes two seconds beside the tests. What is built
# between two of them is some hundred megabytes.
garbage.LEAST_BUILT = 4_000_000
