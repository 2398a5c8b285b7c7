"""How often the body of a loop runs: `i = first; while (i < limit) i += step`, with constants, as JAX writes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from typing_extensions import TypeIs
from xdsl.ir import Block, BlockArgument, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import first_values

# The number of `step`s from `first` until the comparison with `limit` fails.
TRIPS: Mapping[str, Callable[[int, int, int], int | None]] = {
    "LT": lambda first, limit, step: _steps(limit - first, step),
    "LE": lambda first, limit, step: _steps(limit + 1 - first, step),
    "GT": lambda first, limit, step: _steps(first - limit, -step),
    "GE": lambda first, limit, step: _steps(first + 1 - limit, -step),
}
MIRRORED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}


def _steps(distance: int, step: int) -> int | None:
    """How many steps of size `step` cover `distance`; None if they go the other way."""
    if distance <= 0:
        return 0
    return -(-distance // step) if step > 0 else None


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
        return last if self.direction in ("LE", "GE") else last + (1 if self.step > 0 else -1)


def trip_count(loop: stablehlo.WhileOp) -> int | None:
    """How often the body of `loop` runs; None if its form is another one, or a bound is no constant."""
    count = counting(loop)
    return None if count is None else count.trips


def counting(loop: stablehlo.WhileOp) -> Counting | None:
    """How `loop` counts; None if its form is another one, or a bound is no constant."""
    condition, body = loop.cond.block, loop.body.block
    compared = _returned(condition, 0)
    compare = None if compared is None else compared.owner
    if not isinstance(compare, stablehlo.CompareOp):
        return None
    direction = compare.comparison_direction.data.value
    counter, limit, place = compare.lhs, _constant(compare.rhs, loop), 1
    if limit is None:
        counter, limit, place = compare.rhs, _constant(compare.lhs, loop), 0
        direction = MIRRORED.get(direction, "")
    if limit is None or direction not in TRIPS or not _is_argument(counter, condition):
        return None
    first, step = _constant(loop.operand[counter.index], loop), _step(body, counter.index, loop)
    return None if first is None or step is None else Counting(compare, place, direction, first, limit, step)


def _step(body: Block, index: int, loop: stablehlo.WhileOp) -> int | None:
    """What `body` adds to its argument `index`; None if it does anything else with it."""
    new = _returned(body, index)
    if new is None or not isinstance(update := new.owner, stablehlo.AddOp | stablehlo.SubtractOp):
        return None
    old, other = update.lhs, update.rhs
    if isinstance(update, stablehlo.AddOp) and not _is_argument(old, body):
        old, other = other, old
    step = _constant(other, loop)
    if step is None or not _is_argument(old, body) or old.index != index:
        return None
    return -step if isinstance(update, stablehlo.SubtractOp) else step


def _is_argument(value: SSAValue, block: Block) -> TypeIs[BlockArgument]:
    return isinstance(value, BlockArgument) and value.block is block


def _returned(block: Block, index: int) -> SSAValue | None:
    """What `block` returns as its value `index`."""
    end = block.last_op
    return end.operands[index] if end is not None and index < len(end.operands) else None


def _constant(value: SSAValue, loop: stablehlo.WhileOp) -> int | None:
    """The integer that `value` is, also if `loop` carries it along unchanged."""
    if isinstance(value, BlockArgument):
        is_invariant = (
            value.block.parent_op() is loop
            and _returned(loop.body.block, value.index) is (loop.body.block.args[value.index])
        )
        return _constant(loop.operand[value.index], loop) if is_invariant else None
    op = value.owner
    if isinstance(op, stablehlo.ConvertOp | stablehlo.ReshapeOp):
        return _constant(op.operand, loop)
    if not isinstance(op, stablehlo.ConstantOp):
        return None
    values = first_values(op.value)
    return values[0] if len(values) == 1 and isinstance(values[0], int) else None
