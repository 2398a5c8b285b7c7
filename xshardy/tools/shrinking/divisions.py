"""How the dimensions of an operation may be divided: the arithmetic of slices, paddings and windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.windows import WindowDimension, dilated
from xshardy.tools.shrinking.atoms import Division


def always(division: Division) -> bool:
    """Any division."""
    return True


def keeps_slice(size: int, part: int, stride: int, division: Division) -> bool:
    """Whether the smaller part, with `stride`, fits into what is left of `size` elements, and is a part of it still."""
    return division.of(part) < division.of(size) >= dilated(division.of(part), stride)


def keeps_sum(sizes: Sequence[int], division: Division) -> bool:
    """Whether the smaller parts are together as large as what is left of the whole."""
    return sum(map(division.of, sizes)) == division.of(sum(sizes))


def keeps_groups(features: int, of_group: int, outputs: int, division: Division) -> bool:
    """Whether what is left of the features are several whole groups, and that of the outputs is divided among them."""
    groups, rest = divmod(division.of(features), of_group)
    return groups > 1 and rest == 0 and division.of(outputs) % groups == 0


def keeps_window(window: WindowDimension, moved: int, result: int, division: Division) -> bool:
    """Whether the window has as many positions in the smaller space as the smaller result has elements."""
    return window.positions(division.of(moved)) == division.of(result)


def keeps_positions(window: WindowDimension, moved: int, result: int, division: Division) -> bool:
    """Whether a smaller window has `result` positions in the smaller space."""
    return replace(window, size=division.of(window.size)).positions(division.of(moved)) == result


def keeps_padding(padding: Padding, size: int, division: Division) -> bool:
    """Whether what is left of `size` elements can be padded to what is left of the result."""
    return padding.divided(size, division) is not None


@dataclass(frozen=True, slots=True)
class Padding:
    """One dimension of a padding, in elements; negative ones are cut off."""

    low: int = 0
    high: int = 0
    interior: int = 0

    def padded(self, size: int) -> int:
        """The size after padding."""
        return self.low + dilated(size, self.interior + 1) + self.high

    def divided(self, size: int, division: Division) -> Padding | None:
        """
        The padding from what is left of `size` elements to what is left of the result; None if there is none.

        It is this one, as between the elements of a strided gradient, or a smaller one, which pads or cuts at the same
        ends, or at the low one only.
        """
        left, result = division.of(size), division.of(self.padded(size))
        if self.padded(left) == result:
            return self
        low = _sign(self.low) * Division(division.ratio, rounds_up=False).of(abs(self.low))
        ends = (_sign(self.high),) if low == 0 else (_sign(self.high), 0)
        high = result - replace(self, low=low, high=0).padded(left)
        return replace(self, low=low, high=high) if _sign(high) in ends else None


def _sign(amount: int) -> int:
    return (amount > 0) - (amount < 0)


def paddings(op: stablehlo.PadOp) -> list[Padding]:
    """The padding of each dimension."""
    columns = (op.edge_padding_low, op.edge_padding_high, op.interior_padding)
    return [Padding(*amounts) for amounts in zip(*(column.get_values() for column in columns), strict=True)]
