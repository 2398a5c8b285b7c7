"""Propagate shardings by op priorities. Source: Shardy's docs, "Propagation passes"."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xshardy.transforms.sdy_propagation.aggressive_propagate import STRATEGIES, AggressivePropagatePass
from xshardy.transforms.sdy_propagation.propagation_run import PropagationRun


@dataclass(frozen=True)
class OpPriorityPropagatePass(AggressivePropagatePass):
    """Propagate shardings in rounds of op priorities: pass-through operations first, broadcasts forward last."""

    name = "sdy-op-priority-propagate"
    source: ClassVar[str] = 'Shardy, "Propagation passes", sdy-op-priority-propagate'
    run_op_priority_propagation: bool = True

    def propagate(self, run: PropagationRun) -> Iterator[str]:
        strategies = STRATEGIES[self.propagation_strategy]
        run.engine.run(strategies, by_op_priority=self.run_op_priority_propagation)
        yield from ()
