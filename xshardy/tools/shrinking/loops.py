"""Fewer iterations of loops that count to a constant."""

from typing import cast

from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG
from xshardy.dialects.stablehlo.trip_counts import Counting, counting
from xshardy.rewriting.walk import operations_from
from xshardy.tools.shrinking.atoms import Group

KNOWN_TRIPS = "known_trip_count"
"""What XLA writes into the configuration of a loop."""


def shorten_loops(module: ModuleOp, least: int) -> None:
    """
    Divide the iterations of each loop that counts, down to `least` or little more.

    A loop over the layers of a model takes one slice of the parameters after the other: these shrink by the same ratio.
    """
    for op in [*operations_from(module)]:
        if isinstance(op, stablehlo.WhileOp) and (count := counting(op)) is not None and (trips := count.trips):
            fewer = Group({trips}).division(least).of(trips)
            if fewer != trips:
                _count_to(count.limit_after(fewer), count)
                _forget_trips(op)


def _count_to(limit: int, count: Counting) -> None:
    """Compare the counter with `limit`."""
    compare, old = count.compare, count.compare.operands[count.place]
    constant = stablehlo.ConstantOp(dense_values(cast(TensorType, old.type), [limit]))
    block = compare.parent_block()
    assert block is not None
    block.insert_op_before(constant, compare)
    compare.operands[count.place] = constant.output


def _forget_trips(loop: stablehlo.WhileOp) -> None:
    """Drop a configuration that has the old number."""
    config = loop.attributes.get(BACKEND_CONFIG)
    if isinstance(config, StringAttr) and KNOWN_TRIPS in config.data:
        del loop.attributes[BACKEND_CONFIG]
