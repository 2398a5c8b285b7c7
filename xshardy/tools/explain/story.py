"""The explanation of the sharding of one tensor, as data and as text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

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


@dataclass(frozen=True, slots=True)
class AxisStep:
    """A step of propagation: the axis that went on, to which tensor, through which operation."""

    step: int
    axis: str
    tensor: str
    operation: str


@dataclass(frozen=True, slots=True)
class AxisPath:
    """How an axis came to a dimension of a tensor."""

    axis: str
    not_divided: str | None
    """Why the dimension is not divided along it where the program runs; None if it is."""
    origin: str
    steps: Sequence[AxisStep]


@dataclass(frozen=True, slots=True)
class DimensionStory:
    """How a dimension of a tensor came to its axes."""

    is_closed: bool
    paths: Sequence[AxisPath]


@dataclass(frozen=True, slots=True)
class TensorStory:
    """Where the sharding of a tensor comes from."""

    tensor: str
    sharding: str | None
    dimensions: Sequence[DimensionStory] | None
    """None if no sharding came to it."""
    losses: Sequence[str]
    """What its neighbours have along the same dimensions, and it has not, with the reasons."""


def tensor_story(sharded: Sharded, number: int) -> TensorStory:
    """The explanation of the sharding of value `number`."""
    propagated, sharding = sharded.history.sharding(number), sharded.sharding(number)
    found: list[DimensionStory] | None = None
    if propagated is not None and sharding is not None:
        pairs = zip(sharding.dim_shardings, propagated.dim_shardings, strict=True)
        found = [_dimension(sharded, number, index, *dims) for index, dims in enumerate(pairs)]
    losses = tuple(dict.fromkeys(_losses(sharded, number)))
    return TensorStory(value_name(sharded, number), dimensions(sharding) or None, found, losses)


def story(sharded: Sharded, number: int) -> Iterator[str]:
    """The lines of the explanation of value `number`, an indented paragraph for each dimension."""
    told = tensor_story(sharded, number)
    yield f"{told.tensor}: {told.sharding or 'no sharding'}"
    if told.dimensions is None:
        yield "  No sharding came to it: every device has all of it."
    for index, dimension in enumerate(told.dimensions or ()):
        if not dimension.paths:
            closed = ", and closed: it may not be" if dimension.is_closed else ""
            yield f"  Dimension {index} is not sharded{closed}."
        for path in dimension.paths:
            if path.not_divided is None:
                yield f"  Dimension {index} has {path.axis}:"
            else:
                yield f"  Dimension {index} is not divided along {path.axis}, because {path.not_divided}:"
            yield f"    {path.origin}"
            for step in path.steps:
                yield f"    step {step.step}: {step.axis} went on to {step.tensor}, through {step.operation}"
    if told.losses:
        yield "  What its neighbours have along the same dimensions, and it has not:"
        yield from (f"    {loss}" for loss in told.losses)


def _dimension(
    sharded: Sharded, number: int, index: int, dim: DimensionShardingAttr, propagated: DimensionShardingAttr
) -> DimensionStory:
    """How `propagated` came to dimension `index`, which has `dim` where the program runs."""
    lost = [axis for axis in propagated.axes if axis not in dim.axes.data]
    paths: list[AxisPath] = []
    for axis in (*dim.axes, *lost) if propagated.axes.data else ():
        path = sharded.history.path(number, axis)
        source = path[-1].source if path else number
        first = f"{value_name(sharded, source)} {origin(sharded.history, source, axis)}"
        reason = why_cut(sharded.history, number, index) if axis in lost else None
        paths.append(AxisPath(axis_text(axis), reason, first, [_step(sharded, each) for each in reversed(path)]))
    return DimensionStory(bool(dim.is_closed), paths)


def _step(sharded: Sharded, arrival: Arrival) -> AxisStep:
    target, through = value_name(sharded, arrival.target), _operation(sharded, arrival.op)
    return AxisStep(arrival.step, axis_text(arrival.axis), target, through)


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
