"""The explanation of the sharding of one tensor, as text."""

from collections.abc import Iterator

from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr
from xshardy.dialects.sdy.sharding_text import axis_text, dimensions
from xshardy.planning.origins import Origins, origin
from xshardy.programs.cut_shardings import why_cut
from xshardy.programs.sharded import Sharded
from xshardy.tools.explain.losses import Losses
from xshardy.transforms.sdy_propagation.numbering import FunctionResult
from xshardy.transforms.sdy_propagation.propagation_history import Arrival


def value_name(sharded: Sharded, number: int) -> str:
    """The name of a value for the user."""
    home = sharded.history.home(number)
    if isinstance(home, FunctionResult):
        return f"{sharded.names.result(home.function, home.index)} of @{home.function.sym_name.data}"
    return sharded.names.describe(home)


def story(sharded: Sharded, number: int) -> Iterator[str]:
    """The lines of the explanation of value `number`, an indented paragraph for each dimension."""
    propagated, sharding = sharded.history.sharding(number), sharded.sharding(number)
    yield f"{value_name(sharded, number)}: {dimensions(sharding) or 'no sharding'}"
    if propagated is None or sharding is None:
        yield "  No sharding came to it: every device has all of it."
    else:
        for index, dims in enumerate(zip(sharding.dim_shardings, propagated.dim_shardings, strict=True)):
            yield from _dimension(sharded, number, index, *dims)
    losses = dict.fromkeys(_losses(sharded, number))
    if losses:
        yield "  What its neighbours have along the same dimensions, and it has not:"
        yield from (f"    {loss}" for loss in losses)


def _dimension(
    sharded: Sharded, number: int, index: int, dim: DimensionShardingAttr, propagated: DimensionShardingAttr
) -> Iterator[str]:
    """How `propagated` came to dimension `index`, which has `dim` where the program runs."""
    if not propagated.axes.data:
        yield f"  Dimension {index} is not sharded" + (", and closed: it may not be." if dim.is_closed else ".")
    lost = [axis for axis in propagated.axes if axis not in dim.axes.data]
    for axis in (*dim.axes, *lost):
        if axis in lost:
            reason = why_cut(sharded.history, number, index)
            yield f"  Dimension {index} is not divided along {axis_text(axis)}, because {reason}:"
        else:
            yield f"  Dimension {index} has {axis_text(axis)}:"
        path = sharded.history.path(number, axis)
        yield f"    {_origin(sharded, path[-1].source if path else number, axis)}"
        for arrival in reversed(path):
            yield f"    {_arrival(sharded, arrival)}"


def _origin(sharded: Sharded, number: int, axis: AxisRefAttr) -> str:
    return f"{value_name(sharded, number)} {origin(sharded.history, number, axis)}"


def _arrival(sharded: Sharded, arrival: Arrival) -> str:
    return (
        f"step {arrival.step}: {axis_text(arrival.axis)} went on to {value_name(sharded, arrival.target)}, "
        f"through {_operation(sharded, arrival.op)}"
    )


def _losses(sharded: Sharded, number: int) -> Iterator[str]:
    """For each neighbour with more axes along a common factor, the reason why this value lacks them."""
    losses = Losses(sharded.history)
    for at in sharded.history.neighbourhoods(number):
        for loss in losses.at(at):
            if at.values[loss.mine] == number:
                other = value_name(sharded, at.values[loss.other])
                yield f"at {_operation(sharded, at.op)}, {at.roles[loss.other].label} {other} {loss.text}"


def _operation(sharded: Sharded, op: Operation) -> str:
    return Origins(sharded.history, sharded.names).operation(op)
