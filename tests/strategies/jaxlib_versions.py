"""
What C++ Shardy and XLA do that depends on the version of jaxlib.

Our passes follow the newest one. Python 3.11 has jaxlib 0.10.2 only: there, tests leave out what it does otherwise.
"""

from collections.abc import Collection, Mapping

import jaxlib
import pytest

VERSION = tuple(int(part) for part in jaxlib.__version__.split(".")[:2])

OF_AUTUMN_2026 = "HLO text has elements of tuples by their index, and orders of comparisons"

SINCE: Mapping[str, tuple[int, int]] = {
    "a fully open sharding does not keep a constraint from its input": (0, 12),
    "digamma(0) is -inf": (0, 12),
    OF_AUTUMN_2026: (0, 12),
    "only returns of @main read what is before a chain of constraints": (0, 12),
    "padding is a pass on modules": (0, 12),
    "replica groups are axes of meshes, and passes of August 2026": (0, 12),
    "results of @main get the shardings of what is returned": (0, 12),
    "results of functions are not on a single device": (0, 12),
    "shifts and the windows of kernels need permutation": (0, 12),
    "tokens of an operation on one device keep their sharding": (0, 12),
}
"""What the installed jaxlib need not do yet, and our passes do."""

NOT_OURS: Mapping[str, tuple[int, int]] = {
    "more factors of updates and reshapes need permutation or replication": (0, 12),
}
"""What upstream does and our passes do not, for a reason that `docs/sdy_differences.md` gives."""


def since(what: str) -> bool:
    """Whether the installed jaxlib behaves so: a row of one of the tables."""
    return (SINCE | NOT_OURS)[what] <= VERSION


def left_out(inputs: Mapping[str, Collection[str]]) -> set[str]:
    """Of `inputs` by row, those on which the installed jaxlib and our passes differ."""
    return {name for what, names in inputs.items() if since(what) != (what in SINCE) for name in names}


def needs(what: str) -> pytest.MarkDecorator:
    """Skip a test with an older jaxlib."""
    return pytest.mark.skipif(not since(what), reason=f"jaxlib before {SINCE[what]}: {what}")
