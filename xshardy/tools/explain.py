"""`xshardy explain`: the origin of each axis of a tensor's sharding, and the reasons for missing axes."""

import re
from collections.abc import Iterator, Sequence

from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, SubAxisInfoAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import overlaps, pre_size
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ShardingConstraintOp
from xshardy.syntax.source_names import what
from xshardy.tools.diagnostics import InputError
from xshardy.tools.shard import dimensions
from xshardy.tools.sharded_program import ShardedProgram
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.main_function import main_if_any
from xshardy.transforms.sdy_propagation.numbering import FunctionResult
from xshardy.transforms.sdy_propagation.propagation_history import Arrival, Neighbourhood, Tensor


def axis_text(axis: AxisRefAttr) -> str:
    """`"x"`, or `"x":(1)2` for a sub-axis."""
    part = f":({pre_size(axis)}){axis.sub_axis.size.data}" if isinstance(axis.sub_axis, SubAxisInfoAttr) else ""
    return f'"{axis.axis.data}"{part}'


def axes_text(axes: Sequence[AxisRefAttr]) -> str:
    return ", ".join(map(axis_text, axes)) or "nothing"


def named_value(program: ShardedProgram, name: str, file: str) -> int:
    """
    The value that the text calls `name`, such as `%42` or `%7#1`, or that JAX calls so, such as `p['emb']`.

    Raises `InputError` if there is none, or several.
    """
    found: dict[int, SSAValue] = {}
    for value in _values(program):
        number = program.history.number(value)
        if number is not None and (
            program.names.of(value) in (name, f"{name}#0") or program.names.given(value) == name
        ):
            found.setdefault(number, value)
    if not found and not re.fullmatch(r"%[\w.$-]+(#\d+)?", name):
        raise InputError(
            f'{file}: error: "{name}" is not the name of a value: expected one such as %42, %7#1, or that of an '
            "argument in a program with debug information"
        )
    if not found:
        raise InputError(
            f"{file}: error: there is no tensor {name} after propagation, which erases what is dead and gives each use "
            "of a constant a copy of its own"
        )
    if len(found) > 1:
        places = "; ".join(map(program.names.describe, found.values()))
        raise InputError(f"{file}: error: {name} is the name of {len(found)} values, rename one: {places}")
    return next(iter(found))


def _values(program: ShardedProgram) -> Iterator[SSAValue]:
    for op in program.module.walk():
        for region in op.regions:
            for block in region.blocks:
                yield from block.args
        yield from op.results


def argument(program: ShardedProgram, index: int, file: str) -> int:
    """Argument `index` of the main function. Raises `InputError` if it has none."""
    function = main_if_any(functions_of(program.module))
    arguments = () if function is None else function.args
    number = program.history.number(arguments[index]) if 0 <= index < len(arguments) else None
    if number is None:
        raise InputError(f"{file}: error: there is no tensor argument {index}: the function has {len(arguments)}")
    return number


def result(program: ShardedProgram, index: int, file: str) -> int:
    """Result `index` of the main function. Raises `InputError` if it has none."""
    number = program.history.result(index)
    if number is None:
        raise InputError(f"{file}: error: there is no tensor result {index} of the main function")
    return number


