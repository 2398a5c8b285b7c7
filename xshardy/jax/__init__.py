"""
Functions of JAX, sharded by xshardy: JAX traces, we propagate and partition, XLA executes through PJRT.

`import xshardy` does not import this package, which imports JAX: the extra `jax`.
"""

try:
    import jax as _  # noqa: F401
except ImportError:
    raise ImportError("xshardy.jax needs JAX: run `pip install 'xshardy[jax]'`") from None

from xshardy.jax.jit import Jitted, jit
from xshardy.jax.stages import Compiled, Lowered
from xshardy.jax.start import start

__all__ = ["Compiled", "Jitted", "Lowered", "jit", "start"]
