"""Rules for the ops of `scf`: branches are masks, and a loop runs while any lane is active in it."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects import scf
from xdsl.ir import Region

from xshardy.interpreters.simt.errors import SimtError, shown
from xshardy.interpreters.simt.machine import Lanes, Rule
from xshardy.interpreters.simt.memory import Value
from xshardy.numerics.element_types import Array
from xshardy.numerics.integers import signed, unsigned


def if_(lanes: Lanes, op: scf.IfOp, condition: Array) -> Sequence[Value]:
    """Lanes where `condition` holds execute one branch, the others the other one; a branch without lanes is skipped."""
    return choose(lanes, [(condition, op.true_region), (~condition, op.false_region)])


def index_switch(lanes: Lanes, op: scf.IndexSwitchOp, argument: Array) -> Sequence[Value]:
    cases = [argument == case for case in op.cases.get_values()]
    default = ~np.logical_or.reduce([np.zeros_like(argument, np.bool_), *cases])
    return choose(lanes, [*zip(cases, op.case_regions, strict=True), (default, op.default_region)])


def choose(lanes: Lanes, branches: Sequence[tuple[Array, Region]]) -> Sequence[Value]:
    """The result of each lane from the branch whose condition holds for it; of an `if` without `else`, none."""
    results: Sequence[Value] = ()
    for condition, region in branches:
        mask = lanes.active & condition
        if not mask.any() or not region.blocks:
            continue
        with lanes.only(mask):
            new = lanes.run(region.block, ())
        results = lanes.merged(mask, new, results) if results else new
    return results


def for_(lanes: Lanes, op: scf.ForOp, lower: Array, upper: Array, step: Array, *inits: Value) -> Sequence[Value]:
    """Each lane iterates over its own bounds. Raises `SimtError` for a step that is not positive."""
    reading = unsigned if "unsignedCmp" in op.properties else signed
    backwards = (signed(step) <= 0) & lanes.active
    if backwards.any():
        place = lanes.first(backwards)
        raise SimtError(f"{shown(op)}\n  the step is {place.of(step)} in {place}: it must be at least 1")
    carried, index = inits, lower
    while True:
        mask = lanes.active & (reading(index) < reading(upper))
        if not mask.any():
            return carried
        with lanes.only(mask):
            updated = lanes.run(op.body.block, (index, *carried))
        carried = lanes.merged(mask, updated, carried)
        index = index + step


def while_(lanes: Lanes, op: scf.WhileOp, *arguments: Value) -> Sequence[Value]:
    """
    The region `before` computes for each lane whether to continue, and the operands of `after`; its last operands are
    the results.
    """
    mask, results = lanes.active, None
    while True:
        with lanes.only(mask):
            condition, *passed = lanes.run(op.before_region.block, arguments)
        results = passed if results is None else lanes.merged(mask, passed, results)
        assert isinstance(condition, np.ndarray)
        mask = mask & condition
        if not mask.any():
            return results
        with lanes.only(mask):
            arguments = lanes.run(op.after_region.block, results)


def execute_region(lanes: Lanes, op: scf.ExecuteRegionOp) -> Sequence[Value]:
    return lanes.run(op.region.block, ())


SCF: Mapping[str, Rule] = {
    "scf.execute_region": execute_region,
    "scf.for": for_,
    "scf.if": if_,
    "scf.index_switch": index_switch,
    "scf.while": while_,
}
