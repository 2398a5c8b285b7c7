"""Types of JAX's arrays that are divided over an abstract mesh of 2 x 4 devices: nothing is allocated."""

from importlib import import_module
from typing import Any

from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec

jax: Any = import_module("jax")  # without its types, which are incomplete
MESH = AbstractMesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def tensor(shape: tuple[int, ...], *spec: Any, type: Any = jax.numpy.float32) -> Any:
    """The type of an array of `shape`, its dimensions divided along the axes of `spec`."""
    return jax.ShapeDtypeStruct(shape, type, sharding=NamedSharding(MESH, PartitionSpec(*spec)))