class Story:
    """The explanation of the sharding of one value."""

    def __init__(self, program: ShardedProgram, number: int):
        self._program = program
        self._history = program.history
        self._number = number
        self._sharding = self._history.sharding(number)

    def lines(self) -> Iterator[str]:
        """The lines of the explanation, an indented paragraph for each dimension."""
        yield f"{self.name(self._number)}: {dimensions(self._sharding) or 'no sharding'}"
        if self._sharding is None:
            yield "  No sharding came to it: every device has all of it."
        for index, dim in enumerate(self._sharding.dim_shardings if self._sharding is not None else ()):
            yield from self._dimension(index, dim)
        losses = tuple(dict.fromkeys(self._losses()))
        if losses:
            yield "  What its neighbours have along the same dimensions, and it has not:"
            yield from (f"    {loss}" for loss in losses)

    def _dimension(self, index: int, dim: DimensionShardingAttr) -> Iterator[str]:
        if not dim.axes.data:
            yield f"  Dimension {index} is not sharded" + (", and closed: it may not be." if dim.is_closed else ".")
        for axis in dim.axes:
            yield f"  Dimension {index} has {axis_text(axis)}:"
            path = self._history.path(self._number, axis)
            yield f"    {self._origin(path[-1].source if path else self._number, axis)}"
            for arrival in reversed(path):
                yield f"    {self._arrival(arrival)}"

    def _arrival(self, arrival: Arrival) -> str:
        return (
            f"step {arrival.step}: {axis_text(arrival.axis)} went on to {self.name(arrival.target)}, "
            f"through {self._operation(arrival.op)}"
        )

    def _origin(self, number: int, axis: AxisRefAttr) -> str:
        written = self._history.written(number)
        home = self._history.home(number)
        what = f"{self.name(number)} had it from the start: {dimensions(written)}"
        if written is None or not any(overlaps(axis, known) for known in written.axis_refs()):
            return f"{self.name(number)} got it with a sharding group, or with another result of its operation"
        if isinstance(home, FunctionResult) or isinstance(home.owner, Block):
            return f"{what}, written in the text"
        constraints = [use.operation for use in home.uses if isinstance(use.operation, ShardingConstraintOp)]
        if isinstance(home.owner, ShardingConstraintOp) or constraints:
            return f"{what}, of a sharding constraint"
        return f"{what}, written in the text or on an edge"

    def _losses(self) -> Iterator[str]:
        """For each neighbour with more axes along a common factor, the reason why this value lacks them."""
        for neighbourhood in self._history.neighbourhoods(self._number):
            for mine in neighbourhood.tensors:
                if mine.value == self._number and self._sharding is not None:
                    yield from self._lost_to(neighbourhood, mine, self._sharding)

    def _lost_to(self, at: Neighbourhood, mine: Tensor, sharding: TensorShardingAttr) -> Iterator[str]:
        for other in at.tensors:
            theirs = self._history.sharding(other.value)
            if theirs is None or other.value == self._number:
                continue
            for dim, factors in enumerate(mine.dims):
                for other_dim, other_factors in enumerate(other.dims):
                    # Axes propagate to a shared major factor first.
                    if factors[0] != other_factors[0]:
                        continue
                    axes = theirs.dim_shardings.data[other_dim].axes.data
                    missing = [axis for axis in axes if not _has(sharding.dim_shardings.data[dim], axis)]
                    if missing:
                        yield (
                            f"at {self._operation(at.op)}, {other.label} {self.name(other.value)} has "
                            f"{axes_text(missing)} in dimension {other_dim}, which is dimension {dim} here: "
                            f"{self._reason(at, factors[0], sharding, dim, missing[0])}"
                        )

    def _reason(self, at: Neighbourhood, factor: int, sharding: TensorShardingAttr, dim: int, axis: AxisRefAttr) -> str:
        mine = sharding.dim_shardings.data[dim]
        if factor in at.rule.groups["blocked_propagation"]:
            return "nothing goes along this dimension of the operation"
        for index, other in enumerate(sharding.dim_shardings):
            if index != dim and _has(other, axis):
                return f"the axis shards dimension {index} here, and can shard one dimension only"
        if any(overlaps(axis, other) for other in (*sharding.replicated_axes, *sharding.unreduced_axes)):
            return "the axis is named as replicated or unreduced here"
        if mine.is_closed:
            return "the dimension is closed here"
        if mine.axes.data:
            return f"a conflict: the dimension has {axes_text(mine.axes.data)} here"
        return "it would be in conflict with another tensor of the operation, or does not divide the dimension"

    def _operation(self, op: Operation) -> str:
        if isinstance(op, DataFlowEdgeOp):
            around = op.input.owner
            op = around if isinstance(around, Operation) else around.parent_op() or op
        place = self._program.names.place(op)
        return f"{what(op)} ({place})" if place is not None else what(op)

    def touched(self) -> Iterator[Operation]:
        """The operations through which its axes propagated, and the producers of the values on the path."""
        for dim in self._sharding.dim_shardings if self._sharding is not None else ():
            for axis in dim.axes:
                for arrival in self._history.path(self._number, axis):
                    yield arrival.op
                    for number in (arrival.source, arrival.target):
                        home = self._history.home(number)
                        if not isinstance(home, FunctionResult) and isinstance(home.owner, Operation):
                            yield home.owner

    def name(self, number: int) -> str:
        """The name of a value for the user."""
        home = self._history.home(number)
        if isinstance(home, FunctionResult):
            return f"result {home.index} of @{home.function.sym_name.data}"
        return self._program.names.describe(home)


def _has(dim: DimensionShardingAttr, axis: AxisRefAttr) -> bool:
    return any(overlaps(axis, known) for known in dim.axes)
