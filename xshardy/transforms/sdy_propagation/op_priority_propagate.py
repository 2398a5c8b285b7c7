"""Propagate shardings through some operations before others. Source: Shardy's docs, "Propagation passes"."""

from dataclasses import dataclass

from xshardy.transforms.sdy_propagation.aggressive_propagate import STRATEGIES, AggressivePropagatePass
from xshardy.transforms.sdy_propagation.session import Session


@dataclass(frozen=True)
class OpPriorityPropagatePass(AggressivePropagatePass):
    """Propagate shardings first through operations that pass them on, and last forward through broadcasts."""

    name = "sdy-op-priority-propagate"
    run_op_priority_propagation: bool = True

    def propagate(self, session: Session) -> None:
        strategies = STRATEGIES[self.propagation_strategy]
        session.engine.run(strategies, by_op_priority=self.run_op_priority_propagation)
