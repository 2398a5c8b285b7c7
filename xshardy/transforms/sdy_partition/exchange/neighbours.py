"""
Which neighbours a part needs: along a dimension, part `i` of the result reads parts `i - left` to `i + right`.

Plain integers, without IR. Whole parts are sent, as in upstream; `exchanges.py` computes which elements are needed.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reads:
    """
    What each part of a result reads of a dimension that is dilated, and then padded in front.

    Part `i` reads `size` elements from `i * size - low` on. All in elements, with `dilation` - 1 gaps between elements.
    """

    size: int
    low: int = 0
    dilation: int = 1


@dataclass(frozen=True, slots=True)
class Neighbours:
    """How many parts before and after its own a part needs at most."""

    left: int
    right: int
    are_needed: bool
    """Whether a part needs anything else than its own elements."""

    def are_near(self, parts: int) -> bool:
        """Whether that is less than a gather of all `parts`, or one part on either side."""
        return max(self.left, self.right) <= 1 or self.left + self.right + 1 < parts


def toward_zero(dividend: int, divisor: int) -> int:
    """The quotient rounded toward zero."""
    quotient = abs(dividend) // divisor
    return quotient if dividend >= 0 else -quotient


def neighbours(extent: int, parts: int, reads: Reads) -> Neighbours:
    """
    The neighbours that the parts of a dimension of `extent` elements need, if it does not divide into `parts`, padded.

    As in upstream, the elements of a dilated dimension are counted as if they had no gaps, which may be more than are
    needed.
    """
    part = -(-extent // parts)
    left = right = 0
    are_needed = False
    for index in range(parts):
        start = toward_zero(index * reads.size - reads.low, reads.dilation)
        first, last = max(0, start), min(extent, start + reads.size) - 1
        if first > last:
            are_needed = True  # all of it is padding
            continue
        left = max(left, index - first // part)
        right = max(right, last // part - index)
        are_needed |= first // part != index or last // part != index
    return Neighbours(left, right, are_needed)
