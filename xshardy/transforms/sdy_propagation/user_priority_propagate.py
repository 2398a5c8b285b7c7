"""Propagate shardings by user priorities. Source: Shardy's docs, "Propagation passes"."""

from collections.abc import Iterator
from typing import ClassVar

from xshardy.sharding.user_priorities import admit, defer
from xshardy.transforms.sdy_propagation.op_priority_propagate import OpPriorityPropagatePass
from xshardy.transforms.sdy_propagation.propagation_run import PropagationRun


class UserPriorityPropagatePass(OpPriorityPropagatePass):
    """Propagate dimension shardings of priority 0 by op priorities until nothing changes, then add those of 1, ..."""

    name = "sdy-user-priority-propagate"
    source: ClassVar[str] = 'Shardy, "Propagation passes", sdy-user-priority-propagate'

    def propagate(self, run: PropagationRun) -> Iterator[str]:
        program = run.program
        table = program.table
        deferred = defer(program)
        yield from super().propagate(run)
        done = 0
        for priority, originals in deferred.items():
            yield f"propagation_after_user_priority_{done}"
            for value, original in originals.items():
                current = table.sharding(program.shardings[value])
                assert current is not None, "a deferred value keeps a sharding"
                run.engine.set_sharding(value, table.number(admit(current, original, priority)))
            yield from super().propagate(run)
            done = priority
