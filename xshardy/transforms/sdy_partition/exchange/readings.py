"""
What each part of a result reads along a dimension of an operand, and code that puts it together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import dilated
from xshardy.transforms.sdy_partition.exchange.exchange_code import ExchangeCode
from xshardy.transforms.sdy_partition.exchange.exchanges import ExchangeStep, exchange, why_gather
from xshardy.transforms.sdy_partition.exchange.pattern import Gathered
from xshardy.transforms.sdy_partition.exchange.runs import Runs, runs
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor


@dataclass(frozen=True, slots=True)
class Reading:
    """
    What parts read along one dimension, of elements that have `dilation` - 1 gaps between them.

    `read` is in elements without gaps. `offsets` is where what a part needs begins in what it reads, gaps included:
    those between elements, and as many on either side. `size` is how much it needs.
    """

    read: Runs
    dilation: int
    offsets: tuple[int, ...]
    size: int


def dilated_windows(
    parts: int, step: int, first: int, size: int, dilation: int = 1, *, limit: int | None = None
) -> Reading:
    """Part `i` needs `size` elements and gaps, from `first` plus `i` times `step` on; none from `limit` on."""
    starts = [first + part * step for part in range(parts)]
    elements = [-(-start // dilation) for start in starts]
    ends = [(start + size - 1) // dilation + 1 for start in starts]
    length = max(end - element for element, end in zip(elements, ends, strict=True))
    last = max(ends) if limit is None else (limit - 1) // dilation + 1
    counts = tuple(max(0, min(element + length, last) - element) for element in elements)
    gaps = dilation - 1
    offsets = tuple(start - element * dilation + gaps for start, element in zip(starts, elements, strict=True))
    return Reading(Runs(tuple(elements), counts, length), dilation, offsets, size)


def stored(tensor: WholeTensor, dim: int) -> Runs:
    """The elements of each part along `dim`."""
    found = runs([tensor.shape[dim]], [tensor.parts(dim)])
    assert found is not None, "the parts of one dimension are consecutive"
    return found


@dataclass(frozen=True, slots=True)
class Movement:
    """The exchange along each dimension of `source` in which a part of a result needs elements of other parts."""

    source: WholeTensor
    steps: Sequence[ExchangeStep]
    readings: Mapping[int, Reading]
    local_sharding: ClassVar[None] = None
    """Values in the manual computation need no shardings."""

    @staticmethod
    def of(source: WholeTensor, readings: Mapping[int, Reading]) -> "Movement | Gathered":
        """A gather if that is cheaper."""
        steps = [
            ExchangeStep(dim, source.parts(dim), (exchange(stored(source, dim), reading.read),))
            for dim, reading in readings.items()
        ]
        shape = [*source.part_shape]
        why = why_gather(shape, steps)
        return Movement(source, steps, readings) if why is None else Gathered(why)

    @property
    def moves(self) -> bool:
        """Whether a device sends anything."""
        return any(each.sent for step in self.steps for each in step.exchanges)

    def windows(self, value: SSAValue, padding: SSAValue, code: DeviceCode) -> SSAValue:
        """What a device needs of the tensor, of which it has the part `value`."""
        for step in self.steps:
            along = ExchangeCode(step.dim, self.source.axes(step.dim), self.source.mesh, code)
            value = along.read([(value, step.exchanges[0])], padding)
            value = _spread(value, self.readings[step.dim], padding, along)
        return value


def _spread(value: SSAValue, reading: Reading, padding: SSAValue, along: ExchangeCode) -> SSAValue:
    """What a part needs of `value`, which it read: with `padding` in the gaps."""
    if reading.dilation > 1:
        type = tensor_type(value)
        shape, gaps = [*type.get_shape()], [0] * type.get_num_dims()
        gaps[along.dim] = reading.dilation - 1
        shape[along.dim] = dilated(shape[along.dim], reading.dilation) + 2 * gaps[along.dim]
        result = TensorType(type.element_type, shape)
        value = along.code.insert(stablehlo.PadOp(value, padding, gaps, gaps, gaps, result))
    if tensor_type(value).get_shape()[along.dim] == reading.size:
        return value
    return along.slice(value, reading.offsets, reading.size)
