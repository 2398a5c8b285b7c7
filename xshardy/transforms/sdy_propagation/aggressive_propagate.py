"""Propagate shardings, and resolve conflicts. Source: Shardy's docs, "Propagation passes"."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from xshardy.sharding.strategies import Strategy
from xshardy.transforms.sdy_propagation.basic_propagate import BasicPropagatePass
from xshardy.transforms.sdy_propagation.propagation_run import PropagationRun

StrategyName = Literal["basic", "aggressive", "basic-then-aggressive"]

STRATEGIES: Mapping[StrategyName, Sequence[Strategy]] = {
    "basic": (Strategy.BASIC,),
    "aggressive": (Strategy.AGGRESSIVE,),
    "basic-then-aggressive": (Strategy.BASIC, Strategy.AGGRESSIVE),
}
"""The strategies to run, in order, by the value of the option."""


@dataclass(frozen=True)
class AggressivePropagatePass(BasicPropagatePass):
    """Propagate shardings through all operations; where factors compete for axes, those of larger tensors get them."""

    name = "sdy-aggressive-propagate"
    source: ClassVar[str] = 'Shardy, "Propagation passes", sdy-aggressive-propagate'
    propagation_strategy: StrategyName = "aggressive"

    def propagate(self, run: PropagationRun) -> Iterator[str]:
        run.engine.run(STRATEGIES[self.propagation_strategy], by_op_priority=False)
        yield from ()
