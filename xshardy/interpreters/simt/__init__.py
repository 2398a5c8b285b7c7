"""
Executes kernels on a CPU: every SSA value is a numpy array over the threads of the grid.

It supports every level of a kernel, from xla_gpu to vectors, so that the kernel before and after any pass can be
compared.
"""

from xshardy.interpreters.simt.errors import SimtError
from xshardy.interpreters.simt.kernel import find_kernel, run_kernel

__all__ = ["SimtError", "find_kernel", "run_kernel"]
