"""When a kernel needs indices of 64 bits: for its tensors, and for intermediate values of an index."""

import pytest
from test_operations_numerics import computation_of, main, reduction

from xshardy.dialects.data_layout import index_width
from xshardy.emitters.index_width import narrow_indices
from xshardy.emitters.loop import emit_loop_fusion


def width_of(text: str) -> int:
    computation = computation_of(text)
    module = emit_loop_fusion(computation, "main")
    narrow_indices(module, computation)
    return index_width(module)


@pytest.mark.parametrize(("size", "width"), [(2**20, 32), (2**28, 32), (2**31, 64), (2**33, 64)])
def test_tensors(size: int, width: int):
    assert width_of(main("stablehlo.negate {0} : {result}", [f"{size}xi8"], f"{size}xi8")) == width


@pytest.mark.parametrize(("dilation", "width"), [(3, 32), (32, 64)])
def test_places_between_the_elements_of_a_dilated_base(dilation: int, width: int):
    """Both tensors are small, but with 31 gaps between elements a window stands at one of 2 ** 32 places."""
    size, stride = 2**27, dilation - 1
    positions = (size - 1) * dilation // stride + 1
    window = (
        f"window_dimensions = array<i64: 1>, window_strides = array<i64: {stride}>, "
        f"base_dilations = array<i64: {dilation}>"
    )
    body = reduction("stablehlo.add", "i8").replace("{", "{{").replace("}", "}}")
    operation = f'"stablehlo.reduce_window"({{0}}, {{1}}) <{{{{{window}}}}}> {body} : ({{types}}) -> {{result}}'
    assert width_of(main(operation, [f"{size}xi8", "i8"], f"{positions}xi8")) == width
