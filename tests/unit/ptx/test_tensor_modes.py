"""Tensor copies of four rows, with element strides, and of images by `im2col`, beside loops in Python."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from ptx_kernels import line_of
from test_tensor_copies import entry, load_kernel, run

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import LaunchError, PtxError
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.tensor_maps import LAYOUT, TensorMap, wrong_in


def loaded(mode: str, map: TensorMap, coordinates: tuple[int, ...], shape: tuple[int, ...], end: str = "") -> Array:
    """What a copy in a mode brings to shared memory; `coordinates` are in the map's order."""
    out = np.zeros(shape, map.array.dtype)
    ptx = in_mode(load_kernel(coordinates, out.nbytes), mode, map.array.ndim, end)
    assert run(ptx, map, out) == []
    return out


def in_mode(ptx: str, mode: str, rank: int, end: str = "") -> str:
    """The kernel of a copy by tiles, with another mode and further operands."""
    (line,) = [line for line in ptx.split("\n") if "cp.async.bulk.tensor" in line]
    changed = line.replace(".global.mbarrier", f".global.{mode}.mbarrier").replace("; // copy", f"{end}; // copy")
    first, _, rest = changed.partition("bulk.tensor.")
    return ptx.replace(line, f"{first}bulk.tensor.{rank}{rest[1:]}")


NUMBERS = np.arange(1, 40 * 64 + 1, dtype=np.int32).reshape(40, 64)


