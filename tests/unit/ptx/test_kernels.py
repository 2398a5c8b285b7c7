"""Compiled kernels on the PTX machine, with buffers as they are in a GPU's memory."""

import ml_dtypes
import numpy as np

from xshardy import compiler
from xshardy.ptx.kernels import run_kernel

NEGATE = """
HloModule negate
ENTRY main {
  x = s4[9] parameter(0)
  ROOT r = s4[9] negate(x)
}
"""


def test_no_thread_runs_for_an_empty_tensor():
    x = np.zeros(0, ml_dtypes.int4)
    kernel = compiler.compile(NEGATE.replace("s4[9]", "s4[0]"))
    (written,) = run_kernel(kernel, {0: x, 1: x.copy()}).values()
    assert written.shape == (0,)


def test_updates_of_the_last_word_of_packed_elements():
    """The five bytes of nine elements end within a word, all of which an atomic update of the last element accesses."""
    x = np.arange(-4, 5).astype(ml_dtypes.int4)
    (written,) = run_kernel(compiler.compile(NEGATE), {0: x, 1: np.zeros_like(x)}).values()
    np.testing.assert_array_equal(written, -x)


SCATTER = """
HloModule scatter
sum {
  a = s8[] parameter(0)
  b = s8[] parameter(1)
  ROOT s = s8[] add(a, b)
}
ENTRY main {
  x = s8[9] parameter(0)
  i = s32[12,1] parameter(1)
  u = s8[12] parameter(2)
  ROOT r = s8[9] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=1, to_apply=sum
}
"""


def test_atomic_updates_of_each_byte_of_a_word():
    """Several threads add to one byte, others to its neighbours, which a carry must not reach."""
    x = np.arange(-4, 5, dtype=np.int8)
    indices = np.array([[0], [1], [2], [3], [4], [5], [6], [7], [8], [1], [3], [3]], np.int32)
    updates = np.array([127, 100, -128, 127, 3, -7, 127, 127, 127, 100, 100, -5], np.int8)
    expected = x.copy()
    np.add.at(expected, indices[:, 0], updates)
    (written,) = run_kernel(compiler.compile(SCATTER), {0: x, 1: indices, 2: updates}).values()
    np.testing.assert_array_equal(written, expected)
