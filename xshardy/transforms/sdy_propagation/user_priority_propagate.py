"""Propagate shardings in the order of their priorities. Source: Shardy's docs, "Propagation passes"."""

from dataclasses import dataclass

from xshardy.sharding.user_priorities import hold_back, let_in
from xshardy.transforms.sdy_propagation.op_priority_propagate import OpPriorityPropagatePass
from xshardy.transforms.sdy_propagation.session import Session


@dataclass(frozen=True)
class UserPriorityPropagatePass(OpPriorityPropagatePass):
    """Propagate dimension shardings of priority 0 by op priorities until nothing changes, then add those of 1, ..."""

    name = "sdy-user-priority-propagate"

    def propagate(self, session: Session) -> None:
        program, engine = session.program, session.engine
        table = program.table
        waiting = hold_back(program)
        super().propagate(session)
        done = 0
        for priority, originals in waiting.items():
            session.dump(self.module_dump_directory, f"propagation_after_user_priority_{done}")
            for value, original in originals.items():
                current = table.sharding(program.shardings[value])
                if current is not None:
                    engine.set_sharding(value, table.number(let_in(current, original, priority)))
            super().propagate(session)
            done = priority