@pytest.mark.parametrize("swizzle", [0, 64])
def test_four_rows_anywhere(swizzle: int):
    """Also out of bounds, where there are zeros."""
    rows = [7, 39, 0, 40]
    map = TensorMap(NUMBERS, (1, 16), swizzle)
    found = loaded("tile::gather4", map, (32, *rows), (4, 16))
    expected = np.stack([NUMBERS[row, 32:48] if row < 40 else np.zeros(16, np.int32) for row in rows])
    if swizzle:
        chunks = [[chunk ^ (row // 2) for chunk in range(4)] for row in range(4)]
        expected = np.take_along_axis(expected.reshape(4, 4, 4), np.array(chunks)[:, :, None], axis=1).reshape(4, 16)
    np.testing.assert_array_equal(found, expected)


STORE = """
  mov.b32 %r4, %r1;
$fill:
  shl.b32 %r5, %r4, 2;
  add.u32 %r6, %r3, %r5;
  add.u32 %r7, %r4, 1;
  st.shared.b32 [%r6], %r7;
  add.u32 %r4, %r4, 32;
  setp.lt.u32 %p3, %r4, WORDS;
  @%p3 bra $fill;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p1 OPCODE [%rd1, {AT}], [%r3]; // store
  @%p1 cp.async.bulk.commit_group;
  @%p1 cp.async.bulk.wait_group 0;
"""


def stored(opcode: str, at: tuple[int, ...], words: int) -> str:
    text = STORE.replace("OPCODE", opcode).replace("AT", ", ".join(map(str, at))).replace("WORDS", str(words))
    return entry(text, pointers=0)


@pytest.mark.parametrize("operation", ["", "add"])
def test_to_four_rows_anywhere(operation: str):
    array = np.ones((40, 64), np.int32)
    prefix, suffix = ("cp.reduce.async", "add.") if operation else ("cp.async", "")
    opcode = f"{prefix}.bulk.tensor.2d.global.shared::cta.{suffix}tile::scatter4.bulk_group"
    assert run(stored(opcode, (16, 3, -1, 39, 8), 64), TensorMap(array, (1, 16))) == []
    expected, source = np.ones((40, 64), np.int32), np.arange(1, 65).reshape(4, 16)
    for number, row in enumerate((3, -1, 39, 8)):
        if row >= 0:
            expected[row, 16:32] = source[number] + (1 if operation else 0)
    np.testing.assert_array_equal(array, expected)


def test_a_missing_fence_before_a_store_of_four_rows():
    opcode = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
    ptx = stored(opcode, (16, 3, 5, 39, 8), 64).replace("fence.proxy.async.shared::cta;", "")
    faults = run(ptx, TensorMap(np.ones((40, 64), np.int32), (1, 16)))
    assert [(fault.kind, fault.line) for fault in faults] == [(FaultKind.PROXY, line_of(ptx, "// store"))]


@pytest.mark.parametrize("strides", [(2, 1), (3, 1), (8, 1)])
def test_element_strides_of_tiles(strides: tuple[int, int]):
    """Of a box of 16 rows every second one and so on; the stride of the innermost dimension is ignored."""
    map = TensorMap(NUMBERS, (16, 8), strides=strides)
    rows = range(30, 46, strides[0])
    found = loaded("tile", map, (8, 30), (len(rows), 8))
    expected = [NUMBERS[row, 8:16] if row < 40 else np.zeros(8, np.int32) for row in rows]
    np.testing.assert_array_equal(found, np.stack(expected))


def columns(
    array: Array, pixels: int, channels: int, low: tuple[int, ...], high: tuple[int, ...], first: tuple[int, ...],
    offsets: tuple[int, ...], strides: tuple[int, ...],
) -> Array:  # fmt: skip
    """
    Pixels of images [images, ..., channels] by a list of all places in order: from `first`, in the order of the array,
    a step at a time, each line of a box from its lower corner on.
    """
    images, *sizes, _ = array.shape
    n, *base, c = first
    ends = [size - 1 + corner for size, corner in zip(sizes, high, strict=True)]
    axes = [range(corner, end + 1, step) for corner, end, step in zip(low, ends, strides, strict=True)]
    every = [(image, *place) for image in range(images + 9) for place in product(*axes)]
    start = every.index((n, *base))
    result = np.zeros((pixels, channels), array.dtype)
    for row, (image, *place) in enumerate(every[start : start + pixels]):
        at = [position + offset for position, offset in zip(place, offsets, strict=True)]
        if image < images and all(0 <= position < size for position, size in zip(at, sizes, strict=True)):
            values = array[(image, *at)][c : c + channels]
            result[row, : len(values)] = values
    return result


CASES: list[dict[str, Any]] = [
    {"shape": (2, 9, 8), "pixels": 12, "low": (-1,), "high": (-1,), "first": (0, 2, 0), "offsets": (1,)},
    {"shape": (3, 5, 6, 8), "pixels": 40, "low": (-1, -1), "high": (-1, -1), "first": (0, 1, 2, 4), "offsets": (2, 0)},
    {"shape": (3, 5, 6, 16), "pixels": 64, "low": (0, 0), "high": (-2, -2), "first": (1, 0, 3, 8), "offsets": (2, 2)},
    {"shape": (3, 8, 7, 8), "pixels": 32, "low": (-1, -1), "high": (-1, -1), "first": (0, 1, -1, 0), "offsets": (1, 1)},
    {
        "shape": (2, 3, 4, 5, 8),
        "pixels": 50,
        "low": (-1, 0, -1),
        "high": (0, -1, 1),
        "first": (0, 1, 2, 3, 0),
        "offsets": (1, 0, 2),
    },
]


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['shape'])}d")
def test_columns_of_images(case: dict[str, Any], step: int):
    shape, low, high, offsets = case["shape"], case["low"], case["high"], case["offsets"]
    n, *base, c = case["first"]
    strides = (step,) * len(low)
    base = [corner + (at - corner) // step * step for at, corner in zip(base, low, strict=True)]
    array = np.arange(1, np.prod(shape) + 1, dtype=np.int32).reshape(shape)
    expected = columns(array, case["pixels"], 4, low, high, (n, *base, c), offsets, strides)
    of_images = TensorMap(array, (case["pixels"], 4), lower=low, upper=high, strides=(1, *strides, 1))
    end = f", {{{', '.join(map(str, offsets[::-1]))}}}"
    found = loaded("im2col", of_images, (c, *base[::-1], n), expected.shape, end)
    np.testing.assert_array_equal(found, expected)


def test_a_line_that_begins_between_two_steps_goes_on_at_the_corner():
    array = np.arange(1, 2 * 9 * 4 + 1, dtype=np.int32).reshape(2, 9, 4)
    map = TensorMap(array, (8, 4), lower=(0,), upper=(0,), strides=(1, 2, 1))
    found = loaded("im2col", map, (0, 5, 0), (8, 4), ", {0}")
    np.testing.assert_array_equal(
        found, [array[at] for at in [(0, 5), (0, 7), *((1, w) for w in (0, 2, 4, 6, 8))]] + [[0] * 4]
    )


def test_columns_to_images():
    array = np.zeros((2, 3, 4, 4), np.int32)
    opcode = "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group"
    map = TensorMap(array, (16, 4), lower=(0, 0), upper=(0, -1))
    assert run(stored(opcode, (0, 1, 1, 0), 64), map) == []
    expected = np.zeros((2, 3, 4, 4), np.int32)
    places = [(n, h, w) for n in range(2) for h in range(3) for w in range(3)]
    first = places.index((0, 1, 1))
    for number, place in enumerate(places[first : first + 16]):
        expected[place] = np.arange(4 * number + 1, 4 * number + 5)
    np.testing.assert_array_equal(array, expected)


def faults_of(mode: str, map: TensorMap, coordinates: tuple[int, ...], end: str = "") -> list[str]:
    ptx = in_mode(load_kernel(coordinates, 256), mode, map.array.ndim, end)
    found = Machine(ptx).run([1], [32], [map, np.zeros(64, np.int32)], Options(checks=True, collects_faults=True))
    return [str(fault) for fault in found if fault.kind is FaultKind.DESCRIPTOR]


IMAGES = np.zeros((2, 9, 4), np.int32)
OF_COLUMNS = TensorMap(IMAGES, (16, 4), lower=(-1,), upper=(-1,))


@pytest.mark.parametrize(
    "mode, map, coordinates, end, message",
    [
        ("tile::gather4", TensorMap(NUMBERS, (4, 16)), (0, 1, 2, 3, 4), "", "has boxes of 4 rows, where each of four"),
        ("im2col", TensorMap(IMAGES, (1, 4, 4)), (0, 1, 0), ", {0}", "is of tiles, the instruction is not"),
        ("tile", OF_COLUMNS, (0, 1, 0), "", "is of columns, the instruction is not"),
        (
            "im2col",
            OF_COLUMNS,
            (0, 8, 0),
            ", {0}",
            "has its first pixels at -1 to 7, the innermost first, and the copy",
        ),
        ("im2col", OF_COLUMNS, (0, -2, 0), ", {0}", "and the copy begins elsewhere"),
    ],
)
def test_wrong_maps(mode: str, map: TensorMap, coordinates: tuple[int, ...], end: str, message: str):
    (fault,) = faults_of(mode, map, coordinates, end)
    assert message in fault


@pytest.mark.parametrize(
    "mode, rank, coordinates, end, message",
    [
        ("tile::gather4", 3, (0, 1, 2, 3, 4), "", "four rows are copied of matrices only"),
        ("tile::gather4", 2, (0, 1), "", "expected a tensor map with 5 coordinates"),
        ("im2col", 2, (0, 1), ", {0}", "images have at least 3 dimensions"),
        ("im2col", 3, (0, 1, 2), ", {0, 1}", "expected 1 offsets"),
        ("im2col::w", 3, (0, 1, 2), ", {0, 1}", "unknown modifier .im2col::w"),
        ("tile::scatter4", 2, (0, 1), "", "unknown modifier .tile::scatter4"),
    ],
)
def test_refused_copies(mode: str, rank: int, coordinates: tuple[int, ...], end: str, message: str):
    with pytest.raises(PtxError) as error:
        Machine(in_mode(load_kernel(coordinates, 256), mode, rank, end)).run([1], [32], [OF_COLUMNS, IMAGES])
    assert message in str(error.value)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"box": (16, 4), "lower": (-1, 0), "upper": (-1, 0)}, "corners of all dimensions but the first and last, 1"),
        ({"box": (16, 4), "lower": (-1,)}, "has corners of all dimensions but the first and last, 1"),
        ({"box": (1, 4, 4), "strides": (2, 1)}, "has a stride for each of its 3 dimensions"),
        ({"box": (1, 4, 4), "strides": (1, 9, 1)}, "has element strides of (1, 9, 1): each is 1 to 8"),
        ({"box": (2000, 4), "lower": (0,), "upper": (0,)}, "each dimension has 1 to 1024"),
        ({"box": (16, 4), "lower": (0,), "upper": (1 << 15,)}, "corners of columns in 3 dimensions have 16 bits"),
    ],
)
def test_maps_that_cannot_be(options: dict[str, Any], message: str):
    with pytest.raises(LaunchError) as error:
        TensorMap(IMAGES, **options).encoded(0)
    assert message in str(error.value)


def test_maps_of_columns_have_3_to_5_dimensions():
    map = np.frombuffer(OF_COLUMNS.encoded(0), LAYOUT)[0].copy()
    assert wrong_in(map) is None
    map["rank"] = 1
    assert wrong_in(map) == f"has 2 dimensions in mode {map['mode']}: maps of columns have 3 to 5"
