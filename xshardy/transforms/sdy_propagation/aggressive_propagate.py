"""Propagate shardings, and settle conflicts. Source: Shardy's docs, "Propagation passes"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from xshardy.sharding.strategies import Strategy
from xshardy.transforms.sdy_propagation.basic_propagate import BasicPropagatePass
from xshardy.transforms.sdy_propagation.session import Session

StrategyName = Literal["basic", "aggressive", "basic-then-aggressive"]

STRATEGIES: Mapping[StrategyName, Sequence[Strategy]] = {
    "basic": (Strategy.BASIC,),
    "aggressive": (Strategy.AGGRESSIVE,),
    "basic-then-aggressive": (Strategy.BASIC, Strategy.AGGRESSIVE),
}
"""The strategies that run one after the other, by the name of the option."""


@dataclass(frozen=True)
class AggressivePropagatePass(BasicPropagatePass):
    """Propagate shardings through all operations; where axes are in conflict, larger tensors win them."""

    name = "sdy-aggressive-propagate"
    propagation_strategy: StrategyName = "aggressive"

    def propagate(self, session: Session) -> None:
        session.engine.run(STRATEGIES[self.propagation_strategy], by_op_priority=False)
