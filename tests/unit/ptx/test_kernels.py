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


def test_updates_of_the_last_word_of_packed_elements():
    """The five bytes of nine elements end within a word, all of which an atomic update of the last element accesses."""
    x = np.arange(-4, 5).astype(ml_dtypes.int4)
    (written,) = run_kernel(compiler.compile(NEGATE), {0: x, 1: np.zeros_like(x)}).values()
    np.testing.assert_array_equal(written, -x)
