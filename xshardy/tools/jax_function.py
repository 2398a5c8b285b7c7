"""A function of JAX, lowered to StableHLO."""

from collections.abc import Sequence
from typing import Any

from xshardy.engines.pjrt.devices import import_jax


def lowered(function: Any, arguments: Sequence[Any]) -> Any:
    """
    What `jax.jit(function).lower(*arguments)` returns.

    The platform is named, so that shardings may be over a mesh without devices.
    """
    jax = import_jax()
    traced = (function if hasattr(function, "trace") else jax.jit(function)).trace(*arguments)
    return traced.lower(lowering_platforms=(jax.devices()[0].client.platform,))
