"""Tiles of transpositions that swap a short dimension: every element arrives, no bank is in the way, no thread idle."""

from math import prod

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import DrawFn, composite, integers, permutations, sampled_from
from test_packed_tiling import BANKS, DEVICES, points, results_at, written_tiles

from xshardy import compiler
from xshardy.emitters import explain
from xshardy.emitters.transpose.normal_form import Transposition
from xshardy.emitters.transpose.tiling import TILE, TransposeTiling, transpose_tiling
from xshardy.gpus.devices import Device
from xshardy.hlo_text import parse_hlo
from xshardy.ptx.kernels import run_kernel


def tiling_of(moved: Transposition, width: int = 32, device: Device = DEVICES[0]) -> TransposeTiling:
    tiling = transpose_tiling(moved, width, 1, device)
    assert tiling is not None
    return tiling


def transposed(tiling: TransposeTiling) -> np.ndarray:
    """The output of all blocks, if each input element is its row-major number; -1 for unwritten elements."""
    moved, tiles = tiling.moved, written_tiles(tiling)
    result = np.full(moved.result_shape, -1)
    at, indices = points(tiling.output)
    assert indices.shape[1] == result.size  # nothing is written twice
    result[tuple(indices)] = tiles[(at[1], *results_at(tiling.read, at))]
    return result


@composite
def narrow_transpositions(draw: DrawFn) -> Transposition:
    """A transposition of up to four dimensions whose swapped ones have 4 to 40 and 8 to 300 elements, in any order."""
    rank = draw(integers(2, 4))
    keeps_minor = rank > 2 and draw(sampled_from([False, True]))
    swapped = rank - 1 if keeps_minor else rank
    permutation = draw(permutations(range(swapped)).filter(lambda p: p[-1] != swapped - 1))
    shape = [draw(integers(1, 3)) for _ in range(rank)]
    short, long = draw(permutations([permutation[-1], swapped - 1]))
    shape[short], shape[long] = draw(integers(4, 40)), draw(integers(8, 300))
    return Transposition(tuple(shape), (*permutation, rank - 1) if keeps_minor else tuple(permutation))


@given(narrow_transpositions(), sampled_from([8, 16, 32, 64]), sampled_from(DEVICES))
def test_every_element_arrives(moved: Transposition, width: int, device: Device):
    expected = np.arange(prod(moved.shape)).reshape(moved.shape).transpose(moved.permutation)
    assert np.array_equal(transposed(tiling_of(moved, width, device)), expected)


@pytest.mark.parametrize("long", [64, 1000])
@pytest.mark.parametrize("short", [4, 8, 16])
@pytest.mark.parametrize("is_minor", [False, True])
def test_the_threads_of_a_warp_use_different_banks(short: int, long: int, is_minor: bool):
    tiling = tiling_of(Transposition((long, short) if is_minor else (short, long), (1, 0)))
    lanes, zero = np.arange(32), np.zeros(32, int)
    for place in (tiling.write, tiling.read):
        element = np.ravel_multi_index(tuple(results_at(place, np.stack([lanes, zero, zero, zero]))), tiling.tile)
        assert len(np.unique(element % BANKS)) == len(lanes)


@pytest.mark.parametrize("shape", [(4, 64, 8), (4, 8, 64), (4, 8, 1024), (4, 1024, 4)])
@pytest.mark.parametrize("device", DEVICES, ids=["4 rows", "8 rows"])
def test_no_thread_is_idle(shape: tuple[int, int, int], device: Device):
    """Each row of threads has 32 elements of each step; the steps of all blocks are the elements."""
    moved = Transposition(shape, (0, 2, 1))
    tiling = tiling_of(moved, device=device)
    steps = tiling.input.symbol_intervals[0].size
    assert tiling.launch.blocks[0] * TILE * device.transposed_rows * steps == prod(shape)


TRANSPOSE = """
HloModule transpose
ENTRY main {{
  x = {type}[{shape}] parameter(0)
  ROOT r = {type}[{result}] transpose(x), dimensions={{{permutation}}}
}}
"""

TYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "u8": np.uint8, "pred": np.bool_}


def listed(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


@settings(max_examples=12)
@given(narrow_transpositions().filter(lambda moved: not moved.keeps_minor), sampled_from([*TYPES]))
def test_compiled(moved: Transposition, type: str):
    text = TRANSPOSE.format(
        type=type, shape=listed(moved.shape), result=listed(moved.result_shape), permutation=listed(moved.permutation)
    )
    x = (np.arange(prod(moved.shape)) % 251).reshape(moved.shape).astype(TYPES[type])
    (written,) = run_kernel(compiler.compile(text), {0: x, 1: np.zeros(moved.result_shape, x.dtype)}).values()
    np.testing.assert_array_equal(written, x.transpose(moved.permutation))


def test_the_transpose_emitter_takes_them():
    text = TRANSPOSE.format(type="f32", shape="4,8,256", result="4,256,8", permutation="0,2,1")
    (fusion,) = compiler.select_fusions(parse_hlo(text))
    assert explain(fusion).emitter == "transpose"
