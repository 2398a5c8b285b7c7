"""
How often the body of a loop runs: `i = first; while (i < limit) i += step`, with constants, as JAX writes it.

Conditions and bodies may be calls, as in HLO, and parts of them fusions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.func import CallOp
from xdsl.ir import Block, BlockArgument, OpResult, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import first_values
from xshardy.dialects.hlo.data_movement import CopyOp
from xshardy.dialects.hlo.fusion import FusionOp
from xshardy.dialects.symbols import find_function

# The number of `step`s from `first` until the comparison with `limit` fails.
TRIPS: Mapping[str, Callable[[int, int, int], int | None]] = {
    "LT": lambda first, limit, step: _steps(limit - first, step),
    "LE": lambda first, limit, step: _steps(limit + 1 - first, step),
    "GT": lambda first, limit, step: _steps(first - limit, -step),
    "GE": lambda first, limit, step: _steps(first + 1 - limit, -step),
    "NE": lambda first, limit, step: _exact_steps(limit - first, step),
}
MIRRORED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE", "NE": "NE"}


def _steps(distance: int, step: int) -> int | None:
    """How many steps of size `step` cover `distance`; None if they go the other way."""
    if distance <= 0:
        return 0
    return -(-distance // step) if step > 0 else None


def _exact_steps(distance: int, step: int) -> int | None:
    """How many steps of size `step` are `distance`; None if they pass it, or go the other way."""
    if distance == 0:
        return 0
    return distance // step if step and distance % step == 0 and distance // step > 0 else None


@dataclass(frozen=True, slots=True)
class Counting:
    """A loop that goes on while a counter compares with a limit: `first`, `first + step`, and so on."""

    compare: stablehlo.CompareOp
    place: int
    """Which operand of `compare` is the limit."""
    direction: str
    """How the counter compares with the limit."""
    first: int
    limit: int
    step: int

    @property
    def trips(self) -> int | None:
        """How often the body runs; None if it does not end."""
        return TRIPS[self.direction](self.first, self.limit, self.step)

    def limit_after(self, trips: int) -> int:
        """The limit that ends the loop after `trips` iterations, of which there is at least one."""
        last = self.first + self.step * (trips - 1)
        if self.direction == "NE":
            return last + self.step
        return last if self.direction in ("LE", "GE") else last + (1 if self.step > 0 else -1)


def trip_count(loop: stablehlo.WhileOp) -> int | None:
    """How often the body of `loop` runs; None if its form is another one, or a bound is no constant."""
    count = counting(loop)
    return None if count is None else count.trips


def counting(loop: stablehlo.WhileOp) -> Counting | None:
    """How `loop` counts; None if its form is another one, or a bound is no constant."""
    condition, body = loop.cond.block, loop.body.block
    compared = _returned(condition, 0)
    compare = None if compared is None else compared.value.owner
    if compared is None or not isinstance(compare, stablehlo.CompareOp):
        return None
    lhs, rhs = (_traced(operand, compared.call) for operand in compare.operands)
    direction = compare.comparison_direction.data.value
    counter, limit, place = _argument(lhs, condition), _constant(rhs, loop), 1
    if limit is None:
        counter, limit, place = _argument(rhs, condition), _constant(lhs, loop), 0
        direction = MIRRORED.get(direction, "")
    if limit is None or direction not in TRIPS or counter is None:
        return None
    first, step = _constant(_traced(loop.operand[counter]), loop), _step(body, counter, loop)
    return None if first is None or step is None else Counting(compare, place, direction, first, limit, step)


def _step(body: Block, index: int, loop: stablehlo.WhileOp) -> int | None:
    """What `body` adds to its argument `index`; None if it does anything else with it."""
    new = _returned(body, index)
    if new is None or not isinstance(update := new.value.owner, stablehlo.AddOp | stablehlo.SubtractOp):
        return None
    old, other = (_traced(operand, new.call) for operand in update.operands)
    if isinstance(update, stablehlo.AddOp) and _argument(old, body) is None:
        old, other = other, old
    step = _constant(other, loop)
    if step is None or _argument(old, body) != index:
        return None
    return -step if isinstance(update, stablehlo.SubtractOp) else step


@dataclass(frozen=True, slots=True)
class _Call:
    """A call around a value: the block that is executed for it, its operands, and the call around it."""

    block: Block
    operands: Sequence[SSAValue]
    around: "_Call | None"
    depth: int


@dataclass(frozen=True, slots=True)
class _Traced:
    """A value that is no result of a call, and no argument of a called function; `call` is around it."""

    value: SSAValue
    call: _Call | None


MAX_DEPTH = 100
"""How deep calls are followed: functions may call themselves."""


def _traced(value: SSAValue, call: _Call | None = None) -> _Traced:
    """What `value` is, through copies and calls: what the callee returns, and what the caller gives."""
    while True:
        if call is not None and isinstance(value, BlockArgument) and value.block is call.block:
            value, call = call.operands[value.index], call.around
        elif isinstance(value, OpResult) and isinstance(value.op, CopyOp | stablehlo.OptimizationBarrierOp):
            value = value.op.operands[value.index]
        elif isinstance(value, OpResult) and isinstance(caller := value.op, CallOp | FusionOp):
            function, depth = find_function(caller, caller.callee), 1 if call is None else call.depth + 1
            end = None if function is None or not function.body.blocks else function.body.block.last_op
            if function is None or end is None or depth > MAX_DEPTH:
                return _Traced(value, call)
            value, call = end.operands[value.index], _Call(function.body.block, caller.operands, call, depth)
        else:
            return _Traced(value, call)


def _argument(traced: _Traced, block: Block) -> int | None:
    """The number of the argument of `block` that a value is; None if it is none."""
    value = traced.value
    return value.index if isinstance(value, BlockArgument) and value.block is block else None


def _returned(block: Block, index: int) -> _Traced | None:
    """What `block` returns as its value `index`."""
    end = block.last_op
    return _traced(end.operands[index]) if end is not None and index < len(end.operands) else None


def _constant(traced: _Traced, loop: stablehlo.WhileOp) -> int | None:
    """The integer that a value is, also if `loop` carries it along unchanged."""
    value = traced.value
    if isinstance(value, BlockArgument):
        is_carried = value.block.parent_op() is loop
        returned = _returned(loop.body.block, value.index) if is_carried else None
        if returned is None or returned.value is not loop.body.block.args[value.index]:
            return None
        return _constant(_traced(loop.operand[value.index]), loop)
    op = value.owner
    if isinstance(op, stablehlo.ConvertOp | stablehlo.ReshapeOp):
        return _constant(_traced(op.operand, traced.call), loop)
    if not isinstance(op, stablehlo.ConstantOp):
        return None
    values = first_values(op.value)
    return values[0] if len(values) == 1 and isinstance(values[0], int) else None
