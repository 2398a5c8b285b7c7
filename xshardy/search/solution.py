"""What a search finds and proves."""

from dataclasses import dataclass
from math import inf

from xshardy.search.certificate import Certificate
from xshardy.search.problem import Floats

CLOSED = 1e-9
"""The gap, as part of the cost, at which a choice counts as optimal: what floating-point numbers can tell apart."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known at some time after the start, in seconds."""

    seconds: float
    cost: float
    bound: float


@dataclass(frozen=True, slots=True)
class Solution:
    """The best choice that was found, and what is proved about it."""

    choice: tuple[int, ...] | None
    """By node, its strategy. None where no choice was found that is allowed and fits."""
    cost: float
    """The cost of the choice; infinite where there is none."""
    bound: float
    """No choice that is allowed and fits costs less; infinite where there is none."""
    seconds: float
    certificate: Certificate
    """What proves a bound without a search: `bound` itself, or a lower one where HiGHS proved more."""
    floors: tuple[Floats, ...]
    """By node and strategy, a lower bound of the cost of any choice that has it, is allowed and fits."""
    least_peak: float
    """No allowed choice has a lower peak, in bytes; infinite where no choice is allowed."""
    nearest: tuple[int, ...] | None
    """The allowed choice with the lowest peak that was found."""

    @property
    def gap(self) -> float:
        """By which part of its cost the choice may be above the optimum, at most."""
        return inf if self.choice is None else max(self.cost - self.bound, 0.0) / max(abs(self.cost), 1e-300)

    @property
    def is_optimal(self) -> bool:
        """Whether it is proved that no choice costs less."""
        return is_closed(self.cost, self.bound)


def is_closed(cost: float, bound: float) -> bool:
    """Whether a bound proves that a cost is the optimum."""
    return cost < inf and cost - bound <= CLOSED * abs(cost)
