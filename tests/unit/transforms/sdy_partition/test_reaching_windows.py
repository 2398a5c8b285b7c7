"""The windows of a scatter of windows that each device computes, against brute force."""

from hypothesis import given
from hypothesis import strategies as st

from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.transforms.sdy_partition.exchange.exchanged_scatters import ReachingWindows


@given(size=st.integers(1, 5), stride=st.integers(1, 5), part=st.integers(1, 7), parts=st.integers(2, 4))
def test_each_part_computes_the_windows_that_reach_it_and_no_more_than_cover_it(
    size: int, stride: int, part: int, parts: int
):
    found = ReachingWindows.of(WindowDimension(size, stride), part, parts)
    needed: list[int] = []
    for index, first in enumerate(found.firsts):
        own = range(index * part, (index + 1) * part)
        starts = {number: number * stride for number in range(-size, own.stop + 1)}
        reaching = [number for number, start in starts.items() if start < own.stop and start + size > own.start]
        before = max(number for number, start in starts.items() if start <= own.start)
        behind = min(number for number, start in starts.items() if start + size >= own.stop)
        assert first == min([before, *reaching])
        needed.append(max([behind, *reaching]) + 1 - first)
    assert found.count == max(needed)
