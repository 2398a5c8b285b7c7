"""The picture of a divided tensor: a cell for each part, in order, with its devices."""

import re

from xdsl.dialects.builtin import TensorType, f32

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.tensor_picture import MOST_PARTS, DividedDim, picture

MESH = MeshAttr.of([("a", 2), ("b", 3)])


def divided(shape: tuple[int, ...], *axes: str) -> DistributedTensor:
    """A tensor whose dimensions are divided along the axes of `MESH` that `axes` list for each, such as `"ab"`."""
    dims = [DimensionShardingAttr(map(AxisRefAttr, names), is_closed=True) for names in axes]
    return DistributedTensor(TensorType(f32, shape), 6, TensorShardingAttr("mesh", dims), MESH)


def table(tensor: DistributedTensor) -> list[list[str]]:
    """The cells of the picture, row by row, with the headings."""
    text = tensor._repr_html_()
    return [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", text)]


def test_two_dimensions_are_rows_and_columns():
    assert table(divided((4, 6), "a", "b")) == [
        ["", "0:2", "2:4", "4:6"],
        ["0:2", "0", "1", "2"],
        ["2:4", "3", "4", "5"],
    ]


def test_one_dimension_goes_to_the_right_and_copies_are_listed():
    assert table(divided((4, 6), "", "b")) == [["", "0:2", "2:4", "4:6"], ["", "0, 3", "1, 4", "2, 5"]]
    assert table(divided((4, 6), "a", "")) == [["", "0:2", "2:4"], ["", "0-2", "3-5"]]


def test_a_whole_tensor_is_one_cell():
    assert table(DistributedTensor(TensorType(f32, ()), 6)) == [["", ""], ["", "0-5"]]


def test_other_dimensions_go_down_and_parts_may_be_padding():
    assert table(divided((4, 7, 2), "a", "", "b")) == [
        ["", "0:1", "1:2", "padding"],
        ["0:2", "0", "1", "2"],
        ["2:4", "3", "4", "5"],
    ]


def test_each_part_has_a_colour():
    assert len(set(re.findall(r"hsl\(\d+", divided((12,), "ab")._repr_html_()))) == 6


def test_many_parts_are_counted_only():
    parts = MOST_PARTS + 1
    assert picture("<t>", [DividedDim(parts, 1, parts)], [(part,) for part in range(parts)]) == (
        f"<div>&lt;t&gt;, {parts} parts on {parts} devices</div>"
    )


def test_colours_are_evenly_spaced_from_red_on():
    assert re.findall(r"hsl\((\d+)", divided((4, 6), "", "b")._repr_html_()) == ["0", "120", "240"]
