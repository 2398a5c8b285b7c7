"""A function inside of another one that JAX traces: for `jax.grad`, `jax.vmap`, `jax.jit`, loops and the like."""

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from xshardy.programs.jax_functions import import_jax

jax = import_jax()  # without its types, which are incomplete
_core: Any = import_module("jax.extend.core")


@functools.cache
def _state_outside() -> object:
    """The state of JAX outside of all traces, where a new thread begins."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_core.get_opaque_trace_state).result()


def is_tracing() -> bool:
    """Whether JAX traces what calls this. Arguments alone do not tell: a function may also read what is around it."""
    return _core.get_opaque_trace_state() != _state_outside()


def on_devices(function: Callable[..., object], mesh: Mesh) -> Callable[..., object]:
    """
    `function`, whose results say that they are on the devices of `mesh`, but not how they are divided.

    Over explicit axes, the type of a result says both; one without a mesh is whole on each device.
    """
    is_divided_by_type = AxisType.Auto not in mesh.axis_types

    @functools.wraps(function)
    def placed(*args: object, **kwargs: object) -> object:
        return jax.tree.map(place, function(*args, **kwargs))

    def place(result: object) -> object:
        array = jax.numpy.asarray(result)
        if is_divided_by_type:
            on_mesh = not jax.typeof(array).sharding.mesh.empty
            return array if on_mesh else jax.sharding.reshard(array, NamedSharding(mesh, PartitionSpec()))
        spec = PartitionSpec(*[PartitionSpec.UNCONSTRAINED] * array.ndim)
        return jax.lax.with_sharding_constraint(array, NamedSharding(mesh, spec))

    return placed
