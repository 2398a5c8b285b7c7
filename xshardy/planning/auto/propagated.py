"""What propagation makes of annotations, as placements of the search."""

import warnings
from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue

from xshardy.dialects.shapes import shape_of
from xshardy.planning.auto.annotations import copied
from xshardy.planning.auto.placements import Placement, SearchAxes
from xshardy.programs.program import Program
from xshardy.programs.sharded import shard
from xshardy.transforms.failures import OperationWarning


def propagated(
    program: Program, copies: Mapping[Operation, Operation], values: Mapping[SSAValue, object], axes: SearchAxes
) -> Mapping[SSAValue, Placement]:
    """
    How propagation divides `values` in the copy `program`, which it changes in place.

    `copies` are its operations by those that produce the values. Raises what `shard` does.
    """
    mine = {value: copied(value, copies) for value in values}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperationWarning)  # those of the program have been shown
        history = shard(program).history
    numbers = {value: history.number(copy) for value, copy in mine.items()}
    return {
        value: axes.placement(history.sharding(number), len(shape_of(value.type)))
        for value, number in numbers.items()
        if number is not None
    }
