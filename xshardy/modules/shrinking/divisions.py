"""By which ratio the dimensions of an operation may shrink: the arithmetic of slices, paddings and windows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.windows import WindowDimension, dilated


def always(ratio: int) -> bool:
    """Any ratio that divides the sizes."""
    return True


def keeps_slice(start: int, limit: int, stride: int, ratio: int) -> bool:
    """Whether a slice from `start / ratio` to `limit / ratio` is the `ratio`-th part of one from `start` to `limit`."""
    size, smaller = (ceil((limit // by - start // by) / stride) for by in (1, ratio))
    return start % ratio == limit % ratio == 0 and size == smaller * ratio


def keeps_window(window: WindowDimension, moved: int, result: int, ratio: int) -> bool:
    """Whether the window has `result / ratio` positions in `moved / ratio` elements."""
    return window.positions(moved // ratio) == result // ratio


def keeps_positions(window: WindowDimension, moved: int, result: int, ratio: int) -> bool:
    """Whether a window of `ratio` times fewer elements has `result` positions in `moved / ratio` elements."""
    return replace(window, size=window.size // ratio).positions(moved // ratio) == result


def keeps_padding(padding: Padding, size: int, ratio: int) -> bool:
    """Whether `size / ratio` elements can be padded to the `ratio`-th part of the result."""
    return padding.divided(size, ratio) is not None


@dataclass(frozen=True, slots=True)
class Padding:
    """One dimension of a padding, in elements; negative ones are cut off."""

    low: int = 0
    high: int = 0
    interior: int = 0

    def padded(self, size: int) -> int:
        """The size after padding."""
        return self.low + dilated(size, self.interior + 1) + self.high

    def divided(self, size: int, ratio: int) -> Padding | None:
        """
        The padding that makes the same part of the result, both divided by `ratio`; None if there is none.

        It is this one, as between the elements of a strided gradient, or one of `ratio` times fewer elements.
        """
        result = self.padded(size) // ratio
        smaller = Padding(self.low // ratio, self.high // ratio, self.interior)
        exact = self.low % ratio == self.high % ratio == 0
        fitting = (padding for padding in (self, smaller) if padding.padded(size // ratio) == result)
        return next((padding for padding in fitting if padding is self or exact), None)


def paddings(op: stablehlo.PadOp) -> list[Padding]:
    """The padding of each dimension."""
    columns = (op.edge_padding_low, op.edge_padding_high, op.interior_padding)
    return [Padding(*amounts) for amounts in zip(*(column.get_values() for column in columns), strict=True)]
