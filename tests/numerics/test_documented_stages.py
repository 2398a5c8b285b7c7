"""
The kernels of the emitters' documentation, stage by stage as it shows them, executed on every thread of their grids.

All stages of GELU must give the same bits as numpy does with a rounding to bf16 after each operation.
"""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from xshardy.interpreters.simt import SimtError, run_kernel
from xshardy.syntax import parse_module

INPUTS = Path(__file__).parent / "Inputs"
STAGES = ("converted", "inlined", "scf", "flattened", "vectorized", "unrolled")
BF16 = ml_dtypes.bfloat16


def gelu(x: np.ndarray) -> np.ndarray:
    """`x * (tanh((x + x**3 * 0.0447) * 0.797) + 1) * 0.5` with the documented constants."""
    cubic, slope, one, half = (np.array(number).astype(BF16) for number in (4.467770e-02, 7.968750e-01, 1, 0.5))
    inner = (x + x * x * x * cubic) * slope
    return x * ((np.tanh(inner.astype(np.float32)).astype(BF16) + one) * half)


def at_scale(text: str, blocks: int) -> str:
    """The text with `blocks` blocks of 512 elements instead of 24576, as rows of 4096 elements where it has rows."""
    return (
        text.replace("6x512x4096x", f"1x{blocks // 8}x4096x")
        .replace("12582912", str(blocks * 512))
        .replace("24575", str(blocks - 1))
        .replace("bl_x floordiv 4096", f"bl_x floordiv {blocks}")
        .replace("mod 512", f"mod {blocks // 8}")
    )


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("blocks", [8, 64])
def test_gelu_at_every_stage(stage: str, blocks: int):
    x = (np.random.default_rng(blocks).standard_normal((1, blocks // 8, 4096)) * 3).astype(BF16)
    x[0, 0, :6] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40]
    module = parse_module(at_scale((INPUTS / f"gelu_{stage}.mlir").read_text(), blocks))
    (result,) = run_kernel(module, [x, np.zeros_like(x)])
    with np.errstate(all="ignore"):
        expected = gelu(x)
    nan = np.isnan(expected)
    assert (np.isnan(result) == nan).all()
    assert (result.view(np.uint16)[~nan] == expected.view(np.uint16)[~nan]).all()


def test_gelu_in_its_real_size():
    """12.6 million elements; a second is enough."""
    x = np.random.default_rng(0).standard_normal((6, 512, 4096)).astype(BF16)
    (result,) = run_kernel(parse_module((INPUTS / "gelu_unrolled.mlir").read_text()), [x])
    assert (result.reshape(x.shape).view(np.uint16) == gelu(x).view(np.uint16)).all()


def transpose_text() -> str:
    """The documented transpose on an input of 20x4x50 elements, with 8 blocks."""
    text = (INPUTS / "transpose.mlir").read_text()
    return (
        text.replace("20x160x170x", "20x4x50x")
        .replace("170x160x20x", "50x4x20x")
        .replace("959", "7")
        .replace("floordiv 6", "floordiv 2")
        .replace("mod 6", "mod 2")
        .replace("169", "49")
    )


def test_transpose_through_shared_memory():
    x = np.random.default_rng(0).standard_normal((20, 4, 50)).astype(np.float32)
    (result,) = run_kernel(parse_module(transpose_text()), [x])
    assert (result == np.abs(np.exp(x)).transpose(2, 1, 0)).all()


def test_transpose_in_its_documented_size():
    x = np.random.default_rng(0).standard_normal((20, 160, 170)).astype(np.float32)
    (result,) = run_kernel(parse_module((INPUTS / "transpose.mlir").read_text()), [x])
    assert (result == np.abs(np.exp(x)).transpose(2, 1, 0)).all()


def test_transpose_without_its_barrier_is_a_race():
    lines = [line for line in transpose_text().splitlines() if "sync_threads" not in line]
    text = "\n".join(lines).replace("%synced_tensor", "%xla_loop")
    with pytest.raises(SimtError, match=r"reads element .* of shared memory %shmem, which .* wrote with no barrier"):
        run_kernel(parse_module(text), [np.zeros((20, 4, 50), np.float32)])


def test_a_map_that_leaves_the_tensor_is_caught():
    text = at_scale((INPUTS / "gelu_flattened.mlir").read_text(), 8).replace("th_x * 4 +", "th_x * 5 +")
    with pytest.raises(
        SimtError, match=r"tensor.extract .*\n  index 4099 is out of bounds in dimension 0 of size 4096"
    ):
        run_kernel(parse_module(text), [np.zeros(4096, BF16)])


def test_a_map_that_overlaps_is_caught():
    """Two threads compute different elements, and write them to one place."""
    text = at_scale((INPUTS / "gelu_flattened.mlir").read_text(), 8)
    text = text.replace("tensor.insert %10 into %iter[%dim]", "tensor.insert %10 into %iter[%vector_index]")
    with pytest.raises(
        SimtError, match=r"tensor.insert .*\n  thread .* writes .* to element 0 of argument 1, to which"
    ):
        run_kernel(parse_module(text), [np.arange(4096).astype(BF16)])
