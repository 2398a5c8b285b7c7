"""How the property tests are run.

The suite draws the same examples on every machine, so that a run that passed passes again.
`pytest --hypothesis-profile=explore` draws new ones, and is for finding the next example to keep as a test.
"""

from hypothesis import settings

settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("suite")
