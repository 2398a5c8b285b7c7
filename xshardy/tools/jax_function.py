"""A function of JAX, lowered to StableHLO."""

from collections.abc import Sequence
from typing import Any

from xshardy.engines.pjrt.devices import import_jax


def lowered(function: Any, arguments: Sequence[Any]) -> Any:
    """What `jax.jit(function).lower(*arguments)` returns, also if shardings are over a mesh without devices."""
    jax = import_jax()
    return lower_traced((function if hasattr(function, "trace") else jax.jit(function)).trace(*arguments))


def lower_traced(traced: Any) -> Any:
    """
    What `traced.lower()` returns, for a `jax.stages.Traced`.

    The platform is named, so that shardings may be over a mesh without devices.
    """
    return traced.lower(lowering_platforms=(import_jax().devices()[0].client.platform,))
