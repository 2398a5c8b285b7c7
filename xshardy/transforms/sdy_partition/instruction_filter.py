"""
Which operations are partitioned one by one: all, those of some names, or those in a range of numbers.

Operations are numbered in text order, from 0, through all functions. Source: Shardy's docs, "Export passes",
`sdy-per-instruction-partitioning`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.sdy.interfaces import CollectiveOpInterface
from xshardy.dialects.sdy.value_shardings import local_sharding

NO_INSTRUCTIONS: tuple[type[Operation], ...] = (
    *(CollectiveOpInterface, sdy.DataFlowEdgeOp, sdy.FuncDataFlowEdgeOp, sdy.ManualComputationOp),
    *(sdy.PropagationBarrierOp, sdy.ShardingConstraintOp, sdy.ShardingGroupOp),
)
"""Operations that move parts already, or that only say how values are sharded."""

SHARDING_CALLS = ("Sharding", "mhlo.sharding")
"""Targets of custom calls that only say how a value is sharded."""

BOUNDS = {"selectLow": "low", "selectHigh": "high"}


@dataclass(frozen=True, slots=True)
class InstructionFilter:
    """Numbers from `low` to `high`, both included, and parts of names; one of them has to be in the name."""

    names: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None

    @staticmethod
    def parse(texts: Iterable[str]) -> "InstructionFilter":
        """
        The filter of `selectLow=N`, `selectHigh=N` and parts of names, in any order, separated by commas.

        Raises `PassFailedException` for a bound that is no number.
        """
        names: list[str] = []
        bounds: dict[str, int] = {}
        for token in (token.strip() for text in texts for token in text.strip(" '\"").split(",")):
            key, is_bound, value = token.partition("=")
            if not is_bound:
                names += [token] if token else []
            elif key.strip() in BOUNDS and value.strip().isdecimal():
                bounds[BOUNDS[key.strip()]] = int(value)
            else:
                raise PassFailedException(
                    f"filter: {token!r} is not understood: write selectLow=N, selectHigh=N, or a part of the name of "
                    "an operation"
                )
        return InstructionFilter(tuple(names), **bounds)

    def takes(self, op: Operation, number: int) -> bool:
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            return False
        return not self.names or any(name in op.name for name in self.names)


def _is_instruction(op: Operation) -> bool:
    """Whether a partitioner has something to do for `op`."""
    if isinstance(op, NO_INSTRUCTIONS) or op.has_trait(IsTerminator):
        return False
    if isinstance(op, stablehlo.CustomCallOp) and op.call_target_name.data in SHARDING_CALLS:
        return False
    shardings = (local_sharding(value) for value in (*op.operands, *op.results))
    return any(sharding is not None and not sharding.is_fully_replicated for sharding in shardings)


def instructions(module: ModuleOp, chosen: InstructionFilter) -> Iterator[Operation]:
    """The operations of the functions of `module`, not of regions in them, that `chosen` takes."""
    number = 0
    for function in module.ops:
        if not isinstance(function, FuncOp) or function.is_declaration:
            continue
        for block in function.body.blocks:
            for op in block.ops:
                if _is_instruction(op):
                    if chosen.takes(op, number):
                        yield op
                    number += 1
