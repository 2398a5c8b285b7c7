"""A function of JAX, lowered to StableHLO."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from xshardy.engines.pjrt.devices import import_jax
from xshardy.numerics.element_types import Array


def lowered(function: Any, arguments: Sequence[Any], *, keep_unused: bool = False) -> Any:
    """
    What `jax.jit(function).lower(*arguments)` returns, also if shardings are over a mesh without devices.

    JAX drops arguments that `function` does not use, unless `keep_unused`, or if the `jax.jit` of it says so.
    """
    jax = import_jax()
    jitted = function if hasattr(function, "trace") else jax.jit(function, keep_unused=keep_unused)
    return lower_traced(jitted.trace(*arguments))


def values_of(arguments: Sequence[Any]) -> Sequence[Array] | None:
    """
    The arrays among the arguments of a function, in the order and of the types in which a program gets them; None if
    one of them has only a shape.
    """
    jax = import_jax()
    leaves = jax.tree.leaves(arguments)
    if any(isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves):
        return None
    data = map(leaf_data, leaves)
    return [np.asarray(leaf, jax.dtypes.canonicalize_dtype(jax.numpy.result_type(leaf))) for leaf in data]


def is_key(value: Any) -> bool:
    """Whether `value` has random keys, which programs hold as integers."""
    jax = import_jax()
    return jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key)


def leaf_data(leaf: Any) -> Any:
    """`leaf`, or the integers of random keys."""
    jax = import_jax()
    return jax.random.key_data(leaf) if isinstance(leaf, jax.Array) and is_key(leaf) else leaf


def lower_traced(traced: Any) -> Any:
    """
    What `traced.lower()` returns, for a `jax.stages.Traced`.

    The platform is named, so that shardings may be over a mesh without devices.
    """
    return traced.lower(lowering_platforms=(import_jax().devices()[0].client.platform,))
