"""
Kernels stay in buffers of a few elements, which may end where the memory of their owner ends.

LLVM reads three elements as a word of four if it knows the alignment. The PTX machine reports any byte out of bounds.
"""

from collections.abc import Sequence
from string import Template

import ml_dtypes
import numpy as np
import pytest

from xshardy import compiler
from xshardy.numerics.element_types import Array
from xshardy.ptx.kernels import run_kernel

ELEMENTS = {
    "pred": np.bool_,
    "s8": np.int8,
    "u8": np.uint8,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "s16": np.int16,
    "u16": np.uint16,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "s32": np.int32,
    "f32": np.float32,
    "f64": np.float64,
    "c64": np.complex64,
}
COUNTS = {1: range(1, 10), 2: range(1, 10), 4: range(1, 8), 8: range(1, 6)}
"""By the bytes of an element: a word of four elements, of eight, and what is around them."""
OF_EACH_WIDTH = ("s8", "f16", "f32", "f64")
SMALL_BUFFERS = [
    pytest.param(type, count, id=f"{type}[{count}]")
    for type, dtype in ELEMENTS.items()
    for count in COUNTS[np.dtype(dtype).itemsize]
    if type in OF_EACH_WIDTH or count in (3, 5)
]
"""Types of one width are loaded and stored alike: all counts are those of one type of each."""

SUM = Template("""
HloModule sum
combine {
  a = $type[] parameter(0)
  b = $type[] parameter(1)
  ROOT c = $type[] $operation(a, b)
}
ENTRY main {
  x = $type[$count] parameter(0)
  zero = $type[] constant($zero)
  ROOT r = $type[] reduce(x, zero), dimensions={0}, to_apply=combine
}
""")

PARTS = Template("""
HloModule parts
ENTRY main {
  x = $type[$count] parameter(0)
  reversed = $type[$count] reverse(x), dimensions={0}
  pair = $type[2,$count] broadcast(x), dimensions={1}
  ROOT r = ($type[$count], $type[$count], $type[2,$count]) tuple(x, reversed, pair)
}
""")

ROWS = Template("""
HloModule rows
combine {
  a = $type[] parameter(0)
  b = $type[] parameter(1)
  ROOT c = $type[] $operation(a, b)
}
ENTRY main {
  x = $type[3,$whole] parameter(0)
  used = $type[3,$count] slice(x), slice={[0:3], [0:$count]}
  zero = $type[] constant($zero)
  ROOT r = $type[3] reduce(used, zero), dimensions={1}, to_apply=combine
}
""")


def results(
    program: Template, type: str, count: int, shape: Sequence[int], *written: Sequence[int]
) -> tuple[Array, list[Array]]:
    """Small numbers of this shape, and what the kernel of `program` makes of them."""
    operation, zero = "or" if type == "pred" else "add", "(0, 0)" if type == "c64" else "0"
    text = program.substitute(type=type, operation=operation, zero=zero, count=count, whole=shape[-1])
    kernel = compiler.compile(text)
    dtype = ELEMENTS[type]
    numbers = np.arange(np.prod(shape)).reshape(shape) % 2
    x = numbers.astype(dtype)
    buffers = {0: x} | {index: np.zeros(each, dtype) for index, each in enumerate(written, start=1)}
    return x, [*run_kernel(kernel, buffers).values()]


@pytest.mark.parametrize("type, count", SMALL_BUFFERS)
def test_loads_of_few_elements(type: str, count: int):
    x, (sum,) = results(SUM, type, count, [count], [])
    expected = x.any() if type == "pred" else x.astype(np.complex128).sum()
    assert sum.astype(np.complex128) == expected


@pytest.mark.parametrize("type, count", SMALL_BUFFERS)
def test_stores_of_few_elements(type: str, count: int):
    x, (copy, reversed, pair) = results(PARTS, type, count, [count], [count], [count], [2, count])
    np.testing.assert_array_equal(copy, x)
    np.testing.assert_array_equal(reversed, x[::-1])
    np.testing.assert_array_equal(pair, np.stack((x, x)))


@pytest.mark.parametrize("type, count", SMALL_BUFFERS)
def test_loads_of_the_first_elements_of_rows(type: str, count: int):
    """Rows of an even number of elements, of which the last ones are not used: their memory is there."""
    x, (sums,) = results(ROWS, type, count, [3, count + 1], [3])
    used = x[:, :count]
    expected = used.any(axis=1) if type == "pred" else used.astype(np.complex128).sum(axis=1)
    np.testing.assert_array_equal(sums.astype(np.complex128), expected)


SCATTER = Template("""
HloModule scattered
combine {
  a = $type[] parameter(0)
  b = $type[] parameter(1)
  ROOT c = $type[] add(a, b)
}
fused {
  x = $type[$count,$width] parameter(0)
  i = s32[$count,1] parameter(1)
  u = $type[$count,$width] parameter(2)
  ROOT r = $type[$count,$width] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=combine
}
ENTRY main {
  x = $type[$count,$width] parameter(0)
  i = s32[$count,1] parameter(1)
  u = $type[$count,$width] parameter(2)
  ROOT f = $type[$count,$width] fusion(x, i, u), kind=kInput, calls=fused
}
""")  # noqa: E501


@pytest.mark.parametrize("type", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("width", [1, 3, 4])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_atomic_additions_to_few_elements(type: str, width: int, count: int):
    """Pairs of halves, and vectors of them, in buffers of odd and even lengths, up to the last element."""
    kernel = compiler.compile(SCATTER.substitute(type=type, count=count, width=width), target="sm_90")
    x = np.ones((count, width), ELEMENTS[type])
    indices = np.arange(count, dtype=np.int32)[::-1].copy().reshape(-1, 1)
    updates = np.arange(count * width).reshape(count, width).astype(ELEMENTS[type])
    (got,) = run_kernel(kernel, {0: x, 1: indices, 2: updates}).values()
    np.testing.assert_array_equal(got.astype(np.float32), 1 + updates[::-1].astype(np.float32))
