"""The explanation of the sharding of one tensor, as text."""

from collections.abc import Iterator

from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr
from xshardy.dialects.sdy.sharding_text import axis_text, dimensions
from xshardy.planning.origins import Origins, origin
from xshardy.programs.sharded import Sharded
from xshardy.tools.explain.losses import Losses
from xshardy.transforms.sdy_propagation.numbering import FunctionResult
from xshardy.transforms.sdy_propagation.propagation_history import Arrival


def value_name(program: Sharded, number: int) -> str:
    """The name of a value for the user."""
    home = program.history.home(number)
    if isinstance(home, FunctionResult):
        return f"result {home.index} of @{home.function.sym_name.data}"
    return program.names.describe(home)


def story(program: Sharded, number: int) -> Iterator[str]:
    """The lines of the explanation of value `number`, an indented paragraph for each dimension."""
    sharding = program.history.sharding(number)
    yield f"{value_name(program, number)}: {dimensions(sharding) or 'no sharding'}"
    if sharding is None:
        yield "  No sharding came to it: every device has all of it."
    for index, dim in enumerate(sharding.dim_shardings if sharding is not None else ()):
        yield from _dimension(program, number, index, dim)
    losses = dict.fromkeys(_losses(program, number))
    if losses:
        yield "  What its neighbours have along the same dimensions, and it has not:"
        yield from (f"    {loss}" for loss in losses)


def _dimension(program: Sharded, number: int, index: int, dim: DimensionShardingAttr) -> Iterator[str]:
    if not dim.axes.data:
        yield f"  Dimension {index} is not sharded" + (", and closed: it may not be." if dim.is_closed else ".")
    for axis in dim.axes:
        yield f"  Dimension {index} has {axis_text(axis)}:"
        path = program.history.path(number, axis)
        yield f"    {_origin(program, path[-1].source if path else number, axis)}"
        for arrival in reversed(path):
            yield f"    {_arrival(program, arrival)}"


def _origin(program: Sharded, number: int, axis: AxisRefAttr) -> str:
    return f"{value_name(program, number)} {origin(program.history, number, axis)}"


def _arrival(program: Sharded, arrival: Arrival) -> str:
    return (
        f"step {arrival.step}: {axis_text(arrival.axis)} went on to {value_name(program, arrival.target)}, "
        f"through {_operation(program, arrival.op)}"
    )


def _losses(program: Sharded, number: int) -> Iterator[str]:
    """For each neighbour with more axes along a common factor, the reason why this value lacks them."""
    losses = Losses(program.history)
    for at in program.history.neighbourhoods(number):
        for loss in losses.at(at):
            if at.values[loss.mine] == number:
                other = value_name(program, at.values[loss.other])
                yield f"at {_operation(program, at.op)}, {at.roles[loss.other].label} {other} {loss.text}"


def _operation(program: Sharded, op: Operation) -> str:
    return Origins(program.history, program.names).operation(op)
